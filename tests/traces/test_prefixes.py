"""Sliced prefixes: each is a reason of its own, what refutes one refutes the trace, and scorers choose as in [RS]."""

from __future__ import annotations

import pytest

from craton.configuration.refiners import refiner
from craton.logic import FALSE, INT, TRUE, Term, and_, eq, free_variables, int_, lt, var
from craton.program.analysis.domain_types import DomainType
from craton.program.cfa import Edge, Location
from craton.program.statements import Assume, Block
from craton.registry.expressions import ExpressionError
from craton.smt import Sat, Undecided, Unsat, make_solver
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.prefixes import Sliced, sliced_prefixes, without_assumptions
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation, law_violation
from craton.traces.scorers import LOGARITHMS, SCORERS, By, ByChance, Candidate, length
from craton.traces.trace import Trace
from support.judge import SOLVERS, Judge
from support.newtons import IT_SP_LV
from support.patience import Group, record
from support.sampling import sample
from support.trace_reader import read_trace
from support.traces import FEASIBLE, INFEASIBLE, Example

A = var("a", INT)

FIGURE_1 = read_trace(
    "b i: Int",
    """
    i := 0
    b := 0
    2 times {
    (< i 2)
    i := (+ i 1)
    }
    (not (< i 2))
    (not (= b 0))
    (= i 1)
    """,
)


def texts(trace: Trace) -> list[str]:
    return [str(edge.statement) for edge in trace.edges]


# --- prefixes ---------------------------------------------------------------------------------------------------------


def test_the_example_of_the_paper() -> None:
    """[RS] 4: two prefixes in the predicate domain."""
    trace = read_trace("a: Int", "(< a 0)\n(= a 0)\n(= a 1)")
    found = sliced_prefixes(trace, make_solver("z3"))
    assert isinstance(found, list)
    assert [texts(prefix) for prefix in found] == [
        ["assume a < 0", "assume a = 0"],
        ["assume a < 0", "assume true", "assume a = 1"],
    ]


@pytest.mark.parametrize("example", sample(INFEASIBLE.values(), 3, "prefixes"), ids=str)
def test_a_prefix_is_infeasible_by_its_last_step(example: Example) -> None:
    trace = example.trace
    found = sliced_prefixes(trace, make_solver("z3"), 20.0)
    assert isinstance(found, list)
    for prefix in found:
        assert prefix.locations == trace.locations[: len(prefix) + 1]
        for sliced, edge in zip(prefix.edges, trace.edges, strict=False):
            assert sliced.statement in (edge.statement, without_assumptions(edge.statement))
        assert Judge(SOLVERS).is_valid(eq(and_(*prefix.formula.by_step), FALSE)) is not False
        rest = make_solver("z3", time_limit=20.0)
        rest.add(*prefix.formula.by_step[:-1])
        answer = rest.check()
        record(Group.JUDGEMENTS, f"a prefix of {example} without its last step", answer)
        assert not isinstance(answer, Unsat)


@pytest.mark.parametrize("example", FEASIBLE.values(), ids=str)
def test_a_feasible_trace_has_none(example: Example) -> None:
    assert isinstance(sliced_prefixes(example.trace, make_solver("z3"), 60.0), Sat)


def test_blocks_lose_their_assumptions_and_keep_the_rest() -> None:
    trace = read_trace("a: Int", "block {\n(< a 0)\na := (+ a 1)\n}\n(= a 5)\n(= a 0)\n(= a (- 1))")
    found = sliced_prefixes(trace, make_solver("z3"))
    assert isinstance(found, list)
    assert [len(prefix) for prefix in found] == [2, 4]
    contradictory = read_trace("a: Int", "a := 3\nblock {\n(< a 0)\na := (+ a 1)\n}\n(= a 5)\n(= a 4)")
    found = sliced_prefixes(contradictory, make_solver("z3"))
    assert isinstance(found, list)
    assert [len(prefix) for prefix in found] == [2, 3]
    kept = found[1].edges[1].statement
    assert isinstance(kept, Block)
    assert [str(edge.statement) for edge in kept.edges] == ["assume true", "a := a + 1"]


# --- selection --------------------------------------------------------------------------------------------------------


def variables(answer: Answer) -> set[str]:
    assert isinstance(answer, Refutation)
    return {v.name for assertion in answer.assertions for v in free_variables(assertion)}


