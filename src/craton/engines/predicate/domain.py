"""Predicate abstraction as a domain of reachability graphs: states are Boolean functions of the tracked predicates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from craton.engines.contract import Budget
from craton.engines.predicate.abstraction import Abstracting, Abstractor
from craton.engines.predicate.bdd import NO, YES, Bdd, Bdds
from craton.engines.predicate.precision import Kind, Predicates
from craton.engines.reachability.precision import Precision, Sharing
from craton.engines.steps import Step
from craton.logic import Term, is_quantified
from craton.program.cfa import Location, Program
from craton.traces.refutation import Refutation

Levels = frozenset[int]  # of predicates


class PredicateDomain:
    name = "the abstraction"
    start = (YES, Levels())

    def __init__(
        self,
        solver: str,
        abstracting: Abstracting,
        sharing: Sharing,
        kind: Kind,
        program: Program,
        budget: Budget,
    ) -> None:
        self._kind = kind
        self.bdds = Bdds()
        self.predicates = Predicates(self.bdds)
        self._precision = Precision[int](program, sharing)
        self._abstractor = Abstractor(solver, abstracting, self.predicates, self.bdds, budget)

    def __len__(self) -> int:
        return len(self.predicates)

    def cover(self) -> Disjunction:
        return Disjunction(self.bdds, self.predicates)

    def precision(self, location: Location) -> Levels:
        return self._precision.at(location)

    def successor(self, before: Bdd, step: Step, tracked: Levels, precision: Levels) -> Bdd | None:
        state = self._abstractor.successor(before, step, tracked, precision)
        return None if state == NO else state

    def refine(self, locations: Sequence[Location], tracked: Sequence[Levels], refutation: Refutation) -> int | None:
        """Atoms may be too weak (a Cartesian abstraction loses their disjunctions, and a solver may decide a whole
        formula but not its parts), so if they change nothing, the assertions themselves are tracked.
        """
        for kind in (self._kind, Kind.WHOLE, Kind.SINGLE):
            wanted = [self.predicates.levels(assertion, kind) for assertion in refutation.assertions]
            lacking = self._precision.refine(locations, tracked, wanted)
            if lacking is not None:
                return lacking
        return None

    def tracked(self, state: Bdd, precision: Levels) -> tuple[Term, ...]:
        return tuple(self.predicates.term(level) for level in sorted(precision))


class Disjunction:
    """A set of states, as their disjunction."""

    def __init__(self, bdds: Bdds, predicates: Predicates) -> None:
        self._bdds = bdds
        self._predicates = predicates
        self._states: dict[Bdd, None] = {}
        self._together: Bdd | None = NO  # None: a state was removed

    @property
    def together(self) -> Bdd:
        if self._together is None:
            self._together = reduce(self._bdds.disjunction, self._states, NO)
        return self._together

    def add(self, state: Bdd) -> None:
        self._together = self._bdds.disjunction(self.together, state)
        self._states[state] = None

    def remove(self, state: Bdd) -> None:
        del self._states[state]
        self._together = None

    def covers(self, state: Bdd) -> bool:
        return self._bdds.implies(state, self.together)

    def is_redundant(self, state: Bdd) -> bool:
        return any(other != state and self._bdds.implies(state, other) for other in self._states)

    def formula(self) -> Term:
        return self._predicates.formula(self.together)

    def unquantified(self) -> Term:
        quantified = [n for n in self._bdds.support(self.together) if is_quantified(self._predicates.term(n))]
        return self._predicates.formula(self._bdds.without(self.together, quantified))
