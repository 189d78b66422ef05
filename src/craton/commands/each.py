"""`--show-properties` and `--each`: the checks of a program, and a verdict for each of them.

Checks are verified together as long as that answers: a proof is one of all of them, and a violation is one of its
check, after which the others are asked again without it. What is not decided together is asked in halves, with the
time that is left.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from craton.report.checks import table
from craton.verdicts.text import VerdictKind

if TYPE_CHECKING:
    from craton.frontends.programs import Asked, Request
    from craton.report.verdict import Outcome, Output

Verify = Callable[["Request", float], "Outcome"]
_TOGETHER = 0.5  # of the time, for checks that are verified together
_SHORTEST = 0.1  # seconds
_OUT_OF_TIME = "no time was left"


def listed_checks(asked: Sequence[Asked]) -> list[dict[str, Any]]:
    """The checks of each property that is asked for."""
    from craton.frontends.programs import load_program
    from craton.report.checks import gaps, listed

    found: list[dict[str, Any]] = []
    for one in asked:
        if one.unsupported:
            continue
        program = load_program(one.request)
        found += listed(program)
        found += [{"check": "", "property": "", "file": None, "line": None, "text": text} for text in gaps(program)]
    return list({tuple(entry.values()): entry for entry in found}.values())


def print_checks(found: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    from craton.report.verdict import SCHEMA_VERSION, print_json

    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "checks": [entry for entry in found if entry["check"]]})
        return
    rows = [(entry["check"], _place(entry), entry["property"], entry["text"]) for entry in found if entry["check"]]
    print("\n".join(table(rows, "")) if rows else "nothing to check")
    for entry in found:
        if not entry["check"]:
            print(f"not modelled, so a proof has to show that nobody comes there: {entry['text']}")


def _place(entry: dict[str, Any]) -> str:
    return "" if entry["file"] is None else f"{entry['file']}:{entry['line']}"


@dataclass(slots=True)
class EachCheck:
    """The verdicts on the checks of one request, found with `verify` until the deadline."""

    request: Request
    verify: Verify
    deadline: float
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    runs: int = 0

    def find(self, names: Sequence[str]) -> None:
        from craton.report.verdict import outcome_without_result

        groups = deque([list(names)] if names else [])
        while groups:
            group = groups.popleft()
            left = self.deadline - time.monotonic()
            if left <= _SHORTEST:
                self.outcomes |= {name: outcome_without_result(_OUT_OF_TIME) for name in group}
                continue
            share = left / (1 + len(groups))
            undecided = self._decided(group, share * (_TOGETHER if len(group) > 1 else 1.0))
            if len(undecided) > 1:
                half = len(undecided) // 2
                groups += [undecided[:half], undecided[half:]]

    def _decided(self, group: list[str], seconds: float) -> list[str]:
        """Finds what it can about a group within the time; the checks that are left."""
        until = time.monotonic() + seconds
        while group and time.monotonic() < until:
            self.runs += 1
            found = self.verify(replace(self.request, checks=tuple(group)), until - time.monotonic())
            kind = found.verdict.kind
            if kind is VerdictKind.FALSE and found.violated is not None and found.violated["check"] in group:
                self.outcomes[found.violated["check"]] = found
                group = [name for name in group if name != found.violated["check"]]
                continue
            if kind is VerdictKind.TRUE or len(group) == 1:
                self.outcomes |= dict.fromkeys(group, found)
                return []
            self.outcomes |= dict.fromkeys(group, found)  # until something better is known
            return group
        return group


def print_each(found: Sequence[tuple[dict[str, Any], Outcome]], output: Output) -> Outcome:
    """A table behind the worst verdict, which is returned; then the ways to what fails."""
    from craton.report.formats import FORMATS
    from craton.report.verdict import as_data, outcome_without_result, print_details, print_json, worst_of

    worst = worst_of([outcome for _, outcome in found]) if found else outcome_without_result("nothing to check")
    if output.format in FORMATS:
        print(FORMATS[output.format]([(entry["check"], outcome) for entry, outcome in found]))
        return worst
    if output.format == "json":
        told = [{**entry, **_short(outcome)} for entry, outcome in found]
        print_json({**as_data(worst), "checks": told})
        return worst
    print(worst.verdict.headline)
    rows = [(outcome.verdict.kind.name, entry["check"], _place(entry), entry["text"]) for entry, outcome in found]
    print("\n".join(table(rows)))
    if not output.quiet:
        shown: set[int] = set()
        for entry, outcome in found:
            if id(outcome) not in shown:
                shown.add(id(outcome))
                same = sum(other is outcome for _, other in found)
                print(f"{entry['check']}{f' and {same - 1} more' if same > 1 else ''}: {outcome.verdict.headline}")
                print_details(outcome, stats=False)
    return worst


def _short(outcome: Outcome) -> dict[str, Any]:
    from craton.report.verdict import as_data

    told = as_data(outcome)
    return {name: told[name] for name in ("verdict", "reason", "evidence", "inputs", "way", "confirmed", "found_by")}
