"""For which values of several variables an index that speaks of them is another index.

    4·r·m + 4·c + 65536   is   4·(i + 1)·m + 4·j + 65532   for   r = i + 1 and c = j - 1

Sums are compared as polynomials, the parts with most factors, and those with the largest number, first: what they leave
is for the next. Values that do not fit do no harm where it is only asked what may be worth looking at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from craton.logic import ops
from craton.logic.affine import affine, cases_of_sum, extended, low_part
from craton.logic.arithmetic import add, mul
from craton.logic.bitvectors import bvadd, bvmul
from craton.logic.semantics import to_signed
from craton.logic.sorts import BitVec, Sort
from craton.logic.terms import Term, value
from craton.logic.walk import free_variables

_MOST_MONOMIALS = 16

Monomial = tuple[Term, ...]  # what is multiplied, in the order of making
Polynomial = Mapping[Monomial, int]


def together(pattern: Term, variables: Sequence[Term], index: Term) -> Iterator[tuple[Term, ...]]:
    """Values of the variables for which the pattern may be the index: none if a variable is in several of its parts, or
    in none, or two are in one.
    """
    if pattern.sort is index.sort:
        for found in _matches(unwrapped(pattern), frozenset(variables), unwrapped(index)):
            if len(found) == len(variables):
                yield tuple(found[variable] for variable in variables)


def unwrapped(index: Term) -> Term:
    """Over integers: without the thought that addresses could wrap around."""
    if index.op is ops.ITE:
        return min(cases_of_sum(index), key=lambda case: abs(affine(case).constant))
    return index.args[0] if index.op is ops.MOD else index


def _matches(pattern: Term, variables: frozenset[Term], index: Term) -> Iterator[dict[Term, Term]]:
    """What the variables of the pattern may be."""
    if pattern in variables:
        yield {pattern: index}
        return
    shape, whole = polynomial(pattern), polynomial(index)
    if shape is None or whole is None:
        return
    open_, fixed = [], {}
    for monomial, factor in shape.items():
        spoken_of = [part for part in monomial if free_variables(part) & variables]
        if not spoken_of:
            fixed[monomial] = factor
        elif len(spoken_of) == 1 and (spoken_of[0] in variables or extended(spoken_of[0]) is not None):
            rest = list(monomial)
            rest.remove(spoken_of[0])
            open_.append((spoken_of[0], tuple(rest), factor))
        else:
            return
    open_.sort(key=lambda one: (-len(one[1]), -abs(one[2])))
    left = _sum([whole, _product({(): -1}, fixed)])
    if left is not None:
        yield from _solved(open_, left, variables)


def _solved(
    open_: Sequence[tuple[Term, Monomial, int]], left: Polynomial, variables: frozenset[Term]
) -> Iterator[dict[Term, Term]]:
    """Values for which the sum of these products is what is left."""
    if not open_:
        yield {}
        return
    (part, fixed, factor), *others = open_
    for quotient in _quotients(left, fixed, factor, last=not others):
        rest = _sum([left, _product({(): -factor}, _product({fixed: 1}, quotient))])
        inner = _inner_term(part, quotient)
        if rest is None or inner is None:
            continue
        for found in _matches(extended(part) or part, variables, inner):
            if found.keys() == free_variables(part) & variables:
                for more in _solved(others, rest, variables):
                    if found.keys().isdisjoint(more):
                        yield found | more


def _quotients(left: Polynomial, fixed: Monomial, factor: int, *, last: bool) -> Iterator[Polynomial]:
    """What times the fixed part and the factor makes up most of what is left, in different ways; all, if nobody comes
    after.
    """
    within = {}
    for monomial, number in left.items():
        other = _without(monomial, fixed)
        if other is not None:
            within[other] = number
    if last:
        if len(within) == len(left) and not any(number % factor for number in within.values()):
            yield {m: number // factor for m, number in within.items()}
        return
    near = {m: (2 * number + factor) // (2 * factor) for m, number in within.items()}
    near = {m: times for m, times in near.items() if times}
    yield near
    if () in near:  # a constant may be said of this one, or of what comes after
        yield {m: times for m, times in near.items() if m}


def _without(monomial: Monomial, fixed: Monomial) -> Monomial | None:
    rest = list(monomial)
    for part in fixed:
        if part not in rest:
            return None
        rest.remove(part)
    return tuple(rest)


def _inner_term(part: Term, quotient: Polynomial) -> Term | None:
    """The sum as a term of the part's sort; or, if it is an extension, of the sort of what was extended."""
    inner = extended(part)
    if inner is None:
        return _term(quotient, part.sort)
    assert isinstance(inner.sort, BitVec)
    narrow: dict[Monomial, int] = {}
    for monomial, factor in quotient.items():
        parts = [extended(each) for each in monomial]
        if any(each is None or each.sort is not inner.sort for each in parts):
            return low_part(_term(quotient, part.sort), inner.sort.width)
        narrow[tuple(each for each in parts if each is not None)] = factor
    return _term(narrow, inner.sort)


def polynomial(term: Term) -> Polynomial | None:
    """A sum of products, of integers or bit-vectors; None if it has too many."""
    if term.op is ops.VALUE:
        number = to_signed(term.sort.width, term.payload) if isinstance(term.sort, BitVec) else term.payload
        return {(): number} if number else {}
    if term.op in (ops.BVADD, ops.ADD):
        return _sum([polynomial(arg) for arg in term.args])
    if term.op in (ops.BVMUL, ops.MUL):
        found: Polynomial | None = {(): 1}
        for arg in term.args:
            found = _product(found, polynomial(arg))
        return found
    if term.op in (ops.BVNEG, ops.NEG):
        return _product({(): -1}, polynomial(term.args[0]))
    if term.op in (ops.BVSUB, ops.SUB):
        first, *rest = term.args
        return _sum([polynomial(first), *(_product({(): -1}, polynomial(arg)) for arg in rest)])
    return {(term,): 1}


def _sum(parts: Sequence[Polynomial | None]) -> Polynomial | None:
    found: dict[Monomial, int] = {}
    for part in parts:
        if part is None:
            return None
        for monomial, factor in part.items():
            found[monomial] = found.get(monomial, 0) + factor
    return {m: f for m, f in found.items() if f} if len(found) <= _MOST_MONOMIALS else None


def _product(one: Polynomial | None, other: Polynomial | None) -> Polynomial | None:
    if one is None or other is None or len(one) * len(other) > _MOST_MONOMIALS:
        return None
    return _sum(
        [
            {tuple(sorted(m + n, key=lambda t: t.serial)): f * g}
            for (m, f), (n, g) in product(one.items(), other.items())
        ]
    )


def _term(sum_: Polynomial, sort: Sort) -> Term:
    is_bits = isinstance(sort, BitVec)
    times, plus = (bvmul, bvadd) if is_bits else (mul, add)
    parts = []
    for monomial, factor in sum_.items():
        parts.append(value(factor, sort) if factor != 1 or not monomial else monomial[0])
        for part in monomial[1:] if factor == 1 else monomial:
            parts[-1] = times(parts[-1], part)
    return plus(*parts) if len(parts) > 1 else parts[0] if parts else value(0, sort)
