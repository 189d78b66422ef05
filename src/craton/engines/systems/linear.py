"""What follows by adding equations: linear consequences, without a solver.

Bits are hard to add for a solver that looks at them one by one, but an equation modulo 2^width is in the span of others
or not. Premises count where their conditions stand literally among what is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from craton.engines.affine import beyond
from craton.logic import INT, BitVec, Sort, Term, conjuncts, ops
from craton.logic.walk import fold

_Sum = dict[Term | None, int]  # coefficients of variables, and of nothing: the constant


def shown_by_sums(known: Iterable[Term], premises: Iterable[Term], goal: Term) -> frozenset[Term] | None:
    """Premises with which the goal, an equation that may have a condition, is a sum of equations; None if it is none
    that can be found.
    """
    condition, wanted = _parts(goal)
    if wanted.op is not ops.EQ or not _is_number(wanted.args[0].sort):
        return None
    sort = wanted.args[0].sort
    facts = {part for one in (*known, *condition) for part in conjuncts(one)}
    used = {p: equation for p in premises if (equation := _applicable(p, facts, sort)) is not None}
    equations = [e for e in (*facts, *used.values()) if e.op is ops.EQ and e.args[0].sort is sort]
    width = sort.width if isinstance(sort, BitVec) else None
    sums = [_difference(e, width) for e in (*equations, wanted)]
    if sums[-1] is None:
        return None
    columns = list(dict.fromkeys(v for one in sums if one is not None for v in one if v is not None))
    vectors = [_vector(one, columns) for one in sums if one is not None]
    return None if beyond(vectors[-1:], vectors[:-1], width) else frozenset(used)


def _parts(formula: Term) -> tuple[Sequence[Term], Term]:
    return (formula.args[:1], formula.args[1]) if formula.op is ops.IMPLIES else ((), formula)


def _applicable(premise: Term, facts: set[Term], sort: Sort) -> Term | None:
    """The equation that a premise tells; None if it tells none, or its condition is not among the facts."""
    condition, equation = _parts(premise)
    if equation.op is not ops.EQ or equation.args[0].sort is not sort:
        return None
    return equation if all(part in facts for one in condition for part in conjuncts(one)) else None


def _is_number(sort: Sort) -> bool:
    return sort is INT or isinstance(sort, BitVec)


def _difference(equation: Term, width: int | None) -> _Sum | None:
    left, right = (_sum(side, width) for side in equation.args)
    return None if left is None or right is None else _plus(left, right, -1)


def _vector(one: _Sum, columns: Sequence[Term]) -> tuple[int, ...]:
    return (*(one.get(v, 0) for v in columns), one.get(None, 0))


def _plus(one: _Sum, other: Mapping[Term | None, int], factor: int = 1) -> _Sum:
    return {v: one.get(v, 0) + factor * other.get(v, 0) for v in (*one, *other)}


def _sum(term: Term, width: int | None) -> _Sum | None:
    """The term as a sum of multiples of variables; None if it is none."""

    def visit(node: Term, args: list[_Sum | None]) -> _Sum | None:
        if node.is_variable:
            return {node: 1}
        if node.op is ops.VALUE and isinstance(node.payload, int):
            return {None: node.payload}
        known = [a for a in args if a is not None]
        return _of_operation(node, known) if len(known) == len(args) and known else None

    found = fold(term, visit)
    return found if found is None or width is None else {v: n % (1 << width) for v, n in found.items()}


def _of_operation(node: Term, args: Sequence[_Sum]) -> _Sum | None:
    if node.op in (ops.ADD, ops.BVADD, ops.SUB, ops.BVSUB):
        total = args[0]
        for other in args[1:]:
            total = _plus(total, other, -1 if node.op in (ops.SUB, ops.BVSUB) else 1)
        return total
    if node.op in (ops.NEG, ops.BVNEG):
        return _plus({}, args[0], -1)
    if node.op in (ops.MUL, ops.BVMUL) and len(args) == 2:
        for factor, other in (args, args[::-1]):
            if factor.keys() <= {None}:
                return _plus({}, other, factor.get(None, 0))
    return None
