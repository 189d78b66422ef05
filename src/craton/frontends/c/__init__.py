"""The C front end: from C text, through libclang, to a bit-precise program.

Reading order: `clang` (the library), `ctype` and `syntax` (our picture of C), `reader` (clang's tree into ours),
`regions` (which memory a pointer may mean), `memory` (objects, addresses, loads and stores), then the lowering by
construct: `values`, `expressions`, `calls`, `library`, `statements`, `initializers`; `load` puts it together.
"""

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.load import COptions, load_c

__all__ = ["COptions", "Unsupported", "load_c"]
