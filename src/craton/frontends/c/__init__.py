"""The C front end: from C text, through libclang, to a bit-precise program.

Rooms, each knowing only those before it:

- `syntax`: our picture of C: types, nodes, initialisers;
- `clang`: from text to `syntax` (nobody but `load` and `outline` knows it);
- `memory`: which memory a pointer may mean, when objects live, where they lie;
- `automaton`: terms for C's arithmetic, edges, l-values, and what all functions of a program share;
- `library`: records of the functions without a body that Craton knows; their handlers see the lowering through
  `library.contract`;
- `lowering`: from `syntax` to automata, one collaborator for each concern.

`load` puts it together, `outline` says what a program asks of others. To read it all, take the rooms in this order, and
each room's files in the order that its first page gives; to find what a construct becomes, start at
`lowering.function`.
"""

from typing import TYPE_CHECKING

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.options import COptions
from craton.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from craton.frontends.c.load import load_c

__getattr__ = lazy_imports(globals(), {"load_c": "craton.frontends.c.load"})

__all__ = ["COptions", "Unsupported", "load_c"]
