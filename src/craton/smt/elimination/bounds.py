"""Elimination of a variable that is only bounded: ∃x. l ≤ x ∧ x ≤ u is l ≤ u (Fourier and Motzkin, for coefficient
one).

Exact over Int, Real and, if all bounds use the same one of the two orders, bit-vectors: the largest lower bound itself
is the witness. Single excluded values, x ≠ t, do not matter if enough values remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from craton.logic import ops
from craton.logic.arithmetic import add, le, lt, neg, sub
from craton.logic.bitvectors import bvadd, bvsle, bvslt, bvule, bvult
from craton.logic.core import and_, eq, not_
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, INT, REAL, BitVec
from craton.logic.terms import TRUE, Term, bv, int_
from craton.logic.walk import free_variables
from craton.smt.elimination.equations import solve_for
from craton.smt.elimination.syntactic import Quantified, literals, occurring

_MOST_PAIRS = 16
_ORDERS: dict[Op, tuple[str, bool]] = {
    ops.LE: ("number", False),
    ops.LT: ("number", True),
    ops.BVULE: ("unsigned", False),
    ops.BVULT: ("unsigned", True),
    ops.BVSLE: ("signed", False),
    ops.BVSLT: ("signed", True),
}
_COMPARE = {"number": (le, lt), "unsigned": (bvule, bvult), "signed": (bvsle, bvslt)}


@dataclass(frozen=True, slots=True)
class Bound:
    """term ≤ x if `lower`, else x ≤ term; without equality if `strict`."""

    term: Term
    lower: bool
    strict: bool
    order: str


def resolve_bounds(variables: Sequence[Term], body: Term) -> Quantified:
    """Eliminates variables that occur only in bounds, one after another."""
    remaining = list(occurring(variables, body))
    progress = True
    while progress and remaining:
        progress = False
        parts = literals(body)
        for variable in remaining:
            mentioning = [p for p in parts if variable in free_variables(p)]
            resolved = _resolved(variable, mentioning)
            if resolved is not None:
                body = and_(resolved, *(p for p in parts if p not in mentioning))
                remaining = [v for v in occurring(remaining, body) if v is not variable]
                progress = True
                break
    return tuple(remaining), body


def _resolved(variable: Term, mentioning: Sequence[Term]) -> Term | None:
    bounds: list[Bound] = []
    exceptions = 0
    for part in mentioning:
        found = _bounds(variable, part)
        if found is not None:
            bounds += found
        elif _is_exception(variable, part):
            exceptions += 1
        else:
            return None
    if len({bound.order for bound in bounds}) > 1:
        return None
    lower = [b for b in bounds if b.lower]
    upper = [b for b in bounds if not b.lower]
    if len(lower) * len(upper) > _MOST_PAIRS or (exceptions and not _has_room(variable, exceptions, lower, upper)):
        return None
    # In a finite order, a single strict bound also excludes the last value.
    ends = [_not_at_the_end(b) for b in bounds if b.strict and isinstance(variable.sort, BitVec)]
    return and_(*ends, *(_between(low, high) for low, high in product(lower, upper)))


def _is_exception(variable: Term, part: Term) -> bool:
    """x ≠ t, which excludes at most one value."""
    if part.op is not ops.NOT or part.args[0].op is not ops.EQ or variable.sort is BOOL:
        return False
    solved = solve_for(variable, part.args[0])
    return solved is not None and solved[1] is TRUE


def _has_room(variable: Term, exceptions: int, lower: Sequence[Bound], upper: Sequence[Bound]) -> bool:
    """Are there more values than exceptions, for all values of the bounds?"""
    if variable.sort in (INT, REAL):
        return not lower or not upper
    return isinstance(variable.sort, BitVec) and not lower and not upper and exceptions < 1 << variable.sort.width


def _between(low: Bound, high: Bound) -> Term:
    """There is a value between the two."""
    at_most, less = _COMPARE[low.order]
    if not low.strict and not high.strict:
        return at_most(low.term, high.term)
    if not (low.strict and high.strict) or low.term.sort is REAL:
        return less(low.term, high.term)
    if low.term.sort is INT:
        return lt(add(low.term, int_(1)), high.term)
    assert isinstance(low.term.sort, BitVec)
    return and_(less(low.term, high.term), not_(eq(bvadd(low.term, bv(1, low.term.sort.width)), high.term)))


def _not_at_the_end(bound: Bound) -> Term:
    sort = bound.term.sort
    assert isinstance(sort, BitVec)
    largest = (1 << sort.width) - 1 if bound.order == "unsigned" else (1 << (sort.width - 1)) - 1
    smallest = 0 if bound.order == "unsigned" else 1 << (sort.width - 1)
    return not_(eq(bound.term, bv(largest if bound.lower else smallest, sort.width)))


def _bounds(variable: Term, part: Term) -> list[Bound] | None:
    if part.op not in _ORDERS:
        return None
    order, strict = _ORDERS[part.op]
    left, right = part.args
    if variable in free_variables(left) and variable in free_variables(right):
        return None
    if right is variable:
        return [Bound(left, True, strict, order)]
    if left is variable:
        return [Bound(right, False, strict, order)]
    if order != "number":
        return _interval(variable, left, right, strict, order)
    isolated = _isolated(variable, left, right, strict)
    return None if isolated is None else [isolated]


def _interval(variable: Term, left: Term, right: Term, strict: bool, order: str) -> list[Bound] | None:
    """The values x with c ≤ x + d, or x + d ≤ c. Bit-vectors wrap around, so these form an interval with two ends,
    unless it contains the wrap-around itself."""
    sort = variable.sort
    holder, limit = (left, right) if variable in free_variables(left) else (right, left)
    if not isinstance(sort, BitVec) or holder.op is not ops.BVADD or not limit.is_value or len(holder.args) != 2:
        return None
    shift = next((a for a in holder.args if a.is_value), None)
    if shift is None or variable not in holder.args:
        return None
    width = sort.width
    smallest = -(1 << (width - 1)) if order == "signed" else 0
    largest = smallest + (1 << width) - 1
    at = smallest + (limit.payload - smallest) % (1 << width)
    low, high = (smallest, at - strict) if holder is left else (at + strict, largest)
    if low > high:
        return None
    first, last = ((n - shift.payload - smallest) % (1 << width) + smallest for n in (low, high))
    if first > last:
        return None
    return [Bound(bv(first, width), True, False, order), Bound(bv(last, width), False, False, order)]


def _isolated(variable: Term, left: Term, right: Term, strict: bool) -> Bound | None:
    """Moves everything but the variable to the other side of left ≤ right."""
    upper = variable in free_variables(left)
    holder, other = (left, right) if upper else (right, left)
    while holder is not variable:
        places = [i for i, arg in enumerate(holder.args) if variable in free_variables(arg)]
        if len(places) != 1:
            return None
        (place,) = places
        if holder.op is ops.ADD:
            other = sub(other, add(*(a for i, a in enumerate(holder.args) if i != place)))
        elif holder.op is ops.SUB and place == 0:
            other = add(other, holder.args[1])
        elif holder.op is ops.SUB:
            other, upper = sub(holder.args[0], other), not upper
        elif holder.op is ops.NEG:
            other, upper = neg(other), not upper
        else:
            return None
        holder = holder.args[place]
    return Bound(other, not upper, strict, "number")
