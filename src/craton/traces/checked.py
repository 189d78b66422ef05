"""The law as a refiner: a refutation passes only if other solvers find no step that breaks it.

Engines do not need it, since their proofs are checked; whoever writes a refiner does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term
from craton.smt import Solver, make_solver
from craton.traces.refutation import Answer, GaveUp, Refiner, Refutation, hoare_triple
from craton.traces.trace import Trace

SOLVERS = ("bitwuzla", "cvc5", "z3")  # in turn, until one decides
USUAL_SECONDS = 5.0


@dataclass(slots=True)
class Checked:
    """A sequence that breaks the law becomes GaveUp, which says where. How many steps nobody decides is noted."""

    refiner: Refiner
    time_limit: float | None = USUAL_SECONDS  # for each step and solver
    _solvers: dict[str, Solver] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        usual = self.time_limit is None or self.time_limit == USUAL_SECONDS
        return f"checked({self.refiner.name}{'' if usual else f', time={self.time_limit:g}'})"

    def refute(self, trace: Trace) -> Answer:
        answer = self.refiner.refute(trace)
        if not isinstance(answer, Refutation):
            return answer
        assertions = answer.assertions
        if len(assertions) != len(trace) + 1 or assertions[0] is not TRUE or assertions[-1] is not FALSE:
            return self._broken("the sequence does not run from true to false")
        undecided = 0
        for number, (step, (before, then)) in enumerate(zip(trace.steps, pairwise(assertions), strict=True)):
            holds = self._decide(hoare_triple(before, step, then))
            if holds is False:
                return self._broken(f"step {number + 1} leads from {before} to what is not {then}")
            undecided += holds is None
        return replace(answer, notes={**answer.notes, "unchecked steps": undecided}, by=self.name)

    def _broken(self, what: str) -> GaveUp:
        return GaveUp(f"{self.refiner.name} broke the law: {what}")

    def _decide(self, formula: Term) -> bool | None:
        if formula is TRUE:
            return True
        for name in SOLVERS:
            if name not in self._solvers:
                self._solvers[name] = make_solver(name)
            try:
                verdict = self._solvers[name].is_valid(formula, self.time_limit)
            except MissingCapability:
                continue
            if verdict is not None:
                return verdict
        return None
