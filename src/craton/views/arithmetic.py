"""Bit-vector operations on integers that need *the* unsigned or *the* signed value: comparisons, extensions, divisions,
masks, shifts. Only here wrap-around has a cost, and here it is decided whether there is any.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from craton.logic import (
    FALSE,
    Term,
    add,
    and_,
    div,
    eq,
    ge,
    implies,
    int_,
    ite,
    le,
    lt,
    mod,
    mul,
    neg,
    or_,
    sub,
)
from craton.views.bits import (
    Bits,
    bounds,
    constant,
    made,
    minus,
    plus,
    product,
    shifted_left,
    slice_of,
    with_ones,
)

# A mask with more runs of ones than this does not become a sum of slices.
_MOST_RUNS = 8
# A shift with more possible amounts than this does not become a case distinction, unless a constant is shifted.
_MOST_AMOUNTS = 8


class Overflow(enum.Enum):
    """What happens to sums and products that leave the range of their type."""

    WRAPS = "wraps around, as bits do"
    NEVER = "is taken not to happen"


class Shift(enum.Enum):
    LEFT = "zeros come in from below"
    RIGHT = "zeros come in from above"
    RIGHT_SIGNED = "the sign comes in from above"


class Unknowns:
    """Fresh variables for results that integers cannot express, and what is known about them."""

    def __init__(self, fresh: Callable[[], Term]) -> None:
        self.fresh = fresh
        self.variables: list[Term] = []
        self.facts: list[Term] = []

    def number(self, width: int, low: int, high: int, ones: int | None = None) -> Bits:
        chosen = self.fresh()
        self.variables.append(chosen)
        self.facts.append(and_(le(int_(low), chosen), le(chosen, int_(high))))
        return made(width, chosen, low, high, ones)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What each operation of the theory does on numbers.

    Law: with `Overflow.WRAPS` the result is congruent to what bits compute. With `Overflow.NEVER` nothing wraps around
    except C's conversions from negative to unsigned. This is unsound, so results must be re-checked in bits; but for a
    program that does not overflow, they are found much more easily.
    """

    overflow: Overflow = Overflow.WRAPS

    # --- the value itself ---------------------------------------------------------------------------------------------

    def unsigned(self, bits: Bits) -> Bits:
        """The value in 0 … 2^width - 1."""
        result = self._wrapped(bits, 0)
        return made(bits.width, result.term, result.low, min(result.high, bits.ones), bits.ones)

    def signed(self, bits: Bits) -> Bits:
        """The value in -2^(width-1) … 2^(width-1) - 1."""
        return self._wrapped(bits, -(1 << (bits.width - 1)))

    def valued(self, bits: Bits, is_signed: bool) -> Bits:
        return self.signed(bits) if is_signed else self.unsigned(bits)

    def _wrapped(self, bits: Bits, start: int) -> Bits:
        """The congruent number in [start, start + 2^width).

        If the bounds leave only two possibilities, a case distinction stays linear, which suits solvers and
        interpolation better than `mod`.
        """
        modulus, term = bits.modulus, bits.term
        if self.overflow is Overflow.NEVER and (start < 0 or bits.low >= 0):
            return made(bits.width, term, max(bits.low, start), min(bits.high, start + modulus - 1), bits.ones)
        first, last = (bits.low - start) // modulus, (bits.high - start) // modulus
        if first == last:
            shift = first * modulus
            return made(bits.width, add(term, int_(-shift)), bits.low - shift, bits.high - shift, bits.ones)
        if last == first + 1:
            border = start + last * modulus
            chosen = ite(lt(term, int_(border)), add(term, int_(-first * modulus)), add(term, int_(-last * modulus)))
        else:
            chosen = add(mod(add(term, int_(-start)), int_(modulus)), int_(start))
        return made(bits.width, chosen, start, start + modulus - 1, bits.ones)

    def _moderate(self, bits: Bits) -> Bits:
        """Wraps numbers with huge bounds, so that products of products stay printable."""
        limit = 1 << (3 * bits.width)
        return bits if -limit <= bits.low and bits.high <= limit else self.signed(bits)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def times(self, *parts: Bits) -> Bits:
        result = parts[0]
        for part in parts[1:]:
            result = product(self._moderate(result), self._moderate(part))
        return result

    def unsigned_quotient(self, a: Bits, b: Bits) -> Bits:
        a, b = self.unsigned(a), self.unsigned(b)
        quotient = made(a.width, div(a.term, b.term), 0, a.high // max(b.low, 1))
        return self._unless_zero(b, constant(-1, a.width), quotient, is_signed=False)

    def unsigned_remainder(self, a: Bits, b: Bits) -> Bits:
        a, b = self.unsigned(a), self.unsigned(b)
        if a.high < b.low:
            return a
        remainder = made(a.width, mod(a.term, b.term), 0, min(a.high, max(b.high - 1, 0)))
        return self._unless_zero(b, a, remainder, is_signed=False)

    def signed_quotient(self, a: Bits, b: Bits) -> Bits:
        """Truncating, unlike Int's Euclidean `div`: the two agree for non-negative dividends."""
        a, b = self.signed(a), self.signed(b)
        largest = max(abs(a.low), abs(a.high))
        low = 0 if a.low >= 0 and b.low >= 0 else -largest
        high = 0 if a.high <= 0 and b.low >= 0 else largest
        quotient = made(a.width, _by_sign(a, lambda x: div(x, b.term)), low, high)
        at_zero = made(a.width, ite(lt(a.term, int_(0)), int_(1), int_(-1)), -1, 1)
        return self._unless_zero(b, at_zero, quotient, is_signed=True)

    def signed_remainder(self, a: Bits, b: Bits) -> Bits:
        """The sign of the dividend, as in C."""
        a, b = self.signed(a), self.signed(b)
        most = max(abs(b.low), abs(b.high), 1) - 1
        low, high = max(-most, min(a.low, 0)), min(most, max(a.high, 0))
        remainder = made(a.width, _by_sign(a, lambda x: mod(x, b.term)), low, high)
        return self._unless_zero(b, a, remainder, is_signed=True)

    def signed_modulo(self, a: Bits, b: Bits) -> Bits:
        """The sign of the divisor."""
        a, b = self.signed(a), self.signed(b)
        euclidean = mod(a.term, b.term)
        downwards = ite(eq(euclidean, int_(0)), int_(0), add(euclidean, b.term))
        most = max(abs(b.low), abs(b.high), 1)
        modulo = made(a.width, ite(lt(b.term, int_(0)), downwards, euclidean), -most if b.low < 0 else 0, most)
        return self._unless_zero(b, a, modulo, is_signed=True)

    def _unless_zero(self, divisor: Bits, at_zero: Bits, otherwise: Bits, *, is_signed: bool) -> Bits:
        if divisor.low > 0 or divisor.high < 0:
            return otherwise
        return self.choice(eq(divisor.term, int_(0)), self.valued(at_zero, is_signed), otherwise)

    # --- cutting, joining, choosing -----------------------------------------------------------------------------------

    def zero_extended(self, by: int, a: Bits) -> Bits:
        a = self.unsigned(a)
        return made(a.width + by, a.term, a.low, a.high, a.ones)

    def sign_extended(self, by: int, a: Bits) -> Bits:
        a = self.signed(a)
        return made(a.width + by, a.term, a.low, a.high)

    def joined(self, *parts: Bits) -> Bits:
        """The first part is the most significant."""
        result = parts[0]
        for part in parts[1:]:
            low = self.unsigned(part)
            unit = 1 << part.width
            width = result.width + part.width
            term = add(mul(int_(unit), result.term), low.term)
            ones = result.ones << part.width | low.ones
            result = made(width, term, unit * result.low + low.low, unit * result.high + low.high, ones)
        return result

    def choice(self, condition: Term, then: Bits, otherwise: Bits) -> Bits:
        then, otherwise = self._near(then, otherwise), self._near(otherwise, then)
        return made(
            then.width,
            ite(condition, then.term, otherwise.term),
            min(then.low, otherwise.low),
            max(then.high, otherwise.high),
            then.ones | otherwise.ones,
        )

    def _near(self, a: Bits, other: Bits) -> Bits:
        """Writes a constant like the other number: signed next to signed, unsigned next to unsigned."""
        if a.constant is None or other.constant is not None:
            return a
        return self.valued(a, is_signed=other.low < 0)

    def rotated_left(self, by: int, a: Bits) -> Bits:
        by %= a.width
        if by == 0:
            return a
        return self.joined(slice_of(a.width - by - 1, 0, a), slice_of(a.width - 1, a.width - by, a))

    # --- comparisons --------------------------------------------------------------------------------------------------

    def same(self, a: Bits, b: Bits) -> Term:
        """Whether the numbers are congruent. Usually their difference is at most one or two times the modulus; none,
        where nothing wraps and both have a sign or both have none.
        """
        if self.overflow is Overflow.NEVER and (a.low < 0) == (b.low < 0):
            return eq(a.term, b.term)
        modulus = a.modulus
        least, most = -((b.high - a.low) // modulus), (a.high - b.low) // modulus
        if most - least < 2:
            return or_(FALSE, *(eq(a.term, add(b.term, int_(k * modulus))) for k in range(least, most + 1)))
        by_sign = sum(_fits(x, -(modulus >> 1)) for x in (a, b)) > sum(_fits(x, 0) for x in (a, b))
        return eq(self.valued(a, by_sign).term, self.valued(b, by_sign).term)

    def less(self, a: Bits, b: Bits, is_signed: bool) -> Term:
        return lt(self.valued(a, is_signed).term, self.valued(b, is_signed).term)

    def at_most(self, a: Bits, b: Bits, is_signed: bool) -> Term:
        return le(self.valued(a, is_signed).term, self.valued(b, is_signed).term)

    # --- bitwise operations -------------------------------------------------------------------------------------------

    def conjunction(self, a: Bits, b: Bits, unknowns: Unknowns) -> Bits:
        exact = self._exact_and(a, b)
        if exact is not None:
            return exact
        a, b = self.unsigned(a), self.unsigned(b)
        ones = a.ones & b.ones
        result = unknowns.number(a.width, 0, min(a.high, b.high, ones), ones)
        r = result.term
        most = a.ones | b.ones  # a & b = a + b - (a | b)
        unknowns.facts += [le(r, a.term), le(r, b.term), le(add(a.term, b.term, int_(-most)), r)]
        return result

    def disjunction(self, a: Bits, b: Bits, unknowns: Unknowns) -> Bits:
        exact = self._exact_and(a, b)
        if exact is not None:  # a | b = a + b - (a & b)
            return with_ones(minus(plus(a, b), exact), a.ones | b.ones)
        a, b = self.unsigned(a), self.unsigned(b)
        ones = a.ones | b.ones
        result = unknowns.number(a.width, max(a.low, b.low), min(a.high + b.high, ones), ones)
        r = result.term
        unknowns.facts += [le(a.term, r), le(b.term, r), le(r, add(a.term, b.term))]
        return result

    def difference(self, a: Bits, b: Bits, unknowns: Unknowns) -> Bits:
        """Exclusive or."""
        exact = self._exact_and(a, b)
        if exact is not None:  # a ^ b = a + b - 2 (a & b)
            return with_ones(minus(plus(a, b), shifted_left(1, exact)), a.ones | b.ones)
        a, b = self.unsigned(a), self.unsigned(b)
        ones = a.ones | b.ones
        result = unknowns.number(a.width, 0, min(a.high + b.high, ones), ones)
        r = result.term
        unknowns.facts += [
            le(r, add(a.term, b.term)),
            le(sub(a.term, b.term), r),
            le(sub(b.term, a.term), r),
            eq(eq(r, int_(0)), eq(a.term, b.term)),
        ]
        return result

    def _exact_and(self, a: Bits, b: Bits) -> Bits | None:
        """The conjunction if integers can express it; the result is unsigned."""
        if a.constant is not None:
            a, b = b, a
        if not a.ones & b.ones:
            return constant(0, a.width)
        mask = b.constant
        if mask is not None:
            return self._masked(a, mask)
        for x, y in ((a, b), (b, a)):
            if y.ones & (y.ones - 1) == 0:  # one bit at most
                bit = self._masked(x, y.ones)
                if bit is not None:
                    return self.choice(eq(self.unsigned(y).term, int_(0)), constant(0, a.width), bit)
        return None

    def _masked(self, a: Bits, mask: int) -> Bits | None:
        """a & mask as a sum of slices, one for each run of ones. Bits that are zero anyway may be included."""
        if a.ones & ~mask == 0:
            return self.unsigned(a)
        ones = mask & a.ones
        runs = min(_runs(ones), _runs(mask), key=len)
        if len(runs) > _MOST_RUNS:
            return None
        parts: list[Term] = []
        for low, high in runs:
            # A run that reaches the top needs no upper cut of the unsigned value.
            piece = self.unsigned(slice_of(high, low, a if high + 1 < a.width else self.unsigned(a)))
            parts.append(mul(int_(1 << low), piece.term))
        return made(a.width, add(*parts), 0, ones, ones) if parts else constant(0, a.width)

    # --- shifts -------------------------------------------------------------------------------------------------------

    def shifted(self, kind: Shift, by: int, a: Bits) -> Bits:
        """By a constant."""
        if by >= a.width and kind is not Shift.RIGHT_SIGNED:
            return constant(0, a.width)
        if kind is Shift.LEFT:
            return shifted_left(by, a)
        unit = 1 << min(by, a.width)
        a = self.valued(a, kind is Shift.RIGHT_SIGNED)
        ones = None if kind is Shift.RIGHT_SIGNED else a.ones >> by
        return made(a.width, div(a.term, int_(unit)), a.low // unit, a.high // unit, ones)

    def shift(self, kind: Shift, a: Bits, amount: Bits, unknowns: Unknowns) -> Bits:
        """By an amount that may be unknown."""
        amount = self.unsigned(amount)
        last = min(amount.high, a.width)  # all amounts from the width on have the same effect
        if last - amount.low <= _MOST_AMOUNTS or (a.constant is not None and a.width <= 64):
            result = self.shifted(kind, last, a)
            for by in reversed(range(amount.low, last)):
                result = self.choice(eq(amount.term, int_(by)), self.shifted(kind, by, a), result)
            return result
        a = self.valued(a, kind is Shift.RIGHT_SIGNED)
        if kind is Shift.LEFT:
            result = unknowns.number(a.width, *bounds(a.width, signed=False))
            unknowns.facts.append(implies(eq(amount.term, int_(0)), self.same(result, a)))
            unknowns.facts.append(implies(le(int_(a.width), amount.term), eq(result.term, int_(0))))
            return result
        return _shifted_right(a, amount, kind, unknowns)


def _shifted_right(a: Bits, amount: Bits, kind: Shift, unknowns: Unknowns) -> Bits:
    """Towards zero, or towards -1 if the sign is shifted in."""
    result = unknowns.number(a.width, min(a.low, 0), max(a.high, 0))
    r = result.term
    unknowns.facts.append(implies(eq(amount.term, int_(0)), eq(r, a.term)))
    halved = div(a.term, int_(2))
    some, far = le(int_(1), amount.term), le(int_(a.width), amount.term)
    rising = and_(le(int_(0), r), implies(some, le(r, halved)), implies(far, eq(r, int_(0))))
    if kind is Shift.RIGHT:
        unknowns.facts.append(and_(rising, le(r, a.term)))
        return result
    falling = and_(le(r, int_(-1)), le(a.term, r), implies(some, le(halved, r)), implies(far, eq(r, int_(-1))))
    unknowns.facts.append(ite(ge(a.term, int_(0)), and_(rising, le(r, a.term)), falling))
    return result


def _by_sign(a: Bits, of_magnitude: Callable[[Term], Term]) -> Term:
    if a.low >= 0:
        return of_magnitude(a.term)
    negative = neg(of_magnitude(neg(a.term)))
    return negative if a.high < 0 else ite(le(int_(0), a.term), of_magnitude(a.term), negative)


def _fits(bits: Bits, start: int) -> bool:
    return (bits.low - start) // bits.modulus == (bits.high - start) // bits.modulus


def _runs(mask: int) -> list[tuple[int, int]]:
    """Lowest and highest position of each run of ones."""
    found: list[tuple[int, int]] = []
    low = 0
    while mask >> low:
        if mask >> low & 1:
            length = next(n for n in count(1) if not mask >> (low + n) & 1)
            found.append((low, low + length - 1))
            low += length
        else:
            low += 1
    return found
