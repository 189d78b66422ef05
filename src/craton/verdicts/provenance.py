"""Who found a proof, and on whose word it rests. For the reader and for the choice of checkers; never for belief."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provenance:
    """What found a proof: an engine with a refiner, looking at a view of the program.

    `solvers` are those on whose word the proof rests. None of them re-checks it.
    """

    engine: str
    refine: str = ""  # the refinement expression; "" where the engine takes no refiner
    encoding: str = "bv"
    floats: str = "exact"
    solvers: tuple[str, ...] = ()
