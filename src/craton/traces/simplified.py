"""Simplification and unification of assertions by an auxiliary solver ([CN] 7).

What a solver finds unsatisfiable is `false`, what it finds valid is `true`; conjuncts that follow from the others and
disjuncts that contradict them go. Assertions of a run that mean the same become one, the first of them, so engines have
fewer predicates. All this keeps the meaning; where the solver does not decide, an assertion stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, free_variables, iff, not_, ops, or_, size
from craton.registry import keyed_seconds, one_part
from craton.smt import Solver, Unsat
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import solver_name
from craton.traces.refutation import Answer, Refiner, Refutation
from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Simplified(Refiner):
    """The assertions of R, simplified by a solver; those that mean the same are one.

    [CN] 7.
    """

    word: ClassVar[str] = "simplified"

    refiner: Refiner = one_part()
    solver: str = solver_name()
    time_limit: float | None = keyed_seconds(2.0)  # for each question, as in the paper

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.simplifying(self.refiner.refute(trace, memory), memory)

    def simplifying(self, answer: Answer, memory: RunMemory) -> Answer:
        """The answer to any problem, with simpler assertions."""
        if not isinstance(answer, Refutation):
            return answer
        known: _Known = memory.recall(self, _RUN) or _Known()
        work = _Simplification(memory.solver(self.solver), self.time_limit, known)
        assertions = answer.assertions if answer.along is None else answer.along.assertions
        found = answer.with_assertions(tuple(map(work.simple, assertions)))
        memory.note(self, _RUN, known)
        return replace(found, by=self.name)


@dataclass(slots=True)
class _Known:
    """What was simplified during a run, and the first assertion of each meaning."""

    simple: dict[Term, Term] = field(default_factory=dict)
    representatives: dict[frozenset[Term], list[Term]] = field(default_factory=dict)  # by their variables


class _Run:
    """What the memory knows the run itself by."""

    @property
    def identity(self) -> str:
        return "all assertions of the run"


_RUN = _Run()


@dataclass(frozen=True, slots=True)
class _Simplification:
    solver: Solver
    time_limit: float | None
    known: _Known

    def simple(self, assertion: Term) -> Term:
        if assertion in (TRUE, FALSE):
            return assertion
        found = self.known.simple.get(assertion)
        if found is None:
            found = self.known.simple[assertion] = self._unified(self._simplified(assertion))
        return found

    def _simplified(self, assertion: Term) -> Term:
        if self._contradicts(assertion):
            return FALSE
        parts = list(conjuncts(assertion))
        for part in sorted(parts, key=lambda p: (-size(p), p.serial)):
            others = [other for other in parts if other is not part]
            if self._contradicts(*others, not_(part)):
                parts = others
        return and_(*(self._without_dead_cases(part, [p for p in parts if p is not part]) for part in parts))

    def _without_dead_cases(self, part: Term, others: Sequence[Term]) -> Term:
        if part.op is not ops.OR:
            return part
        return or_(*(case for case in part.args if not self._contradicts(*others, case)))

    def _unified(self, assertion: Term) -> Term:
        if assertion in (TRUE, FALSE):
            return assertion
        alike = self.known.representatives.setdefault(free_variables(assertion), [])
        for other in alike:
            if other is assertion or self._is_valid(iff(other, assertion)):
                return other
        alike.append(assertion)
        return assertion

    def _contradicts(self, *formulas: Term) -> bool:
        try:
            return isinstance(self.solver.check(*formulas, time_limit=self.time_limit), Unsat)
        except MissingCapability:
            return False

    def _is_valid(self, formula: Term) -> bool:
        return self._contradicts(not_(formula))
