"""A body in closed form does what its rounds do: both are run, from states of few bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.logic import (
    BOOL,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvneg,
    bvsle,
    bvslt,
    bvsrem,
    bvule,
    bvult,
    bvurem,
    eq,
    extract,
    not_,
    sign_extend,
    var,
    zero_extend,
)
from craton.program.acceleration.bodies import Body, accelerated
from craton.program.acceleration.closed_forms import NotAccelerated
from craton.program.execution.codegen import SUPPORT, Code
from craton.program.transitions import Transition
from support import examples

WIDTH = 3
X, Y, Z = (var(name, BitVec(WIDTH)) for name in "xyz")
FLAG = var("flag", BOOL)
STATE = (X, Y, Z, FLAG)
State = tuple[Any, ...]
N = "n"


def number(value: int) -> Term:
    return bv(value, WIDTH)


numbers = st.integers(-4, 3).map(number)
variables = st.sampled_from((X, Y, Z))
sums = st.one_of(
    variables,
    st.builds(bvadd, variables, numbers),
    st.builds(bvadd, variables, variables),
    st.builds(lambda a, b: bvadd(a, bvneg(b)), variables, variables),
)
sides = st.one_of(sums, numbers)
wide = st.one_of(
    st.builds(lambda t: sign_extend(2, t), sides),
    st.builds(lambda t: zero_extend(2, t), sides),
    st.integers(-16, 15).map(lambda v: bv(v, WIDTH + 2)),
)
orders = st.sampled_from((bvslt, bvsle, bvult, bvule))
low_bits = st.one_of(
    st.builds(lambda t, v: eq(bvurem(t, number(2)), number(v)), sums, st.integers(0, 1)),
    st.builds(lambda t: eq(bvsrem(t, number(2)), number(0)), sums),
    st.builds(lambda t: eq(bvand(t, number(1)), number(1)), sums),
    st.builds(lambda t: eq(extract(1, 0, t), bv(2, 2)), sums),
)
atoms = st.one_of(
    st.builds(lambda order, a, b: order(a, b), orders, sides, sides),
    st.builds(lambda order, a, b: order(a, b), orders, wide, wide),
    st.builds(eq, sides, sides),
    st.builds(lambda a, b: not_(eq(a, b)), sides, sides),
    st.builds(lambda a, b: not_(eq(a, b)), wide, wide),
    low_bits,
    st.sampled_from((FLAG, not_(FLAG), TRUE)),
)
guards = st.lists(atoms, min_size=1, max_size=3).map(lambda found: and_(*found))


@st.composite
def bodies(draw: st.DrawFn) -> Transition:
    updates: dict[Term, Term] = {}
    for x in (X, Y, Z):
        kind = draw(st.sampled_from(("same", "count", "count", "reset", "sum", "other")))
        if kind == "count":
            updates[x] = bvadd(x, draw(numbers))
        elif kind == "reset":
            updates[x] = draw(sides)
        elif kind == "sum":
            updates[x] = bvadd(x, draw(sums))
        elif kind == "other":
            updates[x] = draw(st.sampled_from((bvneg(x), bvmul(number(3), x), bvadd(x, Y, Z))))
    if draw(st.booleans()):
        updates[FLAG] = draw(st.sampled_from((TRUE, not_(TRUE), bvslt(X, Y), not_(FLAG))))
    return Transition(draw(guards), {x: t for x, t in updates.items() if x is not t})


def compiled(terms: Mapping[str, Term], inputs: tuple[Term, ...]) -> Callable[..., tuple[Any, ...]]:
    """Terms as a function of a state and inputs."""
    names = {x: f"v{i}" for i, x in enumerate((*STATE, *inputs))}
    constants: dict[str, Any] = {}
    code = Code(names, constants)
    results = [code.expression(term) for term in terms.values()]
    lines = [f"def f({', '.join(names.values())}):", *(f"    {line}" for line in code.lines)]
    scope = {**SUPPORT, **constants}
    exec("\n".join([*lines, f"    return ({', '.join(results)},)"]), scope)
    found: Callable[..., tuple[Any, ...]] = scope["f"]
    return found


def runner(step: Transition) -> Callable[..., State | None]:
    """The state after a step, None if its guard forbids it."""
    function = compiled({"guard": step.guard, **{x.name: step.updates.get(x, x) for x in STATE}}, step.inputs)

    def run(*values: Any) -> State | None:
        taken, *after = function(*values)
        return tuple(after) if taken else None

    return run


def all_states() -> Iterator[State]:
    return product(range(1 << WIDTH), range(1 << WIDTH), range(1 << WIDTH), (False, True))


def rounds_from(state: State, once: Callable[..., State | None]) -> list[State]:
    """The states after one, two, … rounds, until one comes again."""
    found: dict[State, None] = {}
    after = once(*state)
    while after is not None and after not in found:
        found[after] = None
        after = once(*after)
    return list(found)


def check(step: Transition, body: Body) -> None:
    assert isinstance(body.rounds.sort, BitVec)
    once, many = runner(step), runner(body.step)
    whole = None if body.whole is None else runner(body.whole)
    or_none = runner(body.or_none)
    exact = compiled({"exact": body.exact}, ())
    for state in list(all_states())[::7]:
        expected = rounds_from(state, once)
        reached = [many(*state, n) for n in range(1 << body.rounds.sort.width)]
        assert reached[0] is None
        assert {one for one in reached if one is not None} <= set(expected)
        assert once(*state) is None or once(*state) == reached[1]
        first = {one for one in reached if one is not None}
        for middle in first:
            if exact(*middle)[0]:
                assert set(rounds_from(middle, once)) <= first | {state}
        assert or_none(*state, 0) == state
        assert all(or_none(*state, n) == reached[n] for n in range(1, len(reached)))
        if whole is not None and (end := whole(*state)) is not None:
            assert end in expected
            assert not exact(*end)[0] or once(*end) is None


def test_rounds_in_closed_form_are_rounds() -> None:
    seen = 0

    @examples(300)
    @given(bodies())
    def one(step: Transition) -> None:
        nonlocal seen
        try:
            body = accelerated(step, N)
        except NotAccelerated:
            return
        seen += 1
        check(step, body)

    one()
    assert seen >= 50


CASES = {
    "up": Transition(bvslt(X, Y), {X: bvadd(X, number(1))}),
    "by two": Transition(bvult(X, number(5)), {X: bvadd(X, number(2))}),
    "away, and around": Transition(bvule(number(2), X), {X: bvadd(X, number(2))}),
    "until equal": Transition(not_(eq(X, Y)), {X: bvadd(X, number(2))}),
    "down": Transition(bvslt(Y, X), {X: bvadd(X, number(-3)), Z: bvadd(Z, number(1))}),
    "towards each other": Transition(bvslt(X, Y), {X: bvadd(X, number(1)), Y: bvadd(Y, number(-1))}),
    "sum": Transition(bvslt(X, Y), {X: bvadd(X, number(1)), Z: bvadd(Z, X)}),
    "sum of the same": Transition(bvslt(X, number(3)), {X: bvadd(X, number(1)), Z: bvadd(Z, Y)}),
    "reset": Transition(bvslt(X, Y), {X: bvadd(X, number(1)), Z: X}),
    "reset that is read": Transition(and_(bvslt(X, Y), FLAG), {X: bvadd(X, Z), Z: number(1), FLAG: TRUE}),
    "for ever": Transition(TRUE, {X: bvadd(X, number(3))}),
    "even": Transition(
        and_(bvslt(X, number(2)), eq(bvsrem(X, number(2)), number(0))), {X: bvadd(X, number(2)), Y: bvadd(Y, number(1))}
    ),
    "extended": Transition(bvslt(sign_extend(2, X), bv(6, WIDTH + 2)), {X: bvadd(X, number(1))}),
}


@pytest.mark.parametrize("step", CASES.values(), ids=CASES)
def test_what_has_a_closed_form(step: Transition) -> None:
    check(step, accelerated(step, N))


NONE = {
    "doubling": Transition(bvslt(X, Y), {X: bvadd(X, X)}),
    "a condition that comes and goes": Transition(eq(extract(0, 0, X), bv(1, 1)), {X: bvadd(X, number(1)), Y: Z}),
    "an input": Transition(bvslt(X, Y), {X: bvadd(X, number(1)), Z: var("i", Z.sort)}, (var("i", Z.sort),)),
    "nothing is counted": Transition(bvslt(X, Y), {X: Y}),
}


@pytest.mark.parametrize("step", NONE.values(), ids=NONE)
def test_what_has_none(step: Transition) -> None:
    with pytest.raises(NotAccelerated):
        accelerated(step, N)
