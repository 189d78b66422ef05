"""What a witness says, whatever file format it comes in.

The words are those of format 2.0: a correctness witness is a set of invariants, a violation witness a sequence of
segments, each of any number of waypoints to avoid and one to follow; the last one followed is the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from craton.errors import CratonError


class BadWitness(CratonError):
    """A witness that cannot be read, or does not fit its format."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a program text, counted from 1. Without a column it is the first fitting one of the line."""

    file: str
    line: int
    column: int | None = None
    function: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column is not None else "")


class InvariantKind(Enum):
    LOOP = "loop_invariant"  # at the keyword of a loop: holds whenever its condition is about to be evaluated
    LOCATION = "location_invariant"  # at the begin of a statement: holds whenever that is about to be executed


@dataclass(frozen=True, slots=True)
class Invariant:
    """A C expression that holds at a place, over variables in scope there."""

    kind: InvariantKind
    place: Place
    value: str


class WaypointKind(Enum):
    ASSUMPTION = "assumption"  # a C expression holds before a statement
    BRANCHING = "branching"  # the condition of a statement is true or false
    FUNCTION_ENTER = "function_enter"
    FUNCTION_RETURN = "function_return"  # what the call that ends here returns: `\\result == 5`
    TARGET = "target"  # the statement that violates the property


class Action(Enum):
    FOLLOW = "follow"
    AVOID = "avoid"


@dataclass(frozen=True, slots=True)
class Waypoint:
    kind: WaypointKind
    place: Place
    constraint: str | None = None
    action: Action = Action.FOLLOW
    callee: str | None = None  # the function that returns, where the format says it


@dataclass(frozen=True, slots=True)
class Segment:
    """On the way to `follow`, none of `avoid` is passed."""

    follow: Waypoint
    avoid: tuple[Waypoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Metadata:
    """Who made a witness, when, and of which task."""

    producer: str
    version: str
    uuid: str
    created: str  # ISO 8601
    hashes: Mapping[str, str]  # input file → SHA-256
    specification: str
    data_model: str
    command_line: str = ""


@dataclass(frozen=True, slots=True)
class CorrectnessWitness:
    metadata: Metadata
    invariants: tuple[Invariant, ...] = ()


@dataclass(frozen=True, slots=True)
class ViolationWitness:
    metadata: Metadata
    segments: tuple[Segment, ...] = field(default=())


Witness = CorrectnessWitness | ViolationWitness
