"""The process backend against a stand-in that crashes, hangs and babbles."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.standin import SAT, UNSAT, Move, StandIn

from craton.errors import CratonError
from craton.logic import BOOL, INT, Function, Term, apply, eq, gt, int_, lt, not_, or_, var
from craton.smt.contract import Answer, Sat, Solver, StaleAnswer, Undecided, Unsat
from craton.smt.process import transport
from craton.smt.registry import make_solver

P, Q = var("p", BOOL), var("q", BOOL)
X, Y = var("x", INT), var("y", INT)


@pytest.fixture(autouse=True)
def no_leak() -> Iterator[None]:
    """Every test gives back all file descriptors and leaves no child behind."""
    before = set(os.listdir("/proc/self/fd"))
    yield
    assert set(os.listdir("/proc/self/fd")) == before


def stand_in(folder: Path, *plans: list[Move], time_limit: float | None = 20) -> tuple[StandIn, Solver]:
    stand = StandIn(folder, *plans)
    return stand, make_solver(stand.command, time_limit=time_limit)


def reason(answer: Answer) -> str:
    assert isinstance(answer, Undecided), answer
    return answer.reason


# --- one process that misbehaves, and the next ------------------------------------------------------------------------

HARD = 0.5  # seconds, for those who would take forever

MISBEHAVIOUR: dict[str, tuple[Move, float | None, str]] = {
    "exits before the reply": ([("exit", 3)], None, "ended with exit code 3"),
    "exits in the middle": ([("mutter", "sa"), ("exit", 0)], None, "ended with exit code 0; it said: sa"),
    "exits after the reply": ([("say", "sat"), ("exit", 1)], None, "ended with exit code 1"),
    "exits with a message": ([("warn", "out of memory"), ("exit", 1)], None, "exit code 1; it said: out of memory"),
    "is killed before the reply": ([("kill",)], None, "ended with SIGKILL"),
    "is killed after the reply": ([("say", "unsat"), ("kill",)], None, "ended with SIGKILL"),
    "hangs": ([("hang",)], HARD, "timeout"),
    "hangs after the reply": ([("say", "sat"), ("hang",)], HARD, "timeout"),
    "hangs in the middle": ([("mutter", "(error"), ("hang",)], HARD, r"timeout; it said: \(error"),
    "closes its output": ([("close-output",), ("hang",)], None, "closed its output"),
    "closes its output at the end of time": ([("close-output",), ("hang",)], HARD, "closed its output"),
    "does not listen": ([("close-input",), ("hang",)], HARD, "timeout"),
    "talks nonsense": ([("say", "maybe")], None, "answered 'maybe', which is no answer"),
    "talks brackets": ([("say", ")))((")], None, "no answer"),
    "says nothing": ([], None, "no answer"),
    "says both": ([("say", "sat\nunsat")], None, "answered 'sat unsat', which is no answer"),
    "says it twice": ([("say", "sat\nsat")], None, "no answer"),
    "babbles on": ([("babble",)], HARD, "timeout"),
    "says megabytes": ([("flood", 3)], None, "which is no answer"),
    "says an error": ([("say", '(error "line 3: no\n  way")')], None, "standin.py|: line 3: no way$"),
    "says an error and a verdict": ([("say", '(error "no sort")\nsat')], None, "no sort"),
    "says error": ([("say", "error")], None, ": error$"),
    "says that something is unsupported": ([("say", "unsupported\nsat")], None, "unsupported"),
    "is not Unicode": ([("say", "s\udcffat")], None, "Traceback|no answer|exit code"),
    "has a child and hangs": ([("fork",), ("hang",)], HARD, "timeout"),
    "has a child and exits": ([("fork",), ("exit", 2)], HARD, "timeout|exit code 2"),
    "has a child and is killed": ([("fork",), ("kill",)], HARD, "timeout|SIGKILL"),
    "says unknown": ([("say", "unknown")], None, "unknown"),
}


@pytest.mark.parametrize("what", MISBEHAVIOUR)
def test_misbehaviour_is_undecided_and_the_process_is_replaced(what: str, tmp_path: Path) -> None:
    move, limit, why = MISBEHAVIOUR[what]
    stand, solver = stand_in(tmp_path, [move], [SAT])
    with solver:
        solver.add(P)
        solver.push()
        solver.add(or_(not_(P), Q), name="implication")
        start = time.monotonic()
        answer = solver.check(gt(X, Y), time_limit=limit)
        assert time.monotonic() - start < (limit or 5) + 2
        assert pytest.raises(AssertionError, match=why) if False else why
        assert reason(answer).startswith("python")
        assert __import__("re").search(why, reason(answer))
        if what != "says unknown":
            assert stand.all_gone()
            assert isinstance(solver.check(gt(X, Y)), Sat)
            assert stand.runs == 2
            assert [line for line in stand.told(1) if "assert " in line] == [
                line.replace("assumption!2", "assumption!3") for line in stand.told(1) if "assert " in line
            ]
        else:
            assert stand.runs == 1
            assert reason(solver.check()).endswith("unknown")
    assert stand.all_gone()
