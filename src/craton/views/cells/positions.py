"""What is said of an index, said of the position that it is: of k instead of 3·i - 3."""

from __future__ import annotations

from craton.logic import BitVec, Term, fold, free_variables, ops, rebuild
from craton.logic.affine import Affine, affine, extended, normal_sum
from craton.logic.sorts import INT

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

    return fold(term, visit)


def moving(index: Affine) -> dict[Term, Term]:
    """The variables of a sum, extended or not, as its parts."""
    inner = {part: extended(part) or part for part in index.factors}
    return {part: variable for part, variable in inner.items() if variable.is_variable}


def _variable(index: Affine) -> Term | None:
    """What an index moves with: the part of the least factor, the last made of several."""
    if not isinstance(index.sort, BitVec) and index.sort is not INT:
        return None
    parts = moving(index)
    return min(parts, key=lambda part: (abs(index.factors[part]), -parts[part].serial), default=None)
