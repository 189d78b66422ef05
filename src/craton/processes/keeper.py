"""One command in a keeper: a process that contains whatever the command does, and reports what it was.

The keeper (`keeper_main`) is the parent of all that the command starts, also of what has cut its ties: it adopts
orphans. It watches wall time, processor time and memory of all of them, and how many they are, ends them without asking
when a limit is reached, and reads their output to the end but keeps only so much of it. When whoever has started the
keeper is gone, it ends everything and itself.

Where there is no /proc, only wall time and output are limited.
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

LOG_BYTES = 2**20  # of a log; what is in the middle of a longer one is left out
ANSWER_BYTES = 2**24  # of standard output
MOST_PROCESSES = 512

_MARK = "CRATON_KEEPER"  # in the environment of a keeper and all it starts

PYTHON = "{python}"  # in a command: the interpreter that the keeper runs in, wherever that is
FILE = "{file}"  # in a command: the path of a file that the command may write and the keeper hands on


class CannotStart(CratonError):
    """The machine has no process left for a keeper."""


@dataclass(frozen=True, slots=True)
class Contained:
    """What a command was: its output and usage, and which limit it has exceeded, if it has."""

    exit_code: int | None  # None if it was ended; negative for a signal
    exceeded: Exceeded | None = None
    problem: str = ""  # why there was no run, or nothing is known of it
    output: str = ""  # standard output; only the first part of it, when there was too much
    log: str = ""  # both outputs as they came
    written: int = 0  # bytes of output, kept or not
    file: str | None = None  # what the command has written into its file
    cpu: float = 0.0
    wall: float = 0.0
    memory: int = 0

    @property
    def reason(self) -> str:
        """In words, why there is no proper end; nothing if there is."""
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
    """What a keeper is asked for."""

    command: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    most_processes: int = MOST_PROCESSES
    log_bytes: int = LOG_BYTES
    answer_bytes: int = ANSWER_BYTES

    def line(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, line: bytes) -> Order:
        content: dict[str, Any] = json.loads(line)
        return cls(**content | {"command": tuple(content["command"]), "limits": Limits(**content["limits"])})


class Keeper:
    """A keeper at work. Its answer can be read when `done` is readable; `end` ends it and its family."""

    def __init__(self, order: Order) -> None:
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        try:
            # The kernel is not asked to end it with us: it has others to end first, and hears when we are gone.
            self.process = subprocess.Popen(
                # -P: no modules of whatever directory we are in
                [sys.executable, "-P", "-m", "craton.processes.keeper_main"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {_MARK: self.mark},
                start_new_session=True,  # an interrupt at the keyboard is for those who wait, and they tell the keeper
            )
        except OSError as problem:
            raise CannotStart(f"cannot start a process for a run: {problem.strerror}") from problem
        assert self.process.stdin is not None and self.process.stdout is not None
        with suppress(BrokenPipeError):  # then there will be no answer either
            self.process.stdin.write(order.line().encode() + b"\n")
            self.process.stdin.flush()
        self.done = self.process.stdout

    def answer(self) -> Contained:
        """Waits for it."""
        content = self.done.read()
        self.end()
        try:
            return Contained.of(content)
        except (ValueError, TypeError, KeyError):
            code = self.process.returncode
            _end_marked(self.mark)
            return Contained(code, problem=f"the keeper of the process died ({code})")

    def end(self) -> None:
        """The keeper hears that nobody listens, and ends all."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.done.close()
        self.process.wait()


def _end_marked(mark: str) -> None:
    """Ends what a keeper that was killed has left: all have inherited its mark."""
    wanted = f"{_MARK}={mark}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def contain(order: Order) -> Contained:
    """Runs the command to its end, or to a limit. An interrupt ends it, too."""
    keeper = Keeper(order)
    try:
        return keeper.answer()
    except BaseException:
        keeper.end()
        raise
