"""Runs one command in a keeper: a process that contains everything the command does and reports on it.

The keeper (`keeper_main`) is the parent of everything the command starts, even of detached processes: it adopts
orphans. It watches their wall time, processor time, memory and number, and kills them when a limit is reached. It reads
all their output but keeps only a limited amount. If the process that started the keeper is gone, the keeper kills
everything and exits.

Without /proc, only wall time and output are limited.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from craton.errors import CratonError
from craton.processes.limits import Exceeded, Kind, Limits

LOG_BYTES = 2**20  # of a log; the middle of a longer one is left out
ANSWER_BYTES = 2**26  # of standard output: a counterexample may have hundreds of thousands of inputs
MOST_PROCESSES = 512

_MARK = "CRATON_KEEPER"  # in the environment of a keeper and everything it starts

PYTHON = "{python}"  # in a command: the Python interpreter that runs the keeper
FILE = "{file:%s}"  # in a command, with a name: the path of a file that the command may write and the keeper returns


class CannotStart(CratonError):
    """The machine cannot start another process for a keeper."""


@dataclass(frozen=True, slots=True)
class Contained:
    """The outcome of a command: its output and usage, and which limit it exceeded, if any."""

    exit_code: int | None  # None if it was killed by us; negative for a signal
    exceeded: Exceeded | None = None
    problem: str = ""  # why the command did not run, or why its outcome is unknown
    output: str = ""  # standard output; only its beginning if there was too much
    log: str = ""  # both outputs, interleaved as they came
    written: int = 0  # bytes of output, kept or not
    files: dict[str, str] = field(default_factory=dict)  # what the command wrote to its files, by their names
    cpu: float = 0.0
    wall: float = 0.0
    memory: int = 0

    @property
    def reason(self) -> str:
        """A sentence on why the command did not end properly; empty if it did."""
        return self.problem if self.exceeded is None else str(self.exceeded)

    def line(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, line: bytes) -> Contained:
        content: dict[str, Any] = json.loads(line)
        found = content["exceeded"]
        return cls(**content | {"exceeded": found and Exceeded(Kind(found["kind"]), found["limit"])})


@dataclass(frozen=True, slots=True)
class Order:
    """What a keeper is asked to run, and within which limits."""

    command: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    most_processes: int = MOST_PROCESSES
    log_bytes: int = LOG_BYTES
    answer_bytes: int = ANSWER_BYTES
    directory: str | None = None  # where the command runs, if not where the keeper does

    def line(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, line: bytes) -> Order:
        content: dict[str, Any] = json.loads(line)
        return cls(**content | {"command": tuple(content["command"]), "limits": Limits(**content["limits"])})


class Keeper:
    """A running keeper. Its answer can be read when `done` is readable; `end` ends it and its family."""

    def __init__(self, order: Order) -> None:
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        try:
            # The kernel should not kill it along with us: it has others to kill first, and notices when we are gone.
            self.process = subprocess.Popen(
                # -P: do not import modules from the current directory
                [sys.executable, "-P", "-m", "craton.processes.keeper_main"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {_MARK: self.mark},
                start_new_session=True,  # a keyboard interrupt is for the waiting process, which ends the keeper
            )
        except OSError as problem:
            raise CannotStart(f"cannot start a process for a run: {problem.strerror}") from problem
        assert self.process.stdin is not None and self.process.stdout is not None
        with suppress(BrokenPipeError):  # then there will be no answer either
            self.process.stdin.write(order.line().encode() + b"\n")
            self.process.stdin.flush()
        self.done = self.process.stdout

    def answer(self) -> Contained:
        """Waits for the keeper's answer."""
        content = self.done.read()
        self.end()
        try:
            return Contained.of(content)
        except (ValueError, TypeError, KeyError):
            code = self.process.returncode
            _end_marked(self.mark)
            return Contained(code, problem=f"the keeper of the process died ({code})")

    def stop(self) -> None:
        """Lets it kill everything, from any thread: who waits for the answer gets one without an outcome."""
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):
            self.process.stdin.close()

    def end(self) -> None:
        """Closes the keeper's input, upon which it kills everything."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.done.close()
        self.process.wait()


def _end_marked(mark: str) -> None:
    """Kills the processes left behind by a killed keeper: all of them inherited its mark."""
    wanted = f"{_MARK}={mark}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def contain(order: Order) -> Contained:
    """Runs the command until it ends or reaches a limit. An interrupt ends it, too."""
    keeper = Keeper(order)
    try:
        return keeper.answer()
    except BaseException:
        keeper.end()
        raise
