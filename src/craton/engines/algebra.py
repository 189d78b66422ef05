"""Equations that follow from others by algebra alone, as solvers see it last where other guesses stand beside them.

Terms are read as polynomials over whatever is no sum and no product, modulo 2^w for bit-vectors: there sums and
products wrap as the polynomials do, so what is shown is true in bits. An equation follows if its polynomial is a sum of
multiples of known ones, by numbers or by one factor. New values that depend on conditions are looked at case by case;
a condition that is an equation is known where it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from craton.logic import FALSE, INT, TRUE, BitVec, Sort, Term, conjuncts, eq, not_, ops, rebuild
from craton.logic.affine import affine
from craton.logic.walk import post_order, replaced

MOST_CASES = 4  # conditions
MOST_KNOWN = 24  # equations
MOST_TERMS = 60  # of one polynomial

Monomial = tuple[Term, ...]  # factors in the order of their making
Polynomial = Mapping[Monomial, int]

_BOUNDS = (ops.BVSLE, ops.BVULE, ops.LE)
_SUMS, _DIFFERENCES = (ops.BVADD, ops.ADD), (ops.BVSUB, ops.SUB)
_NEGATIONS, _PRODUCTS = (ops.BVNEG, ops.NEG), (ops.BVMUL, ops.MUL)


def is_nonlinear(term: Term) -> bool:
    """Whether it is an equation with a product of several things that vary."""
    if not _is_equation(term):
        return False
    return any(
        node.op in _PRODUCTS and sum(arg.op is not ops.VALUE for arg in node.args) > 1 for node in post_order(term)
    )


def needed_equations(known: Sequence[Term], guard: Term, goal: Term) -> list[Term] | None:
    """Known formulas from which, with the guard, the goal follows by algebra; None if it is not seen to. A goal that is
    `FALSE` asks whether an equation follows that the guard denies.
    """
    asked = conjuncts(guard)
    if goal is FALSE:
        denied = (part.args[0] for part in asked if part.op is ops.NOT and _is_equation(part.args[0]))
        found = (needed_equations(known, guard, equation) for equation in denied if is_nonlinear(equation))
        return next((needed for needed in found if needed is not None), None)
    equations = [(part, part) for part in known if _is_equation(part)]
    equations = [*_met(known, asked), *equations][:MOST_KNOWN]
    needed: dict[Term, None] = {}
    conditions = _conditions(goal, *asked)
    if len(conditions) > MOST_CASES:
        return None
    for holds in product((TRUE, FALSE), repeat=len(conditions)):
        values = dict(zip(conditions, holds, strict=True))
        here, *others = replaced((goal, *asked, *(equation for _, equation in equations)), values)
        if any(part is FALSE for part in others[: len(asked)]):
            continue
        truths = (condition if value is TRUE else not_(condition) for condition, value in values.items())
        said = [part for truth in truths for part in conjuncts(truth)]
        premises = [(None, part) for part in (*said, *others[: len(asked)]) if _is_equation(part)]
        told = [*premises, *zip((name for name, _ in equations), others[len(asked) :], strict=True)]
        used = _combination(here, [(name, part) for name, part in told if _is_equation(part)])
        if used is None:
            return None
        needed |= dict.fromkeys(used)
    return list(needed)


def _met(known: Sequence[Term], asked: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Bounds that are known and met, as equations: i ≤ n, where a loop ends that is gone around while i < n; and
    i ≤ n + 1 where n < i, so that n + 1 does not wrap.
    """
    found = []
    for part in known:
        if part.op in _BOUNDS:
            low, high = part.args
            below = not_(rebuild(part, (low, _one_less(high))))
            if rebuild(part, (high, low)) in asked or below in asked:
                found.append((part, eq(low, high)))
    return found


def _one_less(term: Term) -> Term:
    return affine(term).plus(-1).term


def _is_equation(term: Term) -> bool:
    return term.op is ops.EQ and (term.args[0].sort is INT or isinstance(term.args[0].sort, BitVec))


def _conditions(*terms: Term) -> list[Term]:
    """What numbers in them depend on."""
    found = (n.args[0] for n in post_order(*terms) if n.op is ops.ITE and (n.sort is INT or isinstance(n.sort, BitVec)))
    return list(islice(dict.fromkeys(found), MOST_CASES + 1))


def _combination(goal: Term, known: Sequence[tuple[Term | None, Term]]) -> list[Term] | None:
    """Those of the known equations, by their names, of which the goal is a sum of multiples."""
    if goal is TRUE:
        return []
    wanted = _difference(goal) if _is_equation(goal) else None
    if wanted is None:
        return None
    sort = goal.args[0].sort
    told = [(name, _difference(equation)) for name, equation in known if equation.args[0].sort is sort]
    waiting = [_Named(frozenset(() if name is None else (name,)), one) for name, one in told if one]
    asked, others = _Named(frozenset(), wanted), list[_Named]()
    while waiting:
        one = waiting.pop(0)
        solved = _solved(one.polynomial, sort)
        if solved is None:
            others.append(one)
            continue
        asked = asked.where(*solved, one.names)
        waiting = [other.where(*solved, one.names) for other in waiting]
        others = [other.where(*solved, one.names) for other in others]
    factors = dict.fromkeys(factor for monomial in asked.polynomial for factor in monomial)
    rows = [row for one in others for row in (one, *(one.times(factor) for factor in factors))]
    return _reduced(asked, rows, sort)


