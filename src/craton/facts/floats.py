"""Ranges of floats, and what operations do to them. Law: the result of members is a member of the result.

Bounds are the machine's own floats. A bound of a sum, product or quotient is that operation on bounds (rounding is
monotone); under round-to-nearest the machine computes just what the program computes, in single precision too, since
rounding twice changes nothing there (Figueroa). Under any other mode bounds move outwards by one float. Nobody has to
believe this: what is found here is shown again, with exact arithmetic (`smt.intervals`) or by another solver.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass

from craton.facts.ranges import Range, made
from craton.logic import Float, Sort, ieee, ops
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op
from craton.logic.terms import format_of

SINGLE, DOUBLE = Float(8, 24), Float(11, 53)
INFINITY = math.inf


@dataclass(frozen=True, slots=True)
class FloatRange:
    """The floats x with low ≤ x ≤ high, as numbers (so 0 stands for both zeros), and NaN if `nan`. It is never empty:
    without a number (low > high) it is NaN.
    """

    sort: Float
    low: float
    high: float
    nan: bool

    @property
    def constant(self) -> float | None:
        """The one member, if there is only one; of the zeros there are always two."""
        return self.low if self.low == self.high and not self.nan and self.low != 0 else None

    @property
    def is_top(self) -> bool:
        return self.nan and self.low == -INFINITY and self.high == INFINITY

    @property
    def has_numbers(self) -> bool:
        return self.low <= self.high

    def has(self, number: float) -> bool:
        return self.low <= number <= self.high

    @property
    def has_infinity(self) -> bool:
        return self.has_numbers and (self.low == -INFINITY or self.high == INFINITY)

    def contains(self, bits: int) -> bool:
        """Whether the float of that pattern is a member."""
        number = ieee.to_python(format_of(self.sort), bits)
        return self.nan if math.isnan(number) else self.has(number)

    def includes(self, other: FloatRange) -> bool:
        inside = not other.has_numbers or (self.low <= other.low and other.high <= self.high)
        return inside and (self.nan or not other.nan)


def has_ranges(sort: Sort) -> bool:
    """Whether floats of that sort are the machine's."""
    return sort is SINGLE or sort is DOUBLE


def any_float(sort: Float) -> FloatRange:
    return FloatRange(sort, -INFINITY, INFINITY, True)


def only_nan(sort: Float) -> FloatRange:
    return FloatRange(sort, INFINITY, -INFINITY, True)


def some(sort: Float, low: float, high: float, nan: bool) -> FloatRange | None:
    """The range; None if it is empty."""
    if low <= high:
        return FloatRange(sort, low, high, nan)
    return only_nan(sort) if nan else None


def float_constant(sort: Float, bits: int) -> FloatRange:
    number = ieee.to_python(format_of(sort), bits)
    return only_nan(sort) if math.isnan(number) else FloatRange(sort, number, number, False)


# --- lattice ----------------------------------------------------------------------------------------------------------


def join(a: FloatRange, b: FloatRange) -> FloatRange:
    return FloatRange(a.sort, min(a.low, b.low), max(a.high, b.high), a.nan or b.nan)


def meet(a: FloatRange, b: FloatRange) -> FloatRange | None:
    return some(a.sort, max(a.low, b.low), min(a.high, b.high), a.nan and b.nan)


def widened(old: FloatRange, new: FloatRange, thresholds: Sequence[float]) -> FloatRange:
    """The bounds of `new` that lie outside of `old` move on to the next threshold."""
    low, high = new.low, new.high
    if low < old.low:
        position = bisect_right(thresholds, low) - 1
        low = thresholds[position] if position >= 0 else -INFINITY
    if high > old.high:
        position = bisect_left(thresholds, high)
        high = thresholds[position] if position < len(thresholds) else INFINITY
    return FloatRange(new.sort, low, high, new.nan)


# --- rounding ---------------------------------------------------------------------------------------------------------


def nearest(sort: Float, number: float) -> float:
    """The float of that sort that is nearest to a double."""
    return number if sort is DOUBLE else c_float(number).value


def above(sort: Float, number: float) -> float:
    """The next float of that sort."""
    if sort is DOUBLE:
        return math.nextafter(number, INFINITY)
    return _stepped(number, 1)


def below(sort: Float, number: float) -> float:
    if sort is DOUBLE:
        return math.nextafter(number, -INFINITY)
    return _stepped(number, -1)


