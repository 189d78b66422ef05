"""Verdicts in the words of result files: `true`, `false(unreach-call)`, `unknown`.

The only place that parses these words. Campaigns, task definitions and other programs have verdicts only in this form;
our own runs have the typed `Verdict`, which `text_of` converts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_FORM = re.compile(r"(?P<kind>true|false|unknown|TRUE|FALSE|UNKNOWN)(?:\((?P<property>[\w-]+)\))?")


class VerdictKind(Enum):
    """The property holds, it does not hold, or it is unknown."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        """The exit code of a command that verifies."""
        return _EXIT_CODES[self]


_EXIT_CODES = {VerdictKind.TRUE: 0, VerdictKind.FALSE: 1, VerdictKind.UNKNOWN: 3}


class Limit(Enum):
    """A limit of a run, by its name in result files."""

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class VerdictText:
    """A verdict as in result files; only FALSE has a property: the violated one, if known.

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
        """For people to read: FALSE(unreach-call)."""
        return self.kind.name + self._named

    @property
    def _named(self) -> str:
        return "" if self.violated is None else f"({self.violated})"

    @classmethod
    def parse(cls, text: object) -> VerdictText | None:
        """The verdict written in a file or printed by a program; None if the text is not a verdict."""
        found = _FORM.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return None
        kind = VerdictKind(found["kind"].lower())
        if found["property"] is not None and kind is not VerdictKind.FALSE:
            return None
        return cls(kind, found["property"])

    def confirms(self, expected: VerdictText) -> bool:
        """Whether this verdict is as expected; an expected FALSE without a property matches any violation."""
        return self.kind is expected.kind and expected.violated in (None, self.violated)
