"""The integer arithmetic of each bit-vector operation."""

from __future__ import annotations

from collections.abc import Callable

from craton.logic import Term, and_, int_, mod, ops
from craton.logic.ops import Op
from craton.views import bits as b
from craton.views.arithmetic import Arithmetic, Shift, Unknowns
from craton.views.bits import Bits

Bitwise = Callable[[Arithmetic, Bits, Bits, Unknowns], Bits]
BITWISE: dict[Op, Bitwise] = {
    ops.BVAND: Arithmetic.conjunction,
    ops.BVOR: Arithmetic.disjunction,
    ops.BVXOR: Arithmetic.difference,
}
SHIFTS = {ops.BVSHL: Shift.LEFT, ops.BVLSHR: Shift.RIGHT, ops.BVASHR: Shift.RIGHT_SIGNED}


def _overflow(operation: Callable[..., Bits], signed: bool) -> Callable[..., Term]:
    """A function that says whether an operation's result, given the arithmetic and its operands, leaves the range."""
    return lambda n, payload, *args: b.overflows(operation(n, *(n.valued(a, signed) for a in args)), signed)


def _from_int(n: Arithmetic, payload: tuple[int], number: Term) -> Bits:
    return b.of_range(mod(number, int_(1 << payload[0])), payload[0], False)


def _division_overflows(n: Arithmetic, payload: None, x: Bits, y: Bits) -> Term:
    return and_(
        n.same(x, b.constant(1 << (x.width - 1), x.width)),
        n.same(y, b.constant(-1, y.width)),
    )


# Each takes the arithmetic, the payload of the node and the values of its arguments.
BITS: dict[Op, Callable[..., Bits | Term]] = {
    ops.BVADD: lambda n, payload, *args: b.plus(*args),
    ops.BVSUB: lambda n, payload, x, y: b.minus(x, y),
    ops.BVMUL: lambda n, payload, *args: n.times(*args),
    ops.BVNEG: lambda n, payload, x: b.negated(x),
    ops.BVNOT: lambda n, payload, x: b.complement(x),
    ops.BVUDIV: lambda n, payload, x, y: n.unsigned_quotient(x, y),
    ops.BVUREM: lambda n, payload, x, y: n.unsigned_remainder(x, y),
    ops.BVSDIV: lambda n, payload, x, y: n.signed_quotient(x, y),
    ops.BVSREM: lambda n, payload, x, y: n.signed_remainder(x, y),
    ops.BVSMOD: lambda n, payload, x, y: n.signed_modulo(x, y),
    ops.BVULT: lambda n, payload, x, y: n.less(x, y, False),
    ops.BVULE: lambda n, payload, x, y: n.at_most(x, y, False),
    ops.BVSLT: lambda n, payload, x, y: n.less(x, y, True),
    ops.BVSLE: lambda n, payload, x, y: n.at_most(x, y, True),
    ops.CONCAT: lambda n, payload, *args: n.joined(*args),
    ops.EXTRACT: lambda n, payload, x: b.slice_of(payload[0], payload[1], x),
    ops.ZERO_EXTEND: lambda n, payload, x: n.zero_extended(payload[0], x),
    ops.SIGN_EXTEND: lambda n, payload, x: n.sign_extended(payload[0], x),
    ops.REPEAT: lambda n, payload, x: n.joined(*[x] * payload[0]),
    ops.ROTATE_LEFT: lambda n, payload, x: n.rotated_left(payload[0], x),
    ops.ROTATE_RIGHT: lambda n, payload, x: n.rotated_left(-payload[0], x),
    ops.UBV_TO_INT: lambda n, payload, x: n.unsigned(x).term,
    ops.SBV_TO_INT: lambda n, payload, x: n.signed(x).term,
    ops.INT_TO_BV: _from_int,
    ops.BVNEGO: _overflow(lambda n, x: b.negated(x), True),
    ops.BVUADDO: _overflow(lambda n, *args: b.plus(*args), False),
    ops.BVSADDO: _overflow(lambda n, *args: b.plus(*args), True),
    ops.BVUMULO: _overflow(Arithmetic.times, False),
    ops.BVSMULO: _overflow(Arithmetic.times, True),
    ops.BVUSUBO: _overflow(lambda n, x, y: b.minus(x, y), False),
    ops.BVSSUBO: _overflow(lambda n, x, y: b.minus(x, y), True),
    ops.BVSDIVO: _division_overflows,
}