def _stepped(number: float, by: int) -> float:
    """The neighbour of a single: patterns have the order of magnitudes."""
    if number == by * INFINITY:
        return number
    single = format_of(SINGLE)
    bits = ieee.from_python(single, number)
    magnitude = bits & single.magnitude_mask
    rank = (-magnitude if bits & single.sign_mask else magnitude) + by
    return ieee.to_python(single, rank if rank >= 0 else -rank | single.sign_mask)


def at_least(sort: Float, number: float) -> float:
    """The least float of that sort that is not below a double."""
    found = nearest(sort, number)
    return found if found >= number else above(sort, found)


def at_most(sort: Float, number: float) -> float:
    found = nearest(sort, number)
    return found if found <= number else below(sort, found)


def _rounded(sort: Float, mode: RoundingMode | None, corners: Sequence[float], nan: bool) -> FloatRange:
    """The range of results whose extremes are among the corners, before rounding to single precision."""
    if any(map(math.isnan, corners)):
        return any_float(sort)
    low, high = nearest(sort, min(corners)), nearest(sort, max(corners))
    if mode is not RoundingMode.RNE:
        low, high = below(sort, low), above(sort, high)
    return FloatRange(sort, low, high, nan)


# --- arithmetic -------------------------------------------------------------------------------------------------------

Mode = RoundingMode | None  # None if it is not known
Binary = Callable[[Mode, FloatRange, FloatRange], FloatRange]


def _of_numbers(operation: Binary) -> Binary:
    """NaN gives NaN, and nothing else does what the operation does not say."""

    def extended(mode: Mode, a: FloatRange, b: FloatRange) -> FloatRange:
        if not a.has_numbers or not b.has_numbers:
            return only_nan(a.sort)
        found = operation(mode, a, b)
        return FloatRange(a.sort, found.low, found.high, True) if a.nan or b.nan else found

    return extended


def _plus(mode: Mode, a: FloatRange, b: FloatRange) -> FloatRange:
    opposite = (a.high == INFINITY and b.low == -INFINITY) or (a.low == -INFINITY and b.high == INFINITY)
    return _rounded(a.sort, mode, (a.low + b.low, a.high + b.high), opposite)


def _minus(mode: Mode, a: FloatRange, b: FloatRange) -> FloatRange:
    return _plus(mode, a, FloatRange(b.sort, -b.high, -b.low, b.nan))


def _times(mode: Mode, a: FloatRange, b: FloatRange) -> FloatRange:
    if (a.has(0) and b.has_infinity) or (b.has(0) and a.has_infinity):
        return any_float(a.sort)
    return _rounded(a.sort, mode, [x * y for x in (a.low, a.high) for y in (b.low, b.high)], False)


def _divided(mode: Mode, a: FloatRange, b: FloatRange) -> FloatRange:
    if a.low == a.high == b.low == b.high == 0:
        return only_nan(a.sort)
    if b.has(0):
        return FloatRange(a.sort, -INFINITY, INFINITY, a.has(0) or (a.has_infinity and b.has_infinity))
    return _rounded(a.sort, mode, [x / y for x in (a.low, a.high) for y in (b.low, b.high)], False)


plus, minus, times, divided = map(_of_numbers, (_plus, _minus, _times, _divided))


def _less_itself(mode: Mode, a: FloatRange) -> FloatRange:
    """x - x is zero, unless x is infinite."""
    if a.low == a.high and a.has_infinity:
        return only_nan(a.sort)
    return FloatRange(a.sort, 0.0, 0.0, a.nan or a.has_infinity)


def _squared(mode: Mode, a: FloatRange) -> FloatRange:
    magnitude = absolute(a)
    found = _rounded(a.sort, mode, (magnitude.low * magnitude.low, magnitude.high * magnitude.high), a.nan)
    return FloatRange(a.sort, max(found.low, 0.0), found.high, found.nan)


def _by_itself(mode: Mode, a: FloatRange) -> FloatRange:
    """x / x is one, unless x is zero or infinite."""
    if a.low == a.high and (a.has_infinity or a.has(0)):
        return only_nan(a.sort)
    return FloatRange(a.sort, 1.0, 1.0, a.nan or a.has_infinity or a.has(0))


def _least(a: FloatRange, b: FloatRange) -> FloatRange:
    """The smaller of two; the number, where one is NaN."""
    low = min(a.low, b.low)
    high = min(a.high, b.high) if a.has_numbers and b.has_numbers else max(a.high, b.high)
    if a.nan:
        high = max(high, b.high)
    if b.nan:
        high = max(high, a.high)
    return FloatRange(a.sort, low, high, a.nan and b.nan)


def _greatest(a: FloatRange, b: FloatRange) -> FloatRange:
    return negated(_least(negated(a), negated(b)))


