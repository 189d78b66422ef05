"""Solving an equation for a variable: x + 1 = t gives x = t - 1. Used by destructive equality resolution."""

from __future__ import annotations

from collections.abc import Callable

from craton.logic import ops
from craton.logic.arithmetic import add, mul, neg, sub
from craton.logic.bitvectors import (
    bvadd,
    bvmul,
    bvneg,
    bvnot,
    bvsub,
    bvxor,
    extract,
    sign_extend,
)
from craton.logic.core import and_, eq
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, REAL, BitVec
from craton.logic.terms import FALSE, TRUE, Term, bv, value
from craton.logic.walk import free_variables


def solve_for(variable: Term, literal: Term) -> tuple[Term, Term] | None:
    """(t, side) with `literal` ⟺ variable = t ∧ side, where neither t nor side mention the variable; None if there is
    no such pair.
    """
    if literal is variable:
        return TRUE, TRUE
    if literal.op is ops.NOT and literal.args[0] is variable:
        return FALSE, TRUE
    if literal.op is not ops.EQ:
        return None
    for holder, other in (literal.args, literal.args[::-1]):
        if variable in free_variables(holder) and variable not in free_variables(other):
            return _isolate(variable, holder, other)
    return None


def _isolate(variable: Term, holder: Term, other: Term) -> tuple[Term, Term] | None:
    """Takes operations off `holder` one by one, undoing each on the other side."""
    side = TRUE
    while holder is not variable:
        inverse = _INVERSES.get(holder.op)
        if inverse is None:
            return None
        places = [i for i, arg in enumerate(holder.args) if variable in free_variables(arg)]
        if len(places) != 1:
            return None
        undone = inverse(holder, places[0], other)
        if undone is None:
            return None
        other, condition = undone
        side = and_(side, condition)
        holder = holder.args[places[0]]
    return other, side


def _rest(holder: Term, place: int) -> tuple[Term, ...]:
    return holder.args[:place] + holder.args[place + 1 :]


Inverse = Callable[[Term, int, Term], tuple[Term, Term] | None]


def _multiplication(holder: Term, place: int, other: Term) -> tuple[Term, Term] | None:
    """Over Reals, one can divide by any constant except zero."""
    if holder.sort is not REAL or len(holder.args) != 2 or holder.args[1 - place].op is not ops.VALUE:
        return None
    return mul(value(1 / holder.args[1 - place].payload, REAL), other), TRUE


def _odd_multiplication(holder: Term, place: int, other: Term) -> tuple[Term, Term] | None:
    """Odd numbers have an inverse modulo a power of two."""
    assert isinstance(holder.sort, BitVec)
    factor = holder.args[1 - place] if len(holder.args) == 2 else None
    if factor is None or factor.op is not ops.VALUE or factor.payload % 2 == 0:
        return None
    width = holder.sort.width
    return bvmul(bv(pow(factor.payload, -1, 1 << width), width), other), TRUE


def _zero_extension(holder: Term, place: int, other: Term) -> tuple[Term, Term]:
    low = _width(holder.args[0])
    high = extract(_width(holder) - 1, low, other)
    return extract(low - 1, 0, other), eq(high, value(0, high.sort))


def _sign_extension(holder: Term, place: int, other: Term) -> tuple[Term, Term]:
    low = extract(_width(holder.args[0]) - 1, 0, other)
    return low, eq(sign_extend(holder.payload[0], low), other)


def _concatenation(holder: Term, place: int, other: Term) -> tuple[Term, Term]:
    offset = 0
    side = TRUE
    solution = other
    for i in reversed(range(len(holder.args))):
        part = holder.args[i]
        slice_ = extract(offset + _width(part) - 1, offset, other)
        offset += _width(part)
        if i == place:
            solution = slice_
        else:
            side = and_(side, eq(part, slice_))
    return solution, side


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


_INVERSES: dict[Op, Inverse] = {
    ops.ADD: lambda h, i, o: (sub(o, add(*_rest(h, i))), TRUE),
    ops.SUB: lambda h, i, o: (add(o, h.args[1]) if i == 0 else sub(h.args[0], o), TRUE),
    ops.NEG: lambda h, i, o: (neg(o), TRUE),
    ops.MUL: _multiplication,
    ops.BVADD: lambda h, i, o: (bvsub(o, bvadd(*_rest(h, i))), TRUE),
    ops.BVSUB: lambda h, i, o: (bvadd(o, h.args[1]) if i == 0 else bvsub(h.args[0], o), TRUE),
    ops.BVNEG: lambda h, i, o: (bvneg(o), TRUE),
    ops.BVNOT: lambda h, i, o: (bvnot(o), TRUE),
    ops.BVXOR: lambda h, i, o: (bvxor(o, *_rest(h, i)), TRUE),
    ops.BVMUL: _odd_multiplication,
    ops.ZERO_EXTEND: _zero_extension,
    ops.SIGN_EXTEND: _sign_extension,
    ops.CONCAT: _concatenation,
    ops.NOT: lambda h, i, o: (eq(o, FALSE), TRUE),
    ops.XOR: lambda h, i, o: (eq(h.args[1 - i], eq(o, FALSE)), TRUE),
    ops.EQ: lambda h, i, o: (eq(h.args[1 - i], o), TRUE) if h.args[0].sort is BOOL else None,
}
