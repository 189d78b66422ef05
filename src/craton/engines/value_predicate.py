"""Value and predicate analysis in one ([RS] 6): a single reachability graph whose states know values and predicates.

Each refutation refines one of the two: the refiner says which (`Refutation.analysis`). `fallback(values, craig(z3))`
refines values wherever they contradict a path, and predicates elsewhere; `sliced(values, craig(z3), good, narrow)`
selects between the two. The parts of a state are computed independently, and a state is gone once one of them is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown, Unsafe
from craton.engines.options import block_size
from craton.engines.predicate.abstraction import Abstracting
from craton.engines.predicate.bdd import NO, Bdd
from craton.engines.predicate.domain import Disjunction, Levels, PredicateDomain
from craton.engines.predicate.precision import Kind
from craton.engines.reachability.domain import Laziness, Search
from craton.engines.reachability.precision import Sharing
from craton.engines.reachability.unwinding import Unwinding
from craton.engines.refinement import Refinement, Returning, or_executed
from craton.engines.steps import Step
from craton.engines.value.domain import ByValues, ValueDomain, Variables
from craton.logic import Term, and_, eq, or_
from craton.program.blocks import CHAINS, BlockSize
from craton.program.cfa import Location, Program
from craton.registry import word_choice
from craton.traces.refutation import Analysis, Refiner, Refutation
from craton.traces.trace import Trace
from craton.traces.values import Values


@dataclass(frozen=True, slots=True)
class ValuePredicateAnalysis(Engine):
    """Values and predicates on one reachability graph; try it with --refine 'sliced(values, craig(z3))'."""

    word: ClassVar[str] = "value-predicate"

    refiner: Refiner
    solver: str = "z3"
    blocks: BlockSize = block_size(CHAINS)
    abstraction: Abstracting = word_choice(Abstracting.BOOLEAN)
    sharing: Sharing = word_choice(Sharing.LOCATION)
    refinement: Laziness = word_choice(Laziness.LAZY)
    predicates: Kind = word_choice(Kind.ATOMS)
    search: Search = word_choice(Search.BFS)

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        predicates = PredicateDomain(self.solver, self.abstraction, self.sharing, self.predicates, program, budget)
        domain = Product(ValueDomain(self.sharing, program), predicates)
        refinement = Refinement(self.refiner, budget, Returning.POSSIBLE)

        def refute(trace: Trace) -> Refutation | Unsafe | Unknown:
            return or_executed(refinement.refute(trace), trace, budget)

        unwinding = Unwinding(domain, refute, program, budget, self.refinement, self.search)
        try:
            return unwinding.run() or Safe(unwinding.invariants(self.solver), (self.solver,))
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")


State = tuple[Values, Bdd]
Tracked = tuple[Variables, Levels]


class Product:
    """Values and predicates, each as in its own analysis."""

    name = "the abstraction"

    def __init__(self, values: ValueDomain, predicates: PredicateDomain) -> None:
        self.values = values
        self.predicates = predicates

    @property
    def start(self) -> tuple[State, Tracked]:
        (values, variables), (state, levels) = self.values.start, self.predicates.start
        return (values, state), (variables, levels)

    def __len__(self) -> int:
        return len(self.values) + len(self.predicates)

    def cover(self) -> ProductStates:
        return ProductStates(self.predicates)

    def precision(self, location: Location) -> Tracked:
        return self.values.precision(location), self.predicates.precision(location)

    def successor(self, before: State, step: Step, tracked: Tracked, precision: Tracked) -> State | None:
        values = self.values.successor(before[0], step, tracked[0], precision[0])
        if values is None:
            return None
        predicates = self.predicates.successor(before[1], step, tracked[1], precision[1])
        return None if predicates is None else (values, predicates)

    def refine(self, locations: Sequence[Location], tracked: Sequence[Tracked], refutation: Refutation) -> int | None:
        """Refines the analysis that the refutation is for. Values that cannot follow it, as they cannot follow one path
        through blocks, leave it to predicates.
        """
        if refutation.analysis is Analysis.VALUE:
            lacking = self.values.refine(locations, [variables for variables, _ in tracked], refutation)
            if lacking is not None:
                return lacking
        return self.predicates.refine(locations, [levels for _, levels in tracked], refutation)

    def tracked(self, state: State, precision: Tracked) -> tuple[Term, ...]:
        known = (eq(variable, value) for variable, value in state[0].items())
        return (*known, *self.predicates.tracked(state[1], precision[1]))


class ProductStates:
    """A set of states, by their values: a state is covered by those together that know the same values or fewer."""

    def __init__(self, predicates: PredicateDomain) -> None:
        self._predicates = predicates
        self._states = ByValues[Disjunction]()

    def add(self, state: State) -> None:
        self._at(state[0]).add(state[1])

    def remove(self, state: State) -> None:
        values, predicates = state
        here = self._at(values)
        here.remove(predicates)
        if here.together == NO:
            self._states.remove(values)

    def covers(self, state: State) -> bool:
        bdds = self._predicates.bdds
        together = reduce(bdds.disjunction, (one.together for one in self._states.weaker(state[0])), NO)
        return bdds.implies(state[1], together)

    def is_redundant(self, state: State) -> bool:
        values, predicates = state
        here = self._at(values)
        weaker = self._states.weaker(values)
        return any(one.is_redundant(predicates) if one is here else one.covers(predicates) for one in weaker)

    def formula(self) -> Term:
        return or_(*(and_(values, one.formula()) for values, one in self._states.items()))

    def unquantified(self) -> Term:
        return or_(*(and_(values, one.unquantified()) for values, one in self._states.items()))

    def _at(self, values: Values) -> Disjunction:
        return self._states.at(values, self._predicates.cover)
