"""Exploring interpolants: the example of [EI], frontiers against trying every set, and assertions that obey the law."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations

import pytest

from craton.configuration.refiners import refiner
from craton.logic import (
    INT,
    BitVec,
    Sort,
    Term,
    add,
    and_,
    bvadd,
    bvsub,
    eq,
    free_variables,
    ge,
    implies,
    int_,
    not_,
    or_,
    sub,
    substitute,
    var,
)
from craton.program.cfa import Location
from craton.registry.expressions import ExpressionError
from craton.smt import Sat, Unsat, make_solver
from craton.traces.compose import Memo
from craton.traces.explanation import explain
from craton.traces.exploration import Frontier, Template, Templates, determined
from craton.traces.lattice import ForgettingTrace, Lattice, frontier
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.perfect import is_perfect
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation, law_violation
from craton.traces.templates import Base, templates_at
from craton.traces.trace import Trace
from support.judge import SOLVERS, Judge
from support.newtons import IT_SP_LV
from support.patience import Group, record
from support.sampling import sample
from support.trace_reader import read_trace
from support.traces import FEASIBLE, INFEASIBLE, Example


def introduction(rounds: int) -> Trace:
    """[EI] I-A: i = 0; x = j; while (i < 50) { i++; x++; } if (j == 0) assert (x >= 50);"""
    text = f"""
    i := 0
    x := j
    {rounds} times {{
    (< i 50)
    i := (+ i 1)
    x := (+ x 1)
    }}
    (>= i 50)
    (= j 0)
    (< x 50)
    """
    return read_trace("i x j: Int", text)


def explored(trace: Trace) -> tuple[ForgettingTrace, Templates, list[Templates]]:
    problem = ForgettingTrace(trace)
    templates = templates_at(problem.places)
    found = frontier(problem, templates, make_solver("z3"), 60.0)
    assert isinstance(found, Frontier)
    assert found.complete
    return problem, templates, list(found.elements)


def names(templates: Templates) -> set[str]:
    """Whichever variable comes first: that depends on what else this process has seen."""
    return {
        (" + " if len(set(factors.values())) == 1 else " - ").join(sorted(v.name for v in factors))
        for factors in (template.sum or {} for template in templates)
    }


# --- the example of the paper -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_frontier_of_the_example(rounds: int) -> None:
    """Cheapest first: the difference, and what the loop does not change; then the counter."""
    _, templates, found = explored(introduction(rounds))
    assert names(templates) == {"i", "x", "j", "i - x", "i + x"}
    assert [names(chosen) for chosen in found] == [{"j", "i - x"}, {"i"}]


@pytest.mark.parametrize("inner", ["newton(it, sp, lv)", "newton(it, wp, lv)", "newton(sp, lv)", "craig(z3)"])
def test_guided_refiners_find_an_invariant_and_others_do_not(inner: str) -> None:
    trace = introduction(2)
    guided, alone = refiner(f"lattice({inner}, time=60)").refute(trace), refiner(inner).refute(trace)
    assert isinstance(guided, Refutation) and isinstance(alone, Refutation)
    assert law_violation(trace, guided, Judge(SOLVERS)) == ""
    assert is_perfect(trace, guided.assertions, make_solver("z3"))
    assert not is_perfect(trace, alone.assertions, make_solver("z3"))
    assert guided.abstraction is not None and guided.abstraction.frontier == 2


def test_what_was_explored_is_told() -> None:
    (column,) = explain(introduction(2), [refiner("lattice(newton(it, sp, lv), time=60)")]).columns
    assert isinstance(column.answer, Refutation) and column.answer.abstraction is not None
    assert [names_of(terms) for terms in column.answer.abstraction.sets] == [{"j", "x i"}, {"i"}]
    assert column.answer.abstraction.complete
    assert column.frontier.startswith("remembers {j, ") and column.frontier.endswith(", {i} over 5 templates")
    assert column.answer.abstraction.base == 5
    assert [element.cost for element in column.answer.abstraction.elements] == [3, 16]
    assert column.answer.abstraction.chosen.terms == column.answer.abstraction.sets[0]


def test_where_each_visit_remembers_is_told() -> None:
    (column,) = explain(
        introduction(1), [refiner("lattice(newton(sp), visits=each, own, templates=(x - i, j))")]
    ).columns
    assert column.frontier.count("step 2: ") == column.frontier.count("step 5: ") == 2
    assert "; " in column.frontier


def names_of(terms: tuple[Term, ...]) -> set[str]:
    return {" ".join(sorted((v.name for v in free_variables(term)), reverse=True)) for term in terms}


def test_at_a_loop_an_assertion_speaks_of_the_templates_only() -> None:
    """Values of x and i that agree on all templates are told apart by no assertion."""
    trace = introduction(2)
    answer = refiner("lattice(newton(it, sp, lv), time=60)").refute(trace)
    assert isinstance(answer, Refutation)
    assert answer.abstraction is not None
    assert [str(t) for t in answer.abstraction.templates] in (["j", "i - x"], ["j", "x - i"])
    x, i = var("x", INT), var("i", INT)
    for position in ForgettingTrace(trace).known:
        assertion = answer.assertions[position]
        assert free_variables(assertion) >= {x, i}
        elsewhere = substitute(assertion, {x: add(x, int_(7)), i: add(i, int_(7))})
        assert Judge(SOLVERS).is_valid(eq(assertion, elsewhere))


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_strongest_and_the_weakest_abstract_interpolant(rounds: int) -> None:
    """[EI] Lemma 7, Ex. 2: strongest postconditions of the trace that forgets, and weakest preconditions. Between the
    two, at the loop's end, is what others find.
    """
    trace = introduction(rounds)
    x, i, j = (var(name, INT) for name in "xij")
    last = max(ForgettingTrace(trace).known)
    at = {}
    for inner in ("newton(sp)", "newton(wp)", "newton(it, sp, lv)", "newton(it, wp, lv)", "craig(z3)"):
        answer = refiner(f"lattice({inner}, time=60)").refute(trace)
        assert isinstance(answer, Refutation)
        assert answer.abstraction is not None and len(answer.abstraction.templates) == 2
        at[inner] = answer.assertions[last]
    judge = Judge(SOLVERS)
    strongest, weakest = eq(x, add(i, j)), or_(not_(eq(j, int_(0))), ge(x, i))
    assert judge.is_valid(eq(at["newton(sp)"], strongest))
    assert judge.is_valid(eq(at["newton(wp)"], weakest))
    for found in at.values():
        assert judge.is_valid(implies(strongest, found)) and judge.is_valid(implies(found, weakest))


# --- predicates as templates ------------------------------------------------------------------------------------------


def locked(rounds: int) -> Trace:
    """A lock that stays open, whatever the counter does."""
    text = f"""
    l := 0
    k := 5
    n := 0
    {rounds} times {{
    (= l 0)
    (< n 10)
    n := (+ n 1)
    l := (* 2 l)
    }}
    (> k 3)
    (not (= l 0))
    """
    return read_trace("l k n: Int", text)


@pytest.mark.parametrize("inner", ["newton(it, sp, lv)", "newton(wp)", "craig(z3)"])
@pytest.mark.parametrize("rounds", [1, 2])
def test_an_assertion_is_a_positive_combination_of_predicates(inner: str, rounds: int) -> None:
    """[EI] Def. 8, Lemma 10: where all predicates that held still hold, what was asserted still holds."""
    trace = locked(rounds)
    answer = refiner(f"lattice({inner}, predicates, time=60)").refute(trace)
    assert isinstance(answer, Refutation)
    assert answer.abstraction is not None
    assert answer.abstraction.sets == ((eq(var("l", INT), int_(0)),),)
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""
    other = {v: var(f"{v.name} again", INT) for v in (var(name, INT) for name in "lkn")}
    for position in ForgettingTrace(trace).known:
        said = answer.assertions[position]
        still = [implies(p, substitute(p, other)) for p in answer.abstraction.templates]
        assert Judge(SOLVERS).is_valid(implies(and_(said, *still), substitute(said, other)))


@pytest.mark.parametrize("make", [locked, introduction])
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_frontier_of_predicates_against_trying_every_set(make: Callable[[int], Trace], rounds: int) -> None:
    """[EI] Lemma 9, as another solver sees it. No condition of the paper's example relates x to i: none is feasible."""
    trace = make(rounds)
    problem = ForgettingTrace(trace)
    base = templates_at(problem.places, Base.PREDICATES)
    assert len(base) == 6
    found = frontier(problem, base, make_solver("z3"), 60.0)
    every = chain.from_iterable(combinations(base, size) for size in range(len(base) + 1))
    feasible = [frozenset(chosen) for chosen in every if _is_infeasible(problem.forgetful(chosen)[0])]
    least = {chosen for chosen in feasible if not any(other < chosen for other in feasible)}
    if isinstance(found, Frontier):
        assert found.complete
        assert {frozenset(element) for element in found.elements} == least
    else:
        assert isinstance(found, Sat) and not least


