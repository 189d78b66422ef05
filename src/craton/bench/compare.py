"""What changed between two campaigns: newly solved, lost, flipped, wrong, faster and slower.

Runs are matched by task, property and configuration; a configuration may be compared with one of another name in the
other campaign.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from craton.bench.results import DONE, WRONG, Campaign, RunRecord
from craton.bench.summary import configs, in_order, is_solved
from craton.errors import CratonError
from craton.verdicts.text import VerdictKind
from craton.words import counted


class NothingToCompare(CratonError):
    """Two campaigns without a run in common."""


class Change(Enum):
    """How a run changed. Regressions make `craton compare` fail."""

    WRONG = "wrong now, and not before"
    FLIPPED = "the opposite verdict, and not known to be right"
    LOST = "solved before, not now"
    STILL_WRONG = "wrong before and now"
    MENDED = "wrong before, not now"
    SOLVED = "solved now, not before"
    SLOWER = "slower"
    FASTER = "faster"


REGRESSIONS = (Change.WRONG, Change.FLIPPED, Change.LOST)


@dataclass(frozen=True, slots=True)
class Difference:
    change: Change
    before: RunRecord
    now: RunRecord

    @property
    def is_flip(self) -> bool:
        """True became false, or false became true, regardless of which is right."""
        return {self.before.kind(), self.now.kind()} == {VerdictKind.TRUE, VerdictKind.FALSE}

    @property
    def factor(self) -> float:
        """The new CPU time as a multiple of the old."""
        return self.now.cpu / max(self.before.cpu, 1e-9)


@dataclass(frozen=True, slots=True)
class Tally:
    """The compared part of a campaign."""

    solved: int
    wrong: int
    score: int
    cpu: float


@dataclass(frozen=True, slots=True)
class Comparison:
    differences: tuple[Difference, ...]
    compared: int
    only_before: int  # runs without a partner
    only_now: int
    before: Tally
    now: Tally

    def of(self, change: Change) -> list[Difference]:
        return [found for found in self.differences if found.change is change]

    def regressions(self, *, slower_too: bool = False) -> list[Difference]:
        worse = (*REGRESSIONS, Change.SLOWER) if slower_too else REGRESSIONS
        return [found for found in self.differences if found.change in worse]


def compare(
    before: Campaign, now: Campaign, pairs: dict[str, str] | None = None, factor: float = 2.0, least: float = 1.0
) -> Comparison:
    """`pairs` says which configurations to compare; by default those of equal names, or the only two.

    A run is slower or faster if its CPU time differs by `factor` and by at least `least` seconds: for tiny times, noise
    can produce any factor.
    """
    matched, only_before, only_now = _matched(before, now, _pairs(before, now) if pairs is None else pairs)
    if not matched:
        raise NothingToCompare("the two campaigns have no run in common: other tasks, properties or configurations")
    found = [(_change(old, new, factor, least), old, new) for old, new in matched]
    differences = tuple(Difference(change, old, new) for change, old, new in found if change is not None)
    return Comparison(
        differences,
        len(matched),
        only_before,
        only_now,
        _tally([old for old, _ in matched]),
        _tally([new for _, new in matched]),
    )


def _pairs(before: Campaign, now: Campaign) -> dict[str, str]:
    olds, news = configs(before), configs(now)
    if len(olds) == len(news) == 1:
        return {olds[0]: news[0]}
    return {name: name for name in olds if name in news}


def _matched(
    before: Campaign, now: Campaign, pairs: dict[str, str]
) -> tuple[list[tuple[RunRecord, RunRecord]], int, int]:
    news = {run.key(): run for run in in_order(now)}
    matched = []
    only_before = 0
    for run in in_order(before):
        partner = news.pop((run.task, run.property, pairs[run.config]), None) if run.config in pairs else None
        if partner is not None:
            matched.append((run, partner))
        elif run.config in pairs:
            only_before += 1
    only_now = sum(run.config in pairs.values() for run in news.values())
    return matched, only_before, only_now


def _change(before: RunRecord, now: RunRecord, factor: float, least: float) -> Change | None:
    was_wrong, is_wrong = before.status in WRONG, now.status in WRONG
    if is_wrong:
        return Change.STILL_WRONG if was_wrong else Change.WRONG
    if was_wrong:
        return Change.MENDED
    if is_solved(before) and is_solved(now):
        # If no verdict is expected, one of two different verdicts is wrong, but it is unknown which.
        if now.status in DONE and before.kind() is not now.kind():
            return Change.FLIPPED
        return _pace(before.cpu, now.cpu, factor, least)
    if is_solved(before):
        return Change.LOST
    return Change.SOLVED if is_solved(now) else None


def _pace(before: float, now: float, factor: float, least: float) -> Change | None:
    if now >= factor * before and now - before >= least:
        return Change.SLOWER
    return Change.FASTER if before >= factor * now and before - now >= least else None


def _tally(runs: list[RunRecord]) -> Tally:
    return Tally(
        sum(map(is_solved, runs)),
        sum(run.status in WRONG for run in runs),
        sum(run.score for run in runs),
        round(sum(run.cpu for run in runs), 3),
    )


# --- as text ----------------------------------------------------------------------------------------------------------


def as_text(comparison: Comparison, *, slower_too: bool = False) -> str:
    return "\n".join(_lines(comparison, slower_too)) + "\n"


def _lines(comparison: Comparison, slower_too: bool) -> Iterator[str]:
    before, now = comparison.before, comparison.now
    yield f"{counted(comparison.compared, 'run')} compared"
    for count, where in ((comparison.only_before, "the first"), (comparison.only_now, "the second")):
        if count:
            yield f"only in {where} campaign, and not compared: {counted(count, 'run')}"
    flips = sum(difference.is_flip for difference in comparison.differences)
    yield f"  solved {before.solved} → {now.solved}, wrong {before.wrong} → {now.wrong}," + (
        f" score {before.score} → {now.score}, CPU {before.cpu:.1f} s → {now.cpu:.1f} s, verdict flips {flips}"
    )
    for change in Change:
        found = comparison.of(change)
        if found:
            yield ""
            yield f"{change.value} ({len(found)}):"
            yield from (f"  {_line(difference)}" for difference in found)
    bad = comparison.regressions(slower_too=slower_too)
    yield ""
    yield f"REGRESSION: {len(bad)} of {counted(comparison.compared, 'run')}" if bad else "no regression"


def _line(difference: Difference) -> str:
    before, now = difference.before, difference.now
    where = f"{now.task} ({now.property}), {_configs(difference)}"
    if difference.change in (Change.SLOWER, Change.FASTER):
        return f"{where}: {before.cpu:.2f} s → {now.cpu:.2f} s (× {difference.factor:.2f})"
    expected = f", expected {now.expected}" if now.expected is not None else ""
    why = f" ({now.reason})" if now.reason and difference.change is Change.LOST else ""
    return f"{where}: {before.verdict} → {now.verdict}{why}{expected}"


def _configs(difference: Difference) -> str:
    before, now = difference.before.config, difference.now.config
    return now if before == now else f"{before} → {now}"


def as_data(comparison: Comparison, *, slower_too: bool = False) -> dict[str, Any]:
    return {
        "compared": comparison.compared,
        "only before": comparison.only_before,
        "only now": comparison.only_now,
        "before": asdict(comparison.before),
        "now": asdict(comparison.now),
        "regressions": len(comparison.regressions(slower_too=slower_too)),
        "changes": {
            change.name.lower().replace("_", " "): [_as_data(found) for found in comparison.of(change)]
            for change in Change
        },
    }


def _as_data(difference: Difference) -> dict[str, Any]:
    told: dict[str, Any] = {"task": difference.now.task, "property": difference.now.property}
    told["expected"] = difference.now.expected
    told["flip"] = difference.is_flip
    for name, run in (("before", difference.before), ("now", difference.now)):
        told[name] = {"config": run.config, "verdict": run.verdict, "status": run.status, "cpu": run.cpu}
    return told
