"""Runs through procedures as paths without calls: each activation has variables of its own, so a run is a path of the
program whose calls are inlined, as deep as the run goes.

A call becomes assignments to the parameters of the new activation, a return assignments to the results. All else stays
as it is, over the variables of its activation; those of the entry procedure keep their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from craton.logic import TRUE, Term, var
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Call, Return, Statement
from craton.program.variables import Renaming


@dataclass(slots=True)
class Activation:
    """A procedure that runs: its variables here, and the edge that called it."""

    procedure: Procedure
    variables: Mapping[Term, Term] = field(default_factory=dict)
    caller: Edge | None = None
    edges: dict[Edge, Edge] = field(default_factory=dict)  # over these variables, as far as they were needed
    renaming: Renaming = field(init=False)

    def __post_init__(self) -> None:
        self.renaming = Renaming(self.variables)

    def of(self, edge: Edge) -> Edge:
        if not self.variables:
            return edge
        known = self.edges.get(edge)
        if known is None:
            known = self.edges[edge] = replace(edge, statement=self.renaming.statement(edge.statement))
        return known


class Activations:
    """Those that are open, the entry procedure first."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.open: list[Activation] = [Activation(program.main)]
        self._calls = 0

    @property
    def current(self) -> Activation:
        return self.open[-1]

    def along(self, edge: Edge) -> tuple[tuple[Edge, ...], Location | None]:
        """What taking an edge of the current procedure means, and where control is then; None if the program ends."""
        match edge.statement:
            case Call() as call:
                return self._enter(edge, call), self.current.procedure.entry
            case Return():
                return self._leave(edge)
        return (self.current.of(edge),), edge.target

    def _enter(self, edge: Edge, call: Call) -> tuple[Edge, ...]:
        callee = self.program.procedures[call.procedure]
        here = self.current.of(edge).statement
        assert isinstance(here, Call)
        self._calls += 1
        own = dict.fromkeys((*callee.parameters, *callee.returns, *callee.locals))
        shared = frozenset(self.program.globals)
        names = {v: var(f"{v.name} #{self._calls}", v.sort) for v in own if v not in shared}
        self.open.append(Activation(callee, names, edge))
        given = ((names[p], argument) for p, argument in zip(callee.parameters, here.arguments, strict=True))
        return tuple(_assignments(edge, edge.source, callee.entry, given))

    def _leave(self, edge: Edge) -> tuple[tuple[Edge, ...], Location | None]:
        left = self.current
        if left.caller is None:
            return (edge,), None
        self.open.pop()
        call = self.current.of(left.caller).statement
        assert isinstance(call, Call)
        returned = (left.variables.get(v, v) for v in left.procedure.returns)
        results = zip(call.results, returned, strict=True)
        return tuple(_assignments(edge, edge.source, left.caller.target, results)), left.caller.target


def _assignments(edge: Edge, source: Location, target: Location, pairs: Iterable[tuple[Term, Term]]) -> Iterator[Edge]:
    """In place of a call or return; control stays where it is until the last of them."""
    statements: list[Statement] = [Assign(variable, value) for variable, value in pairs]
    statements = statements or [Assume(TRUE)]
    for statement in statements[:-1]:
        yield Edge(source, statement, source, edge.origin)
    yield Edge(source, statements[-1], target, edge.origin)


def path_without_calls(program: Program, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """The edges of a run of the program, from its start on, without calls and returns."""
    if not any(isinstance(edge.statement, Call) for edge in edges):
        return tuple(edges)
    activations = Activations(program)
    return tuple(new for edge in edges for new in activations.along(edge)[0])
