"""Sums of bit-vectors with like terms collected mean the same, and say no more of what cancels out."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.logic import BitVec, Term, bv, bvadd, bvand, bvmul, bvneg, bvsub, eq, evaluate, free_variables, size, var
from craton.smt.elimination import Eliminator, Method, collected
from support import examples

W = BitVec(3)
X, Y, Z = (var(name, W) for name in "xyz")
STATES = [{X: a, Y: b, Z: c} for a, b, c in product(range(8), repeat=3)]

_leaves = st.sampled_from([X, Y, Z, *(bv(n, 3) for n in (0, 1, 3, 4, 7)), bvand(X, Y)])
_sums = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(bvadd, inner, inner),
        st.builds(bvsub, inner, inner),
        st.builds(bvneg, inner),
        st.builds(lambda n, a: bvmul(bv(n, 3), a), st.integers(0, 7), inner),
        st.builds(bvmul, inner, inner),
    ),
    max_leaves=9,
)


@given(_sums)
@examples(200)
def test_the_same_in_every_state(term: Term) -> None:
    found = collected(term)
    assert all(evaluate(found, state) == evaluate(term, state) for state in STATES)
    assert free_variables(found) <= free_variables(term)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (bvsub(X, bvadd(Y, X)), bvneg(Y)),
        (bvadd(bvsub(X, Y), bvsub(Y, X)), bv(0, 3)),
        (bvsub(bvadd(X, Y, bv(1, 3)), bvadd(X, bv(3, 3))), bvadd(Y, bv(6, 3))),
        (bvadd(bvmul(bv(3, 3), X), bvmul(bv(5, 3), X)), bv(0, 3)),
        (bvadd(X, X), bvmul(bv(2, 3), X)),
        (bvadd(bvneg(X), Y, bvneg(bvneg(X))), Y),
    ],
    ids=str,
)
def test_like_terms_come_together(term: Term, expected: Term) -> None:
    assert collected(term) is expected


@pytest.mark.parametrize("term", [bvadd(X, Y), bvsub(X, Y), bvsub(bvadd(X, Y), Z), bvmul(X, Y), bvneg(X)], ids=str)
def test_where_nothing_comes_together_nothing_changes(term: Term) -> None:
    assert collected(term) is term


def test_a_variable_that_cancels_out_needs_no_elimination() -> None:
    body = eq(Y, bvadd(bvsub(Z, X), bvsub(bvadd(X, Y), Z)))
    assert Eliminator((Method.DER,)).exists([X], body) is eq(Y, Y)


def test_a_variable_that_is_left_once_can_be_solved_for() -> None:
    body = eq(bvsub(bvadd(X, X), bvadd(Y, X)), Z)  # x - y = z
    found = Eliminator((Method.DER,)).exists([X], body)
    assert not free_variables(found)


def test_long_sums_are_left_alone() -> None:
    many = bvadd(*(var(f"v{i}", W) for i in range(100)))
    term = bvsub(bvadd(many, X), X)
    assert size(collected(term)) == size(term)
