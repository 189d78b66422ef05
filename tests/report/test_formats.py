"""What other programs read: JSON and SARIF by their schemas, GitHub's annotations, JUnit's XML."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from craton.report.formats import github, junit, sarif
from craton.report.verdict import Outcome
from craton.verdicts.text import VerdictText
from support.commands import command

PROGRAM = """\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int twice(int x) { return 2 * x; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 9) return 0;
  assert(twice(x) != 8);
  return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "twice.c"
    file.write_text(PROGRAM)
    return file


def outcome(verdict: str, **fields: Any) -> Outcome:
    text = VerdictText.parse(verdict)
    assert text is not None
    return Outcome(text, **fields)


PLACE = {
    "property": "unreach-call",
    "check": "main.reach.1",
    "what": "it, fails: 100%",
    "file": "a,b.c",
    "line": 3,
    "text": "",
}
STEP = {
    "file": "a,b.c",
    "line": 2,
    "text": "f();",
    "depth": 1,
    "changes": {"x": "1"},
    "inputs": [],
    "unspecified": [],
    "calls": {},
}
TOLD = [
    ("reach", outcome("false(unreach-call)", violated=PLACE, way=[STEP, {"rounds": 4}], evidence="replay: \x01 it")),
    ("overflow", outcome("true", evidence="proof: 1", checked=[{"property": "no-overflow", "checks": 2}])),
    ("memsafety", outcome("unknown", reason="out\nof time")),
]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--engine", "bounded", "--picture"), 1),
        (("--property", "overflow,div-by-zero"), 0),
        (("--each",), 1),
        (("--show-properties",), 0),
        (("--property", "nothing"), 2),
        (("--strange",), 2),
        (("--engine", "testing", "--time-limit", "3", "--property", "overflow"), 3),
    ],
)
def test_json_is_one_object_as_its_schema_says(
    options: tuple[str, ...], code: int, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = json.loads((files("craton.report") / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert command("verify", program, *options, "--format", "json") == code
    jsonschema.Draft202012Validator(schema).validate(json.loads(capsys.readouterr().out))


def fits_sarif(text: str) -> Any:
    """The log, which is as the standard's schema says (sarif-2.1.0.txt: where it is from)."""
    schema = json.loads((Path(__file__).parent / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    log = json.loads(text)
    validator = jsonschema.validators.validator_for(schema, default=None)  # the draft that the schema itself names
    validator(schema, format_checker=validator.FORMAT_CHECKER).validate(log)
    return log


def test_sarif() -> None:
    log = fits_sarif(sarif(TOLD))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    false, true, unknown = run["results"]
    assert all(result["ruleId"] in rules for result in run["results"])
    assert [result["kind"] for result in run["results"]] == ["fail", "pass", "open"]
    assert [result["level"] for result in run["results"]] == ["error", "none", "none"]
    (steps,) = (flow["threadFlows"][0]["locations"] for flow in false["codeFlows"])
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [2]
    assert false["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%2Cb.c"
    assert true["ruleId"] == "no-overflow" and unknown["message"]["text"].startswith("not decided")


def test_github() -> None:
    error, notice, warning = github(TOLD).split("\n")
    assert error.startswith("::error file=a%2Cb.c,line=3,title=Craton%3A FALSE(unreach-call)::it, fails: 100%25 (")
    assert notice.startswith("::notice title=Craton%3A TRUE::overflow holds")
    assert warning == "::warning title=Craton%3A UNKNOWN::not decided: out%0Aof time"


# What the schemas of Ant (Windy Road) and of Jenkins (junit-10.xsd of its xunit plugin) both allow: of each
# element its attributes, all of which one of them requires, those that may be there, and its children in their order.
JUNIT = {
    "testsuites": ("", "", ("testsuite",)),
    "testsuite": (
        "package id name timestamp hostname tests failures errors time",
        "skipped",
        ("properties", "testcase", "system-out", "system-err"),
    ),
    "properties": ("", "", ("property",)),
    "testcase": ("name classname time", "", ("skipped", "error", "failure")),
    "error": ("type", "message", ()),
    "failure": ("type", "message", ()),
    "skipped": ("", "message", ()),
    "system-out": ("", "", ()),
    "system-err": ("", "", ()),
}


def fits_junit(text: str) -> ElementTree.Element:
    suites = ElementTree.fromstring(text)
    assert suites.tag == "testsuites"
    for element in suites.iter():
        required, allowed, children = JUNIT[element.tag]
        assert set(required.split()) <= set(element.attrib) <= {*required.split(), *allowed.split()}
        order = [children.index(child.tag) for child in element]
        assert order == sorted(order) and (element.tag != "testcase" or len(order) <= 1)
    for suite in suites:
        assert [suite.find(name) is not None for name in ("properties", "system-out", "system-err")] == [True] * 3
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        assert re.fullmatch(r"\d+(\.\d+)?", suite.attrib["time"])
        counted = {name: len(suite.findall(f"testcase/{name}")) for name in ("failure", "error", "skipped")}
        told = {name: int(suite.attrib[f"{name}s" if name != "skipped" else name]) for name in counted}
        assert told == counted and int(suite.attrib["tests"]) == len(suite.findall("testcase"))
    return suites


def test_junit() -> None:
    suites = fits_junit(junit(TOLD))
    assert [suites[0].get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "0", "1"]
    cases = {case.get("name"): case for case in suites.iter("testcase")}
    failure = cases["reach"].find("failure")
    assert failure is not None and failure.text == "a,b.c:2: f();  // x = 1"
    assert len(cases["overflow"]) == 0 and cases["memsafety"].find("skipped") is not None


def test_a_format_on_the_command_line(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--engine", "bounded", "--format", "sarif") == 1
    (result,) = fits_sarif(capsys.readouterr().out)["runs"][0]["results"]
    levels = [step["nestingLevel"] for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]
    assert 1 in levels  # inside of the call


def test_sarif_of_what_is_not_decided(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        command(
            "verify", program, "--engine", "testing", "--time-limit", "3", "--property", "overflow", "--format", "sarif"
        )
        == 3
    )
    (result,) = fits_sarif(capsys.readouterr().out)["runs"][0]["results"]
    assert result["kind"] == "open" and result["locations"]


def test_a_run_that_was_ended_still_names_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ended.c"
    file.write_text("int main(void) { return 0; }\n")
    assert command("verify", file, "--time-limit", "0.01", "--format", "github") == 3
    assert f"file={file}" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["nowhere.c"], ["--time-limit", "never"]])
def test_what_is_bad_input_is_told_in_the_format(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A pipeline that reads the answer reads why there is none."""
    assert command("verify", *words, "--format", "sarif") == 2
    (told,) = fits_sarif(capsys.readouterr().out)["runs"]
    (invocation,) = told["invocations"]
    assert not invocation["executionSuccessful"] and told["results"] == []
    assert words[-1] in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert command("verify", *words, "--format", "github") == 2
    assert capsys.readouterr().out.startswith("::error title=Craton::")
    assert command("verify", *words, "--format=junit") == 2
    (error,) = fits_junit(capsys.readouterr().out).iter("error")
    assert words[-1] in error.attrib["message"]


def test_lists_of_checks_are_no_verdicts(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--show-properties", "--format", "junit") == 2
    assert "--show-properties" in capsys.readouterr().err
