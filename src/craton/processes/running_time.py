"""The time that this process has had, and the clock that deadlines are on.

Whoever gives a process its turns (`processes/turns`) stops it and lets it go on. Limits inside of it are of the time in
which it could work, so everybody who has a deadline reads this clock and not the wall's. Where the limit of a run is
one of processor time, the clock counts that: on a machine with other work to do, everybody has the same time as on an
idle one.

For experiments the clock can count work instead, which is the same in every run: each question to a solver has a price,
each round of an engine's loop has, and what solvers may use for a question is limited by their own counts of what they
do. A second of work is about one of a processor, not more.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from craton.processes.limits import Kind

_SECONDS = struct.Struct("d")
_WORTH_ASKING = 0.01  # seconds
_SLOWEST = 20  # a clock of processor time is at most so many times slower than the wall's: who sleeps has a limit, too
_QUESTION = 0.002  # seconds of work: a question to a solver that it answers
_UNTIL_STOPPED = 0.002  # seconds between two looks whether more is allowed
# Seconds between two looks at the processor time of others: between these, so that looking takes no larger share.
_LOOK, _LONGEST_LOOK, _LOOKING = 0.02, 0.25, 0.01

T = TypeVar("T")


class Suspensions:
    """How long a process and its descendants have been suspended, in memory that they share with whoever does it.

    It is written while they stand still, so nobody reads half a number.
    """

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _SECONDS.size)

    @property
    def seconds(self) -> float:
        told: float = _SECONDS.unpack_from(self._shared)[0]
        return told

    def add(self, seconds: float) -> None:
        _SECONDS.pack_into(self._shared, 0, self.seconds + seconds)


_suspensions: tuple[Suspensions, ...] = ()  # of this process: by its parent, by the parent of that, …


@contextmanager
def told_by(suspensions: Suspensions) -> Iterator[None]:
    """Meanwhile this process, and those that it forks, are suspended as told there, too."""
    global _suspensions
    before = _suspensions
    _suspensions = (*before, suspensions)
    try:
        yield
    finally:
        _suspensions = before


def suspended() -> float:
    """The seconds that this process has been suspended so far."""
    return sum(each.seconds for each in _suspensions)


def unsuspended() -> float:
    """Wall time without that in which this process was suspended. Only differences mean something."""
    return time.monotonic() - suspended() if _suspensions else time.monotonic()


def slowed(used: float, wall: float) -> float:
    """Of a process that has used so much processor time: what counts."""
    return max(used, wall / _SLOWEST)


class _ProcessorClock:
    """Processor time of this process and of its descendants, as it passes from now on."""

    def __init__(self) -> None:
        self._shown = 0.0
        self.begin_anew()

    def begin_anew(self) -> None:
        """In a process that was just forked: it has used nothing, and its clock goes on from what its parent's says."""
        self._wall = self._looked = unsuspended()
        self._others, self._waited, self._pause = 0.0, _waited(), _LOOK
        self._used = time.process_time() + self._waited

    def now(self) -> float:
        wall, waited = unsuspended(), _waited()
        if wall - self._looked > self._pause or waited != self._waited:  # what was waited for is nobody else's any more
            before = time.thread_time()
            self._others, self._looked, self._waited = _of_descendants(), wall, waited
            self._pause = min(_LONGEST_LOOK, max(_LOOK, (time.thread_time() - before) / _LOOKING))
        used = time.process_time() + waited + self._others
        self._shown += max(0.0, slowed(used - self._used, wall - self._wall))
        self._used, self._wall = used, wall
        return self._shown


def _waited() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _of_descendants() -> float:
    from craton.processes.family import family, figures

    _, *others = family(os.getpid())
    return sum(figures(member).cpu for member in others)


