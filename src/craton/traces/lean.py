"""Lean sequences: the part of another refiner's assertions that its proof needs.

A strongest postcondition says everything that is true along the core, and an assertion of ten conjuncts is ten
predicates to an engine. Backwards from `false`, each assertion keeps a minimal set of its conjuncts that imply the next
one. An equation keeps only one half where that is enough, since x ≤ 3 holds in more iterations of a loop than x = 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from craton.errors import MissingCapability
from craton.logic import (
    FALSE,
    INT,
    REAL,
    TRUE,
    BitVec,
    Term,
    and_,
    bvsle,
    bvule,
    conjuncts,
    is_quantified,
    le,
    not_,
    ops,
    size,
    substitute,
)
from craton.processes.running_time import running_time
from craton.registry import one_part
from craton.smt import Solver, minimal_core
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, Refiner, Refutation
from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Lean(Refiner):
    """The assertions of R, reduced to what its proof needs."""

    word: ClassVar[str] = "lean"

    refiner: Refiner = one_part()
    solver: str = "z3"
    time_limit: float | None = 2.0  # seconds, in addition to the other refiner's

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        answer = self.refiner.refute(trace, memory)
        if isinstance(answer, Refutation):
            trace, _ = answer.refuted(trace)
        return self.reducing(answer, map(_step_use(trace), range(len(trace) - 1, 0, -1)), memory)

    def reducing(self, answer: Answer, uses: Iterable[Use], memory: RunMemory) -> Answer:
        """The answer with smaller assertions, of any problem. Whoever uses an assertion is reduced before it."""
        if not isinstance(answer, Refutation):
            return answer
        solver = memory.solver(self.solver)
        end = None if self.time_limit is None else running_time() + self.time_limit
        found = list(answer.assertions if answer.along is None else answer.along.assertions)
        for use in uses:
            left = None if end is None else end - running_time()
            if left is not None and left <= 0:
                break
            found[use.assertion] = _enough(found[use.assertion], use, use.goal(found), solver, left)
        return replace(answer.with_assertions(tuple(found)), by=self.name)


@dataclass(frozen=True, slots=True)
class Use:
    """Where an assertion is used: together with `goal` it is a contradiction."""

    assertion: int
    goal: Callable[[Sequence[Term]], tuple[Term, ...]]  # from all assertions
    inserted: Callable[[Term], Term] = lambda part: part  # what a part of the assertion says there


def _step_use(trace: Trace) -> Callable[[int], Use]:
    def goal(i: int, assertions: Sequence[Term]) -> tuple[Term, ...]:
        step = trace.steps[i]
        return step.guard, not_(substitute(assertions[i + 1], step.updates))

    return lambda i: Use(i, partial(goal, i))


def _enough(before: Term, use: Use, goal: Sequence[Term], solver: Solver, limit: float | None) -> Term:
    """A part of an assertion that contradicts the goal; all of it if the solver finds no smaller one."""
    if before is TRUE or before is FALSE:
        return before
    if FALSE in goal:
        return TRUE
    # Deletion starts at the end of the list, so quantified and large conjuncts come last.
    parts = sorted(conjuncts(before), key=lambda part: (is_quantified(part), size(part), part.serial))
    needed = _subset(parts, use, goal, solver, limit)
    halves = [half for part in needed for half in _halves(part)]
    if len(halves) > len(needed):
        chosen = set(_subset(halves, use, goal, solver, limit))
        # Two or more halves become the equation again; a single half stays as it is.
        return and_(*(p for part in needed for p in _rejoined(part, [h for h in _halves(part) if h in chosen])))
    return and_(*needed)


def _subset(
    parts: Sequence[Term], use: Use, goal: Sequence[Term], solver: Solver, limit: float | None
) -> Sequence[Term]:
    try:
        with solver.scope():
            solver.add(*goal)
            found = minimal_core([use.inserted(part) for part in parts], solver, limit, limit)
    except MissingCapability:
        return parts
    return [parts[i] for i in found] if isinstance(found, tuple) else parts


def _halves(part: Term) -> tuple[Term, ...]:
    if part.op is not ops.EQ:
        return (part,)
    a, b = part.args
    if a.sort in (INT, REAL):
        return le(a, b), le(b, a)
    if isinstance(a.sort, BitVec) and a.sort.width > 1 and (a.is_value or b.is_value):
        return bvsle(a, b), bvsle(b, a), bvule(a, b), bvule(b, a)
    return (part,)


def _rejoined(part: Term, chosen: Sequence[Term]) -> Sequence[Term]:
    return (part,) if len(chosen) > 1 else chosen
