"""Equations are solved first: in a trace formula most constraints define a variable, and what is left is small.

Equation k, solved for its variable v[k], is a row r[k] in which the variables that were solved for before do not
occur. Multipliers of rows are brought back to multipliers of equations in one pass from the last row to the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from craton.logic.terms import Term
from craton.smt.farkas.forms import Constraint, Form, Rational, Relation
from craton.smt.farkas.simplex import Multipliers, Point, solve


@dataclass(slots=True)
class _Row:
    variable: Term
    form: Form  # = 0; the factor of the variable is -1
    equation: int  # its position among the constraints
    scale: Rational  # form = scale · equation + Σ used · rows before
    used: Mapping[int, Rational]


def consistent(constraints: Sequence[Constraint]) -> Point | Multipliers:
    """For all constraints together. Multipliers of equations may be negative."""
    rows = _Rows(constraints)
    contradiction = rows.solved()
    if contradiction is not None:
        return contradiction
    inequalities: list[tuple[Form, Relation]] = []
    origins: list[tuple[int, dict[int, Rational]]] = []
    for number, one in enumerate(constraints):
        if one.relation is not Relation.EQUAL:
            form, used = rows.reduced(one.form)
            inequalities.append((form, one.relation))
            origins.append((number, used))
    answer = solve(inequalities)
    if isinstance(answer, Point):
        return Point(rows.extended(answer.values))
    return rows.multipliers([(*origins[position], factor) for position, factor in answer.of.items()])


class _Rows:
    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self._constraints = constraints
        self._rows: list[_Row] = []
        self._of: dict[Term, int] = {}  # variable → row

    def solved(self) -> Multipliers | None:
        """Solves all equations; the contradiction, if there is one."""
        seen: set[Term] = set()
        for number, one in enumerate(self._constraints):
            if one.relation is Relation.EQUAL:
                form, used = self.reduced(one.form)
                if form.factors:
                    self._add(number, form, used, seen)
                elif form.constant:
                    sign = 1 if form.constant > 0 else -1
                    return self.multipliers([(number, used, sign)])
            seen.update(one.form.factors)
        return None

    def _add(self, number: int, form: Form, used: dict[int, Rational], seen: set[Term]) -> None:
        """Solves for a variable that was not seen before, best with factor 1: such an equation defines it."""
        variable = min(form.factors, key=lambda v: (v in seen, abs(form.factors[v]) != 1))
        scale = Fraction(-1) / form.factors[variable]
        scaled = {row: scale * factor for row, factor in used.items()}
        self._of[variable] = len(self._rows)
        self._rows.append(_Row(variable, form.times(scale), number, scale, scaled))

    def reduced(self, form: Form) -> tuple[Form, dict[int, Rational]]:
        """The form without solved variables, and the multiples of rows that were added for this."""
        used: dict[int, Rational] = {}
        while True:
            # Rows in order: row k may mention the variables of later rows, never those of earlier ones.
            row = min((self._of[v] for v in form.factors if v in self._of), default=None)
            if row is None:
                return form, used
            factor = form.factors[self._rows[row].variable]
            form = form.plus(self._rows[row].form, factor)
            used[row] = used.get(row, 0) + factor

    def extended(self, values: Mapping[Term, Rational]) -> dict[Term, Rational]:
        """The point with the values of the solved variables."""
        point = dict(values)
        for row in reversed(self._rows):
            point[row.variable] = row.form.at(point)
        return point

    def multipliers(self, parts: Sequence[tuple[int, dict[int, Rational], Rational]]) -> Multipliers:
        """Of the constraints themselves, for a sum of reduced forms."""
        found: dict[int, Rational] = {}
        of_rows: dict[int, Rational] = {}
        for number, used, factor in parts:
            found[number] = found.get(number, 0) + factor
            for row, times in used.items():
                of_rows[row] = of_rows.get(row, 0) + factor * times
        for position in range(len(self._rows) - 1, -1, -1):
            factor = of_rows.get(position, 0)
            if factor:
                own = self._rows[position]
                found[own.equation] = found.get(own.equation, 0) + factor * own.scale
                for before, times in own.used.items():
                    of_rows[before] = of_rows.get(before, 0) + factor * times
        return Multipliers({number: factor for number, factor in found.items() if factor})
