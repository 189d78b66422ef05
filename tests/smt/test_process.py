"""The process backend against a stand-in that crashes, hangs and babbles."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Never

import pytest

from craton.errors import CratonError
from craton.logic import BOOL, INT, Function, Term, apply, eq, gt, int_, not_, or_, satisfies, var
from craton.processes import conversation
from craton.smt.contract import Answer, Sat, Solver, StaleAnswer, Undecided, Unsat
from craton.smt.registry import make_solver
from support.standin import SAT, UNSAT, Move, StandIn

P, Q = var("p", BOOL), var("q", BOOL)
X, Y = var("x", INT), var("y", INT)
PATIENCE = 5.0  # seconds beyond a time limit, on a busy machine


@pytest.fixture(autouse=True)
def no_leak() -> Iterator[None]:
    """Every test gives back all file descriptors."""
    before = set(os.listdir("/proc/self/fd"))
    yield
    assert set(os.listdir("/proc/self/fd")) <= before


def stand_in(folder: Path, *plans: list[Move]) -> tuple[StandIn, Solver]:
    stand = StandIn(folder, *plans)
    return stand, make_solver(stand.command, time_limit=60)


def reason(answer: Answer) -> str:
    assert isinstance(answer, Undecided), answer
    return answer.reason


# --- one process that misbehaves, and the next ------------------------------------------------------------------------

SOON = 0.4  # seconds, for those who would take forever

MISBEHAVIOUR: dict[str, tuple[Move, float | None, str]] = {
    "exits before the reply": ([("exit", 3)], None, "ended with exit code 3$"),
    "exits in the middle": ([("mutter", "(sa"), ("exit", 0)], None, r"ended with exit code 0; it said: \(sa$"),
    "exits after the reply": ([("say", "sat"), ("exit", 1)], None, "ended with exit code 1"),
    "exits with a message": ([("warn", "out of memory"), ("exit", 1)], None, "exit code 1; it said: out of memory$"),
    "is killed before the reply": ([("kill",)], None, "ended with SIGKILL$"),
    "is killed in the middle": ([("mutter", "unsa"), ("kill",)], None, "ended with SIGKILL; it said: unsa$"),
    "is killed after the reply": ([("say", "unsat"), ("kill",)], None, "ended with SIGKILL"),
    "hangs": ([("hang",)], SOON, "timeout$"),
    "hangs after the reply": ([("say", "sat"), ("hang",)], SOON, "timeout"),
    "hangs in the middle": ([("mutter", '(error "no'), ("hang",)], SOON, r'timeout; it said: \(error "no$'),
    "closes its output": ([("close-output",), ("hang",)], None, "closed its output$"),
    "does not listen": ([("close-input",), ("hang",)], SOON, "timeout$"),
    "talks nonsense": ([("say", "maybe")], None, "answered 'maybe', which is no answer$"),
    "talks brackets": ([("say", ")))((")], None, "no answer$"),
    "says nothing": ([], None, "no answer$"),
    "contradicts itself": ([("say", "sat\nunsat")], None, "answered 'sat unsat', which is no answer$"),
    "repeats itself": ([("say", "sat\nsat")], None, "no answer$"),
    "babbles on": ([("babble",)], SOON, "timeout; it said: … .*blah"),
    "says megabytes": ([("flood", 2)], None, "^.{,300} which is no answer$"),
    "says an error": ([("say", '(error "line 3: no\n  way")')], None, ": line 3: no way$"),
    "says an error and a verdict": ([("say", '(error "no sort")\nsat')], None, "no sort"),
    "says error": ([("say", "error")], None, ": error$"),
    "does not know a command": ([("say", "unsupported\nsat")], None, "unsupported$"),
    "is no text": ([("bytes", [0xFF, 0xFE, 0x0A])], None, "no answer$"),
    "has a child and hangs": ([("fork",), ("hang",)], SOON, "timeout$"),
    "has a child and exits": ([("fork",), ("exit", 2)], None, "exit code 2$"),  # the child holds the pipes
    "has a child and is killed": ([("fork",), ("kill",)], None, "SIGKILL$"),
}


@pytest.mark.parametrize("what", MISBEHAVIOUR)
def test_misbehaviour_is_undecided_and_the_process_is_replaced(what: str, tmp_path: Path) -> None:
    move, limit, why = MISBEHAVIOUR[what]
    stand, solver = stand_in(tmp_path, [SAT, move], [SAT])
    with solver:
        solver.add(P)
        assert isinstance(solver.check(), Sat)
        solver.push()
        solver.add(or_(not_(P), Q), name="implication")
        start = time.monotonic()
        answer = solver.check(gt(X, Y), time_limit=limit)
        assert time.monotonic() - start < (limit or 0) + PATIENCE
        assert re.search(why, reason(answer))
        assert reason(answer).startswith(f"{solver.name}: ")
        assert stand.all_gone()
        assert isinstance(solver.check(), Sat)
        assert stand.runs == 2
        assert stand.told(1) == [
            "(declare-fun _p () Bool)",
            "(assert _p)",
            "(push 1)",
            "(declare-fun _q () Bool)",
            "(assert (! (or (not _p) _q) :named assertion!1))",
            "(check-sat)",
        ]
    assert stand.all_gone()


def test_unknown_is_undecided_and_the_process_stays(tmp_path: Path) -> None:
    stand, solver = stand_in(tmp_path, [[("say", "unknown")], SAT])
    with solver:
        assert reason(solver.check()).endswith(": unknown")
        assert isinstance(solver.check(), Sat)
    assert stand.runs == 1


def test_warnings_and_comments_around_a_verdict_do_no_harm(tmp_path: Path) -> None:
    talk = "; comment (\nWARNING: unbalanced ( and \" and |\n  sat \n; that's it"
    stand, solver = stand_in(tmp_path, [[("warn", "careful"), ("say", talk)], UNSAT])
    with solver:
        assert isinstance(solver.check(), Sat)
        assert isinstance(solver.check(), Unsat)
    assert stand.runs == 1


def test_a_late_reply_is_not_taken_for_the_next(tmp_path: Path) -> None:
    _, solver = stand_in(tmp_path, [[("answer-and-say", "sat", "sat")], UNSAT], [UNSAT])
    with solver:
        assert isinstance(solver.check(), Sat)
        while "late" not in os.listdir(tmp_path):
            time.sleep(0.01)
        assert not isinstance(solver.check(), Sat)
        assert isinstance(solver.check(), Unsat)


def test_a_solver_that_does_not_read_is_not_waited_for(tmp_path: Path) -> None:
    stand, solver = stand_in(tmp_path, [[("answer-and-hang", "sat")]], [SAT])
    with solver:
        assert isinstance(solver.check(), Sat)
        solver.add(var("x" * 3_000_000, BOOL))
        start = time.monotonic()
        assert "timeout" in reason(solver.check(time_limit=SOON))
        assert time.monotonic() - start < SOON + PATIENCE
        assert stand.all_gone()
        assert isinstance(solver.check(), Sat)
        assert len(stand.told(1)[-2]) > 3_000_000


def test_a_solver_that_talks_before_it_reads_does_not_block(tmp_path: Path) -> None:
    """Pipes hold 64 KB: with both sides only writing, both would wait forever."""
    _, solver = stand_in(tmp_path, [[("first",), ("flood", 1)], SAT])
    with solver:
        solver.add(var("x" * 3_000_000, BOOL))
        assert isinstance(solver.check(), Sat)


def test_a_reply_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "LONGEST_REPLY", 1 << 20)
    stand, solver = stand_in(tmp_path, [[("babble",)]])
    with solver:
        assert "1 MB without coming to an end" in reason(solver.check())
    assert stand.all_gone()


def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    program = tmp_path / "solver"
    program.write_text("no program")
    program.chmod(0o755)
    with make_solver(str(program)) as solver:
        assert "cannot start" in reason(solver.check())


def test_every_question_has_the_time_limit_for_itself(tmp_path: Path) -> None:
    stand, solver = stand_in(tmp_path, [[("wait", 0.3), ("say", "sat")]])
    solver.time_limit = 20
    with solver:
        assert isinstance(solver.check(), Sat)
        assert "timeout" in reason(solver.check(time_limit=0.1))
        assert "timeout" in reason(solver.check(time_limit=0))
        assert isinstance(solver.check(), Sat)
    assert stand.all_gone()


def test_an_interrupt_leaves_no_busy_process(tmp_path: Path) -> None:
    def interrupt(*_: Any) -> Never:
        raise KeyboardInterrupt

    stand, solver = stand_in(tmp_path, [SAT, [("hang",)]], [SAT])
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with solver:
            solver.add(P)
            assert isinstance(solver.check(), Sat)
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(KeyboardInterrupt):
                solver.check()
            assert stand.all_gone()
            assert isinstance(solver.check(), Sat)
            assert stand.told(1)[:2] == ["(declare-fun _p () Bool)", "(assert _p)"]
    finally:
        signal.signal(signal.SIGALRM, before)


# --- the end of this program ------------------------------------------------------------------------------------------


def run_python(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def test_a_program_that_ends_takes_its_solvers_along(tmp_path: Path) -> None:
    stand = StandIn(tmp_path, [[("fork",), ("answer-and-hang", "sat")]])
    said = run_python(
        """
        import sys
        from craton.smt.registry import make_solver
        solver = make_solver(sys.argv[1])
        print(solver.check())
        keep = [solver]; keep.append(keep)
        """,
        stand.command,
    )
    assert said == "Sat\n"
    assert stand.all_gone()


def test_a_solver_that_is_forgotten_ends(tmp_path: Path) -> None:
    stand, solver = stand_in(tmp_path, [[("answer-and-hang", "sat")]])
    assert isinstance(solver.check(), Sat)
    del solver
    assert stand.all_gone()


def test_a_fork_does_not_end_the_solvers_of_its_parent(tmp_path: Path) -> None:
    stand = StandIn(tmp_path, [SAT])
    said = run_python(
        """
        import os, sys
        from craton.smt.registry import make_solver
        solver = make_solver(sys.argv[1], time_limit=20)
        print(solver.check(), flush=True)
        if os.fork() == 0:
            solver.close()
            os._exit(0)
        os.wait()
        print(solver.check())
        """,
        stand.command,
    )
    assert said == "Sat\nSat\n"
    assert stand.runs == 1


# --- questions after the verdict --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ([("exit", 3)], "get-value: the process ended with exit code 3"),
        ([("hang",)], "get-value: timeout"),
        ([("say", '(error "no model")')], "get-value: no model"),
        ([("say", "((_x 1")], "get-value: the s-expression is incomplete"),
        ([("say", "((_x 1) (_x 2))")], "asked for 1 value"),
        ([("say", "sat")], "asked for 1 value"),
        ([("say", "(() ())")], "asked for 1 value"),
        ([("say", "(())")], "asked for 1 value"),
        ([("say", "((_x |))")], "never closed"),
        ([("say", "((_x nonsense))")], "nonsense"),
        ([("say", "((_x true))")], "."),
    ],
)
def test_trouble_with_a_model_is_an_error_that_says_so(move: Move, why: str, tmp_path: Path) -> None:
    stand, solver = stand_in(tmp_path, [SAT, move, SAT])
    with solver:
        solver.add(gt(X, int_(0)))
        answer = solver.check(time_limit=3)
        assert isinstance(answer, Sat)
        with pytest.raises(CratonError, match=why):
            _ = answer.model
        assert not isinstance(solver.check(), Undecided)  # by the same process or a new one
    assert stand.all_gone()


def test_a_model_cannot_be_read_twice_from_a_process_that_is_gone(tmp_path: Path) -> None:
    _, solver = stand_in(tmp_path, [SAT, [("exit", 1)]])
    with solver:
        solver.add(P)
        answer = solver.check()
        assert isinstance(answer, Sat)
        for why in ("ended", "its process is gone"):
            with pytest.raises(CratonError, match=why):
                _ = answer.model


def test_a_model_is_read_by_short_questions(tmp_path: Path) -> None:
    f = Function("f", (INT,), INT)
    formula = eq(apply(f, apply(f, X)), Y)
    replies = ["((_x 1) (_y (- 3)))", "(((_f 1) 7))", "(((_f 7) (- 3)))"]
    stand, solver = stand_in(tmp_path, [SAT, *([("say", r)] for r in replies)])
    with solver:
        solver.add(formula)
        answer = solver.check()
        assert isinstance(answer, Sat)
        assert answer.model[X] == 1
        assert satisfies(answer.model, formula)
    assert stand.told(0)[-3:] == ["(get-value (_x _y))", "(get-value ((_f 1)))", "(get-value ((_f 7)))"]


def test_a_core_is_read_by_labels(tmp_path: Path) -> None:
    _, solver = stand_in(tmp_path, [UNSAT, [("say", "(|assertion!1| assumption!4)")]])
    with solver:
        solver.add(P, name="first")
        solver.add(Q, name="second")
        answer = solver.check(gt(X, Y), not_(P))
        assert isinstance(answer, Unsat)
        assert answer.core.names == ("first",)
        assert answer.core.assumptions == (not_(P),)


def test_an_answer_gets_stale(tmp_path: Path) -> None:
    _, solver = stand_in(tmp_path, [SAT])
    with solver:
        answer = solver.check()
        assert isinstance(answer, Sat)
        solver.add(P)
        with pytest.raises(StaleAnswer):
            _ = answer.model


# --- what the process is told -----------------------------------------------------------------------------------------


def told(folder: Path, *formulas: Term) -> list[str]:
    stand, solver = stand_in(folder, [SAT])
    with solver:
        for formula in formulas:
            solver.add(formula)
        solver.check()
    return stand.told(0)


@pytest.mark.parametrize("name", ["exp", "assert", "a b", "a|b", "a\\b", "größe", "x\ny", "", "_", ".x", "@x", "1"])
def test_names_are_spelled_for_every_solver(name: str, tmp_path: Path) -> None:
    declaration, assertion, _ = told(tmp_path, var(name, BOOL))
    assert re.fullmatch(r"\(declare-fun _[\w?.@~]* \(\) Bool\)", declaration, re.ASCII)
    assert assertion == f"(assert {declaration.split()[1]})"
    assert " _ " not in declaration


def test_variables_are_not_confused(tmp_path: Path) -> None:
    lines = told(tmp_path, var("a b", BOOL), var("a?b", BOOL), gt(var("a b", INT), int_(0)))
    symbols = [line.split()[1] for line in lines if line.startswith("(declare-fun")]
    assert len(set(symbols)) == 3


def test_scopes_and_assumptions(tmp_path: Path) -> None:
    stand, solver = stand_in(tmp_path, [SAT])
    with solver:
        solver.check()
        with solver.scope():
            solver.add(P)
            solver.check(Q)
            solver.add(Q)
            solver.check()
        solver.add(P)
        solver.check()
    assert stand.told(0) == [
        "(check-sat)",
        "(push 1)",
        "(declare-fun _p () Bool)",
        "(assert _p)",
        "(push 1)",
        "(declare-fun _q () Bool)",
        "(assert (! _q :named assumption!1))",
        "(check-sat)",
        "(pop 1)",
        "(declare-fun _q () Bool)",
        "(assert _q)",
        "(check-sat)",
        "(pop 1)",
        "(declare-fun _p () Bool)",
        "(assert _p)",
        "(check-sat)",
    ]
