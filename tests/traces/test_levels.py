"""EDGE follows one path through blocks that branch ([NR] 4.1.1): law and identity are those of the path."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from craton.configuration.refiners import refiner
from craton.logic import FALSE, TRUE, Term, atoms
from craton.program.statements import Block
from craton.program.transitions import is_linear, paths
from craton.smt import make_solver
from craton.traces.levels import Level
from craton.traces.memory import RunMemory
from craton.traces.newton import Newton
from craton.traces.refutation import Refutation, law_violation
from craton.traces.trace import Trace
from support.judge import SOLVERS, Judge
from support.traces import INFEASIBLE, Example

BRANCHING = [
    example
    for example in INFEASIBLE.values()
    if any(isinstance(e.statement, Block) and not is_linear(e.statement) for e in example.trace.edges)
]
EDGE = refiner("newton(it, sp, lv, level=edge)")


def tracking(trace: Trace, predicates: list[set[Term]]) -> Trace:
    return replace(trace, tracked=tuple(tuple(sorted(found, key=lambda p: p.serial)) for found in predicates))


def test_there_are_blocks_that_branch() -> None:
    assert len(BRANCHING) >= 5


@pytest.mark.parametrize("example", BRANCHING, ids=str)
def test_path_after_path_is_refuted_and_none_twice(example: Example) -> None:
    """As an engine does that tracks the atoms of all assertions, until its abstraction excludes all paths."""
    tracked: list[set[Term]] = [set() for _ in range(len(example.trace) + 1)]
    memory = RunMemory()
    seen: set[tuple[object, ...]] = set()
    for _ in range(40):
        trace = tracking(example.trace, tracked)
        answer = EDGE.refute(trace, memory)
        assert isinstance(answer, Refutation), answer
        assert answer.by == EDGE.name
        assert law_violation(trace, answer, Judge(SOLVERS)) == ""
        if answer.along is None:
            break
        check_path(trace, answer)
        assert answer.along.path.edges not in seen
        seen.add(answer.along.path.edges)
        for found, assertion in zip(tracked, answer.assertions, strict=True):
            found.update(atoms(assertion) if assertion not in (TRUE, FALSE) else ())
    else:
        pytest.fail("paths come again and again")
    assert seen


def check_path(trace: Trace, answer: Refutation) -> None:
    assert answer.along is not None
    path, ends = answer.along.path, (0, *answer.along.ends)
    assert answer.assertions == tuple(answer.along.assertions[i] for i in ends)
    for edge, (start, end) in zip(trace.edges, pairwise(ends), strict=True):
        inside = path.edges[start:end]
        assert inside in (paths(edge.statement) if isinstance(edge.statement, Block) else [(edge,)])


@pytest.mark.parametrize("example", BRANCHING, ids=str)
def test_engines_that_track_nothing_get_a_refutation_of_all_paths(example: Example) -> None:
    answer = EDGE.refute(example.trace)
    assert isinstance(answer, Refutation)
    assert answer.along is None


@pytest.mark.parametrize(
    "expression",
    [
        "checked(newton(it, sp, lv, level=edge))",
        "lean(newton(sp, level=edge))",
        "until-perfect(newton(it, wp, lv, level=edge), newton(sp, level=edge))",
        "fallback(newton(it, sp, lv, level=edge), craig(z3))",
        "memo(newton(it, sp, lv, level=edge))",
        "sliced(newton(it, sp, lv), level=edge)",
        "race(newton(it, sp, lv, level=edge), newton(it, wp, lv, level=edge))",
    ],
)
def test_compositions_keep_the_law_of_the_path(expression: str) -> None:
    memory = RunMemory()
    for example in BRANCHING[:4]:
        trace = tracking(example.trace, [set() for _ in range(len(example.trace) + 1)])
        answer = refiner(expression).refute(trace, memory)
        assert isinstance(answer, Refutation), answer
        assert answer.along is not None
        assert answer.assertions == tuple(answer.along.assertions[i] for i in (0, *answer.along.ends))
        assert law_violation(trace, answer, Judge(SOLVERS)) == ""
        assert answer.unchecked in (None, 0)


def test_a_trace_that_comes_back_with_another_path_is_asked_of_the_same_refiner() -> None:
    """The fallback of [NR] 4.3 is for the same path, not for another one through the same blocks."""
    example = BRANCHING[0]
    both = refiner("fallback(newton(it, sp, lv, level=edge), craig(z3))")
    memory = RunMemory()
    tracked: list[set[Term]] = [set() for _ in range(len(example.trace) + 1)]
    first = both.refute(tracking(example.trace, tracked), memory)
    again = both.refute(tracking(example.trace, tracked), memory)  # nothing was learned: the same path
    third = both.refute(tracking(example.trace, tracked), memory)
    by = [answer.by for answer in (first, again, third) if isinstance(answer, Refutation)]
    assert by == [EDGE.name, EDGE.name, refiner("craig(z3)").name]
    assert isinstance(first, Refutation) and first.along is not None
    assert isinstance(again, Refutation) and again.along is None  # the blocks instead


def test_block_level_takes_the_blocks() -> None:
    newton = refiner("newton(it, sp, lv)")
    assert isinstance(newton, Newton) and newton.level is Level.BLOCK
    for example in BRANCHING:
        trace = tracking(example.trace, [set() for _ in range(len(example.trace) + 1)])
        answer = newton.refute(trace)
        assert isinstance(answer, Refutation) and answer.along is None
        assert law_violation(trace, answer, make_solver("z3")) == ""
