"""Affine hulls: the linear equations that points satisfy, over the integers or modulo 2^width.

    Law: a hull contains every point that was added, and is the smallest affine set that does; adding a point that it
    does not contain makes it larger, which can happen only as often as there are columns (times the width, for bits).

Modulo 2^width (King and Søndergaard) equations hold however numbers wrap around, and low bits are equations, too: that
x is even is 2^(width-1)·x = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from craton.engines.relations import nullspace

Equation = tuple[int, ...]  # coefficients of the columns, and a constant: their sum is 0
ODD = (1, 3, 5, 7, 9, 11, 13, 15)  # a multiple by these of an equation modulo 2^width may have smaller coefficients


@dataclass(slots=True)
class Hull:
    """Equations of the points so far; of no point at all, None: everything holds of nothing."""

    columns: int
    width: int | None = None  # of bits; None for integers
    equations: tuple[Equation, ...] | None = None
    _rows: tuple[tuple[int, ...], ...] = ()

    def contains(self, point: Sequence[int]) -> bool:
        return self.equations is not None and all(self.holds(equation, point) for equation in self.equations)

    def holds(self, equation: Equation, point: Sequence[int]) -> bool:
        total = equation[-1] + sum(c * x for c, x in zip(equation, point, strict=False))
        return (total if self.width is None else total % (1 << self.width)) == 0

    def add(self, point: Sequence[int]) -> bool:
        """Whether the point is new to the hull."""
        if self.contains(point):
            return False
        self._rows = (*self._rows, (*point, 1))
        solutions = _of_integers if self.width is None else _of_bits
        self.equations = tuple(solutions(self._rows, self.columns + 1, self.width or 0))
        return True


def beyond(equations: Sequence[Equation], known: Sequence[Equation], width: int | None) -> list[Equation]:
    """The equations that are no sum of multiples of known ones, nor of those before them, as far as that is easily
    told: modulo 2^width only by odd coefficients.
    """
    span: list[tuple[int, tuple[int, ...]]] = []  # a column, and an equation with a coefficient there
    found: list[Equation] = []
    for number, equation in enumerate((*known, *equations)):
        rest = equation
        for column, one in span:
            rest = _without(rest, one, column, width)
        lead = next((c for c, x in enumerate(rest) if (x if width is None else x & 1)), None)
        if lead is not None:
            span.append((lead, rest))
        if number >= len(known) and any(rest):
            found.append(equation)
    return found


def _without(equation: Equation, one: Equation, column: int, width: int | None) -> Equation:
    """A multiple of the equation, less a multiple of another one: without a column."""
    if not equation[column]:
        return equation
    if width is None:
        rest = [x * one[column] - y * equation[column] for x, y in zip(equation, one, strict=True)]
        common = gcd(*rest) or 1
        return tuple(x // common for x in rest)
    factor = equation[column] * pow(one[column], -1, 1 << width)
    return tuple((x - factor * y) % (1 << width) for x, y in zip(equation, one, strict=True))


def _of_integers(rows: Sequence[Sequence[int]], columns: int, _width: int) -> Iterator[Equation]:
    """A basis of the vectors that are orthogonal to all rows."""
    for vector in nullspace([[Fraction(x) for x in row] for row in rows], range(columns)):
        scale = lcm(*(x.denominator for x in vector))
        numbers = [int(x * scale) for x in vector]
        common = gcd(*numbers)
        yield tuple(x // common for x in numbers)


def _of_bits(rows: Sequence[Sequence[int]], columns: int, width: int) -> Iterator[Equation]:
    """Generators of the vectors that are orthogonal to all rows, modulo 2^width.

    The pivot is always an entry with the fewest factors of two, so it divides all others: each step is exact.
    """
    modulus = 1 << width
    table = [[x % modulus for x in row] for row in rows]
    pivots: list[tuple[int, int]] = []  # column, and how often two divides the pivot
    while len(pivots) < min(len(table), columns):
        rank = len(pivots)
        taken = {column for column, _ in pivots}
        candidates = [
            (_twos(table[i][c]), c, i) for i in range(rank, len(table)) for c in range(columns) if c not in taken
        ]
        twos, column, chosen = min((one for one in candidates if one[0] >= 0), default=(-1, 0, 0))
        if twos < 0:
            break
        table[rank], table[chosen] = table[chosen], table[rank]
        inverse = pow(table[rank][column] >> twos, -1, modulus)
        table[rank] = [x * inverse % modulus for x in table[rank]]  # the pivot is 2^twos now
        for i, row in enumerate(table):
            if i > rank and row[column]:
                factor = row[column] >> twos
                table[i] = [(x - factor * y) % modulus for x, y in zip(row, table[rank], strict=True)]
        pivots.append((column, twos))
    yield from _solutions(table, pivots, columns, width)


def _solutions(
    table: Sequence[Sequence[int]], pivots: Sequence[tuple[int, int]], columns: int, width: int
) -> Iterator[Equation]:
    """Back substitution, once for each column that is free, and for the free high bits of each pivot's column."""
    modulus = 1 << width
    taken = {column for column, _ in pivots}
    starts = [(len(pivots), column, 1) for column in range(columns) if column not in taken]
    starts += [(rank, column, 1 << (width - twos)) for rank, (column, twos) in enumerate(pivots) if twos]
    for above, column, entry in starts:
        vector = [0] * columns
        vector[column] = entry
        for rank in range(above - 1, -1, -1):
            own, twos = pivots[rank]
            rest = sum(x * y for x, y in zip(table[rank], vector, strict=True)) - table[rank][own] * vector[own]
            vector[own] = (-(rest % modulus) >> twos) % modulus
        yield _shortest(vector, modulus)


def _twos(number: int) -> int:
    """How often two divides the number; -1 for zero, which has no end."""
    return (number & -number).bit_length() - 1


def _shortest(vector: Sequence[int], modulus: int) -> Equation:
    """The equation times a unit, with small coefficients."""

    def signed(x: int) -> int:
        return x - modulus if x > modulus // 2 else x

    multiples = [tuple(signed(x * k % modulus) for x in vector) for k in ODD]
    best = min(multiples, key=lambda one: max(map(abs, one[:-1]), default=0))
    lead = next((x for x in best if x), 1)
    return best if lead > 0 else tuple(signed(-x % modulus) for x in best)
