"""Craig: what an interpolation procedure says is not believed unseen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from craton.logic import FALSE, TRUE, Term, free_variables
from craton.smt import Undecided
from craton.traces import craig
from craton.traces.cores import Granularity
from craton.traces.craig import Craig
from craton.traces.refutation import GaveUp, Refutation
from support.traces import INFEASIBLE

COUNTERS = INFEASIBLE["counter pair, three rounds"].trace


@pytest.mark.parametrize("core", [None, Granularity.CONJUNCT])
def test_wrong_interpolants_are_refused(core: Granularity | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def false_half_way(formulas: Sequence[Term], source: str, time_limit: float | None) -> tuple[Term, ...]:
        half = len(formulas) // 2
        return (*[TRUE] * half, *[FALSE] * (len(formulas) + 1 - half))

    monkeypatch.setattr(craig, "sequence_interpolants", false_half_way)
    answer = Craig(core=core).refute(COUNTERS)
    assert isinstance(answer, GaveUp)
    assert answer.reason.startswith("z3: not an interpolant, step")


def test_no_interpolants_have_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(craig, "sequence_interpolants", lambda *_: Undecided("z3: no idea"))
    assert Craig().refute(COUNTERS) == GaveUp("z3: no idea")


def test_interpolants_of_a_core_leave_out_the_rest() -> None:
    example = INFEASIBLE["a small core among much else"]
    answer = Craig(core=Granularity.CONJUNCT).refute(example.trace)
    assert isinstance(answer, Refutation)
    kept = answer.core
    assert isinstance(kept, frozenset)
    assert len(kept) < len(example.trace)
    steps = [step for i, step in enumerate(example.trace.steps) if i in kept]
    in_core = frozenset[Term]().union(*(step.read | step.written for step in steps))
    assert all(free_variables(assertion) <= in_core for assertion in answer.assertions)
