"""`craton explain`: what it shows, what it says when there is nothing to show, and its limits."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from craton.cli import main
from craton.logic import TRUE, Term
from craton.smt import Undecided, make_solver
from craton.smt.contract import Answer as SolverAnswer
from craton.traces import paths
from craton.traces.newton import Newton
from craton.traces.refutation import Answer
from craton.traces.trace import Trace
from craton.trees import explanation
from support.commands import command
from support.html import read
from support.programs import BY_NAME

TOGETHER = BY_NAME["loops/together.c"].path
COUNTERS = Path(__file__).parents[2] / "examples" / "boogie" / "two_counters.bpl"


class Puzzled:
    """A solver that decides nothing, or does so only once."""

    def __init__(self, once: bool = False) -> None:
        self.once = once
        self.asked = 0
        self.solver = make_solver("z3")

    @contextmanager
    def scope(self) -> Iterator[None]:
        with self.solver.scope():
            yield

    def add(self, *formulas: Term) -> None:
        self.solver.add(*formulas)

    def check(self) -> SolverAnswer:
        self.asked += 1
        return self.solver.check() if self.once and self.asked > 1 else Undecided("too puzzling")


def test_the_command_writes_page_and_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    assert main(["explain", str(COUNTERS), "--paths", "2", "--html", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data) == 2
    found = read(out.read_text())
    for explained in data:
        for column in explained["refiners"]:
            assert [a["formula"] for a in column["assertions"]][:: len(column["assertions"]) - 1] == ["true", "false"]
            assert all(a["formula"] in found.text for a in column["assertions"])


def test_all_newton_shows_the_eight_variants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(COUNTERS), "--all-newton", "--json", "--unroll", "1"]) == 0
    (explained,) = json.loads(capsys.readouterr().out)
    assert [column["refiner"] for column in explained["refiners"]] == [
        f"newton({it}{way}{lv})" for way in ("sp", "wp") for it in ("", "it,") for lv in ("", ",lv")
    ]
    assert all(column["assertions"][0]["smtlib"] == str(TRUE) for column in explained["refiners"])


def test_the_terminal_shows_trace_assertions_and_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(COUNTERS), "--refine", "newton(it, wp, lv)"]) == 0
    shown = capsys.readouterr().out
    assert "a := a + 1" in shown
    assert "● in core" in shown
    assert re.search(r"newton\(it,wp,lv\): (not )?perfect, core of \d+ steps, \d+ nodes, \d+ ms", shown)


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("procedure main() { var x: int; assert x > 0; }", "the error paths found can be executed"),
        ("procedure main() { var x: int; x := 1; }", "nothing to explain"),
    ],
)
def test_nothing_to_explain(program: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.bpl"
    file.write_text(program)
    assert main(["explain", str(file)]) != 0
    assert problem in capsys.readouterr().err


def test_undecided_is_not_feasible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver that says nothing says neither that a path can be executed nor that it cannot."""
    monkeypatch.setattr(paths, "make_solver", lambda *args, **options: Puzzled())
    assert main(["explain", str(COUNTERS)]) == 3
    said = capsys.readouterr().err
    assert "not decided" in said and "too puzzling" in said
    assert "can be executed" not in said and "nothing to explain" not in said


def test_paths_that_were_not_decided_are_told_of_beside_those_that_were(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "make_solver", lambda *args, **options: Puzzled(once=True))
    assert main(["explain", str(COUNTERS), "--paths", "50", "--unroll", "1", "--refine", "newton(sp)", "--json"]) == 0
    shown = capsys.readouterr()
    assert "1 error path not decided: too puzzling" in shown.err
    assert json.loads(shown.out)


