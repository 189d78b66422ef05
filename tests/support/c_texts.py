"""C programs that tests write down."""

from __future__ import annotations

from pathlib import Path

from craton.frontends.c import COptions, load_c
from craton.program.cfa import Program


def loaded(text: str, folder: Path, model: str = "LP64") -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load_c([path], options=COptions(model))
