"""Files of format 1 that are no certificates, or want to do harm: one clear line, exit code 2, nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.cli import main
from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.reading import read_certificate
from support import examples
from support.certificates import certificate as newest_certificate
from support.certificates import in_format_1, written
from support.programs import BY_NAME

TOGETHER = BY_NAME["loops/together.c"]
X = "|main::x|"


def certificate(name: str) -> dict[str, Any]:
    return in_format_1(newest_certificate(name))


def changed(change: Callable[[dict[str, Any]], None]) -> str:
    made = certificate("loops/together.c")
    change(made)
    return json.dumps(made)


def claiming(formula: str) -> str:
    """The certificate with this as the invariant of the loop."""

    def change(made: dict[str, Any]) -> None:
        made["invariants"][1]["formula"] = formula

    return changed(change)


def without(*path: str | int) -> str:
    def change(made: dict[str, Any]) -> None:
        inner: Any = made
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]

    return changed(change)


def with_(value: Any, *path: str | int) -> str:
    def change(made: dict[str, Any]) -> None:
        inner: Any = made
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return changed(change)


WHOLE = json.dumps(certificate("loops/together.c"))
DEEP = 100_000

FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "is no certificate: it is no JSON: Expecting value"),
    "truncated": (WHOLE[: len(WHOLE) // 2], "is no certificate: "),
    "not text": (b"\xff\xfe\x00", "it is not UTF-8 text"),
    "cut in a character": (WHOLE.encode() + b"\xc3", "it is not UTF-8 text"),
    "something behind": (WHOLE + "{}", "Extra data"),
    "deep lists": ("[" * DEEP + "]" * DEEP, "it is nested too deep"),
    "deep objects": ('{"a":' * DEEP + "1" + "}" * DEEP, "it is nested too deep"),
    "deep where a text should be": (WHOLE.replace('"ILP32"', "[" * DEEP + "]" * DEEP), "it is nested too deep"),
    "a list": ("[]", "the certificate is not an object"),
    "a number": ("1", "the certificate is not an object"),
    "NaN": (WHOLE.replace('"blocks": null', '"blocks": NaN'), "NaN is no number of JSON"),
    "a long number": (WHOLE.replace('"blocks": null', f'"blocks": {"9" * 10_000}'), "is no certificate: "),
    "a large number": (with_(10**30, "blocks"), "'blocks' of the certificate is not a number from 0"),
    "a negative number": (with_(-1, "invariants", 0, "location"), "is not a number from 0"),
    "no word for sizes": (with_("part", "blocks"), "is not a number from 0"),
    "a negative size": (with_(-1, "blocks"), "is not a number from 0"),
    "no whole number": (with_(1e300, "blocks"), "is not a number from 0"),
    "true as a number": (with_(True, "version"), "is not a number from 0"),
    "a key twice": (WHOLE.replace('{"format"', '{"format": "x", "format"', 1), "a key is there twice"),
    "another format": (with_("witness", "format"), "its format is not 'craton certificate'"),
    "another version": (with_(3, "version"), "version 3 is not known; known are 1 and 2"),
    "no program": (without("program"), "the certificate has no 'program'"),
    "no files": (without("program", "files"), "'program' has no 'files'"),
    "no invariants": (without("invariants"), "the certificate has no 'invariants'"),
    "no formula": (without("invariants", 1, "formula"), "an entry of 'invariants' has no 'formula'"),
    "no solver": (without("found_by", "solver"), "'found_by' has no 'solver'"),
    "files as an object": (with_({}, "program", "files"), "'files' of 'program' is not a list"),
    "a formula as a number": (with_(1, "invariants", 1, "formula"), "is not a text"),
    "an invariant as a text": (with_("true", "invariants", 1), "an entry of 'invariants' is not an object"),
    "half a character": (with_("\ud800", "invariants", 1, "formula"), "is not Unicode text"),
    "another property's hash": (with_("0" * 64, "program", "property", "sha256"), "does not have its hash"),
    "another program's hash": (with_("0" * 64, "program", "files", 0, "sha256"), "of another program: "),
    "two invariants": (with_(18, "invariants", 1, "location"), "L18 has 2 invariants"),
    "a variable the program lacks": (with_("main::z", "symbols", 0, "name"), "no variable main::z of sort"),
    "another sort": (with_("Int", "symbols", 0, "sort"), "no variable main::x of sort Int"),
    "a value that is chosen": (with_("main::x ?0", "symbols", 0, "name"), "no variable main::x ?0"),
    "a function": (with_(["Int"], "symbols", 0, "parameters"), "no variable main::x of sort"),
    "a symbol with commands": (
        with_("x () Int) (exit) (declare-fun y", "symbols", 0, "symbol"),
        "calls main::x x () Int",
    ),
    "a symbol of the logic": (with_("true", "symbols", 0, "symbol"), "calls main::x true"),
    "lines in a name": (with_("a\nb\x1b[2J", "symbols", 0, "name"), "no variable a b [2J of sort"),
}

FORMULAS: dict[str, tuple[str, str]] = {
    "a second assertion": ("true) (assert false", "it is not one formula"),
    "an exit": ("true) (exit", "it is not one formula"),
    "an exit as a formula": ("(exit)", "cannot read SMT-LIB"),
    "a definition": ("true) (define-fun |main::x| () Bool true) (assert true", "it is not one formula"),
    "an output file": ('true) (set-option :regular-output-channel "stolen") (assert true', "it is not one formula"),
    "an included file": ('(include "/etc/passwd")', "'\"' has no place in a formula"),
    "a comment": ("true ; )", "';' has no place in a formula"),
    "an annotation": ("(! true :named hidden)", "it is not one formula"),
    "zero byte": ("true\0", "has no place in a formula"),
    "nothing": ("", "it is not one formula"),
    "half": (f"(= {X} {X}", "it is not one formula"),
    "too much": ("true)", "it is not one formula"),
    "an undeclared symbol": ("(= x y)", "unknown constant x"),
    "a sort that does not fit": (f"(= {X} 5)", "Sorts (_ BitVec 32) and Int are incompatible"),
    "no formula": (X, "is not Boolean"),
    "a deep nothing": ("(" * DEEP + ")" * DEEP, "cannot read SMT-LIB"),
    "a huge index": (f"(= ((_ zero_extend 4000000000) {X}) {X})", "the number 4000000000… is too large"),
    "a huge number": (f"(= 1 {'9' * 100_000})", "the number 999999999999… is too large"),
    "a huge float": ("(= (_ +oo 1000000 1000000) (_ +oo 1000000 1000000))", "cannot read SMT-LIB"),
    "a sequence": ("(= (seq.len (as seq.empty (Seq Int))) 0)", "no counterpart in Craton's formulas"),
    "a lambda": ("(= (select (lambda ((i Int)) i) 0) 0)", "no counterpart in Craton's formulas"),
}
CASES = FILES | {name: (claiming(formula), message) for name, (formula, message) in FORMULAS.items()}


@pytest.mark.parametrize("case", CASES)
def test_whatever_is_no_certificate_is_told_in_one_line(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, message = CASES[case]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "proof.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CratonError) as caught:
        check_certificate(read_certificate(path), TOGETHER.request)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600
    assert caught.value.exit_code == 2
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("case", ["truncated", "deep lists", "a second assertion", "a symbol with commands"])
def test_the_command_says_it_and_ends_with_2(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "proof.json").write_text(str(CASES[case][0]))
    assert main(["check", str(tmp_path / "proof.json"), str(TOGETHER.path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("craton: ")
    assert len(captured.err.splitlines()) == 1


def test_files_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.json"), str(TOGETHER.path)]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert main(["check", str(tmp_path), str(TOGETHER.path)]) == 2
    assert "cannot read" in capsys.readouterr().err
    (tmp_path / "proof.json").write_text(WHOLE)
    assert main(["check", str(tmp_path / "proof.json"), str(tmp_path / "none.c")]) == 2
    assert "cannot read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "formula",
    [
        "(not " * DEEP + "true" + ")" * DEEP,
        "(let ((a true)) " * DEEP + "a" + ")" * DEEP,
        f"(let (({X} true)) {X})",
        f"(forall (({X} Int)) (= {X} 3))",
        f"(exists ((z (_ BitVec 32))) (= z {X}))",
        f"(= ((_ repeat 1000) {X}) ((_ repeat 1000) {X}))",
        "(= (_ +oo 60 24) (_ +oo 60 24))",
    ],
    ids=lambda formula: formula[:30],
)
def test_strange_formulas_are_formulas(formula: str, tmp_path: Path) -> None:
    """None of them is an invariant that helps; quantifiers and shadowing mean what they mean in SMT-LIB."""
    (tmp_path / "proof.json").write_text(claiming(formula))
    found = check_certificate(read_certificate(tmp_path / "proof.json"), TOGETHER.request)
    assert isinstance(found, Refused)


def test_an_invariant_with_quantifiers_is_one(tmp_path: Path) -> None:
    formula = f"(exists (({X} (_ BitVec 32)) (z (_ BitVec 32))) (and (= z {X}) (= {X} |main::y|)))"
    made = certificate("loops/together.c")
    made["invariants"][1]["formula"] = f"(and (= {X} |main::y|) {formula})"
    assert isinstance(
        check_certificate(read_certificate(written(made, tmp_path / "proof.json")), TOGETHER.request), Accepted
    )


def told(path: Path) -> str:
    """The answer, or what is wrong with the input. Any other error is one of the test."""
    try:
        return str(check_certificate(read_certificate(path), TOGETHER.request))
    except CratonError as problem:
        return str(problem)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.data())
@examples(60)
def test_any_field_may_be_anything(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A certificate with anything anywhere is accepted, refused, or bad input: never anything else."""
    made: Any = certificate("loops/together.c")
    inner, key = made, data.draw(st.sampled_from(sorted(made)))
    while isinstance(inner[key], dict | list) and inner[key] and data.draw(st.booleans()):
        inner = inner[key]
        key = data.draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
    inner[key] = data.draw(_JSON)
    path = tmp_path_factory.mktemp("any") / "proof.json"
    path.write_text(json.dumps(made))
    assert told(path).isprintable()


@given(st.binary(max_size=40), st.integers(0, len(WHOLE)))
@examples(60)
def test_any_bytes_may_be_anywhere(tmp_path_factory: pytest.TempPathFactory, noise: bytes, position: int) -> None:
    path = tmp_path_factory.mktemp("bytes") / "proof.json"
    path.write_bytes(WHOLE[:position].encode() + noise + WHOLE[position + len(noise) :].encode())
    assert told(path).isprintable()
