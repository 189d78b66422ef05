"""Lean sequences: weaker than what they were made of, still refutations, and without what is not needed."""

from __future__ import annotations

import pytest

from craton.configuration.refiners import refiner
from craton.logic import FALSE, INT, TRUE, add, and_, conjuncts, eq, implies, int_, le, lt, var
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Statement
from craton.traces.lean import Lean
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.newton import Newton
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation, law_violation
from craton.traces.trace import Trace
from support.judge import SOLVERS, Judge
from support.patience import Group, record
from support.sampling import sample
from support.traces import FEASIBLE, INFEASIBLE, Example

X, Y = var("x", INT), var("y", INT)
STATEMENTS: list[Statement] = [
    Assign(X, int_(1)),
    Assign(Y, int_(2)),
    Assign(X, add(X, int_(1))),
    Assume(lt(X, int_(0))),
]
TRACE = Trace(tuple(Edge(Location(i), statement, Location(i + 1)) for i, statement in enumerate(STATEMENTS)))


class Says(Refiner):
    name = "says"

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.answer


def test_what_is_not_needed_goes() -> None:
    full = Newton(core=None, live=False).refute(TRACE)
    assert isinstance(full, Refutation)
    assert set(conjuncts(full.assertions[2])) == {eq(X, int_(1)), eq(Y, int_(2))}
    lean = Lean(Says(full)).refute(TRACE)
    assert isinstance(lean, Refutation)
    assert lean.assertions[2:] == (le(int_(1), X), le(int_(2), X), FALSE)


def test_both_halves_are_the_equation() -> None:
    both = Trace(
        (
            Edge(Location(0), Assign(X, int_(1)), Location(1)),
            Edge(Location(1), Assume(and_(lt(int_(0), add(X, Y)), eq(add(X, Y), int_(0)))), Location(2)),
        )
    )
    exact = Trace(
        (
            Edge(Location(0), Assign(X, int_(1)), Location(1)),
            Edge(Location(1), Assume(eq(eq(X, int_(1)), FALSE)), Location(2)),
        )
    )
    sequence = Refutation((TRUE, eq(X, int_(1)), FALSE), "said")
    assert Lean(Says(sequence)).refute(exact) == Refutation(sequence.assertions, "lean(says)")
    assert Lean(Says(sequence)).refute(both) == Refutation((TRUE, TRUE, FALSE), "lean(says)")


@pytest.mark.parametrize("example", sample(INFEASIBLE.values(), 4, "lean"), ids=str)
def test_lean_sequences_are_weaker_refutations(example: Example) -> None:
    full = refiner("newton(it, sp, lv)").refute(example.trace)
    record(Group.REFUTATIONS, f"newton(it, sp, lv) on {example}, to make it lean", full)
    if not isinstance(full, Refutation):
        pytest.skip("nothing to make lean")
    lean = Lean(Says(full)).refute(example.trace)
    assert isinstance(lean, Refutation)
    assert "does not hold" not in law_violation(example.trace, lean, Judge(SOLVERS))
    for before, after in zip(full.assertions, lean.assertions, strict=True):
        assert Judge(("z3",), time_limit=5).is_valid(implies(before, after)) is not False


def test_other_answers_pass() -> None:
    given_up = GaveUp("no idea")
    assert Lean(Says(given_up)).refute(TRACE) is given_up
    feasible = refiner("lean(newton)").refute(next(iter(FEASIBLE.values())).trace)
    assert isinstance(feasible, Feasible)
