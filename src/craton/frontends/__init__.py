"""Front ends: from program text to `craton.program`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from craton.errors import CratonError

if TYPE_CHECKING:
    from craton.program.cfa import Program


class UnknownLanguage(CratonError):
    """A file whose name does not tell which language it is written in."""


def load_program(path: str | Path, *, data_model: str = "ILP32") -> Program:
    """The program in a file, by its extension: calls inlined, dead code removed, the default specification."""
    from craton.program.inlining import inline
    from craton.program.slicing import remove_dead_code

    suffix = Path(path).suffix
    if suffix in (".c", ".i"):
        from craton.frontends.c.load import COptions, load_c

        loaded = load_c([path], options=COptions(data_model=data_model))
    elif suffix == ".bpl":
        from craton.frontends.boogie import load_boogie

        loaded = load_boogie(path).program
    else:
        raise UnknownLanguage(f"{path}: expected a C program (.c, .i) or a Boogie program (.bpl)")
    return remove_dead_code(inline(loaded).program).program