@pytest.mark.parametrize("inner", ["newton(it, sp, lv)", "newton(it, wp, lv)", "craig(z3)"])
def test_the_figure_of_the_paper(inner: str) -> None:
    """[RS] Fig. 1: the flag is good, the loop's counter is bad."""
    assert variables(refiner(f"sliced({inner}, good)").refute(FIGURE_1)) == {"b"}
    assert variables(refiner(f"sliced({inner}, bad)").refute(FIGURE_1)) == {"i"}
    assert variables(refiner(f"sliced({inner}, short)").refute(FIGURE_1)) == {"b"}
    assert variables(refiner(f"sliced({inner}, long)").refute(FIGURE_1)) == {"i"}


def test_what_the_program_does_elsewhere_counts() -> None:
    """On the trace alone nothing moves; in its program x counts."""
    x, y = var("x", INT), var("y", INT)
    here = [Location(i) for i in range(6)]
    assumed: list[Term] = [eq(x, int_(0)), eq(y, int_(0)), eq(x, int_(1)), eq(y, int_(1))]
    trace = read_trace("x y: Int", "(= x 0)\n(= y 0)\n(= x 1)\n(= y 1)")
    edges = tuple(Edge(here[i], Assume(condition), here[i + 1]) for i, condition in enumerate(assumed))
    loop = read_trace("x: Int", "2 times {\n(< x 5)\nx := (+ x 1)\n}")
    moved = tuple(Edge(here[1], edge.statement, here[1]) for edge in loop.edges)
    assert variables(refiner("sliced(newton(it, sp, lv), good)").refute(trace)) == {"x"}  # the shorter of equals
    assert variables(refiner("sliced(newton(it, sp, lv), good)").refute(Trace(edges, (*edges, *moved)))) == {"y"}


def candidate(*assertions: Term, length: int) -> Candidate:
    return Candidate(len(assertions) - 1, length, assertions)


def test_measures() -> None:
    some = lt(A, int_(3))
    measured = candidate(TRUE, TRUE, some, some, TRUE, some, FALSE, FALSE, length=6)
    scores = {name: scorer.score(measured) for name, scorer in SCORERS.items()}
    assert scores["short"] == 6 and scores["long"] == -6
    assert scores["narrow"] == 4 and scores["wide"] == -4
    assert scores["shallow"] == 2 and scores["deep"] == -2
    nothing = candidate(TRUE, TRUE, FALSE, length=2)
    assert SCORERS["narrow"].score(nothing) == 0
    assert SCORERS["shallow"].score(nothing) == 2


def test_where_a_location_recurs_its_precision_does() -> None:
    """[RS] 5: π is a map of locations, so what is tracked at one visit of a loop's head is tracked at all."""
    some = lt(A, int_(3))
    said = (TRUE, TRUE, TRUE, some, TRUE, FALSE)
    at = ("start", "head", "body", "head", "end", "error")
    once, again = Candidate(5, 5, said), Candidate(5, 5, said, locations=at)
    assert (SCORERS["narrow"].score(once), SCORERS["shallow"].score(once)) == (1, 3)
    assert (SCORERS["narrow"].score(again), SCORERS["shallow"].score(again)) == (3, 1)


def test_no_number_of_others_outweighs_a_counter() -> None:
    variables = [var(f"v{number}", INT) for number in range(300)]
    types = dict.fromkeys(variables, DomainType.BITS) | {A: DomainType.COUNTER}
    counter = Candidate(2, 2, (TRUE, lt(A, int_(3)), FALSE), lambda: types)
    others = Candidate(2, 2, (TRUE, and_(*(lt(v, int_(3)) for v in variables)), FALSE), lambda: types)
    assert SCORERS["good"].score(others) < SCORERS["good"].score(counter)
    assert SCORERS["bad"].score(others) > SCORERS["bad"].score(counter)
    assert LOGARITHMS[DomainType.COUNTER] > 10**9 * max(
        n for kind, n in LOGARITHMS.items() if kind != DomainType.COUNTER
    )


def test_chance_draws_among_refiners_too() -> None:
    def drawn(seed: int) -> str:
        return min(("values", "craig"), key=lambda by: ByChance(seed).score(Candidate(4, 3, by=by)))

    assert {drawn(seed) for seed in range(20)} == {"values", "craig"}


