"""Integers as signed bit-vectors that are wide enough: constant bounds say how many bits a value needs, so nothing
wraps around.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from craton.logic import (
    BitVec,
    Term,
    bv,
    bvadd,
    bvmul,
    bvneg,
    bvsdiv,
    bvslt,
    bvsmod,
    bvsub,
    ite,
    ops,
    sign_extend,
    zero_extend,
)
from craton.logic.ops import Op
from craton.views.bits import bounds


@dataclass(frozen=True, slots=True)
class Number:
    """An integer as a signed bit-vector, with its bounds."""

    term: Term
    low: int
    high: int

    @property
    def width(self) -> int:
        assert isinstance(self.term.sort, BitVec)
        return self.term.sort.width


def bits_for(low: int, high: int) -> int:
    """How many bits a signed number between the bounds needs."""
    return 1 + max(max(high, -low - 1).bit_length(), 0)


def extended(number: Number, width: int) -> Term:
    return sign_extend(width - number.width, number.term)


def constant(number: int) -> Number:
    return Number(bv(number, bits_for(number, number)), number, number)


def number_of(term: Term, signed: bool) -> Number:
    """The value of a bit-vector."""
    sort = term.sort
    assert isinstance(sort, BitVec)
    low, high = bounds(sort.width, signed)
    return Number(term if signed else zero_extend(1, term), low, high)


def _computed(operation: Callable[..., Term], low: int, high: int, *numbers: Number) -> Number:
    """Computes in as many bits as operands and result need."""
    width = max(bits_for(low, high), *(n.width for n in numbers))
    return Number(operation(*(extended(n, width) for n in numbers)), low, high)


def _sum(*parts: Number) -> Number:
    return _computed(bvadd, sum(p.low for p in parts), sum(p.high for p in parts), *parts)


def _difference(a: Number, c: Number) -> Number:
    return _computed(bvsub, a.low - c.high, a.high - c.low, a, c)


def _negation(a: Number) -> Number:
    return _computed(bvneg, -a.high, -a.low, a)


def _product(*parts: Number) -> Number:
    result = parts[0]
    for part in parts[1:]:
        corners = [x * y for x in (result.low, result.high) for y in (part.low, part.high)]
        result = _computed(bvmul, min(corners), max(corners), result, part)
    return result


def _absolute(a: Number) -> Number:
    high = max(abs(a.low), abs(a.high))
    wide = _computed(lambda x: x, min(a.low, -a.high), high, a).term
    zero = bv(0, _width(wide))
    return Number(ite(bvslt(wide, zero), bvneg(wide), wide), 0, high)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _modulo(a: Number, c: Number) -> Number:
    """Euclidean: never negative, like `bvsmod` by a positive number."""
    positive = _absolute(c)
    most = max(positive.high - 1, 0)
    if c.low <= 0 <= c.high:  # modulo zero: open over integers, the dividend in bits
        return _computed(bvsmod, min(a.low, 0), max(a.high, most), a, positive)
    return _computed(bvsmod, 0, most, a, positive)


def _quotient(a: Number, c: Number) -> Number:
    """a - (a mod c) is a multiple of c, so its division by c is exact."""
    multiple = _difference(a, _modulo(a, c))
    largest = max(abs(multiple.low), abs(multiple.high), 1)
    return _computed(bvsdiv, -largest, largest, multiple, c)


def choice(condition: Term, then: Number, otherwise: Number) -> Number:
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return _computed(lambda x, y: ite(condition, x, y), low, high, then, otherwise)


ARITHMETIC: dict[Op, Callable[..., Number]] = {
    ops.ADD: _sum,
    ops.SUB: _difference,
    ops.NEG: _negation,
    ops.MUL: _product,
    ops.ABS: _absolute,
    ops.DIV: _quotient,
    ops.MOD: _modulo,
}
