"""Are inequalities over the rationals consistent? If so a point says it, otherwise multipliers do (Farkas, Motzkin).

The general simplex of solvers (Dutertre, de Moura: A fast linear-arithmetic solver for DPLL(T), 2006), exact: each
inequality is a row with an upper bound; a row above its bound that no other row allows to sink is a contradiction,
and its factors are the multipliers. Such a contradiction is irreducible. Bland's rule makes it terminate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

from craton.logic.terms import Term
from craton.smt.farkas.forms import Form, Rational, Relation


@dataclass(frozen=True, slots=True)
class Point:
    """Values of atoms with which all inequalities hold; atoms that are not mentioned may have any."""

    values: Mapping[Term, Rational]


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Σ multiplier · form is a positive number, or zero with a strict inequality among them; all are positive."""

    of: Mapping[int, Rational]  # by the position of the inequality


@total_ordering
@dataclass(frozen=True, slots=True)
class _Near:
    """A number plus an infinitely small part, for strict inequalities."""

    number: Rational
    small: Rational = 0

    def __add__(self, other: _Near) -> _Near:
        return _Near(self.number + other.number, self.small + other.small)

    def __sub__(self, other: _Near) -> _Near:
        return _Near(self.number - other.number, self.small - other.small)

    def __mul__(self, factor: Rational) -> _Near:
        return _Near(self.number * factor, self.small * factor)

    def __truediv__(self, factor: Rational) -> _Near:
        return _Near(Fraction(self.number) / factor, Fraction(self.small) / factor)

    def __lt__(self, other: _Near) -> bool:
        return (self.number, self.small) < (other.number, other.small)


def solve(inequalities: Sequence[tuple[Form, Relation]]) -> Point | Multipliers:
    """For forms ≤ 0 and forms < 0."""
    for number, (form, relation) in enumerate(inequalities):
        if not form.factors and (form.constant > 0 or (form.constant == 0 and relation is Relation.BELOW)):
            return Multipliers({number: 1})
    return _Tableau(inequalities).solve()


class _Tableau:
    """Columns are numbers: below `count` the inequality with that number, then the atoms.

    Each row writes a basic column as a sum of the others; `value` satisfies all rows always, and the bounds of the
    columns that are not basic.
    """

    def __init__(self, inequalities: Sequence[tuple[Form, Relation]]) -> None:
        self.inequalities = inequalities
        self.count = len(inequalities)
        atoms = dict.fromkeys(atom for form, _ in inequalities for atom in form.factors)
        self.columns = {atom: self.count + i for i, atom in enumerate(atoms)}
        strict = any(relation is Relation.BELOW for _, relation in inequalities)
        zero: Any = _Near(0) if strict else Fraction(0)
        self.rows: dict[int, dict[int, Fraction]] = {}
        self.above: dict[int, Any] = {}  # by inequality: its bound
        for number, (form, relation) in enumerate(inequalities):
            self.rows[number] = {self.columns[atom]: Fraction(factor) for atom, factor in form.factors.items()}
            bound = Fraction(-form.constant)
            self.above[number] = _Near(bound, -1 if relation is Relation.BELOW else 0) if strict else bound
        self.value: list[Any] = [zero] * (self.count + len(atoms))

    def solve(self) -> Point | Multipliers:
        while True:
            row = next((b for b in sorted(self.rows) if b < self.count and self.value[b] > self.above[b]), None)
            if row is None:
                return self._point()
            column = self._entering(self.rows[row])
            if column is None:
                return Multipliers({row: Fraction(1), **{c: -factor for c, factor in self.rows[row].items()}})
            self._pivot(row, column)

    def _entering(self, row: Mapping[int, Fraction]) -> int | None:
        """The column whose change lets the row sink: atoms first, which are never in the way again."""
        free = [c for c in row if c >= self.count]
        if free:
            return min(free)
        able = [c for c, factor in row.items() if factor > 0 or self.value[c] < self.above[c]]
        return min(able, default=None)

    def _pivot(self, row: int, column: int) -> None:
        """The row sinks to its bound and leaves the basis; the column takes its place."""
        old = self.rows.pop(row)
        factor = old.pop(column)
        change = (self.above[row] - self.value[row]) / factor
        self.value[row] = self.above[row]
        self.value[column] = self.value[column] + change
        new = {c: -f / factor for c, f in old.items()}
        new[row] = 1 / factor
        for basic, other in self.rows.items():
            times = other.pop(column, None)
            if times is None:
                continue
            self.value[basic] = self.value[basic] + change * times
            for c, f in new.items():
                found = other.get(c, 0) + times * f
                if found:
                    other[c] = found
                else:
                    del other[c]
        self.rows[column] = new

    def _point(self) -> Point:
        """With a small number for the infinitely small one: halved until all strict inequalities hold."""
        if not self.value or isinstance(self.value[0], Fraction):
            return Point({atom: self.value[column] for atom, column in self.columns.items()})
        small = Fraction(1)
        while True:
            point = {
                atom: self.value[column].number + small * self.value[column].small
                for atom, column in self.columns.items()
            }
            values = ((form.at(point), relation) for form, relation in self.inequalities)
            if all(found < 0 or (found == 0 and relation is Relation.AT_MOST) for found, relation in values):
                return Point(point)
            small /= 2
