"""Predicate abstraction as a domain of reachability graphs: states are Boolean functions of the tracked predicates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from craton.engines.contract import Budget
from craton.engines.predicate.abstraction import Abstracting, Abstractor
from craton.engines.predicate.bdd import NO, YES, Bdd, Bdds
from craton.engines.predicate.precision import Kind, Literal, Predicates, levels_of
from craton.engines.reachability.precision import Precision, Sharing
from craton.engines.steps import Step
from craton.logic import Term, free_variables, is_quantified
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Location, Program
from craton.program.transitions import transition
from craton.traces.refutation import Refutation

Levels = frozenset[Literal]  # of predicates; `mixed` tracks literals, others a predicate with both of its values


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
        mixed = abstracting is Abstracting.MIXED
        self._wanted = self.predicates.literals if mixed else self.predicates.levels
        self._precision = Precision[Literal](program, sharing)
        self._useful = _Useful(program, self.predicates) if mixed and sharing is Sharing.GLOBAL else None
        self._abstractor = Abstractor(solver, abstracting, self.predicates, self.bdds, budget)

    def __len__(self) -> int:
        return len(self.predicates)

    def cover(self) -> Disjunction:
        return Disjunction(self.bdds, self.predicates)

    def precision(self, location: Location) -> Levels:
        tracked = self._precision.at(location)
        return tracked if self._useful is None else self._useful.at(location, tracked)

    def successor(self, before: Bdd, step: Step, tracked: Levels, precision: Levels) -> Bdd | None:
        state = self._abstractor.successor(before, step, levels_of(tracked), precision)
        return None if state == NO else state

    def refine(self, locations: Sequence[Location], tracked: Sequence[Levels], refutation: Refutation) -> int | None:
        """Atoms may be too weak (a Cartesian abstraction loses their disjunctions, and a solver may decide a whole
        formula but not its parts), so if they change nothing, the assertions themselves are tracked; at last, nothing
        is Cartesian any more.
        """
        for kind in (self._kind, Kind.WHOLE, Kind.SINGLE):
            wanted = [self._wanted(assertion, kind) for assertion in refutation.assertions]
            if self._useful is not None:
                self._useful.add(locations, wanted)
            lacking = self._precision.refine(locations, tracked, wanted)
            if lacking is not None:
                return lacking
        return 1 if self._abstractor.strengthen() else None

    def tracked(self, state: Bdd, precision: Levels) -> tuple[Term, ...]:
        return tuple(self.predicates.term(level) for level in sorted(levels_of(precision)))


class _Useful:
    """Where predicates that are tracked everywhere matter: where all of their variables are live, and where refutations
    asserted them.
    """

    def __init__(self, program: Program, predicates: Predicates) -> None:
        self._predicates = predicates
        steps = {edge: transition(edge.statement) for edge in program.main.edges}
        self._live = live_variables(program, steps)
        self._asserted: dict[Location, Levels] = {}
        self._found: dict[tuple[Location, Levels], Levels] = {}

    def add(self, locations: Sequence[Location], asserted: Sequence[Levels]) -> None:
        for location, literals in zip(locations, asserted, strict=True):
            self._asserted[location] = self._asserted.get(location, Levels()) | literals

    def at(self, location: Location, tracked: Levels) -> Levels:
        key = (location, tracked)
        found = self._found.get(key)
        if found is None:
            live = self._live[location]
            found = self._found[key] = frozenset(x for x in tracked if self._variables(x) <= live)
        return found | self._asserted.get(location, Levels())

    def _variables(self, literal: Literal) -> frozenset[Term]:
        return free_variables(self._predicates.literal(literal))


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
