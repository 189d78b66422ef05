"""Processes of others, run in a directory of ours within limits, and ended with all that they have started.

Here are the limits that can be kept from outside: time, and the memory of the whole family. What must be kept from
inside (no files, no network, no other processes) a replay does to itself before the program begins, see `harness.c`.
"""

from __future__ import annotations

import os
import resource
import secrets
import select
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from craton.processes import end_family, usage

_GLANCE = 0.02  # seconds between two looks
_TOKEN = 32  # hexadecimal digits
_LARGEST_FILE = 256 << 20  # bytes that a tool may write
_MOST_MESSAGES = 1 << 26  # bytes that are listened to


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended: with a code (negative for a signal), or because it came to a limit."""

    code: int | None
    limit: str = ""

    def __str__(self) -> str:
        if self.code is None:
            return f"is ended: {self.limit}"
        return f"dies of signal {-self.code}" if self.code < 0 else f"ends with exit code {self.code}"


def run_tool(command: Sequence[str], directory: Path, seconds: float, memory: int) -> tuple[Ending, str]:
    """Runs a compiler in a directory; with what it said."""
    said = directory / "messages"
    with said.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": str(directory)},
            start_new_session=True,
        )
        _limit_files(process)
        try:
            ending = _watched(process, time.monotonic() + seconds, memory)
        finally:
            _end(process)
    with said.open("rb") as output:
        return ending, output.read(_MOST_MESSAGES).decode("utf-8", "replace")


def run_replay(binary: Path, seconds: float, memory: int, seed: int | None = None) -> tuple[Ending, list[str]]:
    """Runs a program with a harness; with what the harness said. It proves that it is the harness that speaks by the
    token that it is given before the program begins: the program may print what it likes. One that draws its inputs is
    given a seed besides.
    """
    token = secrets.token_hex(_TOKEN // 2).encode()
    ours, theirs = socket.socketpair()
    with closing(ours):
        with closing(theirs):
            ours.sendall(token if seed is None else token + seed.to_bytes(8, "little"))
            process = subprocess.Popen(
                [str(binary)],
                cwd=binary.parent,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )
        try:
            heard = bytearray()
            ending = _watched(process, time.monotonic() + seconds, memory, ours, heard)
        finally:
            _end(process)
    lines = bytes(heard).split(b"\n")
    return ending, [line[_TOKEN:].decode("utf-8", "replace") for line in lines if line.startswith(token)]


def _limit_files(process: subprocess.Popen[bytes]) -> None:
    """What it starts from now on is limited as well; a compiler does not write before it has started something."""
    if hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))


def _watched(
    process: subprocess.Popen[bytes],
    deadline: float,
    memory: int,
    channel: socket.socket | None = None,
    heard: bytearray | None = None,
) -> Ending:
    listening: Mapping[str, socket.socket] = {} if channel is None else {"channel": channel}
    while True:
        code = process.poll()
        for source in select.select(list(listening.values()), [], [], 0 if code is not None else _GLANCE)[0]:
            message = _received(source)
            if message and heard is not None and len(heard) < _MOST_MESSAGES:
                heard += message
            elif not message:
                listening = {}
        if code is not None:
            return Ending(code)
        if time.monotonic() > deadline:
            return Ending(None, "its time is over")
        if usage(process.pid).memory > memory:
            return Ending(None, f"it uses more than {memory >> 20} MiB of memory")


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(1 << 16)
    except ConnectionError:
        return b""


def _end(process: subprocess.Popen[bytes]) -> None:
    end_family(process.pid)
    process.wait()
