"""Checks a family of processes from time to time: its peak usage, and whether it stays within its limits."""

from __future__ import annotations

import math
import select
import time
from collections.abc import Iterable
from enum import Enum, auto

from craton.processes.family import family, figures, memory
from craton.processes.limits import NOTHING, Exceeded, Kind, Limits, Usage
from craton.processes.running_time import time_for_others

_AFTER = 0.001  # seconds after a limit, to be sure that it is over
GLANCE = 0.05  # seconds between two checks …
_LOOKING = 0.01  # … or more, so that checking takes no larger share of the time, …
_LONGEST = 0.25  # … but not more than this

# Shares of the time that measuring memory may take: to know the peak, and when a limit may be exceeded.
_SHARE = 0.003
_SHARE_AT_LIMIT = 0.25


class Scope(Enum):
    """Which processes are watched: a process with its descendants, with whoever watches besides, or only its
    descendants.
    """

    FAMILY = auto()
    FAMILY_AND_WATCHER = auto()
    DESCENDANTS = auto()


class Watch:
    """A family under limits. `peak` is the most it has used.

    The resident size is checked every time. It is an upper bound of the memory used: only when it is above the peak is
    the memory measured (see `family.memory`), and only so often that measuring takes a small share of the time.
    """

    def __init__(
        self,
        pid: int,
        limits: Limits,
        *,
        started: float | None = None,
        scope: Scope = Scope.FAMILY,
        most_processes: int | None = None,
    ) -> None:
        self.pid = pid
        self.limits = limits
        self.scope = scope
        self.most_processes = most_processes
        self.started = time_for_others() if started is None else started
        self.peak = NOTHING
        self._watcher = time.thread_time()  # what the watcher had used before
        self._pause = GLANCE
        self._looked = self.started
        self._measured = self.started  # when the memory was last measured …
        self._cost = 0.0  # … and the processor time it took

    @property
    def due(self) -> bool:
        """Whether the last check was long enough ago, or the time is over."""
        return time_for_others() - self._looked >= self._pause or self.left < 0

    @property
    def left(self) -> float:
        """Seconds of wall time until the limit."""
        limit = self.limits.wall
        return math.inf if limit is None else self.started + limit - time_for_others()

    @property
    def next(self) -> float:
        """Seconds until somebody should glance at it: short limits are to be kept, too."""
        return min(GLANCE, max(0.0, self.left) + _AFTER)

    def glance(self) -> Exceeded | None:
        """Checks, if a check is due."""
        return self.look() if self.due else None

    def look(self) -> Exceeded | None:
        """Checks now: the limit that is exceeded, if any."""
        self._looked = time_for_others()
        members = self._take_figures()
        exceeded = self.limits.exceeded(self._looked - self.started, self.peak)
        if exceeded is None and self.most_processes is not None and len(members) > self.most_processes:
            return Exceeded(Kind.PROCESSES, self.most_processes)
        return exceeded

    def last_look(self) -> Usage:
        """The peak at the end of the work, measured regardless of the cost."""
        self._cost = 0.0
        self.look()
        return self.peak

    def _take_figures(self) -> list[int]:
        """Updates the peak; returns the watched processes."""
        begun = time.thread_time()
        first, *descendants = family(self.pid)
        leader, others = figures(first), [figures(member) for member in descendants]
        self._pause = min(_LONGEST, max(GLANCE, (time.thread_time() - begun) / _LOOKING))
        cpu = leader.waited + sum(one.cpu for one in others)
        resident = sum(one.resident for one in others)
        members = descendants
        if self.scope is not Scope.DESCENDANTS:
            cpu, resident, members = cpu + leader.own, resident + leader.resident, [first, *descendants]
        if self.scope is Scope.FAMILY_AND_WATCHER:
            cpu += time.thread_time() - self._watcher
        used = self._measure(members) if resident > self.peak.memory and self._affordable(resident) else 0
        self.peak = Usage(max(cpu, self.peak.cpu), max(used, self.peak.memory))
        return members

    def _affordable(self, resident: int) -> bool:
        limit = self.limits.memory
        share = _SHARE if limit is None or resident <= limit else _SHARE_AT_LIMIT
        return self._cost <= share * (self._looked - self._measured)

    def _measure(self, members: list[int]) -> int:
        before = time.thread_time()
        used = memory(members)
        self._cost = time.thread_time() - before
        self._measured = self._looked
        return used


def readable(streams: Iterable[int | None], seconds: float) -> list[int]:
    """The file descriptors that are readable or at their end; waits for one for at most `seconds`."""
    poll = select.poll()
    for stream in streams:
        if stream is not None:
            poll.register(stream, select.POLLIN)
    return [stream for stream, _ in poll.poll(max(0.0, seconds) * 1000)]
