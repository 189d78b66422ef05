"""Bit-vector values as integers: what each operation of the theory does to them.

A `Bits` stands for a bit-vector of `width` bits by *some* integer that is congruent to it modulo 2^width, and knows
constant bounds of that integer. So sums, differences, products, left shifts and truncations need no wrap-around at all;
it is paid only where somebody asks for *the* unsigned or *the* signed value (comparisons, extensions, divisions,
assignments), and only if the bounds do not show that there is nothing to wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    not_,
    or_,
    sub,
)


@dataclass(frozen=True, slots=True)
class Bits:
    """`term` ≡ the bit-vector (mod 2^width), and low ≤ term ≤ high. `ones` has a 1 wherever the bit-vector may."""

    width: int
    term: Term
    low: int
    high: int
    ones: int

    @property
    def modulus(self) -> int:
        return 1 << self.width

    @property
    def constant(self) -> int | None:
        """The unsigned value, if it is known."""
        return self.low % self.modulus if self.low == self.high else None


def made(width: int, term: Term, low: int, high: int, ones: int | None = None) -> Bits:
    """`ones` is what the bounds show, unless more is known."""
    if term.is_value:
        low = high = term.payload
    full = (1 << width) - 1
    shown = (1 << high.bit_length()) - 1 if low >= 0 else full
    if low == high:
        shown = low & full
    known = full if ones is None else ones
    return Bits(width, term, low, high, shown & known & full)


def constant(number: int, width: int) -> Bits:
    """Numbers with the top bit set are mostly negative numbers, so that is how they are written."""
    number &= (1 << width) - 1
    if width > 1 and number >> (width - 1):
        number -= 1 << width
    return made(width, int_(number), number, number)


def bounds(width: int, signed: bool) -> tuple[int, int]:
    """The least and the greatest value of a variable of that width."""
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def in_range(term: Term, width: int, signed: bool) -> Term:
    low, high = bounds(width, signed)
    return and_(le(int_(low), term), le(term, int_(high)))


def of_range(term: Term, width: int, signed: bool) -> Bits:
    """A term that is known to be in the range of its width."""
    return made(width, term, *bounds(width, signed))


# --- the value itself -------------------------------------------------------------------------------------------------


def unsigned(bits: Bits) -> Bits:
    """The value in 0 … 2^width - 1."""
    result = _wrapped(bits, 0)
    return made(bits.width, result.term, result.low, min(result.high, bits.ones), bits.ones)


def signed(bits: Bits) -> Bits:
    """The value in -2^(width-1) … 2^(width-1) - 1."""
    return _wrapped(bits, -(1 << (bits.width - 1)))


def valued(bits: Bits, is_signed: bool) -> Bits:
    return signed(bits) if is_signed else unsigned(bits)


def _wrapped(bits: Bits, start: int) -> Bits:
    """The congruent number in [start, start + 2^width).

    Where the bounds leave two possibilities a case distinction stays linear, which solvers and interpolation like
    better than `mod`.
    """
    modulus, term = bits.modulus, bits.term
    if _ideal and (start < 0 or bits.low >= 0):
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


_ideal = False


@contextmanager
def ideal_numbers() -> Iterator[None]:
    """Inside, sums and products never leave the range of their type: nothing wraps around but what C converts from
    negative to unsigned. That is not so, and what is found here has to be looked at again in bits; but where a program
    does not overflow, it is found much more easily.
    """
    global _ideal
    before, _ideal = _ideal, True
    try:
        yield
    finally:
        _ideal = before


def _moderate(bits: Bits) -> Bits:
    """Numbers that have grown out of all proportion are wrapped, so that products of products stay printable."""
    limit = 1 << (3 * bits.width)
    return bits if -limit <= bits.low and bits.high <= limit else signed(bits)


# --- arithmetic -------------------------------------------------------------------------------------------------------


def plus(*parts: Bits) -> Bits:
    return made(
        parts[0].width,
        add(*(p.term for p in parts)),
        sum(p.low for p in parts),
        sum(p.high for p in parts),
    )


def minus(a: Bits, b: Bits) -> Bits:
    return made(a.width, sub(a.term, b.term), a.low - b.high, a.high - b.low)


def negated(a: Bits) -> Bits:
    return made(a.width, neg(a.term), -a.high, -a.low)


def complement(a: Bits) -> Bits:
    return made(a.width, sub(int_(-1), a.term), -1 - a.high, -1 - a.low)


def times(*parts: Bits) -> Bits:
    product = parts[0]
    for part in parts[1:]:
        product = _product(_moderate(product), _moderate(part))
    return product


def _product(a: Bits, b: Bits) -> Bits:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return made(a.width, mul(a.term, b.term), min(corners), max(corners))


def unsigned_quotient(a: Bits, b: Bits) -> Bits:
    a, b = unsigned(a), unsigned(b)
    quotient = made(a.width, div(a.term, b.term), 0, a.high // max(b.low, 1))
    return _unless_zero(b, constant(-1, a.width), quotient, is_signed=False)


def unsigned_remainder(a: Bits, b: Bits) -> Bits:
    a, b = unsigned(a), unsigned(b)
    if a.high < b.low:
        return a
    remainder = made(a.width, mod(a.term, b.term), 0, min(a.high, max(b.high - 1, 0)))
    return _unless_zero(b, a, remainder, is_signed=False)


def signed_quotient(a: Bits, b: Bits) -> Bits:
    """Truncating, where Int's `div` is Euclidean: for dividends that are not negative the two agree."""
    a, b = signed(a), signed(b)
    largest = max(abs(a.low), abs(a.high))
    low = 0 if a.low >= 0 and b.low >= 0 else -largest
    high = 0 if a.high <= 0 and b.low >= 0 else largest
    quotient = made(a.width, _by_sign(a, lambda x: div(x, b.term)), low, high)
    at_zero = made(a.width, ite(lt(a.term, int_(0)), int_(1), int_(-1)), -1, 1)
    return _unless_zero(b, at_zero, quotient, is_signed=True)


