"""What `craton.verify` gives: its parts, its data, and what notebooks show of it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

import craton
from craton.library.result import Rows
from support.html import read

SAFE = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned int x = 0, y = 0;
  while (__VERIFIER_nondet_int()) { x++; y++; }
  if (x != y) reach_error();
  return 0;
}
"""
UNSAFE = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7)
    reach_error();
  return 0;
}
"""
BOOGIE = "procedure main() { var x: int; x := 1; assert x > 0; }"


@pytest.fixture(scope="module")
def proved() -> craton.Result:
    return craton.verify(source=SAFE, engine="horn", time_limit=60)


@pytest.fixture(scope="module")
def violated() -> craton.Result:
    return craton.verify(source=UNSAFE, engine="bounded", time_limit=60)


def test_a_proof_tells_its_invariants(proved: craton.Result) -> None:
    assert proved.is_true and not proved.trace and not proved.inputs
    (invariant,) = proved.invariants
    assert invariant["location"].startswith("program.c:6")
    assert "x" in invariant["invariant"] and "y" in invariant["invariant"]
    assert str(proved).startswith("TRUE\n  proof: 1 loop invariant, re-checked by ")


def test_a_violation_tells_its_way(violated: craton.Result) -> None:
    assert violated.is_false and not violated.invariants
    assert [row["value"] for row in violated.inputs] == ["7"]
    assert violated.trace[0]["changes"] == {"x": "7"} and violated.trace[0]["inputs"] == ["x"]
    first, *_, last = str(violated.trace).splitlines()
    assert first.split("  ")[0] == "5" and first.endswith("  x = 7 (input)") and last == "7  reach_error();"
    assert str(violated.inputs).splitlines()[0].split() == ["function", "type", "value"]
    assert not str(violated.invariants)
    assert violated.trace[-1]["text"] == "reach_error();"


def test_data_are_those_of_the_command(violated: craton.Result) -> None:
    told = json.loads(violated.to_json())
    assert told["verdict"] == "false(unreach-call)" == str(violated.verdict)
    assert told["violated"]["file"] == "program.c" and told["violated"]["line"] == 7
    assert "\n" not in violated.to_json(indent=None)


def test_notebooks_show_the_verdict_with_its_evidence(proved: craton.Result, violated: craton.Result) -> None:
    page = read(proved._repr_html_())
    assert "TRUE" in page.text and proved.invariants[0]["invariant"] in page.text
    page = read(violated._repr_html_())
    assert "FALSE(unreach-call)" in page.text and "x = 7" in page.text
    assert read(violated.trace._repr_html_()).rows[1] == ["5", "int x = __VERIFIER_nondet_int();", "x = 7 (input)"]


def test_a_report_is_a_page_of_its_own(violated: craton.Result, tmp_path: Path) -> None:
    page = violated.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!DOCTYPE html>") and "<svg" in page and "__VERIFIER_nondet_int" in page


def test_a_result_explains_its_program(proved: craton.Result) -> None:
    told = proved.explain(["newton(it, wp, lv)"])
    page = read(told._repr_html_())
    assert "● in core" in page.text and "newton(it,wp,lv)" in page.text
    column = told.columns[0]
    assert isinstance(told, craton.Explanation)
    assert len(read(told.trace._repr_html_()).rows) == len(told.trace) + 1
    assert len(read(column.answer._repr_html_()).rows) == len(told.trace) + 2  # type: ignore[union-attr]
    assert read(column.assertions[0]._repr_html_()).text.endswith("true")


def test_a_text_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    here = Path.cwd()
    assert craton.verify(source=BOOGIE, language="boogie", engine="horn", time_limit=60).is_true
    assert Path.cwd() == here and os.listdir(tmp_path) == []


def test_a_text_is_loaded_and_explained() -> None:
    assert craton.load(source=SAFE).main.edges
    assert isinstance(craton.explain(source=SAFE, refine=["newton(it, sp)"]), craton.Explanation)


def test_a_property_file_beside_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name means the same as for files, wherever the text is put."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "overflow.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    text = "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }"
    result = craton.verify(source=text, property="overflow.prp", engine="bounded", time_limit=60)
    assert str(result.verdict) == "false(no-overflow)"


def test_mistakes_are_raised() -> None:
    with pytest.raises(craton.CratonError, match="either files or the source"):
        craton.verify("x.c", source=SAFE)
    with pytest.raises(craton.CratonError, match="'rust' is no language"):
        craton.verify(source=SAFE, language="rust")  # type: ignore[arg-type]
    with pytest.raises(craton.CratonError, match=r"program\.c:1:1"):
        craton.verify(source="what is this", time_limit=20)


def test_an_explanation_keeps_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("craton.verification.explaining.load_program", lambda request: time.sleep(600))
    with pytest.raises(craton.CratonError, match="time limit"):
        craton.explain(source=SAFE, time_limit=0.1)


def test_rows_of_several_kinds_make_one_table() -> None:
    rows = Rows([{"line": 1, "changes": {"x": "1", "y": "<2>"}}, {"rounds": 3}])
    page = read(rows._repr_html_())
    assert page.rows == [["line", "changes", "rounds"], ["1", "x = 1, y = <2>", ""], ["", "", "3"]]


@pytest.mark.parametrize("wrong", [{"time_limit": -1}, {"cpu_limit": 0}, {"memory_limit": float("nan")}, {"jobs": 0}])
def test_limits_that_are_none_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(craton.CratonError, match=f"{next(iter(wrong))}=.*: expected a "):
        craton.verify(source=SAFE, **wrong)


def test_an_explanation_is_a_table_where_it_is_printed(proved: craton.Result) -> None:
    told = proved.explain(["newton(sp)", "craig(z3)"])
    head, *rows = str(told).splitlines()
    assert head.split() == ["line", "statement", "newton(sp)", "craig(z3)"]
    assert any(row.split()[1:4] == ["x", ":=", "0"] for row in rows if row.startswith("5"))
    assert rows[-2].startswith("newton(sp): not perfect") and rows[-1].startswith("craig(z3): ")
    assert "assume" not in repr(told) and "newton(sp): not perfect" in repr(told)


FUNCTIONS = """#include <assert.h>
static int limit = 3;
int scale(unsigned char x) { assert(x <= limit); return x; }
int fine(unsigned char x) { int y = x; assert(y <= 255); return y; }
int through(const int *p) { return p == 0 || *p == *p; }
"""


def test_a_function_on_arbitrary_arguments(tmp_path: Path) -> None:
    failed = craton.verify(source=FUNCTIONS, function="scale", engine="bounded")
    assert isinstance(failed.verdict, craton.Violated) and failed.verdict.place is not None
    assert failed.verdict.place.file == "program.c" and failed.verdict.place.line == 3
    assert failed.trace[0]["text"].startswith("int scale") and failed.trace[0]["inputs"] == ["limit", "x"]
    (tmp_path / "f.c").write_text(FUNCTIONS)
    assert isinstance(craton.verify(tmp_path / "f.c", function="fine", engine="bounded").verdict, craton.Proved)
    through = craton.verify(source=FUNCTIONS, function="through", property="memsafety", engine="bounded")
    assert isinstance(through.verdict, craton.Unknown) and "other memory was not looked at" in through.to_json()
    with pytest.raises(craton.CratonError, match="absent"):
        craton.verify(source=FUNCTIONS, function="absent")
