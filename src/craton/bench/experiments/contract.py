"""What an experiment is: configurations, the tasks they are for, and how to compare results with the paper's."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from craton.bench.configurations import Configuration
from craton.bench.results import Campaign
from craton.bench.tasks import BenchTask
from craton.errors import UnknownSolver
from craton.smt import make_solver

# The papers' tools neither slice nor replace constants: their refiners see what is irrelevant, and so do ours here.
AS_WRITTEN = ("--passes", "dead-code")


@dataclass(frozen=True, slots=True)
class Row:
    """A configuration of the paper: its name there, and its counterpart here."""

    name: str
    options: tuple[str, ...]
    solver: str = "z3"  # which must be installed

    @property
    def runs_here(self) -> bool:
        return _is_there(self.solver)


@functools.cache
def _is_there(solver: str) -> bool:
    try:
        make_solver(solver).close()
    except UnknownSolver:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        lines = [self.heading, *self.rows]
        widths = [max(_width(line[column]) for line in lines) for column in range(len(self.heading))]
        shown = [
            "  ".join(
                _padded(cell, width, left=number == 0)
                for number, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        rule = "─" * max(map(_width, shown))
        return "\n".join([self.title, rule, shown[0], rule, *shown[1:], rule, *self.notes])

    def markdown(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        rule = line(["---", *["---:"] * (len(self.heading) - 1)])
        notes = ["", *(f"{note}" for note in self.notes)] if self.notes else []
        return "\n".join([f"**{self.title}**", "", line(self.heading), rule, *map(line, self.rows), *notes, ""])


def _width(text: str) -> int:
    """Columns on a terminal: combining characters take none."""
    return sum(not unicodedata.combining(character) for character in text)


def _padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - _width(text))
    return text + space if left else space + text


def share(count: int, total: int) -> str:
    """A number and its share of the total, since the paper's sets are larger than ours."""
    return f"{count} ({100 * count / total:.0f} %)" if total else str(count)


def time_limits(campaign: Campaign) -> str:
    """The time limits of each run, in words."""
    limits = campaign.header.get("limits", {})
    said = [
        f"{limits[name]:g} s of {what} time" for name, what in (("wall", "wall"), ("cpu", "CPU")) if limits.get(name)
    ]
    return " and ".join(said) or "no time limit"


def is_ours(row: str) -> bool:
    """Whether a row of a table is not the paper's: such rows stand below, and compete with none of the paper's."""
    return row.startswith("ours")


QUICK_SECONDS = 600.0  # of processor time, for all runs of `--quick`: five minutes on two cores


@dataclass(frozen=True, slots=True)
class Quick:
    """What `--quick` runs: rows that show the shape of the result, each for a few seconds, on as many tasks as fit."""

    rows: tuple[str, ...] = ("*",)  # patterns of names of configurations
    seconds: float = 5.0  # of processor time, for each run

    def chosen(self, configurations: Sequence[Configuration]) -> list[Configuration]:
        return [c for c in configurations if any(fnmatchcase(c.name, pattern) for pattern in self.rows)]

    def fitting(self, runs_of_tasks: Sequence[int], seconds: float) -> int:
        """How many of the first tasks, of which the number of runs is known, can be run in time; at least one."""
        total, count = 0.0, 0
        for runs in runs_of_tasks:
            total += runs * seconds
            if total > QUICK_SECONDS:
                break
            count += 1
        return max(1, count)


@dataclass(frozen=True, slots=True)
class Experiment:
    name: str
    title: str  # the paper
    time_limit: float  # seconds; the paper's
    memory_limit: float  # MiB; the paper's
    configurations: Callable[[], list[Configuration]]
    applies: Callable[[BenchTask, Configuration], bool]
    tables: Callable[[Campaign], list[Table]]
    figures: Callable[[Campaign, Path], list[Path]] = field(repr=False)
    missing: Callable[[], list[str]] = list  # what the paper uses and this machine lacks
    quick: Quick = Quick()
    captions: Mapping[str, str] = field(default_factory=dict, repr=False)  # of figures, by the stem of their file
