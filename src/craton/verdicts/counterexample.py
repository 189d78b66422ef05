"""What FALSE rests on: a run to an error by the interpreter, and what came of it in the compiled program.

`craton.evidence.replay` and `craton.evidence.compiled` make these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from craton.logic import Float, Model, Sort, Term
from craton.logic.ieee import to_fraction, to_python
from craton.logic.terms import format_of
from craton.program.cfa import Edge, Location, Program
from craton.program.origin import SourceRange
from craton.program.statements import Input

# --- by the interpreter -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A value that the run got from outside."""

    source: Input
    value: Any
    sort: Sort


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What a run had besides its inputs: the program it is of, the values it began with, those it chose where the
    program leaves them open, in order, and what the model says of functions.
    """

    program: Program
    start: Mapping[Term, Any]
    opened: tuple[Any, ...]
    model: Model


def as_number(read: ReadValue) -> int | float | Fraction:
    """What to give an interpreter to get the value again."""
    if isinstance(read.sort, Float):
        number = to_python(format_of(read.sort), read.value)
        return to_fraction(format_of(read.sort), read.value) if math.isfinite(number) and number else number
    given: int | Fraction = read.value if isinstance(read.value, int | Fraction) else int(read.value)
    return given


@dataclass(frozen=True, slots=True)
class Replay:
    """A run that reached an error location, and the inputs it read in order."""

    location: Location
    inputs: tuple[ReadValue, ...]
    edges: tuple[Edge, ...] = field(repr=False)
    background: Background | None = field(default=None, repr=False, compare=False)


def place_of(replay: Replay, program: Program) -> SourceRange | None:
    """Where in the user's text the error is: the last place the run came by, or where alone it can have come from.

    None where the program does not say, or where the run is not known and several places lead to the error.
    """
    for edge in reversed(replay.edges):
        if edge.origin is not None:
            return edge.origin
    origins = {edge.origin for edge in program.edges() if edge.target == replay.location}
    return origins.pop() if len(origins) == 1 else None


# --- in the compiled program ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reached:
    """The compiled program reached the error."""

    compiler: str
    inputs: int
    seconds: float
    given: tuple[str, ...] = ()  # what the program had to be given besides the inputs

    @property
    def reason(self) -> str:
        more = f" (with {' and '.join(self.given)})" if self.given else ""
        return f"error reached in the program compiled with {self.compiler}{more}, in {self.seconds:.2f} s"


@dataclass(frozen=True, slots=True)
class NotReached:
    """The compiled program took the inputs and did something else, or there was no time for it."""

    reason: str
    fault: bool = False  # it came to memory that is not there
    elsewhere: bool = False  # it came to an error that the property does not speak of
    late: bool = False  # there was no time to find out


@dataclass(frozen=True, slots=True)
class NotCompiled:
    """There is nothing to say of a compiled program, and why."""

    reason: str


Compiled = Reached | NotReached | NotCompiled
