"""How a concrete run ended, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from craton.logic import Sort, Term
from craton.program.cfa import Edge, Location, Property, Unmodelled
from craton.program.statements import Input


@dataclass(frozen=True, slots=True)
class ReachedError:
    """An error location was reached."""

    location: Location
    violated: Property

    def __str__(self) -> str:
        return f"error reached: {self.violated}"


@dataclass(frozen=True, slots=True)
class Exited:
    """The program ended: the entry procedure returned these values, or it stopped (None)."""

    values: tuple[Any, ...] | None

    def __str__(self) -> str:
        return "exit" if self.values is None else f"exit with {', '.join(map(str, self.values)) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Blocked:
    """No edge was enabled: an assumption failed, such as a divisor that must not be zero."""

    location: Location
    edge: Edge | None

    def __str__(self) -> str:
        where = f" at {self.edge.origin}" if self.edge is not None and self.edge.origin is not None else ""
        return f"stopped by an assumption{where}"


@dataclass(frozen=True, slots=True)
class StepLimit:
    steps: int

    def __str__(self) -> str:
        return f"step limit of {self.steps} reached"


@dataclass(frozen=True, slots=True)
class ReachedUnmodelled:
    """The run came to what Craton does not model: nobody knows how it goes on."""

    location: Location
    construct: Unmodelled

    def __str__(self) -> str:
        return self.construct.sentence


Outcome = ReachedError | ReachedUnmodelled | Exited | Blocked | StepLimit


@dataclass(frozen=True)
class Run:
    """What happened: outcome, inputs read in order, final values of globals, and the edges taken if recorded."""

    outcome: Outcome
    steps: int
    inputs: tuple[tuple[Input, Any], ...]
    values: Mapping[Term, Any] = field(repr=False)
    edges: tuple[Edge, ...] = field(default=(), repr=False)
    sorts: tuple[Sort, ...] = field(default=(), repr=False)  # of the inputs
    depth: int = 0  # how many calls were open at a time, at most
    only_inputs: bool = True  # were drawn: what the program leaves open besides was zero
