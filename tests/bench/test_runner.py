"""Campaigns: verdicts against expected ones, scores, progress, exit codes, interrupts."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from craton.bench.configurations import Configuration
from craton.bench.progress import Progress
from craton.bench.results import RESULTS, Appender, read_campaign, score_of, status_of
from craton.bench.runner import LocalPool, run_campaign
from craton.files import CannotWrite
from craton.processes.limits import Limits
from support.bench import STAND_IN, A, B, by_name, campaign, plan, write_tasks

SCORES = {  # from the rules of the competition on software verification
    ("true", "true"): ("correct-true", 2),
    ("true", "false"): ("wrong-true", -32),
    ("true", "false(valid-deref)"): ("wrong-true", -32),
    ("false(unreach-call)", "true"): ("wrong-false", -16),
    ("false(unreach-call)", "false"): ("correct-false", 1),
    ("false(valid-deref)", "false(valid-deref)"): ("correct-false", 1),
    ("false(valid-free)", "false(valid-deref)"): ("wrong-false", -16),
    ("false(no-overflow)", None): ("done-false", 0),
    ("true", None): ("done-true", 0),
    ("unknown", "true"): ("unknown", 0),
    ("TIMEOUT", "false"): ("timeout", 0),
    ("OUT OF MEMORY", "true"): ("memory", 0),
    ("ERROR", "true"): ("error", 0),
}


@pytest.mark.parametrize(("verdict", "expected"), SCORES)
def test_statuses_and_scores(verdict: str, expected: str | None) -> None:
    status = status_of(verdict, expected)
    assert (status, score_of(status)) == SCORES[verdict, expected]


def test_a_campaign_records_everything(tmp_path: Path) -> None:
    tasks = write_tasks(
        tmp_path / "tasks",
        {"right": "// #Safe\ntrue", "wrong": "// #Unsafe\ntrue", "bad": "// #Safe\nfalse", "open": "true"},
    )
    ended, shown = campaign(plan(tasks, tmp_path / "out", None, A, B))
    assert not ended.interrupted and not ended.missing
    assert len(ended.campaign.runs) == 8
    runs = by_name(ended)
    assert {name: (run.status, run.score) for name, run in runs.items()} == {
        "right": ("correct-true", 2),
        "wrong": ("wrong-true", -32),
        "bad": ("wrong-false", -16),
        "open": ("done-true", 0),
    }
    assert runs["right"].statistics == {"iterations": 7}
    assert runs["right"].cpu > 0 and runs["right"].wall > 0 and runs["right"].memory > 2**20
    assert '"verdict": "true"' in (tmp_path / "out" / runs["right"].log).read_text()
    header = ended.campaign.header
    assert header["configs"] == {"a": [], "b": ["--seed", "1"]} and header["jobs"] == 2
    assert header["limits"] == {"wall": 30.0, "cpu": None, "memory": 2**30}
    assert header["versions"]["z3"] and header["machine"]["cores"] == os.cpu_count()
    # Wrong verdicts have lines of their own, and are in capitals ever after.
    assert shown.count("WRONG: ") == 4 and "said true, expected false" in shown
    assert "8 of 8 done: 2 correct, 4 WRONG" in shown


def test_witnesses_are_kept(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"one": "true"})
    asking = Configuration("asking", ("--witness", "{witness}"))
    ended, _ = campaign(plan(tasks, tmp_path / "out", None, asking, A))
    evidence = {run.config: run.evidence for run in ended.campaign.runs}
    assert evidence["a"] == ""
    assert (tmp_path / "out" / evidence["asking"]).read_text() == "a witness\n"


def test_a_verdict_that_comes_too_late_is_none(tmp_path: Path) -> None:
    """The stand-in does not know of its limit, and answers within the grace that Craton has."""
    tasks = write_tasks(tmp_path / "tasks", {"late": "// #Safe\nsleep=0.5 true"})
    ended, _ = campaign(plan(tasks, tmp_path / "out", Limits(0.2, None, None)))
    (run,) = ended.campaign.runs
    assert (run.verdict, run.score) == ("TIMEOUT", 0)


def test_limits_are_told_to_the_verifier(tmp_path: Path) -> None:
    (task,) = write_tasks(tmp_path, {"one": "true"})
    (run,) = plan([task], tmp_path, Limits(10.0, 20.0, 1000 * 2**20), B).runs()
    order = run.order(("craton",))
    assert order.command == (
        *("craton", "verify", str(tmp_path / "one.bpl"), "--seed", "1"),
        *("--time-limit", "10", "--cpu-limit", "20", "--memory-limit", "900", "--no-config", "--json"),
    )
    assert order.limits == Limits(12.0, 22.0, 1000 * 2**20)


def test_a_run_of_counted_work_has_wall_time_to_do_it_in(tmp_path: Path) -> None:
    (task,) = write_tasks(tmp_path, {"one": "true"})
    counted = replace(B, options=(*B.options, "--deterministic"))
    (run,) = plan([task], tmp_path, Limits(10.0, None, None), counted).runs()
    order = run.order(("craton",))
    assert "10" in order.command
    assert order.limits.wall is not None and order.limits.wall > 100


def test_an_interrupt_ends_it_with_what_is_known(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"a": "true", "b": "deaf true", "c": "true"})

    def interrupt() -> None:
        while not (tmp_path / "out" / RESULTS).exists() or '"kind": "run"' not in text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    def text() -> str:
        return (tmp_path / "out" / RESULTS).read_text()

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=interrupt)
    thread.start()
    ended = run_campaign(plan(tasks, tmp_path / "out"), LocalPool(1, STAND_IN), io.StringIO())
    thread.join()
    assert ended.interrupted and ended.missing == 2
    assert [Path(run.task).stem for run in read_campaign(tmp_path / "out").runs] == ["a"]
    assert signal.getsignal(signal.SIGINT) is before  # afterwards, interrupts are what they were


def test_modules_in_the_directory_of_the_tasks_are_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('not the module you wanted')\n")
    monkeypatch.chdir(tmp_path)
    ended, _ = campaign(plan(write_tasks(tmp_path / "tasks", {"one": "true"}), tmp_path / "out"))
    assert [run.verdict for run in ended.campaign.runs] == ["true"]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"one": "true"})
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="cannot make the directory"):
        campaign(plan(tasks, tmp_path / "file" / "out"))
    (tmp_path / "out" / RESULTS).mkdir(parents=True)
    with pytest.raises(CannotWrite, match=r"cannot write .*results.jsonl"):
        campaign(plan(tasks, tmp_path / "out"))
    full = Appender(Path("/dev/full")) if Path("/dev/full").exists() else None
    if full is not None:
        with closing(full), pytest.raises(CannotWrite, match="No space left"):
            full.append({"kind": "run"})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_and_elsewhere(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"a": "// #Safe\ntrue", "b": "// #Safe\nunknown", "c": "// #Unsafe\ntrue"})
    ended, plain = campaign(plan(tasks, tmp_path / "out"), jobs=1)
    assert plain.splitlines()[-1] == "3 of 3 done: 1 correct, 1 WRONG, 1 unknown"
    terminal = Terminal()
    progress = Progress(terminal, 4, ended.campaign.runs[:1])
    for run in ended.campaign.runs[1:]:
        progress.add(run)
    progress.clear()
    shown = terminal.getvalue().split("\r\x1b[2K")
    assert shown[0].startswith("2 of 4 done: 1 correct, 0 wrong, 1 unknown; ") and shown[0].endswith(" s left")
    assert shown[1].startswith("WRONG: ") and shown[-1] == ""
    quiet = io.StringIO()
    silent = Progress(quiet, 3, silent=True)
    for run in ended.campaign.runs:
        silent.add(run)
    assert quiet.getvalue().startswith("WRONG: ") and quiet.getvalue().count("\n") == 1
