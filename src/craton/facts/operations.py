"""What operations on bit-vectors do to ranges. Law: the result of members is a member of the result.

Sums, differences and products are computed on exact integers, once for the unsigned numbers and once for the signed
ones; an interval survives if all of it wraps around equally often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

from craton.facts.ranges import Range, constant, made, top
from craton.logic import ops
from craton.logic.ops import Op

Interval = tuple[int, int]
Congruence = tuple[int, int]

NO, YES, MAYBE = constant(0, 1), constant(1, 1), top(1)


def truth(holds: bool | None) -> Range:
    return MAYBE if holds is None else YES if holds else NO


def _or_top(found: Range | None, width: int) -> Range:
    """Ranges that are not empty give results that are not empty."""
    return top(width) if found is None else found


def wrapped(width: int, unsigned: Interval | None, signed: Interval | None, congruence: Congruence) -> Range:
    """The range of exact results, computed from unsigned numbers (with their congruence) and from signed ones."""
    full = 1 << width
    modulus, remainder = congruence
    fitting: Interval | None = None
    if unsigned is not None and unsigned[0] // full == unsigned[1] // full:
        shift = unsigned[0] // full * full
        fitting, remainder = (unsigned[0] - shift, unsigned[1] - shift), remainder - shift
        if modulus == 0:
            remainder %= full
    else:
        modulus = gcd(modulus, full)
    half = full >> 1
    within: Interval | None = None
    if signed is not None and (signed[0] + half) // full == (signed[1] + half) // full:
        shift = (signed[0] + half) // full * full
        within = signed[0] - shift, signed[1] - shift
    return _or_top(made(width, fitting, within, (modulus, remainder % modulus if modulus else remainder)), width)


# --- arithmetic -------------------------------------------------------------------------------------------------------


def plus(a: Range, b: Range) -> Range:
    congruence = gcd(a.modulus, b.modulus), a.remainder + b.remainder
    return wrapped(a.width, (a.low + b.low, a.high + b.high), (a.least + b.least, a.most + b.most), congruence)


def minus(a: Range, b: Range) -> Range:
    congruence = gcd(a.modulus, b.modulus), a.remainder - b.remainder
    return wrapped(a.width, (a.low - b.high, a.high - b.low), (a.least - b.most, a.most - b.least), congruence)


def negated(a: Range) -> Range:
    return minus(constant(0, a.width), a)


def complement(a: Range) -> Range:
    return minus(constant(-1, a.width), a)


def product(a: Range, b: Range) -> Range:
    congruence = (
        gcd(a.modulus * b.modulus, a.modulus * b.remainder, b.modulus * a.remainder),
        a.remainder * b.remainder,
    )
    signed = _corners(a, b)
    return wrapped(a.width, (a.low * b.low, a.high * b.high), signed, congruence)


def _corners(a: Range, b: Range) -> Interval:
    found = [x * y for x in (a.least, a.most) for y in (b.least, b.most)]
    return min(found), max(found)


def unsigned_quotient(a: Range, b: Range) -> Range:
    if b.low == 0:
        return top(a.width)
    return _or_top(made(a.width, (a.low // b.high, a.high // b.low)), a.width)


def unsigned_remainder(a: Range, b: Range) -> Range:
    if a.high < b.low:
        return a
    if b.low == 0:
        return _or_top(made(a.width, (0, a.high)), a.width)
    congruence = (1, 0) if b.constant is None else (gcd(a.modulus, b.constant), a.remainder)
    return _or_top(made(a.width, (0, min(a.high, b.high - 1)), None, congruence), a.width)


def signed_quotient(a: Range, b: Range) -> Range:
    """Truncating; -2^(w-1) / -1 wraps around."""
    if b.least <= 0 <= b.most:
        return top(a.width)
    found = [_truncated(x, y) for x in {a.least, a.most} for y in {b.least, b.most}]
    if a.least < 0 < a.most:
        found.append(0)
    return wrapped(a.width, None, (min(found), max(found)), (1, 0))


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def signed_remainder(a: Range, b: Range) -> Range:
    """The sign of the dividend; the dividend itself where the divisor is zero."""
    if b.least <= 0 <= b.most:
        return _or_top(made(a.width, None, (min(a.least, 0), max(a.most, 0))), a.width)
    most = max(abs(b.least), abs(b.most)) - 1
    return _or_top(made(a.width, None, (max(-most, min(a.least, 0)), min(most, max(a.most, 0)))), a.width)


# --- bits -------------------------------------------------------------------------------------------------------------


def _low_bits(a: Range, b: Range, combine: Callable[[int, int], int]) -> Congruence:
    """The bits that both know give bits that the result knows."""
    known = min(a.known_bits, b.known_bits, a.width)
    return 1 << known, combine(a.remainder, b.remainder) % (1 << known)


def bitwise_and(a: Range, b: Range) -> Range:
    for x, y in ((a, b), (b, a)):
        mask = y.constant
        if mask and mask & (mask + 1) == 0:
            if x.high <= mask:
                return x  # a mask of ones that changes nothing
            ones = mask.bit_length()
            return zero_extended(x.width - ones, extract(ones - 1, 0, x))
    congruence = _low_bits(a, b, lambda x, y: x & y)
    for x in (a, b):  # zeros at the end stay
        zeros = x.remainder & -x.remainder if x.remainder else 1 << x.width
        zeros = min(zeros, 1 << x.known_bits)
        if zeros > congruence[0]:
            congruence = zeros, 0
    return _or_top(made(a.width, (0, min(a.high, b.high)), None, congruence), a.width)


def bitwise_or(a: Range, b: Range) -> Range:
    most = (1 << max(a.high, b.high).bit_length()) - 1
    return _or_top(made(a.width, (max(a.low, b.low), most), None, _low_bits(a, b, lambda x, y: x | y)), a.width)


def bitwise_xor(a: Range, b: Range) -> Range:
    most = (1 << max(a.high, b.high).bit_length()) - 1
    return _or_top(made(a.width, (0, most), None, _low_bits(a, b, lambda x, y: x ^ y)), a.width)


def shifted_left(a: Range, b: Range) -> Range:
    if b.constant is None:
        return top(a.width)
    return product(a, constant(1 << b.constant, a.width)) if b.constant < a.width else constant(0, a.width)


def shifted_right(a: Range, b: Range) -> Range:
    return _or_top(made(a.width, (a.low >> min(b.high, a.width), a.high >> min(b.low, a.width))), a.width)


def shifted_right_signed(a: Range, b: Range) -> Range:
    by = min(b.low, a.width), min(b.high, a.width)
    found = [x >> y for x in (a.least, a.most) for y in by]
    return _or_top(made(a.width, None, (min(found), max(found))), a.width)


# --- cutting and joining ----------------------------------------------------------------------------------------------


def extract(high: int, low: int, a: Range) -> Range:
    if low:
        a = shifted_right(a, constant(low, a.width))
    return wrapped(high - low + 1, (a.low, a.high), (a.least, a.most), (a.modulus, a.remainder))


def zero_extended(by: int, a: Range) -> Range:
    return _or_top(made(a.width + by, (a.low, a.high), None, (a.modulus, a.remainder)), a.width + by)


def sign_extended(by: int, a: Range) -> Range:
    width = a.width + by
    if a.constant is not None:
        return constant(a.least, width)
    return _or_top(made(width, None, (a.least, a.most), (gcd(a.modulus, 1 << a.width), a.remainder)), width)


def concatenated(a: Range, b: Range) -> Range:
    unit, width = 1 << b.width, a.width + b.width
    congruence = gcd(unit * a.modulus, b.modulus), unit * a.remainder + b.remainder
    modulus = congruence[0]
    unsigned = unit * a.low + b.low, unit * a.high + b.high
    return _or_top(made(width, unsigned, None, (modulus, congruence[1] % modulus if modulus else congruence[1])), width)


# --- comparisons ------------------------------------------------------------------------------------------------------


def equal(a: Range, b: Range) -> bool | None:
    if a.constant is not None and a.constant == b.constant:
        return True
    shared = gcd(a.modulus, b.modulus)
    apart = a.high < b.low or b.high < a.low or a.most < b.least or b.most < a.least
    return False if apart or (shared and (a.remainder - b.remainder) % shared) else None


def below(a: Range, b: Range) -> bool | None:
    return True if a.high < b.low else False if a.low >= b.high else None


def at_most(a: Range, b: Range) -> bool | None:
    return True if a.high <= b.low else False if a.low > b.high else None


def less(a: Range, b: Range) -> bool | None:
    return True if a.most < b.least else False if a.least >= b.most else None


def less_or_equal(a: Range, b: Range) -> bool | None:
    return True if a.most <= b.least else False if a.least > b.most else None


BINARY: Mapping[Op, Callable[[Range, Range], Range]] = {
    ops.BVADD: plus,
    ops.BVSUB: minus,
    ops.BVMUL: product,
    ops.BVUDIV: unsigned_quotient,
    ops.BVUREM: unsigned_remainder,
    ops.BVSDIV: signed_quotient,
    ops.BVSREM: signed_remainder,
    ops.BVAND: bitwise_and,
    ops.BVOR: bitwise_or,
    ops.BVXOR: bitwise_xor,
    ops.BVSHL: shifted_left,
    ops.BVLSHR: shifted_right,
    ops.BVASHR: shifted_right_signed,
    ops.CONCAT: concatenated,
}
UNARY: Mapping[Op, Callable[[Range], Range]] = {ops.BVNEG: negated, ops.BVNOT: complement}
COMPARISONS: Mapping[Op, Callable[[Range, Range], bool | None]] = {
    ops.EQ: equal,
    ops.BVULT: below,
    ops.BVULE: at_most,
    ops.BVSLT: less,
    ops.BVSLE: less_or_equal,
}
