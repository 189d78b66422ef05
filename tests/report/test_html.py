"""The page of a verdict: everything in one file, escaped, readable without scripts."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from craton.report.html import About, report
from craton.report.verdict import Outcome
from craton.verdicts.text import VerdictKind, VerdictText
from support.commands import command

VOID = {"meta", "input", "br"}


class Reader(HTMLParser):
    """Elements are closed in the order in which they were opened; `seen` has their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID and tag != "path" and tag != "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


FAILING = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void); // </script> & <b>
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 5) reach_error();
}
"""


def way_of(page: str) -> list[dict[str, Any]]:
    found = re.search(r'id="way">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    steps: list[dict[str, Any]] = json.loads(found.group(1))
    return steps


def test_a_failing_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "five.c", tmp_path / "five.html"
    file.write_text(FAILING)
    assert command("verify", file, "--engine", "bounded", "--report", page) == 1
    text = page.read_text(encoding="utf-8")
    read = Reader(text)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text
    steps = way_of(text)
    assert [step["line"] for step in steps] == [4, 5]
    ids = {attributes.get("id") for _, attributes in read.seen}
    assert {f"L0-{step['line']}" for step in steps} <= ids
    lines = {attributes.get("data-at") for _, attributes in read.seen}
    assert f"{file}:4" in lines  # edges of the automaton know theirs
    assert any("reach_error() is called" in one for one in read.texts)
    assert f"craton verify {file}" in "".join(read.texts)
    assert "</script> & <b>" in "".join(read.texts)


def test_a_proof_shows_invariants_beside_their_lines(tmp_path: Path) -> None:
    told = Outcome(VerdictText.parse("true"))  # type: ignore[arg-type]
    told.sources = {"p.c": "int main(void) {\n  while (f()) g();\n}\n"}
    told.invariants = [{"location": "p.c:2:3", "invariant": "x < 5 && y"}, {"location": "g ensures", "invariant": "1"}]
    told.assumptions = ["memory allocation does not fail"]
    entry = {
        "stage": "a",
        "steps": 3,
        "core": 2,
        "lines": (1, 2),
        "by": "newton(sp)",
        "learned": ("x < 5",),
        "seconds": 0.1,
    }
    told.refinements = [entry]
    texts = "".join(Reader(report(told, About("<svg></svg>", {"ways": "horn"}))).texts)
    for wanted in ("invariant: x < 5 && y", "g ensures", "newton(sp)", "memory allocation", "horn", "Refinements (1)"):
        assert wanted in texts


def test_a_violation_says_why_at_its_line(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(void) {\n  return *p;\n}\n")
    told = Outcome(VerdictText.parse("false(valid-deref)"), sources={str(file): file.read_text()})  # type: ignore[arg-type]
    told.violated = {"property": "valid-deref", "what": "invalid access of memory in `return *p`", "file": str(file)}
    told.violated |= {"line": 2, "text": "return *p;", "because": "the pointer is NULL", "there": {"p": "NULL"}}
    page = report(told)
    assert f"in <code>return *p</code> at {file}:2, because the pointer is NULL" in page
    assert '<div class="note wrong">the pointer is NULL; p = NULL</div>' in page


def test_an_unknown(tmp_path: Path) -> None:
    told = Outcome(VerdictText.parse("unknown"), "time limit of 5 s reached", limit="wall")  # type: ignore[arg-type]
    texts = "\n".join(Reader(report(told)).texts)
    assert "time limit of 5 s reached" in texts and "Try: more time" in texts


def test_refinements_are_written_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "loop.c"
    file.write_text(
        "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  while (x < 3)\n    x++;\n"
        "  if (x != 3)\n    reach_error();\n}\n"
    )
    assert command("verify", file, "--engine", "trace-abstraction(sbe)", "--refine", "newton(it, sp)", "--json") == 0
    log = json.loads(capsys.readouterr().out)["refinements"]
    assert log and all(entry["by"].startswith("newton") and entry["steps"] for entry in log)
    assert any(entry["learned"] for entry in log) and any(entry["lines"] for entry in log)


@pytest.mark.parametrize(("lines", "kind"), [(40, "source"), (400, "source long")])
def test_only_long_texts_are_scrolled(lines: int, kind: str) -> None:
    """Where the text is short nothing of it is out of sight: neither the line that fails nor an invariant."""
    told = Outcome(VerdictText(VerdictKind.UNKNOWN), sources={"a.c": "int x;\n" * lines})
    boxes = [attributes.get("class") for _, attributes in Reader(report(told)).seen]
    assert [box for box in boxes if box and box.startswith("source")] == [kind]


def test_the_log_of_refinements_keeps_its_columns() -> None:
    learned = {"steps": 2, "lines": [3], "by": "newton(sp)", "core": 1, "learned": ["x = 0"], "seconds": 0.1}
    told = Outcome(VerdictText(VerdictKind.UNKNOWN), refinements=[{**learned, "stage": "horn"}])
    told.statistics = {"perfect sequences": "0 of 0", "iterations": 1}
    page = Reader(report(told))
    assert "log" in [attributes.get("class") for _, attributes in page.seen]  # too narrow a screen scrolls it
    assert "Refinements (1)" in page.texts and "iterations" in page.texts and "perfect sequences" not in page.texts