def signed_remainder(a: Bits, b: Bits) -> Bits:
    """The sign of the dividend, as in C."""
    a, b = signed(a), signed(b)
    most = max(abs(b.low), abs(b.high), 1) - 1
    low, high = max(-most, min(a.low, 0)), min(most, max(a.high, 0))
    remainder = made(a.width, _by_sign(a, lambda x: mod(x, b.term)), low, high)
    return _unless_zero(b, a, remainder, is_signed=True)


def signed_modulo(a: Bits, b: Bits) -> Bits:
    """The sign of the divisor."""
    a, b = signed(a), signed(b)
    euclidean = mod(a.term, b.term)
    downwards = ite(eq(euclidean, int_(0)), int_(0), add(euclidean, b.term))
    most = max(abs(b.low), abs(b.high), 1)
    modulo = made(a.width, ite(lt(b.term, int_(0)), downwards, euclidean), -most if b.low < 0 else 0, most)
    return _unless_zero(b, a, modulo, is_signed=True)


def _by_sign(a: Bits, of_magnitude: Callable[[Term], Term]) -> Term:
    if a.low >= 0:
        return of_magnitude(a.term)
    negative = neg(of_magnitude(neg(a.term)))
    return negative if a.high < 0 else ite(le(int_(0), a.term), of_magnitude(a.term), negative)


def _unless_zero(divisor: Bits, at_zero: Bits, otherwise: Bits, *, is_signed: bool) -> Bits:
    if divisor.low > 0 or divisor.high < 0:
        return otherwise
    return choice(eq(divisor.term, int_(0)), valued(at_zero, is_signed), otherwise)


# --- cutting, joining, choosing ---------------------------------------------------------------------------------------


def zero_extended(by: int, a: Bits) -> Bits:
    a = unsigned(a)
    return made(a.width + by, a.term, a.low, a.high, a.ones)


def sign_extended(by: int, a: Bits) -> Bits:
    a = signed(a)
    return made(a.width + by, a.term, a.low, a.high)


