"""The evidence for TRUE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from craton.logic import Term
from craton.program.blocks import BlockSize
from craton.program.cfa import Location, Program
from craton.program.unfolding import AllRuns
from craton.verdicts.provenance import Provenance


@dataclass(frozen=True, slots=True)
class ShownContract:
    """What a procedure requires of its callers and ensures for them; entry values are called `x at entry`."""

    procedure: str
    requires: Term
    ensures: Term


@dataclass(frozen=True, slots=True)
class Proof:
    """Invariants of the prepared program for some block size, k-inductive; what found them and what has checked them.

    A program whose calls are not inlined is proved by contracts of its procedures instead; one whose runs all end, by
    looking at all of them.
    """

    program: Program
    blocks: BlockSize
    invariants: Mapping[Location, Term] = field(repr=False)
    found_by: Provenance
    checked_by: str
    seconds: float
    contracts: tuple[ShownContract, ...] = ()
    unrolled: int = 0  # of recursion: how many calls are open at most, which the proof shows as well
    k: int = 1
    runs: AllRuns | None = None
    histories: bool = False  # whether the program has them, for invariants to speak of
