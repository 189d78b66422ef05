"""Predicate analysis: lazy abstraction over an abstract reachability graph (Henzinger, Jhala, Majumdar, Sutre 2002;
Beyer, Keremoglu, Wendler 2010).

A refutation's assertions become predicates at their locations. When nothing is left to unwind, the states at each
location are its invariant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown
from craton.engines.options import block_size
from craton.engines.predicate.abstraction import Abstracting
from craton.engines.predicate.domain import PredicateDomain
from craton.engines.predicate.precision import Kind
from craton.engines.reachability.domain import Laziness, Search
from craton.engines.reachability.precision import Sharing
from craton.engines.reachability.unwinding import Unwinding
from craton.engines.refinement import Refinement, Returning
from craton.program.blocks import BlockSize, Cut
from craton.program.cfa import Program
from craton.registry import keyed_choice, word_choice
from craton.traces.levels import Inside, Level
from craton.traces.refutation import Refiner


@dataclass(frozen=True, slots=True)
class PredicateAnalysis(Engine):
    """Predicate abstraction on a reachability graph, refined lazily."""

    word: ClassVar[str] = "predicate"

    refiner: Refiner
    solver: str = "z3"
    blocks: BlockSize = block_size(Cut.CASES)
    abstraction: Abstracting = word_choice(Abstracting.MIXED)
    sharing: Sharing = word_choice(Sharing.GLOBAL)
    refinement: Laziness = word_choice(Laziness.LAZY)
    predicates: Kind = word_choice(Kind.WHOLE)
    search: Search = word_choice(Search.WEIGHTED)
    level: Level = keyed_choice(Level.EDGE, "level", Level)  # BLOCK: whole blocks, unless the refiner looks inside

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        domain = PredicateDomain(self.solver, self.abstraction, self.sharing, self.predicates, program, budget)
        refiner = Inside(self.refiner, self.solver) if self.level is Level.EDGE else self.refiner
        refinement = Refinement(refiner, budget, Returning.POSSIBLE)
        unwinding = Unwinding(domain, refinement.refute, program, budget, self.refinement, self.search)
        try:
            return unwinding.run() or Safe(unwinding.invariants(self.solver), (self.solver,))
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")
