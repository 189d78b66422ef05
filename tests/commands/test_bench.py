"""`craton bench`, with Craton itself: results, exit codes, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.bench.results import RESULTS, read_campaign
from craton.cli import main

SAFE = "procedure main() { var x: int; x := 1; assert x == 1; }\n"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "right.bpl").write_text("// #Safe\n" + SAFE)
    (tmp_path / "tasks" / "horn.smt2").write_text("(set-logic HORN)\n(check-sat)\n")
    command = ["bench", str(tmp_path / "tasks"), "--config", "--engine bounded", "--time-limit", "60"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr()
    assert "WRONG" not in shown.out + shown.err and "results.html" in shown.out
    runs = {Path(run.task).name: run for run in read_campaign(tmp_path / "out").runs}
    assert runs["right.bpl"].status == "correct-true" and "iterations" in runs["right.bpl"].statistics
    assert runs["horn.smt2"].status == "done-true"
    assert (tmp_path / "out" / runs["horn.smt2"].log).is_file()
    # Somebody changes the results: the exit code and the last lines tell of wrong verdicts, also when nothing is left.
    file = tmp_path / "out" / RESULTS
    file.write_text(file.read_text().replace("correct-true", "wrong-true"))
    assert main([*command, "--out", str(tmp_path / "out")]) == 1
    assert "WRONG: " in capsys.readouterr().err


def test_a_set_of_horn_clauses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What sat and unsat are is compared with the status of the script, or with what a task definition says of it."""
    tasks = tmp_path / "clauses"
    tasks.mkdir()
    counting = (
        "(assert (p 0))\n(assert (forall ((x Int)) (=> (and (p x) (< x 3)) (p (+ x 1)))))\n(assert (not (p {})))\n"
    )
    for name, status, last in (("right", "unsat", 3), ("safe", "sat", 4), ("wrong", "unsat", 5)):
        text = f"(set-info :status {status})\n(declare-fun p (Int) Bool)\n" + counting.format(last)
        (tasks / f"{name}.smt2").write_text(text)
    (tasks / "open.smt2").write_text("(declare-fun p (Int) Bool)\n" + counting.format(2))
    definition = "format_version: '2.0'\ninput_files: open.smt2\nproperties:\n  - property_file: sat.prp\n"
    (tasks / "told.yml").write_text(definition + "    expected_verdict: false\n")
    (tasks / "All.set").write_text("*.smt2\n*.yml\n")
    command = ["bench", str(tasks / "All.set"), "--config", "predicate=--engine predicate(cartesian)"]
    assert main([*command, "--config", "usual=", "--time-limit", "60", "--out", str(tmp_path / "out")]) == 1
    runs = {(Path(run.task).name, run.config): run.status for run in read_campaign(tmp_path / "out").runs}
    for config in ("predicate", "usual"):
        assert runs["right.smt2", config] == "correct-false"
        assert runs["safe.smt2", config] == "correct-true"
        assert runs["wrong.smt2", config] == "wrong-true"
        assert runs["told.yml", config] == "correct-false"
        assert runs["open.smt2", config] == "done-false"
    shown = capsys.readouterr()
    assert "WRONG: " in shown.err
    assert "All" in shown.out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere"], "nowhere: no such file"),
        (["{here}", "--config", "--engine x"], "configuration '--engine x'"),
        (["{here}", "--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("craton.bench.cluster._CONNECT", 0.2)
    (tmp_path / "one.bpl").write_text(SAFE)
    words = [word.format(here=tmp_path) for word in arguments]
    assert main(["bench", *words, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert problem in error and "Traceback" not in error


@pytest.mark.parametrize("option", [["--jobs", "0"], ["--every", "x"], ["--time-limit", "-1"]])
def test_bad_numbers_are_told(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", ".", *option])
    assert ended.value.code == 2 and ": expected a " in capsys.readouterr().err
