"""The variables that count rounds."""

from __future__ import annotations

from craton.logic import Term, ops

_PREFIX = "rounds "  # with a space: no variable of a program is called so


def counter_name(number: int) -> str:
    return f"{_PREFIX}{number}"


def is_counter(term: Term) -> bool:
    """Whether it is such a variable, or a value that was chosen for one."""
    return term.op is ops.VARIABLE and term.name.startswith(_PREFIX)
