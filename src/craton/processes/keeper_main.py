"""The keeper's main program: `python -m craton.processes.keeper_main`, with an order on its standard input.

The end of its standard input tells it to stop. It writes the command's outcome to its standard output.
"""

from __future__ import annotations

import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from craton.processes.excerpts import Beginning, Ends
from craton.processes.family import children, end_group, family
from craton.processes.keeper import PYTHON, Contained, Order
from craton.processes.kernel import adopt_orphans
from craton.processes.limits import Exceeded, Usage
from craton.processes.programs import launch
from craton.processes.watch import GLANCE, Scope, Watch

_FILE = re.compile(r"\{file:(\w+)\}")  # what `keeper.FILE` is with a name
_LINGER = 0.5  # seconds to wait, after the command has ended, for output of processes it started


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Only the end of its standard input ends a keeper. Handled, not ignored: ignoring would be inherited.
        signal.signal(number, lambda heard, frame: None)
    adopt_orphans()
    order = Order.of(sys.stdin.buffer.readline())
    _limit_processes(8 * order.most_processes)  # only a last resort: other runs count, too
    answer = _keep(order)
    if answer is not None:
        with suppress(BrokenPipeError):
            sys.stdout.write(answer.line())
            sys.stdout.flush()
    return 0


def _keep(order: Order) -> Contained | None:
    """Runs the command within its limits. None if the parent is gone."""
    with _placed(order.command) as (command, directory):
        started = time.monotonic()
        try:
            process = launch(command, directory=None if order.directory is None else Path(order.directory))
        except OSError as problem:
            reason = f"cannot start {problem.filename or command[0]}: {problem.strerror}"
            return Contained(127, problem=reason, log=reason + "\n")
        run = _Run(order, process, started)
        try:
            heard = run.to_the_end()
        finally:
            process.poll()  # fetch its exit code before all children are waited for
            _end_descendants(process.pid)
        if not heard:
            return None
        wall = time.monotonic() - started
        used = _final_usage(run.watch.peak)
        return Contained(
            exit_code=process.returncode if run.exceeded is None else None,
            exceeded=run.exceeded,
            output=run.answer.text(),
            log=run.log.text(),
            written=run.log.written,
            files=_contents(directory, order.answer_bytes),
            cpu=round(used.cpu, 3),
            wall=round(wall, 3),
            memory=used.memory,
        )


class _Run:
    """Reads the output of the command and watches its family, until it has ended or must be killed."""

    def __init__(self, order: Order, process: subprocess.Popen[bytes], started: float) -> None:
        self.process = process
        self.answer = Beginning(order.answer_bytes)
        self.log = Ends(order.log_bytes)
        self.exceeded: Exceeded | None = None
        self.watch = Watch(
            os.getpid(),
            order.limits,
            started=started,
            scope=Scope.DESCENDANTS,  # the keeper itself does not count
            most_processes=order.most_processes,
        )

    def to_the_end(self) -> bool:
        """False if the parent is gone."""
        assert self.process.stdout is not None and self.process.stderr is not None
        ended: float | None = None
        with selectors.DefaultSelector() as selector:
            for stream in (sys.stdin.buffer, self.process.stdout, self.process.stderr):
                selector.register(stream, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select(GLANCE):
                    if not self._hear(key, selector):
                        return False
                if self.watch.due:
                    _reap_orphans(self.process.pid)
                    self.exceeded = self.watch.look()
                    if self.exceeded is not None:
                        return True
                now = time.monotonic()
                if ended is None and self.process.poll() is not None:
                    ended = now
                # A process that the command left behind may hold its output open forever.
                if ended is not None and (len(selector.get_map()) == 1 or now - ended > _LINGER):
                    return True

    def _hear(self, key: selectors.SelectorKey, selector: selectors.BaseSelector) -> bool:
        """False if the parent is gone."""
        content = os.read(key.fd, 2**16)
        if key.fileobj is sys.stdin.buffer:
            return bool(content)
        if not content:
            selector.unregister(key.fileobj)
        self.log.add(content)
        if key.fileobj is self.process.stdout:
            self.answer.add(content)
        return True


def _final_usage(peak: Usage) -> Usage:
    """After all processes have been waited for, the kernel knows what they used, also between two glances."""
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(max(peak.cpu, waited.ru_utime + waited.ru_stime), max(peak.memory, waited.ru_maxrss * unit))


# --- descendants ------------------------------------------------------------------------------------------------------


def _reap_orphans(spared: int) -> None:
    """Waits for adopted children that have ended, so that they do not pile up; the caller waits for `spared` itself."""
    for child in children(os.getpid()):
        if child != spared:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _end_descendants(command: int) -> None:
    """Kills everything that the command left behind, however many there are and however quickly they multiply.

    First the group of the command, all at once: the kernel lets none of them fork meanwhile, whereas killing a
    multiplying family one by one never catches up. Then those that have left the group, by their own groups.
    """
    end_group(command)
    while _reap_all():
        for member in family(os.getpid())[1:]:
            with suppress(ProcessLookupError):
                end_group(os.getpgid(member))
                os.kill(member, signal.SIGKILL)
        time.sleep(0.001)


def _reap_all() -> bool:
    """Waits for children that have ended. Whether any child is left."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return True
        except ChildProcessError:
            return False


def _limit_processes(most: int) -> None:
    """Not effective for root, whose processes the kernel does not limit."""
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


# --- files ------------------------------------------------------------------------------------------------------------


@contextmanager
def _placed(command: Sequence[str]) -> Iterator[tuple[list[str], Path | None]]:
    """The command with paths filled in: of the interpreter, and of files in a temporary directory."""
    command = [sys.executable if word == PYTHON else word for word in command]
    if not any(_FILE.search(word) for word in command):
        yield command, None
        return
    directory = Path(tempfile.mkdtemp(prefix="craton-bench-"))
    try:
        yield [_FILE.sub(lambda place: str(directory / place[1]), word) for word in command], directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _contents(directory: Path | None, most: int) -> dict[str, str]:
    """Of the files that are there, by their names; those that are too long are left out."""
    found = {}
    for file in () if directory is None else sorted(directory.iterdir()):
        with suppress(OSError), file.open("rb") as stream:
            content = stream.read(most + 1)
            if len(content) <= most:
                found[file.name] = content.decode(errors="replace")
    return found


if __name__ == "__main__":
    sys.exit(main())
