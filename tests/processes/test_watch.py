"""When a family of processes is looked at next: plain arithmetic on its limits."""

from __future__ import annotations

import os

import pytest

from craton.processes.limits import Exceeded, Kind, Limits
from craton.processes.running_time import time_for_others
from craton.processes.watch import GLANCE, Watch


@pytest.mark.parametrize("limits", [Limits(), Limits(3600.0)])
def test_who_has_time_is_looked_at_now_and_then(limits: Limits) -> None:
    watch = Watch(os.getpid(), limits)
    assert watch.next == GLANCE


def test_a_short_limit_is_kept_without_waiting_for_the_next_glance() -> None:
    watch = Watch(os.getpid(), Limits(1.0), started=time_for_others() - 1.0)
    assert 0.0 < watch.next < GLANCE
    while not watch.due:
        pass
    assert watch.glance() == Exceeded(Kind.WALL, 1.0)
