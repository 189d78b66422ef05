"""Limits, and which of them was exceeded: as a value, from which the message for the user is derived."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

_PATIENCE = 20  # seconds of wall time for one of counted work


class Kind(StrEnum):
    """What is limited. The values are also written to files."""

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"
    PROCESSES = "processes"


@dataclass(frozen=True, slots=True)
class Usage:
    """What a family has used: processor seconds, and bytes of memory, where shared pages count once."""

    cpu: float
    memory: int


NOTHING = Usage(0.0, 0)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A limit that was exceeded, in seconds, bytes or processes."""

    kind: Kind
    limit: float

    def __str__(self) -> str:
        match self.kind:
            case Kind.WALL:
                return f"time limit of {self.limit:g} s reached"
            case Kind.CPU:
                return f"processor time limit of {self.limit:g} s reached"
            case Kind.MEMORY:
                return f"memory limit of {self.limit / 2**20:.0f} MiB reached"
            case Kind.PROCESSES:
                return f"more than {self.limit:.0f} processes at once"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a family may use; None means no limit."""

    wall: float | None = None  # seconds
    cpu: float | None = None  # seconds
    memory: int | None = None  # bytes

    @property
    def time(self) -> Kind:
        """The time that those who work within the limits count: processor time, if that is limited."""
        return Kind.WALL if self.cpu is None else Kind.CPU

    @property
    def of_counted_work(self) -> Limits:
        """Where limits of time are of counted work: from outside, wall time is only for what hangs."""
        return self if self.wall is None else replace(self, wall=_PATIENCE * self.wall)

    def exceeded(self, wall: float, used: Usage) -> Exceeded | None:
        """The first limit that was exceeded."""
        for kind, limit, now in (
            (Kind.WALL, self.wall, wall),
            (Kind.CPU, self.cpu, used.cpu),
            (Kind.MEMORY, self.memory, used.memory),
        ):
            if limit is not None and now > limit:
                return Exceeded(kind, limit)
        return None


def least(*seconds: float | None) -> float | None:
    """The strictest of some limits."""
    return min((limit for limit in seconds if limit is not None), default=None)
