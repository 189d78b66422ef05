"""A clock that stands still while its process is suspended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from craton.processes import running_time
from craton.processes.running_time import Suspensions, are_told_by, asked


@dataclass
class Wall:
    """A clock on the wall that passes when it is told to, and a process under it that works or is suspended."""

    suspensions: Suspensions = field(default_factory=Suspensions)
    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now

    def works(self, seconds: float) -> None:
        self.now += seconds

    def is_suspended(self, seconds: float) -> None:
        self.now += seconds
        self.suspensions.add(seconds)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wall]:
    wall = Wall()
    monkeypatch.setattr(running_time, "time", wall)
    are_told_by(wall.suspensions)
    yield wall
    are_told_by(None)


def test_time_suspended_does_not_count(wall: Wall) -> None:
    before = running_time.running_time()
    wall.works(2.0)
    wall.is_suspended(100.0)
    wall.works(3.0)
    wall.is_suspended(50.0)
    assert running_time.suspended() == 150.0
    assert running_time.running_time() - before == 5.0


class Solver:
    """Needs so many seconds without a break, and gives up at a limit of wall time. It is suspended in the middle of its
    first questions, for as long as it is told.
    """

    def __init__(self, wall: Wall, needs: float, *lost: float) -> None:
        self.wall, self.needs, self.lost = wall, needs, list(lost)
        self.limits: list[float] = []

    def __call__(self, limit: float | None) -> str:
        assert limit is not None
        self.limits.append(limit)
        lost = self.lost.pop(0) if self.lost else 0.0
        self.wall.works(min(limit, self.needs) / 2)
        self.wall.is_suspended(lost)
        if lost >= limit / 2 or self.needs > limit:
            return ""
        self.wall.works(self.needs / 2)
        return "answer"


def test_who_gave_up_because_of_it_is_asked_again(wall: Wall) -> None:
    solver = Solver(wall, 2.0, 50.0, 20.0)
    assert asked(solver, 5.0, bool) == "answer"
    assert solver.limits == [5.0, 4.0, 3.0]


def test_until_its_time_is_over(wall: Wall) -> None:
    solver = Solver(wall, 4.0, 50.0)
    assert asked(solver, 5.0, bool) == ""
    assert solver.limits == [5.0, 3.0]


def test_who_gave_up_by_itself_is_not(wall: Wall) -> None:
    solver = Solver(wall, 9.0, 0.5)
    assert asked(lambda limit: solver(8.0), 1000.0, bool) == ""
    assert len(solver.limits) == 1


def test_an_answer_counts_however_late(wall: Wall) -> None:
    solver = Solver(wall, 2.0, 1.0)
    assert asked(solver, 5.0, bool) == "answer"
    assert solver.limits == [5.0]
