"""Small pieces of English."""

from __future__ import annotations

OUT_OF_TIME = "out of time"
INTERRUPTED = "interrupted"  # by who knows why
DOES_NOT_FIT = "does not fit: "  # how the reasons of ways begin that are not meant for such a program


def counted(number: int, what: str) -> str:
    """1 input, 2 inputs."""
    return f"{number} {what}{'' if number == 1 else 's'}"
