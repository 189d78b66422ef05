"""A stage: an engine with a refiner and a view of the program, with a share of the time."""

from __future__ import annotations

from dataclasses import dataclass

from craton.errors import CratonError

ENCODINGS = ("bv", "int", "ideal")
FLOATS = ("exact", "real")
ARRAYS = ("exact", "cells", "all", "prefixes")
LOOPS = ("exact", "accelerated")


class StagesError(CratonError):
    """A file of stages that cannot be read or makes no sense."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One attempt. `share` is its weight: how long its turns are, relative to those of the others."""

    engine: str = "trace-abstraction"
    refine: str = "default"
    encoding: str = "bv"
    floats: str = "exact"
    arrays: str = "exact"
    loops: str = "exact"
    solver: str = "z3"
    share: float = 1.0
    seconds: float | None = None  # at most, all turns together
    seed: int = 0  # for random inputs

    @property
    def in_bits(self) -> bool:
        """Whether numbers are bits, not integers or reals as a view has them."""
        return self.encoding == "bv" and self.floats == "exact"

    @property
    def sees_program(self) -> bool:
        """Whether it looks at the program itself, through no view."""
        return self.in_bits and self.arrays == "exact" and self.loops == "exact"

    @property
    def refiner(self) -> str:
        """The expression of the refiner that its engine uses; "" if it uses none."""
        from craton.configuration.engines import refines

        return self.refine if refines(self.engine) else ""

    @property
    def name(self) -> str:
        return self.seen_through(f"{self.engine} with {self.refiner}" if self.refiner else self.engine)

    def seen_through(self, name: str) -> str:
        """A name, with the view appended unless the stage runs on the program itself."""
        return f"{name} ({', '.join(self.views)})" if self.views else name

    @property
    def views(self) -> tuple[str, ...]:
        """What it sees the program through, a word each."""
        seen = (self.encoding, "bv"), (self.floats, "exact"), (self.arrays, "exact"), (self.loops, "exact")
        return tuple(word for word, usual in seen if word != usual)
