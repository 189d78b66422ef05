"""S-expressions in replies, and scripts that must not confuse their symbols."""

from __future__ import annotations

import pytest

from craton.logic import BOOL, INT, gt, int_, script, var
from craton.smt import sexpr
from craton.smt.reading import parse_script


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sat", "sat"),
        ("  ; a comment (\n (a)", ["a"]),
        ("(a (b c) ()) rest", ["a", ["b", "c"], []]),
        ('(error "it said ""no"" (twice")', ["error", '"it said ""no"" (twice"']),
        ("(|a b) ;| #x0f (- 1))", ["|a b) ;|", "#x0f", ["-", "1"]]),
        ("(a\r\n\tb)", ["a", "b"]),
    ],
)
def test_parsing(text: str, expected: sexpr.Sexpr) -> None:
    assert sexpr.parse(text) == expected
    assert sexpr.parse(sexpr.write(expected)) == expected


@pytest.mark.parametrize("text", ["", " ; only a comment", "(a", ")", "(a |b)", '(a "b)'])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ValueError, match=r"closes nothing|incomplete|never closed"):
        sexpr.parse(text)


def test_depth_is_no_problem() -> None:
    depth = 100_000
    text = "(" * depth + "x" + ")" * depth
    assert sexpr.write(sexpr.parse(text)).replace(" ", "") == text


def test_bars() -> None:
    assert [sexpr.unquoted(word) for word in ("|a b|", "a", "|", "||")] == ["a b", "a", "|", ""]


@pytest.mark.parametrize("name", ["x", "assert", "exp", "select", "$1"])
def test_a_script_tells_the_names_of_assertions_from_those_of_variables(name: str) -> None:
    text = script([(name, gt(var(name, INT), int_(3))), ("other", var(name, BOOL))])
    symbols = [line.split()[1] for line in text.splitlines() if line.startswith("(declare-fun")]
    labels = [line.split(":named ")[1].rstrip(")") for line in text.splitlines() if ":named" in line]
    assert len({*symbols, *labels}) == 4
    assert len(parse_script(text)) == 2
