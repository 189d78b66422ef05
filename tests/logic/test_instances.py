"""Conditions without quantifiers: whatever they contradict, the quantified ones contradict, too."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craton.logic import (
    FALSE,
    INT,
    Array,
    BitVec,
    Term,
    alternatives,
    and_,
    apply,
    bv,
    bvadd,
    bvlshr,
    bvmul,
    bvult,
    eq,
    exists,
    extract,
    forall,
    implies,
    int_,
    ite,
    not_,
    or_,
    select,
    sign_extend,
    store,
    var,
)
from craton.logic.instances import cases_of_indices, instantiated
from craton.logic.sorts import BOOL, Function
from craton.logic.walk import is_quantified
from craton.smt import Unsat, make_solver

WORD = BitVec(4)
A, X, Y, K = var("a", Array(WORD, WORD)), var("x", WORD), var("y", WORD), var("k", WORD)


def contradictory(formulas: list[Term]) -> bool:
    with make_solver("z3", time_limit=20.0) as solver:
        solver.add(*formulas)
        return isinstance(solver.check(), Unsat)


def indices(draw: st.DrawFn, *variables: Term) -> Term:
    part = draw(st.sampled_from(variables))
    return bvadd(bvmul(bv(draw(st.sampled_from((1, 2, 3))), 4), part), bv(draw(st.integers(0, 3)), 4))


@st.composite
def bodies(draw: st.DrawFn, bound: Term) -> Term:
    read = select(A, indices(draw, bound, X))
    fact = draw(st.sampled_from((eq(read, bv(7, 4)), bvult(read, Y), eq(read, bound))))
    return implies(bvult(bound, draw(st.sampled_from((X, Y, bv(9, 4))))), fact) if draw(st.booleans()) else fact


@st.composite
def conditions(draw: st.DrawFn) -> list[Term]:
    before = forall((K,), draw(bodies(K)))
    if draw(st.booleans()):
        before = and_(before, or_(eq(X, Y), forall((K,), draw(bodies(K)))))
    written = store(A, indices(draw, X, Y), draw(st.sampled_from((bv(7, 4), X, Y))))
    after = forall((K,), implies(bvult(K, bvadd(X, bv(1, 4))), eq(select(written, K), bv(7, 4))))
    step = draw(st.sampled_from((bvult(X, Y), eq(X, Y), not_(eq(X, bv(15, 4))))))
    return [before, step, not_(after)]


@settings(max_examples=120, deadline=None)
@given(conditions())
def test_they_claim_no_more(condition: list[Term]) -> None:
    found = instantiated(condition)
    assert found is not None
    assert not any(map(is_quantified, found))
    if contradictory(found):
        assert contradictory(condition)


@settings(max_examples=60, deadline=None)
@given(conditions())
def test_cases_cover_all(condition: list[Term]) -> None:
    """Parts of the goal, and elements that were written or not: all are contradictory if and only if the whole is."""
    *known, goal = condition
    assert contradictory([*known, or_(*alternatives(goal))]) == contradictory(condition)
    some = instantiated(condition)
    assert some is not None
    assert all(map(contradictory, cases_of_indices(some))) == contradictory(some)


def test_an_element_is_the_one_that_was_written_or_another() -> None:
    """a[x] := x · x; is a[k] = k · k? If k is x, that is seen without a product."""
    written = store(A, bvadd(X, bv(1, 4)), bvmul(X, X))
    same, different = cases_of_indices([not_(eq(select(written, bvadd(K, bv(1, 4))), bvmul(K, K)))])
    assert same == [FALSE]
    assert different[1:] == [not_(eq(K, X))]
    assert cases_of_indices([eq(select(A, K), X)]) == [[eq(select(A, K), X)]]


def test_the_step_of_a_loop_that_fills() -> None:
    """∀k < x. a[k] = 7, then a[x] := 7, x := x + 1: it is enough to look at k itself."""
    for wide in (False, True):
        sort = BitVec(16) if wide else WORD
        array = var("b", Array(sort, WORD))

        def at(index: Term, wide: bool = wide) -> Term:
            return bvadd(bvmul(bv(4, 16), sign_extend(12, index)), bv(4096, 16)) if wide else index

        full = forall((K,), implies(bvult(K, X), eq(select(array, at(K)), bv(7, 4))))
        later = store(array, at(X), bv(7, 4))
        after = forall((K,), implies(bvult(K, bvadd(X, bv(1, 4))), eq(select(later, at(K)), bv(7, 4))))
        condition = [full, bvult(X, bv(9, 4)), not_(after)]
        found = instantiated(condition)
        assert found is not None
        assert contradictory(found)


def test_what_cannot_be_seen_through_is_left_alone() -> None:
    assert instantiated([eq(X, Y)]) is None
    asks = Function("asks", (BOOL,), BOOL)
    assert instantiated([apply(asks, forall((K,), eq(K, X)))]) is None
    inner = var("j", INT)
    nested = forall((K,), exists((inner,), eq(inner, int_(1))))
    assert instantiated([nested]) is None or not any(map(is_quantified, instantiated([nested]) or []))


# Memory: the upper bits of an address are the number of its block, whose size says that it is one.
ADDRESS = BitVec(8)
NEXT, SIZES = var("next", Array(ADDRESS, ADDRESS)), var("sizes", Array(ADDRESS, ADDRESS))
NODE, P, Q = var("node", ADDRESS), var("p", ADDRESS), var("q", ADDRESS)


def _is_block(address: Term) -> Term:
    return and_(eq(extract(3, 0, address), bv(0, 4)), eq(select(SIZES, bvlshr(address, bv(4, 8))), bv(9, 8)))


def _next(address: Term) -> Term:
    return select(NEXT, bvadd(address, bv(4, 8)))


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        (_is_block(P), _next(P)),
        (and_(or_(_is_block(P), _is_block(Q)), eq(_is_block(P), bvult(P, Q))), _next(ite(_is_block(P), P, Q))),
        (_is_block(bv(32, 8)), select(NEXT, bv(36, 8))),
        (_is_block(bv(32, 8)), ite(eq(select(SIZES, bv(2, 8)), bv(9, 8)), _next(bv(32, 8)), bv(1, 8))),
    ],
    ids=["where a member is read", "case by case", "at a number", "of a number"],
)
def test_what_is_said_of_all_blocks_is_said_of_those_that_have_what_is_read(before: Term, asked: Term) -> None:
    empty = forall((NODE,), implies(_is_block(NODE), eq(_next(NODE), bv(0, 8))))
    condition = [and_(empty, before), not_(eq(asked, bv(0, 8)))]
    found = instantiated(condition)
    assert found is not None
    assert contradictory(found)
    others = instantiated([empty, not_(eq(asked, bv(0, 8)))])
    assert others is not None
    assert not contradictory(others)
