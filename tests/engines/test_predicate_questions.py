"""Abstractions obey their law whatever was asked before: examples, switches and solvers that are kept change nothing.
The oracle is evaluation of all states of a block over three-bit variables, which uses no solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.engines.contract import Budget
from craton.engines.predicate.abstraction import Abstracting, Abstractor
from craton.engines.predicate.bdd import NO, Bdd, Bdds
from craton.engines.predicate.precision import Predicates
from craton.engines.predicate.questions import MOST_COMBINATIONS, Question, Questions, When, mark
from craton.engines.steps import Step, make_steps
from craton.logic import BitVec, Term, bv, bvadd, bvult, eq, evaluate, not_, var
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.smt import make_solver
from craton.traces.levels import is_straight
from support import examples

BITS = BitVec(3)
X, Y, Z = (var(name, BITS) for name in "xyz")
STATES = [dict(zip((X, Y), values, strict=True)) for values in product(range(8), repeat=2)]
PREDICATES = (eq(X, bv(0, 3)), eq(X, bv(3, 3)), bvult(X, Y), eq(Y, bv(5, 3)), bvult(Y, bv(4, 3)))
PREDICATES_LATER = (eq(X, Y), bvult(X, bv(2, 3)))
ALL = (*PREDICATES, *PREDICATES_LATER)

State = Mapping[Term, int]


def _edge(source: int, target: int, statement: Statement) -> Edge:
    return Edge(Location(source), statement, Location(target))


# if (x == 3) y = z (any, not 7); else if (x < y) x++; y++ in either case
BLOCK = Block(
    (
        _edge(0, 1, Assume(eq(X, bv(3, 3)))),
        _edge(0, 2, Assume(not_(eq(X, bv(3, 3))))),
        _edge(1, 3, Havoc((Z,))),
        _edge(3, 4, Assume(not_(eq(Z, bv(7, 3))))),
        _edge(4, 5, Assign(Y, Z)),
        _edge(2, 6, Assume(bvult(X, Y))),
        _edge(6, 5, Assign(X, bvadd(X, bv(1, 3)))),
        _edge(5, 7, Assign(Y, bvadd(Y, bv(1, 3)))),
    )
)
EDGES = {
    "block": _edge(0, 7, BLOCK),
    "statement": _edge(0, 7, Assign(X, bvadd(X, Y))),
    "assumption": _edge(0, 7, Assume(bvult(X, Y))),
}


@cache
def moves(name: str) -> list[tuple[State, State]]:
    """All states before the step, each with the states after it."""
    (step,) = make_steps((EDGES[name],))
    update = step.update
    found: list[tuple[State, State]] = []
    for state in STATES:
        for chosen in product(*(range(8) if i.sort is BITS else (False, True) for i in update.inputs)):
            here = {**state, **dict(zip(update.inputs, chosen, strict=True))}
            if evaluate(update.guard, here):
                found.append((state, {v: int(evaluate(update.updates.get(v, v), here)) for v in (X, Y)}))
    return found


class Case:
    def __init__(self, name: str, abstracting: Abstracting) -> None:
        self.name = name
        self.abstracting = abstracting
        self.bdds = Bdds()
        self.predicates = Predicates(self.bdds)
        self.abstractor = Abstractor("z3", abstracting, self.predicates, self.bdds, Budget())
        (self.step,) = make_steps((EDGES[name],))

    def holds(self, f: Bdd, state: State) -> bool:
        return self.bdds.holds(f, lambda level: bool(evaluate(self.predicates.term(level), state)))

    def values(self, levels: list[int], state: State) -> tuple[bool, ...]:
        return tuple(bool(evaluate(self.predicates.term(level), state)) for level in levels)

    def check(self, cubes: list[dict[int, bool]], wanted: frozenset[int]) -> None:
        """The abstraction is the strongest: it has all values that some run can have, and no others."""
        numbers = [self.predicates.level(predicate) for predicate in ALL]
        before = self.bdds.disjunction_of({numbers[i]: value for i, value in cube.items()} for cube in cubes)
        precision = sorted(numbers[i] for i in wanted)
        if before == NO:
            return
        tracked = frozenset(numbers[i] for cube in cubes for i in cube)
        found = self.abstractor.successor(before, self.step, tracked, frozenset(precision))
        after = {self.values(precision, t) for s, t in moves(self.name) if self.holds(before, s)}
        for values in product((False, True), repeat=len(precision)):
            told = self.bdds.holds(found, dict(zip(precision, values, strict=True)).get)
            if self.abstracting is Abstracting.MIXED:
                assert not told if self._is_excluded(values, after) else told or values not in after, (values, after)
            else:
                assert told is self._expected(values, after), (values, after)

    def _is_excluded(self, values: tuple[bool, ...], after: set[tuple[bool, ...]]) -> bool:
        """Whether what is tracked, which is where predicates hold, has to exclude the values."""
        if not is_straight(self.step.edge):
            return values not in after
        return not after or any(not value and all(one[i] for one in after) for i, value in enumerate(values))

    def _expected(self, values: tuple[bool, ...], after: set[tuple[bool, ...]]) -> bool:
        if self.abstracting is Abstracting.BOOLEAN:
            return values in after
        return bool(after) and all(any(one[i] is value for one in after) for i, value in enumerate(values))


_cube = st.dictionaries(st.sampled_from(range(len(ALL))), st.booleans(), max_size=3)
_question = st.tuples(
    st.lists(_cube, min_size=1, max_size=2), st.frozensets(st.sampled_from(range(len(ALL))), max_size=4)
)


@examples(12)
@given(st.sampled_from(sorted(EDGES)), st.sampled_from(Abstracting), st.lists(_question, min_size=1, max_size=6))
def test_what_was_asked_before_changes_nothing(
    name: str, abstracting: Abstracting, asked: list[tuple[list[dict[int, bool]], frozenset[int]]]
) -> None:
    case = Case(name, abstracting)
    for cubes, precision in asked:
        case.check(cubes, precision)


def questions() -> tuple[Questions, Bdds, Step, list[int]]:
    bdds = Bdds()
    predicates = Predicates(bdds)
    (step,) = make_steps((EDGES["block"],))
    numbers = [predicates.level(predicate) for predicate in ALL]
    return Questions(step, predicates, bdds, make_solver("z3"), kept=True), bdds, step, numbers


def _complete(question: Question) -> dict[tuple[bool, ...], None]:
    assert question.complete(lambda: None)
    return question.seen


def test_examples_answer_questions_about_predicates_that_nobody_tracked_then() -> None:
    asked, bdds, _, numbers = questions()
    with asked.about(bdds.literal(numbers[1], True), [mark(n, When.AFTER) for n in numbers[:5]]) as question:
        _complete(question)
    later = [mark(n, When.AFTER) for n in numbers[5:]]
    with asked.about(bdds.literal(numbers[1], True), later) as question:
        assert question.seen, "x and y were read"
        possible = {tuple(bool(evaluate(p, t)) for p in PREDICATES_LATER) for s, t in moves("block") if s[X] == 3}
        assert set(question.seen) <= possible
        assert set(_complete(question)) == possible


def test_what_is_excluded_in_one_question_is_possible_in_the_next() -> None:
    asked, bdds, _, numbers = questions()
    marks = [mark(n, When.AFTER) for n in numbers]
    found = []
    for _ in range(2):
        with asked.about(bdds.literal(numbers[2], True), marks) as question:
            found.append(set(_complete(question)))
    assert found[0] == found[1] != set()


def test_where_there_are_too_many_combinations_predicates_are_decided_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MOST_COMBINATIONS >= 100
    monkeypatch.setattr("craton.engines.predicate.questions.MOST_COMBINATIONS", 1)
    case = Case("block", Abstracting.BOOLEAN)
    numbers = [case.predicates.level(predicate) for predicate in ALL]
    before = case.bdds.literal(numbers[0], True)  # x = 0
    found = case.abstractor.successor(before, case.step, frozenset(numbers[:1]), frozenset(numbers))
    after = [t for s, t in moves("block") if case.holds(before, s)]
    assert len({case.values(numbers, t) for t in after}) > 2
    assert all(case.holds(found, t) for t in after), "weaker, not wrong"
    columns = zip(*(case.values(numbers, t) for t in after), strict=True)
    alone = {n: column[0] for n, column in zip(numbers, columns, strict=True) if len(set(column)) == 1}
    assert case.bdds.forced(found) == alone
