"""Figures, and how they are taken: processor time, the best of several rounds. Other work on a machine only ever slows
things down, so the best round says most about the code."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    value: float
    unit: str
    goal: float | None = None
    more_is_better: bool = True

    @property
    def met(self) -> bool:
        assert self.goal is not None
        return self.value >= self.goal if self.more_is_better else self.value <= self.goal

    def text(self, number: float) -> str:
        digits = f"{number:,.0f}" if number >= 100 else f"{number:.2f}"
        return f"{digits} {self.unit}".strip()


def best_seconds(work: Callable[[], object], rounds: int = 5) -> float:
    """Processor seconds of the shortest of several runs."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best
