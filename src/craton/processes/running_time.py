"""The time that this process has had, and the clock that deadlines are on.

Whoever gives a process its turns (`processes/turns`) stops it and lets it go on. Limits inside of it are of the time in
which it could work, so everybody who has a deadline reads this clock and not the wall's. Where the limit of a run is
one of processor time, the clock counts that: on a machine with other work to do, everybody has the same time as on an
idle one.
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
_LOOK = 0.02  # seconds between two looks at the processor time of others

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
        self._others, self._waited = 0.0, _waited()
        self._used = time.process_time() + self._waited

    def now(self) -> float:
        wall, waited = unsuspended(), _waited()
        if wall - self._looked > _LOOK or waited != self._waited:  # what was waited for is nobody else's any more
            self._others, self._looked, self._waited = _of_descendants(), wall, waited
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
    return unsuspended() if _processor is None else _processor.now()


def differs_from_wall() -> bool:
    """Whether the clock may stand still while the wall's goes on."""
    return bool(_suspensions) or _processor is not None


def asked(question: Callable[[float | None], T], limit: float | None, is_answer: Callable[[T], bool]) -> T:
    """What somebody says whose own clock is the wall's, and runs on while this process is suspended or others have the
    processor: if that is why there is no answer, the question is asked again with the time that is left.
    """
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
