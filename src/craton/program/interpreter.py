"""Concrete execution of a program on given inputs.

Every procedure is translated once into Python functions, one per stretch of straight-line code. Where the program
leaves a value open (an uninitialised variable) it is zero, or drawn from the seed; where several edges are enabled the
first one is taken (programs of the C front end are deterministic but for their inputs).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any

from craton.logic import TRUE, Array, BitVec, Float, Sort, Term, free_variables, ops
from craton.logic.evaluation import zero
from craton.logic.ieee import RoundingMode, from_fraction, from_python
from craton.logic.terms import format_of
from craton.program.cfa import Edge, Location, Procedure, Program, Property, Unmodelled
from craton.program.codegen import SUPPORT, Cells, Code, Unwritten
from craton.program.codegen import CannotRun as CannotRun
from craton.program.statements import Assign, Assume, BitsOf, Block, Call, Fresh, Havoc, Input, Proposed, Return

Number = int | float | Fraction


# --- outcomes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReachedError:
    """An error location was reached."""

    location: Location
    violated: Property

    def __str__(self) -> str:
        return f"error reached: {self.violated}"


@dataclass(frozen=True, slots=True)
class Exited:
    """The program ended: the entry procedure returned these values, or it stopped (None)."""

    values: tuple[Any, ...] | None

    def __str__(self) -> str:
        return "exit" if self.values is None else f"exit with {', '.join(map(str, self.values)) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Blocked:
    """No edge was enabled: an assumption failed, such as a divisor that must not be zero."""

    location: Location
    edge: Edge | None

    def __str__(self) -> str:
        where = f" at {self.edge.origin}" if self.edge is not None and self.edge.origin is not None else ""
        return f"stopped by an assumption{where}"


@dataclass(frozen=True, slots=True)
class StepLimit:
    steps: int

    def __str__(self) -> str:
        return f"step limit of {self.steps} reached"


@dataclass(frozen=True, slots=True)
class ReachedUnmodelled:
    """The run came to what Craton does not model: nobody knows how it goes on."""

    location: Location
    construct: Unmodelled

    def __str__(self) -> str:
        return self.construct.sentence


Outcome = ReachedError | ReachedUnmodelled | Exited | Blocked | StepLimit


@dataclass(frozen=True)
class Run:
    """What happened: outcome, inputs read in order, final values of globals, and the edges taken if recorded."""

    outcome: Outcome
    steps: int
    inputs: tuple[tuple[Input, Any], ...]
    values: Mapping[Term, Any] = field(repr=False)
    edges: tuple[Edge, ...] = field(default=(), repr=False)
    sorts: tuple[Sort, ...] = field(default=(), repr=False)  # of the inputs
    depth: int = 0  # how many calls were open at a time, at most


# --- inputs -----------------------------------------------------------------------------------------------------------


Outside = Callable[[Input], Number | None]


def _nothing(what: Input) -> None:
    """Nobody is outside."""


class _Source:
    """Where open values come from."""

    def __init__(self, inputs: Sequence[Number], seed: int | None, only_inputs: bool, outside: Outside) -> None:
        self.waiting = list(inputs)
        self.outside = outside
        self.only_inputs = only_inputs
        self.next = 0
        self.random = random.Random(seed) if seed is not None else None
        self.read: list[tuple[Input, Any]] = []
        self.sorts: list[Sort] = []

    def input(self, what: Input, sort: Sort) -> Any:
        known = self.outside(what)
        if known is not None:
            value = as_value(known, sort, what.type)
        elif self.next < len(self.waiting):
            value = as_value(self.waiting[self.next], sort, what.type)
            self.next += 1
        else:
            value = self.drawn(sort)
            if what.type == "_Bool":
                value &= 1
        self.read.append((what, value))
        self.sorts.append(sort)
        return value

    def arbitrary(self, sort: Sort) -> Any:
        """A value that the program leaves open."""
        if self.only_inputs and not isinstance(sort, Array):
            return zero(sort)
        return self.drawn(sort)

    def drawn(self, sort: Sort) -> Any:
        if isinstance(sort, Array):
            element = sort.element
            return Cells(Unwritten(lambda: self.arbitrary(element), uniform=self.random is None or self.only_inputs))
        if self.random is None:
            return zero(sort)
        if isinstance(sort, BitVec):
            roll = self.random.random()
            if roll < 0.5:  # small numbers reach more
                return self.random.randint(-8, 24) & ((1 << sort.width) - 1)
            return self.random.getrandbits(sort.width)
        if isinstance(sort, Float):
            if self.random.random() < 0.5:
                return from_python(format_of(sort), float(self.random.randint(-8, 24)))
            return from_python(format_of(sort), self.random.uniform(-1e6, 1e6))
        if sort is TRUE.sort:
            return self.random.random() < 0.5
        return zero(sort)


def as_value(number: Number, sort: Sort, type_name: str = "") -> Any:
    """A number as the value of a sort: integers wrap around, fractions are cut for integers and rounded for floats."""
    if isinstance(sort, Float):
        if isinstance(number, float):
            return from_python(format_of(sort), number)
        return from_fraction(format_of(sort), RoundingMode.RNE, Fraction(number))
    if type_name == "_Bool":
        return 1 if number != 0 else 0
    if isinstance(number, float):
        number = int(number) if -9e18 < number < 9e18 else 0
    if isinstance(sort, BitVec):
        return int(number) & ((1 << sort.width) - 1)
    if sort is TRUE.sort:
        return bool(number)
    return int(number)


@dataclass(slots=True)
class _Machine:
    """One execution: globals, the frame of the procedure that runs, and the frames of those that wait for it, each with
    where to go on and what to do with the results (negative numbers are globals).
    """

    source: _Source
    state: list[Any]
    frame: list[Any]
    waiting: list[tuple[list[Any], Location, tuple[int, ...]]] = field(default_factory=list)
    deepest: int = 0  # how many have waited at a time, at most


# --- translation ------------------------------------------------------------------------------------------------------

_CALL, _RETURN, _STOP, _ERROR, _BLOCKED = range(5)


class Interpreter:
    """A program made ready to run any number of times.

    `seen` is told the values of the variables watched at a location, whenever control passes there.
    """

    def __init__(
        self,
        program: Program,
        *,
        record: bool = False,
        watched: Mapping[Location, tuple[Term, ...]] | None = None,
        seen: Callable[[Location, tuple[Any, ...]], None] = lambda location, values: None,
    ) -> None:
        self.program = program
        self.record = record
        self.watched = watched or {}
        self._globals: dict[Term, int] = {}
        self._slots: dict[str, dict[Term, int]] = {}
        self._starts: dict[str, tuple[list[Any], list[tuple[int, Array]]]] = {}  # frames of zeros, and their arrays
        self._blocks: dict[Location, Callable[[list[Any]], Any]] = {}
        self._edges: list[Edge] = []
        self._namespace: dict[str, Any] = {**SUPPORT, "W": seen}
        self._state: list[Any] = []
        self._trace: list[int] = []
        self._translated: set[str] = set()
        self._home = {edge.source: name for name, p in program.procedures.items() for edge in p.edges}
        self._home |= {p.entry: name for name, p in program.procedures.items()}
        for variable in program.globals:
            self._globals[variable] = len(self._globals)

    def run(
        self,
        inputs: Sequence[Number] = (),
        *,
        seed: int | None = None,
        step_limit: int = 10_000_000,
        only_inputs: bool = False,
        outside: Outside = _nothing,
    ) -> Run:
        """With `only_inputs` the seed is for inputs; what the program leaves open besides is zero. Who is `outside` may
        answer for an input before the others are used.
        """
        source = _Source(inputs, seed, only_inputs, outside)
        state = [source.arbitrary(variable.sort) for variable in self._globals]
        self._namespace.update(
            G=state, T=self._trace.append, read=source.input, arbitrary=source.arbitrary, fresh=count()
        )
        self._trace.clear()
        machine = _Machine(source, state, self._frame(self.program.main, source))
        outcome, steps = self._execute(machine, step_limit)
        final = {variable: state[i] for variable, i in self._globals.items()}
        edges = tuple(self._edges[i] for i in self._trace)
        return Run(outcome, steps, tuple(source.read), final, edges, tuple(source.sorts), machine.deepest)

    def _execute(self, machine: _Machine, step_limit: int) -> tuple[Outcome, int]:
        """Code that stays in a procedure says which code comes next; what it cannot say so is a tuple, for `_after`."""
        block = self._block(self.program.main.entry)
        steps = 0
        while True:
            frame = machine.frame
            for _ in range(1024):
                result = block(frame)
                if result.__class__ is tuple:
                    break
                block = result
            else:
                steps += 1024
                if steps >= step_limit:
                    return StepLimit(step_limit), steps
                continue
            steps += 1
            block = self._after(machine, result)
            if not callable(block):
                return block, steps
            if steps >= step_limit:
                return StepLimit(step_limit), steps

    def _after(self, machine: _Machine, result: tuple[Any, ...]) -> Any:
        """The code that comes next, or the outcome."""
        kind = result[0]
        if kind == _CALL:
            return self._call(machine, result)
        if kind == _RETURN:
            return self._return(machine, result[1])
        if kind == _STOP:
            return Exited(None)
        if kind == _ERROR:
            return _reached(result[1], self.program.errors[result[1]])
        return Blocked(result[1], result[2])

    def _call(self, machine: _Machine, result: tuple[Any, ...]) -> Any:
        _, name, arguments, back, results = result
        procedure = self.program.procedures.get(name)
        if procedure is None:
            raise CannotRun(f"procedure {name} is called but not defined")
        machine.waiting.append((machine.frame, back, results))
        machine.deepest = max(machine.deepest, len(machine.waiting))
        machine.frame = frame = self._frame(procedure, machine.source)
        frame[: len(arguments)] = arguments
        return self._block(procedure.entry)

    def _return(self, machine: _Machine, procedure: Procedure) -> Any:
        slots, frame = self._slots[procedure.name], machine.frame
        values = [frame[slots[term]] for term in procedure.returns]
        if not machine.waiting:
            return Exited(tuple(values))
        machine.frame, back, targets = machine.waiting.pop()
        for target, value in zip(targets, values, strict=True):
            if target < 0:
                machine.state[-1 - target] = value
            else:
                machine.frame[target] = value
        return self._block(back)

    def _frame(self, procedure: Procedure, source: _Source) -> list[Any]:
        """Locals, parameters first; all arbitrary."""
        slots = self._slots.get(procedure.name)
        if slots is None:
            slots = self._slots[procedure.name] = self._layout(procedure)
        if source.random is not None:
            return [source.arbitrary(variable.sort) for variable in slots]
        start, arrays = self._starts[procedure.name]
        frame = list(start)
        for slot, sort in arrays:
            frame[slot] = source.arbitrary(sort)
        return frame

    def _layout(self, procedure: Procedure) -> dict[Term, int]:
        slots: dict[Term, int] = {}
        for variable in (*procedure.parameters, *procedure.returns, *procedure.locals):
            if variable not in slots and variable not in self._globals:
                slots[variable] = len(slots)
        for edge in procedure.edges:
            for variable in _mentioned(edge):
                if variable not in slots and variable not in self._globals:
                    slots[variable] = len(slots)
        values = [None if isinstance(variable.sort, Array) else zero(variable.sort) for variable in slots]
        arrays = [(slot, variable.sort) for variable, slot in slots.items() if isinstance(variable.sort, Array)]
        self._starts[procedure.name] = (values, arrays)
        return slots

    def _block(self, location: Location) -> Any:
        found = self._blocks.get(location)
        if found is None:
            self._translate_procedure_of(location)
            found = self._blocks[location]
        return found

    def _translate_procedure_of(self, location: Location) -> None:
        name = self._home.get(location)
        if name is None or name in self._translated:
            raise CannotRun(f"no code at {location}")
        self._translated.add(name)
        self._translate(self.program.procedures[name])

    def _translate(self, procedure: Procedure) -> None:
        slots = self._slots.get(procedure.name)
        if slots is None:
            slots = self._slots[procedure.name] = self._layout(procedure)
        names = {variable: f"L[{i}]" for variable, i in slots.items()}
        names |= {variable: f"G[{i}]" for variable, i in self._globals.items()}
        flat = _flattened(procedure)
        leaders = self._leaders(flat)
        constants = self._namespace
        source: list[str] = []
        for location in leaders:
            source.append(f"def b{location.id}(L):")
            code = Code(names, constants)
            if location in self.watched:
                values = "".join(f"{names[variable]}, " for variable in self.watched[location])
                code.lines.append(f"W({code.constant(location)}, ({values}))")
            self._stretch(flat, location, leaders, code, slots)
            source.extend(f" {line}" for line in code.lines)
        exec(compile("\n".join(source), f"<{procedure.name}>", "exec"), constants)
        for location in leaders:
            self._blocks[location] = constants[f"b{location.id}"]

    def _leaders(self, flat: Procedure) -> dict[Location, None]:
        """Where stretches begin: the entry, joins, targets of branches, where calls come back to, watched locations."""
        found: dict[Location, None] = {flat.entry: None}
        for location in flat.locations:
            incoming = flat.incoming(location)
            if (
                location in self.watched
                or len(incoming) > 1
                or any(len(flat.outgoing(edge.source)) > 1 or isinstance(edge.statement, Call) for edge in incoming)
            ):
                found[location] = None
        return found

    def _stretch(
        self,
        flat: Procedure,
        location: Location,
        leaders: dict[Location, None],
        code: Code,
        slots: dict[Term, int],
    ) -> None:
        """The code from a leader to the next one."""
        while True:
            if location in self.program.errors:
                code.lines.append(f"return ({_ERROR}, {code.constant(location)})")
                return
            edges = flat.outgoing(location)
            if not edges:
                code.lines.append(f"return ({_STOP},)")
                return
            if len(edges) > 1:
                self._branch(edges, location, code)
                return
            edge = edges[0]
            statement = edge.statement
            if isinstance(statement, Return):
                self._taken(edge, code)
                code.lines.append(f"return ({_RETURN}, {code.constant(self._original(flat))})")
                return
            if isinstance(statement, Call):
                self._taken(edge, code)
                arguments = ", ".join(map(code.owned, statement.arguments))
                targets = tuple(
                    -1 - self._globals[term] if term in self._globals else slots[term] for term in statement.results
                )
                back = code.constant(edge.target)
                code.lines.append(f"return ({_CALL}, {statement.procedure!r}, [{arguments}], {back}, {targets!r})")
                return
            if isinstance(statement, Assume):
                if statement.condition is not TRUE:
                    text = code.expression(statement.condition)
                    blocked = f"({_BLOCKED}, {code.constant(location)}, {code.constant(edge)})"
                    code.lines.append(f"if not {text}: return {blocked}")
            elif isinstance(statement, Assign):
                self._assign(statement, code)
            elif isinstance(statement, Havoc):
                self._havoc(statement, code)
            self._taken(edge, code)
            location = edge.target
            if location in leaders:
                code.lines.append(f"return b{location.id}")
                return

    def _original(self, flat: Procedure) -> Procedure:
        return self.program.procedures[flat.name]

    def _taken(self, edge: Edge, code: Code) -> None:
        if self.record:
            code.lines.append(f"T({len(self._edges)})")
            self._edges.append(edge)

    def _assign(self, statement: Assign, code: Code) -> None:
        target = code.names[statement.variable]
        value = statement.value
        if not isinstance(value.sort, Array):
            code.lines.append(f"{target} = {code.expression(value)}")
            return
        writes: list[tuple[Term, Term]] = []
        base = value
        while base.op is ops.STORE:
            writes.append((base.args[1], base.args[2]))
            base = base.args[0]
        # All that is written is computed before anything is: it may read the variable itself.
        texts = [(code.expression(index), code.owned(element)) for index, element in reversed(writes)]
        if len(texts) > 1:
            texts = [(code.temporary(i), code.temporary(e)) for i, e in texts]
        changed = target if base is statement.variable else code.temporary(code.owned(base))
        code.lines.extend(f"{changed}[{index}] = {element}" for index, element in texts)
        if changed != target:
            code.lines.append(f"{target} = {changed}")

    def _havoc(self, statement: Havoc, code: Code) -> None:
        source = statement.source
        for variable in statement.variables:
            target = code.names[variable]
            if isinstance(source, Input):
                code.lines.append(f"{target} = read({code.constant(source)}, {code.constant(variable.sort)})")
            elif isinstance(source, BitsOf):
                code.lines.append(f"{target} = {code.expression(source.value)}")
            elif isinstance(source, Fresh):
                code.lines.append(f"{target} = {code.expression(source.value)} + {source.step} * next(fresh)")
            else:
                code.lines.append(f"{target} = arbitrary({code.constant(variable.sort)})")

    def _branch(self, edges: tuple[Edge, ...], location: Location, code: Code) -> None:
        if self._switch(edges, location, code):
            return
        for edge in edges:
            statement = edge.statement
            if isinstance(statement, Assume):
                condition = code.expression(statement.condition)
                if self.record:
                    code.lines.append(f"if {condition}: T({len(self._edges)}); return b{edge.target.id}")
                    self._edges.append(edge)
                else:
                    code.lines.append(f"if {condition}: return b{edge.target.id}")
            elif isinstance(statement, Assign | Havoc):
                if isinstance(statement, Assign):
                    self._assign(statement, code)
                else:
                    self._havoc(statement, code)
                self._taken(edge, code)
                code.lines.append(f"return b{edge.target.id}")
                return
            else:
                raise CannotRun(f"a choice between calls at {location}")
        code.lines.append(f"return ({_BLOCKED}, {code.constant(location)}, {code.constant(edges[0])})")

    def _switch(self, edges: tuple[Edge, ...], location: Location, code: Code) -> bool:
        """Many comparisons of one term with constants become one look-up."""
        if len(edges) < 8:
            return False
        subject: Term | None = None
        table: dict[int, Edge] = {}
        rest: list[Edge] = []
        for edge in edges:
            condition = edge.statement.condition if isinstance(edge.statement, Assume) else None
            if condition is not None and condition.op is ops.EQ and condition.args[1].op is ops.VALUE:
                if subject is None or condition.args[0] is subject:
                    subject = condition.args[0]
                    table.setdefault(condition.args[1].payload, edge)
                    continue
            rest.append(edge)
        if subject is None or len(rest) > 1:
            return False
        numbers = {}
        for value, edge in table.items():
            numbers[value] = len(self._edges)
            self._edges.append(edge)
        places = self.constant_table({value: edge.target.id for value, edge in table.items()})
        key = code.temporary(code.expression(subject))
        code.lines.append(f"t0 = {places}.get({key})")
        taken = f"T({self.constant_table(numbers)}[{key}]); " if self.record else ""
        code.lines.append(f"if t0 is not None: {taken}return J[t0]")
        self._namespace.setdefault("J", _Jump(self._namespace))
        for edge in rest:
            assert isinstance(edge.statement, Assume)
            otherwise = _denies(edge.statement.condition, table)
            condition_text = "True" if otherwise else code.expression(edge.statement.condition)
            if self.record:
                code.lines.append(f"if {condition_text}: T({len(self._edges)}); return b{edge.target.id}")
                self._edges.append(edge)
            else:
                code.lines.append(f"if {condition_text}: return b{edge.target.id}")
        code.lines.append(f"return ({_BLOCKED}, {code.constant(location)}, {code.constant(edges[0])})")
        return True

    def constant_table(self, table: dict[int, int]) -> str:
        name = f"k{len(self._namespace)}"
        self._namespace[name] = table
        return name


def _denies(condition: Term, table: dict[int, Edge]) -> bool:
    """Whether a condition is the default of a table: none of its cases."""
    if condition.op is not ops.NOT or condition.args[0].op is not ops.OR:
        return False
    cases = set()
    for edge in table.values():
        assert isinstance(edge.statement, Assume)
        cases.add(edge.statement.condition)
    return cases == set(condition.args[0].args)


class _Jump:
    """Blocks by the number of their location."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    def __getitem__(self, number: int) -> Any:
        return self._namespace[f"b{number}"]


