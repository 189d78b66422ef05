"""Conjunctions in fewer bits have the same models: all assignments of small numbers are tried. A loop that no solver
gets through in 32 bits is one that it does get through in six.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from craton.logic import (
    BOOL,
    FALSE,
    Model,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    bvsdiv,
    bvsle,
    bvslt,
    bvsrem,
    bvsub,
    bvudiv,
    bvule,
    bvurem,
    eq,
    evaluate,
    forall,
    ite,
    not_,
    ops,
    or_,
    post_order,
    var,
    zero_extend,
)
from craton.logic.sorts import BitVec
from craton.smt import Unsat, make_solver
from craton.smt.intervals.narrowing import in_fewer_bits

WIDTH = 4
X, Y = (var(name, BitVec(WIDTH)) for name in "xy")
COSTLY: tuple[Callable[[Term, Term], Term], ...] = (bvmul, bvudiv, bvurem, bvsdiv, bvsrem)
BOUNDS = (
    and_(bvule(X, bv(3, WIDTH)), bvule(Y, bv(3, WIDTH))),
    and_(bvule(X, bv(6, WIDTH)), bvule(bv(1, WIDTH), Y), bvule(Y, bv(2, WIDTH))),
    and_(bvsle(bv(-2, WIDTH), X), bvsle(X, bv(2, WIDTH)), bvsle(bv(-2, WIDTH), Y), bvsle(Y, bv(1, WIDTH))),
    and_(bvsle(bv(-4, WIDTH), X), bvsle(X, bv(-3, WIDTH)), bvsle(bv(-1, WIDTH), Y), bvsle(Y, bv(1, WIDTH))),
    and_(bvsle(bv(-5, WIDTH), X), bvsle(X, bv(4, WIDTH)), eq(Y, bv(-1, WIDTH))),
)


def models(formulas: list[Term], *variables: Term) -> list[tuple[int, ...]]:
    """All assignments of numbers to the variables that satisfy the formulas."""
    return [
        numbers
        for numbers in product(range(1 << WIDTH), repeat=len(variables))
        if all(evaluate(f, Model(dict(zip(variables, numbers, strict=True)))) for f in formulas)
    ]


def widest(formulas: list[Term]) -> int:
    """How many bits the widest product, quotient or remainder has."""
    told = {ops.BVMUL, ops.BVUDIV, ops.BVUREM, ops.BVSDIV, ops.BVSREM}
    widths = (x.sort.width for x in post_order(*formulas) if x.op in told and isinstance(x.sort, BitVec))
    return max(widths, default=0)


@pytest.mark.parametrize("operation", COSTLY)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_same_models(operation: Callable[[Term, Term], Term], bounds: Term) -> None:
    for wanted in range(1 << WIDTH):
        formulas = [bounds, eq(operation(X, Y), bv(wanted, WIDTH))]
        narrow = in_fewer_bits(formulas)
        if narrow is not None:
            assert models(narrow, X, Y) == models(formulas, X, Y)


@pytest.mark.parametrize("operation", COSTLY)
def test_fewer_bits(operation: Callable[[Term, Term], Term]) -> None:
    told = bvule(operation(X, Y), bv(2, WIDTH))
    narrow = in_fewer_bits([bvule(X, bv(3, WIDTH)), bvule(bv(1, WIDTH), Y), bvule(Y, bv(2, WIDTH)), told])
    assert narrow is not None
    assert widest(narrow) < WIDTH
    assert in_fewer_bits([told]) is None  # of any numbers


def test_random_formulas() -> None:
    """Equations, choices and alternatives around the operations, from seeds."""
    gained = 0
    for seed in range(200):
        formulas = random_formulas(Random(seed))
        narrow = in_fewer_bits(formulas)
        if narrow is not None:
            gained += narrow != [FALSE]
            assert models(narrow, X, Y) == models(formulas, X, Y), f"seed {seed}"
    assert gained > 50


def random_formulas(random: Random) -> list[Term]:
    def term(depth: int) -> Term:
        if depth == 0 or random.random() < 0.2:
            return random.choice((X, Y, bv(random.randrange(1 << WIDTH), WIDTH)))
        some = random.choice((*COSTLY, *COSTLY, bvadd, bvsub))
        if random.random() < 0.2:
            return ite(condition(0), term(depth - 1), term(depth - 1))
        return some(term(depth - 1), term(depth - 1))

    def condition(depth: int) -> Term:
        compared = random.choice((bvule, bvsle, bvslt, eq))(term(depth), term(depth))
        return not_(compared) if random.random() < 0.3 else compared

    near = random.choice(BOUNDS)
    alternatives = or_(and_(near, condition(1)), and_(near, condition(0), condition(1)))
    return [eq(term(2), term(1)), random.choice((near, alternatives)), condition(2)]


def test_names_of_conditions_are_seen_through() -> None:
    """As unfolding tells runs: what was assumed at the beginning is behind two names."""
    first, later, other = (var(name, BOOL) for name in ("first", "later", "other"))
    wide = [var(name, BitVec(32)) for name in "ab"]
    small = and_(*(bvule(x, bv(50, 32)) for x in wide))
    remainder = var("r", BitVec(32))
    formulas = [
        or_(later, other),
        eq(remainder, bvurem(*wide)),
        eq(later, and_(first, eq(wide[1], bv(0, 32)))),
        eq(other, and_(first, not_(eq(remainder, bv(0, 32))))),
        eq(first, small),
    ]
    narrow = in_fewer_bits(formulas)
    assert narrow is not None
    assert widest(narrow) == 6


def test_contradictions_are_seen() -> None:
    assert in_fewer_bits([BOUNDS[0], bvule(bv(10, WIDTH), bvmul(X, Y))]) == [FALSE]


def test_quantifiers_are_left_alone() -> None:
    body = eq(bvurem(X, Y), X)
    assert in_fewer_bits([BOUNDS[0], forall([X], body)]) is None


def test_euclid_in_six_bits() -> None:
    """What is left divides both numbers, whenever the loop ends: no solver shows it of 32 bits in this time."""
    a, b = x, y = [var(name, BitVec(32)) for name in "ab"]
    formulas = [bvule(bv(1, 32), a), bvule(a, bv(50, 32)), bvule(bv(1, 32), b), bvule(b, bv(50, 32))]
    ends = []
    for number in range(9):
        divides = and_(*(eq(bvurem(n, x), bv(0, 32)) for n in (a, b)))
        ends.append(and_(eq(y, bv(0, 32)), not_(divides)))
        rest = var(f"r{number}", BitVec(32))
        formulas.append(eq(rest, bvurem(x, y)))
        x, y = y, rest
    narrow = in_fewer_bits([*formulas, or_(*ends)])
    assert narrow is not None
    assert widest(narrow) == 6
    with make_solver("bitwuzla", time_limit=60.0) as solver:
        solver.add(*narrow)
        assert isinstance(solver.check(), Unsat)


def test_extended_numbers_are_small() -> None:
    short = [zero_extend(24, var(name, BitVec(8))) for name in "ab"]
    narrow = in_fewer_bits([eq(bvmul(*short), bv(143, 32))])
    assert narrow is not None
    assert widest(narrow) == 16
