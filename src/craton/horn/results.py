"""The answer to a system, with its evidence."""

from __future__ import annotations

from dataclasses import dataclass

from craton.horn.derivations import Derivation
from craton.horn.models import Model


@dataclass(frozen=True, slots=True)
class Satisfiable:
    """False cannot be derived: a model shows it. `by` are the solvers it relies on, `checked_by` who checked it."""

    model: Model
    by: tuple[str, ...] = ()
    checked_by: str = ""
    conditions: int = 0
    seconds: float = 0.0
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """False can be derived, and how."""

    derivation: Derivation
    checked_by: str = ""
    seconds: float = 0.0
    confirmed: bool = True
