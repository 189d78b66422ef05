"""Explicit states: what is reached is reached by runs, what is a proof is one, and where values become intervals."""

from __future__ import annotations

from itertools import count, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.engines import make_engine
from craton.configuration.stages import Stage
from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown, Unsafe
from craton.engines.explicit.partition import Partition, partition
from craton.engines.explicit.steps import Steps, TooManyValues
from craton.engines.explicit.ways import MOST_WAYS, Ways
from craton.evidence.checker import Confirmed, check_proof
from craton.evidence.state_ways import StateWays
from craton.facts.ranges import constant, top
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    BitVec,
    Model,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    bvslt,
    bvsrem,
    bvule,
    disjuncts,
    eq,
    evaluate,
    ite,
    not_,
    ops,
    substitute,
    var,
)
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Block, Havoc
from craton.program.transitions import Transition, chosen_value
from craton.smt import make_solver
from support import examples
from support.programs import BY_NAME

WIDTH = 4
X, Y, CHOSEN, NEW_X, NEW_Y = (var(name, BitVec(WIDTH)) for name in ("x", "y", "i", "new x", "new y"))
INPUT = chosen_value(CHOSEN, 0)
FLAG = var("flag", BOOL)


def seen(name: str) -> Program:
    return encode_blocks(prepare(BY_NAME[name].program).small.program).program


def answer(name: str) -> EngineAnswer:
    return make_engine(Stage("explicit", "newton(it, sp, lv)")).run(seen(name), Budget(20.0))


def test_a_proof_is_a_set_of_states() -> None:
    found = answer("control/press.c")
    assert isinstance(found, Safe), found
    (head,) = (x for x in found.invariants if len(disjuncts(found.invariants[x])) > 1)
    assert len(disjuncts(found.invariants[head])) >= 8  # checked state by state
    assert isinstance(check_proof(seen("control/press.c"), found.invariants, ("bitwuzla", "cvc5")), Confirmed)


def test_without_one_of_its_states_it_is_none() -> None:
    found = answer("control/press.c")
    assert isinstance(found, Safe), found
    program = seen("control/press.c")
    (head,) = (x for x in found.invariants if len(disjuncts(found.invariants[x])) > 1)
    states = disjuncts(found.invariants[head])
    for number in (0, len(states) - 1):
        fewer = [state for other, state in enumerate(states) if other != number]
        rest = {**found.invariants, head: not_(and_(*map(not_, fewer)))}
        assert not isinstance(check_proof(program, rest, ("bitwuzla",), 5.0), Confirmed)


def test_an_error_is_reached() -> None:
    assert isinstance(answer("control/press_wrong.c"), Unsafe)


def test_arrays_are_not_enumerated() -> None:
    assert isinstance(answer("arrays/copy.c"), Unknown | Safe)


def class_of(made: Partition, value: int) -> int:
    ((one, _),) = made.meeting(X, constant(value, WIDTH))
    assert isinstance(one, int)
    return one


# --- classes ----------------------------------------------------------------------------------------------------------


def test_intervals_are_disjoint_and_complete() -> None:
    made = Partition({X: frozenset({3, 15, 8})}, frozenset({X}), {}).with_intervals(X)
    for value in range(1 << WIDTH):
        model = Model({X: value})
        everywhere = list(made.meeting(X, top(WIDTH)))
        holding = [one for one, there in everywhere if evaluate(made.condition(X, one, there), model)]
        assert holding == [class_of(made, value)]


def test_the_values_of_a_class_from_the_first_to_the_last() -> None:
    made = Partition({X: frozenset({3})}, frozenset({X}), {}).with_intervals(X)
    low, high = constant(1, WIDTH), constant(2, WIDTH)
    both = made.joined(X, low, high)
    assert [n for n in range(1 << WIDTH) if both.contains(n)] == [1, 2]
    assert made.joined(X, both, low) == both
    assert [there for _, there in made.meeting(X, both)] == [both]


def test_what_variables_are_compared_with() -> None:
    made = partition(seen("control/press.c"))
    found = {x.name: numbers for x, numbers in made.constants.items()}
    assert found["load"] == {40}
    assert found["state"] == {1, 2, 3}


# --- steps: compared with all runs of few bits ------------------------------------------------------------------------

numbers = st.integers(-8, 7).map(lambda value: bv(value, WIDTH))
atoms = st.one_of(
    st.builds(lambda x, c: bvslt(x, c), st.sampled_from((X, Y, INPUT)), numbers),
    st.builds(lambda x, c: bvule(c, x), st.sampled_from((X, Y, INPUT)), numbers),
    st.builds(lambda x, c: eq(x, c), st.sampled_from((X, Y, INPUT)), numbers),
    st.just(FLAG),
)
terms = st.one_of(
    numbers,
    st.sampled_from((X, Y, INPUT)),
    st.builds(bvadd, st.sampled_from((X, Y)), numbers),
    st.builds(lambda x, c: bvmul(c, x), st.sampled_from((X, INPUT)), numbers),
    st.builds(lambda x, c: bvsrem(x, c), st.sampled_from((X, Y, INPUT)), numbers),
)
choices = st.builds(ite, atoms, terms, st.builds(ite, atoms, terms, terms))


