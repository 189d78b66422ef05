"""What users can write, in one place: engines, refiners, scorers and their options.

A refiner or an engine is a dataclass. Its fields say how they are written (`options`), its docstring what it is for.
Reading and printing expressions, the lists of `craton refiners` and `craton engines`, and completion are derived from
these (`registry`). `expressions` is the grammar. This package does not know any refiner or engine: the tables of the
existing ones are in `configuration`.
"""

from craton.registry.expressions import ExpressionError, Word, parse
from craton.registry.options import (
    flag,
    keyed_choice,
    keyed_number,
    keyed_seconds,
    one_part,
    parts,
    several_words,
    switch,
    word_choice,
)
from craton.registry.registry import Entry, Registry, written

__all__ = [
    "Entry",
    "ExpressionError",
    "Registry",
    "Word",
    "flag",
    "keyed_choice",
    "keyed_number",
    "keyed_seconds",
    "one_part",
    "parse",
    "parts",
    "several_words",
    "switch",
    "word_choice",
    "written",
]
