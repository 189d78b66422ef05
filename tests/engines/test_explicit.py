"""Explicit states: what is reached is reached by runs, what is a proof is one, and where values become intervals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.engines import make_engine
from craton.configuration.stages import Stage
from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown, Unsafe
from craton.engines.explicit.partition import Partition, partition
from craton.engines.explicit.steps import Steps, TooManyValues
from craton.evidence.checker import Confirmed, check_proof
from craton.facts.ranges import constant, top
from craton.logic import (
    BOOL,
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
    var,
)
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.preparation import prepare
from craton.program.transitions import Transition
from craton.smt import make_solver
from support import examples
from support.programs import BY_NAME

WIDTH = 4
X, Y, INPUT = (var(name, BitVec(WIDTH)) for name in ("x", "y", "i ?0"))
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


# --- classes ----------------------------------------------------------------------------------------------------------


def test_intervals_are_disjoint_and_complete() -> None:
    made = Partition({X: frozenset({3, 15, 8})}, frozenset({X}), {}).with_intervals(X)
    for value in range(1 << WIDTH):
        classes = made.meeting(X, constant(value, WIDTH))
        assert len(classes) == 1
        model = Model({X: value})
        holding = [one for one in made.meeting(X, top(WIDTH)) if evaluate(made.condition(X, X, one), model)]
        assert holding == list(classes)


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


def concrete(state: tuple[int, int, bool], made: Partition) -> Iterator[dict[Term, object]]:
    """All concrete states of one of classes, with all inputs."""
    one, y, flag = state
    for x, chosen in product(range(1 << WIDTH), range(1 << WIDTH)):
        if one in made.meeting(X, constant(x, WIDTH)):
            yield {X: x, Y: y, FLAG: flag, INPUT: chosen}


@examples(12)
@given(atoms, choices, choices, atoms, st.integers(0, 15), st.booleans())
def test_no_successor_is_forgotten(guard: Term, x: Term, y: Term, flag: Term, start: int, up: bool) -> None:
    step = Transition(guard, {X: x, Y: y, FLAG: flag}, (INPUT,))
    made = Partition({X: frozenset({3, 9})}, frozenset({X}), {}).with_intervals(X)
    state = (made.meeting(X, constant(start, WIDTH))[0], start, up)
    with make_solver("z3") as solver:
        steps = Steps(made, solver, 1 << WIDTH)
        found = set(steps.successors((X, Y, FLAG), state, step, (X, Y, FLAG)))
        possible = steps.is_possible((X, Y, FLAG), state, step)
    taken = False
    for values in concrete(state, made):
        model = Model(values)
        if evaluate(guard, model):
            taken = True
            after = [evaluate(step.updates[z], model) for z in (X, Y, FLAG)]
            assert (made.meeting(X, constant(after[0], WIDTH))[0], after[1], after[2]) in found
    assert possible == taken


def test_too_many_values() -> None:
    with make_solver("z3") as solver, pytest.raises(TooManyValues) as problem:
        list(
            Steps(Partition({}, frozenset(), {}), solver, 3).successors(
                (), (), Transition(not_(FLAG), {X: INPUT}), (X,)
            )
        )
    assert problem.value.variable is X
