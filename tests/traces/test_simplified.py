"""Assertions simplified and unified by an auxiliary solver ([CN] 7)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from craton.configuration.refiners import refiner
from craton.logic import FALSE, TRUE, Term
from craton.smt import Method, make_solver
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.newton import Newton
from craton.traces.refutation import Answer, GaveUp, Refiner, Refutation, law_violation
from craton.traces.simplified import Simplified
from craton.traces.trace import Trace
from support.declarations import read
from support.judge import SOLVERS, Judge
from support.patience import Group, record
from support.traces import INFEASIBLE

TRACE = INFEASIBLE["counter pair, one round"].trace
VARIABLES = "x y z: Int, u: B8, p: Bool"


@dataclass(frozen=True, eq=False)
class Says(Refiner):
    word = "says"
    answers: list[Answer] = field(default_factory=list)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.answers[-1]


SOMEONE = Says()


def simplified(*assertions: Term, memory: RunMemory = NO_MEMORY) -> tuple[Term, ...]:
    SOMEONE.answers.append(Refutation((TRUE, *assertions, FALSE), "someone"))
    answer = Simplified(SOMEONE).refute(TRACE, memory)
    assert isinstance(answer, Refutation)
    assert answer.assertions[0] is TRUE and answer.assertions[-1] is FALSE
    return answer.assertions[1:-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(and (= x 0) (= y 1) (>= x 1))", "false"),  # the paper's example of what must be seen
        ("(or (< x 3) (> x 1))", "true"),
        ("(and (< x 3) (< x 5))", "(< x 3)"),
        ("(and (= x 2) (or (= x 3) (= y 1)))", "(and (= x 2) (= y 1))"),
        ("(and (bvult u #x04) (bvult u #x08))", "(bvult u #x04)"),
        ("(and p (or p (= x 1)))", "p"),
        ("(and (<= x y) (<= y z))", "(and (<= x y) (<= y z))"),
    ],
)
def test_what_becomes_of_an_assertion(before: str, after: str) -> None:
    given, expected = read(VARIABLES, f"{before}\n{after}")
    assert simplified(given) == (expected,)


def test_the_assertion_of_table_1_of_the_thesis_that_is_false() -> None:
    """x = 0 ∧ y = 1 ∧ x ≥ 1 in [NR] Table 3.1."""
    trace = INFEASIBLE["loop not entered, [NR] Table 3.1"].trace
    plain, simple = refiner("newton(sp)").refute(trace), refiner("simplified(newton(sp))").refute(trace)
    assert isinstance(plain, Refutation) and isinstance(simple, Refutation)
    assert plain.assertions[3] is not FALSE
    assert simple.assertions == (*plain.assertions[:3], FALSE, FALSE)


def test_assertions_that_mean_the_same_are_one() -> None:
    first, second, other = read(VARIABLES, "(< x y)\n(not (>= (- x y) 0))\n(<= x y)")
    assert simplified(first, second, other) == (first, first, other)


def test_also_those_of_different_traces_of_a_run() -> None:
    memory = RunMemory()
    first, second = read(VARIABLES, "(< x y)\n(not (>= (- x y) 0))")
    assert simplified(first, memory=memory) == simplified(second, memory=memory) == (first,)
    assert simplified(second) == (second,)


def test_what_gives_up_gives_up() -> None:
    assert Simplified(Says([GaveUp("no")])).refute(TRACE) == GaveUp("no")


@pytest.mark.parametrize("expression", ["simplified(newton(sp))", "simplified(newton(it, wp), time=1)"])
def test_simplified_sequences_obey_the_law(expression: str) -> None:
    for example in INFEASIBLE.values():
        if example.theory == "float":
            continue
        answer = refiner(expression).refute(example.trace)
        record(Group.REFUTATIONS, f"{expression} on {example}", answer)
        if isinstance(answer, Refutation):
            assert answer.by == refiner(expression).name
            assert "is undecided" in (law := law_violation(example.trace, answer, Judge(SOLVERS), 10)) or law == ""


# --- elimination, method by method ------------------------------------------------------------------------------------


def methods(expression: str) -> tuple[Method, ...]:
    found = refiner(expression)
    assert isinstance(found, Newton)
    return found.methods


def test_elimination_can_be_switched_off() -> None:
    ours = (Method.READS, Method.BOUNDS, Method.CASES)
    assert methods("newton(quantifiers=none, extra=false)") == (Method.DER, Method.UPD)
    assert methods("newton(quantifiers=none, extra=false, der=false)") == (Method.UPD,)
    assert methods("newton(quantifiers=none, extra=false, upd=false, drop)") == (Method.DER, Method.DROP)
    assert set(methods("newton(quantifiers=full)")) == {Method.DER, Method.UPD, *ours, Method.LIGHT, Method.FULL}


def test_without_destructive_equality_resolution_assertions_stay_quantified() -> None:
    trace = TRACE
    for expression, counted in (("newton(sp)", True), ("newton(sp, quantifiers=none, der=false, extra=false)", False)):
        answer = refiner(expression).refute(trace)
        assert isinstance(answer, Refutation)
        assert (Method.DER.value in answer.eliminated) is counted
        assert law_violation(trace, answer, make_solver("z3")) == ""
