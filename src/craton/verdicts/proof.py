"""The evidence for TRUE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from craton.logic import Term
from craton.program.cfa import Location, Program
from craton.verdicts.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Proof:
    """Invariants of the prepared program for some block size; what found them and what has checked them."""

    program: Program
    blocks: int | None
    invariants: Mapping[Location, Term] = field(repr=False)
    found_by: Provenance
    checked_by: str
    seconds: float
