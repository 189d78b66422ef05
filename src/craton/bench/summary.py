"""Counts of a campaign: category × configuration, and the statistics of single runs.

Results are appended as runs end, so their order is arbitrary. Everything is shown in the order of `in_order`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from craton.bench.proofs import ACCEPTED, is_not_accepted
from craton.bench.results import CORRECT, DONE, WRONG, Campaign, RunRecord

SOLVED = (*CORRECT, *DONE)  # if no verdict is expected, any verdict counts as solved


@dataclass(frozen=True, slots=True)
class Summary:
    """The runs of one category (or of all of them) under one configuration."""

    category: str
    config: str
    is_total: bool  # over all categories; a category may also be called "all"
    runs: int
    by_status: Counter[str]
    unknown_by_reason: Counter[str]  # of the unknown ones only
    alone: int  # tasks solved by no other configuration of the campaign
    score: int
    cpu: float  # seconds, of all runs
    accepted: int = 0  # proofs that were checked again
    not_accepted: int = 0

    def count(self, *statuses: str) -> int:
        return sum(self.by_status[status] for status in statuses)

    @property
    def wrong(self) -> int:
        return self.count(*WRONG)

    def reasons(self, most: int = 3) -> str:
        """Why there is no answer; most frequent reasons first."""
        ranked = sorted(self.unknown_by_reason.items(), key=lambda item: (-item[1], item[0]))
        shown = [f"{count} × {reason}" for reason, count in ranked[:most]]
        others = sum(count for _, count in ranked[most:])
        return "; ".join([*shown, f"{others} × other reasons"] if others else shown)


def categories(campaign: Campaign) -> list[str]:
    return sorted({run.category for run in campaign.runs})


def configs(campaign: Campaign) -> list[str]:
    """In the order in which the user named them."""
    ran = {run.config for run in campaign.runs}
    named = [name for name in campaign.header.get("configs", {}) if name in ran]
    return named + sorted(ran.difference(named))


def in_order(campaign: Campaign) -> list[RunRecord]:
    """By category, task and property; the configurations of a task in the user's order."""
    place = {name: position for position, name in enumerate(configs(campaign))}
    return sorted(campaign.runs, key=lambda run: (run.category, run.task, run.property, place[run.config]))


def is_solved(run: RunRecord) -> bool:
    return run.status in SOLVED


def summaries(campaign: Campaign) -> list[Summary]:
    """One for each category and configuration with runs; then, if there are several categories, one for all of them."""
    alone = solved_alone(campaign.runs)
    cells: dict[tuple[str | None, str], list[RunRecord]] = defaultdict(list)
    for run in in_order(campaign):
        cells[run.category, run.config].append(run)
        cells[None, run.config].append(run)
    rows: list[str | None] = [*categories(campaign)]
    if len(rows) > 1:
        rows.append(None)
    return [
        _summary(category, config, cells[category, config], alone)
        for category in rows
        for config in configs(campaign)
        if (category, config) in cells
    ]


def _summary(category: str | None, config: str, runs: Sequence[RunRecord], alone: set[tuple[str, str, str]]) -> Summary:
    return Summary(
        "all" if category is None else category,
        config,
        category is None,
        len(runs),
        Counter(run.status for run in runs),
        Counter(kind_of_reason(run.reason) for run in runs if run.status == "unknown"),
        sum(run.key() in alone for run in runs),
        sum(run.score for run in runs),
        sum(run.cpu for run in runs),
        sum(run.check == ACCEPTED for run in runs),
        sum(map(is_not_accepted, runs)),
    )


def solved_alone(runs: Iterable[RunRecord]) -> set[tuple[str, str, str]]:
    """The keys of runs that solve what no other configuration solves; empty if there is no other configuration."""
    solvers: dict[tuple[str, str], list[RunRecord]] = defaultdict(list)
    several = set()
    for run in runs:
        several.add(run.config)
        if is_solved(run):
            solvers[run.task, run.property].append(run)
    return {found[0].key() for found in solvers.values() if len(found) == 1} if len(several) > 1 else set()


