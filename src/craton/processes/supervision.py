"""Runs a function in its own process, within limits that are enforced whatever the function does.

The child reports as it goes; the parent watches time, processor time and memory of the child and everything it starts,
and kills them when a limit is reached. A solver that hangs costs an answer but never hangs Craton.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from multiprocessing.connection import Connection
from typing import Any, Self

from craton.processes import frames
from craton.processes.family import end_family, end_group
from craton.processes.kernel import end_with_parent, exit_descriptor
from craton.processes.limits import NOTHING, Exceeded, Limits, Usage
from craton.processes.running_time import begin_process, time_for_others
from craton.processes.watch import GLANCE, Scope, Watch, readable

# A forked child already has all terms and translations; without fork they are sent to it.
_CAN_FORK = "fork" in multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("fork" if _CAN_FORK else "spawn")

_STACK = 512 * 2**20

_inside = False  # whether this process is a worker itself

Report = Callable[[object], None]


# --- how work ends ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Done:
    value: Any
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True)
class Failed:
    """The work raised this error; the traceback is kept as text."""

    error: BaseException
    traceback: str


@dataclass(frozen=True, slots=True)
class Died:
    """The worker died by itself: with an exit code, or negative for a signal."""

    code: int | None

    def __str__(self) -> str:
        if self.code is not None and self.code < 0:
            return f"the worker died of signal {-self.code} ({signal.Signals(-self.code).name})"
        return f"the worker died with exit code {self.code}"


@dataclass(frozen=True, slots=True)
class Interrupted:
    """By whoever waits for it: by the user, or by the system, which wants the whole process to end (SIGTERM)."""

    by: int = signal.SIGINT

    def __str__(self) -> str:
        return "interrupted" if self.by == signal.SIGINT else f"ended by {signal.Signals(self.by).name}"


@dataclass(frozen=True, slots=True)
class Ended:
    """The work was stopped, or died, and why."""

    cause: Exceeded | Died | Interrupted
    usage: Usage = NOTHING

    @property
    def reason(self) -> str:
        """The cause as a message for the user."""
        return str(self.cause)


Ending = Done | Failed | Ended


# --- one worker -------------------------------------------------------------------------------------------------------


class Worker:
    """A process that works and reports. Only `wait` blocks. It does not enforce limits, see `Watch`.

    A worker ends with `end`, or with the thread that started it (on Linux).
    """

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self.started = time_for_others()
        self._receiving, sending = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_child, args=(work, sending, os.getpid()))
        self._process.start()
        sending.close()
        self.pid: int = self._process.pid
        self._frames = frames.Reader(self._receiving.fileno())
        self._exit = exit_descriptor(self.pid)
        self._reports: list[object] = []
        self._ending: Ending | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def streams(self) -> tuple[int | None, ...]:
        """File descriptors that become readable when `poll` has something new."""
        return (None if self._frames.ended else self._frames.stream, self._exit)

    def wait(self, seconds: float = GLANCE) -> None:
        """Waits until there is something new, but at most this long."""
        readable(self.streams, seconds)

    def poll(self) -> Ending | None:
        """How the work ended, or None if it is still running; first collects its reports."""
        alive = self._process.is_alive()  # checked before reading, so that its last reports are not lost
        for kind, content in self._frames.read():
            match kind:
                case _Message.REPORT:
                    self._reports.append(content)
                case _Message.DONE:
                    self._ending = Done(content)
                case _Message.ERROR:
                    self._ending = Failed(*content)
        if self._ending is None and not alive:
            # What counts is the end of the process, not of the pipe: others may hold it open.
            self._ending = Ended(Died(self._process.exitcode))
        return self._ending

    def receive(self) -> list[object]:
        """The reports that were not yet received."""
        reports, self._reports = self._reports, []
        return reports

    def end(self) -> None:
        """Kills the worker and everything it has started, whatever they are doing."""
        if not self._receiving.closed:
            self._kill()
            self._forget()

    def _kill(self) -> None:
        if self._process.is_alive():
            end_family(self.pid)
        else:
            end_group(self.pid)  # its pid may belong to another process by now

    def _forget(self) -> None:
        self._process.join()
        self._process.close()
        self._receiving.close()
        if self._exit is not None:
            os.close(self._exit)


def end_all(workers: Sequence[Worker]) -> None:
    """Ends all of them before it waits for the first: giving back much memory takes a moment."""
    alive = [worker for worker in workers if not worker._receiving.closed]
    for worker in alive:
        worker._kill()
    for worker in alive:
        worker._forget()


class _Message(Enum):
    REPORT = auto()
    DONE = auto()
    ERROR = auto()


def _child(work: Callable[[Report], Any], sending: Connection, parent: int) -> None:
    """Works in a thread with a large stack: solvers recurse as deep as formulas are."""
    gc.freeze()  # to look for garbage among what was inherited would copy all its pages
    global _inside
    end_with_parent(parent)
    begin_process()
    if not _inside and hasattr(os, "setsid"):
        os.setsid()  # everything it starts is one group, which can be killed even after its own death
    _inside = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends its children
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    _be_silent()
    threading.stack_size(_STACK)
    thread = threading.Thread(target=_work, args=(work, sending.fileno()))
    thread.start()
    thread.join()


def _be_silent() -> None:
    """What solvers print of their own accord is not for the user: a worker speaks through its reports."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        os.close(nowhere)


