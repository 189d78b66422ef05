"""What an engine is: `run(program, budget) -> Safe | Unsafe | Unknown`. Every engine takes any refiner."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from craton.logic import Model, Term
from craton.program.cfa import Location, Program
from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Safe:
    """No error location can be reached. The proof is one invariant for each location that can be."""

    invariants: Mapping[Location, Term]


@dataclass(frozen=True, slots=True)
class Unsafe:
    """A trace to an error location, and a model of its formula."""

    trace: Trace
    model: Model


@dataclass(frozen=True, slots=True)
class Unknown:
    reason: str


Verdict = Safe | Unsafe | Unknown


@dataclass(frozen=True, slots=True)
class Progress:
    """What an engine is doing, for those who watch."""

    iteration: int
    trace_length: int
    predicates: int
    states: int


class OutOfTime(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class Budget:
    """The time a run has, and who wants to hear of its progress."""

    seconds: float | None = None
    watch: Callable[[Progress], None] = lambda progress: None
    started: float = field(default_factory=time.monotonic)

    def check(self) -> None:
        """Raises OutOfTime when there is none left; engines call it at every step of their loops."""
        if self.seconds is not None and time.monotonic() - self.started > self.seconds:
            raise OutOfTime


class Engine(Protocol):
    @property
    def name(self) -> str: ...

    def run(self, program: Program, budget: Budget) -> Verdict: ...
