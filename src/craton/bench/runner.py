"""Runs a campaign: every task under every configuration, each run contained, each result written to disk at once.

A killed campaign loses only the runs in progress: repeating the command continues where it stopped.
"""

from __future__ import annotations

import datetime
import fcntl
import os
import selectors
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from craton.bench.configurations import Configuration
from craton.bench.machine import machine, versions
from craton.bench.progress import Progress
from craton.bench.proofs import Check, needs_check, without_proof
from craton.bench.results import FORMAT, RESULTS, Appender, Campaign, RunRecord, line_of, read_campaign
from craton.bench.runs import CRATON, PROOF, Run, record
from craton.bench.tasks import BenchTask, digest
from craton.errors import CratonError
from craton.files import make_directory, write_atomically
from craton.processes.keeper import Contained, Keeper
from craton.processes.limits import Limits

_PATIENCE = 0.2  # maximal seconds until an interrupt is noticed

Work = Run | Check  # what takes a place in a pool
Finished = tuple[Work, Contained]


class CampaignError(CratonError):
    """A directory that holds another campaign, or a running one."""


@dataclass(frozen=True, slots=True)
class Plan:
    tasks: tuple[BenchTask, ...]
    configurations: tuple[Configuration, ...]
    limits: Limits
    out: Path
    applies: Callable[[BenchTask, Configuration], bool] = lambda task, configuration: True
    reports: bool = False  # whether each run has a page of its own
    proofs: bool = False  # whether the proof of each TRUE is kept, and checked again

    def runs(self) -> list[Run]:
        """Ordered by task, so that configurations can be compared long before the end."""
        return [
            Run(task, configuration, self.limits, self.reports, self.proofs)
            for task in self.tasks
            for configuration in self.configurations
            if self.applies(task, configuration)
        ]


class Pool(Protocol):
    """Where runs happen: in local processes, or on a cluster."""

    @property
    def jobs(self) -> int: ...

    def finished(self, works: deque[Work], stopped: Callable[[], bool]) -> Iterator[Finished | None]:
        """Works as they finish, each once; None if there is nothing yet. Works may be added to the queue whenever one
        has been told. When stopped, no new ones are started.
        """
        ...


@dataclass(frozen=True, slots=True)
class LocalPool:
    """Runs on this machine, a number of them at once."""

    jobs: int = 1
    command: Sequence[str] = CRATON

    def finished(self, works: deque[Work], stopped: Callable[[], bool]) -> Iterator[Finished | None]:
        selector = selectors.DefaultSelector()
        keepers: dict[Keeper, Work] = {}
        try:
            while keepers or works:
                while works and len(keepers) < self.jobs and not stopped():
                    work = works.popleft()
                    keeper = Keeper(work.order(self.command))
                    keepers[keeper] = work
                    selector.register(keeper.done, selectors.EVENT_READ, keeper)
                ready = selector.select(_PATIENCE)
                for key, _ in ready:
                    keeper = key.data
                    selector.unregister(key.fileobj)
                    yield keepers.pop(keeper), keeper.answer()
                if not ready:
                    yield None
        finally:
            for keeper in keepers:
                keeper.end()
            selector.close()


@dataclass(frozen=True, slots=True)
class Ended:
    """A campaign when it ended, complete or not."""

    campaign: Campaign
    interrupted: bool
    missing: int  # runs that were not done


def run_campaign(plan: Plan, pool: Pool | None = None, stream: TextIO | None = None, silent: bool = False) -> Ended:
    """Does the runs that are not yet in the results, and returns all results. An interrupt returns those so far."""
    pool = LocalPool() if pool is None else pool
    stream = sys.stderr if stream is None else stream
    make_directory(plan.out)
    file = plan.out / RESULTS
    with closing(Appender(file)) as results:
        _lock(results, plan.out)
        results.mend()
        runs = plan.runs()
        known = _begin(plan, runs, file, results, pool, stream)
        finished = {done.key() for done in known.runs} if known else set()
        todo = [run for run in runs if run.key not in finished]
        progress = Progress(stream, len(runs), known.runs if known else (), silent)
        with _interrupts() as stopped:
            _work(plan, pool, todo, results, progress, stopped)
            interrupted = stopped()
    campaign = read_campaign(file)
    return Ended(campaign, interrupted, len(runs) - len(campaign.runs))