@dataclass(frozen=True, slots=True)
class _Named:
    """A polynomial, and what was used for it."""

    names: frozenset[Term]
    polynomial: Polynomial

    def times(self, factor: Term) -> _Named:
        return _Named(self.names, _times(self.polynomial, {(factor,): 1}))

    def where(self, factor: Term, value: Polynomial, names: frozenset[Term]) -> _Named:
        """With a value for a factor, which these names give."""
        if not any(factor in monomial for monomial in self.polynomial):
            return self
        total: Polynomial = {}
        for monomial, number in self.polynomial.items():
            part: Polynomial = {tuple(f for f in monomial if f is not factor): number}
            for _ in range(monomial.count(factor)):
                part = _times(part, value)
            total = _sum(total, part, 1)
        return _Named(self.names | names, total)


def _solved(polynomial: Polynomial, sort: Sort) -> tuple[Term, Polynomial] | None:
    """A factor that a linear equation gives, and what it is: one with a coefficient of one or minus one."""
    if any(len(monomial) > 1 for monomial in polynomial):
        return None
    units = (1, -1) if sort is INT else (1, -1, (1 << sort.width) - 1) if isinstance(sort, BitVec) else ()
    for monomial, number in polynomial.items():
        if monomial and number in units:
            rest = {m: n for m, n in polynomial.items() if m != monomial}
            return monomial[0], _sum({}, rest, -1 if number == 1 else 1)
    return None


def _reduced(wanted: _Named, rows: Sequence[_Named], sort: Sort) -> list[Term] | None:
    """The names of rows that are used to reduce a polynomial to nothing: by elimination, modulo 2^w only with pivots
    that have an inverse there.
    """
    modulus = 1 << sort.width if isinstance(sort, BitVec) else None
    pivots: list[tuple[Monomial, frozenset[Term], dict[Monomial, Fraction | int]]] = []

    def without_pivots(row: _Named) -> tuple[frozenset[Term], dict[Monomial, Fraction | int]]:
        names = row.names
        rest: dict[Monomial, Fraction | int] = {
            m: c if modulus is None else c % modulus for m, c in row.polynomial.items()
        }
        for monomial, used, pivot in pivots:
            factor = rest.get(monomial, 0)
            if factor:
                names |= used
                for m, c in pivot.items():
                    number = rest.get(m, 0) - factor * c
                    rest[m] = number if modulus is None else number % modulus
                rest = {m: c for m, c in rest.items() if c}
        return names, rest

    for row in rows:
        used, rest = without_pivots(row)
        lead = max((m for m, c in rest.items() if c and (modulus is None or c % 2)), key=len, default=None)
        if lead is not None:
            inverse = Fraction(1) / rest[lead] if modulus is None else pow(int(rest[lead]), -1, modulus)
            scaled = {m: c * inverse if modulus is None else int(c * inverse) % modulus for m, c in rest.items()}
            pivots.append((lead, used, scaled))
    used, rest = without_pivots(wanted)
    return None if any(rest.values()) else sorted(used, key=lambda term: term.serial)


def _difference(equation: Term) -> Polynomial | None:
    left, right = map(_polynomial, equation.args)
    return None if left is None or right is None else _sum(left, right, -1)


def _polynomial(term: Term) -> Polynomial | None:
    """None if it has very many terms."""
    known: dict[Term, Polynomial] = {}
    for node in post_order(term):
        if node.sort is not term.sort:
            continue
        parts = [known.get(arg, {}) for arg in node.args]
        if node.op is ops.VALUE:
            known[node] = {(): node.payload} if node.payload else {}
        elif node.op in _SUMS or node.op in _DIFFERENCES:
            total = parts[0]
            for part in parts[1:]:
                total = _sum(total, part, -1 if node.op in _DIFFERENCES else 1)
            known[node] = total
        elif node.op in _NEGATIONS:
            known[node] = _sum({}, parts[0], -1)
        elif node.op in _PRODUCTS:
            total = parts[0]
            for part in parts[1:]:
                total = _times(total, part)
            known[node] = total
        else:
            known[node] = {(node,): 1}
        if len(known[node]) > MOST_TERMS:
            return None
    return known[term]


def _sum(a: Polynomial, b: Polynomial, factor: int) -> Polynomial:
    total = Counter(a)
    for monomial, number in b.items():
        total[monomial] += factor * number
    return {monomial: number for monomial, number in total.items() if number}


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    total = Counter[Monomial]()
    for (m, x), (n, y) in product(a.items(), b.items()):
        total[tuple(sorted((*m, *n), key=lambda factor: factor.serial))] += x * y
    return {monomial: number for monomial, number in total.items() if number}
