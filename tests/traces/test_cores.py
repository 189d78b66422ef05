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
    for expression in ("newton(it, sp, minimise=1)", "newton(it, wp, lv, minimise=1)", "craig(z3, it, minimise=1)"):
        answer = refiner(expression).refute(trace)
        assert isinstance(answer, Refutation)
        kept.append(answer.core)
    assert len(asked) == 1
    assert len(set(kept)) == 1


def test_other_settings_and_other_traces_have_their_own(asked: list[int]) -> None:
    trace = Trace(EDGES)
    refiner("newton(it, sp, minimise=1)").refute(trace)
    refiner("newton(core=conjunct, sp, minimise=1)").refute(trace)
    refiner("newton(core=half, sp, minimise=1)").refute(trace)
    refiner("newton(it, sp, solver=cvc5, minimise=1)").refute(trace)
    refiner("newton(it, sp, minimise=1)").refute(Trace(EDGES))
    assert len(asked) == 5


def test_it_takes_the_solvers_core_as_it_comes(asked: list[int]) -> None:
    """[CN] 7: always the core of (get-unsat-core)."""
    assert isinstance(refiner("newton(it, sp)").refute(Trace(EDGES)), Refutation)
    assert not asked
