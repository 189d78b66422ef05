"""Counterexamples of Boogie programs are said only if the interpreter and the trace formula agree on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.stages import DEFAULT
from craton.evidence.judges import objection
from craton.frontends.programs import Request
from craton.verdicts.verdict import Violated
from craton.verification.run import verify

PROGRAMS = {
    "maps": "procedure main() { var a, b: [int]int; a := b[0 := a[1]]; assert a[0] == 3; }",
    "division by zero": "procedure main() { var x: int; x := 1 div 0; assert x == 0; }",
    "real division by zero": "procedure main() { var x: real; x := 1.0 / 0.0; assert x == 0.0; }",
    "a function": "function f(int) returns (int); procedure main() { var x: int; x := f(3); assert x == 0; }",
    "a quantifier": "function f(int) returns (int); axiom (forall i: int :: f(i) >= 0);"
    " procedure main() { var x: int; x := f(3); assert x == 4; }",
    "a choice": "procedure main() { var x: int; if (*) { havoc x; } else { x := 1; } assert x == 1; }",
    "a loop": "procedure main() { var i, n: int; i := 0; while (i < n) { i := i + 1; } assert i < 3; }",
}


def violation(text: str, folder: Path) -> Violated:
    file = folder / "program.bpl"
    file.write_text(text)
    verdict = verify(Request((str(file),)), DEFAULT, 30.0).verdict
    assert isinstance(verdict, Violated), verdict
    return verdict


@pytest.mark.parametrize("name", PROGRAMS)
def test_judges_agree_on_real_counterexamples(name: str, tmp_path: Path) -> None:
    replay = violation(PROGRAMS[name], tmp_path).replay
    assert objection(replay) == ""


def test_judges_object_to_other_values_and_to_other_paths(tmp_path: Path) -> None:
    text = "var g: int; procedure main() modifies g; { var x: int; havoc x; g := x + 1; assert g != 7; }"
    replay = violation(text, tmp_path).replay
    assert objection(replay) == "" and replay.background is not None
    other = replace(replay, background=replace(replay.background, opened=(0,)))
    assert "the trace formula is false under the same values" in objection(other)
    assert "path is not known" in objection(replace(replay, edges=(), background=None))
    long = replace(replay, edges=replay.edges * 20_000)
    assert "too long" in objection(long)


def test_a_verdict_that_the_judges_do_not_share_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("craton.evidence.judges._by_interpreter", lambda *_: "the interpreter says: exit")
    file = tmp_path / "program.bpl"
    file.write_text("procedure main() { assert false; }")
    result = verify(Request((str(file),)), DEFAULT, 20.0)
    assert result.is_unknown and "its judges do not agree: the interpreter says: exit" in result.reason
