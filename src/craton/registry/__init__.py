"""What users can write, in one place: engines, refiners, scorers and their options.

A refiner or an engine is a dataclass. Its fields say how they are written (`options`), its docstring what it is for.
Reading and printing expressions, the lists of `craton refiners` and `craton engines`, and completion are derived from
these (`entries`, `registry`). `expressions` is the grammar; `plugins` finds what other packages add. This package does
not know any refiner or engine: the tables of the existing ones are in `configuration`.
"""

from craton.registry.entries import Entry
from craton.registry.expressions import ExpressionError, Word, parse
from craton.registry.options import (
    flag,
    keyed_choice,
    keyed_number,
    keyed_seconds,
    keyed_value,
    one_part,
    parts,
    several_words,
    switch,
    word_choice,
)
from craton.registry.plugins import BadPlugin, Group
from craton.registry.registry import Registry, written

__all__ = [
    "BadPlugin",
    "Entry",
    "ExpressionError",
    "Group",
    "Registry",
    "Word",
    "flag",
    "keyed_choice",
    "keyed_number",
    "keyed_seconds",
    "keyed_value",
    "one_part",
    "parse",
    "parts",
    "several_words",
    "switch",
    "word_choice",
    "written",
]
