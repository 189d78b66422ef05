"""What `craton.verify` gives: the verdict with its evidence, as values, text, data and HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError
from craton.markup import Html, element, shown, table
from craton.report.verdict import Outcome, as_data
from craton.verdicts import result as plain
from craton.verdicts.text import VerdictKind

if TYPE_CHECKING:
    from craton.library.subject import Subject
    from craton.traces.explanation import Explanation
    from craton.traces.refutation import Refiner
    from craton.trees.explanation import TreeExplanation

_COLOURS = {VerdictKind.TRUE: "good", VerdictKind.FALSE: "bad", VerdictKind.UNKNOWN: "open"}


class Rows(tuple[Mapping[str, Any], ...]):
    """Rows of plain data, the same as in JSON, shown as a table in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return shown(self.table())

    def table(self) -> Html:
        names = dict.fromkeys(name for row in self for name in row)
        return table(tuple(names), ([_cell(row.get(name, "")) for name in names] for row in self))


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {one}" for key, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@dataclass(frozen=True, slots=True)
class Result(plain.Result):
    """The outcome of a run. `result.verdict` is `Proved`, `Violated` or `Unknown`, and `str(result.verdict)` as in
    result files: true, false(unreach-call), unknown. `to_json()` is what the command prints with `--json`.
    """

    told: Outcome | None = field(default=None, repr=False)
    subject: Subject | None = field(default=None, repr=False)

    @classmethod
    def of(cls, result: plain.Result, told: Outcome, subject: Subject) -> Result:
        same = {one.name: getattr(result, one.name) for one in fields(plain.Result)}
        return cls(**same, told=told, subject=subject)

    @property
    def trace(self) -> Rows:
        """The way to the error: lines, what changed there, and which of it came from outside; `rounds` of loops that
        were left out. Empty unless the property is violated.
        """
        return Rows(self._told.way)

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

    def to_json(self, indent: int | None = 2) -> str:
        """One JSON object, with the same fields as `craton verify --json`."""
        return json.dumps(as_data(self._told), indent=indent, ensure_ascii=False)

    def __str__(self) -> str:
        """The verdict and what it rests on."""
        told = self._told
        return "\n  ".join(one for one in (told.verdict.headline, told.reason, told.evidence) if one)

    def _repr_html_(self) -> str:
        told = self._told
        head = element("span", told.verdict.headline, kind=f"strong {_COLOURS[told.verdict.kind]}")
        sentences = [told.reason, told.evidence, f"found by {told.found_by}" if told.found_by else ""]
        parts = [element("div", one, kind="dim") for one in sentences if one]
        parts += [rows.table() for rows in (self.invariants, self.trace) if rows]
        parts += [element("div", f"assumed: {one}", kind="dim") for one in told.assumptions]
        return shown(element("p", head), *parts)

    @property
    def _told(self) -> Outcome:
        assert self.told is not None
        return self.told
