"""Constructors of the theories Ints and Reals. One operation serves both sorts; mixing them needs `to_real`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from craton.logic import ops
from craton.logic.core import FLATTEN_BELOW, and_, eq, folded, is_nonzero, plus_constant, split_constant
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, INT, REAL, Sort
from craton.logic.terms import FALSE, TRUE, Term, bool_, ill_sorted, int_, intern, value


def add(*args: Term) -> Term:
    """Flat; constants are summed into one, which comes last."""
    sort = _number_sort(ops.ADD, args)
    if len(args) == 2 and args[0].op not in _ADDENDS and (args[1].op not in _ADDENDS or is_nonzero(args[1])):
        return intern(ops.ADD, args, sort)  # the usual case, without lists
    parts, constant = _gather(ops.ADD, args, 0, lambda a, b: a + b)
    if constant != 0 or not parts:
        parts.append(value(constant, sort))
    return parts[0] if len(parts) == 1 else intern(ops.ADD, tuple(parts), sort)


_ADDENDS = (ops.ADD, ops.VALUE)


def mul(*args: Term) -> Term:
    """Flat; constants are multiplied into one, which comes first."""
    sort = _number_sort(ops.MUL, args)
    parts, constant = _gather(ops.MUL, args, 1, lambda a, b: a * b)
    if constant == 0 or not parts:
        return value(constant, sort)
    if constant == 1:
        return parts[0] if len(parts) == 1 else intern(ops.MUL, tuple(parts), sort)
    if constant == -1 and len(parts) == 1:
        return neg(parts[0])
    return intern(ops.MUL, (value(constant, sort), *parts), sort)


def _gather(
    op: Op, args: Sequence[Term], unit: int, combine: Callable[[int | Fraction, int | Fraction], int | Fraction]
) -> tuple[list[Term], int | Fraction]:
    """The non-constant parts of a flattened sum or product, and the combined constant."""
    parts: list[Term] = []
    constant: int | Fraction = unit
    for arg in args:
        for part in arg.args if arg.op is op and len(arg.args) < FLATTEN_BELOW else (arg,):
            if part.op is ops.VALUE:
                constant = combine(constant, part.payload)
            else:
                parts.append(part)
    return parts, constant


def sub(a: Term, b: Term, *more: Term) -> Term:
    """Left-associative."""
    sort = _number_sort(ops.SUB, (a, b))
    if b.op is ops.VALUE:
        result = add(a, value(-b.payload, sort))
    elif a is b:
        result = value(0, sort)
    elif b.op is ops.NEG:
        result = add(a, b.args[0])
    elif a.op is ops.VALUE and a.payload == 0:
        result = neg(b)
    else:
        result = intern(ops.SUB, (a, b), sort)
    for c in more:
        result = sub(result, c)
    return result


def neg(a: Term) -> Term:
    sort = _number_sort(ops.NEG, (a,))
    if a.op is ops.VALUE:
        return value(-a.payload, sort)
    if a.op is ops.NEG:
        return a.args[0]
    if a.op is ops.SUB:
        return sub(a.args[1], a.args[0])
    if a.op is ops.MUL and a.args[0].op is ops.VALUE:
        return mul(value(-a.args[0].payload, sort), *a.args[1:])
    return intern(ops.NEG, (a,), sort)


def divide(a: Term, b: Term, *more: Term) -> Term:
    """`/` on Reals. Division by zero is some value that depends only on `a`."""
    if a.sort is not REAL or b.sort is not REAL:
        raise ill_sorted(ops.DIVIDE, "Reals", (a, b))
    if b.op is ops.VALUE and b.payload != 0:
        result = mul(value(1 / b.payload, REAL), a)
    else:
        result = intern(ops.DIVIDE, (a, b), REAL)
    for c in more:
        result = divide(result, c)
    return result


def div(a: Term, b: Term, *more: Term) -> Term:
    """Euclidean `div` on Ints: a = b * (a div b) + (a mod b) with 0 ≤ a mod b < |b|."""
    _integers(ops.DIV, a, b)
    if b.op is ops.VALUE and b.payload == 1:
        result = a
    else:
        result = folded(ops.DIV, (a, b), INT) or intern(ops.DIV, (a, b), INT)
    for c in more:
        result = div(result, c)
    return result


def mod(a: Term, b: Term) -> Term:
    _integers(ops.MOD, a, b)
    if b.op is ops.VALUE and b.payload != 0:
        if abs(b.payload) == 1:
            return int_(0)
        if a.op is ops.MOD and a.args[1] is b:
            return a
    return folded(ops.MOD, (a, b), INT) or intern(ops.MOD, (a, b), INT)


def abs_(a: Term) -> Term:
    _integers(ops.ABS, a)
    return folded(ops.ABS, (a,), INT) or intern(ops.ABS, (a,), INT)


def divisible(by: int, a: Term) -> Term:
    """SMT-LIB's `(_ divisible n)`."""
    return eq(mod(a, int_(by)), int_(0))


