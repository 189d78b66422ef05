"""Verdicts in the words of result files: `true`, `false(unreach-call)`, `unknown`.

The one place where these words are taken apart. Campaigns, task definitions and other programs know verdicts in this
form only; a run of our own has the typed `Verdict`, and `text_of` says it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_FORM = re.compile(r"(?P<kind>true|false|unknown|TRUE|FALSE|UNKNOWN)(?:\((?P<property>[\w-]+)\))?")


class VerdictKind(Enum):
    """The property holds, it does not, or nobody knows."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        """What a command that verifies ends with."""
        return _EXIT_CODES[self]


_EXIT_CODES = {VerdictKind.TRUE: 0, VerdictKind.FALSE: 1, VerdictKind.UNKNOWN: 3}


class Limit(Enum):
    """A limit of a run, by the name that results have for it."""

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class VerdictText:
    """A verdict as result files have it; only FALSE has a property: the one that is violated, if that is known.

    Law: `parse(str(text)) == text` and `parse(text.headline) == text`.
    """

    kind: VerdictKind
    violated: str | None = None

    def __post_init__(self) -> None:
        if self.violated is not None and self.kind is not VerdictKind.FALSE:
            raise ValueError(f"{self.kind.value} names no property")

    def __str__(self) -> str:
        return self.kind.value + self._named

    @property
    def headline(self) -> str:
        """As people read it: FALSE(unreach-call)."""
        return self.kind.name + self._named

    @property
    def _named(self) -> str:
        return "" if self.violated is None else f"({self.violated})"

    @classmethod
    def parse(cls, text: object) -> VerdictText | None:
        """The verdict that a file or a program says; None if these are not the words of one."""
        found = _FORM.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return None
        kind = VerdictKind(found["kind"].lower())
        if found["property"] is not None and kind is not VerdictKind.FALSE:
            return None
        return cls(kind, found["property"])

    def confirms(self, expected: VerdictText) -> bool:
        """Whether this is what was expected; where no property was named, any violation is."""
        return self.kind is expected.kind and expected.violated in (None, self.violated)
