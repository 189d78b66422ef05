"""What every operation computes on values: SMT-LIB's exact semantics, written once.

The constructors fold constants with it and `evaluate` runs whole terms with it, so the two cannot disagree. Values are
bool, int (Int), Fraction (Real), unsigned int (BitVec), bit pattern (Float), RoundingMode and `ArrayValue`. Where the
standard leaves a result open (division by zero over Int and Real, conversions out of range, `fp.min` of two zeros),
`Unspecified` is raised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from craton.logic import ieee, ops
from craton.logic.ieee import Unspecified
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, ROUNDING_MODE, Array, BitVec, Float, Sort
from craton.logic.terms import format_of

Value = Any
Meaning = Callable[[Sequence[Sort], Any, Sequence[Value]], Value]


def compute(op: Op, sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> Value:
    """The value of `op` (with `payload`) on argument `values` of the given `sorts`."""
    return MEANING[op](sorts, payload, values)


class ArrayValue:
    """A total map that is constant except for finitely many entries. Normal form: no entry equals the default."""

    __slots__ = ("default", "entries")

    def __init__(self, default: Value, entries: Mapping[Value, Value]) -> None:
        self.default = default
        self.entries = {k: v for k, v in entries.items() if v != default}

    def get(self, index: Value) -> Value:
        return self.entries.get(index, self.default)

    def set(self, index: Value, element: Value) -> ArrayValue:
        return ArrayValue(self.default, {**self.entries, index: element})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and self.default == other.default and self.entries == other.entries

    def __hash__(self) -> int:
        return hash((self.default, frozenset(self.entries.items())))

    def __repr__(self) -> str:
        return f"[{''.join(f'{k}: {v}, ' for k, v in self.entries.items())}else {self.default}]"


def same(sort: Sort, a: Value, b: Value) -> bool:
    """SMT-LIB's `=` on values.

    Arrays are compared extensionally; over a finite index sort, different defaults do not imply inequality.
    """
    if not isinstance(sort, Array):
        return bool(a == b)
    touched: list[Value] = list(a.entries.keys() | b.entries.keys())
    if isinstance(sort.index, Array):  # different entries may be at the same index
        touched = [t for i, t in enumerate(touched) if not any(same(sort.index, t, u) for u in touched[:i])]
    if not all(same(sort.element, read(sort, a, index), read(sort, b, index)) for index in touched):
        return False
    return same(sort.element, a.default, b.default) or len(touched) == domain_size(sort.index)


def read(sort: Array, array: ArrayValue, index: Value) -> Value:
    """The element at an index. Indices that are arrays themselves are compared extensionally."""
    if not isinstance(sort.index, Array):
        return array.get(index)
    return next((element for key, element in array.entries.items() if same(sort.index, key, index)), array.default)


def written(sort: Array, array: ArrayValue, index: Value, element: Value) -> ArrayValue:
    if not isinstance(sort.index, Array):
        return array.set(index, element)
    others = {key: kept for key, kept in array.entries.items() if not same(sort.index, key, index)}
    return ArrayValue(array.default, {**others, index: element})


def domain_size(sort: Sort) -> int | None:
    """How many values the sort has; None if infinitely many, or more than could matter."""
    if sort is BOOL:
        return 2
    if sort is ROUNDING_MODE:
        return len(ieee.RoundingMode)
    if isinstance(sort, BitVec):
        return 1 << sort.width
    if isinstance(sort, Float):
        nans = 2 * ((1 << (sort.significand_bits - 1)) - 1)
        return (1 << sort.width) - nans + 1
    if isinstance(sort, Array):
        indices, elements = domain_size(sort.index), domain_size(sort.element)
        if indices is not None and elements is not None and indices <= _FEW_INDICES:
            return int(elements**indices)
    return None


_FEW_INDICES = 1024  # more indices give practically infinitely many arrays


def to_signed(width: int, bits: int) -> int:
    """Two's complement reading of an unsigned value."""
    return bits - (1 << width) if bits >> (width - 1) else bits


