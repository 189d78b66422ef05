"""Craig: what an interpolation procedure says is not believed unseen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from craton.logic import FALSE, TRUE, Term, free_variables
from craton.smt import Interpolants, Undecided, sequence_interpolants
from craton.traces import craig
from craton.traces.cores import Granularity
from craton.traces.craig import Bits, Craig
from craton.traces.lattice import Lattice
from craton.traces.numbers import over_bits
from craton.traces.refutation import GaveUp, Refutation, law_violation
from support.judge import SOLVERS, Judge
from support.trace_reader import read_trace
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


# --- bits by way of numbers -------------------------------------------------------------------------------------------

BITS = read_trace(
    "i x j: B32",
    "i := #x00000000\nx := j\n1 times {\n(bvslt i #x00000032)\ni := (bvadd i #x00000001)\n"
    "x := (bvadd x #x00000001)\n}\n(= j #x00000000)\n(bvslt x i)",
)


def test_bits_that_take_too_long_are_read_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """[EI]: bits are given up, so numbers are asked, within the limits that are left; the law is that of bits."""
    limits: list[tuple[bool, float | None]] = []

    def only_numbers(formulas: Sequence[Term], source: str, time_limit: float | None) -> Interpolants:
        limits.append((over_bits(formulas), time_limit))
        return Undecided("too slow") if over_bits(formulas) else sequence_interpolants(formulas, source, time_limit)

    monkeypatch.setattr(craig, "sequence_interpolants", only_numbers)
    assert Craig(time_limit=20.0).refute(BITS) == GaveUp("too slow")
    answer = Craig(time_limit=20.0, bits=Bits.NUMBERS).refute(BITS)
    assert isinstance(answer, Refutation)
    assert law_violation(BITS, answer, Judge(SOLVERS)) == ""
    (bits, first), (again, half), (as_number, _), *_ = limits
    assert (bits, again, as_number) == (True, True, False)
    assert first is not None and half is not None and half <= 10.0 < first
    guided = Lattice(Craig(time_limit=20.0, bits=Bits.NUMBERS), time_limit=60.0).refute(BITS)
    assert isinstance(guided, Refutation) and guided.abstraction is not None
    assert law_violation(BITS, guided, Judge(SOLVERS)) == ""
