"""The way to an error as lines of text: where, the statement without the comment behind it, and what happened there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from craton.report.changes import told_changes
from craton.words import counted

_LONGEST_LINE, _TEXT_WIDTH = 80, 40
# What comes before a comment that nothing follows; texts and characters may hold what looks like one.
_BEFORE_COMMENT = re.compile(
    r"""((?:[^"'/]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|/(?![/*]))*)(?://.*|/\*(?:(?!\*/).)*(?:\*/)?\s*)"""
)


def without_comment(text: str) -> str:
    """A line of the text without the comment that ends it, unless it is nothing else."""
    found = _BEFORE_COMMENT.fullmatch(text)
    return (found[1].rstrip() if found else "") or text


def way_lines(way: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each step: where, its text, and what happened there."""
    files = {step["file"] for step in way if "file" in step}
    width = max((len(_place(step, files)) for step in way), default=0)
    return [_told_step(step, files, width) for step in way]


def _place(step: Mapping[str, Any], files: set[str]) -> str:
    return "" if "line" not in step else str(step["line"]) if len(files) == 1 else f"{step['file']}:{step['line']}"


def _told_step(step: Mapping[str, Any], files: set[str], width: int) -> str:
    if "rounds" in step:
        return f"{'':{width}}  … {counted(step['rounds'], 'more round')}"
    if "left" in step:
        return f"{'':{width}}  … {counted(step['left'], 'step')} left out (--json has them)"
    changes = ", ".join(told_changes(step))
    text = "  " * step["depth"] + without_comment(step["text"])[:_LONGEST_LINE]
    return f"{_place(step, files):>{width}}  {f'{text:{_TEXT_WIDTH}}  {changes}' if changes else text}"
