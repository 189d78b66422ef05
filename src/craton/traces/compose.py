"""Refiners made of refiners: the algebra.

A composition is a refiner itself, so anything can stand anywhere. Those that remember traces keep their memory for one
program: make a new one for the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from craton.processes.limits import Exceeded
from craton.processes.race import first_answer
from craton.processes.supervision import Done, Ended, Ending
from craton.program.cfa import Edge
from craton.smt import Solver, make_solver
from craton.traces.perfect import Quality, quality
from craton.traces.prefixes import Sliced
from craton.traces.refutation import Answer, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace

Seen = dict[tuple[Edge, ...], int]


@dataclass(slots=True)
class Fallback:
    """The first refiner that answers.

    A trace that comes back goes to the next one: the last answer did not help ([NR] 4.3).
    """

    refiners: tuple[Refiner, ...]
    _seen: Seen = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return f"fallback({', '.join(r.name for r in self.refiners)})"

    def refute(self, trace: Trace) -> Answer:
        start = self._seen.get(trace.edges, 0)
        reasons = []
        # When every refiner has had its turn, it is the first one's again.
        for turn in range(len(self.refiners)):
            number = (start + turn) % len(self.refiners)
            answer = self.refiners[number].refute(trace)
            if not isinstance(answer, GaveUp):
                self._seen[trace.edges] = number + 1
                return answer
            reasons.append(f"{self.refiners[number].name}: {answer.reason}")
        return GaveUp("; ".join(reasons))


@dataclass(slots=True)
class UntilPerfect:
    """The first perfect sequence; if none is perfect, the first with a loop invariant; else the first one ([CN] 7.1).

    With `enough` at INDUCTIVE, a loop invariant is enough to stop. A trace that comes back skips what it got.
    """

    refiners: tuple[Refiner, ...]
    enough: Quality = Quality.PERFECT
    solver: str = "z3"
    time_limit: float | None = 1.0  # seconds for each Hoare triple of the test
    budget: float | None = 3.0  # seconds for all of them
    _seen: Seen = field(default_factory=dict, repr=False)
    _checker: Solver | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return f"until-{self.enough.name.lower()}({', '.join(r.name for r in self.refiners)})"

    def refute(self, trace: Trace) -> Answer:
        if self._checker is None:
            self._checker = make_solver(self.solver, time_limit=self.time_limit)
        start = self._seen.get(trace.edges, 0)
        best: tuple[Quality, int, Refutation] | None = None
        reasons = []
        for turn in range(len(self.refiners)):
            number = (start + turn) % len(self.refiners)
            answer = self.refiners[number].refute(trace)
            if isinstance(answer, GaveUp):
                reasons.append(f"{self.refiners[number].name}: {answer.reason}")
            elif not isinstance(answer, Refutation):
                return answer
            else:
                found = quality(trace, answer.assertions, self._checker, self.time_limit, self.budget)
                if best is None or found > best[0]:
                    best = found, number, answer
                if found >= self.enough:
                    break
        if best is None:
            return GaveUp("; ".join(reasons))
        self._seen[trace.edges] = best[1] + 1
        return _tested(best[2], perfect=best[0] is Quality.PERFECT)


def _tested(refutation: Refutation, *, perfect: bool) -> Refutation:
    """With a note for those who count perfect sequences, so that they need not test again."""
    return replace(refutation, notes={**refutation.notes, "perfect": perfect})


@dataclass(slots=True)
class Memo:
    """Answers a trace that it has seen with what it said then."""

    refiner: Refiner
    _answers: dict[tuple[Edge, ...], Answer] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return f"memo({self.refiner.name})"

    def refute(self, trace: Trace) -> Answer:
        if trace.edges not in self._answers:
            self._answers[trace.edges] = self.refiner.refute(trace)
        return self._answers[trace.edges]


@dataclass(slots=True)
class Race:
    """All at once, each in a process of its own: the first answer wins, the others are ended.

    The winner's process ends too, so what the refiners in it remember of the trace is sent back with the answer.
    """

    refiners: tuple[Refiner, ...]
    time_limit: float | None = None  # None: what the slowest runner allows itself, and as much again

    @property
    def name(self) -> str:
        limit = [] if self.time_limit is None else [f"time={self.time_limit:g}"]
        return f"race({', '.join([r.name for r in self.refiners] + limit)})"

    def refute(self, trace: Trace) -> Answer:
        limit = self.time_limit if self.time_limit is not None else 2 * max(map(allowance, self.refiners))
        runs = [partial(_run, refiner, trace) for refiner in self.refiners]
        reasons = []
        for number, ending in first_answer(runs, limit, lambda said: not isinstance(said[0], GaveUp)):
            refiner = self.refiners[number]
            answer = _answer(refiner, trace, ending)
            if not isinstance(answer, GaveUp):
                return answer
            reasons.append(f"{refiner.name}: {answer.reason}")
        return GaveUp("; ".join(reasons))


_USUAL_ALLOWANCE = 60.0


def allowance(refiner: Refiner) -> float:
    """How many seconds a refiner allows itself; a usual number for those that do not say."""
    match refiner:
        case Race(time_limit=float(limit)):
            return limit
        case Race(refiners=runners):
            return 2 * max(map(allowance, runners))
        case Fallback(refiners=members):
            return sum(map(allowance, members))
        case Sliced(refiners=members, time_limit=limit):
            return (limit or _USUAL_ALLOWANCE) + max(map(allowance, members))
        case UntilPerfect(refiners=members, budget=budget):
            return sum(allowance(member) + (budget or _USUAL_ALLOWANCE) for member in members)
    own, inner = getattr(refiner, "time_limit", None), getattr(refiner, "refiner", None)
    if inner is not None:
        return allowance(inner) + (own or 0.0)
    return own if isinstance(own, float) else _USUAL_ALLOWANCE


def _memories(refiner: Refiner) -> Iterator[dict[tuple[Edge, ...], Any]]:
    """Of the refiner and all those in it, always in the same order."""
    match refiner:
        case Fallback(_seen=memory) | UntilPerfect(_seen=memory) | Memo(_answers=memory):
            yield memory
    for inner in (*getattr(refiner, "refiners", ()), *filter(None, [getattr(refiner, "refiner", None)])):
        yield from _memories(inner)


def _run(refiner: Refiner, trace: Trace) -> tuple[Answer, list[Any]]:
    """In a process of its own: the answer, and what the refiners remember of the trace."""
    try:
        answer = refiner.refute(trace)
    except Exception as error:
        answer = GaveUp(f"{type(error).__name__}: {error}")
    return answer, [memory.get(trace.edges) for memory in _memories(refiner)]


def _answer(refiner: Refiner, trace: Trace, ending: Ending) -> Answer:
    """What came of a run; what it remembers is now remembered here."""
    match ending:
        case Done((answer, remembered)):
            for memory, entry in zip(_memories(refiner), remembered, strict=False):
                if entry is not None:
                    memory[trace.edges] = entry
            return cast(Answer, answer)
        case Ended(Exceeded()):
            return GaveUp("no answer in time")
        case _:
            return GaveUp("its process died")
