"""Who has how much time: plain arithmetic on seconds, which no engine is needed to try.

None stands for no limit, throughout.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from craton.processes.family import available
from craton.processes.limits import Kind, Limits, least
from craton.processes.running_time import Ledger, counted, counting, counts_work, running_time, unsuspended, working
from craton.verdicts.text import Limit

_CONFIRM_SECONDS, _CONFIRM_SHARE = 3.0, 0.4  # for confirming one answer, of the time that is left
_FOR_STAGES = 0.75  # of the memory
# Seconds at the end of a run's time in which its processes end and it sums up.
_LAST_WORDS, _WORDS_SHARE, _MOST_WORDS = 0.3, 0.02, 1.0
_BEFORE, _BEFORE_SHARE, _MOST_BEFORE = 0.6, 0.05, 2.0  # the same of processor time


@dataclass(frozen=True, slots=True)
class Clock:
    """The time until a deadline: of `running_time`, and where that counts processor time, of wall time besides."""

    deadline: float | None
    wall_deadline: float | None = None

    @classmethod
    def lasting(cls, seconds: float | None) -> Clock:
        """From now on."""
        return cls(None if seconds is None else running_time() + seconds)

    @classmethod
    def within(cls, limits: Limits) -> Clock:
        """From now on. `running_time` counts processor time if there is a limit of that (see `counting`)."""
        if limits.cpu is None or counts_work():
            return cls.lasting(least(limits.wall, limits.cpu))
        return replace(
            cls.lasting(limits.cpu), wall_deadline=None if limits.wall is None else unsuspended() + limits.wall
        )

    @property
    def left(self) -> float | None:
        return least(self._left, self._wall_left)

    def left_for(self, jobs: int) -> float | None:
        """For the turns of so many who work at once, all together: processor time is shared by them."""
        if counted() is Kind.CPU:
            return least(self._left, _times(jobs, self._wall_left))
        return _times(jobs, self.left)

    @property
    def _left(self) -> float | None:
        return None if self.deadline is None else self.deadline - running_time()

    @property
    def _wall_left(self) -> float | None:
        return None if self.wall_deadline is None else self.wall_deadline - unsuspended()

    @property
    def is_over(self) -> bool:
        left = self.left
        return left is not None and left <= 0

    @property
    def reached(self) -> Limit | None:
        """The limit that was reached, if one was."""
        wall = self._wall_left
        if not self.is_over:
            return None
        return Limit.CPU if counted() is Kind.CPU and (wall is None or wall > 0) else Limit.WALL

    def part(self, seconds: float | None) -> Clock:
        """A clock of so many seconds from now on that ends no later than this one."""
        return replace(self, deadline=least(self.deadline, Clock.lasting(seconds).deadline))


@dataclass(slots=True)
class Patience:
    """How long others wait until an answer is confirmed, if they do not wait as long as it takes; and whether that was
    too short for some answer.
    """

    until: float | None = None
    was_too_short: bool = False

    @property
    def left(self) -> float | None:
        return None if self.until is None else max(0.0, self.until - running_time())

    def begin(self, seconds: float | None) -> None:
        self.until = None if seconds is None else running_time() + seconds
        self.was_too_short = False

    def note_undecided(self, *, hurried: bool) -> None:
        """Something could not be decided: perhaps for want of time, also if it was given a part of what there is."""
        self.was_too_short |= self.until is not None and (hurried or self.left == 0.0)


def _times(jobs: int, seconds: float | None) -> float | None:
    return None if seconds is None else jobs * seconds


def time_of(limits: Limits, *, deterministic: bool) -> AbstractContextManager[None]:
    """Meanwhile times are those that a run within these limits counts: work, if it is to be deterministic."""
    return working(Ledger()) if deterministic else counting(limits.time)


def own_limits(limits: Limits) -> Limits:
    """When a run stops by itself, so that it has something to say before one of its limits ends it. Of processor time
    it has used some before it begins to count; and too little to have words left is no concern of its own.
    """
    cpu = limits.cpu
    if cpu is not None:
        own = cpu - min(_MOST_BEFORE, max(_BEFORE, _BEFORE_SHARE * cpu))
        cpu = own if own > 0.5 else None
    return replace(limits, wall=own_limit(limits.wall), cpu=cpu)


def own_limit(limit: float | None) -> float | None:
    return limit if limit is None or limit <= 1 else limit - min(_MOST_WORDS, max(_LAST_WORDS, _WORDS_SHARE * limit))


def equal_part(left: float | None, attempts: int) -> float | None:
    """For the next of so many attempts that are alike."""
    return None if left is None else left / attempts


def time_to_confirm(left: float | None) -> float | None:
    """Not all of what is left, since another stage may find an answer that is easier to confirm."""
    return None if left is None else min(left, max(_CONFIRM_SECONDS, _CONFIRM_SHARE * left))


def for_stages(memory: int | None) -> int | None:
    """Of the bytes that a run may have, or that the machine has if nobody says, those for the stages that take turns.
    The rest is for reading the program and for confirming an answer.
    """
    if memory is None:
        memory = available()
    return None if memory is None else int(_FOR_STAGES * memory)
