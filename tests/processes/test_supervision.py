"""Workers: reports arrive, limits end the whole family, and a worker that dies is noticed whatever it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from craton.errors import CratonError
from craton.processes.family import family, figures, usage
from craton.processes.limits import Exceeded, Kind, Limits
from craton.processes.race import first_answer
from craton.processes.supervision import Died, Done, Ended, Failed, Interrupted, Report, Worker, supervise
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

    def __reduce__(self) -> tuple[type[Demanding], tuple[str]]:
        """As exceptions do by themselves, unless a library has changed that for all of them (Dask's does)."""
        return Demanding, (str(self),)


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
    assert ending.usage.memory < figures(os.getpid()).resident + 2000 * 2**20  # a fork shares what this process has


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


# --- one worker, step by step -----------------------------------------------------------------------------------------


def test_a_worker_that_is_stopped_in_the_middle_of_a_report_does_not_stop_us() -> None:
    content = "x" * (8 << 20)  # more than a pipe holds

    def work(report: Report) -> str:
        report("first")
        report(content)
        return "done"

    with Worker(work) as worker:
        received: list[object] = []

        def has_begun() -> bool:
            worker.poll()
            received.extend(worker.receive())
            return received == ["first"]

        assert wait_until(has_begun)
        os.kill(worker.pid, signal.SIGSTOP)
        for _ in range(20):  # whatever is in the pipe is read, and the rest is not waited for
            assert worker.poll() is None
        received += worker.receive()
        assert received == ["first"]
        os.kill(worker.pid, signal.SIGCONT)
        assert wait_until(lambda: worker.poll() is not None)
        assert worker.poll() == Done("done")
        assert worker.receive() == [content]


def test_a_worker_that_stops_itself_is_ended_at_its_limit() -> None:
    def work(report: Report) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        forever(report)  # the other threads may have a moment left

    ending = supervise(work, Limits(wall=0.5), lambda content: None)
    assert isinstance(ending, Ended)
    assert ending.cause == Exceeded(Kind.WALL, 0.5)


def test_a_worker_can_be_ended_twice() -> None:
    worker = Worker(forever)
    worker.end()
    worker.end()
    assert not running(worker.pid)


# --- why it ended, as a value -----------------------------------------------------------------------------------------


def test_why_a_worker_ended_is_a_value() -> None:
    def cause(work: Callable[[Report], None], limits: Limits) -> object:
        ending = supervise(work, limits, lambda content: None)
        assert isinstance(ending, Ended)
        assert ending.reason == str(ending.cause)
        return ending.cause

    assert cause(forever, Limits(wall=0.1)) == Exceeded(Kind.WALL, 0.1)
    assert cause(leave, Limits()) == Died(7)
    assert cause(die_of_a_signal, Limits()) == Died(-signal.SIGKILL)


def test_an_interrupt_is_a_value_too() -> None:
    def heard(content: object) -> None:
        raise KeyboardInterrupt

    ending = supervise(with_a_child(forever), Limits(), heard)
    assert isinstance(ending, Ended)
    assert ending.cause == Interrupted()


# --- memory -----------------------------------------------------------------------------------------------------------


def test_workers_of_a_worker_do_not_count_its_memory_again() -> None:
    """Three of them, and each has all that the first one has: the limit is above it, and below twice of it."""
    before = usage(os.getpid()).memory  # of other tests, too
    held = before + 300 * 2**20

    def wait_a_while() -> int:
        time.sleep(0.5)
        return 0

    def work(report: Report) -> int:
        kept = bytearray(b"x") * held
        first_answer([wait_a_while] * 3, 60.0, lambda value: False)
        return len(kept)

    ending = supervise(work, Limits(wall=60, memory=before + held + held // 2), lambda content: None)
    assert isinstance(ending, Done), ending
    assert ending.value == held
    assert ending.usage.memory > held


# --- nobody outlives those who started it -----------------------------------------------------------------------------

ALL_KINDS = """
import os, sys, time
from pathlib import Path
from craton.processes.conversation import Conversation
from craton.processes.limits import Limits
from craton.processes.race import first_answer
from craton.processes.sandbox import run_tool
from craton.processes.supervision import supervise

directory = Path(sys.argv[1])
sleeping = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(120)"]

def note(name, pid):
    (directory / ".new").write_text(str(pid))
    (directory / ".new").rename(directory / name)

def sandboxed():
    run_tool(("sh", "-c", "echo $$ > .new && mv .new sandboxed && exec sleep 120"), directory, 600, 1 << 30)

def inner(report):
    note("inner", os.getpid())
    sandboxed()

def racing():
    supervise(inner, Limits(), print)

def work(report):
    note("worker", os.getpid())
    solver = Conversation(sleeping)
    note("solver", solver.pid)
    first_answer([racing], 600.0, bool)

supervise(work, Limits(), print)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's kernel promises it")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_all_end_with_those_who_started_them(number: int, tmp_path: Path) -> None:
    names = ("worker", "solver", "inner", "sandboxed")
    parent = subprocess.Popen([sys.executable, "-c", ALL_KINDS, str(tmp_path)])
    try:
        assert wait_until(lambda: all((tmp_path / name).exists() for name in names), 60)
        started = [int((tmp_path / name).read_text()) for name in names]
        everybody = family(parent.pid)
        assert all(map(running, started)) and set(started) < set(everybody)
    finally:
        parent.send_signal(number)
        parent.wait()
    assert wait_until(lambda: not any(map(running, everybody)))
    assert parent.returncode == -number
