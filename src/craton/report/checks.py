"""Checks in words: what each is about, with the text of its statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from craton.program.cfa import Program, Property, Unmodelled
from craton.program.checks import checks
from craton.program.origin import SourceRange
from craton.words import counted

_ASSERTION = re.compile(r"(?:static_)?assert\s*\((?P<c>.*)\)\s*;?|assert\s+(?:\{.*?\}\s*)*(?P<boogie>.*?);?", re.DOTALL)
_CLAUSE = re.compile(r"(?:free\s+)?(?P<kind>requires|ensures|invariant)\s+(?:\{.*?\}\s*)*(?P<c>.*?);?", re.DOTALL)
_CLAUSES = {"requires": "precondition", "ensures": "postcondition", "invariant": "loop invariant"}
_BOOGIE_CALL = re.compile(r"call\b.*;?", re.DOTALL)
_CALL = re.compile(r"(?P<name>\w+)\s*\(.*\)\s*;?", re.DOTALL)
_LABEL = re.compile(r"(?P<name>\w+)\s*:.*", re.DOTALL)
_LONGEST = 70  # characters of a statement
_HAPPENS = {
    "no-overflow": "signed integer overflow",
    "no-div-by-zero": "division by zero",
    "valid-deref": "invalid access of memory",
    "valid-free": "invalid free",
    "valid-memtrack": "allocated memory is lost",
    "valid-memcleanup": "allocated memory is not freed at the end",
}
_NOTHING = "there is nothing to check: what the property forbids ({}) does not occur in what can be executed"


class SourceTexts:
    """The texts of ranges in files, each file read once; "" for what cannot be read."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        if file not in self._lines:
            try:
                with open(file, encoding="utf-8", errors="replace") as text:
                    self._lines[file] = text.read().split("\n")
            except OSError:
                self._lines[file] = []
        return self._lines[file]

    def line(self, file: str, number: int) -> str:
        """Without the space around it."""
        lines = self.lines(file)
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def of(self, where: SourceRange | None) -> str:
        """The text of a range, in one line."""
        if where is None:
            return ""
        lines = self.lines(where.file)[where.line - 1 : where.end_line]
        if not lines:
            return ""
        lines[-1] = _cut(lines[-1], 0, where.end_column - 1)
        lines[0] = _cut(lines[0], where.column - 1, None)
        return " ".join(" ".join(lines).split())


def _cut(line: str, begin: int, end: int | None) -> str:
    """Columns count bytes."""
    return line.encode()[begin:end].decode(errors="replace")


def failure(violated: Property, texts: SourceTexts) -> str:
    """What happens where the check fails: `assertion "y > 6" fails`."""
    text = texts.of(violated.where)
    if violated.name == "unreach-call":
        return _reached(text)
    happens = _HAPPENS.get(violated.name, violated.description or violated.name)
    return f"{happens} in `{shortened(text)}`" if text and violated.name not in ("valid-memcleanup",) else happens


def _reached(text: str) -> str:
    assertion = _ASSERTION.fullmatch(text)
    if assertion is not None:
        return f'assertion "{shortened(assertion["c"] or assertion["boogie"] or "")}" fails'
    clause = _CLAUSE.fullmatch(text)
    if clause is not None:
        return f'{_CLAUSES[clause["kind"]]} "{shortened(clause["c"])}" does not hold'
    if _BOOGIE_CALL.fullmatch(text):
        return f"a precondition of `{shortened(text)}` does not hold"
    call, label = _CALL.fullmatch(text), _LABEL.fullmatch(text)
    if call is not None:
        return f"{call['name']}() is called"
    if label is not None:
        return f"label {label['name']} is reached"
    return f"an error is reached in `{shortened(text)}`" if text else "an error is reached"


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + " …"


def listed(program: Program) -> list[dict[str, Any]]:
    """Every check: its name, its property, its place, and what would happen there."""
    texts = SourceTexts()
    return [
        {
            "check": one.check,
            "property": one.name,
            "file": None if one.where is None else one.where.file,
            "line": None if one.where is None else one.where.line,
            "text": failure(one, texts),
        }
        for one in checks(program)
    ]


def gaps(program: Program) -> list[str]:
    """What the program does that is not modelled: a proof has to show that nobody comes there."""
    found = (each.sentence for each in program.errors.values() if isinstance(each, Unmodelled))
    return list(dict.fromkeys(found))


def what_was_checked(program: Program) -> list[dict[str, Any]]:
    """Each property with the number of its checks."""
    names = [one.name for one in program.properties]
    found = [one.name for one in checks(program)]
    return [{"property": name, "checks": found.count(name)} for name in dict.fromkeys((*names, *found))]


def warnings(program: Program) -> list[str]:
    """What users should know before they believe a TRUE. Who knows what happens where something is not modelled?"""
    if program.errors or not program.properties:
        return []
    return [_NOTHING.format("; or ".join(one.description for one in program.properties))]


def in_words(checked: Iterable[Mapping[str, Any]]) -> str:
    """`unreach-call (2 checks)`."""
    return ", ".join(f"{one['property']} ({counted(one['checks'], 'check')})" for one in checked)


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Columns of texts, as wide as they have to be; the last one as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (
            indent + "  ".join([*(f"{cell:{width}}" for cell, width in zip(row[:-1], widths, strict=False)), row[-1]])
        ).rstrip()
        for row in rows
    ]
