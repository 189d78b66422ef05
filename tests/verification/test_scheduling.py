"""Who has how much time, tried without an engine."""

from __future__ import annotations

import pytest

from craton.processes.limits import Kind, Limits, least
from craton.processes.running_time import counting
from craton.verdicts.text import Limit
from craton.verification.scheduling import Clock, equal_part, own_limit, own_limits, time_to_confirm


def test_a_run_stops_a_little_before_its_limit() -> None:
    assert (own_limit(None), own_limit(600), own_limit(10), own_limit(1)) == (None, 599, 9.7, 1)


def test_least() -> None:
    assert (least(), least(None), least(None, 3.0, 2.0)) == (None, None, 2.0)


def test_equal_parts() -> None:
    assert (equal_part(9.0, 3), equal_part(None, 3)) == (3.0, None)


def test_an_answer_is_confirmed_in_a_part_of_the_time() -> None:
    assert time_to_confirm(None) is None
    assert time_to_confirm(100.0) == 40.0
    assert time_to_confirm(5.0) == 3.0  # some seconds at least …
    assert time_to_confirm(1.0) == 1.0  # … but no more than there are


class Hands:
    """A clock that goes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("craton.verification.scheduling.running_time", lambda: self.now)


def test_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = Hands(monkeypatch)
    clock = Clock.lasting(10)
    hands.now += 4
    assert (clock.left, clock.is_over) == (6, False)
    assert clock.part(2).left == 2
    assert clock.part(20).left == 6  # no later than the whole
    assert clock.part(None).left == 6
    part = clock.part(2)
    hands.now += 2
    assert (part.is_over, clock.is_over) == (True, False)
    hands.now += 5
    assert (clock.left, clock.is_over) == (-1, True)


def test_a_clock_without_a_limit() -> None:
    clock = Clock.lasting(None)
    assert (clock.left, clock.is_over, clock.part(None).left) == (None, False, None)
    assert clock.part(5).left == pytest.approx(5, abs=1)


def test_a_clock_of_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever limit comes first; of processor time there is one for all who work at once."""
    hands = Hands(monkeypatch)
    monkeypatch.setattr("craton.verification.scheduling.unsuspended", lambda: 3 * hands.now)  # a busy machine
    with counting(Kind.CPU):
        clock = Clock.within(Limits(30.0, 12.0))
        assert (clock.left, clock.left_for(2)) == (12, 12)
        hands.now += 9
        assert (clock.left, clock.left_for(2), clock.reached) == (3, 3, None)
        assert clock.part(2).left == 2
        hands.now += 0.5
        assert (clock.left, clock.left_for(2)) == (1.5, 2.5)
        hands.now += 0.5
        assert (clock.is_over, clock.reached) == (True, Limit.WALL)
        clock = Clock.within(Limits(None, 1.0))
        hands.now += 2
        assert clock.reached is Limit.CPU


def test_of_wall_time_everybody_has_the_same() -> None:
    clock = Clock.within(Limits(10.0))
    left = clock.left_for(3)
    assert left is not None and left > 20


def test_a_run_stops_before_each_limit() -> None:
    assert own_limits(Limits(600, 10, 5)) == Limits(599, 9.4, 5)
    assert own_limits(Limits(600, 900)) == Limits(599, 898)
    assert own_limits(Limits(None, 1.0)) == Limits()  # others see to it
