"""What runs of the compiled program show, apart from what runs it (`native`): who is told need not import that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from craton.verdicts.counterexample import NOTHING_AROUND, ReadValue, Surroundings


class Propriety(Enum):
    """Whether what C leaves undefined came before a violation."""

    PROPER = "nothing undefined came before"
    UNCHECKED = "no sanitizer could tell whether something undefined came before"


class News(Enum):
    """What is told of runs that go on."""

    ENOUGH = "a few runs have shown nothing"
    WITHDRAWN = "what was suspected came after something undefined"


@dataclass(frozen=True, slots=True)
class NativeViolation:
    """A run of the compiled program that violates a property, and the inputs it has read."""

    violated: str
    inputs: tuple[ReadValue, ...]
    compiler: str
    propriety: Propriety
    seconds: float
    surroundings: Surroundings = NOTHING_AROUND

    @property
    def counts(self) -> bool:
        """Whether it shows by itself that the program violates the property."""
        return self.propriety is Propriety.PROPER