def test_terms_and_predicates_together() -> None:
    answer = refiner("lattice(newton(it, sp, lv), both, time=60)").refute(locked(2))
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert {names_of(terms) == {"l"} for terms in answer.abstraction.sets} == {True}
    assert law_violation(locked(2), answer, Judge(SOLVERS)) == ""


# --- the lattice ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trace", [introduction(1), introduction(2)], ids=["one round", "two rounds"])
def test_the_frontier_against_trying_every_set(trace: Trace) -> None:
    """A set is feasible if its forgetful trace is infeasible, as another solver sees it."""
    problem, templates, found = explored(trace)
    every = chain.from_iterable(combinations(templates, size) for size in range(len(templates) + 1))
    feasible = [chosen for chosen in every if _is_infeasible(problem.forgetful(chosen)[0])]
    meanings = {frozenset(t for t in templates if determined(t, chosen)) for chosen in feasible}
    least = {meaning for meaning in meanings if not any(other < meaning for other in meanings)}
    assert {frozenset(t for t in templates if determined(t, chosen)) for chosen in found} == least


def _is_infeasible(trace: Trace) -> bool:
    solver = make_solver("cvc5")
    solver.add(*trace.formula.by_step)
    return isinstance(solver.check(), Unsat)


def test_all_templates_forget_nothing() -> None:
    trace = introduction(2)
    problem = ForgettingTrace(trace)
    whole, positions = problem.forgetful(templates_at(problem.places))
    assert _is_infeasible(whole)
    assert len(positions) == len(trace) + 1
    assert [whole.locations[i] for i in positions] == list(trace.locations)
    assert not _is_infeasible(problem.forgetful(())[0])


