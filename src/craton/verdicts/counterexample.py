"""The evidence for FALSE: the interpreter's run to an error, and the outcome of the same run in the compiled program.

`craton.evidence.replay` and `craton.evidence.compiled` produce these.
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
    """An input value that the run read."""

    source: Input
    value: Any
    sort: Sort


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What a run used besides its inputs: the program, the initial values, the values it chose where the program leaves
    them open, in order, and the model's functions.
    """

    program: Program
    start: Mapping[Term, Any]
    opened: tuple[Any, ...]
    model: Model


def as_number(read: ReadValue) -> int | float | Fraction:
    """The number to pass to an interpreter to get the value again."""
    if isinstance(read.sort, Float):
        number = to_python(format_of(read.sort), read.value)
        return to_fraction(format_of(read.sort), read.value) if math.isfinite(number) and number else number
    given: int | Fraction = read.value if isinstance(read.value, int | Fraction) else int(read.value)
    return given


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run finds besides the functions that give inputs."""

    arguments: tuple[bytes, ...] = ()  # of main, the program's name among them
    environment: tuple[tuple[bytes, bytes], ...] = ()
    answers: tuple[bytes | None, ...] = ()  # of getenv, in their order
    standard_input: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.arguments or self.environment or self.answers or self.standard_input)

    @property
    def sentences(self) -> list[str]:
        """What there is, for people."""
        found = []
        if self.arguments[1:]:
            found.append("arguments " + " ".join(map(_quoted, self.arguments[1:])))
        found += [f"{name.decode('latin-1')}={_quoted(value)} in the environment" for name, value in self.environment]
        if self.answers:
            told = ", ".join("nothing" if answer is None else _quoted(answer) for answer in self.answers)
            found.append(f"getenv finding {told}")
        if self.standard_input:
            found.append(f"standard input {_quoted(self.standard_input)}")
        return found


def _quoted(text: bytes) -> str:
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + b"..."
    return '"' + repr(shown)[2:-1].replace('"', '\\"') + '"'


_LONGEST = 60  # characters of a text that people are told
NOTHING_AROUND = Surroundings()


@dataclass(frozen=True, slots=True)
class Replay:
    """A run that reached an error location, and the inputs it read in order."""

    location: Location
    inputs: tuple[ReadValue, ...]
    edges: tuple[Edge, ...] = field(repr=False)
    background: Background | None = field(default=None, repr=False, compare=False)
    surroundings: Surroundings | None = None  # None: nobody has looked for them

    @property
    def found_around(self) -> Surroundings:
        """What the run finds around it, as far as anybody knows."""
        return self.surroundings or NOTHING_AROUND


def place_of(replay: Replay, program: Program) -> SourceRange | None:
    """Where in the source the error is: the last place on the run, or else the only place that leads to the error.

    None if the program has no source locations, or if the run is unknown and several places lead to the error.
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
    given: tuple[str, ...] = ()  # what the program needed besides the inputs

    @property
    def reason(self) -> str:
        more = f" (with {' and '.join(self.given)})" if self.given else ""
        return f"error reached in the program compiled with {self.compiler}{more}, in {self.seconds:.2f} s"


@dataclass(frozen=True, slots=True)
class NotReached:
    """The compiled program did something else on these inputs, or ran out of time."""

    reason: str
    fault: bool = False  # it accessed invalid memory
    elsewhere: bool = False  # it reached an error that is not about the property
    late: bool = False  # it ran out of time


@dataclass(frozen=True, slots=True)
class NotCompiled:
    """The program could not be compiled or run, and why."""

    reason: str


Compiled = Reached | NotReached | NotCompiled
