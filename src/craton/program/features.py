"""What a program is like, as numbers by which schedules are chosen; `analysis/features` finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Features:
    """Numbers about a program. A loop *counts* if some variable grows or falls in it by constants alone and, where the
    loop is left, is compared with what does not change in it.
    """

    edges: int = 0  # of all automata: how large the program is
    branches: int = 0  # locations with several ways on
    depth: int = 0  # edges of the longest way through the entry procedure that takes no loop twice, about
    loops: int = 0
    nesting: int = 0  # of loops, the deepest
    uncounted: int = 0  # loops that do not count
    rounds: int | None = 0  # of the loop that has most, in all, if constants and other counters say; otherwise None
    reacting: int = 0  # branches in the loop that has most of them, of those that do not count
    inputs: int = 0  # edges that read one
    unspecified: int = 0  # edges with a value that the program leaves open
    arrays: int = 0  # variables that are arrays: memory is
    heap: int = 0  # edges that allocate memory whose place is not known, again and again: in loops, or when called
    floats: int = 0  # operations on floats
    bits: int = 0  # operations on single bits
    nonlinear: int = 0  # products of variables, quotients by them
    recursive: int = 0  # procedures

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Features:
        """What `data` gave; features that are not there, since an older version did not know them, are 0."""
        return cls(**{name: data[name] for name in FEATURES if name in data})

    def data(self) -> dict[str, int | None]:
        return {name: getattr(self, name) for name in FEATURES}


FEATURES = tuple(one.name for one in fields(Features))
