"""Bit-vector values as integers, and the operations that need no wrap-around.

A `Bits` represents a bit-vector of `width` bits by *some* integer that is congruent to it modulo 2^width, and knows
constant bounds of that integer. So sums, differences, products, left shifts and truncations need no wrap-around at all.
It is needed only when *the* unsigned or *the* signed value is asked for (`arithmetic`), and only if the bounds do not
show that there is nothing to wrap.
"""

from __future__ import annotations

from dataclasses import dataclass

from craton.logic import Term, add, and_, div, int_, le, mul, neg, not_, sub


@dataclass(frozen=True, slots=True)
class Bits:
    """`term` ≡ the bit-vector (mod 2^width), and low ≤ term ≤ high. `ones` has a 1 for each bit that may be 1."""

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
    """`ones` is derived from the bounds, unless given."""
    if term.is_value:
        low = high = term.payload
    full = (1 << width) - 1
    shown = (1 << high.bit_length()) - 1 if low >= 0 else full
    if low == high:
        shown = low & full
    known = full if ones is None else ones
    return Bits(width, term, low, high, shown & known & full)


def constant(number: int, width: int) -> Bits:
    """Numbers with the top bit set are mostly negative numbers, so they are written as such."""
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


# --- exact operations -------------------------------------------------------------------------------------------------


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


def product(a: Bits, b: Bits) -> Bits:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return made(a.width, mul(a.term, b.term), min(corners), max(corners))


def slice_of(high: int, low: int, a: Bits) -> Bits:
    """Also correct for a number that is only congruent: the excess lies above the slice's width."""
    width = high - low + 1
    if low == 0:
        return made(width, a.term, a.low, a.high, a.ones)
    unit = 1 << low
    return made(width, div(a.term, int_(unit)), a.low // unit, a.high // unit, a.ones >> low)


def shifted_left(by: int, a: Bits) -> Bits:
    if by >= a.width:
        return constant(0, a.width)
    unit = 1 << by
    return made(a.width, mul(int_(unit), a.term), unit * a.low, unit * a.high, a.ones << by)


def overflows(result: Bits, is_signed: bool) -> Term:
    """Does a result computed from values of that signedness leave the range?"""
    return not_(in_range(result.term, result.width, is_signed))


def with_ones(bits: Bits, ones: int) -> Bits:
    """The same number with more precise `ones`."""
    return made(bits.width, bits.term, bits.low, bits.high, ones)
