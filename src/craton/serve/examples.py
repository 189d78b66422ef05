"""Programs to begin with: files beside this one, whose first line is what they are about."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_ORDER = "pairs.c fees.c fill.c search.c leak_check.bpl forgets.c flag.c sum.c".split()


@cache
def examples() -> list[dict[str, str]]:
    """With their titles, as the page shows them."""
    return [_example(name) for name in _ORDER]


def _example(name: str) -> dict[str, str]:
    text = (files("craton.serve") / "examples" / name).read_text(encoding="utf-8")
    title = text.splitlines()[0].removeprefix("//").strip()
    return {
        "name": name,
        "title": title.removesuffix("."),
        "language": "boogie" if name.endswith(".bpl") else "c",
        "source": text,
    }
