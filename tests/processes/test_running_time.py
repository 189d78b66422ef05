"""A clock that stands still while its process is suspended, or does not have the processor."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from craton.processes import running_time
from craton.processes.limits import Kind
from craton.processes.running_time import Suspensions, asked, told_by


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
    with told_by(wall.suspensions):
        yield wall


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


def test_processor_time_counts_if_that_is_limited() -> None:
    """Of this process and of those that it has started, while they run and afterwards; sleep hardly counts."""
    with running_time.counting(Kind.CPU):
        assert running_time.counted() is Kind.CPU
        before = running_time.running_time()
        time.sleep(0.3)
        slept = running_time.running_time() - before
        _burn(0.2)
        alone = running_time.running_time() - before - slept
        child = multiprocessing.get_context("fork").Process(target=_burn, args=(0.3,))
        child.start()
        child.join()
        both = running_time.running_time() - before - slept - alone
    assert slept < 0.15
    assert 0.2 <= alone < 0.4
    assert 0.25 <= both < 0.6
    assert running_time.counted() is Kind.WALL


def _burn(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_who_had_no_processor_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a longer limit of wall time, as the machine is that busy."""
    wall, limits = Wall(), list[float]()
    monkeypatch.setattr(running_time, "time", wall)
    monkeypatch.setattr(running_time, "running_time", lambda: wall.now / 4)

    def solver(limit: float | None) -> str:
        assert limit is not None
        limits.append(limit)
        wall.works(min(limit, 8.0))
        return "answer" if limit >= 8.0 else ""

    assert asked(solver, 4.0, bool) == "answer"
    assert limits == [4.0, 12.0]
