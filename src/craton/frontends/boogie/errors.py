"""What can go wrong between Boogie text and a program. Every message is one line: `file:line:column: what`."""

from __future__ import annotations

from craton.errors import CratonError
from craton.program.origin import SourceRange


class BoogieError(CratonError):
    """Something in a Boogie text, with its place."""

    def __init__(self, what: str, where: SourceRange | None) -> None:
        self.what = what
        self.where = where
        super().__init__(f"{where}: {what}" if where is not None else what)


class BoogieSyntaxError(BoogieError):
    """The text is not Boogie; the message says what could have stood there."""


class BoogieTypeError(BoogieError):
    """A name that is not declared or declared twice, or an expression whose type does not fit."""


class UnsupportedBoogie(BoogieError):
    """A construct that has no translation. The verdict is UNKNOWN: there is no wrong program."""

    exit_code = 3

    def __init__(self, construct: str, where: SourceRange | None) -> None:
        super().__init__(f"{construct} is not supported", where)


class BadBoogieInput(BoogieError):
    """A file that cannot be read, or a program without the procedure to start from."""
