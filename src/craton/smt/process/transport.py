"""A child process that is asked and answers in s-expressions, and never outlives its welcome."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence

from craton.smt import sexpr


class Trouble(Exception):
    """The process crashed, hung or said something that is not an answer."""


class Process:
    """A child that is written commands to and read replies from, both under a deadline; it never outlives `kill`."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._in, self._out = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._buffer = ""

    def send(self, text: str, deadline: float) -> None:
        data = memoryview(text.encode())
        with selectors.DefaultSelector() as selector:
            selector.register(self._in, selectors.EVENT_WRITE)
            while data:
                if not selector.select(_left(deadline)):
                    raise Trouble("timeout")
                try:
                    data = data[os.write(self._in, data) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Trouble(self._death()) from error

    def reply(self, deadline: float) -> str:
        """The next s-expression."""
        balance = sexpr.Balance()
        pieces: list[str] = []
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            while True:
                end = balance.end(self._buffer)
                if end is not None:
                    pieces.append(self._buffer[:end])
                    self._buffer = self._buffer[end:]
                    return "".join(pieces).strip()
                pieces.append(self._buffer)
                self._buffer = ""
                if not selector.select(_left(deadline)):
                    raise Trouble("timeout")
                data = os.read(self._out, 1 << 16)
                if not data:
                    raise Trouble(self._death())
                self._buffer = data.decode(errors="replace")

    def _death(self) -> str:
        try:
            code = self._child.wait(1)
        except subprocess.TimeoutExpired:
            return "the process closed its output"
        return f"the process ended with signal {-code}" if code < 0 else f"the process ended with exit code {code}"

    def kill(self) -> None:
        """Ends the child with all of its own children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._child.wait()


def _left(deadline: float) -> float | None:
    return None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
