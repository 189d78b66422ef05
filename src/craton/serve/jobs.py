"""The queue of jobs: a few work, some wait, the rest is told to come later. Each is contained by a keeper, within
limits of time, memory and processes, and its folder goes when it ends.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import stat
import sys
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from craton.errors import CratonError
from craton.processes.keeper import Contained, Keeper
from craton.processes.keeper import Order as KeeperOrder
from craton.processes.limits import Limits
from craton.serve.job import ANSWER, ORDER, PROGRESS, REPORT, UNCONFINED
from craton.serve.orders import Order

MOST_WAITING = 8
MOST_KEPT = 40  # jobs whose answers are remembered
MOST_PROCESSES = 64
_GRACE = 10.0  # seconds for reading, replaying and writing besides the time of the order
_LARGEST_ANSWER = 20 << 20  # bytes


class TooMany(CratonError):
    """The queue is full."""


class State(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


@dataclass(slots=True)
class Job:
    order: Order
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: State = State.WAITING
    answer: dict[str, Any] = field(default_factory=dict)
    report: str = ""
    folder: Path | None = None
    keeper: Keeper | None = None

    @property
    def progress(self) -> dict[str, Any]:
        """What it is doing; {} if that is not known."""
        if self.state is State.RUNNING and self.folder is not None:
            with suppress(OSError, ValueError):
                told: dict[str, Any] = json.loads(_content(self.folder / PROGRESS))
                return told
        return {}


class Jobs:
    """Law: never more than `workers` of them run, and whatever was started is ended by `close`."""

    def __init__(self, workers: int = 1, memory: int = 2 << 30, *, confined: bool = True) -> None:
        self._memory, self._confined = memory, confined
        self._waiting: queue.Queue[Job | None] = queue.Queue()
        self._known: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def add(self, order: Order) -> Job:
        with self._lock:
            if sum(job.state is State.WAITING for job in self._known.values()) >= MOST_WAITING:
                raise TooMany("too many jobs wait already: come again later")
            job = Job(order)
            self._known[job.id] = job
            self._forget_old()
        self._waiting.put(job)
        return job

    def find(self, name: str) -> Job | None:
        with self._lock:
            return self._known.get(name)

    def ahead(self, job: Job) -> int:
        """How many wait before it."""
        with self._lock:
            waiting = [one for one in self._known.values() if one.state is State.WAITING]
        return waiting.index(job) if job in waiting else 0

    def stop(self, job: Job) -> None:
        with self._lock:
            if job.state in (State.WAITING, State.RUNNING):
                job.state = State.STOPPED
            keeper = job.keeper
        if keeper is not None:
            keeper.stop()

    def close(self) -> None:
        with self._lock:
            jobs = list(self._known.values())
        for job in jobs:
            self.stop(job)
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _forget_old(self) -> None:
        ended = [name for name, job in self._known.items() if job.state in (State.DONE, State.STOPPED)]
        for name in ended[: max(0, len(self._known) - MOST_KEPT)]:
            del self._known[name]

    # --- in the threads of workers ---

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            with TemporaryDirectory(prefix="craton-job-") as folder:
                self._run(job, Path(folder))

    def _run(self, job: Job, folder: Path) -> None:
        (folder / ORDER).write_text(json.dumps(job.order.data()), encoding="utf-8")
        with self._lock:
            if job.state is not State.WAITING:
                return
            job.state, job.folder = State.RUNNING, folder
            try:
                job.keeper = Keeper(self._keeper_order(job, folder))
            except CratonError as problem:
                job.state, job.answer = State.DONE, {"error": str(problem)}
                return
        contained = job.keeper.answer()
        answer, report = _read(folder, contained)
        with self._lock:
            job.keeper = None
            if job.state is State.RUNNING:
                job.state, job.answer, job.report = State.DONE, answer, report

    def _keeper_order(self, job: Job, folder: Path) -> KeeperOrder:
        """With an environment of its own: whatever is in ours is nobody's business."""
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "LC_ALL": "C.UTF-8",
        }
        words = [f"{name}={value}" for name, value in environment.items()]
        program = [sys.executable, "-P", "-m", "craton.serve.job", str(folder)]
        limits = Limits(job.order.time_limit + _GRACE, None, self._memory)
        more = [] if self._confined else [UNCONFINED]
        return KeeperOrder(("env", "-i", *words, *program, *more), limits, most_processes=MOST_PROCESSES)


def _content(path: Path) -> bytes:
    """Of a file that a job has written. A job sees its own folder only, but we see more: what a link leads to is not
    read, and nobody waits for a pipe.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        told = os.fstat(file.fileno())
        if not stat.S_ISREG(told.st_mode) or told.st_nlink > 1 or told.st_size > _LARGEST_ANSWER:
            raise ValueError(f"{path.name} is no file that a job writes")
        return file.read(_LARGEST_ANSWER)


def _read(folder: Path, contained: Contained) -> tuple[dict[str, Any], str]:
    try:
        answer: dict[str, Any] = json.loads(_content(folder / ANSWER))
        with suppress(FileNotFoundError):
            return answer, _content(folder / REPORT).decode()
        return answer, ""
    except (OSError, ValueError):
        last = contained.log.strip().splitlines()[-1:] or [f"exit code {contained.exit_code}"]
        return {"error": f"there is no answer: {contained.reason or last[0]}"}, ""
