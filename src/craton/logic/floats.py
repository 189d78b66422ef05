"""Constructors of the theory FloatingPoint. `eq` is identity (one NaN, two zeros); `fp_eq` is what C writes as `==`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from craton.errors import IllSorted
from craton.logic import ieee, ops
from craton.logic.bitvectors import concat
from craton.logic.core import folded, not_
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, REAL, ROUNDING_MODE, BitVec, Float, Sort
from craton.logic.terms import Term, format_of, fp_bits, ill_sorted, intern

# --- constants --------------------------------------------------------------------------------------------------------


def fp_value(number: float | Fraction, sort: Float) -> Term:
    """The float nearest to `number` (ties to even). A Python float keeps its infinities, NaN and signed zero."""
    if isinstance(number, Fraction):
        return fp_bits(ieee.from_fraction(format_of(sort), ieee.RoundingMode.RNE, number), sort)
    return fp_bits(ieee.from_python(format_of(sort), float(number)), sort)


def fp(sign: Term, exponent: Term, significand: Term) -> Term:
    """SMT-LIB's `fp`: a float from its three fields."""
    for field in (sign, exponent, significand):
        if not isinstance(field.sort, BitVec):
            raise ill_sorted("fp", "three bit-vectors, the first of one bit", (sign, exponent, significand))
    assert isinstance(exponent.sort, BitVec) and isinstance(significand.sort, BitVec)
    if sign.sort is not BitVec(1):
        raise ill_sorted("fp", "three bit-vectors, the first of one bit", (sign, exponent, significand))
    sort = Float(exponent.sort.width, significand.sort.width + 1)
    return fp_from_bits(sort, concat(sign, exponent, significand))


# --- arithmetic -------------------------------------------------------------------------------------------------------


def fp_abs(a: Term) -> Term:
    if a.op is ops.FP_ABS:
        return a
    return _arithmetic(ops.FP_ABS, None, a)


def fp_neg(a: Term) -> Term:
    if a.op is ops.FP_NEG:
        return a.args[0]
    return _arithmetic(ops.FP_NEG, None, a)


def fp_add(rm: Term, a: Term, b: Term) -> Term:
    return _arithmetic(ops.FP_ADD, rm, a, b)


def fp_sub(rm: Term, a: Term, b: Term) -> Term:
    return _arithmetic(ops.FP_SUB, rm, a, b)


def fp_mul(rm: Term, a: Term, b: Term) -> Term:
    return _arithmetic(ops.FP_MUL, rm, a, b)


def fp_div(rm: Term, a: Term, b: Term) -> Term:
    return _arithmetic(ops.FP_DIV, rm, a, b)


def fp_fma(rm: Term, a: Term, b: Term, c: Term) -> Term:
    """a * b + c, rounded once."""
    return _arithmetic(ops.FP_FMA, rm, a, b, c)


def fp_sqrt(rm: Term, a: Term) -> Term:
    return _arithmetic(ops.FP_SQRT, rm, a)


def fp_rem(a: Term, b: Term) -> Term:
    """IEEE remainder: a - b * n with n the integer nearest to a / b. (Not C's fmod.)"""
    return _arithmetic(ops.FP_REM, None, a, b)


def fp_round_to_integral(rm: Term, a: Term) -> Term:
    return _arithmetic(ops.FP_ROUND, rm, a)


def fp_min(a: Term, b: Term) -> Term:
    if a is b and isinstance(a.sort, Float):
        return a
    return _arithmetic(ops.FP_MIN, None, a, b)


def fp_max(a: Term, b: Term) -> Term:
    if a is b and isinstance(a.sort, Float):
        return a
    return _arithmetic(ops.FP_MAX, None, a, b)


def _arithmetic(op: Op, rm: Term | None, *operands: Term) -> Term:
    sort = _one_float(op, operands)
    args = operands if rm is None else (_mode(op, rm), *operands)
    return folded(op, args, sort) or intern(op, args, sort)


# --- comparisons and classification -----------------------------------------------------------------------------------


def fp_eq(a: Term, b: Term) -> Term:
    return _is_number(a) if a is b else _predicate(ops.FP_EQ, a, b)


def fp_lt(a: Term, b: Term) -> Term:
    return _predicate(ops.FP_LT, a, b)


def fp_le(a: Term, b: Term) -> Term:
    return _is_number(a) if a is b else _predicate(ops.FP_LE, a, b)


def _is_number(a: Term) -> Term:
    """What `x == x` and `x <= x` say: all but NaN is equal to itself."""
    return not_(fp_is_nan(a))


def fp_gt(a: Term, b: Term) -> Term:
    return fp_lt(b, a)