def le(a: Term, b: Term, *more: Term) -> Term:
    """Chained if there are more than two arguments, like the other comparisons."""
    return _chained(ops.LE, TRUE, (a, b, *more)) if more else _compare(ops.LE, TRUE, a, b)


def lt(a: Term, b: Term, *more: Term) -> Term:
    return _chained(ops.LT, FALSE, (a, b, *more)) if more else _compare(ops.LT, FALSE, a, b)


def ge(a: Term, b: Term, *more: Term) -> Term:
    return _chained(ops.LE, TRUE, (a, b, *more)[::-1]) if more else _compare(ops.LE, TRUE, b, a)


def gt(a: Term, b: Term, *more: Term) -> Term:
    return _chained(ops.LT, FALSE, (a, b, *more)[::-1]) if more else _compare(ops.LT, FALSE, b, a)


def _chained(op: Op, reflexive: Term, args: Sequence[Term]) -> Term:
    return and_(*(_compare(op, reflexive, a, b) for a, b in pairwise(args)))


def _compare(op: Op, reflexive: Term, a: Term, b: Term) -> Term:
    args = (a, b)
    _number_sort(op, args)
    if a is b:
        return reflexive
    if a.op is ops.VALUE and b.op is ops.VALUE:
        return bool_(a.payload <= b.payload if op is ops.LE else a.payload < b.payload)
    if a.op is ops.ADD or b.op is ops.ADD:
        moved = _constants_together(a, b)
        if moved is not None:
            return _compare(op, reflexive, *moved)
    return intern(op, args, BOOL)


def _constants_together(a: Term, b: Term) -> tuple[Term, Term] | None:
    """x + 2 ≤ y + 5 is x ≤ y + 3, and x + 2 ≤ 5 is x ≤ 3; None unless both have constants. (Bit-vectors would wrap.)"""
    left, right = split_constant(a), split_constant(b)
    if left is not None and right is not None:
        return left[0], plus_constant(right[0], ops.ADD, right[1] - left[1])
    if left is not None and b.op is ops.VALUE:
        return left[0], value(b.payload - left[1], b.sort)
    if right is not None and a.op is ops.VALUE:
        return value(a.payload - right[1], a.sort), right[0]
    return None


def to_real(a: Term) -> Term:
    _integers(ops.TO_REAL, a)
    return folded(ops.TO_REAL, (a,), REAL) or intern(ops.TO_REAL, (a,), REAL)


def to_int(a: Term) -> Term:
    """The floor."""
    if a.sort is not REAL:
        raise ill_sorted(ops.TO_INT, "a Real", (a,))
    if a.op is ops.TO_REAL:
        return a.args[0]
    return folded(ops.TO_INT, (a,), INT) or intern(ops.TO_INT, (a,), INT)


def is_int(a: Term) -> Term:
    if a.sort is not REAL:
        raise ill_sorted(ops.IS_INT, "a Real", (a,))
    if a.op is ops.TO_REAL:
        return TRUE
    return folded(ops.IS_INT, (a,), BOOL) or intern(ops.IS_INT, (a,), BOOL)


def _number_sort(op: Op, args: Sequence[Term]) -> Sort:
    sort = args[0].sort if args else None
    if sort is INT or sort is REAL:
        for arg in args:
            if arg.sort is not sort:
                break
        else:
            return sort
    raise ill_sorted(op, "Ints only or Reals only", args)


def _integers(op: Op, *args: Term) -> None:
    for arg in args:
        if arg.sort is not INT:
            raise ill_sorted(op, "Ints", args)