def negated(a: FloatRange) -> FloatRange:
    return FloatRange(a.sort, -a.high, -a.low, a.nan)


def absolute(a: FloatRange) -> FloatRange:
    if a.low >= 0 or not a.has_numbers:
        return a
    return negated(a) if a.high <= 0 else FloatRange(a.sort, 0.0, max(-a.low, a.high), a.nan)


def root(mode: Mode, a: FloatRange) -> FloatRange:
    if not a.high >= 0:
        return only_nan(a.sort)
    found = _rounded(a.sort, mode, (math.sqrt(max(a.low, 0.0)), math.sqrt(a.high)), a.nan or a.low < 0)
    return FloatRange(a.sort, max(found.low, 0.0), found.high, found.nan)


def integral(mode: Mode, a: FloatRange) -> FloatRange:
    """Rounded to an integer, which is between the integers around it."""
    if not a.has_numbers:
        return a
    down: Callable[[float], float] = _whole(math.floor)
    up: Callable[[float], float] = _whole(math.ceil)
    known: dict[Mode, Callable[[float], float]] = {
        RoundingMode.RTN: down,
        RoundingMode.RTP: up,
        RoundingMode.RNE: _whole(round),
        RoundingMode.RTZ: _whole(int),
    }
    low, high = known.get(mode, down), known.get(mode, up)
    return FloatRange(a.sort, low(a.low), high(a.high), a.nan)


def _whole(rounding: Callable[[float], float]) -> Callable[[float], float]:
    return lambda number: number if math.isinf(number) else float(rounding(number))


Unary = Callable[[Mode, FloatRange], FloatRange]


def _of_a_number(operation: Unary) -> Unary:
    return lambda mode, a: operation(mode, a) if a.has_numbers else only_nan(a.sort)


ALIKE: Mapping[Op, Unary] = {  # both arguments are one term
    ops.FP_SUB: _of_a_number(_less_itself),
    ops.FP_MUL: _of_a_number(_squared),
    ops.FP_DIV: _of_a_number(_by_itself),
}
BINARY: Mapping[Op, Binary] = {ops.FP_ADD: plus, ops.FP_SUB: minus, ops.FP_MUL: times, ops.FP_DIV: divided}
CHOICES: Mapping[Op, Callable[[FloatRange, FloatRange], FloatRange]] = {ops.FP_MIN: _least, ops.FP_MAX: _greatest}
SIGNS: Mapping[Op, Callable[[FloatRange], FloatRange]] = {ops.FP_NEG: negated, ops.FP_ABS: absolute}
UNARY: Mapping[Op, Unary] = {ops.FP_SQRT: root, ops.FP_ROUND: integral}


# --- conversions ------------------------------------------------------------------------------------------------------


def converted(sort: Float, mode: Mode, a: FloatRange) -> FloatRange:
    """From one format to another."""
    if not a.has_numbers:
        return only_nan(sort)
    if sort is DOUBLE:
        return FloatRange(sort, a.low, a.high, a.nan)
    return _rounded(sort, mode, (a.low, a.high), a.nan)


def from_integers(sort: Float, mode: Mode, low: int, high: int) -> FloatRange:
    """Of whole numbers between two; they are rounded once."""
    form = format_of(sort)
    bounds = [
        ieee.to_python(form, ieee.from_signed(form, mode or direction, number))
        for number, direction in ((low, RoundingMode.RTN), (high, RoundingMode.RTP))
    ]
    return FloatRange(sort, bounds[0], bounds[1], False)


def to_integers(width: int, mode: Mode, a: FloatRange, *, signed: bool) -> Range | None:
    """None if a member may be outside of what so many bits tell: then the result is any."""
    whole = integral(mode, a)
    least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if a.nan or whole.has_infinity or not whole.has_numbers or whole.low < least or whole.high > most:
        return None
    interval = int(whole.low), int(whole.high)
    return made(width, None, interval) if signed else made(width, interval)


def from_bits(sort: Float, bits: Range) -> FloatRange:
    """The floats of these patterns: above the sign bit they come in the opposite order."""
    form = format_of(sort)
    found: FloatRange | None = None
    for low, high, negative in _halves(form, bits):
        numbers = None
        if low <= form.infinity:
            bounds = ieee.to_python(form, low), ieee.to_python(form, min(high, form.infinity))
            numbers = FloatRange(sort, *bounds, high > form.infinity)
        else:
            numbers = only_nan(sort)
        numbers = negated(numbers) if negative else numbers
        found = numbers if found is None else join(found, numbers)
    return any_float(sort) if found is None else found


