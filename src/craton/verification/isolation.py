"""Work in processes of its own, as the spine wants it: a solver that hangs or dies costs its own share only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from craton.errors import CratonError, bug
from craton.processes.limits import Exceeded, Limits
from craton.processes.running_time import counts_work
from craton.processes.supervision import Done, Ended, Ending, Failed, Report, supervise
from craton.verdicts.text import Limit

__all__ = ["GRACE", "NotDone", "Report", "limit_reached", "value_of", "within"]

T = TypeVar("T")

GRACE = 0.5  # seconds for an engine to notice that its time is over


@dataclass(frozen=True, slots=True)
class NotDone:
    """Work that came to nothing, and why."""

    reason: str
    limit: Limit | None = None


def within(
    seconds: float | None, work: Callable[[Report], T], heard: Callable[[Any], None] = lambda content: None
) -> T | NotDone:
    """What the work returns, unless it fails or does not end in time. Where work is counted it has to end by itself:
    when the wall's clock would end it depends on the machine.
    """
    limits = Limits(None if seconds is None or counts_work() else max(0.0, seconds) + GRACE)
    found: T | NotDone = value_of(supervise(work, limits, heard))
    return found


def value_of(ending: Ending) -> Any:
    """What the work returned, or why it did not."""
    match ending:
        case Ended():
            return NotDone(ending.reason, limit_reached(ending))
        case Failed(error):
            return NotDone(str(error) if isinstance(error, CratonError) else bug(error))
        case Done(value):
            return value


def limit_reached(ended: Ended) -> Limit | None:
    """Which limit was the cause; None if the work died or was interrupted."""
    return Limit(ended.cause.kind) if isinstance(ended.cause, Exceeded) else None