def as_block(guard: Term, x: Term, y: Term, flag: Term) -> Block:
    """The step as a program would have it: conditions decide where control goes, and all is written at the end."""
    fresh = map(Location, count())
    at = next(fresh)
    edges: list[Edge] = []
    for statement in (
        Havoc((CHOSEN,)),
        (NEW_X, x),
        (NEW_Y, y),
        Assume(with_chosen(guard)),
        Assign(FLAG, with_chosen(flag)),
    ):
        if not isinstance(statement, tuple):
            behind = next(fresh)
            edges.append(Edge(at, statement, behind))
        else:
            variable, term = statement
            condition, one, other = term.args if term.op is ops.ITE else (guard, term, term)
            then, otherwise, behind = next(fresh), next(fresh), next(fresh)
            edges.append(Edge(at, Assume(with_chosen(condition)), then))
            edges.append(Edge(at, Assume(not_(with_chosen(condition))), otherwise))
            edges.append(Edge(then, Assign(variable, with_chosen(one)), behind))
            edges.append(Edge(otherwise, Assign(variable, with_chosen(other)), behind))
        at = behind
    middle, end = next(fresh), next(fresh)
    return Block((*edges, Edge(at, Assign(X, NEW_X), middle), Edge(middle, Assign(Y, NEW_Y), end)))


def with_chosen(term: Term) -> Term:
    return substitute(term, {INPUT: CHOSEN})


@examples(12)
@pytest.mark.parametrize("most", [0, MOST_WAYS])
@given(atoms, choices, choices, atoms, st.integers(0, 15), st.integers(0, 15), st.booleans())
def test_no_successor_is_forgotten(
    most: int, guard: Term, x: Term, y: Term, flag: Term, start: int, other: int, up: bool
) -> None:
    """Neither by the step as one update, nor way by way, nor where there are too many ways."""
    update = Transition(guard, {X: x, Y: y, FLAG: flag}, (INPUT,))
    made = Partition({X: frozenset({3, 9})}, frozenset({X}), {}).with_intervals(X)
    begin = constant(start, WIDTH)
    if class_of(made, start) == class_of(made, other):
        begin = made.joined(X, begin, constant(other, WIDTH))
    state, hull = (class_of(made, start), start, up), (begin, None, None)
    models = [
        Model({X: one, Y: start, FLAG: up, INPUT: chosen})
        for one, chosen in product(range(1 << WIDTH), repeat=2)
        if begin.contains(one)
    ]
    ends = [[evaluate(update.updates[z], model) for z in (X, Y, FLAG)] for model in models if evaluate(guard, model)]
    variables = (X, Y, FLAG)
    block = Ways(as_block(guard, x, y, flag))
    with make_solver("z3") as solver, pytest.MonkeyPatch.context() as patch:
        patch.setattr("craton.engines.explicit.ways.MOST_WAYS", most)
        steps = Steps(made, solver, 1 << WIDTH)
        for step in (update, block):
            found = list(steps.successors(variables, state, hull, step, variables))
            for after in ends:
                assert any(
                    (class_of(made, after[0]), *after[1:]) == reached and there[0] and there[0].contains(after[0])
                    for reached, there in found
                )
            assert steps.is_possible(variables, state, hull, step) == bool(ends)
    assert block.is_wide == (most == 0) or not ends


@examples(20)
@given(atoms, choices, choices, atoms, st.integers(0, 15), st.booleans())
def test_the_ways_of_the_checker_are_all_runs(guard: Term, x: Term, y: Term, flag: Term, start: int, up: bool) -> None:
    """Where the values of some variables are known, and the others and the input are any."""
    update = Transition(guard, {X: x, Y: y, FLAG: flag}, (INPUT,))
    ways = StateWays(as_block(guard, x, y, flag)).ways({X: bv(start, WIDTH), FLAG: TRUE if up else FALSE})
    assert ways is not None
    for other, chosen in product(range(1 << WIDTH), repeat=2):
        model = Model({X: start, Y: other, FLAG: up, INPUT: chosen})
        taken = [way for way in ways if evaluate(and_(*way.guard), model)]
        assert len(taken) == evaluate(guard, model)  # the branchings of this step exclude each other
        for way in taken:
            for z in (X, Y, FLAG):
                assert evaluate(way.values.get(z, z), model) == evaluate(update.updates[z], model)


@examples(20)
@given(atoms, choices, choices, atoms, st.integers(0, 15), st.integers(0, 15), st.integers(0, 15))
def test_sides_that_the_checker_leaves_out_are_on_no_run(
    guard: Term, x: Term, y: Term, flag: Term, start: int, one: int, other: int
) -> None:
    """Where a state says bounds of a variable, too."""
    rest = and_(bvule(bv(min(one, other), WIDTH), Y), bvule(Y, bv(max(one, other), WIDTH)))
    ways = StateWays(as_block(guard, x, y, flag)).ways({X: bv(start, WIDTH)}, rest)
    assert ways is not None
    for there, chosen in product(range(min(one, other), max(one, other) + 1), range(1 << WIDTH)):
        model = Model({X: start, Y: there, FLAG: True, INPUT: chosen})
        assert sum(evaluate(and_(*way.guard), model) for way in ways) == evaluate(guard, model)


def test_too_many_values() -> None:
    step = Transition(not_(FLAG), {X: INPUT})
    with make_solver("z3") as solver, pytest.raises(TooManyValues) as problem:
        list(Steps(Partition({}, frozenset(), {}), solver, 3).successors((), (), (), step, (X,)))
    assert problem.value.variable is X
