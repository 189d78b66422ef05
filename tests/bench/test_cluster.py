"""The same campaign on a Dask cluster of two workers, of which one is killed in the middle."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from craton.bench.results import RESULTS, RunRecord, read_campaign
from support.bench import A, campaign, plan, write_tasks

pytest.importorskip("distributed", reason="the cluster is optional: pip install 'craton[cluster]'")

CAMPAIGN = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from craton.bench.cluster import ClusterPool
from craton.bench.runner import run_campaign
from craton.bench.tasks import find_tasks
from support.bench import A, STAND_IN, plan
tasks = find_tasks([sys.argv[1]])
ended = run_campaign(plan(tasks, Path(sys.argv[2]), None, A), ClusterPool.at(sys.argv[3], STAND_IN))
sys.exit(130 if ended.interrupted else 0)
"""


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def address_told_by(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"Scheduler at:\s*(tcp://\S+)", line)
        if found:
            return found.group(1)
    raise AssertionError("the scheduler ended")


def worker(address: str, directory: Path) -> tuple[str, ...]:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(directory))
    return (sys.executable, "-m", "distributed.cli.dask_worker", address, *options)


def test_a_worker_is_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    programs = {f"p{number}": f"sleep=0.2 {word}" for number, word in enumerate(("true", "false", "unknown") * 3)}
    tasks = write_tasks(tmp_path / "tasks", programs)
    whole, _ = campaign(plan(tasks, tmp_path / "whole", None, A))
    out = tmp_path / "out"
    scheduler = (sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    with started(*scheduler, "--no-dashboard") as head:
        address = address_told_by(head)
        with started(*worker(address, tmp_path)), started(*worker(address, tmp_path)) as doomed:
            named_from_here = [sys.executable, "-c", CAMPAIGN, "tasks", str(out), address]
            ours = subprocess.Popen(named_from_here, cwd=tmp_path)
            while runs_on_disk(out) < 3:
                assert ours.poll() is None
                time.sleep(0.02)
            doomed.kill()
            assert ours.wait(120) == 0
    lines = [json.loads(line) for line in (out / RESULTS).read_text().splitlines()]
    assert sum(line["kind"] == "run" for line in lines) == len(programs)  # none lost, and none counted twice
    assert _told(read_campaign(out).runs) == _told(whole.campaign.runs)


def _told(runs: Iterable[RunRecord]) -> set[tuple[str, str, str]]:
    """Tasks go by names that depend on where the command was given."""
    return {(Path(record.task).name, record.verdict, record.status) for record in runs}


def runs_on_disk(out: Path) -> int:
    file = out / RESULTS
    return file.read_text().count('"kind": "run"') if file.exists() else 0


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_no_cluster_is_said(address: str) -> None:
    """In a process of its own: a client that finds no scheduler leaves a thread behind."""
    command = [sys.executable, "-c", f"{NO_CLUSTER}ClusterPool.at({address!r})"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert f"NoCluster: no Dask scheduler answers at {address}" in done.stderr.splitlines()[-1]  # nothing after it


NO_CLUSTER = """
from craton.bench import cluster
from craton.bench.cluster import ClusterPool
cluster._CONNECT = 0.2
"""
