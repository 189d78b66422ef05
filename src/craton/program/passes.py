"""The passes that make a program smaller before engines see it, by name: each can be left out.

Experiments leave them out so that slicing does not do a refiner's work. Inlining is none of them: engines need it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from craton.errors import CratonError


class Pass(enum.Enum):
    DEAD_CODE = "dead-code"  # what cannot be reached
    SLICING = "slicing"  # what cannot influence whether an error is reached
    CONSTANTS = "constants"  # variables whose value is known
    ELEMENTS = "elements"  # arrays of which constant indices are read, or that hold constants
    WAITING = "waiting"  # rounds of loops that leave nothing behind
    HISTORIES = "histories"  # what sums, counts and maxima were round by round, for proofs to speak of
    TYPED_CALLS = "typed-calls"  # calls through pointers of other types: there are none, it is assumed


Passes = tuple[Pass, ...]
_ASKED_FOR = (Pass.HISTORIES, Pass.TYPED_CALLS)  # what is only of use to some proofs, and what assumes something
ALL: Passes = tuple(one for one in Pass if one not in _ASKED_FOR)
CALLS_ARE_TYPED = "functions are called through pointers of their own type"  # what the last one assumes
FIRST: Passes = (Pass.DEAD_CODE, Pass.SLICING, Pass.CONSTANTS)  # what certificates mean that name none
NONE = "none"


def read_passes(text: str) -> Passes:
    """`none`, or names with commas between them. Passes have an order of their own."""
    return named([] if text.strip() == NONE else [word.strip() for word in text.split(",")])


def named(words: Iterable[str]) -> Passes:
    known = {one.value: one for one in Pass}
    chosen = set(words)
    for word in sorted(chosen):
        if word not in known:
            raise CratonError(f"there is no pass {word!r}; known are {', '.join(known)}, or {NONE}")
    return tuple(one for one in Pass if one.value in chosen)


def told(passes: Passes) -> str:
    return ",".join(one.value for one in passes) or NONE
