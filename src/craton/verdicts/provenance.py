"""What found a proof, and which solvers it relies on. For readers and for choosing checkers, never as evidence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provenance:
    """What found a proof: an engine with a refiner, running on a view of the program.

    `solvers` are those that the proof relies on. None of them re-checks it.
    """

    engine: str
    refine: str = ""  # the refinement expression; "" if the engine takes no refiner
    encoding: str = "bv"
    floats: str = "exact"
    solvers: tuple[str, ...] = ()
