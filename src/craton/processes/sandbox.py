"""External programs, run in a directory of ours within limits, and killed with everything they have started.

This module enforces the limits that can be enforced from outside: time, and the memory of the whole family. What must
be enforced from inside (no files, no network, no other processes), a replay does to itself before the program starts,
see `harness.c`.
"""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from craton.processes.family import end_program
from craton.processes.kernel import exit_descriptor
from craton.processes.limits import Exceeded, Kind, Limits
from craton.processes.programs import Orphan, launch
from craton.processes.running_time import time_for_others
from craton.processes.watch import Watch, readable

_TOKEN = 32  # hexadecimal digits
_LARGEST_FILE = 256 << 20  # bytes that a tool may write
_MOST_MESSAGES = 1 << 26  # bytes that we keep


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended: with an exit code (negative for a signal), or because it reached a limit."""

    code: int | None
    exceeded: Exceeded | None = None

    def __str__(self) -> str:
        if self.exceeded is not None:
            memory = f"it uses more than {int(self.exceeded.limit) >> 20} MiB of memory"
            return f"is ended: {memory if self.exceeded.kind is Kind.MEMORY else 'its time is over'}"
        assert self.code is not None
        return f"dies of signal {-self.code}" if self.code < 0 else f"ends with exit code {self.code}"


class Tool:
    """A compiler that runs in a directory, beside others if need be. As a context it is ended with it."""

    def __init__(self, command: Sequence[str], directory: Path, seconds: float, memory: int) -> None:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": str(directory)}
        self._begun = time_for_others()
        self._limits = Limits(seconds, None, memory)
        self._said = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 (closed with the context)
        self._process = launch(
            command, stdout=self._said, stderr=self._said, directory=directory, environment=environment
        )
        _limit_files(self._process)
        self._result: tuple[Ending, str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end_program(self._process)
        self._said.close()

    def result(self) -> tuple[Ending, str]:
        """Waits for its end; how it ended, and its output."""
        if self._result is None:
            ending = _watched(self._process, self._limits, started=self._begun)
            self._said.seek(0)
            self._result = ending, self._said.read(_MOST_MESSAGES).decode("utf-8", "replace")
        return self._result


def run_tool(command: Sequence[str], directory: Path, seconds: float, memory: int) -> tuple[Ending, str]:
    """Runs a compiler in a directory; returns its ending and its output."""
    with Tool(command, directory, seconds, memory) as tool:
        return tool.result()


def run_replay(
    binary: Path,
    seconds: float,
    memory: int,
    seed: int | None = None,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    standard_input: bytes = b"",
) -> tuple[Ending, list[str]]:
    """Runs a program with a harness; with what the harness said. It proves that it is the harness that speaks by the
    token that it is given before the program begins: the program may print what it likes. One that draws its inputs is
    given a seed besides, and what it is to find on its standard input.
    """
    token = os.urandom(_TOKEN // 2).hex().encode()
    ours, theirs = socket.socketpair()
    channel = _Channel(ours)
    with closing(ours):
        with closing(theirs):
            size = len(standard_input).to_bytes(4, "little")
            ours.sendall(token if seed is None else token + seed.to_bytes(8, "little") + size + standard_input)
            process = launch(
                [str(binary), *arguments],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                directory=binary.parent,
                environment=environment or {},
                orphan=Orphan.LEFT_ALONE,  # its harness asks the kernel by itself, and it is started often
            )
        ending = _watched(process, Limits(seconds, None, memory), channel)
    lines = bytes(channel.heard).split(b"\n")
    return ending, [line[_TOKEN:].decode("utf-8", "replace") for line in lines if line.startswith(token)]


def _limit_files(process: subprocess.Popen[bytes]) -> None:
    """Also limits what it starts from now on; a compiler writes no files before it has started another process."""
    if hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))


class _Channel:
    """Messages that arrive over a socket."""

    def __init__(self, source: socket.socket | None = None) -> None:
        self.source = source
        self.heard = bytearray()

    @property
    def stream(self) -> int | None:
        return None if self.source is None else self.source.fileno()

    def listen(self) -> None:
        """Reads what is available, and discards what exceeds the limit."""
        assert self.source is not None
        try:
            message = self.source.recv(1 << 16)
        except ConnectionError:
            message = b""
        if not message:
            self.source = None
        elif len(self.heard) < _MOST_MESSAGES:
            self.heard += message


def _watched(
    process: subprocess.Popen[bytes], limits: Limits, channel: _Channel | None = None, started: float | None = None
) -> Ending:
    """Watches the process until it ends by itself or is killed."""
    channel = channel or _Channel()
    watch = Watch(process.pid, limits, started=started)
    leaving = exit_descriptor(process.pid)
    try:
        while True:
            code = process.poll()
            ready = readable((channel.stream, leaving), 0 if code is not None else watch.next)
            if channel.stream in ready:
                channel.listen()
            elif code is not None:
                return Ending(code)
            exceeded = watch.glance()
            if exceeded is not None:
                return Ending(None, exceeded) if code is None else Ending(code)
    finally:
        end_program(process)
        if leaving is not None:
            os.close(leaving)
