"""Queries that are logged, of every solver in this process: files that others can ask again."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from craton.errors import MissingCapability
from craton.logic import (
    BOOL,
    INT,
    BitVec,
    and_,
    bv,
    eq,
    not_,
    var,
)
from craton.smt.contract import Undecided
from craton.smt.querylog import QueryLog
from craton.smt.reading import parse_script
from craton.smt.registry import make_solver
from support.assertions import another_solver
from support.catalogue import SATISFIABLE, UNSATISFIABLE
from support.questions import hard_question
from support.sampling import sample

B8 = BitVec(8)
P, Q, R = (var(name, BOOL) for name in "pqr")
U, V, W = (var(name, B8) for name in "uvw")
X, Y = (var(name, INT) for name in "xy")


def logged(name: str, folder: Path) -> list[Path]:
    """Asks all sorts of questions of one solver, and returns the log."""
    log = QueryLog(folder)
    solver = make_solver(name, time_limit=60.0, log=log)
    for problem in (*SATISFIABLE, *sample(UNSATISFIABLE, 3, "querylog")):
        with solver.scope():
            try:
                *most, last = problem.formulas
                for i, formula in enumerate(most):
                    solver.add(formula, name=f"part {i}")
                solver.check(last)
            except MissingCapability:
                continue
    awkward = [var(text, BOOL) for text in ("a b", "let", "|", "\\", "true", "ü", "", "42", "part 0")]
    with solver.scope():
        solver.add(and_(*awkward), name="awkward | name")
        solver.add(eq(var("a b", B8), bv(1, 8)))
        solver.check()
    return sorted(folder.glob("*.smt2"))


def test_logged_queries_can_be_asked_again(name: str, tmp_path: Path) -> None:
    files = logged(name, tmp_path / "log")
    assert len(files) > 15
    for file in files:
        text = file.read_text(encoding="utf-8")
        status = re.search(r"\(set-info :status (\w+)\)", text)
        assert status is not None
        assert file.stem.endswith(f"{name}-{status[1]}")
        assert status[1] in ("sat", "unsat"), text
        answer = another_solver(name, parse_script(text)).check()
        assert repr(answer).lower() == status[1], f"{file.name}\n{answer}\n{text}"


@pytest.mark.parametrize("program", ["z3", "cvc5"])
def test_logged_queries_can_be_run_by_programs(name: str, program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"the program {program} is not installed")
    for file in logged(name, tmp_path / "log")[::4]:
        command = {
            "z3": ["z3", "-T:60", str(file)],
            "cvc5": ["cvc5", "--tlimit=60000", "--arrays-exp", "--fp-exp", str(file)],
        }
        done = subprocess.run(command[program], capture_output=True, text=True, timeout=120, check=False)
        expected = "unsat" if file.stem.endswith("unsat") else "sat"
        assert done.stdout.split()[:1] == [expected], f"{file.name}: {done.stdout}{done.stderr}\n{file.read_text()}"


def test_a_log_goes_on_where_it_stopped(tmp_path: Path) -> None:
    for _ in range(2):
        solver = make_solver("z3", log=QueryLog(tmp_path))
        solver.check(P)
        solver.check(P, not_(P))
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["000001-z3-sat.smt2", "000002-z3-unsat.smt2", "000003-z3-sat.smt2", "000004-z3-unsat.smt2"]


def test_undecided_queries_are_logged(tmp_path: Path) -> None:
    solver = make_solver("z3", time_limit=0.2, log=QueryLog(tmp_path))
    solver.add(hard_question())
    assert isinstance(solver.check(), Undecided)
    (file,) = tmp_path.iterdir()
    assert file.name == "000001-z3-unknown.smt2"
    assert parse_script(file.read_text()) == [hard_question()]
