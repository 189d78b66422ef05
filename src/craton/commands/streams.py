"""Standard output and standard error as commands need them: a reader that has gone is no error, and changes no exit
code; output that cannot be written is an error that is told.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from craton.files import CannotWrite


class _Output(io.FileIO):
    """A descriptor that is written to; what nobody reads goes nowhere."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content) or 0
        except BrokenPipeError:  # the reader of our output has seen enough
            self.to_nowhere()
            return len(memoryview(content))
        except OSError as problem:
            self.to_nowhere()  # nor is it tried again when Python ends
            raise CannotWrite(f"cannot write to standard output: {problem.strerror}") from None

    def to_nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


class _Diagnostics(_Output):
    """Standard error: where it cannot be written to there is nobody to tell."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content)
        except CannotWrite:
            return len(memoryview(content))


@contextmanager
def reliable_streams() -> Iterator[None]:
    """Standard streams that keep these laws, unless others (tests, notebooks) have put theirs in the place."""
    out, err = sys.stdout, sys.stderr
    ours = [stream for stream in (out, err) if stream in (sys.__stdout__, sys.__stderr__)]
    if err is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process lives
    elif err in ours:
        sys.stderr = _text(_Diagnostics(err.fileno(), "w", closefd=False), err, line_buffering=True)
    if out is not None and out in ours:
        out.flush()
        sys.stdout = _text(_Output(out.fileno(), "w", closefd=False), out, line_buffering=out.isatty())
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = out, err


def _text(raw: io.FileIO, like: TextIO, *, line_buffering: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=like.encoding, errors="backslashreplace", line_buffering=line_buffering
    )
