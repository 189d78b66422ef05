"""What a function may do of which there is neither a body nor a record."""

from __future__ import annotations

import enum


class UnknownFunctions(enum.Enum):
    """The choices of users; tasks of a collection have the first, whose rules say so, and plain files the second."""

    PURE = "pure"  # returns an arbitrary value and changes nothing: an assumption
    ARBITRARY = "arbitrary"  # changes what its arguments, earlier escapes and external variables reach
    REFUSE = "refuse"  # is not modelled
