"""What can go wrong between C text and a program."""

from __future__ import annotations

from craton.errors import CratonError
from craton.program.origin import SourceRange


class SyntaxErrorInC(CratonError):
    """clang does not accept the text; the message holds clang's own diagnostics."""


class BadInput(CratonError):
    """A file that is missing, empty or not text, or a program without its entry function."""


class Unsupported(CratonError):
    """A construct that has no translation. The verdict is UNKNOWN: there is no wrong program."""

    exit_code = 3

    def __init__(self, construct: str, where: SourceRange | None) -> None:
        self.construct = construct
        self.where = where
        place = f"{where}: " if where is not None else ""
        super().__init__(f"{place}{construct} is not supported")
