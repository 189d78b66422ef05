"""BenchExec's own check of the tool-info module, on what Craton really prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from craton.report.verdict import Outcome, Output, print_outcome
from craton.verdicts.text import VerdictKind, VerdictText

pytest.importorskip("benchexec", reason="the tool-info module is for BenchExec, which is not installed")

MODULE = "craton.bench.benchexec_tool"
EXAMPLE = Path(__file__).parents[2] / "examples" / "bench" / "craton.xml"

UNKNOWN = VerdictText(VerdictKind.UNKNOWN)
OUTCOMES = {
    "true": Outcome(
        VerdictText(VerdictKind.TRUE), evidence="proof: 1 loop invariant", found_by="horn", statistics={"iterations": 3}
    ),
    "false": Outcome(VerdictText(VerdictKind.FALSE, "unreach-call"), evidence="replay: error reached after 0 inputs"),
    "overflow": Outcome(VerdictText(VerdictKind.FALSE, "no-overflow"), evidence="replay: error reached after 0 inputs"),
    "unknown": Outcome(UNKNOWN, "horn: the solver gave up"),
    "late": Outcome(UNKNOWN, "time limit of 10 s reached"),
}


def written(directory: Path, capsys: pytest.CaptureFixture[str]) -> list[Path]:
    """Files of what `craton verify --stats` prints."""
    files = []
    for name, outcome in OUTCOMES.items():
        print_outcome(outcome, Output(stats=True))
        files.append(directory / f"{name}.log")
        files[-1].write_text(capsys.readouterr().out)
    return files


def test_benchexec_accepts_the_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = written(tmp_path, capsys)
    # BenchExec runs the tool to learn its version.
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-m", "benchexec.test_tool_info", MODULE, "--no-container", "--tool-output"]
    checked = subprocess.run(
        [*command, *map(str, outputs)], capture_output=True, text=True, env=environment, timeout=120
    )
    assert checked.returncode == 0, checked.stderr
    assert "Name of tool: “Craton”" in checked.stderr
    assert re.search(r"Version: “\d", checked.stderr)
    complaints = [line for line in checked.stderr.splitlines() if re.match("WARNING|ERROR|CRITICAL", line)]
    # The only one: an environment of Python's is where it is.
    assert [line for line in complaints if "Path to executable is absolute" not in line] == []
    found = re.findall(r"Result of analyzing tool output in .*?(\w+)\.log”:\s+“(.*)”", checked.stderr)
    assert dict(found) == {
        "true": "true",
        "false": "false(unreach-call)",
        "overflow": "false(no-overflow)",
        "unknown": "unknown",
        "late": "TIMEOUT",
    }


class _Ending:
    def __init__(self, value: int | None) -> None:
        self.value = value


class _Run:
    """What BenchExec tells of a run."""

    def __init__(self, output: list[str], code: int | None, ended: bool = False) -> None:
        self.output = output
        self.exit_code = _Ending(code)
        self.was_timeout = self.was_terminated = ended


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("true", 0, "true"),
        ("false", 1, "false(unreach-call)"),
        ("overflow", 1, "false(no-overflow)"),
        ("unknown", 3, "unknown"),
        ("late", 3, "TIMEOUT"),
        ("true", 1, "ERROR"),  # the verdict and the exit code disagree
        ("false", 2, "ERROR"),
        ("true", None, "ERROR"),
    ],
)
def test_results(
    name: str, code: int | None, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from craton.bench.benchexec_tool import Tool

    written(tmp_path, capsys)
    lines = (tmp_path / f"{name}.log").read_text().splitlines()
    assert Tool().determine_result(_Run(lines, code)) == expected
    assert Tool().determine_result(_Run(lines, code, ended=True)) == "ERROR"


def test_an_output_without_a_verdict_is_an_error() -> None:
    from craton.bench.benchexec_tool import Tool

    assert Tool().determine_result(_Run(["craton: no such file"], 2)) == "ERROR"


def test_figures_become_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from craton.bench.benchexec_tool import Tool

    written(tmp_path, capsys)
    lines = (tmp_path / "true.log").read_text().splitlines()
    assert Tool().get_value_from_output(lines, "iterations") == "3"
    assert Tool().get_value_from_output(lines, "nothing") is None


def test_the_example_names_what_there_is() -> None:
    from craton.bench.configurations import Configuration, check

    root = ElementTree.parse(EXAMPLE).getroot()
    assert root.get("tool") == MODULE
    patterns = [entry.text or "" for entry in root.iter("include")]
    assert patterns and all(list(EXAMPLE.parent.glob(pattern)) for pattern in patterns)
    definitions = [
        tuple(word for option in definition.iter("option") for word in (option.get("name"), option.text) if word)
        for definition in root.iter("rundefinition")
    ]
    for words in definitions:
        check(Configuration("example", words))
    assert len(definitions) == 3
