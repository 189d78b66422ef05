"""What a function without a body does with pointers, as far as the points-to analysis has to know."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Touch(enum.Enum):
    """How a function uses the memory that its arguments point to."""

    NOTHING = "nothing that matters"
    COPY = "copies from the second argument to the first"
    SET = "sets what the first argument points to"
    SCAN = "writes through the arguments from `first` on, each as its type says"
    BYTES = "accesses what all arguments point to byte by byte"
    FIRST_BYTES = "accesses what the first argument points to byte by byte"
    ESCAPES = "unknown: may keep what its arguments point to, and change it"
    START_ARGUMENTS = "lets the first argument, a va_list, point to the caller's extra arguments"
    COPY_ARGUMENTS = "lets the first argument, a va_list, point where the second points"


class Gives(enum.Enum):
    """What a pointer that a function returns points to."""

    UNKNOWN = "something that the program did not make"
    NEW = "new memory"
    NEW_TEXT = "new memory of characters"
    FIRST = "where the first argument points"
    RESIZED = "new memory with the contents that the first argument points to"


@dataclass(frozen=True, eq=False)
class PointerEffects:
    """Both for one function; the default is that of a function that touches nothing."""

    touch: Touch = Touch.NOTHING
    gives: Gives = Gives.UNKNOWN
    first: int = 0  # for SCAN: the first argument that is written through


NONE = PointerEffects()
UNKNOWN = PointerEffects(Touch.ESCAPES)
