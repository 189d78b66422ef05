"""What is known of a run while it lasts: its program, what it has done, what it has learned. A run that is ended at one
of its limits can still say that much.

`Reporting` tells it, in the worker; `SoFar` keeps it, outside.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from craton.report.verdict import Outcome, figures, outcome_at_start, outcome_without_result, refinements

if TYPE_CHECKING:
    from craton.engines.contract import Progress, Statistics
    from craton.program.cfa import Program
    from craton.verdicts.text import Limit

_EVERY = 1.0  # seconds between two words about what was learned: formulas in the names of the text cost time


@dataclass(frozen=True, slots=True)
class _Learned:
    refinements: list[dict[str, Any]]


class Reporting:
    """`learned`: also what was learned from each error path."""

    def __init__(self, report: Callable[[Any], None], *, learned: bool) -> None:
        self._report, self._learned = report, learned
        self._program: Program | None = None
        self._told = 0.0

    def loaded(self, program: Program) -> None:
        self._program = program
        self._report(outcome_at_start(program))

    def progress(self, progress: Progress, statistics: Statistics) -> None:
        self._report((progress, statistics))
        if self._learned and statistics.log and time.monotonic() - self._told >= _EVERY:
            self._report(_Learned(refinements(statistics.log, self._program)))
            self._told = time.monotonic()


@dataclass(slots=True)
class SoFar:
    begun: Outcome = field(default_factory=lambda: outcome_without_result(""))
    statistics: dict[str, Any] = field(default_factory=dict)
    refinements: list[dict[str, Any]] = field(default_factory=list)

    def heard(self, content: Any) -> tuple[Progress, Statistics] | None:
        """What a worker reports; if that is progress, it is handed on to whoever shows it."""
        if isinstance(content, Outcome):
            self.begun = content
            return None
        if isinstance(content, _Learned):
            self.refinements = content.refinements
            return None
        progress, statistics = content
        self.statistics = figures(statistics)
        return progress, statistics

    def outcome(self, reason: str, limit: Limit | None) -> Outcome:
        """Of a run that was ended."""
        word = None if limit is None else limit.value
        return replace(self.begun, reason=reason, limit=word, statistics=self.statistics, refinements=self.refinements)
