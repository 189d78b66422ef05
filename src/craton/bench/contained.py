"""One command in a keeper: a process that contains whatever the command does, and reports what it was.

The keeper is the parent of all that the command starts, also of what has cut its ties: it asks the kernel to be given
orphans (`PR_SET_CHILD_SUBREAPER`). It watches wall time, processor time and memory of all of them, and how many they
are, ends them without asking when a limit is reached, and reads their output to the end but keeps only so much of it.
When whoever has started the keeper is gone, it ends everything and itself.

Where there is no /proc, only wall time and output are limited.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from craton.errors import CratonError
from craton.processes import Usage, family, usage
from craton.worker import Limits

_GLANCE = 0.05  # seconds between two looks at what the family uses
_LINGER = 0.5  # seconds in which a command that has ended may still be followed by output of those it has started

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
    """What a command was: its output and usage, and which limit it has reached, if it has."""

    exit_code: int | None  # None if it was ended; negative for a signal
    reached: str  # wall, cpu, memory, processes, or nothing
    reason: str  # in words, where a limit was reached
    output: str  # standard output; only the first part of it, when there was too much
    log: str  # both outputs as they came
    written: int  # bytes of output, kept or not
    file: str | None  # what the command has written into its file
    cpu: float
    wall: float
    memory: int

    def line(self) -> str:
        return json.dumps(asdict(self))


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
    def of(cls, line: str) -> Order:
        content: dict[str, Any] = json.loads(line)
        return cls(**content | {"command": tuple(content["command"]), "limits": Limits(**content["limits"])})


# --- from outside -----------------------------------------------------------------------------------------------------


class Keeper:
    """A keeper at work. Its answer can be read when `done` is readable; `end` ends it and its family."""

    def __init__(self, order: Order) -> None:
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        try:
            self.process = subprocess.Popen(
                # -P: no modules of whatever directory we are in
                [sys.executable, "-P", "-m", "craton.bench.contained"],
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
            return Contained(**json.loads(content))
        except (ValueError, TypeError):
            code = self.process.returncode
            _end_marked(self.mark)
            return Contained(code, "", f"the keeper of the process died ({code})", "", "", 0, None, 0.0, 0.0, 0)

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


# --- inside of the keeper ---------------------------------------------------------------------------------------------


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What ends a keeper is the end of its standard input. Heard, and not ignored: that would be inherited.
        signal.signal(number, lambda heard, frame: None)
    _adopt_orphans()
    order = Order.of(sys.stdin.buffer.readline().decode())
    _limit_processes(8 * order.most_processes)  # other runs start processes, too, so this is only a wall far behind
    answer = _keep(order)
    if answer is not None:
        with suppress(BrokenPipeError):
            sys.stdout.write(answer.line())
            sys.stdout.flush()
    return 0


def _adopt_orphans() -> None:
    with suppress(OSError, AttributeError):  # not on Linux: families are then seen only as far as they hold together
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _keep(order: Order) -> Contained | None:
    """Runs the command within its limits. None if nobody listens any more."""
    with _placed(order.command) as (command, file):
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # its group is ended as one
            )
        except OSError as problem:
            reason = f"cannot start {command[0]}: {problem.strerror}"
            return Contained(127, "", reason, "", reason + "\n", 0, None, 0.0, 0.0, 0)
        watch = _Watch(order, process, started)
        try:
            heard = watch.to_the_end()
        finally:
            process.poll()  # its exit code, before it is waited for as one of many
            _end_descendants(process.pid)
        if not heard:
            return None
        wall = time.monotonic() - started
        used = watch.final_usage()
        return Contained(
            exit_code=None if watch.reached else process.returncode,
            reached=watch.reached,
            reason=watch.reason,
            output=watch.answer.text(),
            log=watch.log.text(),
            written=watch.log.written,
            file=_content(file, order.answer_bytes),
            cpu=round(used.cpu, 3),
            wall=round(wall, 3),
            memory=used.memory,
        )


class _Watch:
    """Reads the output of the command and looks at its family, until it has ended or must be ended."""

    def __init__(self, order: Order, process: subprocess.Popen[bytes], started: float) -> None:
        self.order = order
        self.process = process
        self.started = started
        self.answer = _Beginning(order.answer_bytes)
        self.log = _Ends(order.log_bytes)
        self.peak = Usage(0.0, 0)
        self.reached = ""
        self.reason = ""

    def to_the_end(self) -> bool:
        """False if nobody listens any more."""
        selector = selectors.DefaultSelector()
        assert self.process.stdout is not None and self.process.stderr is not None
        for stream in (sys.stdin.buffer, self.process.stdout, self.process.stderr):
            selector.register(stream, selectors.EVENT_READ)
        looked = 0.0
        ended: float | None = None
        while True:
            for key, _ in selector.select(_GLANCE):
                content = os.read(key.fd, 2**16)
                if key.fileobj is sys.stdin.buffer:
                    if not content:
                        return False
                elif not content:
                    selector.unregister(key.fileobj)
                else:
                    self.log.add(content)
                    if key.fileobj is self.process.stdout:
                        self.answer.add(content)
            now = time.monotonic()
            if now - looked >= _GLANCE:
                looked = now
                if self._look(now - self.started):
                    return True
            if ended is None and self.process.poll() is not None:
                ended = now
            if ended is not None:
                open_streams = len(selector.get_map()) - 1
                # Somebody whom the command has left behind may hold its output open for ever.
                if not open_streams or now - ended > _LINGER:
                    return True

    def _look(self, wall: float) -> bool:
        """Whether a limit is reached."""
        _reap_orphans(self.process.pid)
        members = len(family(os.getpid())) - 1
        now = _usage_of_descendants()
        self.peak = Usage(max(self.peak.cpu, now.cpu), max(self.peak.memory, now.memory))
        limits = self.order.limits
        if limits.wall is not None and wall > limits.wall:
            self.reached, self.reason = "wall", f"time limit of {limits.wall:g} s reached"
        elif limits.cpu is not None and now.cpu > limits.cpu:
            self.reached, self.reason = "cpu", f"processor time limit of {limits.cpu:g} s reached"
        elif limits.memory is not None and now.memory > limits.memory:
            self.reached, self.reason = "memory", f"memory limit of {limits.memory / 2**20:.0f} MiB reached"
        elif members > self.order.most_processes:
            self.reached, self.reason = "processes", f"more than {self.order.most_processes} processes at once"
        return bool(self.reached)

    def final_usage(self) -> Usage:
        """All have been waited for, so the kernel knows what they used, also between two glances."""
        waited = resource.getrusage(resource.RUSAGE_CHILDREN)
        unit = 1 if sys.platform == "darwin" else 1024
        cpu = max(self.peak.cpu, waited.ru_utime + waited.ru_stime)
        return Usage(cpu, max(self.peak.memory, waited.ru_maxrss * unit))


def _usage_of_descendants() -> Usage:
    """Of the family without the keeper itself; children that the keeper has waited for are still counted."""
    everything = usage(os.getpid())
    own = os.times()
    own_memory = Usage(0.0, 0)
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        own_memory = Usage(0.0, pages * resource.getpagesize())
    return Usage(max(0.0, everything.cpu - own.user - own.system), max(0, everything.memory - own_memory.memory))


def _reap_orphans(spared: int) -> None:
    """Waits for adopted children that have ended, so that they do not pile up; `spared` is waited for by others."""
    for child in _children():
        if child != spared:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _children() -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def _end_descendants(command: int) -> None:
    """Ends all that the command has left, however many there are and however quickly they multiply.

    First the group of the command, all at once: the kernel lets none of them fork meanwhile, while a walk through a
    family that doubles never catches up. Then those who have left the group, by theirs.
    """
    _end_group(command)
    while _reap_all():
        for member in family(os.getpid())[1:]:
            with suppress(ProcessLookupError):
                _end_group(os.getpgid(member))
                os.kill(member, signal.SIGKILL)
        time.sleep(0.001)


def _end_group(group: int) -> None:
    if group != os.getpgid(0):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _reap_all() -> bool:
    """Whether any child is left after those that have ended were waited for."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return True
        except ChildProcessError:
            return False


