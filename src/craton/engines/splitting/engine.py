"""The loop: find an error path, refute it, split its nodes by the assertions; until none is left or one is feasible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown
from craton.engines.options import block_size
from craton.engines.refinement import Refinement, Returning
from craton.engines.splitting.graph import Graph, Link
from craton.engines.splitting.slicing import Slicer
from craton.logic import Term
from craton.program.blocks import BlockSize
from craton.program.cfa import Program
from craton.program.transitions import NoTransition
from craton.traces.refutation import Refiner, Refutation


@dataclass(frozen=True, slots=True)
class Splitting(Engine):
    """Splits the nodes of the program graph by assertions and cuts edges that cannot be taken."""

    word: ClassVar[str] = "splitting"

    refiner: Refiner
    solver: str = "z3"
    blocks: BlockSize = block_size()

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            return _Splitting(self, program, budget).run()
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")
        except NoTransition as problem:
            return Unknown(str(problem))


class _Splitting:
    def __init__(self, engine: Splitting, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.refinement = Refinement(engine.refiner, budget, Returning.IMPOSSIBLE)
        self.budget = budget
        self.graph = Graph(program, Slicer(engine.solver, budget), budget)
        self.predicates: set[Term] = set()

    def run(self) -> EngineAnswer:
        while True:
            self.budget.check()
            path = self.graph.error_path()
            if path is None:
                return Safe(self.graph.invariants(), (self.engine.solver,))
            verdict = self._refine(path)
            if verdict is not None:
                return verdict

    def _refine(self, path: Sequence[Link]) -> EngineAnswer | None:
        """None if the path is refuted and its nodes are split accordingly."""
        refutation = self.refinement.refute(self.graph.trace(path))
        if not isinstance(refutation, Refutation):
            return refutation
        self.predicates.update(refutation.assertions[1:-1])
        self.budget.statistics.predicates = len(self.predicates)
        with self.budget.statistics.spending("splitting"):
            changed = self.graph.refute(path, refutation)
        return None if changed else Unknown(f"no node of an error trace of {len(path)} steps can be split any more")
