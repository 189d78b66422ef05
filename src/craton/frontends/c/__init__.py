"""The C front end: from C text, through libclang, to a bit-precise program.

Reading order: `clang` (the library), `ctype` and `syntax` (our picture of C), `type_reader`, `lexing` and `reader`
(clang's tree into ours), `scan`, `places` and `points_to` (which memory a pointer may mean), `memory` and `context`,
then the lowering, each class building on the one before: `values` and `builder`, `access`, `expressions`, `bulk`,
`heap`, `calls` with `library`, `control`, `start`; `load` puts it together.
"""

from craton.frontends.c.clang.parsing import COptions
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.load import load_c

__all__ = ["COptions", "Unsupported", "load_c"]
