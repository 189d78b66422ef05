"""From a program as it was loaded to the one that engines see and proofs speak of.

Whoever checks a proof rebuilds the program by these same steps: they are part of what is trusted, engines are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from craton.program.cfa import Program
from craton.program.constants import propagate_constants
from craton.program.inlining import inline
from craton.program.slicing import remove_dead_code, slice_for_errors
from craton.program.transformation import Transformed


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program without calls, before and after the passes that make it small, with the way back."""

    whole: Program
    small: Transformed


def prepare(program: Program) -> Prepared:
    """Calls inlined, and what cannot matter for the errors removed."""
    whole = inline(program).program
    small = remove_dead_code(whole)
    small = small.then(slice_for_errors(small.program))
    small = small.then(propagate_constants(small.program))
    small = small.then(slice_for_errors(small.program))
    return Prepared(whole, small)