def _halves(form: ieee.Format, bits: Range) -> list[tuple[int, int, bool]]:
    """Intervals of magnitudes, and whether they are of negative floats."""
    found = []
    if bits.low <= form.magnitude_mask:
        found.append((bits.low, min(bits.high, form.magnitude_mask), False))
    if bits.high > form.magnitude_mask:
        found.append((max(bits.low, form.sign_mask) - form.sign_mask, bits.high - form.sign_mask, True))
    return found


def bits_of(a: FloatRange) -> Range | None:
    """The patterns of the members; None if they may be any."""
    form = format_of(a.sort)
    if a.nan or not a.has_numbers:
        return None
    low, high = ieee.from_python(form, a.low), ieee.from_python(form, a.high)
    if a.low > 0:
        return made(form.width, (low, high))
    if a.high < 0:
        return made(form.width, (high, low))
    if a.low == 0:  # there is -0, too
        return made(form.width, (0, form.sign_mask))
    return None


# --- comparisons ------------------------------------------------------------------------------------------------------


def equal_numbers(a: FloatRange, b: FloatRange) -> bool | None:
    """What C writes as `==`."""
    if not (a.has_numbers and b.has_numbers) or a.high < b.low or b.high < a.low:
        return False
    return True if not (a.nan or b.nan) and a.low == a.high == b.low == b.high else None


def identical(a: FloatRange, b: FloatRange) -> bool | None:
    apart = meet(a, b) is None
    return False if apart else True if a.constant is not None and a.constant == b.constant else None


def less(a: FloatRange, b: FloatRange) -> bool | None:
    if not (a.has_numbers and b.has_numbers) or a.low >= b.high:
        return False
    return True if not (a.nan or b.nan) and a.high < b.low else None


def less_or_equal(a: FloatRange, b: FloatRange) -> bool | None:
    if not (a.has_numbers and b.has_numbers) or a.low > b.high:
        return False
    return True if not (a.nan or b.nan) and a.high <= b.low else None


COMPARISONS: Mapping[Op, Callable[[FloatRange, FloatRange], bool | None]] = {
    ops.EQ: identical,
    ops.FP_EQ: equal_numbers,
    ops.FP_LT: less,
    ops.FP_LE: less_or_equal,
}


def _has_nan(a: FloatRange) -> bool | None:
    return None if a.nan and a.has_numbers else a.nan


def _has_infinity(a: FloatRange) -> bool | None:
    if not a.has_infinity:
        return False
    return True if a.low == a.high and not a.nan else None


def _has_zero(a: FloatRange) -> bool | None:
    if not a.has(0):
        return False
    return True if a.low == a.high and not a.nan else None


def _has_negative(a: FloatRange) -> bool | None:
    """Zeros have either sign."""
    if a.low > 0 or not a.has_numbers:
        return False
    return True if a.high < 0 and not a.nan else None


def _has_positive(a: FloatRange) -> bool | None:
    return _has_negative(negated(a))


CLASSES: Mapping[Op, Callable[[FloatRange], bool | None]] = {
    ops.FP_IS_NAN: _has_nan,
    ops.FP_IS_INFINITE: _has_infinity,
    ops.FP_IS_ZERO: _has_zero,
    ops.FP_IS_NEGATIVE: _has_negative,
    ops.FP_IS_POSITIVE: _has_positive,
}


# --- what comparisons say of their arguments --------------------------------------------------------------------------


def smaller(a: FloatRange, b: FloatRange, *, strict: bool) -> tuple[FloatRange | None, FloatRange | None]:
    """The members of `a` and of `b` between which a < b (or ≤) may hold."""
    high, low = (below(a.sort, b.high), above(b.sort, a.low)) if strict else (b.high, a.low)
    left = some(a.sort, a.low, min(a.high, high), nan=False) if b.has_numbers else None
    right = some(b.sort, max(b.low, low), b.high, nan=False) if a.has_numbers else None
    return left, right


def addend(total: FloatRange, other: FloatRange) -> FloatRange | None:
    """What x is, if x + other is in `total`, however it is rounded; None if that may be anything.

    A rounded sum is at least z only if the sum itself is above the float below z; and the difference that x is at least
    is rounded, too.
    """
    if total.nan or not total.has_numbers or not other.has_numbers:
        return None
    sort = total.sort
    low, high = below(sort, total.low) - other.high, above(sort, total.high) - other.low
    if math.isnan(low) or math.isnan(high):
        return None
    return FloatRange(sort, below(sort, nearest(sort, low)), above(sort, nearest(sort, high)), False)
