"""Lists of names and what is said of them, as wide as the terminal; elsewhere each is one line, for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import wrap

_NARROWEST = 20  # a column of text


def print_list(rows: Iterable[tuple[str, str]]) -> None:
    """Names in one column, texts in the other."""
    width = get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lines(list(rows), width):
        print(line)


def print_texts(texts: Iterable[str]) -> None:
    """Texts below each other; what a line has no room for is indented."""
    width = get_terminal_size().columns if sys.stdout.isatty() else None
    for text in texts:
        print("\n".join(_wrapped(text, width, "  ", "      ")))


def lines(rows: list[tuple[str, str]], width: int | None) -> Iterator[str]:
    """Where there is no room for two columns, texts stand below their names."""
    column = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        if width is not None and width - column - 4 < _NARROWEST:
            yield f"  {name}"
            yield from _wrapped(text, width, "      ", "      ")
        else:
            yield from _wrapped(text, width, f"  {name:{column}}  ", " " * (column + 4))


def _wrapped(text: str, width: int | None, first: str, others: str) -> list[str]:
    if width is None:
        return [f"{first}{text}"]
    return wrap(
        text, max(width, 2 * _NARROWEST), initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    )
