"""The errors Craton raises on purpose. Each says what is wrong, where, and what to do about it."""

from __future__ import annotations

from typing import Any


class CratonError(Exception):
    """Root of all errors that are meant for the person at the keyboard; the command line prints them as one line."""

    exit_code = 2  # bad input, unless a kind of error says otherwise

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes as they are, whatever their constructor asks for."""
        return _restored, (type(self), self.args, self.__dict__)


def bug(error: BaseException) -> str:
    """What people are told of an error that nobody expected: one of the system, or one of ours."""
    if isinstance(error, OSError) and error.strerror:
        return f"the system refused: {error.strerror}" + (f" ({error.filename})" if error.filename else "")
    told = repr(error)
    told = told if len(told) <= _LONGEST else f"{told[:_LONGEST]} …"
    return f"internal error: {told}; this is a bug in Craton: please report it"


_LONGEST = 300  # characters of an error


def _restored(kind: type[CratonError], args: tuple[Any, ...], attributes: dict[str, Any]) -> CratonError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


class IllSorted(CratonError):
    """A term was built from arguments whose sorts do not fit."""


class NotExpressible(CratonError):
    """A term has no counterpart in the language it should be written in."""


class SmtLibError(CratonError):
    """SMT-LIB text that could not be read, with the position the reader stopped at."""


class MissingCapability(CratonError):
    """A solver was asked for something it cannot do; the message names those that can."""


class UnknownSolver(CratonError):
    """No solver of that name, or it is not installed; the message says how to get it."""
