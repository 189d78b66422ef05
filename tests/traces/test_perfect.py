"""Perfect sequences: they prove their path programs, and what proves one trace only is none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.refiners import refiner
from craton.logic import FALSE, TRUE, add, eq, int_
from craton.program.cfa import Edge
from craton.smt import Unsat, make_solver
from craton.traces.cores import Granularity
from craton.traces.explanation import explain
from craton.traces.newton import Direction, Newton
from craton.traces.perfect import Constraint, is_perfect, one_of_each, path_program
from craton.traces.refutation import Quality, Refutation, law_violation
from craton.traces.trace import Trace
from support import FUZZ
from support.judge import SOLVERS, Judge
from support.newtons import IT_SP_LV
from support.patience import Group, record
from support.sampling import pick
from support.traces import INFEASIBLE, Example

_PERFECT_SECONDS = 2.0
_LOOPS = [e for e in INFEASIBLE.values() if len(set(e.trace.locations)) <= len(e.trace) and e.theory != "float"]
_LEARNERS = [Newton(core, direction, True, time_limit=30.0) for direction in Direction for core in (None, *Granularity)]

_USUAL = replace(IT_SP_LV, time_limit=30.0)


@pytest.mark.parametrize("example", _LOOPS, ids=str)
def test_a_perfect_sequence_proves_the_path_program(example: Example) -> None:
    trace = example.trace
    for learner in _LEARNERS if FUZZ else (pick(_LEARNERS, example), _USUAL):
        answer = learner.refute(trace)
        assert isinstance(answer, Refutation)
        start = time.monotonic()
        perfect = is_perfect(trace, answer.assertions, make_solver("z3"), _PERFECT_SECONDS)
        late = not perfect and time.monotonic() - start > _PERFECT_SECONDS
        record(Group.JUDGEMENTS, f"is what {learner.name} says of {example} perfect?", "out of time" if late else "")
        if perfect:
            for path in error_paths(trace, most=len(trace) + 8, count=40):
                assert _refuted(Trace(path)), (
                    f"{learner.name} is called perfect, but {[str(e.statement) for e in path]}"
                )


def error_paths(trace: Trace, most: int, count: int) -> Iterator[tuple[Edge, ...]]:
    """Paths through the path program to the last location of the trace, shortest first."""
    edges, error = path_program(trace), trace.locations[-1]
    found: list[tuple[Edge, ...]] = [()]
    for _ in range(most):
        ends = ((path, path[-1].target if path else trace.locations[0]) for path in found)
        found = [(*path, edge) for path, end in ends for edge in edges if edge.source == end][: 4 * count]
        for path in found:
            if path[-1].target == error:
                yield path
                count -= 1
                if count == 0:
                    return


def _refuted(trace: Trace) -> bool:
    for name in ("z3", "cvc5"):
        solver = make_solver(name, time_limit=30.0)
        solver.add(*trace.formula.by_step)
        if isinstance(solver.check(), Unsat):
            return True
    return False


def test_a_sequence_that_proves_one_trace_only_is_not_perfect() -> None:
    """i = j = 0 and then i = j = 1 say nothing of the next round; i = j does."""
    example = INFEASIBLE["counter pair, one round"]
    i, j = example.variable("i"), example.variable("j")
    answer = Newton(core=None, live=False).refute(example.trace)
    assert isinstance(answer, Refutation)
    assert not is_perfect(example.trace, answer.assertions, make_solver("z3"))
    same, ahead = eq(i, j), eq(i, add(j, int_(1)))
    invariant = (TRUE, eq(i, int_(0)), same, same, ahead, same, same, FALSE)
    assert law_violation(example.trace, Refutation(invariant, "a person"), make_solver("z3")) == ""
    assert is_perfect(example.trace, invariant, make_solver("z3"))


PAPERS = {  # what Figures 2 and 3 of [CN] call a loop invariant, and what not
    "leak check, [CN] Figure 2": {"newton(sp)": Quality.TRACE, "newton(it, sp)": Quality.PERFECT},
    "k is dead, [CN] Figure 3": {
        "newton(sp)": Quality.PROVING,  # neither φ2 nor φ4 is a loop invariant; together they are
        "newton(it, sp)": Quality.PROVING,  # its only core is the trace
        "newton(sp, lv)": Quality.PERFECT,
        "newton(it, sp, lv)": Quality.PERFECT,
    },
}


@pytest.mark.parametrize("name", PAPERS)
def test_what_the_paper_calls_perfect(name: str) -> None:
    found = explain(INFEASIBLE[name].trace, [refiner(expression) for expression in PAPERS[name]])
    assert [column.quality for column in found.columns] == list(PAPERS[name].values())
    assert [column.perfect for column in found.columns] == [q is Quality.PERFECT for q in PAPERS[name].values()]


def test_the_words_for_short_of_perfect() -> None:
    """Backwards, Figure 3 has y + 1 ≥ 0 at the loop's entry, which its end does not need."""
    names = ("newton(sp)", "newton(sp, lv)", "newton(wp)")
    found = explain(INFEASIBLE["k is dead, [CN] Figure 3"].trace, [refiner(name) for name in names])
    assert [column.verdict for column in found.columns] == [
        "not perfect, but proves its path program",
        "perfect",
        "not perfect, but has a loop invariant",
    ]


@given(st.data())
def test_one_of_each_against_trying_all(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(0, 3), max_size=4))
    pairs = [(a, b) for a in range(len(sizes)) for b in range(len(sizes))]
    allowed = {
        pair: data.draw(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2))))
        for pair in (data.draw(st.lists(st.sampled_from(pairs), max_size=5, unique=True)) if pairs else ())
    }

    def constraint(pair: tuple[int, int]) -> Constraint[int]:
        return pair, lambda chosen: (chosen[pair[0]], chosen[pair[1]]) in allowed[pair]

    expected = any(
        all((choice[a], choice[b]) in good for (a, b), good in allowed.items())
        for choice in product(*map(range, sizes))
    )
    assert one_of_each({k: range(n) for k, n in enumerate(sizes)}, [constraint(pair) for pair in allowed]) == expected


def test_undecided_triples_are_not_perfect() -> None:
    example = INFEASIBLE["counter pair, one round"]
    answer = IT_SP_LV.refute(example.trace)
    assert isinstance(answer, Refutation)
    assert not is_perfect(example.trace, answer.assertions, Judge(()))


def test_a_test_without_time_finds_nothing_perfect() -> None:
    """But what data flow alone shows."""
    example = INFEASIBLE["k is dead, [CN] Figure 3"]
    answer = IT_SP_LV.refute(example.trace)
    assert isinstance(answer, Refutation)
    assert is_perfect(example.trace, answer.assertions, Judge(SOLVERS), budget=60)
    assert not is_perfect(example.trace, answer.assertions, Judge(SOLVERS), budget=0)
    straight = INFEASIBLE["contradictory assumptions"]
    answer = IT_SP_LV.refute(straight.trace)
    assert isinstance(answer, Refutation)
    assert is_perfect(straight.trace, answer.assertions, Judge(()), budget=0)