def fp_ge(a: Term, b: Term) -> Term:
    return fp_le(b, a)


def fp_is_normal(a: Term) -> Term:
    return _predicate(ops.FP_IS_NORMAL, a)


def fp_is_subnormal(a: Term) -> Term:
    return _predicate(ops.FP_IS_SUBNORMAL, a)


def fp_is_zero(a: Term) -> Term:
    return _predicate(ops.FP_IS_ZERO, a)


def fp_is_infinite(a: Term) -> Term:
    return _predicate(ops.FP_IS_INFINITE, a)


def fp_is_nan(a: Term) -> Term:
    return _predicate(ops.FP_IS_NAN, a)


def fp_is_negative(a: Term) -> Term:
    return _predicate(ops.FP_IS_NEGATIVE, a)


def fp_is_positive(a: Term) -> Term:
    return _predicate(ops.FP_IS_POSITIVE, a)


def _predicate(op: Op, *args: Term) -> Term:
    _one_float(op, args)
    return folded(op, args, BOOL) or intern(op, args, BOOL)


# --- conversions ------------------------------------------------------------------------------------------------------


def fp_from_bits(sort: Float, a: Term) -> Term:
    """`(_ to_fp e s)` of one bit-vector: the float with that bit pattern."""
    if a.sort is not BitVec(sort.width):
        raise ill_sorted("to_fp", f"a bit-vector of {sort.width} bits", (a,))
    return _converted(ops.FP_FROM_BITS, (a,), sort)


def fp_from_fp(sort: Float, rm: Term, a: Term) -> Term:
    if not isinstance(a.sort, Float):
        raise ill_sorted("to_fp", "a rounding mode and a float", (rm, a))
    args = (_mode(ops.FP_FROM_FP, rm), a)
    return a if a.sort is sort else _converted(ops.FP_FROM_FP, args, sort)


def fp_from_real(sort: Float, rm: Term, a: Term) -> Term:
    if a.sort is not REAL:
        raise ill_sorted("to_fp", "a rounding mode and a Real", (rm, a))
    return _converted(ops.FP_FROM_REAL, (_mode(ops.FP_FROM_REAL, rm), a), sort)


def fp_from_signed(sort: Float, rm: Term, a: Term) -> Term:
    if not isinstance(a.sort, BitVec):
        raise ill_sorted("to_fp", "a rounding mode and a bit-vector", (rm, a))
    return _converted(ops.FP_FROM_SIGNED, (_mode(ops.FP_FROM_SIGNED, rm), a), sort)


def fp_from_unsigned(sort: Float, rm: Term, a: Term) -> Term:
    if not isinstance(a.sort, BitVec):
        raise ill_sorted("to_fp_unsigned", "a rounding mode and a bit-vector", (rm, a))
    return _converted(ops.FP_FROM_UNSIGNED, (_mode(ops.FP_FROM_UNSIGNED, rm), a), sort)


def _converted(op: Op, args: tuple[Term, ...], sort: Float) -> Term:
    payload = (sort.exponent_bits, sort.significand_bits)
    return folded(op, args, sort, payload) or intern(op, args, sort, payload)


def fp_to_ubv(width: int, rm: Term, a: Term) -> Term:
    """Rounded to an integer; outside the range of `width` bits the result is some value that depends only on the
    arguments.
    """
    return _to_bits(ops.FP_TO_UBV, width, rm, a)


def fp_to_sbv(width: int, rm: Term, a: Term) -> Term:
    return _to_bits(ops.FP_TO_SBV, width, rm, a)


def _to_bits(op: Op, width: int, rm: Term, a: Term) -> Term:
    args = (_mode(op, rm), a)
    _one_float(op, (a,))
    sort = BitVec(width)
    return folded(op, args, sort, (width,)) or intern(op, args, sort, (width,))


def fp_to_real(a: Term) -> Term:
    _one_float(ops.FP_TO_REAL, (a,))
    return folded(ops.FP_TO_REAL, (a,), REAL) or intern(ops.FP_TO_REAL, (a,), REAL)


# --- sort checks ------------------------------------------------------------------------------------------------------


def _one_float(op: Op, args: Sequence[Term]) -> Sort:
    sort = args[0].sort
    if not isinstance(sort, Float) or any(a.sort is not sort for a in args):
        raise ill_sorted(op, "floats of one format", args)
    return sort


def _mode(op: Op, rm: Term) -> Term:
    if rm.sort is not ROUNDING_MODE:
        raise IllSorted(f"{op.name} expects a rounding mode first; got {rm} of sort {rm.sort}")
    return rm
