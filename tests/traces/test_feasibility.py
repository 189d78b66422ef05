"""Feasible traces have models, whatever solver can speak of them; infeasible ones have none."""

from __future__ import annotations

import pytest

from craton.errors import MissingCapability
from craton.logic import and_, satisfies
from craton.smt import Solver, Undecided, make_solver
from craton.traces.feasibility import Infeasible, NotDecided, feasible
from craton.traces.refutation import Feasible
from support.sampling import sample
from support.traces import FEASIBLE, INFEASIBLE, Example


@pytest.mark.parametrize("example", FEASIBLE.values(), ids=str)
def test_a_feasible_trace_has_a_model(example: Example) -> None:
    found = feasible(example.trace, 60.0)
    assert isinstance(found, Feasible)
    assert satisfies(found.model, and_(*example.trace.formula.by_step))


@pytest.mark.parametrize("example", sample(INFEASIBLE.values(), 4, "feasibility"), ids=str)
def test_an_infeasible_one_has_none(example: Example) -> None:
    assert isinstance(feasible(example.trace, 10.0), Infeasible)


def _is_of_bits(example: Example) -> bool:
    try:
        make_solver("bitwuzla").add(*example.trace.formula.by_step)
    except MissingCapability:
        return False
    return True


def test_what_one_solver_does_not_decide_the_next_one_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    silent = {"bitwuzla"}

    def solver(name: str, time_limit: float | None = None) -> Solver:
        asked.append(name)
        made = make_solver(name, time_limit=time_limit)
        if name in silent:
            monkeypatch.setattr(type(made), "check", lambda *_: Undecided(f"{name}: too hard"))
        return made

    monkeypatch.setattr("craton.traces.feasibility.make_solver", solver)
    bits = next(e for e in FEASIBLE.values() if _is_of_bits(e))
    assert isinstance(feasible(bits.trace, 60.0), Feasible)
    assert asked[:2] == ["bitwuzla", "z3"]
    silent |= {"z3", "cvc5"}
    found = feasible(bits.trace, 60.0)
    assert isinstance(found, NotDecided) and "bitwuzla: too hard; z3: too hard" in found.reason
