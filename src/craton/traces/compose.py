"""The algebra of refiners. A composition of refiners is itself a refiner, so compositions nest freely."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, cast

from craton.processes.limits import Exceeded
from craton.processes.race import first_answer
from craton.processes.supervision import Done, Ended, Ending
from craton.registry import keyed_seconds, one_part, parts
from craton.traces.memory import NO_MEMORY, Entries, RunMemory
from craton.traces.perfect import quality
from craton.traces.refutation import USUAL_ALLOWANCE, Answer, GaveUp, Quality, Refiner, Refutation
from craton.traces.trace import Problem, Trace

Ask = Callable[[Refiner], Answer]


@dataclass(frozen=True, slots=True)
class Fallback(Refiner):
    """The first refiner that answers; a trace that comes back goes to the next one, as the last answer did not help.

    [NR] 4.3.
    """

    word: ClassVar[str] = "fallback"

    refiners: tuple[Refiner, ...] = parts(at_least=2)

    @property
    def allowance(self) -> float:
        return sum(refiner.allowance for refiner in self.refiners)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.asking(lambda refiner: refiner.refute(trace, memory), trace, memory)

    def asking(self, ask: Ask, problem: Problem, memory: RunMemory) -> Answer:
        """The same of any problem that refiners can be asked about."""
        reasons = []
        for number in _turns(self, problem, memory):
            answer = ask(self.refiners[number])
            if not isinstance(answer, GaveUp):
                _note(self, problem, number + 1, answer, memory)
                return answer
            reasons.append(f"{self.refiners[number].name}: {answer.reason}")
        return GaveUp("; ".join(reasons))


def _turns(refiner: Fallback | _Until, problem: Problem, memory: RunMemory) -> Iterator[int]:
    """The order in which to ask the refiners. A problem seen before starts with the refiner after the one that answered
    last; after the last refiner comes the first one again.
    """
    start = memory.recall(refiner, problem) or 0
    for turn in range(len(refiner.refiners)):
        yield (start + turn) % len(refiner.refiners)


def _note(refiner: Refiner, problem: Problem, entry: Any, answer: Answer, memory: RunMemory) -> None:
    """Remembers something about a problem, unless only one path through its blocks was refuted: when the problem comes
    back, it is with another path.
    """
    if not isinstance(answer, Refutation) or answer.along is None:
        memory.note(refiner, problem, entry)


@dataclass(frozen=True, slots=True)
class _Until(Refiner):
    """The first sequence that proves enough of its path program; if none does, the best one ([CN] 7.1)."""

    refiners: tuple[Refiner, ...] = parts(at_least=1)
    solver: str = "z3"
    time_limit: float | None = 1.0  # seconds for each Hoare triple of the test
    budget: float | None = 3.0  # seconds for all of them

    @property
    @abstractmethod
    def enough(self) -> Quality: ...

    @property
    def allowance(self) -> float:
        return sum(refiner.allowance + (self.budget or USUAL_ALLOWANCE) for refiner in self.refiners)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        checker = memory.solver(self.solver, self.time_limit)

        def rate(answer: Refutation) -> Quality:
            return quality(*answer.refuted(trace), checker, self.time_limit, self.budget)

        return self.asking(lambda refiner: refiner.refute(trace, memory), rate, trace, memory)

    def asking(self, ask: Ask, rate: Callable[[Refutation], Quality], problem: Problem, memory: RunMemory) -> Answer:
        """The same of any problem that refiners can be asked about, and whose refutations can be rated."""
        best: tuple[Quality, int, Refutation] | None = None
        reasons = []
        for number in _turns(self, problem, memory):
            answer = ask(self.refiners[number])
            if isinstance(answer, GaveUp):
                reasons.append(f"{self.refiners[number].name}: {answer.reason}")
            elif not isinstance(answer, Refutation):
                return answer
            else:
                found = rate(answer)
                if best is None or found > best[0]:
                    best = found, number, answer
                if found >= self.enough:
                    break
        if best is None:
            return GaveUp("; ".join(reasons))
        _note(self, problem, best[1] + 1, best[2], memory)
        return replace(best[2], quality=best[0])  # so statistics need not test it again


@dataclass(frozen=True, slots=True)
class UntilPerfect(_Until):
    """The first sequence that has a loop invariant for each loop of the path program; else the one that proves most.

    [CN] 7.1: perfect sequences.
    """

    word: ClassVar[str] = "until-perfect"

    @property
    def enough(self) -> Quality:
        return Quality.PERFECT


@dataclass(frozen=True, slots=True)
class UntilProving(_Until):
    """The first sequence that proves the whole path program, by one assertion for each location or by several; else one
    with a loop invariant; else the first.
    """

    word: ClassVar[str] = "until-proving"

    @property
    def enough(self) -> Quality:
        return Quality.PROVING


@dataclass(frozen=True, slots=True)
class UntilInductive(_Until):
    """The first sequence with a loop invariant, whether or not the start of the path leads to it; else the first."""

    word: ClassVar[str] = "until-inductive"

    budget: float | None = 0.3  # seconds for the test: no longer than another refutation takes

    @property
    def enough(self) -> Quality:
        return Quality.INDUCTIVE


@dataclass(frozen=True, slots=True)
class Memo(Refiner):
    """Remembers its answers."""

    word: ClassVar[str] = "memo"

    refiner: Refiner = one_part()

    @property
    def allowance(self) -> float:
        return self.refiner.allowance

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.asking(lambda refiner: refiner.refute(trace, memory), trace, memory)

    def asking(self, ask: Ask, problem: Problem, memory: RunMemory) -> Answer:
        known: Answer | None = memory.recall(self, problem)
        if known is None:
            known = ask(self.refiner)
            _note(self, problem, known, known, memory)
        return known


@dataclass(frozen=True, slots=True)
class Race(Refiner):
    """All at once, each in its own process; the first answer wins.

    The other processes are stopped. The winner's process ends too, so what it learned is returned with the answer.
    """

    word: ClassVar[str] = "race"

    refiners: tuple[Refiner, ...] = parts(at_least=2)
    time_limit: float | None = keyed_seconds(None)  # None: twice the allowance of the slowest refiner

    @property
    def allowance(self) -> float:
        return self.time_limit or 2 * max(refiner.allowance for refiner in self.refiners)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.asking(lambda refiner, branch: refiner.refute(trace, branch), memory)

    def asking(self, ask: Callable[[Refiner, RunMemory], Answer], memory: RunMemory) -> Answer:
        """The same of any problem that refiners can be asked about."""
        runs = [partial(_run, refiner, ask, memory) for refiner in self.refiners]
        reasons = []
        for number, ending in first_answer(runs, self.allowance, lambda said: not isinstance(said[0], GaveUp)):
            refiner = self.refiners[number]
            answer = _answer(ending, memory)
            if not isinstance(answer, GaveUp):
                return answer
            reasons.append(f"{refiner.name}: {answer.reason}")
        return GaveUp("; ".join(reasons))


def _run(refiner: Refiner, ask: Callable[[Refiner, RunMemory], Answer], memory: RunMemory) -> tuple[Answer, Entries]:
    """Runs in its own process: the answer, and what was learned on the way."""
    branch = memory.branch()
    try:
        answer = ask(refiner, branch)
    except Exception as error:
        answer = GaveUp(f"{type(error).__name__}: {error}")
    return answer, branch.learned


def _answer(ending: Ending, memory: RunMemory) -> Answer:
    """The answer of a finished run; what it learned is added to `memory`."""
    match ending:
        case Done((answer, learned)):
            memory.merge(learned)
            return cast(Answer, answer)
        case Ended(Exceeded()):
            return GaveUp("no answer in time")
        case _:
            return GaveUp("its process died")
