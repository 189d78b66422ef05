"""Cases that end without an answer because the machine was too slow: counted, and too many of them fail the session.

A test that accepts "unknown" must not depend on how busy the machine is; but where every case runs out of time nothing
is tested any more. So such a test says of each of its cases whether time was what it lacked (`record`), and at the end
of the session `tests/conftest.py` compares the share with the group's limit, over all workers of xdist.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from craton.smt.contract import Undecided
from craton.traces.refutation import GaveUp

FEW = 3  # so many are within any limit: a share of a handful of cases says nothing
_LONGEST = 200  # characters of a case's name
_TIME = ("timeout", "canceled", "in time", "resourceout", "out of time", "time limit", "no time left")


class Group(enum.Enum):
    """Cases that are counted together, and the share of them that may run out of time. Behind it what was measured on
    two cores while others were at work there: there is room for a machine that is several times slower, not for more.
    """

    VERDICTS = ("verdicts of single stages", 0.33)  # 14 %, by processor time
    REFUTATIONS = ("refutations of traces", 0.05)  # 0.2 %
    JUDGEMENTS = ("judgements on refutations and runs", 0.05)  # 0.1 %
    INTERPOLANTS = ("interpolants", 0.15)  # 4 %
    EQUIVALENCES = ("opinions on eliminations", 0.1)  # 2 %
    MEANINGS = ("opinions on the meaning of terms", 0.05)  # 0.1 %
    VIEWS = ("traces and values in views", 0.05)  # 1 %
    PATHS = ("paths of Boogie programs", 0.1)  # 1 %

    def __init__(self, title: str, share: float) -> None:
        self.title = title
        self.share = share


def out_of_time(reason: str) -> bool:
    """Whether the reason for having no answer is the machine that was too slow."""
    return any(word in reason for word in _TIME)


@dataclass
class Count:
    cases: int = 0
    late: list[str] = field(default_factory=list)


@dataclass
class Ledger:
    """What a session has seen, by group."""

    counts: dict[Group, Count] = field(default_factory=dict)

    def record(self, group: Group, case: object, reason: str) -> bool:
        """Whether the case was late."""
        count = self.counts.setdefault(group, Count())
        count.cases += 1
        late = out_of_time(reason)
        if late:
            count.late.append(str(case)[:_LONGEST])
        return late

    def as_data(self) -> dict[str, Any]:
        """For xdist, which sends only plain values from its workers."""
        return {group.name: [count.cases, count.late] for group, count in self.counts.items()}

    def add(self, data: Mapping[str, Any]) -> None:
        for name, (cases, late) in data.items():
            count = self.counts.setdefault(Group[name], Count())
            count.cases += cases
            count.late += late

    def lines(self) -> list[str]:
        """What a person wants to know of each group in which something was late."""
        return [
            f"{group.title}: {len(count.late)} of {count.cases} ran out of time (at most {group.share:.0%} may)"
            for group, count in self.counts.items()
            if count.late
        ]

    def problems(self) -> list[str]:
        """The groups beyond their limits, with some of the cases."""
        return [
            f"{group.title}: {len(count.late)} of {count.cases} ran out of time, more than {group.share:.0%}: "
            + "; ".join(sorted(count.late)[:10])
            for group, count in self.counts.items()
            if len(count.late) > max(FEW, group.share * count.cases)
        ]


LEDGER = Ledger()  # of this process's session


def record(group: Group, case: object, answer: object = None) -> bool:
    """Counts a case; whether it is without an answer for lack of time. `answer` may also be a reason in words."""
    reason = answer.reason if isinstance(answer, GaveUp | Undecided) else answer if isinstance(answer, str) else ""
    return LEDGER.record(group, case, reason)
