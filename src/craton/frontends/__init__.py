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
    """The program in a file, by its extension, with its calls inlined; errors are what the default specification forbids."""
    from craton.program.inlining import inline

    suffix = Path(path).suffix
    if suffix in (".c", ".i"):
        from craton.frontends.c.load import COptions, load_c

        return inline(load_c([path], options=COptions(data_model=data_model))).program
    if suffix == ".bpl":
        from craton.frontends.boogie import load_boogie

        return inline(load_boogie(path).program).program
    raise UnknownLanguage(f"{path}: expected a C program (.c, .i) or a Boogie program (.bpl)")
