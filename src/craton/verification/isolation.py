"""Work in processes of its own, as the spine wants it: a solver that hangs or dies costs its own share only."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from craton.errors import CratonError
from craton.processes.limits import Limits
from craton.processes.supervision import Ended, Failed, Report, supervise
from craton.verdicts.text import Limit

__all__ = ["NotDone", "Report", "limit_reached", "within"]

T = TypeVar("T")

_GRACE = 0.5  # seconds for an engine to notice that its time is over


@dataclass(frozen=True, slots=True)
class NotDone:
    """Work that came to nothing, and why."""

    reason: str
    limit: Limit | None = None


def within(
    seconds: float | None, work: Callable[[Report], T], heard: Callable[[Any], None] = lambda content: None
) -> T | NotDone:
    """What the work returns, unless it fails or does not end in time."""
    limits = Limits(None if seconds is None else max(0.0, seconds) + _GRACE)
    begun = time.monotonic()
    ending = supervise(work, limits, heard)
    if isinstance(ending, Ended):
        return NotDone(ending.reason, limit_reached(ending, limits, time.monotonic() - begun))
    if isinstance(ending, Failed):
        known = isinstance(ending.error, CratonError)
        return NotDone(str(ending.error) if known else f"internal error: {ending.error!r}, please report it")
    value: T = ending.value
    return value


def limit_reached(ended: Ended, limits: Limits, wall: float) -> Limit | None:
    """Which limit was the cause that work was ended after so many seconds; None if it died or was interrupted."""
    if limits.cpu is not None and ended.usage.cpu > limits.cpu:
        return Limit.CPU
    if limits.memory is not None and ended.usage.memory > limits.memory:
        return Limit.MEMORY
    return Limit.WALL if limits.wall is not None and wall > limits.wall else None
