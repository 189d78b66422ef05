"""Inlining: calls of non-recursive procedures are replaced by copies of their bodies.

The first copy of a procedure keeps its locations and variables; later ones get new locations and variables `f@2::x`.
Recursive calls stay, and so do all further calls once the program has grown beyond a limit. Where a program would grow
too much, only what pays may be inlined, and summaries do the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from craton.logic import TRUE, Term, substitute, var
from craton.program.analysis.control_flow import reachable_edges, recursive_procedures
from craton.program.analysis.graphs import components
from craton.program.cfa import Edge, Location, Procedure, Program, Property, Symbol
from craton.program.origin import SourceRange
from craton.program.statements import Assign, Assume, Call, Return
from craton.program.transformation import Transformed
from craton.program.variables import Renaming

MOST_EDGES = 400_000
PAYING_EDGES, PAYING_GROWTH = 3_000, 8  # beyond both of them, not every copy pays
SMALL = 12  # edges of a procedure that is copied all the same


class Inlining(Enum):
    """Which calls are replaced."""

    ALL = "all"
    PAYING = "paying"  # all, unless the program would grow too much: then those of small procedures, and single ones


def inline(program: Program, inlining: Inlining = Inlining.ALL, most_edges: int = MOST_EDGES) -> Transformed:
    """The program as one procedure, except for recursive ones, those that exceeded the size limit, and those that do
    not pay.
    """
    return _Inliner(program, inlining, most_edges).run()


def inlining_pays(program: Program) -> bool:
    """Whether the program stays small, or grows by little, when all calls are inlined that can be."""
    own = sum(len(procedure.edges) for procedure in program.procedures.values())
    return _sizes(program, _inlinable(program))[program.entry] <= max(PAYING_EDGES, PAYING_GROWTH * own)


def _inlinable(program: Program) -> frozenset[str]:
    return frozenset(program.procedures) - frozenset(recursive_procedures(program))


def _chosen(program: Program, inlining: Inlining) -> frozenset[str]:
    """The procedures whose calls are inlined."""
    possible = _inlinable(program)
    if inlining is Inlining.ALL or inlining_pays(program):
        return possible
    calls = Counter(e.statement.procedure for e in program.edges() if isinstance(e.statement, Call))
    kept: frozenset[str] = frozenset()
    for name in _callees_first(program):
        if name in possible and (calls[name] <= 1 or _sizes(program, kept)[name] <= SMALL):
            kept |= {name}
    return kept


def _callees_first(program: Program) -> list[str]:
    graph = {
        name: [e.statement.procedure for e in procedure.edges if isinstance(e.statement, Call)]
        for name, procedure in program.procedures.items()
    }
    return [name for group in components(graph) for name in group if name in graph]


def _sizes(program: Program, inlined: frozenset[str]) -> dict[str, int]:
    """How many edges each procedure has when the calls of some are inlined."""
    found: dict[str, int] = {}
    for name in _callees_first(program):
        edges = program.procedures[name].edges
        called = (e.statement.procedure for e in edges if isinstance(e.statement, Call))
        found[name] = len(edges) + sum(found[callee] for callee in called if callee in inlined)
    return found


@dataclass(frozen=True, slots=True)
class Instance:
    """What a location of the inlined program is a copy of: the procedure, its location there, and the variables that
    replace the procedure's own in the copy.
    """

    procedure: str
    location: Location
    variables: Mapping[Term, Term]


def inline_with_instances(
    program: Program, inlining: Inlining = Inlining.ALL
) -> tuple[Transformed, dict[Location, Instance]]:
    """`inline(program)`, and the `Instance` of each location copied from a procedure other than the entry."""
    inliner = _Inliner(program, inlining, MOST_EDGES)
    return inliner.run(), inliner.instances


def instances(program: Program) -> dict[Location, Instance]:
    return inline_with_instances(program)[1]


class _Inliner:
    def __init__(self, program: Program, inlining: Inlining, most_edges: int) -> None:
        self.program = program
        self.most_edges = most_edges
        self.chosen = _chosen(program, inlining)
        self.copies: dict[str, int] = {}
        self.next_location = program.next_location()
        self.total = 0
        self.edges_back: dict[Edge, tuple[Edge, ...]] = {}
        self.locations_back: dict[Location, Location] = {}
        self.errors: dict[Location, Property] = dict(program.errors)
        self.loop_heads: dict[Location, SourceRange | None] = dict(program.loop_heads)
        self.symbols: dict[Term, Symbol] = dict(program.symbols)
        self.hints: dict[Location, tuple[Term, ...]] = dict(program.hints)
        self.instances: dict[Location, Instance] = {}

    def run(self) -> Transformed:
        done: dict[str, Procedure] = {}
        waiting = [self.program.entry]
        while waiting:
            name = waiting.pop()
            if name in done:
                continue
            done[name] = self._expanded(self.program.procedures[name])
            waiting.extend(e.statement.procedure for e in done[name].edges if isinstance(e.statement, Call))
        ordered = {name: done[name] for name in self.program.procedures if name in done}
        present = {location for procedure in ordered.values() for location in procedure.locations}
        result = replace(
            self.program,
            procedures=ordered,
            errors={location: p for location, p in self.errors.items() if location in present},
            loop_heads={location: r for location, r in self.loop_heads.items() if location in present},
            symbols=self.symbols,
            hints={location: hints for location, hints in self.hints.items() if location in present},
        )
        return Transformed(result, self.edges_back, self.locations_back)

    def _new_location(self) -> Location:
        self.next_location += 1
        return Location(self.next_location - 1)

    def _expanded(self, procedure: Procedure) -> Procedure:
        """A procedure with everything inlined that can be."""
        edges: list[Edge] = []
        locals_: dict[Term, None] = dict.fromkeys(procedure.locals)
        # Edges still to be processed; calls in copied bodies are found when their edges are.
        waiting: list[Edge] = list(reversed(procedure.edges))
        while waiting:
            edge = waiting.pop()
            statement = edge.statement
            if not isinstance(statement, Call) or not self._may_inline(statement.procedure, procedure):
                edges.append(edge)
                self.total += 1
                continue
            waiting.extend(reversed(self._copy(edge, statement, edges, locals_)))
        kept = reachable_edges(procedure.entry, edges)
        return replace(procedure, edges=kept, locals=tuple(locals_))

    def _may_inline(self, name: str, into: Procedure) -> bool:
        if name not in self.chosen or name == into.name:
            return False
        return self.total + len(self.program.procedures[name].edges) <= self.most_edges

    def _copy(self, call: Edge, statement: Call, edges: list[Edge], locals_: dict[Term, None]) -> list[Edge]:
        """Adds the parameter passing to `edges` and returns the body's edges, which lie between the call's ends."""
        callee = self.program.procedures[statement.procedure]
        number = self.copies[callee.name] = self.copies.get(callee.name, 0) + 1
        variables: dict[Term, Term] = {}
        places: dict[Location, Location] = {}
        if number > 1:
            variables = {v: self._rename(v, callee.name, number) for v in callee.locals}
            for location in callee.locations:
                new = places[location] = self._new_location()
                self.locations_back[new] = location
                if location in self.program.errors:
                    self.errors[new] = self.program.errors[location]
                if location in self.program.loop_heads:
                    self.loop_heads[new] = self.program.loop_heads[location]
                if location in self.program.hints:
                    self.hints[new] = tuple(substitute(hint, variables) for hint in self.program.hints[location])
        for location in callee.locations:
            self.instances[places.get(location, location)] = Instance(callee.name, location, variables)
        locals_.update(dict.fromkeys(variables.get(v, v) for v in callee.locals))
        here = call.source
        pairs = [
            (variables.get(p, p), argument) for p, argument in zip(callee.parameters, statement.arguments, strict=True)
        ]
        entry = places.get(callee.entry, callee.entry)
        here = self._assignments(pairs, here, entry, call, edges)
        renaming = Renaming(variables)
        body: list[Edge] = []
        for edge in callee.edges:
            source = places.get(edge.source, edge.source)
            target = places.get(edge.target, edge.target)
            if isinstance(edge.statement, Return):
                results = [
                    (result, variables.get(r, r)) for result, r in zip(statement.results, callee.returns, strict=True)
                ]
                self._assignments(results, source, call.target, edge, edges)
                continue
            copied = edge
            if number > 1:
                copied = Edge(
                    source, renaming.statement(edge.statement), target, edge.origin, edge.branch, edge.branching
                )
                self.edges_back[copied] = (edge,)
            body.append(copied)
        return body

    def _assignments(
        self, pairs: list[tuple[Term, Term]], source: Location, target: Location, old: Edge, edges: list[Edge]
    ) -> Location:
        """A chain of assignments from source to target that replaces one old edge."""
        here = source
        for i, (variable, value) in enumerate(pairs):
            there = target if i == len(pairs) - 1 else self._new_location()
            if there is not target:
                self.locations_back[there] = old.source
            edge = Edge(here, Assign(variable, value), there, old.origin)
            self.edges_back[edge] = (old,) if i == 0 else ()
            edges.append(edge)
            here = there
        if not pairs:
            edge = Edge(source, Assume(TRUE), target, old.origin)
            self.edges_back[edge] = (old,)
            edges.append(edge)
        self.total += max(len(pairs), 1)
        return target

    def _rename(self, variable: Term, callee: str, number: int) -> Term:
        name = variable.name
        stem = name[len(callee) :] if name.startswith(f"{callee}::") else f"::{name}"
        new = var(f"{callee}@{number}{stem}", variable.sort)
        if variable in self.program.symbols:
            self.symbols[new] = self.program.symbols[variable]
        return new
