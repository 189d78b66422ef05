"""A child process that is asked and answers in text, and never outlives its welcome."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence

# A solver that says more than this in one reply is not answering any more.
LONGEST_REPLY = 1 << 28


class Trouble(Exception):
    """The process crashed, hung or said something that is not an answer."""


class Process:
    """A child that is asked questions under a deadline. It ends with `kill`, with this object, or with this program.

    Every question is followed by an `echo` of a word of its own. What the child says up to that word is the reply: so
    question and reply never get out of step, whatever else the child prints.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a process group, to be ended as one
        )
        child = self._child
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        self._in, self._out, self._err = child.stdin.fileno(), child.stdout.fileno(), child.stderr.fileno()
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._said = bytearray()
        self._complaints = bytearray()
        self._questions = 0
        self.kill = weakref.finalize(self, _end, child, os.getpid())

    @property
    def pid(self) -> int:
        return self._child.pid

    def ask(self, text: str, deadline: float) -> str:
        """Sends commands and returns all that the child says to them."""
        if self._said.strip():
            raise Trouble(f"it speaks without being asked{self._last_words()}")
        self._questions += 1
        word = f"craton-{self._questions}"
        end = re.compile(rb'^[ \t]*"?%b"?[ \t\r]*\n' % word.encode(), re.MULTILINE)
        unsent = memoryview(f'{text}\n(echo "{word}")\n'.encode())
        lines = seen = 0  # where the lines begin that have not been searched, and the text that has not been seen
        with selectors.DefaultSelector() as selector:
            selector.register(self._in, selectors.EVENT_WRITE)
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._err, selectors.EVENT_READ)
            # Replies are read while questions are written: a child that waits for its reader does not read.
            while True:
                ready = selector.select(min(1.0, _left(deadline)))
                if time.monotonic() >= deadline:
                    raise Trouble(f"timeout{self._last_words()}")
                if not ready and self._child.poll() is not None:  # its own children may hold the pipes open
                    raise Trouble(self._death(deadline))
                for stream in [key.fd for key, _ in ready]:
                    if stream == self._in:
                        unsent = self._write(unsent)
                        if not unsent:
                            selector.unregister(stream)
                    elif stream == self._err:
                        if not _read(stream, self._complaints):
                            selector.unregister(stream)
                        del self._complaints[:-2000]
                    elif not _read(stream, self._said):
                        raise Trouble(self._death(deadline))
                newline, seen = self._said.rfind(b"\n", seen), len(self._said)
                if newline >= 0:
                    found = end.search(self._said, lines)
                    if found:
                        reply = self._said[: found.start()].decode(errors="replace")
                        del self._said[: found.end()]
                        return reply
                    lines = newline + 1
                if len(self._said) > LONGEST_REPLY:
                    raise Trouble(f"it has said {len(self._said) >> 20} MB without coming to an end")

    def _write(self, data: memoryview) -> memoryview:
        """What is left to be written. Nothing if nobody reads: what the child says until it ends may tell why."""
        try:
            return data[os.write(self._in, data) :]
        except BlockingIOError:
            return data
        except OSError:
            return data[:0]

    def _death(self, deadline: float) -> str:
        try:
            code = self._child.wait(min(1.0, _left(deadline)))
        except subprocess.TimeoutExpired:
            end = "the process closed its output"
        else:
            end = f"the process ended with {_signal_name(-code) if code < 0 else f'exit code {code}'}"
        _read(self._err, self._complaints)
        return end + self._last_words()

    def _last_words(self) -> str:
        """The end of what it said, which often names the reason: errors rather than replies."""
        words = " ".join((self._complaints or self._said)[-2000:].decode(errors="replace").split())
        return f"; it said: {words if len(words) <= 200 else '… ' + words[-200:]}" if words else ""


def _read(stream: int, into: bytearray) -> bool:
    """Reads what is there. False at the end of the stream."""
    try:
        data = os.read(stream, 1 << 16)
    except BlockingIOError:
        return True
    into += data
    return bool(data)


def _end(child: subprocess.Popen[bytes], owner: int) -> None:
    """Ends the child with all of its own children; in a fork of this program it is not ours to end."""
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    if os.getpid() == owner:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
