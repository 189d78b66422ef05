"""Explicit values: refutations by constants obey the law, keep only what they need, and see fewer prefixes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.refiners import refiner
from craton.logic import BOOL, FALSE, INT, TRUE, BitVec, Term, and_, bv, eq, evaluate, int_, not_, var
from craton.program.transitions import Transition
from craton.registry.expressions import ExpressionError
from craton.traces.refutation import Analysis, GaveUp, Refutation, law_violation
from craton.traces.values import ExplicitValues, after, contradicts
from support import examples
from support.judge import SOLVERS, Judge
from support.trace_reader import read_trace
from support.traces import FEASIBLE, INFEASIBLE, Example

VALUES = ExplicitValues()
X, Y, P = var("x", INT), var("y", INT), var("p", BOOL)


# --- one step ---------------------------------------------------------------------------------------------------------


def test_assumptions_tell_values() -> None:
    step = Transition(and_(eq(X, int_(3)), P, eq(Y, X)), {})
    assert after({}, step) == {X: int_(3), P: TRUE, Y: int_(3)}
    assert after({}, Transition(not_(P), {})) == {P: FALSE}
    assert after({X: int_(4)}, step) is None
    assert after({}, Transition(and_(eq(X, int_(1)), eq(X, int_(2))), {})) is None


def test_what_is_assigned_from_the_unknown_is_unknown() -> None:
    assert after({X: int_(1), Y: int_(2)}, Transition(TRUE, {X: Y, Y: var("z", INT)})) == {X: int_(2)}


def test_inputs_are_forgotten() -> None:
    chosen = var("x ?0", INT)
    step = Transition(eq(chosen, int_(5)), {X: chosen}, (chosen,))
    assert after({}, step) == {X: int_(5)}


B = BitVec(3)
U, V, W = (var(name, B) for name in "uvw")
_words = st.sampled_from([U, V, W, *(bv(n, 3) for n in range(8))])
_conditions = st.one_of(
    st.builds(eq, _words, _words), st.builds(lambda a, b: not_(eq(a, b)), _words, _words), st.just(TRUE)
)
_steps = st.builds(
    lambda conditions, updates: Transition(and_(*conditions), updates),
    st.lists(_conditions, max_size=2),
    st.dictionaries(st.sampled_from([U, V, W]), _words, max_size=2),
)


@given(step=_steps, known=st.dictionaries(st.sampled_from([U, V, W]), st.integers(0, 7).map(lambda n: bv(n, 3))))
@examples(150)
def test_what_is_known_afterwards_is_so_in_every_run(step: Transition, known: dict[Term, Term]) -> None:
    """By trying all states."""
    found = after(known, step)
    for number in range(8**3):
        state = {U: number % 8, V: number // 8 % 8, W: number // 64}
        if all(state[v] == value.payload for v, value in known.items()) and evaluate(step.guard, state):
            assert found is not None
            then = state | {v: evaluate(value, state) for v, value in step.updates.items()}
            assert all(then[v] == value.payload for v, value in found.items())


# --- traces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", INFEASIBLE.values(), ids=str)
def test_refutations_obey_the_law_and_keep_only_what_they_need(example: Example) -> None:
    answer = VALUES.refute(example.trace)
    if isinstance(answer, GaveUp):
        assert not contradicts({}, example.trace.steps)
        return
    assert isinstance(answer, Refutation)
    assert law_violation(example.trace, answer, Judge(SOLVERS)) == ""
    for position, assertion in enumerate(answer.assertions):
        known = after({}, Transition(assertion, {})) or {}
        for variable in known:
            fewer = {v: value for v, value in known.items() if v is not variable}
            assert not contradicts(fewer, example.trace.steps[position:])


def test_the_catalogue_has_work_for_it() -> None:
    answered = [e for e in INFEASIBLE.values() if isinstance(VALUES.refute(e.trace), Refutation)]
    assert len(answered) >= 30


@pytest.mark.parametrize("example", FEASIBLE.values(), ids=str)
def test_feasible_traces_are_not_refuted(example: Example) -> None:
    assert isinstance(VALUES.refute(example.trace), GaveUp)


def test_without_time_more_is_kept_and_the_law_holds() -> None:
    trace = read_trace("a b: Int", "a := 1\nb := 2\na := (+ a 1)\n(= b 3)")
    hasty = ExplicitValues(time_limit=1e-9).refute(trace)
    assert isinstance(hasty, Refutation)
    assert law_violation(trace, hasty, Judge(SOLVERS)) == ""


# --- prefixes ---------------------------------------------------------------------------------------------------------


def test_the_example_of_the_paper() -> None:
    """[RS] 4: values do not see that a < 0 contradicts a = 0, so there is one prefix, and a solver has two."""
    trace = read_trace("a: Int", "(< a 0)\n(= a 0)\n(= a 1)")
    assert [prefix.edges for prefix in VALUES.sliced_prefixes(trace)] == [trace.edges]
    answer = refiner("sliced(values, short)").refute(trace)
    assert isinstance(answer, Refutation)
    assert answer.assertions == (TRUE, TRUE, eq(var("a", INT), int_(0)), FALSE)


FIGURE_1 = "i := 0\n(not (= b 0))\n(< i 1)\ni := (+ i 1)\n(not (< i 1))\n(= b 0)\n(= i 5)"


def test_values_and_predicates_compete() -> None:
    """[RS] Fig. 1: values could only track the counter; the flag's inequality is for predicates."""
    trace = read_trace("b i: Int", FIGURE_1)
    alone = refiner("sliced(values)").refute(trace)
    both = refiner("sliced(values, newton(it, sp, lv), narrow)").refute(trace)
    assert isinstance(alone, Refutation) and isinstance(both, Refutation)
    assert (alone.analysis, both.analysis) == (Analysis.VALUE, Analysis.PREDICATE)
    assert alone.assertions[1] is eq(var("i", INT), int_(0))
    assert all(law_violation(trace, found, Judge(SOLVERS)) == "" for found in (alone, both))