def slice_of(high: int, low: int, a: Bits) -> Bits:
    """Also of a number that is only congruent: what is too much lies above the slice's width."""
    width = high - low + 1
    if low == 0:
        return made(width, a.term, a.low, a.high, a.ones)
    unit = 1 << low
    return made(width, div(a.term, int_(unit)), a.low // unit, a.high // unit, a.ones >> low)


def joined(*parts: Bits) -> Bits:
    """The first part is the most significant."""
    result = parts[0]
    for part in parts[1:]:
        low = unsigned(part)
        unit = 1 << part.width
        width = result.width + part.width
        term = add(mul(int_(unit), result.term), low.term)
        ones = result.ones << part.width | low.ones
        result = made(width, term, unit * result.low + low.low, unit * result.high + low.high, ones)
    return result


def choice(condition: Term, then: Bits, otherwise: Bits) -> Bits:
    then, otherwise = _near(then, otherwise), _near(otherwise, then)
    return made(
        then.width,
        ite(condition, then.term, otherwise.term),
        min(then.low, otherwise.low),
        max(then.high, otherwise.high),
        then.ones | otherwise.ones,
    )


def _near(a: Bits, other: Bits) -> Bits:
    """A constant written as the other number is: signed beside signed, unsigned beside unsigned."""
    if a.constant is None or other.constant is not None:
        return a
    return valued(a, is_signed=other.low < 0)


def shifted_left(by: int, a: Bits) -> Bits:
    if by >= a.width:
        return constant(0, a.width)
    unit = 1 << by
    return made(a.width, mul(int_(unit), a.term), unit * a.low, unit * a.high, a.ones << by)


def shifted_right(by: int, a: Bits) -> Bits:
    """Zeros come in."""
    if by >= a.width:
        return constant(0, a.width)
    a = unsigned(a)
    unit = 1 << by
    return made(a.width, div(a.term, int_(unit)), a.low // unit, a.high // unit, a.ones >> by)


def shifted_right_signed(by: int, a: Bits) -> Bits:
    a = signed(a)
    unit = 1 << min(by, a.width)
    return made(a.width, div(a.term, int_(unit)), a.low // unit, a.high // unit)


def rotated_left(by: int, a: Bits) -> Bits:
    by %= a.width
    if by == 0:
        return a
    return joined(slice_of(a.width - by - 1, 0, a), slice_of(a.width - 1, a.width - by, a))


# --- comparisons ------------------------------------------------------------------------------------------------------


def same(a: Bits, b: Bits) -> Term:
    """Congruent numbers. Mostly their difference can be no more than one or two multiples of the modulus."""
    modulus = a.modulus
    least, most = -((b.high - a.low) // modulus), (a.high - b.low) // modulus
    if most - least < 2:
        return or_(FALSE, *(eq(a.term, add(b.term, int_(k * modulus))) for k in range(least, most + 1)))
    by_sign = sum(_fits(x, -(modulus >> 1)) for x in (a, b)) > sum(_fits(x, 0) for x in (a, b))
    return eq(valued(a, by_sign).term, valued(b, by_sign).term)


def _fits(bits: Bits, start: int) -> bool:
    return (bits.low - start) // bits.modulus == (bits.high - start) // bits.modulus


def less(a: Bits, b: Bits, is_signed: bool) -> Term:
    return lt(valued(a, is_signed).term, valued(b, is_signed).term)


def at_most(a: Bits, b: Bits, is_signed: bool) -> Term:
    return le(valued(a, is_signed).term, valued(b, is_signed).term)


def overflows(result: Bits, is_signed: bool) -> Term:
    """Of a result computed from values of that signedness: does it leave the range?"""
    return not_(in_range(result.term, result.width, is_signed))


# --- bitwise operations -----------------------------------------------------------------------------------------------

# A mask with more runs of ones than this is not worth a sum of slices.
_MOST_RUNS = 8
# A shift by one of more than this many amounts is not worth a case distinction, unless a constant is shifted.
_MOST_AMOUNTS = 8


class Unknowns:
    """Fresh variables for results that integers cannot express, and what is known of them."""

    def __init__(self, fresh: Callable[[], Term]) -> None:
        self.fresh = fresh
        self.variables: list[Term] = []
        self.facts: list[Term] = []

    def number(self, width: int, low: int, high: int, ones: int | None = None) -> Bits:
        chosen = self.fresh()
        self.variables.append(chosen)
        self.facts.append(and_(le(int_(low), chosen), le(chosen, int_(high))))
        return made(width, chosen, low, high, ones)


def conjunction(a: Bits, b: Bits, unknowns: Unknowns) -> Bits:
    exact = _exact_and(a, b)
    if exact is not None:
        return exact
    a, b = unsigned(a), unsigned(b)
    ones = a.ones & b.ones
    result = unknowns.number(a.width, 0, min(a.high, b.high, ones), ones)
    r = result.term
    most = a.ones | b.ones  # a & b = a + b - (a | b)
    unknowns.facts += [le(r, a.term), le(r, b.term), le(add(a.term, b.term, int_(-most)), r)]
    return result


def disjunction(a: Bits, b: Bits, unknowns: Unknowns) -> Bits:
    exact = _exact_and(a, b)
    if exact is not None:  # a | b = a + b - (a & b)
        return _rest(minus(plus(a, b), exact), a.ones | b.ones)
    a, b = unsigned(a), unsigned(b)
    ones = a.ones | b.ones
    result = unknowns.number(a.width, max(a.low, b.low), min(a.high + b.high, ones), ones)
    r = result.term
    unknowns.facts += [le(a.term, r), le(b.term, r), le(r, add(a.term, b.term))]
    return result


def difference(a: Bits, b: Bits, unknowns: Unknowns) -> Bits:
    """Exclusive or."""
    exact = _exact_and(a, b)
    if exact is not None:  # a ^ b = a + b - 2 (a & b)
        return _rest(minus(plus(a, b), shifted_left(1, exact)), a.ones | b.ones)
    a, b = unsigned(a), unsigned(b)
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


def _rest(bits: Bits, ones: int) -> Bits:
    return made(bits.width, bits.term, bits.low, bits.high, ones)


def _exact_and(a: Bits, b: Bits) -> Bits | None:
    """The conjunction where integers can say it; the result is unsigned."""
    if a.constant is not None:
        a, b = b, a
    if not a.ones & b.ones:
        return constant(0, a.width)
    mask = b.constant
    if mask is not None:
        return _masked(a, mask)
    for x, y in ((a, b), (b, a)):
        if y.ones & (y.ones - 1) == 0:  # one bit at most
            bit = _masked(x, y.ones)
            if bit is not None:
                return choice(eq(unsigned(y).term, int_(0)), constant(0, a.width), bit)
    return None


def _masked(a: Bits, mask: int) -> Bits | None:
    """a & mask as a sum of slices, one for each run of ones. Bits that are zero anyway may be counted in."""
    if a.ones & ~mask == 0:
        return unsigned(a)
    ones = mask & a.ones
    runs = min(_runs(ones), _runs(mask), key=len)
    if len(runs) > _MOST_RUNS:
        return None
    parts: list[Term] = []
    for low, high in runs:
        # A run that reaches the top needs no upper cut of the unsigned value.
        piece = unsigned(slice_of(high, low, a if high + 1 < a.width else unsigned(a)))
        parts.append(mul(int_(1 << low), piece.term))
    return made(a.width, add(*parts), 0, ones, ones) if parts else constant(0, a.width)


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


# --- shifts by unknown amounts ----------------------------------------------------------------------------------------


def shift(kind: Callable[[int, Bits], Bits], a: Bits, amount: Bits, unknowns: Unknowns) -> Bits:
    """`kind` is one of the shifts by a constant."""
    amount = unsigned(amount)
    last = min(amount.high, a.width)  # every amount from the width on does the same
    if last - amount.low <= _MOST_AMOUNTS or (a.constant is not None and a.width <= 64):
        result = kind(last, a)
        for by in reversed(range(amount.low, last)):
            result = choice(eq(amount.term, int_(by)), kind(by, a), result)
        return result
    is_signed = kind is shifted_right_signed
    a = valued(a, is_signed)
    far = le(int_(a.width), amount.term)
    if kind is shifted_left:
        result = unknowns.number(a.width, *bounds(a.width, signed=False))
        unknowns.facts.append(implies(eq(amount.term, int_(0)), same(result, a)))
        unknowns.facts.append(implies(far, eq(result.term, int_(0))))
        return result
    result = unknowns.number(a.width, min(a.low, 0), max(a.high, 0))
    r = result.term
    unknowns.facts.append(implies(eq(amount.term, int_(0)), eq(r, a.term)))
    halved = div(a.term, int_(2))
    some = le(int_(1), amount.term)
    # Towards zero, or towards -1 where the sign comes in.
    rising = and_(le(int_(0), r), implies(some, le(r, halved)), implies(far, eq(r, int_(0))))
    if not is_signed:
        unknowns.facts.append(and_(rising, le(r, a.term)))
        return result
    falling = and_(le(r, int_(-1)), le(a.term, r), implies(some, le(halved, r)), implies(far, eq(r, int_(-1))))
    unknowns.facts.append(ite(ge(a.term, int_(0)), and_(rising, le(r, a.term)), falling))
    return result
