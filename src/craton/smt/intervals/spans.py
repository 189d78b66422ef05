"""Spans: sets of floats as intervals of ranks, with or without NaN.

The rank of a float is a whole number: floats have the order of their ranks, −0 comes just before +0, and neighbours
have ranks that differ by one. So bounds are exact in every format.
"""

from __future__ import annotations

from dataclasses import dataclass

from craton.logic import Float
from craton.logic.ieee import Format, is_nan
from craton.logic.terms import format_of


@dataclass(frozen=True, slots=True)
class Span:
    """The floats with ranks from low to high, and NaN if `nan`. It is never empty: without ranks it is NaN."""

    sort: Float
    low: int
    high: int
    nan: bool

    @property
    def has_numbers(self) -> bool:
        return self.low <= self.high

    @property
    def constant(self) -> int | None:
        """The pattern of the one member, if there is only one."""
        form = format_of(self.sort)
        if not self.has_numbers:
            return form.nan
        return pattern(form, self.low) if self.low == self.high and not self.nan else None

    def contains(self, bits: int) -> bool:
        form = format_of(self.sort)
        return self.nan if is_nan(form, bits) else self.low <= rank(form, bits) <= self.high


def rank(form: Format, bits: int) -> int:
    """Of a float that is not NaN."""
    return bits if bits < form.sign_mask else form.sign_mask - bits - 1


def pattern(form: Format, number: int) -> int:
    return number if number >= 0 else form.sign_mask - number - 1


def span(sort: Float, low: int, high: int, nan: bool) -> Span | None:
    """None if it is empty."""
    if low > high:
        return none_but_nan(sort) if nan else None
    return Span(sort, low, high, nan)


def all_floats(sort: Float) -> Span:
    return Span(sort, *outermost(sort), True)


def outermost(sort: Float) -> tuple[int, int]:
    """The ranks of the infinities."""
    infinity = format_of(sort).infinity
    return -infinity - 1, infinity


def none_but_nan(sort: Float) -> Span:
    return Span(sort, 1, 0, True)


def one(sort: Float, bits: int) -> Span:
    form = format_of(sort)
    return none_but_nan(sort) if is_nan(form, bits) else Span(sort, rank(form, bits), rank(form, bits), False)


def hull(a: Span, b: Span) -> Span:
    if not a.has_numbers or not b.has_numbers:
        numbers = a if a.has_numbers else b
        return Span(a.sort, numbers.low, numbers.high, a.nan or b.nan)
    return Span(a.sort, min(a.low, b.low), max(a.high, b.high), a.nan or b.nan)


def common(a: Span, b: Span) -> Span | None:
    return span(a.sort, max(a.low, b.low), min(a.high, b.high), a.nan and b.nan)


def pieces(known: Span) -> list[tuple[int, int]]:
    """Intervals of ranks in which all floats are of one class (infinite, finite, zero) and have one sign."""
    largest = outermost(known.sort)[1] - 1
    classes = (
        (-largest - 2, -largest - 2),
        (-largest - 1, -2),
        (-1, -1),
        (0, 0),
        (1, largest),
        (largest + 1, largest + 1),
    )
    cut = ((max(known.low, low), min(known.high, high)) for low, high in classes)
    return [(low, high) for low, high in cut if low <= high]
