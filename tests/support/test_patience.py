"""A session fails when too many of its cases ran out of time, and only then; with workers as without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from craton.smt.contract import Undecided
from craton.traces.refutation import Feasible, GaveUp
from support.entries import TESTS
from support.patience import FEW, Group, Ledger, out_of_time

SESSION = """
import pytest
from support.patience import Group, record

@pytest.mark.parametrize("number", range(20))
def test_something(number):
    record(Group.VERDICTS, f"case {{number}}", "out of time" if number < {late} else "")
"""


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("late", [4, 6])
def test_a_session_fails_beyond_the_share(late: int, workers: int, tmp_path: Path) -> None:
    """Each worker alone would be within the limit of a few."""
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_session.py").write_text(SESSION.format(late=late), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "20 passed" in done.stdout, done.stdout + done.stderr
    beyond = late > 20 * Group.VERDICTS.share
    assert f"{late} of 20 ran out of time" in done.stdout
    assert ("too many cases ran out of time" in done.stdout) == beyond
    assert ("case 0; case 1; " in done.stdout) == beyond
    assert done.returncode == int(beyond)


def test_a_few_are_within_any_limit() -> None:
    ledger = Ledger()
    for number in range(FEW):
        ledger.record(Group.VERDICTS, number, "timeout")
    assert ledger.problems() == []
    ledger.record(Group.VERDICTS, FEW, "timeout")
    (problem,) = ledger.problems()
    assert f"{FEW + 1} of {FEW + 1} ran out of time" in problem


def test_what_workers_send_is_added_up() -> None:
    total = Ledger()
    for cases in (range(10), range(10, 30)):
        worker = Ledger()
        for number in cases:
            worker.record(Group.REFUTATIONS, number, "timeout" if number % 2 else "no idea")
        total.add(worker.as_data())
    count = total.counts[Group.REFUTATIONS]
    assert (count.cases, len(count.late)) == (30, 15)
    assert total.lines() != [] and Ledger().lines() == []


@pytest.mark.parametrize(
    "reason",
    [
        "z3: timeout",
        "z3: canceled",
        "cvc5: resourceout",
        "newton(sp): no answer in time",
        "out of time after 3 iterations",
        "time limit of 1.48 s reached",
        "evidence incomplete: a proof was found, but no time left to check the proof",
    ],
)
def test_reasons_that_are_lack_of_time(reason: str) -> None:
    assert out_of_time(reason)


@pytest.mark.parametrize(
    "reason", ["", "bitwuzla: no interpolants for floats", "the sequence lost too much", "z3: (incomplete quantifiers)"]
)
def test_reasons_that_are_not(reason: str) -> None:
    assert not out_of_time(reason)


def test_answers_and_their_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    from craton.logic import Model
    from support import patience

    monkeypatch.setattr(patience, "LEDGER", Ledger())
    assert patience.record(Group.VIEWS, "a", Undecided("z3: timeout"))
    assert patience.record(Group.VIEWS, "b", GaveUp("a: no answer in time"))
    assert not patience.record(Group.VIEWS, "c", Feasible(Model({})))
    assert not patience.record(Group.VIEWS, "d")
    assert patience.LEDGER.counts[Group.VIEWS].late == ["a", "b"]
