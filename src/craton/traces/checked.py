"""The law as a refiner: a refutation passes only if other solvers find no step that breaks it.

Engines do not need this, since their proofs are checked anyway; it is for people who write refiners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term
from craton.registry import keyed_seconds, one_part
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, GaveUp, Refiner, Refutation, hoare_triple
from craton.traces.trace import Trace

SOLVERS = ("bitwuzla", "cvc5", "z3")  # in turn, until one decides


@dataclass(frozen=True, slots=True)
class Checked(Refiner):
    """The answer of R, if other solvers find no step that breaks the law.

    A sequence that breaks it becomes GaveUp, which names the step. Steps that no solver decides are counted.
    """

    word: ClassVar[str] = "checked"

    refiner: Refiner = one_part()
    time_limit: float | None = keyed_seconds(5.0)  # for each step and solver

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        answer = self.refiner.refute(trace, memory)
        if not isinstance(answer, Refutation):
            return answer
        trace, assertions = answer.refuted(trace)
        triples = (hoare_triple(b, step, a) for step, (b, a) in zip(trace.steps, pairwise(assertions), strict=False))
        if len(assertions) != len(trace) + 1 or assertions[0] is not TRUE or assertions[-1] is not FALSE:
            return self._broken("the sequence does not run from true to false")

        def told(number: int) -> str:
            return f"step {number + 1} leads from {assertions[number]} to what is not {assertions[number + 1]}"

        return self.checking(answer, triples, memory, told)

    def checking(
        self, answer: Refutation, triples: Iterable[Term], memory: RunMemory, told: Callable[[int], str]
    ) -> Refutation | GaveUp:
        """The answer, if its triples hold as far as solvers can tell; `told` names one that does not."""
        undecided = 0
        for number, triple in enumerate(triples):
            holds = self._decide(triple, memory)
            if holds is False:
                return self._broken(told(number))
            undecided += holds is None
        return replace(answer, unchecked=undecided, by=self.name)

    def _broken(self, what: str) -> GaveUp:
        return GaveUp(f"{self.refiner.name} broke the law: {what}")

    def _decide(self, formula: Term, memory: RunMemory) -> bool | None:
        if formula is TRUE:
            return True
        for name in SOLVERS:
            try:
                verdict = memory.solver(name).is_valid(formula, self.time_limit)
            except MissingCapability:
                continue
            if verdict is not None:
                return verdict
        return None
