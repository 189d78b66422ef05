"""Quotients and remainders of extended numbers: their low bits are computed narrowly, for all numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from craton.logic import (
    BitVec,
    Term,
    bv,
    bvsdiv,
    bvsrem,
    bvudiv,
    bvurem,
    evaluate,
    extract,
    ops,
    sign_extend,
    var,
    zero_extend,
)

X, Y, U = var("x", BitVec(3)), var("y", BitVec(3)), var("u", BitVec(2))
WIDE = 6


@pytest.mark.parametrize("extended", [sign_extend, zero_extend])
@pytest.mark.parametrize("divide", [bvudiv, bvurem, bvsdiv, bvsrem])
def test_low_bits_are_the_same(divide: Callable[..., Term], extended: Callable[..., Term]) -> None:
    dividends = [extended(3, X), extended(4, U), bv(5, WIDE), bv(-1, WIDE)]
    divisors = [extended(3, Y), extended(4, U), *(bv(number, WIDE) for number in (0, 1, -1, 3, -4))]
    for width, a, b in product((2, 3, 4), dividends, divisors):
        whole = divide(a, b)
        low = extract(width - 1, 0, whole)
        for x, y, u in product(range(8), range(8), range(4)):
            values = {X: x, Y: y, U: u}
            assert evaluate(low, values) == evaluate(whole, values) & ((1 << width) - 1)


def test_chars_are_divided_as_chars() -> None:
    a, b = var("a", BitVec(8)), var("b", BitVec(8))
    assert extract(7, 0, bvsrem(sign_extend(24, a), sign_extend(24, b))) is bvsrem(a, b)
    assert extract(7, 0, bvsdiv(zero_extend(24, a), bv(10, 32))) is bvudiv(a, bv(10, 8))
    assert extract(7, 0, bvsdiv(sign_extend(24, a), bv(200, 32))).op is ops.EXTRACT
    assert extract(7, 0, bvsrem(sign_extend(24, a), zero_extend(24, b))).op is ops.EXTRACT
