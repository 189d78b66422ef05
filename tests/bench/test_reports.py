"""A page about each run of a campaign, and the links to it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from craton.bench.configurations import Configuration
from craton.bench.page import results_page
from craton.bench.reports import run_report
from craton.bench.results import Campaign, line_of, record_of
from craton.bench.runs import Run, record
from craton.bench.tasks import BenchTask
from craton.processes.keeper import Contained
from craton.processes.limits import Limits


def a_run(folder: Path) -> Run:
    file = folder / "p.c"
    file.write_text("int main(void) { return 0; }\n")
    task = BenchTask("p.c", "some", "unreach-call", "true", file, None, (file,))
    return Run(task, Configuration("horn", ("--engine", "horn", "--witness", "{witness}")), Limits(10.0, None, None))


def test_a_page_is_made_of_what_was_printed(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    printed = {
        "schema_version": 1,
        "verdict": "true",
        "reason": "",
        "evidence": "proof: 1",
        "found_by": "horn",
        "new": 1,
        "picture": "<svg>automaton</svg>",
    }
    page = run_report(run, Contained(0, output=json.dumps(printed)))
    assert page is not None and "proof: 1" in page and "return" in page
    assert f"craton verify {run.task.file} --engine horn" in page and "<svg>automaton</svg>" in page
    for output in ("", "[]", '{"error": "x", "exit_code": 2}'):
        assert run_report(run, Contained(2, output=output)) is None


def test_a_run_that_has_a_page_tells_its_automaton(tmp_path: Path) -> None:
    assert "--picture" not in a_run(tmp_path).order().command
    assert replace(a_run(tmp_path), pictured=True).order().command[-1] == "--picture"


def test_results_link_to_it(tmp_path: Path) -> None:
    what = Contained(0, output=json.dumps({"verdict": "true"}))
    found = record(a_run(tmp_path), what, "logs/x.log", "", "reports/x.html")
    assert "reports/x.html" in results_page(Campaign({"configs": {}}, (found,)))
    line = line_of(found)
    assert record_of(line) == found
    del line["report"]  # a campaign from before
    assert record_of(line).report == ""
