"""Small campaigns with a verifier that stands in for Craton's."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from craton.bench.configurations import Configuration
from craton.bench.results import RunRecord
from craton.bench.runner import Ended, LocalPool, Plan, run_campaign
from craton.bench.tasks import BenchTask, find_tasks
from craton.processes.keeper import PYTHON
from craton.processes.limits import Limits

# Without site packages, since it needs none: starting one takes a third of the time.
STAND_IN = (PYTHON, "-I", "-S", str(Path(__file__).with_name("verifier.py")))

A, B = Configuration("a", ()), Configuration("b", ("--seed", "1"))


def write_tasks(directory: Path, programs: Mapping[str, str]) -> list[BenchTask]:
    """Boogie programs by name; the text is for the stand-in, and `// #Safe` before it what is expected."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in programs.items():
        (directory / f"{name}.bpl").write_text(text)
    return find_tasks([str(directory)])


def plan(tasks: Sequence[BenchTask], out: Path, limits: Limits | None = None, *configs: Configuration) -> Plan:
    return Plan(tuple(tasks), configs or (A,), limits or Limits(30.0, None, 2**30), out)


def campaign(plan: Plan, jobs: int = 2) -> tuple[Ended, str]:
    """What came of it, and what was shown meanwhile."""
    stream = io.StringIO()
    ended = run_campaign(plan, LocalPool(jobs, STAND_IN), stream)
    return ended, stream.getvalue()


def by_name(ended: Ended) -> dict[str, RunRecord]:
    return {Path(record.task).stem: record for record in ended.campaign.runs}
