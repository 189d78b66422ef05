"""Validation: is what another verifier says of a program right? Its witness is a hint of a run of our own.

Reading order: `witness` (what is tried), `guided` (a program restricted to the waypoints of a violation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from craton.validation.witness import Validation, validate_witness

_WITNESS = "craton.validation.witness"
__getattr__ = lazy_imports(globals(), {"Validation": _WITNESS, "validate_witness": _WITNESS})

__all__ = ["Validation", "validate_witness"]