class FoundBy(NamedTuple):
    """What a stage has found in the runs of a configuration."""

    config: str
    stage: str
    verdicts: int
    median_cpu: float  # seconds, of the whole runs


def found_by(campaign: Campaign) -> list[FoundBy]:
    """Which stages found the verdicts; those that found most first."""
    cpu: dict[tuple[str, str], list[float]] = defaultdict(list)
    for run in in_order(campaign):
        if run.by:
            cpu[run.config, run.by].append(run.cpu)
    place = {name: position for position, name in enumerate(configs(campaign))}
    found = [FoundBy(*key, len(seconds), median(seconds)) for key, seconds in cpu.items()]
    return sorted(found, key=lambda one: (place[one.config], -one.verdicts, one.stage))


_PLACE = re.compile(r"^\S+:\d+(:\d+)?: ")
_NUMBER = re.compile(r"\b\d+(\.\d+)?\b")


def kind_of_reason(reason: str) -> str:
    """The reason without places, numbers and details, for grouping. With several stages, the last one's reason."""
    last = reason.split("; ")[-1].strip()
    kind = _NUMBER.sub("N", _PLACE.sub("", last).split(": ")[0])
    return (kind if len(kind) <= 60 else kind[:59] + "…") or "no reason given"


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """Valid file names. Names that differ only in characters that file names cannot contain get numbers."""
    stems: dict[str, str] = {}
    for name in names:
        stem = plain = re.sub(r"[^\w.+-]+", "_", name).strip("._") or "unnamed"
        number = 1
        while stem.lower() in map(str.lower, stems.values()):
            number += 1
            stem = f"{plain}.{number}"
        stems[name] = stem
    return stems


# --- tasks -----------------------------------------------------------------------------------------------------------


class TaskKey(NamedTuple):
    task: str
    property: str
    category: str


def task_of(run: RunRecord) -> TaskKey:
    return TaskKey(run.task, run.property, run.category)


def with_refinement(runs: Iterable[RunRecord]) -> set[TaskKey]:
    """The tasks with a refutation in some run."""
    counted = ((run, run.statistics.get("refutations")) for run in runs)
    return {task_of(run) for run, counts in counted if isinstance(counts, dict) and sum(counts.values())}


def with_selection(runs: Iterable[RunRecord]) -> set[TaskKey]:
    """The tasks with a refinement in some run that had several sliced prefixes to select from ([RS] 7)."""
    return {task_of(run) for run in runs if (found := selecting(run)) is not None and found.several}


# --- statistics of single runs ----------------------------------------------------------------------------------------


def iterations(run: RunRecord) -> int | None:
    """How many error traces went to a refiner; None if the run does not say."""
    found = run.statistics.get("iterations")
    return found if isinstance(found, int) else None


@dataclass(frozen=True, slots=True)
class Selecting:
    """What a run had to select from ([RS] Alg. 2)."""

    several: int  # refinements with more than one sliced prefix, or more than one analysis to refine
    most: int  # to select from


def selecting(run: RunRecord) -> Selecting | None:
    """None if the run selected nothing."""
    found = run.statistics.get("refinements to select from")
    if not isinstance(found, dict) or not isinstance(found.get("most"), int):
        return None
    return Selecting(found.get("with several", 0), found["most"])


def perfect_sequences(run: RunRecord) -> tuple[int, int] | None:
    """How many sequences were perfect, and how many were tested; None if none was."""
    found = re.fullmatch(r"(\d+) of (\d+)", str(run.statistics.get("perfect sequences", "")))
    if found is None or found[2] == "0":
        return None
    return int(found[1]), int(found[2])


def perfect_share(run: RunRecord) -> float | None:
    """The percentage of perfect sequences among those tested."""
    found = perfect_sequences(run)
    return None if found is None else 100 * found[0] / found[1]


def eliminated(run: RunRecord) -> Counter[str]:
    """Quantified variables by the method that eliminated them; those that stayed are under "none"."""
    found = run.statistics.get("eliminated")
    if not isinstance(found, dict):
        return Counter()
    return Counter({str(method): count for method, count in found.items() if isinstance(count, int)})
