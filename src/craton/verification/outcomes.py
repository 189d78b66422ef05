"""What attempts come to, beside verdicts: errors that are known but not shown, and reasons why nothing is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from craton.verdicts.result import Result
from craton.verdicts.verdict import Unknown
from craton.verification.portfolio import told
from craton.verification.scheduling import Clock
from craton.words import OUT_OF_TIME


@dataclass(frozen=True, slots=True)
class ErrorWithin:
    """An error can be reached with so many calls of recursive procedures open at a time; but the run that shows it
    could not be confirmed, and why.
    """

    depth: int
    found_by: str
    problem: Unknown


Outcome = Result | ErrorWithin


class Gaps(Enum):
    """What it means that something can be reached which is not modelled."""

    DECIDE = auto()
    ARE_REASONS = auto()


@dataclass(slots=True)
class Reasons:
    """Why nothing is known, each reason with the attempts that gave it."""

    said_by: dict[str, list[str]] = field(default_factory=dict)

    def say(self, reason: str, *attempts: str) -> None:
        if reason:
            said_by = self.said_by.setdefault(reason, [])
            said_by += [name for name in attempts if name not in said_by]

    def result(self, clock: Clock, attempts: int) -> Result:
        """Unknown, with what each of so many attempts has to say."""
        if clock.is_over and not any(OUT_OF_TIME in reason for reason in self.said_by):
            self.say(OUT_OF_TIME)
        return Result(Unknown(told(self.said_by, attempts), clock.reached))