def _work(work: Callable[[Report], Any], stream: int) -> None:
    try:
        frames.write(stream, (_Message.DONE, work(lambda content: frames.write(stream, (_Message.REPORT, content)))))
    except BaseException as error:
        try:
            pickle.loads(pickle.dumps(error))  # some errors can be pickled but not unpickled
            frames.write(stream, (_Message.ERROR, (error, traceback.format_exc())))
        except Exception:
            told = RuntimeError(f"{type(error).__name__}: {error}")
            frames.write(stream, (_Message.ERROR, (told, traceback.format_exc())))


# --- under supervision ------------------------------------------------------------------------------------------------


def supervise(
    work: Callable[[Report], Any], limits: Limits, heard: Callable[[object], None], *, last_words: bool = False
) -> Ending:
    """Runs `work`, which is given a function to report with; `heard` gets the reports.

    A SIGTERM or SIGHUP ends the work, and then this process as the signal would; with `last_words`, whoever called
    has something to say before and calls `end_as_asked` with the ending.
    """
    ending = _supervised(work, limits, heard)
    if not last_words:
        end_as_asked(ending)
    return ending


def end_as_asked(ending: Ending) -> None:
    """Ends this process if the work was ended by a signal that wants that."""
    if isinstance(ending, Ended) and isinstance(ending.cause, Interrupted) and ending.cause.by != signal.SIGINT:
        signal.raise_signal(ending.cause.by)


def _supervised(work: Callable[[Report], Any], limits: Limits, heard: Callable[[object], None]) -> Ending:
    with _interrupts() as interrupts, Worker(work) as worker:
        watch = Watch(worker.pid, limits, started=worker.started, scope=Scope.FAMILY_AND_WATCHER)
        try:
            while not interrupts:
                worker.wait()
                ending = worker.poll()
                for report in worker.receive():
                    heard(report)
                if ending is not None:
                    return ending if isinstance(ending, Failed) else replace(ending, usage=watch.last_look())
                exceeded = watch.glance()
                if exceeded is not None:
                    return Ended(exceeded, watch.peak)
        except KeyboardInterrupt:  # raised by somebody else's handler
            pass
        return Ended(Interrupted(interrupts[0] if interrupts else signal.SIGINT), watch.peak)


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """The interrupts that have come. They are noted and looked at between two steps: an exception out of nowhere may be
    lost in a callback.
    """
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as `nohup` wants it
        signals.append(signal.SIGHUP)
    before = [signal.signal(number, lambda number, frame: heard.append(number)) for number in signals]
    try:
        yield heard
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
