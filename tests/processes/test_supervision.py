"""Workers: reports arrive, limits end the whole family, and a worker that dies is noticed whatever it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from craton.errors import CratonError
from craton.processes.limits import Limits
from craton.processes.supervision import Done, Ended, Failed, Report, supervise
from support.processes import needs_proc, running, wait_until

SLEEPING = [sys.executable, "-c", "import time; time.sleep(60)"]

pytestmark = needs_proc


class Heard:
    """What was reported, and how long the supervision took."""

    def __init__(self) -> None:
        self.reports: list[Any] = []
        self.seconds = 0.0

    def supervise(self, work: Callable[[Report], Any], limits: Limits) -> Done | Failed | Ended:
        started = time.monotonic()
        ending = supervise(work, limits, self.reports.append)
        self.seconds = time.monotonic() - started
        return ending


def forever(report: Report) -> None:
    while True:
        time.sleep(0.05)


def with_a_child(then: Callable[[Report], None]) -> Callable[[Report], None]:
    """Starts a process, reports its number, and goes on."""

    def work(report: Report) -> None:
        report(subprocess.Popen(SLEEPING).pid)
        then(report)

    return work


# --- answers ----------------------------------------------------------------------------------------------------------


def test_reports_arrive_in_order_before_the_value() -> None:
    def work(report: Report) -> str:
        for number in range(200):
            report(number)
        return "value"

    heard = Heard()
    ending = heard.supervise(work, Limits())
    assert isinstance(ending, Done)
    assert ending.value == "value"
    assert heard.reports == list(range(200))


def test_the_usage_of_the_family_is_told() -> None:
    def work(report: Report) -> int:
        kept = bytearray(60 * 2**20)
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        return len(kept)

    ending = supervise(work, Limits(), lambda content: None)
    assert isinstance(ending, Done)
    assert ending.usage.memory > 60 * 2**20
    assert ending.usage.cpu >= 0.2


def test_an_error_comes_back_as_it_was_raised() -> None:
    def work(report: Report) -> None:
        raise CratonError("no such thing")

    ending = supervise(work, Limits(), lambda content: None)
    assert isinstance(ending, Failed)
    assert isinstance(ending.error, CratonError)
    assert str(ending.error) == "no such thing"
    assert "def work" in ending.traceback or "in work" in ending.traceback


def test_an_error_that_cannot_travel_is_told_in_words() -> None:
    class Local(Exception):
        pass

    def work(report: Report) -> None:
        raise Local("stays at home")

    ending = supervise(work, Limits(), lambda content: None)
    assert isinstance(ending, Failed)
    assert "Local: stays at home" in str(ending.error)


class Placed(CratonError):
    """An error whose constructor asks for more than its message."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"{message} in line {line}")
        self.line = line


class Demanding(Exception):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"{message} in line {line}")


def test_an_error_with_its_own_constructor_arrives_whole() -> None:
    def work(report: Report) -> None:
        raise Placed("no such thing", line=3)

    ending = supervise(work, Limits(), lambda content: None)
    assert isinstance(ending, Failed)
    assert isinstance(ending.error, Placed)
    assert (str(ending.error), ending.error.line) == ("no such thing in line 3", 3)


def test_an_error_that_cannot_be_received_is_told_in_words() -> None:
    def work(report: Report) -> None:
        raise Demanding("no such thing", line=3)

    ending = supervise(work, Limits(), lambda content: None)
    assert isinstance(ending, Failed)
    assert str(ending.error) == "Demanding: no such thing in line 3"


def test_deep_recursion_of_a_solver_has_room() -> None:
    def work(report: Report) -> int:
        sys.setrecursionlimit(400_000)

        def depth(n: int) -> int:
            return 0 if n == 0 else 1 + depth(n - 1)

        return depth(100_000)

    ending = supervise(work, Limits(), lambda content: None)
    assert isinstance(ending, Done)
    assert ending.value == 100_000


# --- limits -----------------------------------------------------------------------------------------------------------


