"""How expressions go on."""

from __future__ import annotations

import pytest

from craton.configuration.engines import ENGINES
from craton.configuration.refiners import REFINERS
from craton.registry.completion import completions


@pytest.mark.parametrize(
    ("text", "offered", "not_offered"),
    [
        ("new", ["newton", "newton-or-craig"], ["craig"]),
        ("", ["craig", "default", "fallback("], []),
        ("newton(", ["newton(it", "newton(sp", "newton(time="], ["newton(craig"]),
        ("newton(it, w", ["newton(it, wp"], ["newton(it, sp"]),
        ("newton(quantifiers=", ["newton(quantifiers=light"], ["newton(quantifiers=it"]),
        ("until-perfect(newton(it, sp), c", ["until-perfect(newton(it, sp), craig"], []),
        ("until-perfect(newton(it, sp), craig(", ["until-perfect(newton(it, sp), craig(z3"], []),
        ("sliced(", ["sliced(newton", "sliced(lean("], []),
    ],
)
def test_what_may_follow(text: str, offered: list[str], not_offered: list[str]) -> None:
    found = completions(REFINERS, text)
    assert set(offered) <= set(found) and not set(not_offered) & set(found)
    assert all(one.startswith(text) for one in found)


@pytest.mark.parametrize(
    "text", ["newton(it)", "newton(it) ", "nothing(", "newton(it x", "craig)(", "(", "9", "newton(time=1, "]
)
def test_whatever_is_written_is_no_error(text: str) -> None:
    assert all(one.startswith(text) for one in completions(REFINERS, text))


def test_engines_go_on_as_refiners_do() -> None:
    assert "predicate(sbe, cartesian" in completions(ENGINES, "predicate(sbe, c")
