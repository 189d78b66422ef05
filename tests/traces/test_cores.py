"""Infeasible cores are found once for all refiners that are asked about one trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from craton.configuration.refiners import refiner
from craton.smt import minimal_core
from craton.traces import cores
from craton.traces.refutation import Refutation
from craton.traces.trace import Trace
from support.traces import INFEASIBLE

EDGES = INFEASIBLE["counter pair, three rounds"].trace.edges


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    real: Callable[..., Any] = minimal_core

    def counted(*arguments: Any) -> Any:
        found.append(1)
        return real(*arguments)

    monkeypatch.setattr(cores, "minimal_core", counted)
    return found


def test_one_core_for_all_who_ask(asked: list[int]) -> None:
    trace = Trace(EDGES)
    kept = []
    for expression in ("newton(it, sp)", "newton(it, wp, lv)", "craig(z3, it)"):
        answer = refiner(expression).refute(trace)
        assert isinstance(answer, Refutation)
        kept.append(answer.core)
    assert len(asked) == 1
    assert len(set(kept)) == 1


def test_other_settings_and_other_traces_have_their_own(asked: list[int]) -> None:
    trace = Trace(EDGES)
    refiner("newton(it, sp)").refute(trace)
    refiner("newton(it, sp, core=statement)").refute(trace)
    refiner("newton(it, sp, solver=cvc5)").refute(trace)
    refiner("newton(it, sp)").refute(Trace(EDGES))
    assert len(asked) == 4
