"""Small pieces of English."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """1 input, 2 inputs."""
    return f"{number} {what}{'' if number == 1 else 's'}"