def _limit_processes(most: int) -> None:
    """Not for root, whom the kernel lets have as many as there are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = _threads_of_user() + most
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_NPROC, (wanted if soft < 0 or wanted < soft else soft, hard))


def _threads_of_user() -> int:
    threads = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == os.getuid():
                threads += sum(1 for _ in (process / "task").iterdir())
    return threads


class _Beginning:
    """The first bytes of a stream."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.content = bytearray()

    def add(self, content: bytes) -> None:
        self.content += content[: self.most - len(self.content)]

    def text(self) -> str:
        return self.content.decode(errors="replace")


class _Ends:
    """The beginning and the end of a stream, half of the bytes each."""

    def __init__(self, most: int) -> None:
        self.head = _Beginning(most // 2)
        self.most = most - most // 2
        self.tail: deque[bytes] = deque()
        self.kept = 0
        self.written = 0

    def add(self, content: bytes) -> None:
        self.written += len(content)
        room = self.head.most - len(self.head.content)
        self.head.add(content)
        rest = content[room:]
        if rest:
            self.tail.append(rest)
            self.kept += len(rest)
            while self.kept - len(self.tail[0]) >= self.most:
                self.kept -= len(self.tail.popleft())

    def text(self) -> str:
        end = b"".join(self.tail)[-self.most :]
        left_out = self.written - len(self.head.content) - len(end)
        note = f"\n[… {left_out:,} bytes left out …]\n" if left_out else ""
        return self.head.text() + note + end.decode(errors="replace")


@contextmanager
def _placed(command: Sequence[str]) -> Iterator[tuple[list[str], Path | None]]:
    """The command with paths in it: of the interpreter, and of a file in a directory that is gone afterwards."""
    command = [sys.executable if word == PYTHON else word for word in command]
    if not any(FILE in word for word in command):
        yield command, None
        return
    directory = tempfile.mkdtemp(prefix="craton-bench-")
    file = Path(directory) / "file"
    try:
        yield [word.replace(FILE, str(file)) for word in command], file
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _content(file: Path | None, most: int) -> str | None:
    if file is None:
        return None
    try:
        with file.open("rb") as stream:
            content = stream.read(most + 1)
    except OSError:
        return None
    return content.decode(errors="replace") if len(content) <= most else None


if __name__ == "__main__":
    sys.exit(main())
