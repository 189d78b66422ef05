"""Whatever a run does, it is ended at its limits with all it has started, and recorded for what it was."""

from __future__ import annotations

from pathlib import Path

from craton.processes.limits import Limits
from support.bench import by_name, campaign, plan, write_tasks
from support.processes import needs_proc, processes_about

pytestmark = needs_proc


def test_runs_are_recorded_for_what_they_were(tmp_path: Path) -> None:
    programs = {
        "hungry": "allocate=20480 true",
        "tree": "fork=7 true",  # 128 processes of some MiB
        "chatty": "log=30 true",
        "crash": "crash",
        "bad": "bad-input",
        "mute": "no-answer",
        "open": "unknown",
    }
    tasks = write_tasks(tmp_path / "tasks", programs)
    ended, _ = campaign(plan(tasks, tmp_path / "out", Limits(60, None, 100 * 2**20)))
    runs = by_name(ended)
    assert {name: (record.verdict, record.status) for name, record in runs.items()} == {
        "hungry": ("OUT OF MEMORY", "memory"),
        "tree": ("OUT OF MEMORY", "memory"),
        "chatty": ("true", "done-true"),
        "crash": ("ERROR", "error"),
        "bad": ("ERROR", "error"),
        "mute": ("ERROR", "error"),
        "open": ("unknown", "unknown"),
    }
    assert "SIGSEGV" in runs["crash"].reason
    assert runs["bad"].reason == "program.c:1: what is this?"
    assert runs["open"].reason == "it is not known" and runs["open"].statistics == {"iterations": 7}
    assert (tmp_path / "out" / runs["chatty"].log).stat().st_size < 2**20 + 2**12
    assert not processes_about(str(tmp_path))


def test_runs_that_do_not_end_are_time_outs(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"deaf": "deaf true", "busy": "loop true"})
    ended, _ = campaign(plan(tasks, tmp_path / "out", Limits(0.2, None, None)))
    assert {record.verdict for record in ended.campaign.runs} == {"TIMEOUT"}
    assert {record.exit_code for record in ended.campaign.runs} == {None}
    assert not processes_about(str(tmp_path))
