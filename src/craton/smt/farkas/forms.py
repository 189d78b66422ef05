"""Linear forms over atoms, and the constraints that compare them with zero.

An atom is a term that is not itself a sum: a variable, a value read from an array, a product of variables, or a
Boolean term, which counts as 0 or 1. Of atoms nothing is known but what constraints say.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm
from typing import NamedTuple

from craton.logic import ops
from craton.logic.arithmetic import add, le, lt, mul
from craton.logic.core import eq, ite, not_
from craton.logic.sorts import BOOL, INT, REAL
from craton.logic.terms import FALSE, TRUE, Term, value

Rational = int | Fraction


class Form(NamedTuple):
    """Σ factor · atom + constant."""

    factors: Mapping[Term, Rational]  # none is zero
    constant: Rational

    def plus(self, other: Form, times: Rational = 1) -> Form:
        factors = dict(self.factors)
        for atom, factor in other.factors.items():
            found = factors.get(atom, 0) + times * factor
            if found:
                factors[atom] = found
            else:
                factors.pop(atom, None)
        return Form(factors, self.constant + times * other.constant)

    def times(self, number: Rational) -> Form:
        return Form(
            {atom: number * factor for atom, factor in self.factors.items()} if number else {}, number * self.constant
        )

    def at(self, point: Mapping[Term, Rational]) -> Rational:
        """Its value; atoms without one are zero."""
        return sum((factor * point.get(atom, 0) for atom, factor in self.factors.items()), self.constant)


def constant(number: Rational) -> Form:
    return Form({}, number)


def atom(term: Term) -> Form:
    return Form({term: 1}, 0)


class Relation(enum.Enum):
    """How a form compares with zero."""

    AT_MOST = "<="
    BELOW = "<"
    EQUAL = "="


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """`form` `relation` 0, as a part of a step."""

    form: Form
    relation: Relation
    step: int

    def holds(self, point: Mapping[Term, Rational]) -> bool:
        found = self.form.at(point)
        if self.relation is Relation.EQUAL:
            return found == 0
        return found < 0 or (found == 0 and self.relation is Relation.AT_MOST)


def constraint(form: Form, relation: Relation, step: int) -> Constraint:
    """The constraint, tightened if its atoms are integers: 2x + 1 ≤ 0 is x + 1 ≤ 0."""
    return Constraint(*tightened(form, relation), step)


def tightened(form: Form, relation: Relation) -> tuple[Form, Relation]:
    """An equivalent comparison with coprime integers as factors."""
    factors, number = form
    if not factors:
        return form, relation
    scale = lcm(*(factor.denominator for factor in factors.values()))
    shared = gcd(*(int(scale * factor) for factor in factors.values()))
    ratio = Fraction(scale, shared)
    whole = {term: int(ratio * factor) for term, factor in factors.items()}
    number = ratio * number
    if any(term.sort is REAL for term in factors):
        return Form(whole, number), relation
    if relation is Relation.EQUAL:
        return (Form(whole, int(number)), relation) if number.denominator == 1 else (constant(1), relation)
    if relation is Relation.BELOW:
        number = number + 1 if number.denominator == 1 else number
    return Form(whole, ceil(number)), Relation.AT_MOST


def formula(form: Form, relation: Relation) -> Term:
    """The comparison as a term: what is added on the left, what is subtracted on the right.

    Atoms stand in the order of their names, so that the same comparison at another cut is the same assertion there.
    """
    form, relation = tightened(form, relation)
    factors, number = form
    if not factors:
        holds = (
            number == 0 if relation is Relation.EQUAL else number < 0 or (number == 0 and relation is Relation.AT_MOST)
        )
        return TRUE if holds else FALSE
    literal = _literal(form, relation)
    if literal is not None:
        return literal
    sort = REAL if any(term.sort is REAL for term in factors) else INT
    ordered = sorted(factors.items(), key=lambda pair: (pair[0].op is not ops.VARIABLE, _order(pair[0])))
    if relation is Relation.EQUAL and ordered[0][1] < 0:
        ordered, number = [(term, -factor) for term, factor in ordered], -number
    left = [_product(term, factor, sort) for term, factor in ordered if factor > 0]
    right = [_product(term, -factor, sort) for term, factor in ordered if factor < 0]
    (left if number > 0 else right).append(_number(number if number > 0 else -number, sort))
    sides = [add(*side) if len(side) > 1 else side[0] if side else _number(0, sort) for side in (left, right)]
    return {Relation.AT_MOST: le, Relation.BELOW: lt, Relation.EQUAL: eq}[relation](*sides)


def _order(term: Term) -> str | int:
    return term.name if term.op is ops.VARIABLE else term.serial


def _literal(form: Form, relation: Relation) -> Term | None:
    """What a comparison says that is about one Boolean atom only."""
    (first, *others) = form.factors
    if others or first.sort is not BOOL:
        return None
    zero, one = (Constraint(form, relation, 0).holds({first: value}) for value in (0, 1))
    if zero == one:
        return TRUE if zero else FALSE
    return first if one else not_(first)


def _product(term: Term, factor: Rational, sort: object) -> Term:
    number = ite(term, _number(1, sort), _number(0, sort)) if term.sort is BOOL else term
    return number if factor == 1 else mul(_number(factor, sort), number)


def _number(number: Rational, sort: object) -> Term:
    return value(Fraction(number), REAL) if sort is REAL else value(int(number), INT)
