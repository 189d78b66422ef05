"""Sums as maps from parts to factors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from craton.logic import INT, BitVec, Term, add, bv, bvadd, bvmul, bvneg, bvsub, evaluate, int_, mul, sub, var
from craton.logic.affine import affine

WORD = BitVec(8)
WORDS = [var(name, WORD) for name in "xyz"]
NUMBERS = [var(name, INT) for name in "pq"]


def words() -> st.SearchStrategy[Term]:
    leaves = st.one_of(st.sampled_from(WORDS), st.integers(0, 255).map(lambda n: bv(n, 8)))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(bvadd, inner, inner),
            st.builds(bvsub, inner, inner),
            st.builds(lambda n, t: bvmul(bv(n, 8), t), st.integers(0, 255), inner),
            st.builds(bvneg, inner),
        ),
        max_leaves=8,
    )


def numbers() -> st.SearchStrategy[Term]:
    leaves = st.one_of(st.sampled_from(NUMBERS), st.integers(-9, 9).map(int_))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(add, inner, inner),
            st.builds(sub, inner, inner),
            st.builds(lambda n, t: mul(int_(n), t), st.integers(-9, 9), inner),
        ),
        max_leaves=8,
    )


@given(words(), words(), st.tuples(*[st.integers(0, 255)] * 3))
def test_of_bits(a: Term, b: Term, values: tuple[int, ...]) -> None:
    model = dict(zip(WORDS, values, strict=True))
    assert evaluate(affine(a).term, model) == evaluate(a, model)
    assert evaluate(affine(a).minus(affine(b)).term, model) == evaluate(bvsub(a, b), model)


@given(numbers(), numbers(), st.tuples(*[st.integers(-99, 99)] * 2))
def test_of_integers(a: Term, b: Term, values: tuple[int, ...]) -> None:
    model = dict(zip(NUMBERS, values, strict=True))
    assert evaluate(affine(a).term, model) == evaluate(a, model)
    assert evaluate(affine(a).minus(affine(b)).term, model) == evaluate(sub(a, b), model)


def test_division() -> None:
    x = WORDS[0]
    four = affine(bvadd(bvmul(bv(4, 8), x), bv(8, 8)))
    quotient = four.divided(4)
    assert quotient is not None and quotient.term is bvadd(x, bv(2, 8))
    assert four.divided(3) is None
    assert four.divided(0) is None
