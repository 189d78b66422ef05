"""Numbers as arguments: what is none, or out of range, is refused with what is expected."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def positive_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a positive number, found {text!r}")
    return number


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Reads numbers from `least` to `most`."""
    expected = f"a whole number from {least}" + (" on" if most is None else f" to {most}")

    def read(text: str) -> int:
        number = int(text) if text.isdecimal() and text.isascii() and len(text) < 30 else -1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}")
        return number

    return read
