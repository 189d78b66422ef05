"""Equations with small integer coefficients between columns of numbers, found by elimination over the rationals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, prod

LARGEST_COEFFICIENT = 1_000
MOST_ROWS = 60  # used to find equations, which are then checked on all rows


@dataclass(frozen=True, slots=True)
class Relation:
    """The sum of the terms (each a coefficient and the columns to multiply) equals the constant."""

    terms: tuple[tuple[int, tuple[int, ...]], ...]
    constant: int


def relations(
    rows: Sequence[tuple[int, ...]], monomials: Sequence[tuple[int, ...]], width: int | None
) -> Iterator[Relation]:
    """A basis of the equations that all rows satisfy, modulo 2^width if a width is given.

    Numbers near the ends of the range may have wrapped around, so equations are searched for among small numbers.
    """
    small = rows if width is None else [row for row in rows if all(abs(x) < 1 << max(0, width - 4) for x in row)]
    table = [[Fraction(1), *(Fraction(_product(row, m)) for m in monomials)] for row in small[:MOST_ROWS]]
    if len(table) <= len(monomials):
        return  # too few rows: anything would fit
    for vector in nullspace(table, range(len(monomials), -1, -1)):  # later monomials are expressed by earlier ones
        scale = lcm(*(entry.denominator for entry in vector))
        numbers = [int(entry * scale) for entry in vector]
        common = gcd(*numbers)
        numbers = [number // common for number in numbers]
        if max(map(abs, numbers[1:])) > LARGEST_COEFFICIENT:
            continue
        found = Relation(tuple((n, m) for n, m in zip(numbers[1:], monomials, strict=True) if n), -numbers[0])
        if found.terms and all(_fulfilled(found, row, width) for row in rows):
            yield found


def _fulfilled(relation: Relation, row: tuple[int, ...], width: int | None) -> bool:
    difference = sum(n * _product(row, m) for n, m in relation.terms) - relation.constant
    return (difference if width is None else difference % (1 << width)) == 0


def _product(row: tuple[int, ...], monomial: tuple[int, ...]) -> int:
    return prod(row[column] for column in monomial)


def nullspace(table: list[list[Fraction]], order: Sequence[int]) -> Iterator[list[Fraction]]:
    """A basis of the vectors that every row of the table is orthogonal to; the table is used up. Columns that come
    early in the order are expressed by later ones.
    """
    pivots: list[int] = []
    for column in order:
        rank = len(pivots)
        pivot = next((i for i in range(rank, len(table)) if table[i][column]), None)
        if pivot is None:
            continue
        table[rank], table[pivot] = table[pivot], table[rank]
        lead = table[rank][column]
        table[rank] = [entry / lead for entry in table[rank]]
        for i, row in enumerate(table):
            if i != rank and row[column]:
                factor = row[column]
                table[i] = [x - factor * y for x, y in zip(row, table[rank], strict=True)]
        pivots.append(column)
    for free in range(len(order)):
        if free not in pivots:
            vector = [Fraction(0)] * len(order)
            vector[free] = Fraction(1)
            for rank, column in enumerate(pivots):
                vector[column] = -table[rank][free]
            yield vector