def wrap(width: int, number: int) -> int:
    """The unsigned representation of `number` modulo 2^width."""
    return number & ((1 << width) - 1)


# --- the kinds of entries in the tables below -------------------------------------------------------------------------


def _plain(function: Callable[..., Value]) -> Meaning:
    """f(*values)"""
    return lambda sorts, payload, values: function(*values)


def _on_list(function: Callable[[Sequence[Value]], Value]) -> Meaning:
    """f(values), for operations of any number of arguments"""
    return lambda sorts, payload, values: function(values)


def _by_width(function: Callable[..., Value]) -> Meaning:
    """f(width of the first argument, *values)"""
    return lambda sorts, payload, values: function(sorts[0].width, *values)  # type: ignore[attr-defined]


def _indexed(function: Callable[..., Value]) -> Meaning:
    """f(width of the first argument, *indices, *values)"""
    return lambda sorts, payload, values: function(sorts[0].width, *payload, *values)  # type: ignore[attr-defined]


def _by_format(function: Callable[..., Value]) -> Meaning:
    """f(format of the last argument, *values)"""

    def meaning(sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> Value:
        sort = sorts[-1]
        assert isinstance(sort, Float)
        return function(format_of(sort), *values)

    return meaning


def _into_format(function: Callable[..., Value]) -> Meaning:
    """f(target format given by the payload, *values)"""
    return lambda sorts, payload, values: function(format_of(Float(*payload)), *values)


# --- integers and reals -----------------------------------------------------------------------------------------------


def _div(a: int, b: int) -> int:
    """SMT-LIB's Euclidean division: the remainder is never negative."""
    if b == 0:
        raise Unspecified("division by zero")
    return a // b if b > 0 else -(a // -b)


def _mod(a: int, b: int) -> int:
    if b == 0:
        raise Unspecified("modulo zero")
    return a % abs(b)


def _divide(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Unspecified("division by zero")
    return a / b


# --- bit-vectors ------------------------------------------------------------------------------------------------------


def _udiv(w: int, a: int, b: int) -> int:
    return a // b if b else (1 << w) - 1


def _urem(w: int, a: int, b: int) -> int:
    return a % b if b else a


def _sdiv(w: int, a: int, b: int) -> int:
    """Truncating; x / 0 is -1 for x ≥ 0 and 1 for x < 0, as the standard's definition by bvudiv gives."""
    x, y = to_signed(w, a), to_signed(w, b)
    if y == 0:
        return wrap(w, 1 if x < 0 else -1)
    quotient = abs(x) // abs(y)
    return wrap(w, quotient if (x < 0) == (y < 0) else -quotient)


def _srem(w: int, a: int, b: int) -> int:
    """Sign follows the dividend."""
    x, y = to_signed(w, a), to_signed(w, b)
    if y == 0:
        return a
    remainder = abs(x) % abs(y)
    return wrap(w, -remainder if x < 0 else remainder)


def _smod(w: int, a: int, b: int) -> int:
    """Sign follows the divisor."""
    x, y = to_signed(w, a), to_signed(w, b)
    return wrap(w, x % y) if y else a


def _shl(w: int, a: int, b: int) -> int:
    return wrap(w, a << b) if b < w else 0


def _lshr(w: int, a: int, b: int) -> int:
    return a >> b if b < w else 0


def _ashr(w: int, a: int, b: int) -> int:
    return wrap(w, to_signed(w, a) >> min(b, w))


def _fits(w: int, number: int) -> bool:
    return -(1 << (w - 1)) <= number < 1 << (w - 1)


def _signed(function: Callable[[int, int], Value]) -> Callable[[int, int, int], Value]:
    return lambda w, a, b: function(to_signed(w, a), to_signed(w, b))


def _signed_overflow(function: Callable[[int, int], int]) -> Callable[[int, int, int], bool]:
    return lambda w, a, b: not _fits(w, function(to_signed(w, a), to_signed(w, b)))


def _concat(sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> int:
    bits = 0
    for sort, part in zip(sorts, values, strict=True):
        assert isinstance(sort, BitVec)
        bits = bits << sort.width | part
    return bits


def _repeat(w: int, times: int, a: int) -> int:
    bits = 0
    for _ in range(times):
        bits = bits << w | a
    return bits


def _rotate_left(w: int, by: int, a: int) -> int:
    by %= w
    return wrap(w, a << by | a >> (w - by))


def _fold_bits(function: Callable[[int, int], int]) -> Meaning:
    """n-ary bit-vector operations: fold, then cut to the width."""

    def meaning(sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> int:
        total = values[0]
        for value in values[1:]:
            total = function(total, value)
        sort = sorts[0]
        assert isinstance(sort, BitVec)
        return wrap(sort.width, total)

    return meaning


# --- floats -----------------------------------------------------------------------------------------------------------


def _float_to_float(sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> int:
    source = sorts[1]
    assert isinstance(source, Float)
    return ieee.convert(format_of(source), format_of(Float(*payload)), values[0], values[1])


def _signed_to_float(sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> int:
    source = sorts[1]
    assert isinstance(source, BitVec)
    return ieee.from_signed(format_of(Float(*payload)), values[0], to_signed(source.width, values[1]))


def _float_to_bits(function: Callable[..., int]) -> Meaning:
    def meaning(sorts: Sequence[Sort], payload: Any, values: Sequence[Value]) -> int:
        source = sorts[1]
        assert isinstance(source, Float)
        return function(format_of(source), values[0], payload[0], values[1])

    return meaning


MEANING: dict[Op, Meaning] = {
    ops.NOT: _plain(lambda a: not a),
    ops.AND: _on_list(all),
    ops.OR: _on_list(any),
    ops.XOR: _plain(lambda a, b: a != b),
    ops.IMPLIES: _plain(lambda a, b: not a or b),
    ops.EQ: lambda sorts, payload, values: same(sorts[0], values[0], values[1]),
    ops.DISTINCT: lambda sorts, payload, values: not any(same(sorts[0], a, b) for a, b in combinations(values, 2)),
    ops.ITE: _plain(lambda condition, then, otherwise: then if condition else otherwise),
    ops.NEG: _plain(lambda a: -a),
    ops.ADD: _on_list(sum),
    ops.SUB: _plain(lambda a, b: a - b),
    ops.MUL: _on_list(math.prod),
    ops.DIVIDE: _plain(_divide),
    ops.DIV: _plain(_div),
    ops.MOD: _plain(_mod),
    ops.ABS: _plain(abs),
    ops.LE: _plain(lambda a, b: a <= b),
    ops.LT: _plain(lambda a, b: a < b),
    ops.TO_REAL: _plain(Fraction),
    ops.TO_INT: _plain(math.floor),
    ops.IS_INT: _plain(lambda a: a.denominator == 1),
    ops.BVNOT: _by_width(lambda w, a: wrap(w, ~a)),
    ops.BVNEG: _by_width(lambda w, a: wrap(w, -a)),
    ops.BVAND: _fold_bits(lambda a, b: a & b),
    ops.BVOR: _fold_bits(lambda a, b: a | b),
    ops.BVXOR: _fold_bits(lambda a, b: a ^ b),
    ops.BVADD: _fold_bits(lambda a, b: a + b),
    ops.BVMUL: _fold_bits(lambda a, b: a * b),
    ops.BVSUB: _by_width(lambda w, a, b: wrap(w, a - b)),
    ops.BVUDIV: _by_width(_udiv),
    ops.BVUREM: _by_width(_urem),
    ops.BVSDIV: _by_width(_sdiv),
    ops.BVSREM: _by_width(_srem),
    ops.BVSMOD: _by_width(_smod),
    ops.BVSHL: _by_width(_shl),
    ops.BVLSHR: _by_width(_lshr),
    ops.BVASHR: _by_width(_ashr),
    ops.BVULT: _plain(lambda a, b: a < b),
    ops.BVULE: _plain(lambda a, b: a <= b),
    ops.BVSLT: _by_width(_signed(lambda a, b: a < b)),
    ops.BVSLE: _by_width(_signed(lambda a, b: a <= b)),
    ops.CONCAT: _concat,
    ops.BVNEGO: _by_width(lambda w, a: a == 1 << (w - 1)),
    ops.BVUADDO: _by_width(lambda w, a, b: a + b >> w != 0),
    ops.BVSADDO: _by_width(_signed_overflow(lambda a, b: a + b)),
    ops.BVUMULO: _by_width(lambda w, a, b: a * b >> w != 0),
    ops.BVSMULO: _by_width(_signed_overflow(lambda a, b: a * b)),
    ops.BVUSUBO: _plain(lambda a, b: a < b),
    ops.BVSSUBO: _by_width(_signed_overflow(lambda a, b: a - b)),
    ops.BVSDIVO: _by_width(lambda w, a, b: a == 1 << (w - 1) and b == (1 << w) - 1),
    ops.EXTRACT: _indexed(lambda w, high, low, a: wrap(high - low + 1, a >> low)),
    ops.ZERO_EXTEND: _indexed(lambda w, by, a: a),
    ops.SIGN_EXTEND: _indexed(lambda w, by, a: wrap(w + by, to_signed(w, a))),
    ops.REPEAT: _indexed(_repeat),
    ops.ROTATE_LEFT: _indexed(_rotate_left),
    ops.ROTATE_RIGHT: _indexed(lambda w, by, a: _rotate_left(w, -by, a)),
    ops.UBV_TO_INT: _plain(lambda a: a),
    ops.SBV_TO_INT: _by_width(to_signed),
    ops.INT_TO_BV: lambda sorts, payload, values: wrap(payload[0], values[0]),
    ops.FP_ABS: _by_format(ieee.absolute),
    ops.FP_NEG: _by_format(ieee.negate),
    ops.FP_ADD: _by_format(ieee.add),
    ops.FP_SUB: _by_format(ieee.subtract),
    ops.FP_MUL: _by_format(ieee.multiply),
    ops.FP_DIV: _by_format(ieee.divide),
    ops.FP_FMA: _by_format(ieee.fused_multiply_add),
    ops.FP_SQRT: _by_format(ieee.square_root),
    ops.FP_REM: _by_format(ieee.remainder),
    ops.FP_ROUND: _by_format(ieee.round_to_integral),
    ops.FP_MIN: _by_format(ieee.minimum),
    ops.FP_MAX: _by_format(ieee.maximum),
    ops.FP_LE: _by_format(ieee.less_equal),
    ops.FP_LT: _by_format(ieee.less),
    ops.FP_EQ: _by_format(ieee.equal),
    ops.FP_IS_NORMAL: _by_format(ieee.is_normal),
    ops.FP_IS_SUBNORMAL: _by_format(ieee.is_subnormal),
    ops.FP_IS_ZERO: _by_format(ieee.is_zero),
    ops.FP_IS_INFINITE: _by_format(ieee.is_infinite),
    ops.FP_IS_NAN: _by_format(ieee.is_nan),
    ops.FP_IS_NEGATIVE: _by_format(ieee.is_negative),
    ops.FP_IS_POSITIVE: _by_format(ieee.is_positive),
    ops.FP_FROM_BITS: _into_format(ieee.canonical),
    ops.FP_FROM_FP: _float_to_float,
    ops.FP_FROM_SIGNED: _signed_to_float,
    ops.FP_FROM_UNSIGNED: _into_format(ieee.from_unsigned),
    ops.FP_FROM_REAL: _into_format(ieee.from_fraction),
    ops.FP_TO_UBV: _float_to_bits(ieee.to_unsigned),
    ops.FP_TO_SBV: _float_to_bits(ieee.to_signed),
    ops.FP_TO_REAL: _by_format(ieee.to_fraction),
    ops.SELECT: lambda sorts, payload, values: read(sorts[0], *values),  # type: ignore[arg-type]
    ops.STORE: lambda sorts, payload, values: written(sorts[0], *values),  # type: ignore[arg-type]
    ops.CONST_ARRAY: _plain(lambda element: ArrayValue(element, {})),
}
