"""Limits are values: what was exceeded is told as a kind and a number, and in words only at the end."""

from __future__ import annotations

import pytest

from craton.processes.limits import Exceeded, Kind, Limits, Usage


@pytest.mark.parametrize(
    ("exceeded", "told"),
    [
        (Exceeded(Kind.WALL, 0.8), "time limit of 0.8 s reached"),
        (Exceeded(Kind.WALL, 900.0), "time limit of 900 s reached"),
        (Exceeded(Kind.CPU, 1.0), "processor time limit of 1 s reached"),
        (Exceeded(Kind.MEMORY, 400 * 2**20), "memory limit of 400 MiB reached"),
        (Exceeded(Kind.PROCESSES, 20), "more than 20 processes at once"),
    ],
)
def test_what_was_exceeded_is_told(exceeded: Exceeded, told: str) -> None:
    assert str(exceeded) == told


def test_every_kind_has_its_words() -> None:
    assert len({str(Exceeded(kind, 2**20)) for kind in Kind}) == len(Kind)


@pytest.mark.parametrize(
    ("limits", "exceeded"),
    [
        (Limits(), None),
        (Limits(10.0, 5.0, 100), None),  # up to the limit is within it
        (Limits(9.0, None, None), Exceeded(Kind.WALL, 9.0)),
        (Limits(None, 4.0, None), Exceeded(Kind.CPU, 4.0)),
        (Limits(None, None, 99), Exceeded(Kind.MEMORY, 99)),
        (Limits(9.0, 4.0, 99), Exceeded(Kind.WALL, 9.0)),
        (Limits(0.0, None, None), Exceeded(Kind.WALL, 0.0)),
    ],
)
def test_the_first_limit_that_is_exceeded(limits: Limits, exceeded: Exceeded | None) -> None:
    assert limits.exceeded(10.0, Usage(5.0, 100)) == exceeded
