"""The time that this process has had: wall time, without the time in which it was suspended.

Whoever gives a process its turns (`processes/turns`) stops it and lets it go on. Limits inside of it are of the time in
which it could work, so everybody who has a deadline reads this clock and not the wall's.
"""

from __future__ import annotations

import mmap
import struct
import time
from collections.abc import Callable
from typing import TypeVar

_SECONDS = struct.Struct("d")
_WORTH_ASKING = 0.01  # seconds

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


_suspensions: Suspensions | None = None  # of this process; None: nobody suspends it


def are_told_by(suspensions: Suspensions | None) -> None:
    """From now on this process, and those that it forks, are suspended as told there."""
    global _suspensions
    _suspensions = suspensions


def can_be_suspended() -> bool:
    return _suspensions is not None


def suspended() -> float:
    """The seconds that this process has been suspended so far."""
    return 0.0 if _suspensions is None else _suspensions.seconds


def running_time() -> float:
    """Seconds on a clock that stands still while this process is suspended. Only differences mean something."""
    return time.monotonic() if _suspensions is None else time.monotonic() - _suspensions.seconds


def asked(question: Callable[[float | None], T], limit: float | None, is_answer: Callable[[T], bool]) -> T:
    """What somebody says whose own clock is the wall's, and runs on while this process is suspended: if that is why
    there is no answer, the question is asked again with the time that is left.
    """
    while True:
        before, begun = suspended(), running_time()
        found = question(limit)
        lost = suspended() - before
        if not lost or limit is None or is_answer(found):
            return found
        used = running_time() - begun
        if used + lost < limit or limit - used < _WORTH_ASKING:  # it gave up by itself, or its time is really over
            return found
        limit -= used
