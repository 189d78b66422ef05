"""Procedures as Python functions, one per stretch of straight-line code.

A function is given the frame (a list of locals) and says which function comes next; what it cannot say so (calls,
returns, ends) is a tuple that begins with one of the five kinds below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from craton.logic import TRUE, Array, Term, free_variables, ops
from craton.logic.evaluation import zero
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.execution.codegen import SUPPORT, CannotRun, Code
from craton.program.statements import Assign, Assume, BitsOf, Block, Call, Fresh, Havoc, Input, Proposed, Return

CALL, RETURN, STOP, ERROR, BLOCKED = range(5)


class Translation:
    """A program's procedures, each translated when it is first needed.

    Generated functions keep to these names: `L` the frame, `G` the globals, `T` records an edge by its number in
    `edges`, `W` tells of the variables `watched` at a location, `read`, `arbitrary` and `fresh` give open values.
    Whoever runs them puts these into `namespace` first.
    """

    def __init__(
        self,
        program: Program,
        *,
        record: bool,
        watched: Mapping[Location, tuple[Term, ...]],
        seen: Callable[[Location, tuple[Any, ...]], None],
    ) -> None:
        self.program = program
        self.record = record
        self.watched = watched
        self.globals = {variable: number for number, variable in enumerate(program.globals)}
        self.edges: list[Edge] = []
        self.namespace: dict[str, Any] = {**SUPPORT, "W": seen}
        self._slots: dict[str, dict[Term, int]] = {}
        self._starts: dict[str, tuple[list[Any], list[tuple[int, Array]]]] = {}
        self._blocks: dict[Location, Callable[[list[Any]], Any]] = {}
        self._translated: set[str] = set()
        self._home = {edge.source: name for name, p in program.procedures.items() for edge in p.edges}
        self._home |= {p.entry: name for name, p in program.procedures.items()}

    def slots(self, procedure: Procedure) -> dict[Term, int]:
        """Where its variables stand in a frame, parameters first."""
        slots = self._slots.get(procedure.name)
        if slots is None:
            slots = self._slots[procedure.name] = self._layout(procedure)
        return slots

    def start(self, procedure: Procedure) -> tuple[list[Any], list[tuple[int, Array]]]:
        """A frame of zeros, and which of its slots want an array."""
        self.slots(procedure)
        return self._starts[procedure.name]

    def block(self, location: Location) -> Any:
        """The function of the stretch that begins at a location."""
        found = self._blocks.get(location)
        if found is None:
            self._translate_procedure_of(location)
            found = self._blocks[location]
        return found

    def _layout(self, procedure: Procedure) -> dict[Term, int]:
        slots: dict[Term, int] = {}
        for variable in (*procedure.parameters, *procedure.returns, *procedure.locals):
            if variable not in slots and variable not in self.globals:
                slots[variable] = len(slots)
        for edge in procedure.edges:
            for variable in _mentioned(edge):
                if variable not in slots and variable not in self.globals:
                    slots[variable] = len(slots)
        values = [None if isinstance(variable.sort, Array) else zero(variable.sort) for variable in slots]
        arrays = [(slot, variable.sort) for variable, slot in slots.items() if isinstance(variable.sort, Array)]
        self._starts[procedure.name] = (values, arrays)
        return slots

    def _translate_procedure_of(self, location: Location) -> None:
        name = self._home.get(location)
        if name is None or name in self._translated:
            raise CannotRun(f"no code at {location}")
        self._translated.add(name)
        self._translate(self.program.procedures[name])

    def _translate(self, procedure: Procedure) -> None:
        slots = self.slots(procedure)
        names = {variable: f"L[{i}]" for variable, i in slots.items()}
        names |= {variable: f"G[{i}]" for variable, i in self.globals.items()}
        flat = _flattened(procedure)
        leaders = self._leaders(flat)
        constants = self.namespace
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
                code.lines.append(f"return ({ERROR}, {code.constant(location)})")
                return
            edges = flat.outgoing(location)
            if not edges:
                code.lines.append(f"return ({STOP},)")
                return
            if len(edges) > 1:
                self._branch(edges, location, code)
                return
            edge = edges[0]
            statement = edge.statement
            if isinstance(statement, Return):
                self._taken(edge, code)
                code.lines.append(f"return ({RETURN}, {code.constant(self._original(flat))})")
                return
            if isinstance(statement, Call):
                self._taken(edge, code)
                arguments = ", ".join(map(code.owned, statement.arguments))
                targets = tuple(
                    -1 - self.globals[term] if term in self.globals else slots[term] for term in statement.results
                )
                back = code.constant(edge.target)
                code.lines.append(f"return ({CALL}, {statement.procedure!r}, [{arguments}], {back}, {targets!r})")
                return
            if isinstance(statement, Assume):
                if statement.condition is not TRUE:
                    text = code.expression(statement.condition)
                    blocked = f"({BLOCKED}, {code.constant(location)}, {code.constant(edge)})"
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
            code.lines.append(f"T({len(self.edges)})")
            self.edges.append(edge)

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
                    code.lines.append(f"if {condition}: T({len(self.edges)}); return b{edge.target.id}")
                    self.edges.append(edge)
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
        code.lines.append(f"return ({BLOCKED}, {code.constant(location)}, {code.constant(edges[0])})")

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
            numbers[value] = len(self.edges)
            self.edges.append(edge)
        places = self._table({value: edge.target.id for value, edge in table.items()})
        key = code.temporary(code.expression(subject))
        code.lines.append(f"t0 = {places}.get({key})")
        taken = f"T({self._table(numbers)}[{key}]); " if self.record else ""
        code.lines.append(f"if t0 is not None: {taken}return J[t0]")
        self.namespace.setdefault("J", _Jump(self.namespace))
        for edge in rest:
            assert isinstance(edge.statement, Assume)
            otherwise = _denies(edge.statement.condition, table)
            condition_text = "True" if otherwise else code.expression(edge.statement.condition)
            if self.record:
                code.lines.append(f"if {condition_text}: T({len(self.edges)}); return b{edge.target.id}")
                self.edges.append(edge)
            else:
                code.lines.append(f"if {condition_text}: return b{edge.target.id}")
        code.lines.append(f"return ({BLOCKED}, {code.constant(location)}, {code.constant(edges[0])})")
        return True

    def _table(self, table: dict[int, int]) -> str:
        name = f"k{len(self.namespace)}"
        self.namespace[name] = table
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