class Says(Refiner):
    """Answers each prefix with one assertion at one position."""

    name = "says"

    def __init__(self, at: dict[int, int | None]) -> None:
        self.at = at  # by the length of the prefix; None gives up
        self.asked: list[int] = []

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        self.asked.append(len(trace))
        position = self.at[len(trace)]
        if position is None:
            return GaveUp("no idea")
        assertions = [lt(A, int_(0)) if i == position else TRUE for i in range(len(trace))]
        return Refutation((*assertions, FALSE), self.name)


THREE = read_trace("a: Int", "(< a 0)\n(= a 0)\n(= a 1)\n(= a 2)")  # prefixes of lengths 2, 3, 4


def prefix(answer: Answer) -> object:
    assert isinstance(answer, Refutation)
    assert len(answer.assertions) == len(THREE) + 1
    assert answer.selection is not None
    return answer.selection.prefix


def test_scorers_stand_one_behind_the_other_and_the_shortest_of_equals_is_taken() -> None:
    by_depth = (SCORERS["deep"],)
    assert prefix(Sliced((Says({2: 1, 3: 2, 4: 2}),), by_depth).refute(THREE)) == 3
    assert prefix(Sliced((Says({2: 1, 3: 2, 4: 2}),), (*by_depth, SCORERS["long"])).refute(THREE)) == 4


def test_who_gives_up_is_out() -> None:
    assert prefix(Sliced((Says({2: None, 3: 1, 4: None}),)).refute(THREE)) == 3
    answer = Sliced((Says({2: None, 3: None, 4: None}),)).refute(THREE)
    assert answer == GaveUp("says: no idea")


def test_only_the_best_is_asked_for_where_its_assertions_do_not_count() -> None:
    says = Says({2: 1, 3: 1, 4: None})
    assert prefix(Sliced((says,), (SCORERS["long"],)).refute(THREE)) == 3
    assert says.asked == [4, 3]


def test_refiners_compete() -> None:
    shallow, deep = Says({2: 1, 3: 1, 4: 1}), Says({2: 1, 3: 2, 4: 3})
    assert prefix(Sliced((shallow, deep), (SCORERS["deep"],)).refute(THREE)) == 4


def test_chance_is_the_same_in_every_run() -> None:
    made = [prefix(Sliced((IT_SP_LV,), (ByChance(seed),)).refute(THREE)) for seed in range(20)]
    assert made == [prefix(Sliced((IT_SP_LV,), (ByChance(seed),)).refute(THREE)) for seed in range(20)]
    assert set(made) == {2, 3, 4}


class Clock:
    """Stands still, but for those who take their time."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_when_the_time_is_over_what_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("craton.traces.prefixes.running_time", clock.monotonic)

    class Slow(Refiner):
        name = "slow"

        def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
            clock.now += 40
            return IT_SP_LV.refute(trace)

    longest = By("long", length, -1)  # by what was found, so that all would be asked for
    assert prefix(Sliced((Slow(),), (longest,), time_limit=60.0).refute(THREE)) == 3
    assert prefix(Sliced((Slow(),), (longest,), time_limit=600.0).refute(THREE)) == 4


def test_an_undecided_solver_leaves_the_whole_trace_to_the_refiner() -> None:
    """Nonlinear, so that z3 has no answer at once."""
    text = "(= (+ (* x x x) (* y y y)) (* z z z))\n(> x 2)\n(> y x)\n(> z 5)\n(< z 4)"
    trace = read_trace("x y z: Int", text)
    assert isinstance(sliced_prefixes(trace, make_solver("z3"), 0.5), list | Undecided)
    answer = Sliced((IT_SP_LV,), time_limit=0.5).refute(trace)
    assert isinstance(answer, Refutation)
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""


def test_feasible_is_feasible() -> None:
    answer = refiner("sliced(newton)").refute(FEASIBLE["counter pair with an error"].trace)
    assert isinstance(answer, Feasible)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("sliced()", "sliced needs at least one refiner"),
        ("sliced(good)", "sliced needs at least one refiner"),
        ("sliced(newton, godo)", "did you mean"),
        ("sliced(newton, good=1)", "good takes neither arguments nor a value"),
        ("sliced(newton, random=x)", "expected a whole number"),
        ("sliced(newton, time=1, time=2)", "contradicts or repeats"),
        ("sliced(newton, size=1)", "unknown option of sliced"),
    ],
)
def test_mistakes(expression: str, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        refiner(expression)
