"""Ranges: sets of bit-vectors as a signed and an unsigned interval and a congruence, each of which sharpens the others.

A Boolean is a range of one bit.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import gcd

LARGEST_MODULUS = 64  # of congruences that are not about bits: solvers are slow with remainders


@dataclass(frozen=True, slots=True)
class Range:
    """The bit-vectors x with low ≤ x ≤ high unsigned, least ≤ x ≤ most signed, and x ≡ remainder (mod modulus)
    unsigned. It is never empty. A modulus of 0 stands for equality.
    """

    width: int
    low: int
    high: int
    least: int
    most: int
    modulus: int = 1
    remainder: int = 0

    @property
    def constant(self) -> int | None:
        """The one member, unsigned, if there is only one."""
        return self.low if self.low == self.high else None

    @property
    def known_bits(self) -> int:
        """How many of the lowest bits are the same in all members."""
        return self.width if self.modulus == 0 else (self.modulus & -self.modulus).bit_length() - 1

    def contains(self, number: int) -> bool:
        number &= (1 << self.width) - 1
        signed = as_signed(number, self.width)
        congruent = number == self.remainder if self.modulus == 0 else number % self.modulus == self.remainder
        return self.low <= number <= self.high and self.least <= signed <= self.most and congruent

    def includes(self, other: Range) -> bool:
        return (
            self.low <= other.low
            and other.high <= self.high
            and self.least <= other.least
            and other.most <= self.most
            and _congruence_includes(self, other)
        )


def as_signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) else number


@cache
def top(width: int) -> Range:
    return Range(width, 0, (1 << width) - 1, -(1 << (width - 1)), (1 << (width - 1)) - 1)


@lru_cache(maxsize=4096)
def constant(number: int, width: int) -> Range:
    number &= (1 << width) - 1
    signed = as_signed(number, width)
    return Range(width, number, number, signed, signed, 0, number)


def halved(known: Range) -> list[Range]:
    """Ranges that cover it, split at the roundest of its numbers with or without sign, whichever are fewer."""
    if known.most - known.least < known.high - known.low:
        cut = roundest(known.least, known.most)
        parts = made(known.width, None, (known.least, cut - 1)), made(known.width, None, (cut, known.most))
    else:
        cut = roundest(known.low, known.high)
        parts = made(known.width, (known.low, cut - 1)), made(known.width, (cut, known.high))
    return [part for part in parts if part is not None]


def roundest(low: int, high: int) -> int:
    """The number above `low`, up to `high`, with the most zeros at its end: parts of numbers (words, exponents, signs)
    that differ in all of them are alike in fewer cuts there than in the middle, and there are no more cuts than bits.
    """
    if low < 0 <= high:
        return 0
    bits = (low ^ high).bit_length() - 1
    return high >> bits << bits


def made(
    width: int,
    unsigned: tuple[int, int] | None = None,
    signed: tuple[int, int] | None = None,
    congruence: tuple[int, int] = (1, 0),
) -> Range | None:
    """The range of all that is said, with each part as sharp as the others make it; None if it is empty."""
    full, half = 1 << width, 1 << (width - 1)
    low, high = (0, full - 1) if unsigned is None else (max(0, unsigned[0]), min(full - 1, unsigned[1]))
    least, most = (-half, half - 1) if signed is None else (max(-half, signed[0]), min(half - 1, signed[1]))
    modulus, remainder = congruence
    if modulus == 0:
        low, high, modulus = max(low, remainder), min(high, remainder), 1
    if modulus > LARGEST_MODULUS:
        modulus &= -modulus
    remainder %= modulus
    for _ in range(2):
        low, high = _from_signed(low, high, least, most, full)
        low += (remainder - low) % modulus
        high -= (high - remainder) % modulus
        if high < half:
            least, most = max(least, low), min(most, high)
        elif low >= half:
            least, most = max(least, low - full), min(most, high - full)
        shared = gcd(modulus, full)
        least += (remainder - least) % shared
        most -= (most - remainder) % shared
        if low > high or least > most:
            return None
    if low == high:
        return constant(low, width) if least <= as_signed(low, width) <= most else None
    return Range(width, low, high, least, most, modulus, remainder)


def _from_signed(low: int, high: int, least: int, most: int, full: int) -> tuple[int, int]:
    """The unsigned interval, given the signed one."""
    if least >= 0:
        return max(low, least), min(high, most)
    if most < 0:
        return max(low, least + full), min(high, most + full)
    if low > most:  # not among the numbers that are not negative
        low = max(low, least + full)
    if high < least + full:
        high = min(high, most)
    return low, high


# --- lattice ----------------------------------------------------------------------------------------------------------


def join(a: Range, b: Range) -> Range:
    """The least range with both."""
    if a is b:
        return a
    found = made(
        a.width,
        (min(a.low, b.low), max(a.high, b.high)),
        (min(a.least, b.least), max(a.most, b.most)),
        _joined_congruence(a, b),
    )
    assert found is not None
    return found


def meet(a: Range, b: Range) -> Range | None:
    """A range with all that both have; None if they have nothing in common."""
    congruence = _met_congruence(a, b)
    if congruence is None:
        return None
    unsigned = max(a.low, b.low), min(a.high, b.high)
    return made(a.width, unsigned, (max(a.least, b.least), min(a.most, b.most)), congruence)


def widened(old: Range, new: Range, thresholds: Sequence[int]) -> Range:
    """The bounds of `new` that lie outside of `old` move on to the next threshold; these are sorted, and are read as
    signed and as unsigned numbers alike.
    """
    low = old.low if new.low >= old.low else _down(new.low, thresholds, 0)
    high = old.high if new.high <= old.high else _up(new.high, thresholds, (1 << new.width) - 1)
    half = 1 << (new.width - 1)
    least = old.least if new.least >= old.least else _down(new.least, thresholds, -half)
    most = old.most if new.most <= old.most else _up(new.most, thresholds, half - 1)
    found = made(new.width, (low, high), (least, most), _joined_congruence(old, new))
    assert found is not None
    return found


def _down(number: int, thresholds: Sequence[int], last: int) -> int:
    position = bisect_right(thresholds, number) - 1
    return max(last, thresholds[position]) if position >= 0 else last


def _up(number: int, thresholds: Sequence[int], last: int) -> int:
    position = bisect_left(thresholds, number)
    return min(last, thresholds[position]) if position < len(thresholds) else last


def _joined_congruence(a: Range, b: Range) -> tuple[int, int]:
    modulus = gcd(a.modulus, b.modulus, a.remainder - b.remainder)
    return modulus, a.remainder % modulus if modulus else a.remainder


def _congruence_includes(a: Range, b: Range) -> bool:
    if a.modulus == 0:
        return b.modulus == 0 and a.remainder == b.remainder
    return b.modulus % a.modulus == 0 and b.remainder % a.modulus == a.remainder


def _met_congruence(a: Range, b: Range) -> tuple[int, int] | None:
    """One of them, or both if one implies the other; None if they exclude each other."""
    shared = gcd(a.modulus, b.modulus)
    if (a.remainder - b.remainder) % shared if shared else a.remainder != b.remainder:
        return None
    chosen = a if a.modulus == 0 or (b.modulus and a.modulus >= b.modulus) else b
    return chosen.modulus, chosen.remainder
