"""`craton reproduce`: an experiment of a paper from one command."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest

from craton.bench.experiments import EXPERIMENTS
from craton.bench.results import CORRECT, DONE, read_campaign
from craton.cli import main
from craton.commands.reproduce import NAMES


def test_an_experiment_from_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = tmp_path / "tasks" / "small.bpl"
    task.parent.mkdir()
    task.write_text("// #Safe\nprocedure main() { var x: int; x := 1; assert x == 1; }\n")
    only = ["--only", "Automizer bv IT-SP", "--only", "Kojak bv IT-SP"]
    out = tmp_path / "out"
    assert main(["reproduce", "craig-vs-newton", str(task), *only, "--time-limit", "30", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "Table 1, Automizer" in shown and "Table 1, Kojak" in shown
    assert "1 (100 %) [1]" in shown and "107 (41 %) [1]" in shown
    assert "107 (41 %) [1]" in (out / "craig-vs-newton.md").read_text()


# What an experiment is about, small: text and suffix. Each is run quickly by two rows that the paper compares.
TINY = {
    "craig-vs-newton": (
        ".bpl",
        "// #Safe\nprocedure main() { var b: bool, x: int; b := true; while (*) { x := x + 1; } assert b; }\n",
        ["Automizer bv Z3", "Automizer bv Z3 IT-SP-LV"],
    ),
    "newton-in-cpachecker": (
        ".bpl",
        "// #Unsafe\nprocedure main() { var x: int; havoc x; if (x > 2) { x := x - 3; } assert x != 7; }\n",
        ["LBE-Edge-LV", "LBE-Interpolation"],
    ),
    "exploring-interpolants": (
        ".smt2",
        "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))\n"
        "(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))\n"
        "(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))\n",
        ["plain", "ABS"],
    ),
    "refinement-selection": (
        ".bpl",
        "procedure main() { var b, i : int; i := 0; if (b != 0) { while (i < 3) { i := i + 1; } assert b != 0; } }\n",
        ["PA Good", "(VA_RefSel + PA_RefSel)_RefSel"],
    ),
}


@pytest.mark.parametrize("name", TINY)
def test_an_experiment_shows_its_shape_quickly(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suffix, text, rows = TINY[name]
    task = tmp_path / f"tiny{suffix}"
    task.write_text(text)
    only = [word for row in rows for word in ("--only", row)]
    out = tmp_path / "out"
    command = ["reproduce", name, str(task), "--quick", *only, "--out", str(out), "--quiet"]
    assert main(command) == 0
    told = capsys.readouterr()
    assert "1 of 1 task, 2 runs" in told.err
    solved = [run.config for run in read_campaign(out).runs if run.status in (*CORRECT, *DONE)]
    assert sorted(solved) == sorted(rows)
    page = (out / f"{name}.html").read_text()
    assert all(f"<h2>{escape(table.title)}</h2>" in page for table in EXPERIMENTS[name].tables(read_campaign(out)))
    assert (out / f"{name}.md").read_text() and (out / "results.html").exists()


def test_tasks_of_another_kind_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = tmp_path / "small.bpl"
    task.write_text("procedure main() { assert true; }\n")
    assert main(["reproduce", "exploring-interpolants", str(task), "--out", str(tmp_path / "out")]) == 2
    assert "none of these tasks is of the kind" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [(["--only", "Nobody*"], "no configuration is called 'Nobody*'"), ([], "name the tasks")],
)
def test_mistakes_are_told(arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "craig-vs-newton", *arguments]) == 2
    assert problem in capsys.readouterr().err


def test_the_command_names_all_experiments() -> None:
    assert tuple(EXPERIMENTS) == NAMES


def test_configurations_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "newton-in-cpachecker", "--list", "--only", "SBE-Edge-IC"]) == 0
    line = capsys.readouterr().out
    assert "'predicate(sbe, " in line and "level=edge" in line and line.count("\n") == 1
