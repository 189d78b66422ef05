"""The first answer that counts wins; how all others ended is told, and nobody is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from craton.processes.limits import Exceeded, Kind
from craton.processes.race import first_answer
from craton.processes.supervision import Died, Done, Ended, Failed
from support.processes import needs_proc, running, wait_until

LONG = 120.0  # seconds; nobody waits for them


def says(word: str) -> Callable[[], str]:
    return lambda: word


def hangs(file: Path) -> Callable[[], str]:
    """With a program of its own; their numbers are in the file."""

    def work() -> str:
        program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
        file.write_text(f"{os.getpid()} {program.pid}.")
        time.sleep(LONG)
        return "too late"

    return work


def after(file: Path, word: str) -> Callable[[], str]:
    def work() -> str:
        while not (file.exists() and file.read_text().endswith(".")):
            time.sleep(0.005)
        return word

    return work


def fails() -> str:
    raise ValueError("a bug")


def dies() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def counts(word: str) -> bool:
    return word != "nothing"


@needs_proc
def test_losers_are_ended_with_what_they_have_started(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    assert first_answer([hangs(file), after(file, "b")], LONG, counts) == [(1, Done("b"))]
    losers = [int(number) for number in file.read_text().rstrip(".").split()]
    assert wait_until(lambda: not any(map(running, losers)))


def test_the_winner_is_the_last() -> None:
    ended = first_answer([says("nothing"), fails, dies, says("something")], LONG, counts)
    assert ended[-1] == (3, Done("something"))


def test_without_a_winner_all_are_told(tmp_path: Path) -> None:
    endings = dict(first_answer([says("nothing"), fails, dies, hangs(tmp_path / "pids")], 2.0, counts))
    assert endings[0] == Done("nothing")
    failed = endings[1]
    assert isinstance(failed, Failed) and isinstance(failed.error, ValueError) and str(failed.error) == "a bug"
    assert endings[2] == Ended(Died(-signal.SIGKILL))
    assert endings[3] == Ended(Exceeded(Kind.WALL, 2.0))


def test_nobody_runs() -> None:
    assert first_answer([], LONG, counts) == []


def test_a_race_without_time_is_over_at_once(tmp_path: Path) -> None:
    assert first_answer([hangs(tmp_path / "pids")], 0.0, counts) == [(0, Ended(Exceeded(Kind.WALL, 0.0)))]


def test_file_descriptors_are_given_back() -> None:
    first_answer([says("nothing")], LONG, counts)
    before = set(os.listdir("/proc/self/fd") if Path("/proc/self/fd").exists() else ())
    first_answer([says("nothing"), dies, says("something")], LONG, counts)
    assert set(os.listdir("/proc/self/fd") if Path("/proc/self/fd").exists() else ()) <= before