class Ledger:
    """Work that was done, and up to which amount it is allowed, in memory shared with whoever allows it. Who has used
    up what is allowed waits, at the same place in every run.
    """

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 2 * _SECONDS.size)
        self.allow(float("inf"))

    @property
    def used(self) -> float:
        told: float = _SECONDS.unpack_from(self._shared)[0]
        return told

    @property
    def left(self) -> float:
        allowed: float = _SECONDS.unpack_from(self._shared, _SECONDS.size)[0]
        return allowed - self.used

    def allow(self, seconds: float) -> None:
        _SECONDS.pack_into(self._shared, _SECONDS.size, seconds)

    def spend(self, seconds: float) -> None:
        _SECONDS.pack_into(self._shared, 0, self.used + seconds)
        while self.left <= 0:
            time.sleep(_UNTIL_STOPPED)  # whoever gives the turns stops it soon, and allows more before it goes on


_ledger: Ledger | None = None  # None: work is not counted


@contextmanager
def working(ledger: Ledger) -> Iterator[None]:
    """Meanwhile the clock of this process, and of those that it forks, counts the work in the ledger."""
    global _ledger
    before = _ledger
    _ledger = ledger
    try:
        yield
    finally:
        _ledger = before


def counts_work() -> bool:
    return _ledger is not None


def spend(seconds: float) -> None:
    """Some work was done, if that is counted."""
    if _ledger is not None:
        _ledger.spend(seconds)


_processor: _ProcessorClock | None = None  # None: the clock counts wall time


@contextmanager
def counting(kind: Kind) -> Iterator[None]:
    """Meanwhile the clock of this process, and of those that it forks, counts wall or processor time."""
    global _processor
    before = _processor
    _processor = _ProcessorClock() if kind is Kind.CPU else None
    try:
        yield
    finally:
        _processor = before


def counted() -> Kind:
    """What the clock counts."""
    return Kind.WALL if _processor is None else Kind.CPU


def begin_process() -> None:
    """To be called in a process that was just forked."""
    if _processor is not None:
        _processor.begin_anew()


def running_time() -> float:
    """Seconds on a clock that stands still while this process is suspended. Only differences mean something."""
    if _ledger is not None:
        return _ledger.used
    return unsuspended() if _processor is None else _processor.now()


def time_for_others() -> float:
    """The same clock for who waits for others' work: where work is counted it is not that of who waits."""
    return unsuspended() if _ledger is not None else running_time()


def differs_from_wall() -> bool:
    """Whether the clock may stand still while the wall's goes on."""
    return bool(_suspensions) or _processor is not None or _ledger is not None


def asked(question: Callable[[float | None], T], limit: float | None, is_answer: Callable[[T], bool]) -> T:
    """What somebody says whose own clock is the wall's, and runs on while this process is suspended or others have the
    processor: if that is why there is no answer, the question is asked again with the time that is left.
    """
    if _ledger is not None:
        return _asked_by_work(_ledger, question, limit, is_answer)
    if limit is None:
        return question(None)
    pace = 1.0  # seconds of wall time for one of ours, where it is not suspended
    while True:
        wall, begun, before = time.monotonic(), running_time(), suspended()
        found = question(limit * pace)
        used = running_time() - begun
        lost = time.monotonic() - wall - used
        if lost < _WORTH_ASKING or is_answer(found):
            return found
        if used + lost < limit * pace or limit - used < _WORTH_ASKING:  # it gave up by itself, or its time is over
            return found
        limit -= used
        pace = _pace(used, used + lost - (suspended() - before))


def _pace(used: float, wall: float) -> float:
    return 1.0 if used <= 0 else min(float(_SLOWEST), max(1.0, wall / used))


def _asked_by_work(
    ledger: Ledger, question: Callable[[float | None], T], limit: float | None, is_answer: Callable[[T], bool]
) -> T:
    """The answer has a price; who has none by the end of its turn is asked again in the next one, which is longer."""
    while True:
        turn = ledger.left
        allowed = turn if limit is None else min(limit, turn)
        found = question(None if allowed == float("inf") else allowed)
        if is_answer(found) or allowed < turn or allowed == float("inf"):
            ledger.spend(_QUESTION if is_answer(found) else max(_QUESTION, allowed if allowed < turn else 0.0))
            return found
        ledger.spend(turn)
        if limit is not None:
            limit -= turn
            if limit < _WORTH_ASKING:
                return found
