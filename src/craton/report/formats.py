"""Verdicts for other programs: SARIF 2.1.0 for code scanning, commands of GitHub's workflows, JUnit's XML for test
reports. Each is one text for all verdicts of a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from craton.program.cfa import DEREF, DIVISION, FREE, MEMCLEANUP, MEMTRACK, OVERFLOW, UNREACH
from craton.report.changes import told_changes
from craton.report.verdict import Outcome
from craton.verdicts.text import VerdictKind
from craton.version import __version__

Told = tuple[str, Outcome]  # what was asked, and the verdict on it
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_UNKNOWN = "unknown"
_RULES = (UNREACH, OVERFLOW, DIVISION, DEREF, FREE, MEMTRACK, MEMCLEANUP)
_MOST_STEPS = 500  # of a counterexample
_NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def sentence(outcome: Outcome) -> str:
    """What is wrong, in one line; "" if nothing is."""
    if outcome.violated is not None:
        what = str(outcome.violated.get("what") or outcome.violated["property"])
        what += f": {outcome.violated['because']}" if outcome.violated.get("because") else ""
        return f"{what} ({outcome.evidence.removeprefix('replay: ')})" if outcome.evidence else what
    return f"not decided: {outcome.reason}" if outcome.verdict.kind is VerdictKind.UNKNOWN else ""


def _holds(name: str, outcome: Outcome) -> str:
    return f"{name} holds: {outcome.evidence.removeprefix('proof: ')}"


# --- SARIF ------------------------------------------------------------------------------------------------------------


def sarif(told: Sequence[Told]) -> str:
    """A log with a result for each verdict, FALSE with the way there as a code flow."""
    run = {"tool": _tool(), "columnKind": "unicodeCodePoints", "results": [_result(*one) for one in told]}
    return _log(run)


def sarif_failure(message: str) -> str:
    """A log of a run that came to no verdict."""
    notification = {"level": "error", "message": {"text": message}}
    invocation = {"executionSuccessful": False, "toolExecutionNotifications": [notification]}
    return _log({"tool": _tool(), "invocations": [invocation], "results": []})


def _log(run: dict[str, Any]) -> str:
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _tool() -> dict[str, Any]:
    rules = [
        {"id": rule.name, "shortDescription": {"text": rule.description[:1].upper() + rule.description[1:]}}
        for rule in _RULES
    ]
    rules.append({"id": _UNKNOWN, "shortDescription": {"text": "Neither a proof nor a violation was found"}})
    return {"driver": {"name": "Craton", "version": __version__, "rules": rules}}


def _result(name: str, outcome: Outcome) -> dict[str, Any]:
    kind = outcome.verdict.kind
    found: dict[str, Any] = {
        "ruleId": _rule(name, outcome),
        "kind": {VerdictKind.TRUE: "pass", VerdictKind.FALSE: "fail", VerdictKind.UNKNOWN: "open"}[kind],
        "level": "error" if kind is VerdictKind.FALSE else "none",
        "message": {"text": sentence(outcome) or _holds(name, outcome)},
    }
    violated = outcome.violated
    if violated is not None and violated["file"] is not None:
        found["locations"] = [{"physicalLocation": _physical(violated["file"], violated["line"])}]
    elif outcome.sources:
        file = next(iter(outcome.sources))
        found["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": _uri(file)}}}]
    steps = [step for step in outcome.way[:_MOST_STEPS] if "line" in step]
    if steps:
        found["codeFlows"] = [{"threadFlows": [{"locations": [_flow(step) for step in steps]}]}]
    if violated is not None and violated.get("check"):
        found["partialFingerprints"] = {"craton/check": violated["check"]}
    return found


def _rule(name: str, outcome: Outcome) -> str:
    if outcome.violated is not None:
        return str(outcome.violated["property"])
    known = {rule.name for rule in _RULES}
    asked = [one["property"] for one in outcome.checked if one["property"] in known]
    return asked[0] if asked else name if name in known else _UNKNOWN


def _flow(step: dict[str, Any]) -> dict[str, Any]:
    text = "; ".join(told_changes(step)) or step["text"] or "passed"
    location = {"physicalLocation": _physical(step["file"], step["line"]), "message": {"text": text}}
    return {"location": location, "nestingLevel": step["depth"]}


def _physical(file: str, line: int) -> dict[str, Any]:
    return {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": line}}


def _uri(file: str) -> str:
    """Relative to where the command runs, as code scanning wants it, or else absolute."""
    path = Path(file).absolute()
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()


# --- GitHub -----------------------------------------------------------------------------------------------------------


def github(told: Sequence[Told]) -> str:
    """Commands that make annotations: an error for FALSE, a warning for UNKNOWN, a notice for TRUE."""
    return "\n".join(_annotation(name, outcome) for name, outcome in told)


def github_failure(message: str) -> str:
    return f"::error title=Craton::{_escaped(message)}"


def _annotation(name: str, outcome: Outcome) -> str:
    kind = outcome.verdict.kind
    word = {VerdictKind.TRUE: "notice", VerdictKind.FALSE: "error", VerdictKind.UNKNOWN: "warning"}[kind]
    where = outcome.violated or {}
    properties = {"title": f"Craton: {outcome.verdict.headline}"}
    if where.get("file") is not None:
        properties = {"file": where["file"], "line": str(where["line"]), **properties}
    elif outcome.sources:
        properties = {"file": next(iter(outcome.sources)), **properties}
    said = ",".join(f"{key}={_escaped(value, in_property=True)}" for key, value in properties.items())
    return f"::{word} {said}::{_escaped(sentence(outcome) or _holds(name, outcome))}"


def _escaped(text: str, *, in_property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


# --- JUnit ------------------------------------------------------------------------------------------------------------


def junit(told: Sequence[Told]) -> str:
    """A test for each verdict: FALSE fails, UNKNOWN is skipped. As the schemas of both Ant and Jenkins want it, each of
    which knows what the other does not: attributes of `testsuites`, or suites without a host.
    """
    kinds = [outcome.verdict.kind for _, outcome in told]
    seconds = [outcome.statistics.get("wall time (s)", 0) for _, outcome in told]
    suites, suite = _suite(len(told), kinds.count(VerdictKind.FALSE), 0, kinds.count(VerdictKind.UNKNOWN), sum(seconds))
    for (name, outcome), time in zip(told, seconds, strict=True):
        about = {
            "classname": _legal(next(iter(outcome.sources), "craton")),
            "name": _legal(name),
            "time": f"{time:.2f}",
        }
        _test(ElementTree.SubElement(suite, "testcase", about), outcome)
    return _document(suites)


def junit_failure(message: str) -> str:
    """A test that could not be made."""
    suites, suite = _suite(1, 0, 1, 0, 0)
    case = ElementTree.SubElement(suite, "testcase", {"classname": "craton", "name": "craton", "time": "0.00"})
    ElementTree.SubElement(case, "error", {"message": _legal(message), "type": "bad input"})
    return _document(suites)


def _suite(
    tests: int, failures: int, errors: int, skipped: int, seconds: float
) -> tuple[ElementTree.Element, ElementTree.Element]:
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped}
    about = {
        "id": "0",
        "name": "craton",
        "package": "craton",
        "hostname": "localhost",
        "timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        "time": f"{seconds:.2f}",
        **{name: str(number) for name, number in counts.items()},
    }
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", about)
    ElementTree.SubElement(suite, "properties")
    return suites, suite


def _document(suites: ElementTree.Element) -> str:
    for suite in suites:
        ElementTree.SubElement(suite, "system-out")
        ElementTree.SubElement(suite, "system-err")
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode")


def _test(case: ElementTree.Element, outcome: Outcome) -> None:
    if outcome.verdict.kind is VerdictKind.FALSE:
        failure = ElementTree.SubElement(
            case, "failure", {"message": _legal(sentence(outcome)), "type": str(outcome.verdict)}
        )
        failure.text = _legal("\n".join(_lines(outcome.way)))
    elif outcome.verdict.kind is VerdictKind.UNKNOWN:
        ElementTree.SubElement(case, "skipped", {"message": _legal(sentence(outcome))})


def _lines(way: Iterable[dict[str, Any]]) -> Iterator[str]:
    for step in way:
        if "line" in step:
            changes = ", ".join(told_changes(step))
            yield f"{step['file']}:{step['line']}: {step['text']}" + (f"  // {changes}" if changes else "")


def _legal(text: str) -> str:
    """Without characters that XML has no place for."""
    return _NOT_IN_XML.sub("?", text)


FORMATS = {"sarif": sarif, "github": github, "junit": junit}
FAILURES = {"sarif": sarif_failure, "github": github_failure, "junit": junit_failure}  # of runs without a verdict
