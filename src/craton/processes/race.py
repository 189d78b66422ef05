"""Runs several functions at once, each in its own process: the first valid answer wins, and the others are killed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

from craton.processes.limits import Exceeded, Kind
from craton.processes.running_time import time_for_others
from craton.processes.supervision import Done, Ended, Ending, Report, Worker
from craton.processes.watch import GLANCE, readable

T = TypeVar("T")


def first_answer(
    works: Sequence[Callable[[], T]], seconds: float, wins: Callable[[T], bool]
) -> list[tuple[int, Ending]]:
    """The numbers of the runs that have ended, and how, in the order in which they did. A winner comes last.

    Without a winner all runs are listed; those that did not finish in time as `Exceeded`.
    """
    deadline = time_for_others() + seconds
    ended: list[tuple[int, Ending]] = []
    with ExitStack() as stack:
        running = {number: stack.enter_context(Worker(partial(_silent, work))) for number, work in enumerate(works)}
        while running:
            left = deadline - time_for_others()
            readable([stream for worker in running.values() for stream in worker.streams], min(GLANCE, left))
            for number, worker in list(running.items()):
                ending = worker.poll()
                if ending is None and left <= 0:
                    ending = Ended(Exceeded(Kind.WALL, seconds))
                if ending is not None:
                    del running[number]
                    ended.append((number, ending))
                    if isinstance(ending, Done) and wins(ending.value):
                        return ended
    return ended


def _silent(work: Callable[[], T], report: Report) -> T:
    return work()