def _work(
    plan: Plan, pool: Pool, todo: Sequence[Run], results: Appender, progress: Progress, stopped: Callable[[], bool]
) -> None:
    works: deque[Work] = deque(todo)
    with closing(_closable(pool.finished(works, stopped))) as finished:
        try:
            for done in finished:
                if stopped():
                    break
                found = None if done is None else _outcome(plan, *done)
                if isinstance(found, Check):
                    works.appendleft(found)
                elif found is not None:
                    results.append(line_of(found))
                    progress.add(found)
        finally:
            progress.clear()


def _outcome(plan: Plan, work: Work, what: Contained) -> RunRecord | Check:
    """What came of it; or the check of the proof that it found, before which nothing is recorded."""
    if isinstance(work, Check):
        with (plan.out / work.record.log).open("a", encoding="utf-8") as log:
            log.write(f"\n--- craton check\n{what.log}")
        return work.judged(what, str(work.proof.relative_to(plan.out)))
    found = record(work, what, *_kept(plan, work, what))
    if not plan.proofs or not needs_check(found):
        return found
    if PROOF not in what.files:
        return without_proof(found, what)
    path = plan.out / "proofs" / f"{work.file_name}.json"
    _write(path, what.files[PROOF])
    return Check(work, found, path)


def _closable(finished: Iterator[Finished | None]) -> Any:
    """The generator that a pool returns: closing it ends the runs in progress."""
    return finished


def _kept(plan: Plan, run: Run, what: Contained) -> tuple[str, str, str]:
    """Writes the log, the witness and the page about the run, before the line that names them; "" for what is not."""
    page = None
    if plan.reports:
        from craton.bench.reports import run_report

        page = run_report(run, what)
    files = (
        ("logs", "log", what.log),
        ("witnesses", "yml", what.files.get("witness") or None),
        ("reports", "html", page),
    )
    names = []
    for folder, ending, text in files:
        name = f"{folder}/{run.file_name}.{ending}"
        if text is not None:
            _write(plan.out / name, text)
        names.append("" if text is None else name)
    return names[0], names[1], names[2]


def _write(path: Path, text: str) -> None:
    make_directory(path.parent)
    write_atomically(path, text)


# --- starting and resuming --------------------------------------------------------------------------------------------


def _begin(
    plan: Plan, runs: Sequence[Run], file: Path, results: Appender, pool: Pool, stream: TextIO
) -> Campaign | None:
    """Writes the campaign's header or, if there is one already, checks that it is the same campaign."""
    header = _header(plan, runs)
    now = {"started": _now(), "machine": machine(), "versions": versions(), "jobs": pool.jobs}
    if not file.stat().st_size:
        results.append({"kind": "campaign", "format": FORMAT, **now, **header})
        return None
    known = read_campaign(file)
    for what, was in (("configs", "configurations"), ("limits", "limits"), ("tasks", "tasks")):
        if known.header.get(what) != header[what]:
            raise CampaignError(
                f"{plan.out} holds a campaign with other {was}{_difference(known.header.get(what), header[what])};"
                " repeat its command to go on with it, or choose another --out"
            )
    if known.header.get("proofs", False) != plan.proofs:
        kept = "no proofs" if plan.proofs else "proofs"
        raise CampaignError(f"{plan.out} holds a campaign of which {kept} were kept; choose another --out")
    if len(known.runs) < len(runs):
        results.append({"kind": "resumed", **now})
        if known.header.get("versions") != now["versions"]:
            stream.write(f"craton: warning: {plan.out} was begun with other versions; its results mix them\n")
    return known


def _header(plan: Plan, runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "configs": {configuration.name: list(configuration.options) for configuration in plan.configurations},
        "limits": asdict(plan.limits),
        "proofs": plan.proofs,
        "tasks": {"count": len(plan.tasks), "runs": len(runs), "digest": digest(plan.tasks)},
        "directory": os.getcwd(),
    }


def _difference(before: Any, now: Any) -> str:
    """The first difference, for the message."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return ""
    for name in (*before, *now):
        if before.get(name) != now.get(name):
            return f" ({name}: {before.get(name, 'none')!r} there, {now.get(name, 'none')!r} here)"
    return ""


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _lock(results: Appender, out: Path) -> None:
    """The lock is released when the process ends, however it ends."""
    try:
        fcntl.flock(results.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CampaignError(f"another campaign is running in {out}") from None


@contextmanager
def _interrupts(numbers: Iterable[int] = (signal.SIGINT, signal.SIGTERM)) -> Iterator[Callable[[], bool]]:
    """Yields a function that says whether an interrupt has come. It is not raised: that could leave a partial line."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.signal(number, lambda got, frame: heard.append(got)) for number in numbers}
    try:
        yield lambda: bool(heard)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
