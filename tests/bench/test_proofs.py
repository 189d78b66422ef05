"""Proofs that are kept, and checked again in processes of their own."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from craton.bench.configurations import Configuration, source_options
from craton.bench.results import RESULTS, read_campaign
from craton.bench.runner import CampaignError
from craton.bench.tables import csv_table, terminal_table
from craton.cli import main
from support.bench import A, by_name, campaign, plan, write_tasks

LOOP = "procedure main() { var x: int; x := 0; while (x < 3) { x := x + 1; } assert x == 3; }\n"


def test_a_proof_that_is_not_accepted_is_an_error(tmp_path: Path) -> None:
    programs = {
        "good": "// #Safe\nproof=accepted true",
        "bad": "// #Safe\nproof=refused true",
        "open": "proof=unknown true",
        "dead": "// #Safe\nproof=crash true",
        "none": "// #Safe\nproof=none true",
        "wrong": "// #Unsafe\nproof=refused true",
        "false": "// #Unsafe\nfalse",
        "unknown": "unknown",
    }
    ended, shown = campaign(replace(plan(write_tasks(tmp_path / "tasks", programs), tmp_path / "out"), proofs=True))
    runs = by_name(ended)
    assert {name: (run.status, run.score, run.check) for name, run in runs.items()} == {
        "good": ("correct-true", 2, "accepted"),
        "bad": ("error", 0, "refused"),
        "open": ("error", 0, "unknown"),
        "dead": ("error", 0, "failed"),
        "none": ("error", 0, "missing"),
        "wrong": ("wrong-true", -32, "refused"),
        "false": ("correct-false", 1, ""),
        "unknown": ("unknown", 0, ""),
    }
    assert runs["bad"].verdict == "ERROR" and "not accepted (refused): it is refused" in runs["bad"].reason
    assert "SIGSEGV" in runs["dead"].reason or "-11" in runs["dead"].reason
    assert runs["good"].check_seconds == 0.5
    assert (tmp_path / "out" / runs["good"].proof).read_text() == "accepted"
    assert "craton check" in (tmp_path / "out" / runs["bad"].log).read_text()
    assert shown.count("NOT ACCEPTED: ") == 5 and shown.count("WRONG: ") == 1
    table = terminal_table(ended.campaign)
    assert "not accepted" in table and "proofs" in table
    rows = {Path(row["task"]).stem: row for row in csv.DictReader(io.StringIO(csv_table(ended.campaign)))}
    assert rows["bad"]["check"] == "refused" and rows["false"]["check"] == ""


def test_a_campaign_keeps_all_proofs_or_none(tmp_path: Path) -> None:
    first = plan(write_tasks(tmp_path / "tasks", {"one": "true"}), tmp_path / "out")
    campaign(first)
    with pytest.raises(CampaignError, match="no proofs were kept"):
        campaign(replace(first, proofs=True))
    without = (tmp_path / "out" / RESULTS).read_text().replace('"proofs": false, ', "")  # a campaign from before
    (tmp_path / "out" / RESULTS).write_text(without)
    assert campaign(first)[0].campaign.runs[0].check == ""


def test_programs_are_read_as_they_were() -> None:
    options = ("--engine", "bounded", "-DN=3", "-I", "inc", "--data-model", "LP64", "--witness", "{witness}")
    assert source_options(Configuration("c", options)) == ["--data-model", "LP64", "-Iinc", "-DN=3"]
    assert source_options(A) == []


def test_with_craton_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A proof of a program, and one of Horn clauses; nothing of what found them is left when they are checked."""
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "loop.bpl").write_text("// #Safe\n" + LOOP)
    clauses = "(declare-fun p (Int) Bool)\n(assert (p 0))\n(assert (forall ((x Int)) (=> (p x) (= x 0))))\n"
    (tmp_path / "tasks" / "clauses.smt2").write_text(f"(set-logic HORN)\n{clauses}(check-sat)\n")
    out = tmp_path / "out"
    assert main(["bench", str(tmp_path / "tasks"), "--proofs", "--time-limit", "60", "--out", str(out)]) == 0
    runs = {Path(run.task).stem: run for run in read_campaign(out).runs}
    assert {name: run.check for name, run in runs.items()} == {"loop": "accepted", "clauses": "accepted"}
    # Somebody changes the results: what is not accepted is told last, and by the exit code.
    file = out / RESULTS
    file.write_text(file.read_text().replace('"accepted"', '"refused"'))
    capsys.readouterr()
    assert main(["bench", str(tmp_path / "tasks"), "--proofs", "--time-limit", "60", "--out", str(out)]) == 1
    assert capsys.readouterr().err.count("NOT ACCEPTED: ") == 2