@pytest.mark.parametrize("sort", [INT, BitVec(8)], ids=str)
def test_what_determines_what(sort: Sort) -> None:
    a, b = var("x", sort), var("y", sort)
    plus, minus = (add, sub) if sort is INT else (bvadd, bvsub)
    x, y, total, difference = (Template(Location(1), term, 1) for term in (a, b, plus(a, b), minus(a, b)))
    assert determined(x, (x,)) and not determined(x, (y,)) and not determined(x, ())
    assert determined(y, (x, total)) and determined(y, (x, difference)) and determined(total, (x, y))
    assert not determined(x, (total,))
    # 2·x says all of an integer, but not the highest of its bits.
    assert determined(x, (total, difference)) is (sort is INT)
    assert not determined(x, (Template(Location(2), a, 1),))


def test_bits_have_templates_too() -> None:
    text = "i := #x00\nx := j\n2 times {\n(bvult i n)\ni := (bvadd i #x01)\nx := (bvadd x #x01)\n}"
    trace = read_trace("i x j n: B8", f"{text}\n(not (bvult i n))\n(= j #x00)\n(not (= x i))")
    x, i = var("x", BitVec(8)), var("i", BitVec(8))
    terms = {t.term for t in templates_at(ForgettingTrace(trace).places)}
    assert {x, i} <= terms
    assert {bvsub(i, x), bvsub(x, i)} & terms and {bvadd(i, x), bvadd(x, i)} & terms
    answer = refiner("lattice(newton(it, sp, lv), time=60)").refute(trace)
    assert isinstance(answer, Refutation)
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""
    assert is_perfect(trace, answer.assertions, make_solver("z3"))


# --- any trace --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["newton(it, sp, lv)", "newton(wp)"])
@pytest.mark.parametrize("example", sample(INFEASIBLE.values(), 5, "lattice"), ids=str)
def test_guided_sequences_obey_the_law(example: Example, inner: str) -> None:
    answer = refiner(f"lattice({inner})").refute(example.trace)
    record(Group.REFUTATIONS, f"lattice({inner}) on {example}", answer)
    if isinstance(answer, Refutation):
        assert "does not hold" not in law_violation(example.trace, answer, Judge(SOLVERS))
    else:
        assert isinstance(answer, GaveUp)


def test_a_trace_without_loops_goes_to_the_refiner_as_it_is() -> None:
    trace = read_trace("a: Int", "(< a 0)\n(= a 0)")
    inner = Memo(IT_SP_LV)
    memory = RunMemory()
    assert Lattice(inner).refute(trace, memory) is inner.refute(trace, memory)


def test_feasible_traces_are_feasible() -> None:
    for example in FEASIBLE.values():
        answer = refiner("lattice(newton)").refute(example.trace)
        assert isinstance(answer, Feasible), example
    trace = read_trace("i: Int", "i := 0\n2 times {\n(< i 5)\ni := (+ i 1)\n}\n(= i 2)")
    problem = ForgettingTrace(trace)
    assert problem.known
    assert isinstance(frontier(problem, templates_at(problem.places), make_solver("z3"), 60.0), Sat)
    assert isinstance(refiner("lattice(newton)").refute(trace), Feasible)


class Stubborn(Refiner):
    """Answers only traces of a certain length."""

    name = "stubborn"

    def __init__(self, length: int) -> None:
        self.length = length
        self.asked: list[int] = []

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        self.asked.append(len(trace))
        return IT_SP_LV.refute(trace) if len(trace) == self.length else GaveUp("no idea")


def test_where_the_refiner_has_no_answer_the_trace_itself_is_asked_about() -> None:
    trace = introduction(1)
    stubborn = Stubborn(len(trace))
    answer = Lattice(stubborn, time_limit=60.0).refute(trace)
    assert isinstance(answer, Refutation)
    assert stubborn.asked == [len(trace) + 4, len(trace) + 4, len(trace)]  # two sets, two points, twice each


def test_solvers_that_cannot_explore_leave_it() -> None:
    answer = Lattice(IT_SP_LV, solver="bitwuzla").refute(introduction(1))  # no integers
    assert isinstance(answer, Refutation)
    assert answer.abstraction is None


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("lattice()", "lattice needs at least one refiner"),
        ("lattice(newton, craig)", "lattice takes one refiner"),
        ("lattice(newton, time=0)", "expected seconds"),
        ("lattice(newton, price=1)", "unknown option of lattice"),
        ("lattice(newton, cost=1)", "unknown cost '1'; known: counters, equal, size"),
    ],
)
def test_mistakes(expression: str, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        refiner(expression)