def test_the_wall_limit_ends_the_worker_and_what_it_started() -> None:
    heard = Heard()
    ending = heard.supervise(with_a_child(forever), Limits(wall=0.8))
    assert isinstance(ending, Ended)
    assert ending.reason == "time limit of 0.8 s reached"
    assert 0.8 <= heard.seconds < 20
    assert wait_until(lambda: not running(heard.reports[0]))


def test_the_wall_limit_is_kept_while_reports_pour_in() -> None:
    def work(report: Report) -> None:
        while True:
            report("still here")

    heard = Heard()
    ending = heard.supervise(work, Limits(wall=0.5))
    assert isinstance(ending, Ended)
    assert heard.seconds < 20
    assert len(heard.reports) > 10


def test_the_processor_limit_counts_children_too() -> None:
    def work(report: Report) -> None:
        report(subprocess.Popen([sys.executable, "-c", "while True: pass"]).pid)
        forever(report)

    heard = Heard()
    ending = heard.supervise(work, Limits(wall=60, cpu=0.4))
    assert isinstance(ending, Ended)
    assert ending.reason == "processor time limit of 0.4 s reached"
    assert ending.usage.cpu > 0.4
    assert wait_until(lambda: not running(heard.reports[0]))


def test_the_memory_limit_is_kept() -> None:
    def work(report: Report) -> None:
        kept = []
        while True:
            kept.append(bytearray(10 * 2**20))
            time.sleep(0.05)

    ending = supervise(work, Limits(wall=60, memory=400 * 2**20), lambda content: None)
    assert isinstance(ending, Ended)
    assert ending.reason == "memory limit of 400 MiB reached"
    assert ending.usage.memory < 2000 * 2**20


def test_a_worker_within_a_worker_is_ended_with_it() -> None:
    def inner(report: Report) -> None:
        report(os.getpid())
        with_a_child(forever)(report)

    def work(report: Report) -> None:
        supervise(inner, Limits(), report)

    heard = Heard()
    ending = heard.supervise(work, Limits(wall=1.5))
    assert isinstance(ending, Ended)
    assert len(heard.reports) == 2
    assert wait_until(lambda: not any(map(running, heard.reports)))


def test_the_limit_of_a_worker_within_a_worker_is_its_own() -> None:
    def work(report: Report) -> str:
        ending = supervise(with_a_child(forever), Limits(wall=0.4), report)
        assert isinstance(ending, Ended)
        return ending.reason

    heard = Heard()
    ending = heard.supervise(work, Limits(wall=20))
    assert isinstance(ending, Done)
    assert ending.value == "time limit of 0.4 s reached"
    assert wait_until(lambda: not running(heard.reports[0]))


# --- death ------------------------------------------------------------------------------------------------------------


def die_of_a_signal(report: Report) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave(report: Report) -> None:
    os._exit(7)


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (die_of_a_signal, "the worker died of signal 9 (SIGKILL)"),
        (leave, "the worker died with exit code 7"),
    ],
)
def test_a_worker_that_dies_is_noticed_at_once_and_leaves_nobody(end: Callable[[Report], None], reason: str) -> None:
    heard = Heard()
    ending = heard.supervise(with_a_child(end), Limits(wall=30))
    assert isinstance(ending, Ended)
    assert ending.reason == reason
    assert heard.seconds < 10
    assert wait_until(lambda: not running(heard.reports[0]))


def test_a_child_that_holds_the_pipe_does_not_hide_the_death() -> None:
    def work(report: Report) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer Pythons warn of forks beside threads
            child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        report(child)
        os._exit(3)

    heard = Heard()
    ending = heard.supervise(work, Limits(wall=30))
    assert isinstance(ending, Ended)
    assert ending.reason == "the worker died with exit code 3"
    assert heard.seconds < 10
    assert wait_until(lambda: not running(heard.reports[0]))


def test_an_interrupt_ends_the_family() -> None:
    pids: list[int] = []

    def heard(content: Any) -> None:
        pids.append(content)
        raise KeyboardInterrupt

    ending = supervise(with_a_child(forever), Limits(), heard)
    assert isinstance(ending, Ended)
    assert ending.reason == "interrupted"
    assert wait_until(lambda: not running(pids[0]))
