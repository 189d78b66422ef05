"""What `craton.verify` gives: the verdict with its evidence, as values, text, data and HTML."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError
from craton.markup import Html, element, shown, table
from craton.program.picture import to_svg
from craton.report.changes import told_changes
from craton.report.lines import way_lines
from craton.report.verdict import Outcome, as_data, what_fails
from craton.verdicts import result as plain
from craton.verdicts.text import VerdictKind
from craton.words import counted

if TYPE_CHECKING:
    from craton.library.subject import Subject
    from craton.traces.explanation import Explanation
    from craton.traces.refutation import Refiner
    from craton.trees.explanation import TreeExplanation

_COLOURS = {VerdictKind.TRUE: "good", VerdictKind.FALSE: "bad", VerdictKind.UNKNOWN: "open"}


class Rows(tuple[Mapping[str, Any], ...]):
    """Rows of plain data, the same as in JSON, shown as a table in notebooks."""

    __slots__ = ()

    def __str__(self) -> str:
        names = dict.fromkeys(name for row in self for name in row)
        lines = [tuple(names), *(tuple(_cell(row.get(name, "")) for name in names) for row in self)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        return shown(self.table())

    def table(self) -> Html:
        names = dict.fromkeys(name for row in self for name in row)
        return table(tuple(names), ([_cell(row.get(name, "")) for name in names] for row in self))


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {one}" for key, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


class Way(Rows):
    """Steps of a run; rounds of loops that were left out are rows of their own."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(way_lines(self))

    def table(self) -> Html:
        return table(("line", "statement", "what happened"), map(_step, self))


def _step(row: Mapping[str, Any]) -> tuple[str, str, str]:
    if "rounds" in row:
        return "", f"… {counted(row['rounds'], 'more round')}", ""
    return str(row["line"]), "\u2003" * row["depth"] + row["text"], ", ".join(told_changes(row))


@dataclass(frozen=True, slots=True)
class Result(plain.Result):
    """The outcome of a run. `result.verdict` is `Proved`, `Violated` or `Unknown`, and `str(result.verdict)` as in
    result files: true, false(unreach-call), unknown. `to_json()` is what the command prints with `--json`.
    """

    told: Outcome | None = field(default=None, repr=False)
    subject: Subject | None = field(default=None, repr=False)

    @classmethod
    def of(cls, result: plain.Result, told: Outcome, subject: Subject | None) -> Result:
        same = {one.name: getattr(result, one.name) for one in fields(plain.Result)}
        return cls(**same, told=told, subject=subject)

    @property
    def trace(self) -> Way:
        """The way to the error: lines, what changed there, and which of it came from outside; `rounds` of loops that
        were left out. Empty unless the property is violated.
        """
        return Way(self._told.way)

    @property
    def inputs(self) -> Rows:
        """What the program has to be given to fail."""
        return Rows(self._told.inputs)

    @property
    def invariants(self) -> Rows:
        """Invariants of loops and contracts of procedures, with their places. Empty unless the property is proved."""
        return Rows(self._told.invariants)

    def explain(
        self, refine: Sequence[str | Refiner] | None = None, *, unroll: int = 2, time_limit: float = 60.0
    ) -> Explanation | TreeExplanation:
        """What refiners learn from a spurious error path of the program: as `craton.explain`."""
        from craton.library.explaining import explained

        if self.subject is None:
            raise CratonError("the result does not know its program")
        return explained(self.subject, refine, unroll, time_limit)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page that stands for itself: the source with invariants, the counterexample to step through, the automaton,
        what was learned, and how. Written to a file if there is a path.
        """
        from craton.files import write_atomically
        from craton.report.html import About, report

        picture = "" if self.program is None else to_svg(self.program)
        configuration = {"found by": self.stage, "passes": self._told.passes, "seconds": f"{self.seconds:.1f}"}
        page = report(self._told, About(picture, configuration))
        if path is not None:
            write_atomically(Path(path), page)
        return page

    def to_json(self, indent: int | None = 2) -> str:
        """One JSON object, with the same fields as `craton verify --json`."""
        return json.dumps(as_data(self._told), indent=indent, ensure_ascii=False)

    def __str__(self) -> str:
        """The verdict and what it rests on."""
        told = self._told
        head = told.verdict.headline + what_fails(told)
        return "\n  ".join(one for one in (head, self._because, told.reason, told.evidence) if one)

    def _repr_html_(self) -> str:
        told = self._told
        head = element("span", told.verdict.headline, kind=f"strong {_COLOURS[told.verdict.kind]}")
        sentences = [self._because, told.reason, told.evidence, f"found by {told.found_by}" if told.found_by else ""]
        parts = [element("div", one, kind="dim") for one in sentences if one]
        parts += [rows.table() for rows in (self.invariants, self.trace) if rows]
        parts += [element("div", f"assumed: {one}", kind="dim") for one in told.assumptions]
        return shown(element("p", head), *parts)

    @property
    def _because(self) -> str:
        because = (self._told.violated or {}).get("because")
        return f"because {because}" if because else ""

    @property
    def _told(self) -> Outcome:
        assert self.told is not None
        return self.told
