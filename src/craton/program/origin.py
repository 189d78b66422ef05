"""Where an edge comes from: a range of source text, counted from 1 as in editors and witnesses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class SourceRange:
    """From `line`:`column` up to but not including `end_line`:`end_column` of `file`."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
