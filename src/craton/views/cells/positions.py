"""What is said of an index, said of the position that it is: of k instead of 3·i - 3."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from craton.logic import (
    BitVec,
    Term,
    bv,
    bvsub,
    bvudiv,
    bvurem,
    extract,
    fold,
    free_variables,
    ops,
    post_order,
    rebuild,
    sign_extend,
    substitute,
)
from craton.logic.affine import Affine, affine, extended, normal_sum
from craton.logic.sorts import INT, Sort
from craton.logic.walk import replaced

_SUMS = (ops.BVADD, ops.BVMUL, ops.BVNEG, ops.BVSUB, ops.ADD, ops.MUL, ops.NEG, ops.SUB)


def told_by(term: Term, index: Term, position: Term) -> Term:
    """The term with the position in the place of an index, as far as sums tell: if k is m·i + c then i is k - c for
    m = 1, and 2·m·i is 2·(k - c). What depends on i otherwise stays as it is.
    """
    sum_ = affine(index)
    variable = _variable(sum_)
    if variable is None:
        return fold(term, lambda node, args: position if node is index else rebuild(node, args) if args else node)
    factor = sum_.factors[variable]
    rest = sum_.without(variable)

    def told(outer: Affine) -> Term | None:
        """q·m·i + r as q·(k - c) + r."""
        times, remainder = divmod(outer.factors[variable], factor)
        if remainder:
            return None
        factors = {part: f for part, f in outer.factors.items() if part is not variable}
        for part, f in rest.factors.items():
            factors[part] = factors.get(part, 0) - times * f
        factors[position] = factors.get(position, 0) + times
        return normal_sum(factors, outer.constant - times * rest.constant, outer.sort).term

    def visit(node: Term, args: list[Term]) -> Term:
        if node is index:
            return position
        new = rebuild(node, args) if args else node
        if new.sort is not index.sort or (new is not variable and new.op not in _SUMS):
            return new
        outer = affine(new)
        if variable in outer.factors:
            return told(outer) or new
        return outer.term if position in free_variables(new) else new

    found = fold(term, visit)
    wide = _low_part_of(variable)
    return found if wide is None else substitute(found, {wide: _as_wide(told(affine(variable)) or variable, wide.sort)})


def _low_part_of(part: Term) -> Term | None:
    """The variable whose low bits a part is: a counter that is wider than addresses."""
    if part.op is ops.EXTRACT and part.payload[1] == 0 and part.args[0].is_variable:
        return part.args[0]
    return None


def _as_wide(number: Term, sort: Sort) -> Term:
    assert isinstance(number.sort, BitVec) and isinstance(sort, BitVec)
    return sign_extend(sort.width - number.sort.width, number)


def moving(index: Affine) -> dict[Term, Term]:
    """The variables of a sum, extended or not, as its parts."""
    inner = {part: extended(part) or _low_part_of(part) or part for part in index.factors}
    return {part: variable for part, variable in inner.items() if variable.is_variable}


def told_by_rows(term: Term, index: Term, position: Term) -> Term:
    """The term with rows and columns told by the position: if k is 1500·i + j, and j below 1500, then i is k / 1500
    and j is what remains. The term itself, if the index is not of rows, or not in this order.
    """
    sum_ = affine(index)
    if not isinstance(position.sort, BitVec) or index.sort is not position.sort or len(sum_.factors) < 2:
        return term
    parts = sorted(moving(sum_), key=lambda part: -sum_.factors[part])
    sizes = [sum_.factors[part] for part in parts]
    nested = all(small > 0 and large > small and large % small == 0 for large, small in pairwise(sizes))
    if not nested or len(parts) < len(sum_.factors):
        return term
    width = position.sort.width
    rest = bvsub(position, bv(sum_.constant, width))
    told = {}
    for part, size in zip(parts, sizes, strict=True):
        told[part] = bvudiv(rest, bv(size, width))
        rest = bvurem(rest, bv(size, width))
        variable = extended(part)
        if variable is not None and isinstance(variable.sort, BitVec):
            told[variable] = extract(variable.sort.width - 1, 0, told[part])
    return replaced((term,), told | _whole_indices(term, sum_, position))[0]


def _whole_indices(term: Term, index: Affine, position: Term) -> dict[Term, Term]:
    """Sums in a term that are multiples of the index, but for a constant, told by the position."""
    found = {}
    part, factor = next(iter(index.factors.items()))
    for node in post_order(term):
        if node.op in _SUMS and node.sort is index.sort:
            outer = affine(node)
            times = outer.factors.get(part, 0) // factor
            rest = outer.minus(index.times(times))
            if times and not rest.factors:
                found[node] = normal_sum({position: times}, rest.constant, index.sort).term
    return found


def _variable(index: Affine) -> Term | None:
    """What an index moves with: the part of the least factor, the last made of several."""
    if not isinstance(index.sort, BitVec) and index.sort is not INT:
        return None
    parts = moving(index)
    return min(parts, key=lambda part: (abs(index.factors[part]), -parts[part].serial), default=None)


def leaves(value: Term) -> Iterator[Term]:
    """What a term is, case by case."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node.op is ops.ITE:
            waiting += node.args[1:]
        else:
            yield node


def asked_by(value: Term) -> Iterator[Term]:
    """The conditions of its cases."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node.op is ops.ITE:
            yield node.args[0]
            waiting += node.args[1:]
