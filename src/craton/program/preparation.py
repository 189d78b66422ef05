"""From a program as it was loaded to the one that engines and proofs are about.

The proof checker rebuilds the program by these same steps: they are part of the trusted base; engines are not.
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
    """A program without calls, before and after the passes that simplify it, with the mapping back."""

    whole: Program
    small: Transformed


def prepare(program: Program) -> Prepared:
    """Inlines calls and removes what cannot influence the errors."""
    whole = inline(program.only_modelled() if program.gaps_are_harmless else program).program
    small = remove_dead_code(whole)
    small = small.then(slice_for_errors(small.program))
    small = small.then(propagate_constants(small.program))
    small = small.then(slice_for_errors(small.program))
    return Prepared(whole, small)
