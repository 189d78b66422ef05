"""Names for the same sum are one: what is added up in another order, or in two loops, is not asked of a solver.

Bit-blasting knows nothing of x + y = y + x for sixty numbers. A sum over names is therefore looked at as a map from
parts to factors, with what the names stand for in their place, and found again by it.
"""

from __future__ import annotations

from craton.logic import BitVec, Sort, Term, ite, ops
from craton.logic.affine import Affine, affine, normal_sum
from craton.logic.terms import bv

MOST_PARTS = 256  # of a sum that is looked at as a map

Key = tuple[Sort, int, frozenset[tuple[Term, int]]]


class NamedSums:
    """The sums that names stand for. Law: two names are given for one sum only if it has more than `MOST_PARTS`."""

    def __init__(self) -> None:
        self._sums: dict[Term, Affine] = {}
        self._names: dict[Key, Term] = {}

    def known(self, term: Term) -> Term | None:
        """A name, or another term without arguments, that is equal to the term whatever its variables are."""
        sum_ = self._sum(term)
        if sum_ is None:
            return None
        if not sum_.factors:
            return sum_.term
        return self._names.get(_key(sum_))

    def note(self, name: Term, term: Term) -> None:
        """From now on the name stands for the term."""
        sum_ = self._sum(term)
        if sum_ is not None:
            self._sums[name] = sum_
            self._names[_key(sum_)] = name

    def _sum(self, term: Term) -> Affine | None:
        """The term as a sum of what no name stands for, in the end of itself; None if it is no number, or too long."""
        if not isinstance(term.sort, BitVec):
            return None
        return self._either(term) if term.op is ops.ITE else self._of_parts(affine(term))

    def _of_parts(self, outer: Affine) -> Affine | None:
        factors: dict[Term, int] = {}
        constant = outer.constant
        for part, factor in outer.factors.items():
            inner = self._sums.get(part)
            constant += factor * (0 if inner is None else inner.constant)
            for x, times in {part: 1}.items() if inner is None else inner.factors.items():
                factors[x] = factors.get(x, 0) + factor * times
        return normal_sum(factors, constant, outer.sort) if len(factors) <= MOST_PARTS else None

    def _either(self, term: Term) -> Affine | None:
        """`if c then s + 1 else s - 1` is s - 1 and what c adds to it."""
        condition, one, other = term.args
        first, second = self._of_parts(affine(one)), self._of_parts(affine(other))
        if first is None or second is None:
            return None
        if condition.op is ops.NOT:
            condition, first, second = condition.args[0], second, first
        added = first.minus(second)
        if added.factors or not added.constant:
            return normal_sum({term: 1}, 0, term.sort) if added.factors else second
        assert isinstance(term.sort, BitVec)
        chosen = ite(condition, added.term, bv(0, term.sort.width))
        return normal_sum({**second.factors, chosen: second.factors.get(chosen, 0) + 1}, second.constant, term.sort)


def _key(sum_: Affine) -> Key:
    return sum_.sort, sum_.constant, frozenset(sum_.factors.items())
