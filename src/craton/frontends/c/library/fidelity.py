"""How close the models of library functions come to what C says of them."""

from __future__ import annotations

import enum


class Fidelity(enum.Enum):
    """What calls of a function without a body give in a program."""

    EXACT = "what C says"
    LOOSE = "what C says among others: results or texts may be others"
    UNKNOWN = "anything: a function of which C says nothing, or that is taken for one"

    @property
    def approximates(self) -> bool:
        """Whether there are more results than the function has in C."""
        return self is Fidelity.LOOSE


_LOOSE = (
    "printf fprintf dprintf vprintf vfprintf vdprintf sprintf vsprintf snprintf vsnprintf sscanf __isoc99_sscanf"
).split()

FIDELITY = dict.fromkeys((*_LOOSE, *(f"__builtin_{name}" for name in _LOOSE)), Fidelity.LOOSE)
