"""Scripts that try to mislead: names that are used twice, odd sorts, results that SMT-LIB defines where one would not
expect it, and forms that are not Horn. Each has its right answer (`scripts.txt`); "unknown" is none.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from craton.horn.errors import BadScript, NotSupported
from craton.horn.reading import parse_system
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.verification.systems import verify_system

_CASES = re.findall(
    r"^;;; (?P<name>.*?): (?P<answer>.*)\n(?P<text>(?:(?!;;;).*\n)*)",
    (Path(__file__).parent / "scripts.txt").read_text(),
    re.MULTILINE,
)
ANSWERS = {"sat": Satisfiable, "unsat": Unsatisfiable}


def answer(text: str) -> object:
    return verify_system(parse_system(text), seconds=60.0).answer


@pytest.mark.parametrize(("text", "right"), [pytest.param(t, a, id=n) for n, a, t in _CASES])
def test_the_right_answer(text: str, right: str) -> None:
    if right in ANSWERS:
        assert isinstance(answer(text), ANSWERS[right])
    else:
        with pytest.raises((BadScript, NotSupported), match=re.escape(right.removeprefix("refused: "))):
            parse_system(text)


LARGE = "1" + "0" * 5000
DEEP = 3000


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("", "sat"),
        (
            f"(declare-fun p (Int) Bool)(assert (p {LARGE}))(assert (forall ((x Int)) (=> (p x) (> x {LARGE}))))",
            "unsat",
        ),
        (f"(declare-fun p () Bool)(assert {'(not ' * DEEP}p{')' * DEEP})(assert (not p))", "unsat"),
        ("(declare-fun p () Bool)\r\n; p \r\n(assert p)\r\n(assert (not p))\r\n", "unsat"),
    ],
    ids=["nothing", "large numbers", "deep", "lines of Windows"],
)
def test_extremes(text: str, right: str) -> None:
    assert isinstance(answer(text), ANSWERS[right])


@pytest.mark.parametrize(
    "command",
    [
        "(declare-fun p)",
        "(declare-fun p Int Bool)",
        "(declare-fun p (Int) Bool Int)",
        "(declare-fun p (Int))",
        "(declare-const p)",
        "(declare-const p Bool Bool)",
        "(declare-var x)",
        "(declare-rel p)",
        "(define-fun f () Bool)",
        "(define-fun f () Bool true false)",
        "(define-fun f (x) Bool true)",
        "(define-sort S)",
        "(define-const c Int)",
        "(assert)",
        "(assert true false)",
        "(rule)",
        "(query)",
        "(assert (forall () true))",
        "(assert (forall ((x Int))))",
        "(assert (let ((x)) x))",
        "(assert 3)",
        "(assert ((_ bad 3) 4))",
        "(assert (! true :named))",
        "(assert |x|)",
        "(assert (_ bv5 2))",
        "assert",
        "(assert true))",
        '(assert "',
        "(assert |",
        "\0",
    ],
)
def test_what_is_no_script_is_told_so(command: str) -> None:
    with pytest.raises((BadScript, NotSupported)) as problem:
        parse_system(f"(set-logic HORN)\n{command}\n", "file")
    assert str(problem.value).startswith("file")


def test_the_first_of_several_mistakes_is_told() -> None:
    with pytest.raises(BadScript, match=r"^file:2: unknown constant x$"):
        parse_system("(declare-fun p (Int) Bool)\n(assert (p x))\n(assert (p y))\n", "file")
