"""The pass from the bit-precise program to the program of a view.

Locations stay. If the statements that leave a location need fresh values or facts (`terms.Needs`), new edges after the
location choose and assume these before its statements. So the branches of a condition see the same choice and remain
each other's negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from craton.errors import NotExpressible
from craton.logic import TRUE, Term, and_, free_variables, ops, post_order, substitute, var
from craton.program.analysis.liveness import live_at_entry
from craton.program.cfa import Edge, Location, Procedure, Program, Symbol
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Input, Return, Statement
from craton.program.transformation import Transformed
from craton.program.variables import reads, terms
from craton.views.arithmetic import Overflow
from craton.views.signs import Signs
from craton.views.terms import Floats, Needs, Translator
from craton.views.view import IdealView, SoundView


def integer_view(program: Program, floats: Floats = "exact") -> SoundView:
    """The program over integers; floats stay IEEE floats ("exact") or become real numbers ("real")."""
    work = _Pass(program, floats, Overflow.WRAPS)
    transformed = work.transformed()
    return SoundView(transformed.program, transformed, work.translator, frozenset(work.overapproximated))


def ideal_view(program: Program, floats: Floats = "exact") -> IdealView:
    """The program over integers that never overflow."""
    work = _Pass(program, floats, Overflow.NEVER)
    transformed = work.transformed()
    hints = {meaning: hint for hint, meaning in work.hints.items()}
    return IdealView(transformed.program, transformed, work.translator, hints)


def real_view(program: Program) -> SoundView:
    """The program over integers and real numbers."""
    return integer_view(program, "real")


@dataclass
class _Pass:
    program: Program
    floats: Floats
    overflow: Overflow
    edges_back: dict[Edge, tuple[Edge, ...]] = field(default_factory=dict)
    locations_back: dict[Location, Location] = field(default_factory=dict)
    overapproximated: dict[Edge, None] = field(default_factory=dict)
    temporaries: dict[Term, None] = field(default_factory=dict)
    hints: dict[Term, Term] = field(default_factory=dict)  # and what they say of the view

    def __post_init__(self) -> None:
        self.translator = Translator(Signs(self.program), self.floats, self.overflow)
        self.next_location = self.program.next_location()
        # Names first: the translation of a variable must not depend on where it occurs.
        for variable in self.program.globals:
            self.translator.value(variable)
        for procedure in self.program.procedures.values():
            for variable in (*procedure.parameters, *procedure.returns, *procedure.locals):
                self.translator.value(variable)

    def transformed(self) -> Transformed:
        program, back = self.program, self.translator
        procedures = {name: self._procedure(procedure) for name, procedure in program.procedures.items()}
        chosen = (*back.fresh_variables, *self.temporaries)
        main = procedures[program.entry]
        procedures[program.entry] = replace(main, locals=(*main.locals, *chosen))
        result = replace(
            program,
            procedures=procedures,
            globals=self._variables(program.globals),
            symbols=self._symbols(),
            hints={location: tuple(self._hints(hints)) for location, hints in program.hints.items()},
        )
        return Transformed(result, self.edges_back, self.locations_back)

    def _hints(self, hints: Iterable[Term]) -> Iterator[Term]:
        """Those that say the same of the view's variables alone."""
        for hint in hints:
            if hint not in self.hints:
                needs = self.translator.needs(hint)
                self.hints[hint] = TRUE if needs.variables else self.translator.formula(hint)
            if self.hints[hint] is not TRUE:
                yield self.hints[hint]

    def _symbols(self) -> dict[Term, Symbol]:
        symbols = self.program.symbols
        return {view: symbols[variable] for variable in symbols for view in self.translator.variables(variable)[:1]}

    def _variables(self, variables: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(view for variable in variables for view in self.translator.variables(variable))

    def _location(self, near: Location) -> Location:
        location = Location(self.next_location)
        self.next_location += 1
        self.locations_back[location] = near
        return location

    # --- procedures ---------------------------------------------------------------------------------------------------

    def _procedure(self, procedure: Procedure) -> Procedure:
        edges: list[Edge] = []
        unset = self._uninitialised(procedure)
        for location in procedure.locations:
            outgoing = procedure.outgoing(location)
            if not outgoing:
                continue
            needs = Needs()
            own: list[Needs] = []
            for edge in outgoing:
                own.append(self.translator.needs(*terms(edge.statement)))
                needs.include(own[-1])
                # Ranges hold anyway; repeated where numbers are computed with, proofs need not carry them along.
                needs.facts.update(dict.fromkeys(map(self.translator.range, _operands(edge.statement))))
            if location == procedure.entry:
                needs.facts.update(dict.fromkeys(map(self.translator.range, unset)))
            start = self._preamble(location, needs, edges)
            for edge, need in zip(outgoing, own, strict=True):
                self._edge(edge, start, need, edges)
        return replace(
            procedure,
            parameters=self._variables(procedure.parameters),
            returns=self._variables(procedure.returns),
            locals=self._variables(procedure.locals),
            edges=tuple(edges),
        )

    def _preamble(self, location: Location, needs: Needs, edges: list[Edge]) -> Location:
        """Chooses and assumes what the statements need; returns the location where they start."""
        here = location
        steps: list[Statement] = []
        if needs.variables:
            steps.append(Havoc(tuple(needs.variables)))
        facts = and_(*needs.facts)
        if facts is not TRUE:
            steps.append(Assume(facts))
        for statement in steps:
            there = self._location(location)
            edge = Edge(here, statement, there)
            self.edges_back[edge] = ()
            edges.append(edge)
            here = there
        return here

    def _edge(self, old: Edge, start: Location, needs: Needs, edges: list[Edge]) -> None:
        """Adds the edge's statements one after another; the first one represents the old edge."""
        here = start
        steps = self._statements(old.statement)
        for i, statement in enumerate(steps):
            there = old.target if i == len(steps) - 1 else self._location(old.source)
            new = Edge(here, statement, there, old.origin, old.branch if i == 0 else None)
            self.edges_back[new] = (old,) if i == 0 else ()
            if i == 0 and not needs.exact:
                self.overapproximated[new] = None
            edges.append(new)
            here = there

    # --- statements ---------------------------------------------------------------------------------------------------

    def _statements(self, statement: Statement) -> list[Statement]:
        translator = self.translator
        match statement:
            case Assume(condition):
                return [Assume(translator.formula(condition))]
            case Assign(variable, value):
                return self._assignments(translator.variables(variable), translator.parts(value, variable))
            case Havoc(variables, source):
                # The bits that a concrete run chooses for a float say nothing about integers.
                kept = source if isinstance(source, Input) else None
                ranges = and_(*map(translator.range, variables))
                chosen: Statement = Havoc(self._variables(variables), kept)
                return [chosen] if ranges is TRUE else [chosen, Assume(ranges)]
            case Call():
                return self._call(statement)
            case Return():
                return [statement]
            case Block():
                raise NotExpressible("a view is made before large-block encoding, not behind it")

    def _call(self, call: Call) -> list[Statement]:
        """Arguments and results are passed as the callee's variables represent them."""
        callee = self.program.procedures.get(call.procedure)
        parameters = callee.parameters if callee is not None else call.arguments
        arguments = [
            part
            for argument, parameter in zip(call.arguments, parameters, strict=True)
            for part in self.translator.parts(argument, parameter)
        ]
        results: list[Term] = []
        after: list[Statement] = []
        returned = callee.returns if callee is not None else call.results
        for result, value in zip(call.results, returned, strict=True):
            mine = self.translator.variables(result)
            converted = self.translator.parts(value, result)
            theirs = self.translator.variables(value)
            if converted == theirs:
                results.extend(mine)
            else:  # different signedness: converted after the call
                passing = self._temporary(theirs[0], "!result")
                results.append(passing)
                after.append(Assign(mine[0], substitute(converted[0], {theirs[0]: passing})))
        return [Call(call.procedure, tuple(arguments), tuple(results)), *after]

    def _assignments(self, variables: tuple[Term, ...], values: tuple[Term, ...]) -> list[Statement]:
        """Assigns both parts of a float, in an order in which neither overwrites what the other reads."""
        if len(variables) == 1:
            return [Assign(variables[0], values[0])]
        (number, nan), (new_number, new_nan) = variables, values
        if nan not in free_variables(new_number):
            return [Assign(nan, new_nan), Assign(number, new_number)]
        if number not in free_variables(new_nan):
            return [Assign(number, new_number), Assign(nan, new_nan)]
        kept = self._temporary(nan, "!new")
        return [Assign(kept, new_nan), Assign(number, new_number), Assign(nan, kept)]

    def _temporary(self, like: Term, suffix: str) -> Term:
        temporary = var(like.name + suffix, like.sort)
        self.temporaries[temporary] = None
        return temporary

    # --- initial values -----------------------------------------------------------------------------------------------

    def _uninitialised(self, procedure: Procedure) -> list[Term]:
        """Variables that may be read before they are written: their initial values are arbitrary."""
        is_main = procedure.name == self.program.entry
        candidates = dict.fromkeys((*procedure.returns, *procedure.locals))
        if is_main:
            candidates.update(dict.fromkeys((*procedure.parameters, *self.program.globals)))
        else:
            for parameter in procedure.parameters:
                candidates.pop(parameter, None)
        return live_at_entry(procedure, candidates, self.program.globals)


def _operands(statement: Statement) -> Iterator[Term]:
    """The variables that operations are applied to; copies and comparisons with constants for equality do not count."""
    free = reads(statement)
    for node in post_order(*terms(statement)):
        if not (node.op is ops.EQ and node.args[1].is_value):
            yield from (operand for operand in node.args if operand in free)
