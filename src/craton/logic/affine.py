"""Sums as maps from parts to factors: what indices of arrays mostly are, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from craton.logic import ops
from craton.logic.arithmetic import add, mul
from craton.logic.bitvectors import bvadd, bvmul, extract
from craton.logic.sorts import INT, BitVec, Sort
from craton.logic.terms import Term, bv, int_

_SUMS = (ops.BVADD, ops.ADD)
_PRODUCTS = (ops.BVMUL, ops.MUL)
_EXTENSIONS = (ops.SIGN_EXTEND, ops.ZERO_EXTEND)


@dataclass(frozen=True, slots=True)
class Affine:
    """Σ factor · part + constant, over integers or over bit-vectors of a width, where factors wrap as values do."""

    factors: Mapping[Term, int]
    constant: int
    sort: Sort

    def minus(self, other: Affine) -> Affine:
        factors = dict(self.factors)
        for part, factor in other.factors.items():
            factors[part] = _wrapped(factors.get(part, 0) - factor, self.sort)
        found = {part: factor for part, factor in factors.items() if factor}
        return Affine(found, _wrapped(self.constant - other.constant, self.sort), self.sort)

    def plus(self, number: int) -> Affine:
        return Affine(self.factors, _wrapped(self.constant + number, self.sort), self.sort)

    def times(self, number: int) -> Affine:
        return normal_sum({p: number * f for p, f in self.factors.items()}, number * self.constant, self.sort)

    def without(self, part: Term) -> Affine:
        return Affine({p: f for p, f in self.factors.items() if p is not part}, self.constant, self.sort)

    def divided(self, by: int) -> Affine | None:
        """As it stands, without a thought for wrapping; None if a number does not allow it."""
        if by == 0 or self.constant % by or any(factor % by for factor in self.factors.values()):
            return None
        return Affine({part: factor // by for part, factor in self.factors.items()}, self.constant // by, self.sort)

    @property
    def term(self) -> Term:
        if isinstance(self.sort, BitVec):
            width = self.sort.width
            parts = [part if factor == 1 else bvmul(bv(factor, width), part) for part, factor in self.factors.items()]
            return bvadd(*parts, bv(self.constant, width)) if parts else bv(self.constant, width)
        parts = [part if factor == 1 else mul(int_(factor), part) for part, factor in self.factors.items()]
        return add(*parts, int_(self.constant)) if parts else int_(self.constant)


def affine(term: Term) -> Affine:
    """The term as a sum; parts are whatever is neither a sum nor a multiple. The term is of integers or bit-vectors."""
    factors: dict[Term, int] = {}
    constant = 0
    waiting = [(term, 1)]
    while waiting:
        node, factor = waiting.pop()
        if node.op is ops.VALUE:
            constant += factor * node.payload
        elif node.op in _SUMS:
            waiting += [(arg, factor) for arg in node.args]
        elif node.op in _PRODUCTS and len(node.args) == 2 and any(arg.op is ops.VALUE for arg in node.args):
            number, other = sorted(node.args, key=lambda arg: arg.op is not ops.VALUE)
            waiting.append((other, factor * number.payload))
        elif node.op in (ops.BVNEG, ops.NEG):
            waiting.append((node.args[0], -factor))
        elif node.op in (ops.BVSUB, ops.SUB):
            first, *rest = node.args
            waiting += [(first, factor), *((arg, -factor) for arg in rest)]
        else:
            factors[node] = factors.get(node, 0) + factor
    return normal_sum(factors, constant, term.sort)


def normal_sum(factors: Mapping[Term, int], constant: int, sort: Sort) -> Affine:
    """The one form of a sum over these parts: factors near to zero, but none that is."""
    wrapped = {part: factor for part, number in factors.items() if (factor := _wrapped(number, sort))}
    return Affine(wrapped, _wrapped(constant, sort), sort)


def cases_of_sum(term: Term) -> Iterator[Term]:
    """What a sum of one part and a constant is in each case, where the part is told by cases."""
    sum_ = affine(term)
    ((part, factor),) = sum_.factors.items() if len(sum_.factors) == 1 else ((term, 0),)
    if factor != 1 or part.op is not ops.ITE:
        yield term
        return
    waiting, seen = [part], set()
    while waiting:
        case = waiting.pop()
        if case not in seen:
            seen.add(case)
            if case.op is ops.ITE:
                waiting += case.args[1:]
            else:
                yield affine(case).plus(sum_.constant).term


def low_part(term: Term, width: int) -> Term:
    """The low bits of a sum are the sum of low bits: what C computes in wider types and stores in narrow ones."""
    sort = term.sort
    assert isinstance(sort, BitVec)
    if sort.width <= width:
        return term
    if term.op in _EXTENSIONS:
        inner = term.args[0]
        assert isinstance(inner.sort, BitVec)
        if inner.sort.width >= width:
            return low_part(inner, width)
    if term.op is ops.BVADD:
        return bvadd(*(low_part(arg, width) for arg in term.args))
    if term.op is ops.BVMUL:
        return bvmul(*(low_part(arg, width) for arg in term.args))
    return extract(width - 1, 0, term)


def extended(term: Term) -> Term | None:
    """What a term is the extension of, if it is one."""
    return term.args[0] if term.op in _EXTENSIONS else None


def _wrapped(number: int, sort: Sort) -> int:
    """The representative nearest to zero."""
    if sort is INT or not isinstance(sort, BitVec):
        return number
    half = 1 << (sort.width - 1)
    return (number + half) % (1 << sort.width) - half
