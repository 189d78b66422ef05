"""Whatever a run does, it is ended at its limits with all it has started, and recorded for what it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from craton.processes.keeper import FILE, PYTHON, Contained, Keeper, Order, contain
from craton.processes.limits import Kind, Limits
from support.bench import STAND_IN
from support.processes import needs_proc, processes_about, wait_until

pytestmark = needs_proc


def order(directory: Path, program: str, limits: Limits, **others: Any) -> Order:
    path = directory / "program.bpl"
    path.write_text(program)
    return Order((*STAND_IN, "verify", str(path)), limits, **others)


def kind(what: Contained) -> Kind | None:
    """Which limit was exceeded."""
    return None if what.exceeded is None else what.exceeded.kind


def test_a_run_that_behaves(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "true", Limits(30, 30, 2**30)))
    assert (what.exit_code, what.exceeded, what.reason) == (0, None, "")
    assert '"verdict": "true"' in what.output and what.log == what.output
    assert what.wall > 0 and what.memory > 2**20


def test_memory_of_all_processes_is_limited(tmp_path: Path) -> None:
    """It would take 20 GiB; the limit is 100 MiB."""
    what = contain(order(tmp_path, "allocate=20480 true", Limits(60, None, 100 * 2**20)))
    assert kind(what) is Kind.MEMORY and what.exit_code is None
    assert "100 MiB" in what.reason
    assert 100 * 2**20 < what.memory < 2**30
    assert not processes_about(str(tmp_path))


def test_memory_of_children_counts(tmp_path: Path) -> None:
    """None of the eight has 120 MiB, but all together have."""
    code = "import os, time\nfor _ in range(3): os.fork()\nheld = bytearray(b'x' * 2**25)\ntime.sleep(60)"
    limited = contain(Order((sys.executable, "-I", "-S", "-c", code, str(tmp_path)), Limits(60, None, 120 * 2**20)))
    assert kind(limited) is Kind.MEMORY
    assert not processes_about(str(tmp_path))


def test_processor_time_of_children_counts(tmp_path: Path) -> None:
    code = "import os, time\nif not os.fork():\n  while True: pass\ntime.sleep(60)"
    what = contain(Order((sys.executable, "-I", "-S", "-c", code, str(tmp_path)), Limits(60, 0.3, None)))
    assert kind(what) is Kind.CPU and what.cpu > 0.3
    assert not processes_about(str(tmp_path))


def test_a_tree_of_processes_is_ended(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "fork=6 true", Limits(60, None, None), most_processes=20))
    assert kind(what) is Kind.PROCESSES and "20 processes" in what.reason
    assert not processes_about(str(tmp_path))


def test_a_run_that_ignores_signals_is_ended(tmp_path: Path) -> None:
    what = contain(order(tmp_path, "deaf true", Limits(0.3, None, None)))
    assert kind(what) is Kind.WALL and what.exit_code is None
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
    what = contain(Order((*STAND_IN, "verify", str(path), "--witness", FILE % "witness")))
    assert what.files == {"witness": "a witness\n"}


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    what = contain(Order((str(tmp_path / "nothing"),)))
    assert what.exit_code == 127 and "cannot start" in what.reason


def test_everything_ends_with_those_who_asked(tmp_path: Path) -> None:
    """Also when they are killed: the keeper notices that nobody listens."""
    path = tmp_path / "program.bpl"
    path.write_text("deaf true")
    code = f"import sys; from craton.processes.keeper import *\ncontain(Order({(*STAND_IN, 'verify', str(path))!r}))"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert wait_until(lambda: bool(processes_about("verifier.py\0verify\0" + str(path))))
    finally:
        process.kill()
        process.wait()
    assert wait_until(lambda: not processes_about("verifier.py\0verify\0" + str(path)))


def test_a_keeper_that_is_killed_is_an_error_and_leaves_nobody(tmp_path: Path) -> None:
    keeper = Keeper(order(tmp_path, "deaf true", Limits(60, None, None)))
    assert wait_until(lambda: bool(processes_about(str(tmp_path))))
    keeper.process.kill()
    assert "died" in keeper.answer().reason
    assert wait_until(lambda: not processes_about(str(tmp_path)))
