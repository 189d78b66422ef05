"""Tables of a campaign against counts made by hand, and against the programs that are to read them."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from craton.bench.presentation import write_all, write_xml
from craton.bench.results import Campaign, RunRecord
from craton.bench.summary import file_stems, kind_of_reason, solved_alone, summaries
from craton.bench.tables import csv_table, latex_table, latex_text, markdown_runs, markdown_table, terminal_table
from support.campaigns import CONFIGS, campaign, write_campaign

CAMPAIGN = campaign()
WEIGHTS = {"correct-true": 2, "correct-false": 1, "wrong-true": -32, "wrong-false": -16}


def chosen(category: str, config: str) -> list[RunRecord]:
    return [run for run in CAMPAIGN.runs if category in ("all", run.category) and run.config == config]


def test_summaries_count() -> None:
    rows = summaries(CAMPAIGN)
    assert [(row.category, row.config) for row in rows] == [
        (category, config) for category in ("BitVectors", "Floats", "Loops", "all") for config in CONFIGS
    ]
    for row in rows:
        runs = chosen(row.category, row.config)
        assert row.runs == len(runs) == row.by_status.total()
        assert row.by_status == Counter(run.status for run in runs)
        assert row.score == sum(WEIGHTS.get(run.status, 0) for run in runs)
        assert row.cpu == pytest.approx(sum(run.cpu for run in runs))
        assert row.unknown_by_reason.total() == row.count("unknown")


def test_a_category_may_be_called_all() -> None:
    runs = tuple(replace(run, category="all" if run.category == "Loops" else run.category) for run in CAMPAIGN.runs)
    rows = [row for row in summaries(Campaign(CAMPAIGN.header, runs)) if row.category == "all" and row.config == "SP"]
    assert [(row.is_total, row.runs) for row in rows] == [(False, 30), (True, 64)]


def test_solved_alone() -> None:
    alone = solved_alone(CAMPAIGN.runs)
    assert alone
    for run in CAMPAIGN.runs:
        others = [other for other in CAMPAIGN.runs if other.task == run.task and other.config != run.config]
        solved = [other.status.startswith(("correct", "done")) for other in (run, *others)]
        assert (run.key() in alone) == (solved[0] and not any(solved[1:]))
    assert solved_alone(chosen("all", "SP")) == set()


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("no refutation of an error trace of 12 steps: z3: timeout", "no refutation of an error trace of N steps"),
        ("a/b.c:12:3: setjmp is not supported", "setjmp is not supported"),
        ("no test failed; out of time after 7 iterations", "out of time after N iterations"),
        ("", "no reason given"),
        ("x" * 80, "x" * 59 + "…"),
    ],
)
def test_reasons_are_told_by_kind(reason: str, kind: str) -> None:
    assert kind_of_reason(reason) == kind


def test_names_for_files() -> None:
    found = file_stems(["a b", "a/b", "A_B", "../..", "é"])
    assert len({stem.lower() for stem in found.values()}) == 5
    assert all(re.fullmatch(r"[\w+-][\w.+-]*", stem) for stem in found.values())


# --- the terminal -----------------------------------------------------------------------------------------------------


def test_the_terminal_table() -> None:
    lines = terminal_table(CAMPAIGN, 100).splitlines()
    heads = lines[1].split()
    assert heads[:3] == ["tasks", "true", "false"]
    assert heads[-5:] == ["memory", "error", "unknown", "score", "CPU", "(s)"][-5:]
    row = lines[lines.index("all") + 4]  # SP is the fourth configuration
    numbers = row.split()[1:]
    runs = chosen("all", "SP")
    counts = Counter(run.status for run in runs)
    assert row.startswith("  SP")
    assert numbers[:4] == [
        str(number)
        for number in (
            len(runs),
            counts["correct-true"],
            counts["correct-false"],
            counts["wrong-true"] + counts["wrong-false"],
        )
    ]
    assert numbers[-3:] == [
        str(counts["unknown"]),
        str(sum(WEIGHTS.get(run.status, 0) for run in runs)),
        f"{sum(run.cpu for run in runs):.0f}",
    ]


def test_wrong_verdicts_stand_out() -> None:
    text = terminal_table(CAMPAIGN)
    for run in CAMPAIGN.runs:
        if run.status.startswith("wrong"):
            assert f"{run.task} (unreach-call): {run.config} says {run.verdict}, expected is {run.expected}" in text
    assert "\x1b[1;31m" in terminal_table(CAMPAIGN, colour=True)
    assert "\x1b" not in text
    right = tuple(run for run in CAMPAIGN.runs if not run.status.startswith("wrong"))
    assert "WRONG" not in terminal_table(Campaign(CAMPAIGN.header, right))


def test_no_number_is_ever_cut() -> None:
    assert terminal_table(CAMPAIGN, 40).splitlines()[:21] == terminal_table(CAMPAIGN, 200).splitlines()[:21]


def test_reasons_of_many_rows_are_told_together() -> None:
    configs: dict[str, list[str]] = {f"c{number}": [] for number in range(20)}
    text = terminal_table(campaign(1, configs))
    assert "\n  all, c0: " in text
    assert "\n  Loops, c0: " not in text


# --- files ------------------------------------------------------------------------------------------------------------


def test_csv_has_every_run() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table(CAMPAIGN))))
    by_key = {run.key(): run for run in CAMPAIGN.runs}
    assert len(rows) == len(by_key)
    for row in rows:
        run = by_key.pop((row["task"], row["property"], row["config"]))
        assert (row["verdict"], row["status"], row["reason"]) == (run.verdict, run.status, run.reason)
        assert (float(row["cpu"]), int(row["memory"]), row["expected"]) == (run.cpu, run.memory, run.expected or "")
        assert int(row["iterations"]) == run.statistics["iterations"]
        said = f"{row['perfect']} of {row['tested']}"
        assert run.statistics["perfect sequences"] == said or (said == " of " and run.statistics["iterations"] == 1)
    assert not by_key


def test_markdown() -> None:
    lines = markdown_table(CAMPAIGN).splitlines()
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {lines[0].count("|")}
    row = next(line for line in lines if line.startswith("| Loops | `IT-WP <b>&_%` |"))
    assert row.split(" | ")[5:7] == ["0", "**1**"]  # wrong true, wrong false
    strange = tuple(replace(run, reason="a | b\nc", status="unknown") for run in CAMPAIGN.runs[:1])
    assert "a \\| b c" in markdown_table(Campaign(CAMPAIGN.header, strange))


def test_which_stage_found_a_verdict() -> None:
    """Where it is recorded: campaigns from before have the tables that they had."""
    found = tuple(replace(run, by="horn (ideal)", by_seconds=0.25) for run in CAMPAIGN.runs[:3])
    campaign = Campaign(CAMPAIGN.header, found)
    assert {(row["by"], row["by_seconds"]) for row in csv.DictReader(io.StringIO(csv_table(campaign)))} == {
        ("horn (ideal)", "0.25")
    }
    lines = markdown_table(campaign).splitlines()
    at = lines.index("| configuration | by | verdicts | median CPU (s) |")
    assert sum(int(line.split(" | ")[2]) for line in lines[at + 2 :]) == 3
    assert all(line.split(" | ")[1] == "`horn (ideal)`" for line in lines[at + 2 :])
    assert "| by |" not in markdown_table(CAMPAIGN)


def test_task_by_task() -> None:
    """Each run has its line under its category, and a wrong one cannot be overlooked."""
    runs = tuple(replace(run, by="horn", check="accepted") for run in CAMPAIGN.runs)
    lines = markdown_runs(Campaign(CAMPAIGN.header, runs)).splitlines()
    headings = [line.strip("*") for line in lines if line.startswith("**")]
    assert headings == ["BitVectors", "Floats", "Loops"]
    rows = [line.split(" | ") for line in lines if line.startswith("| ") and not line.startswith(("| task", "| ---"))]
    assert len(rows) == len(runs)
    assert all(row[3] == "horn" and row[-1] == "accepted |" for row in rows)
    assert sum(row[2].startswith("**wrong") for row in rows) == sum(run.status.startswith("wrong") for run in runs) > 0
    assert "configuration" not in markdown_runs(Campaign(CAMPAIGN.header, tuple(chosen("all", "SP"))))


def test_latex() -> None:
    lines = latex_table(CAMPAIGN).splitlines()
    columns = re.match(r"\\begin\{tabular\}\{ll(r+)\}", lines[1])
    assert columns is not None
    rows = [line for line in lines if line.endswith(r"\\")]
    for row in rows:
        spanned = sum(int(size) - 1 for size in re.findall(r"\\multicolumn\{(\d+)\}", row))
        assert len(re.findall(r"(?<!\\)&", row)) + 1 + spanned == 2 + len(columns[1])
    assert any(line.startswith(r"& IT-WP \textless{}b\textgreater{}\&\_\% &") for line in lines)
    assert latex_text(r"50 % of $x_1$ \o/") == r"50 \% of \$x\_1\$ \textbackslash{}o/"


@pytest.mark.parametrize("table", [terminal_table, csv_table, markdown_table, markdown_runs, latex_table])
def test_tables_do_not_depend_on_the_order_in_which_runs_ended(table: object) -> None:
    assert callable(table)
    assert table(CAMPAIGN) == table(Campaign(CAMPAIGN.header, CAMPAIGN.runs[::-1]))
    assert table(Campaign(CAMPAIGN.header, ()))  # no runs are no reason to fail


# --- BenchExec --------------------------------------------------------------------------------------------------------


def test_table_generator_reads_the_xml(tmp_path: Path) -> None:
    """BenchExec's own program makes a table of it in which every verdict, time and link is ours."""
    out = write_campaign(CAMPAIGN, tmp_path / "out")
    write_xml(CAMPAIGN, out / "benchexec", out)
    files = sorted((out / "benchexec").glob("*.xml"))
    assert len(files) == len(CONFIGS)
    generator = Path(sys.executable).parent / "table-generator"
    done = subprocess.run(
        [generator, "--no-diff", "--outputpath", tmp_path, "--name", "t", *files],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert "rows and" in done.stderr
    table = (tmp_path / "t.table.csv").read_text(encoding="utf-8")
    tool, sets, titles, *rows = csv.reader(table.splitlines(), delimiter="\t")
    columns = list(zip(sets, titles, strict=True))
    by_key = {(Path(run.task).name, run.category, run.config): run for run in CAMPAIGN.runs}
    for row in rows:
        category = {"bitvectors": "BitVectors", "floats": "Floats", "loops": "Loops"}[Path(row[0]).parent.name]
        for config in CONFIGS:
            run = by_key.pop((Path(row[0]).name, category, config))
            told = {title: value for (name, title), value in zip(columns, row, strict=True) if name == config}
            assert told["status"] == run.verdict
            assert float(told["cputime (s)"]) == pytest.approx(run.cpu)
            assert float(told["memory (MB)"]) == pytest.approx(run.memory / 1e6)
            assert int(told["iterations"]) == run.statistics["iterations"]
    assert not by_key
    page = (tmp_path / "t.table.html").read_text(encoding="utf-8")
    assert "out/logs/Loops.0.0.log" in page
    assert tool[1] == "Craton 0.1"


def test_verdicts_in_benchexecs_words(tmp_path: Path) -> None:
    """What BenchExec itself would have said of each verdict."""
    result = pytest.importorskip("benchexec.result")
    write_xml(CAMPAIGN, tmp_path / "benchexec", tmp_path)
    seen: Counter[str] = Counter()
    for file in (tmp_path / "benchexec").glob("*.xml"):
        for run in ElementTree.parse(file).getroot().iter("run"):
            told = {column.get("title"): column.get("value") for column in run.iter("column")}
            expected = result.ExpectedResult.from_str(run.get("expectedVerdict", ""))
            of = result.Property("unreach-call.prp", True, "unreach-call")
            category = result.get_result_category({of.filename: expected}, told["status"], [of])
            assert told["category"] == category
            assert int(str(told["score"])) == of.compute_score(category, told["status"])
            seen[category] += 1
    assert seen.keys() == {"correct", "wrong", "unknown", "error", "missing"}


def test_anything_that_programs_say_is_xml(tmp_path: Path) -> None:
    runs = tuple(replace(run, reason="\x1b[1m & <") for run in CAMPAIGN.runs[:1])
    write_xml(Campaign(CAMPAIGN.header, runs), tmp_path / "benchexec", tmp_path)
    [file] = (tmp_path / "benchexec").glob("*.xml")
    told = {column.get("title"): column.get("value") for column in ElementTree.parse(file).getroot().iter("column")}
    assert told["reason"] == "�[1m & <"


# --- all of it --------------------------------------------------------------------------------------------------------


def test_without_matplotlib_all_but_the_figures_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    written = write_all(CAMPAIGN, tmp_path)
    assert {"results.csv", "results.md", "results.tex", "results.html"} <= {path.name for path in written}
    assert all(path.stat().st_size > 0 for path in written)
    assert not (tmp_path / "figures").exists()
    assert "pip install 'craton[figures]'" in capsys.readouterr().err


# --- the command ------------------------------------------------------------------------------------------------------