def test_what_is_asked_is_asked_of_the_program_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Headers, macros and the property count as they do for `craton verify`."""
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "limit.h").write_text("#define LIMIT (STEP * 1000)\n")
    (tmp_path / "overflow.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    file = tmp_path / "program.c"
    file.write_text(
        '#include "limit.h"\nextern int __VERIFIER_nondet_int(void);\n'
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < LIMIT) x = x < 0 ? 0 : x + 1; return 0; }\n"
    )
    where = ["-I", str(tmp_path / "headers"), "-D", "STEP=7", "--property", str(tmp_path / "overflow.prp")]
    assert main(["explain", str(file), *where, "--refine", "newton(it, sp)", "--json"]) == 0
    (explained,) = json.loads(capsys.readouterr().out)
    assert any("7000" in step["statement"] for step in explained["trace"])
    assert explained["refiners"][0]["assertions"][-1]["formula"] == "false"
    assert main(["explain", str(file), *where[:4]]) == 2, "without the property there is no error"
    assert "nothing to explain" in capsys.readouterr().err


def test_a_refiner_that_takes_too_long_costs_its_own_column_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refute = Newton.refute

    def slowly(self: Newton, trace: Trace) -> Answer:
        if self.live:
            time.sleep(600)
        return refute(self, trace)

    monkeypatch.setattr(Newton, "refute", slowly)
    chosen = ["--refine", "newton(it, sp, lv)", "--refine", "newton(it, sp)"]
    assert main(["explain", str(COUNTERS), "--time-limit", "10", "--json", *chosen]) == 0
    (explained,) = json.loads(capsys.readouterr().out)
    slow, quick = explained["refiners"]
    assert slow["verdict"].startswith("gave up: time limit of")
    assert slow["assertions"] == []
    assert quick["assertions"]


def test_no_path_in_time_is_unknown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "spurious_paths", lambda *args: time.sleep(600))
    assert main(["explain", str(COUNTERS), "--time-limit", "0.5"]) == 3
    assert "UNKNOWN: no spurious error path was found: time limit" in capsys.readouterr().err


def test_an_interrupt_ends_it_all(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getpid()

    def interrupted(*args: object) -> None:
        os.kill(parent, signal.SIGINT)
        time.sleep(600)

    monkeypatch.setattr(explanation, "spurious_paths", interrupted)
    assert main(["explain", str(COUNTERS)]) == 130
    assert capsys.readouterr().err == "craton: interrupted\n"


def test_errors_come_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(tmp_path / "nowhere.c")]) == 2
    assert "nowhere.c" in capsys.readouterr().err
    assert main(["explain", str(COUNTERS), "--refine", "guessing"]) == 2


def test_a_path_is_explained_by_each_refiner(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("explain", TOGETHER, "--json", "--refine", "newton(it, sp)", "--refine", "newton(it, wp)") == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert [column["refiner"] for column in told["refiners"]] == ["newton(it,sp)", "newton(it,wp)"]


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((tmp_path / "none.c",), (TOGETHER, "--refine", "newtown")):
        assert command("explain", *words) == 2
        assert capsys.readouterr().err.startswith("craton: ")


# --- trees ------------------------------------------------------------------------------------------------------------

CLAUSES = """(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 5)) (inv (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (not (= x y))) false)))
(check-sat)
"""


def test_a_system_of_clauses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "clauses.smt2", tmp_path / "page.html"
    file.write_text(CLAUSES)
    chosen = ["--refine", "newton(it, wp, lv)", "--refine", "sliced(craig(z3))"]
    assert main(["explain", str(file), "--html", str(out), "--json", *chosen]) == 0
    (explained,) = json.loads(capsys.readouterr().out)
    assert [node["line"] for node in explained["tree"]] == [3, 4, 4, 5]
    assert explained["refiners"][0]["verdict"].startswith(("perfect", "not perfect"))
    assert "selection" in explained["refiners"][1]
    assert "What refiners learn from clauses.smt2" in read(out.read_text()).text
    assert main(["explain", str(file), *chosen]) == 0
    shown = capsys.readouterr().out
    assert "Spurious derivation of false 1: 4 clauses" in shown and "inv(x + 1, y + 1) ← inv(x, y) ∧ x < 5" in shown


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("(inv x y)", "the derivations of false found derive it"),
        ("(and (inv x y) (other x))", "no derivation of false up to 2 rounds"),
    ],
)
def test_nothing_to_explain_of_a_system(
    query: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "clauses.smt2"
    declared = CLAUSES.replace("(assert", "(declare-fun other (Int) Bool)\n(assert", 1)
    file.write_text(declared.replace("(and (inv x y) (not (= x y)))", query))
    assert main(["explain", str(file)]) == 2
    assert problem in capsys.readouterr().err


def test_a_program_with_recursion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "extern void reach_error(void);\nint fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }\n"
        "int main(void) { int r = fib(3); if (r < 0) reach_error(); return 0; }\n"
    )
    assert main(["explain", str(file), "--unroll", "1", "--refine", "newton(it, sp, lv)"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"Spurious error path 1: \d+ statements", shown)
    assert "fib returns" in shown and "assume r < 0" in shown
