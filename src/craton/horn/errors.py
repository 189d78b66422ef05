"""What can go wrong between the text of a script and a system of Horn clauses."""

from __future__ import annotations

from craton.errors import CratonError


class BadScript(CratonError):
    """Text that is not SMT-LIB, or a command that makes no sense where it stands."""


class NotSupported(CratonError):
    """A script beyond what Craton speaks of: data types, functions, what is not Horn. The answer is unknown."""

    exit_code = 3
