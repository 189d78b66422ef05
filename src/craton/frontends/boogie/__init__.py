"""The Boogie front end: Boogie 2 as it is used, with the record types of Ultimate's dialect, to `craton.program`.

Reading order: `grammar.lark` and `parsing` (text to `syntax`, by `reading` and `grouping`), `types` and `values` (how
Boogie's types are encoded), `declarations`, `expressions` with `functions` and `builtins`, then `calls` and `bodies`
(procedures to automata), `start` (axioms, what to verify) and `frames`; `load` puts them together.
"""

from craton.frontends.boogie.errors import (
    BadBoogieInput,
    BoogieError,
    BoogieSyntaxError,
    BoogieTypeError,
    UnsupportedBoogie,
)
from craton.frontends.boogie.load import EVERY, BoogieProgram, load_boogie

__all__ = [
    "EVERY",
    "BadBoogieInput",
    "BoogieError",
    "BoogieProgram",
    "BoogieSyntaxError",
    "BoogieTypeError",
    "UnsupportedBoogie",
    "load_boogie",
]
