"""Witnesses: verdicts with their reasons in formats that other verifiers read, and theirs read.

Reading order: `model` (what a witness says), `yaml_format` and `graphml` (how it is written and read), `make` with
`invariants` and `path` (from a verdict to a witness), `scope` and `source` (C expressions in their place of the text).
Whether a witness is right is asked in `craton.validation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from craton.evidence.witness.make import make_witness, read_witness, validate_witness_text

_MAKE = "craton.evidence.witness.make"
__getattr__ = lazy_imports(globals(), {"make_witness": _MAKE, "read_witness": _MAKE, "validate_witness_text": _MAKE})

__all__ = ["make_witness", "read_witness", "validate_witness_text"]
