"""The values that terms of the bit-precise program become in a view."""

from __future__ import annotations

from dataclasses import dataclass

from craton.logic import BOOL, INT, REAL, Array, BitVec, Float, Sort, Term
from craton.views.bits import Bits


@dataclass(frozen=True, slots=True)
class Pair:
    """A float of the real view: its number (±2^(emax+1) for the infinities, 0 for NaN) and whether it is NaN. For an
    array of floats, the array of numbers and the array of truth values.
    """

    number: Term
    nan: Term


Value = Term | Bits | Pair


def holds_floats(sort: Sort) -> bool:
    while isinstance(sort, Array):
        sort = sort.element
    return isinstance(sort, Float)


def mentions_bits(sort: Sort) -> bool:
    """Do bit-vectors occur in the sort?"""
    if isinstance(sort, Array):
        return mentions_bits(sort.index) or mentions_bits(sort.element)
    return isinstance(sort, BitVec)


def mentions_floats(sort: Sort) -> bool:
    if isinstance(sort, Array):
        return mentions_floats(sort.index) or mentions_floats(sort.element)
    return isinstance(sort, Float)


def integer_sort(sort: Sort) -> Sort:
    """The sort with all bit-vectors replaced by integers."""
    if isinstance(sort, BitVec):
        return INT
    if isinstance(sort, Array):
        return Array(integer_sort(sort.index), integer_sort(sort.element))
    return sort


def pair_sorts(sort: Sort) -> tuple[Sort, Sort]:
    """The sorts of a `Pair` for a float or an array of floats."""
    if isinstance(sort, Array):
        number, nan = pair_sorts(sort.element)
        index = integer_sort(sort.index)
        return Array(index, number), Array(index, nan)
    return REAL, BOOL