def _flattened(procedure: Procedure) -> Procedure:
    """Blocks replaced by the edges inside them, which several blocks may share."""
    if not any(isinstance(edge.statement, Block) for edge in procedure.edges):
        return procedure
    edges: dict[Edge, None] = {}
    for edge in procedure.edges:
        if isinstance(edge.statement, Block):
            edges.update(dict.fromkeys(edge.statement.edges))
        else:
            edges[edge] = None
    return procedure.with_edges(tuple(edges))


def _mentioned(edge: Edge) -> list[Term]:
    """The variables of an edge, in a fixed order."""
    statement = edge.statement
    if isinstance(statement, Block):
        return [variable for inner in statement.edges for variable in _mentioned(inner)]
    found: dict[Term, None] = {}
    terms: list[Term] = []
    if isinstance(statement, Assume):
        terms = [statement.condition]
    elif isinstance(statement, Assign):
        terms = [statement.variable, statement.value]
    elif isinstance(statement, Havoc):
        terms = list(statement.variables)
        if isinstance(statement.source, Proposed):
            terms.append(statement.source.value)
    elif isinstance(statement, Call):
        terms = [*statement.arguments, *statement.results]
    for term in terms:
        for variable in sorted(free_variables(term), key=lambda v: v.serial):
            found[variable] = None
    return list(found)


def run(
    program: Program, inputs: Sequence[Number] = (), *, seed: int | None = None, step_limit: int = 10_000_000
) -> Run:
    """Runs a program once."""
    return Interpreter(program).run(inputs, seed=seed, step_limit=step_limit)


def _reached(location: Location, violated: Property) -> ReachedError | ReachedUnmodelled:
    return (
        ReachedUnmodelled(location, violated) if isinstance(violated, Unmodelled) else ReachedError(location, violated)
    )
