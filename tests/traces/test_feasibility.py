"""Feasible traces have models, whatever solver can speak of them; infeasible ones have none."""

from __future__ import annotations

import pytest

from craton.logic import and_, satisfies
from craton.traces.feasibility import feasible
from support.sampling import sample
from support.traces import FEASIBLE, INFEASIBLE, Example


@pytest.mark.parametrize("example", FEASIBLE.values(), ids=str)
def test_a_feasible_trace_has_a_model(example: Example) -> None:
    model = feasible(example.trace, 60.0)
    assert model is not None
    assert satisfies(model, and_(*example.trace.formula.by_step))


@pytest.mark.parametrize("example", sample(INFEASIBLE.values(), 4, "feasibility"), ids=str)
def test_an_infeasible_one_has_none(example: Example) -> None:
    assert feasible(example.trace, 10.0) is None