def test_the_sequences_of_figure_1() -> None:
    """[RS] Fig. 1: the good sequence says b ≠ 0 all along, the bad one follows the values of i."""
    trace = read_trace("b i: Int", FIGURE_1)
    good = refiner("sliced(values, newton(it, sp, lv), good)").refute(trace)
    bad = refiner("sliced(values, newton(it, sp, lv), bad)").refute(trace)
    assert isinstance(good, Refutation) and isinstance(bad, Refutation)
    flag, i = not_(eq(var("b", INT), int_(0))), var("i", INT)
    zero, one = eq(i, int_(0)), eq(i, int_(1))
    assert good.assertions == (TRUE, TRUE, flag, flag, flag, flag, FALSE, FALSE)
    assert bad.assertions == (TRUE, zero, zero, zero, one, one, one, FALSE)


def test_chance_draws_among_the_analyses() -> None:
    """[RS] 7: a random choice is one among all refinements, of whichever analysis ([RS] 6)."""
    trace = read_trace("b i: Int", FIGURE_1)
    answers = [refiner(f"sliced(values, newton(it, sp, lv), random={seed})").refute(trace) for seed in range(1, 21)]
    drawn = {(one.analysis, one.selection.prefix) for one in answers if isinstance(one, Refutation) and one.selection}
    assert drawn == {(Analysis.VALUE, 7), (Analysis.PREDICATE, 6), (Analysis.PREDICATE, 7)}


@pytest.mark.parametrize("expression", ["values(time)", "values(z3)", "values(time=0)", "values(time=1, time=2)"])
def test_mistakes(expression: str) -> None:
    with pytest.raises(ExpressionError):
        refiner(expression)


def test_it_prints_as_it_is_written() -> None:
    assert refiner("values").name == "values"
    assert refiner("values()").name == "values"
    assert refiner("values(time=2)").name == "values(time=2)"
