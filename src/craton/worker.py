"""Work in a process of its own, within limits that are kept whatever the work does.

The child reports as it goes; the parent watches time, processor time and memory of the child and all it starts, and
ends them when a limit is reached. A solver that hangs costs an answer, never the tool.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from craton.processes import CONTEXT, Usage, end_family, usage

_GLANCE = 0.05  # seconds between two looks at what the child uses

_STACK = 512 * 2**20

_inside = False  # whether this process is a worker itself

Report = Callable[[object], None]


@dataclass(frozen=True, slots=True)
class Limits:
    wall: float | None = None  # seconds
    cpu: float | None = None  # seconds
    memory: int | None = None  # bytes


@dataclass(frozen=True, slots=True)
class Done:
    value: Any
    usage: Usage


@dataclass(frozen=True, slots=True)
class Failed:
    """The work raised this error; with its traceback as text."""

    error: BaseException
    traceback: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The work was ended, or died, and why."""

    reason: str
    usage: Usage


Ending = Done | Failed | Ended


def supervise(work: Callable[[Report], Any], limits: Limits, heard: Callable[[object], None]) -> Ending:
    """Runs `work`, which is given a function to report with; `heard` gets the reports."""
    receiving, sending = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_child, args=(work, sending))
    started = time.monotonic()
    process.start()
    sending.close()
    peak = Usage(0.0, 0)
    looked = started
    interrupts: list[int] = []
    restore = _collect_interrupts(interrupts)
    try:
        while True:
            if interrupts:
                return Ended("interrupted", peak)
            kind: str = ""
            content: Any = None
            if receiving.poll(_GLANCE):
                try:
                    kind, content = receiving.recv()
                except (EOFError, OSError):  # at the end of its reports, or in the middle of one
                    process.join()
                    return Ended(_death(process.exitcode), peak)
            elif not process.is_alive() and not receiving.poll():
                # A process that it started may still hold the pipe open.
                return Ended(_death(process.exitcode), peak)
            if kind == "report":
                heard(content)
            if kind in ("", "report") and time.monotonic() - looked < _GLANCE:
                continue  # many reports must not keep us from looking, nor looking from hearing them
            looked = time.monotonic()
            now = usage(process.pid)
            peak = Usage(max(now.cpu, peak.cpu), max(now.memory, peak.memory))
            if kind == "error":
                return Failed(*content)
            if kind == "done":
                return Done(content, peak)
            reason = _exceeded(limits, looked - started, now)
            if reason:
                return Ended(reason, peak)
    except KeyboardInterrupt:  # raised by a handler that is not ours
        return Ended("interrupted", peak)
    finally:
        end_family(process.pid)
        process.join()
        receiving.close()
        restore()


def _collect_interrupts(into: list[int]) -> Callable[[], None]:
    """Interrupts are noted, and looked at between two steps: an exception out of nowhere may be lost in a callback.

    Returns what puts things back as they were.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    before = signal.signal(signal.SIGINT, lambda number, frame: into.append(number))

    def restore() -> None:
        signal.signal(signal.SIGINT, before)

    return restore


def _exceeded(limits: Limits, wall: float, used: Usage) -> str:
    if limits.wall is not None and wall > limits.wall:
        return f"time limit of {limits.wall:g} s reached"
    if limits.cpu is not None and used.cpu > limits.cpu:
        return f"processor time limit of {limits.cpu:g} s reached"
    if limits.memory is not None and used.memory > limits.memory:
        return f"memory limit of {limits.memory / 2**20:.0f} MiB reached"
    return ""


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return f"the worker died of signal {-code} ({signal.Signals(-code).name})"
    return f"the worker died with exit code {code}"


def _child(work: Callable[[Report], Any], sending: Connection) -> None:
    """In a thread with a large stack: solvers recurse as deep as formulas are."""
    global _inside
    if not _inside and hasattr(os, "setsid"):
        os.setsid()  # all it starts are one group, which can be ended even when it has died before them
    _inside = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends its children
    threading.stack_size(_STACK)
    thread = threading.Thread(target=_work, args=(work, sending))
    thread.start()
    thread.join()


def _work(work: Callable[[Report], Any], sending: Connection) -> None:
    try:
        sending.send(("done", work(lambda content: sending.send(("report", content)))))
    except BaseException as error:
        try:
            pickle.loads(pickle.dumps(error))  # some can be sent, but not received
            sending.send(("error", (error, traceback.format_exc())))
        except Exception:
            sending.send(("error", (RuntimeError(f"{type(error).__name__}: {error}"), traceback.format_exc())))
