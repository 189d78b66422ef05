"""`craton reproduce`: an experiment of a paper from one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.bench.experiments import EXPERIMENTS
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
    assert "'predicate(sbe)'" in line and "level=edge" in line and line.count("\n") == 1
