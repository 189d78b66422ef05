"""The progress of a campaign: one changing line on a terminal, a line from time to time elsewhere.

A wrong verdict gets its own line at once, and is counted in every later line.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from shutil import get_terminal_size
from typing import TextIO

from craton.bench.proofs import complaint, is_not_accepted
from craton.bench.results import CORRECT, WRONG, RunRecord

_EVERY = 10.0  # seconds between two lines if the output is not a terminal
_OTHERS = {"timeout": "timed out", "memory": "out of memory", "error": "failed"}


class Progress:
    def __init__(self, stream: TextIO, total: int, known: Iterable[RunRecord] = (), silent: bool = False) -> None:
        self.stream = stream
        self.total = total
        self.silent = silent
        self.live = stream.isatty()
        self.statuses = Counter(record.status for record in known)
        self.before = sum(self.statuses.values())
        self.started = time.monotonic()
        self.printed = self.started
        self.shown = False

    @property
    def done(self) -> int:
        return sum(self.statuses.values())

    def add(self, record: RunRecord) -> None:
        self.statuses[record.status] += 1
        if record.status in WRONG:
            self.clear()
            self._write(
                f"WRONG: {record.task} ({record.property}) under {record.config}: said {record.verdict},"
                f" expected {record.expected}\n"
            )
        if is_not_accepted(record):
            self.clear()
            self._write(complaint(record) + "\n")
        if self.silent:
            return
        now = time.monotonic()
        if self.live:
            self.clear()
            self._write(self.line()[: get_terminal_size().columns - 1])
            self.shown = True
        elif now - self.printed >= _EVERY or self.done == self.total:
            self.printed = now
            self._write(self.line() + "\n")

    def line(self) -> str:
        return f"{self.done} of {self.total} done: {self.counts()}{self._left()}"

    def counts(self) -> str:
        """Always correct and unknown, others if there are any; wrong ones in capitals."""
        wrong = sum(self.statuses[status] for status in WRONG)
        parts = [
            f"{sum(self.statuses[status] for status in CORRECT)} correct",
            f"{wrong} WRONG" if wrong else "0 wrong",
            f"{self.statuses['unknown']} unknown",
            *(f"{self.statuses[status]} {words}" for status, words in _OTHERS.items() if self.statuses[status]),
        ]
        unrated = self.statuses["done-true"] + self.statuses["done-false"]
        return ", ".join([*parts, f"{unrated} with nothing expected"] if unrated else parts)

    def _left(self) -> str:
        """The estimated time left, based on this session only, not on runs finished before."""
        fresh = self.done - self.before
        remaining = self.total - self.done
        if not fresh or not remaining:
            return ""
        return f"; {_duration((time.monotonic() - self.started) / fresh * remaining)} left"

    def clear(self) -> None:
        if self.shown:
            self._write("\r\x1b[2K")
            self.shown = False

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
