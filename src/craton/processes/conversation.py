"""A dialogue over pipes with a program, such as an SMT-LIB solver, that never outlives its user."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import weakref
from collections.abc import Sequence
from contextlib import suppress

from craton.processes.family import end_program
from craton.processes.programs import launch
from craton.processes.running_time import time_for_others

# A longer reply is not a sensible answer any more.
LONGEST_REPLY = 1 << 28

_LAST_WORDS = 2000  # bytes


class Trouble(Exception):
    """The program crashed, hung or printed something that is not an answer."""


class Conversation:
    """A program that is asked questions with deadlines. It ends with `end`, with this object, or with this process.

    Every question is followed by an `echo` of a unique word. The output up to that word is the reply, so questions and
    replies never get out of step, whatever else the program prints.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._program = program = launch(command, stdin=subprocess.PIPE)
        assert program.stdin is not None and program.stdout is not None and program.stderr is not None
        self._in, self._out, self._err = program.stdin.fileno(), program.stdout.fileno(), program.stderr.fileno()
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._said = bytearray()
        self._complaints = bytearray()
        self._questions = 0
        self.end = weakref.finalize(self, _end, program, os.getpid())

    @property
    def pid(self) -> int:
        return self._program.pid

    def ask(self, text: str, deadline: float) -> str:
        """Sends commands and returns everything that the program prints in reply."""
        if self._said.strip():
            raise Trouble(f"it speaks without being asked{self._last_words()}")
        self._questions += 1
        word = f"craton-{self._questions}"
        reply = _Reply(self._said, word)
        unsent = memoryview(f'{text}\n(echo "{word}")\n'.encode())
        with selectors.DefaultSelector() as selector:
            selector.register(self._in, selectors.EVENT_WRITE)
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._err, selectors.EVENT_READ)
            # Read while writing: a program that is blocked on its output does not read its input.
            while True:
                ready = self._wait(selector, deadline)
                if self._in in ready:
                    unsent = self._write(unsent)
                    if not unsent:
                        selector.unregister(self._in)
                if self._err in ready:
                    if not _read(self._err, self._complaints):
                        selector.unregister(self._err)
                    del self._complaints[:-_LAST_WORDS]
                if self._out in ready and not _read(self._out, self._said):
                    raise Trouble(self._death(deadline))
                found = reply.found()
                if found is not None:
                    return found

    def _wait(self, selector: selectors.BaseSelector, deadline: float) -> list[int]:
        """The streams that are ready. Raises Trouble if there is nothing left to wait for."""
        ready = [key.fd for key, _ in selector.select(min(1.0, _left(deadline)))]
        if time_for_others() >= deadline:
            raise Trouble(f"timeout{self._last_words()}")
        if not ready and self._program.poll() is not None:  # its own children may hold the pipes open
            raise Trouble(self._death(deadline))
        return ready

    def _write(self, data: memoryview) -> memoryview:
        """Returns what is left to write. Nothing if the pipe is closed: the program's last output may tell why."""
        try:
            return data[os.write(self._in, data) :]
        except BlockingIOError:
            return data
        except OSError:
            return data[:0]

    def _death(self, deadline: float) -> str:
        try:
            code = self._program.wait(min(1.0, _left(deadline)))
        except subprocess.TimeoutExpired:
            end = "the process closed its output"
        else:
            end = f"the process ended with {_signal_name(-code) if code < 0 else f'exit code {code}'}"
        _read(self._err, self._complaints)
        return end + self._last_words()

    def _last_words(self) -> str:
        """The end of its output, which often gives the reason: its errors if any, otherwise its replies."""
        words = " ".join((self._complaints or self._said)[-_LAST_WORDS:].decode(errors="replace").split())
        return f"; it said: {words if len(words) <= 200 else '… ' + words[-200:]}" if words else ""


class _Reply:
    """Finds the end of a reply in the output: a line with the unique word. No line is searched twice."""

    def __init__(self, said: bytearray, word: str) -> None:
        self._said = said
        self._end = re.compile(rb'^[ \t]*"?%b"?[ \t\r]*\n' % word.encode(), re.MULTILINE)
        self._lines = 0  # where the lines begin that have not been searched …
        self._seen = 0  # … and the text that has not been seen

    def found(self) -> str | None:
        """Removes and returns the reply once it is complete; None before."""
        newline, self._seen = self._said.rfind(b"\n", self._seen), len(self._said)
        if newline >= 0:
            found = self._end.search(self._said, self._lines)
            if found:
                reply = self._said[: found.start()].decode(errors="replace")
                del self._said[: found.end()]
                return reply
            self._lines = newline + 1
        if len(self._said) > LONGEST_REPLY:
            raise Trouble(f"it has said {len(self._said) >> 20} MB without coming to an end")
        return None


def _read(stream: int, into: bytearray) -> bool:
    """Reads what is available. False at the end of the stream."""
    try:
        data = os.read(stream, 1 << 16)
    except BlockingIOError:
        return True
    into += data
    return bool(data)


def _end(program: subprocess.Popen[bytes], owner: int) -> None:
    """Ends the program and all its children; does nothing in a fork of this process, which does not own the program."""
    for stream in (program.stdin, program.stdout, program.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    if os.getpid() == owner:
        end_program(program)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _left(deadline: float) -> float:
    return max(0.0, deadline - time_for_others())
