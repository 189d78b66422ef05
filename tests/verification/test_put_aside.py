"""Answers that take long to confirm let others go first, and are looked at again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from craton.frontends.programs import Request
from craton.processes.limits import Limits
from craton.verification import portfolio
from craton.verification.context import Context
from craton.verification.portfolio import Attempt, Portfolio, budgeted
from craton.verification.scheduling import Patience


def result_of(attempts: Callable[[Context], list[Attempt[str]]]) -> Any:
    context = Context.of(Limits(60), Request(("none.c",)), True, lambda *_: None, 1)
    decides = lambda attempt, judged: judged if judged == "proved" else None  # noqa: E731
    return Portfolio(attempts(context), context).result(context.clock, decides), context


def attempt(name: str, judged: Callable[[Any], str]) -> Attempt[str]:
    return Attempt(name, 1.0, None, lambda seconds: budgeted(lambda budget: name, seconds), judged)


def hard(context: Context, asked: list[float | None], found: Any) -> str:
    """Confirmed only by who has all the time there is."""
    asked.append(context.patience.left)
    if asked[-1] is None:
        return "proved"
    context.patience.until = 0.0  # it was used up
    context.patience.note_undecided(hurried=False)
    return "out of time"


def test_a_hard_answer_is_put_aside_and_comes_last() -> None:
    asked: list[float | None] = []
    found, _ = result_of(
        lambda context: [attempt("a", partial(hard, context, asked)), attempt("b", lambda found: "nothing")]
    )
    assert found == "proved"
    assert asked[0] is not None and asked[-1] is None


def test_an_easier_answer_decides() -> None:
    asked: list[float | None] = []
    found, context = result_of(
        lambda context: [attempt("a", partial(hard, context, asked)), attempt("b", lambda found: "proved")]
    )
    assert found == "proved"
    assert None not in asked
    assert context.patience.left is None


def test_nobody_waits_for_who_is_alone() -> None:
    asked: list[float | None] = []
    assert result_of(lambda context: [attempt("a", partial(hard, context, asked))])[0] == "proved"
    assert asked == [None]


def test_what_is_undecided_with_time_left_is_not_for_want_of_time() -> None:
    patience = Patience()
    patience.begin(1000.0)
    patience.note_undecided(hurried=False)
    assert not patience.was_too_short
    patience.begin(0.0)
    patience.note_undecided(hurried=False)
    assert patience.was_too_short


def test_who_is_given_a_part_of_the_time_is_asked_again() -> None:
    """Proofs of views are checked in half of it, before they are repaired."""
    patience = Patience()
    patience.begin(1000.0)
    patience.note_undecided(hurried=True)
    assert patience.was_too_short
    patience.begin(None)
    patience.note_undecided(hurried=True)
    assert not patience.was_too_short


def test_asking_again_has_a_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, patience, asked = [0.0], Patience(), list[float]()
    monkeypatch.setattr(portfolio, "running_time", lambda: clock[0])

    def never(found: Any) -> str:
        asked.append(clock[0])
        clock[0] += 10.0
        patience.was_too_short = True
        return "out of time"

    aside = portfolio._PutAside[str](patience, lambda attempt, judged: None, alone=False)
    for name in "abc":
        aside.verdict(attempt(name, never), name)
    assert len(asked) == 3
    while clock[0] < 1000.0:
        before = clock[0]
        aside.next()
        assert 10.0 * (len(asked) - 3) <= clock[0] / 3 + 10.0
        clock[0] = max(clock[0], before + 1.0)
    assert len(asked) > 6
