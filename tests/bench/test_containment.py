"""Whatever a run does, it is ended at its limits with all it has started, and recorded for what it was."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from craton.bench.contained import FILE, PYTHON, Keeper, Order, contain
from craton.worker import Limits
from support.bench import STAND_IN, by_name, campaign, plan, write_tasks

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="families are seen through /proc")


def order(directory: Path, program: str, limits: Limits, **others: int) -> Order:
    path = directory / "program.bpl"
    path.write_text(program)
    return Order((*STAND_IN, str(path)), limits, **others)


def processes_about(mark: str) -> list[str]:
    """Processes whose command line has the mark."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark in command and state not in "ZX" and int(entry.name) != os.getpid():
            found.append(command)
    return found


def test_a_run_that_behaves(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "true", Limits(30, 30, 2**30)))
    assert (what.exit_code, what.reached, what.reason) == (0, "", "")
    assert '"verdict": "true"' in what.output and what.log == what.output
    assert what.wall > 0 and what.memory > 2**20


def test_memory_of_all_processes_is_limited(tmp_path: Path) -> None:
    """It would take 20 GiB; the limit is 100 MiB."""
    what = contain(order(tmp_path, "allocate=20480 true", Limits(60, None, 100 * 2**20)))
    assert what.reached == "memory" and what.exit_code is None
    assert "100 MiB" in what.reason
    assert 100 * 2**20 < what.memory < 2**30
    assert not processes_about(str(tmp_path))


def test_memory_of_children_counts(tmp_path: Path) -> None:
    """None of the eight has 120 MiB, but all together have."""
    code = "import os, time\nfor _ in range(3): os.fork()\nheld = bytearray(b'x' * 2**25)\ntime.sleep(60)"
    limited = contain(Order((sys.executable, "-I", "-S", "-c", code, str(tmp_path)), Limits(60, None, 120 * 2**20)))
    assert limited.reached == "memory"
    assert not processes_about(str(tmp_path))


def test_processor_time_of_children_counts(tmp_path: Path) -> None:
    code = "import os, time\nif not os.fork():\n  while True: pass\ntime.sleep(60)"
    what = contain(Order((sys.executable, "-I", "-S", "-c", code, str(tmp_path)), Limits(60, 0.3, None)))
    assert what.reached == "cpu" and what.cpu > 0.3
    assert not processes_about(str(tmp_path))


def test_a_tree_of_processes_is_ended(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "fork=6 true", Limits(60, None, None), most_processes=20))
    assert what.reached == "processes" and "20 processes" in what.reason
    assert not processes_about(str(tmp_path))


def test_a_run_that_ignores_signals_is_ended(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "deaf true", Limits(0.3, None, None)))
    assert what.reached == "wall" and what.exit_code is None
    assert not processes_about(str(tmp_path))


def test_a_log_is_cut_in_the_middle(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "log=8 true", Limits(60, None, None), log_bytes=1000))
    assert what.exit_code == 0 and '"verdict": "true"' in what.output
    assert what.written > 8 * 2**20
    assert len(what.log) < 1100 and "bytes left out" in what.log
    assert what.log.startswith("xxx") and what.log.rstrip().endswith("}")


def test_who_has_left_the_family_is_ended_too(tmp_path: Path) -> None:
    """An orphan in a session of its own, which the command does not wait for."""
    what = contain(order(tmp_path, "daemon=60 true", Limits(60, None, None)))
    assert what.exit_code == 0 and what.wall < 30
    assert not processes_about(str(tmp_path))


def test_a_run_hears_signals_as_anywhere_else() -> None:
    """A keeper must not make its run deaf: what is ignored is inherited."""
    code = "import signal; print(*(signal.getsignal(number).name for number in (signal.SIGTERM, signal.SIGHUP)))"
    what = contain(Order((PYTHON, "-I", "-S", "-c", code)))
    assert what.output == "SIG_DFL SIG_DFL\n"


def test_a_file_is_handed_on(tmp_path: Path) -> None:
    path = tmp_path / "program.bpl"
    path.write_text("true")
    what = contain(Order((*STAND_IN, str(path), "--witness", FILE)))
    assert what.file == "a witness\n"


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    what = contain(Order((str(tmp_path / "nothing"),)))
    assert what.exit_code == 127 and "cannot start" in what.reason


def test_everything_ends_with_those_who_asked(tmp_path: Path) -> None:
    """Also when they are killed: the keeper notices that nobody listens."""
    path = tmp_path / "program.bpl"
    path.write_text("deaf true")
    code = f"import sys; from craton.bench.contained import *\ncontain(Order({(*STAND_IN, str(path))!r}))"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_until(lambda: bool(processes_about("verifier.py\0" + str(path))))
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not processes_about("verifier.py\0" + str(path)))


def test_a_keeper_that_is_killed_is_an_error_and_leaves_nobody(tmp_path: Path) -> None:
    keeper = Keeper(order(tmp_path, "deaf true", Limits(60, None, None)))
    wait_until(lambda: bool(processes_about(str(tmp_path))))
    keeper.process.kill()
    assert "died" in keeper.answer().reason
    wait_until(lambda: not processes_about(str(tmp_path)))


def wait_until(condition: object, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    assert callable(condition)
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_runs_are_recorded_for_what_they_were(tmp_path: Path) -> None:
    programs = {
        "hungry": "allocate=20480 true",
        "tree": "fork=7 true",  # 128 processes of some MiB
        "chatty": "log=30 true",
        "crash": "crash",
        "bad": "bad-input",
        "mute": "no-answer",
        "open": "unknown",
    }
    tasks = write_tasks(tmp_path / "tasks", programs)
    ended, _ = campaign(plan(tasks, tmp_path / "out", Limits(60, None, 100 * 2**20)))
    runs = by_name(ended)
    assert {name: (record.verdict, record.status) for name, record in runs.items()} == {
        "hungry": ("OUT OF MEMORY", "memory"),
        "tree": ("OUT OF MEMORY", "memory"),
        "chatty": ("true", "done-true"),
        "crash": ("ERROR", "error"),
        "bad": ("ERROR", "error"),
        "mute": ("ERROR", "error"),
        "open": ("unknown", "unknown"),
    }
    assert "SIGSEGV" in runs["crash"].reason
    assert runs["bad"].reason == "program.c:1: what is this?"
    assert runs["open"].reason == "it is not known" and runs["open"].statistics == {"iterations": 7}
    assert (tmp_path / "out" / runs["chatty"].log).stat().st_size < 2**20 + 2**12
    assert not processes_about(str(tmp_path))


def test_runs_that_do_not_end_are_time_outs(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"deaf": "deaf true", "busy": "loop true"})
    ended, _ = campaign(plan(tasks, tmp_path / "out", Limits(0.2, None, None)))
    assert {record.verdict for record in ended.campaign.runs} == {"TIMEOUT"}
    assert {record.exit_code for record in ended.campaign.runs} == {None}
    assert not processes_about(str(tmp_path))
