"""`craton tables`: the files that are asked for, and what cannot be read or written."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from craton.bench.summary import file_stems
from craton.bench.tables import csv_table, terminal_table
from craton.bench.tasks import find_tasks
from craton.cli import main
from support.campaigns import CONFIGS, campaign, write_campaign

CAMPAIGN = campaign()


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    out = write_campaign(CAMPAIGN, tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    assert main(["tables", "out"]) == 0
    assert capsys.readouterr().out.splitlines()[:21] == terminal_table(CAMPAIGN).splitlines()[:21]
    os.mkdir("elsewhere")
    options = "--csv a.csv --markdown a.md --runs runs.md --latex a.tex --html elsewhere/a.html --xml xml".split()
    assert main(["tables", "out/results.jsonl", *options]) == 0
    told = capsys.readouterr().out.splitlines()
    written = ["a.csv", "a.md", "runs.md", "a.tex", "elsewhere/a.html", *(str(file) for file in Path("xml").iterdir())]
    assert sorted(told) == sorted(f"written: {path}" for path in written)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == csv_table(CAMPAIGN)
    assert f'"../out/{CAMPAIGN.runs[0].log}"' in Path("elsewhere/a.html").read_text(encoding="utf-8")
    for run in ElementTree.parse(f"xml/craton.results.{file_stems(CONFIGS)['SP']}.xml").getroot().iter("run"):
        assert (Path("xml") / run.get("logfile", "")).resolve().is_relative_to(out / "logs")


def test_tasks_are_selected_by_what_was_refined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[RS] 7: tasks with a refinement that had more than one sliced prefix."""
    monkeypatch.chdir(tmp_path)
    several: dict[str, Any] = {
        "refutations": {"sliced": 2},
        "refinements to select from": {"most": 3, "with several": 1},
    }
    one: dict[str, Any] = {"refutations": {"sliced": 2}, "refinements to select from": {"most": 1, "with several": 0}}
    statistics: dict[str, dict[str, Any]] = {"a.c": several, "b [2].c": one, "c.c": {"refutations": {}}}
    first = CAMPAIGN.runs[0]
    runs = tuple(replace(first, task=name, statistics=told) for name, told in statistics.items())
    write_campaign(replace(CAMPAIGN, runs=runs), tmp_path / "out")
    for name in statistics:
        Path(name).write_text("int main(void) { return 0; }\n")
    for which, names in {"refined": ["a.c", "b [2].c"], "selecting": ["a.c"]}.items():
        file = Path("sets") / f"{which}.set"
        file.parent.mkdir(exist_ok=True)
        assert main(["tables", "out", "--tasks", which, "--set", str(file), "--csv", "a.csv"]) == 0
        assert [task.file.name for task in find_tasks([str(file)])] == names
        assert len(Path("a.csv").read_text().splitlines()) == len(names) + 1


def test_what_cannot_be_read_or_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(write_campaign(CAMPAIGN, tmp_path / "out"))
    (tmp_path / "file").touch()
    for options in (
        [str(tmp_path / "none")],
        [out, "--csv", str(tmp_path / "none" / "a.csv")],
        [out, "--xml", str(tmp_path / "file")],
    ):
        assert main(["tables", *options]) == 2
        told = capsys.readouterr()
        assert told.out == "" and told.err.count("\n") == 1 and str(tmp_path) in told.err
