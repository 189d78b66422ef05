"""The loop: find an error path, refute it, split its nodes by the assertions; until none is left or one is feasible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.engines.contract import Budget, OutOfTime, Safe, Unknown, Verdict
from craton.engines.refining import refute
from craton.engines.splitting.graph import Graph, Link
from craton.engines.splitting.slicing import Slicer, Step
from craton.logic import Term
from craton.program.cfa import Program
from craton.program.transitions import NoTransition
from craton.traces.refutation import Refiner, Refutation


@dataclass(frozen=True, slots=True)
class Splitting:
    refiner: Refiner
    solver: str = "z3"
    blocks: int | None = None

    @property
    def name(self) -> str:
        return f"splitting({self.refiner.name})"

    def run(self, program: Program, budget: Budget) -> Verdict:
        try:
            return _Run(self, program, budget).run()
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")
        except NoTransition as problem:
            return Unknown(str(problem))


class _Run:
    def __init__(self, engine: Splitting, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.refiner = engine.refiner
        self.budget = budget
        self.graph = Graph(program, Slicer(engine.solver, budget), budget)
        self.refuted: dict[tuple[Step, ...], Refutation] = {}  # a trace may come back through other nodes
        self.predicates: set[Term] = set()

    def run(self) -> Verdict:
        while True:
            self.budget.check()
            path = self.graph.error_path()
            if path is None:
                return Safe(self.graph.invariants(), (self.engine.solver,))
            verdict = self._refine(path)
            if verdict is not None:
                return verdict

    def _refine(self, path: Sequence[Link]) -> Verdict | None:
        """None if the path is refuted and its nodes are split accordingly."""
        steps = tuple(link.step for link in path)
        refutation = self.refuted.get(steps)
        if refutation is None:
            trace = self.graph.trace(path)
            answer = refute(self.refiner, trace, self.budget)
            if not isinstance(answer, Refutation):
                return answer
            refutation = self.refuted[steps] = answer
        self.predicates.update(refutation.assertions[1:-1])
        self.budget.statistics.predicates = len(self.predicates)
        with self.budget.statistics.spending("splitting"):
            changed = self.graph.refute(path, refutation)
        return None if changed else Unknown(f"no node of an error trace of {len(path)} steps can be split any more")
