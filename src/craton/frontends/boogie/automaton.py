"""Growing control-flow automata edge by edge."""

from __future__ import annotations

import itertools
from dataclasses import replace

from craton.logic import FALSE, TRUE, Sort, Term, not_, var
from craton.program.cfa import UNREACH, Edge, Location, Property
from craton.program.origin import SourceRange
from craton.program.statements import Assign, Assume, Havoc, Statement


class Names:
    """What all procedures share: location ids, variable names, and what there is to know about locations."""

    def __init__(self) -> None:
        self._ids = itertools.count()
        self._used: dict[str, int] = {}
        self.errors: dict[Location, Property] = {}
        self.checks: dict[Location, str] = {}  # what fails where an error location is reached
        self.loop_heads: dict[Location, SourceRange | None] = {}
        self.invariants: dict[Location, tuple[Edge, ...]] = {}  # by loop head: the edges where they hold

    def location(self) -> Location:
        return Location(next(self._ids))

    def name(self, stem: str) -> str:
        """A variable's name that is not used yet."""
        count = self._used.get(stem, 0)
        self._used[stem] = count + 1
        return stem if count == 0 else f"{stem}@{count + 1}"


class Builder:
    """The automaton of one procedure. `here` is where the next edge begins; None where control cannot be."""

    def __init__(self, names: Names, procedure: str) -> None:
        self.names = names
        self.procedure = procedure
        self.edges: list[Edge] = []
        self.locals: dict[Term, None] = {}
        self.entry = names.location()
        self.here: Location | None = self.entry
        self.origin: SourceRange | None = None
        self._last: int | None = None  # the index of the only edge to a location that `emit` or `check` made

    def emit(self, statement: Statement) -> None:
        if self.here is not None:
            target = self.names.location()
            self.edges.append(Edge(self.here, statement, target, self.origin))
            self.here, self._last = target, len(self.edges) - 1

    def assume(self, condition: Term) -> None:
        if condition is not TRUE:
            self.emit(Assume(condition))
        if condition is FALSE:
            self.here = None

    def assign(self, variable: Term, value: Term) -> None:
        if variable is not value:
            self.emit(Assign(variable, value))

    def havoc(self, *variables: Term) -> None:
        if variables:
            self.emit(Havoc(tuple(dict.fromkeys(variables))))

    def go(self, target: Location) -> None:
        """On to a location that may have other edges coming in: the last edge leads there, or one that does nothing."""
        last = None if self._last is None else self.edges[self._last]
        if last is not None and last.target == self.here:
            assert self._last is not None
            self.edges[self._last] = replace(last, target=target)
            self.here = self._last = None
        else:
            self.choose(target)

    def choose(self, *targets: Location) -> None:
        """Any of the targets."""
        if self.here is not None:
            self.edges.extend(Edge(self.here, Assume(TRUE), target, self.origin) for target in targets)
            self.here = None

    def fork(self, condition: Term | None, then: Location, otherwise: Location) -> None:
        """Two edges, without one that can never be taken; None is the condition `*`."""
        if self.here is not None:
            if condition is not FALSE:
                self.edges.append(Edge(self.here, Assume(condition or TRUE), then, self.origin, True))
            if condition is not TRUE:
                negated = TRUE if condition is None else not_(condition)
                self.edges.append(Edge(self.here, Assume(negated), otherwise, self.origin, False))
            self.here = None

    def check(self, condition: Term, what: str) -> None:
        """Leads to an error location where the condition does not hold, and assumes it otherwise."""
        if self.here is None or condition is TRUE:
            return
        error, fine = self.names.location(), self.names.location()
        self.names.errors[error] = UNREACH
        self.names.checks[error] = what
        first = len(self.edges)
        self.fork(condition, fine, error)
        if condition is not FALSE:
            self.here, self._last = fine, first

    def edge_assuming(self, condition: Term, source: Location | None) -> Edge | None:
        """The newest edge from there that assumes this."""
        for edge in reversed(self.edges[-2:]):
            if edge.source == source and edge.statement == Assume(condition):
                return edge
        return None

    def temporary(self, stem: str, sort: Sort) -> Term:
        variable = var(self.names.name(f"{self.procedure}::{stem}"), sort)
        self.locals[variable] = None
        return variable
