"""Programs to begin with: those of `examples/c`, and some beside this file; the first line is what they are about."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_EVERYDAY = "pairs.c fees.c fill.c search.c".split()
_OWN = "leak_check.bpl forgets.c flag.c sum.c".split()


@cache
def examples() -> list[dict[str, str]]:
    """With their titles, as the page shows them."""
    own = files("craton.serve") / "examples"
    return [_example(_everyday() / name) for name in _EVERYDAY] + [_example(own / name) for name in _OWN]


def _everyday() -> Traversable:
    """In a wheel they are a part of the package (`force-include` in pyproject.toml), else of the checkout."""
    packaged = files("craton.serve") / "examples" / "c"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "examples" / "c"


def _example(file: Traversable) -> dict[str, str]:
    text = file.read_text(encoding="utf-8")
    about = re.sub(r"^(//|/\*) *| *\*/$", "", text.splitlines()[0])
    return {
        "name": file.name,
        "title": about[: about.rfind("?") + 1] or about.removesuffix("."),  # what is behind a question is an answer
        "language": "boogie" if file.name.endswith(".bpl") else "c",
        "source": text,
    }
