"""Builds a term from an operation and new arguments: the table used by substitution and unpickling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from craton.logic import arithmetic, arrays, bitvectors, core, floats, ops
from craton.logic.ops import Op
from craton.logic.sorts import Sort
from craton.logic.terms import Term, value, var


def build(op: Op, args: Sequence[Term], sort: Sort, payload: Any = None) -> Term:
    """The term of `op` on `args`, through its constructor. `sort` and `payload` are those of the term being rebuilt."""
    plain = _PLAIN.get(op)
    if plain is not None:
        return plain(*args)
    return _OTHER[op](args, sort, payload)


def rebuild(term: Term, args: Sequence[Term]) -> Term:
    """`term` with other arguments."""
    return build(term.op, args, term.sort, term.payload)


_PLAIN: dict[Op, Callable[..., Term]] = {
    ops.NOT: core.not_,
    ops.AND: core.and_,
    ops.OR: core.or_,
    ops.XOR: core.xor,
    ops.IMPLIES: core.implies,
    ops.EQ: core.eq,
    ops.DISTINCT: core.distinct,
    ops.ITE: core.ite,
    ops.NEG: arithmetic.neg,
    ops.ADD: arithmetic.add,
    ops.SUB: arithmetic.sub,
    ops.MUL: arithmetic.mul,
    ops.DIVIDE: arithmetic.divide,
    ops.DIV: arithmetic.div,
    ops.MOD: arithmetic.mod,
    ops.ABS: arithmetic.abs_,
    ops.LE: arithmetic.le,
    ops.LT: arithmetic.lt,
    ops.TO_REAL: arithmetic.to_real,
    ops.TO_INT: arithmetic.to_int,
    ops.IS_INT: arithmetic.is_int,
    ops.BVNOT: bitvectors.bvnot,
    ops.BVNEG: bitvectors.bvneg,
    ops.BVAND: bitvectors.bvand,
    ops.BVOR: bitvectors.bvor,
    ops.BVXOR: bitvectors.bvxor,
    ops.BVADD: bitvectors.bvadd,
    ops.BVSUB: bitvectors.bvsub,
    ops.BVMUL: bitvectors.bvmul,
    ops.BVUDIV: bitvectors.bvudiv,
    ops.BVUREM: bitvectors.bvurem,
    ops.BVSDIV: bitvectors.bvsdiv,
    ops.BVSREM: bitvectors.bvsrem,
    ops.BVSMOD: bitvectors.bvsmod,
    ops.BVSHL: bitvectors.bvshl,
    ops.BVLSHR: bitvectors.bvlshr,
    ops.BVASHR: bitvectors.bvashr,
    ops.BVULT: bitvectors.bvult,
    ops.BVULE: bitvectors.bvule,
    ops.BVSLT: bitvectors.bvslt,
    ops.BVSLE: bitvectors.bvsle,
    ops.CONCAT: bitvectors.concat,
    ops.BVNEGO: bitvectors.bvnego,
    ops.BVUADDO: bitvectors.bvuaddo,
    ops.BVSADDO: bitvectors.bvsaddo,
    ops.BVUMULO: bitvectors.bvumulo,
    ops.BVSMULO: bitvectors.bvsmulo,
    ops.BVUSUBO: bitvectors.bvusubo,
    ops.BVSSUBO: bitvectors.bvssubo,
    ops.BVSDIVO: bitvectors.bvsdivo,
    ops.UBV_TO_INT: bitvectors.ubv_to_int,
    ops.SBV_TO_INT: bitvectors.sbv_to_int,
    ops.FP_ABS: floats.fp_abs,
    ops.FP_NEG: floats.fp_neg,
    ops.FP_ADD: floats.fp_add,
    ops.FP_SUB: floats.fp_sub,
    ops.FP_MUL: floats.fp_mul,
    ops.FP_DIV: floats.fp_div,
    ops.FP_FMA: floats.fp_fma,
    ops.FP_SQRT: floats.fp_sqrt,
    ops.FP_REM: floats.fp_rem,
    ops.FP_ROUND: floats.fp_round_to_integral,
    ops.FP_MIN: floats.fp_min,
    ops.FP_MAX: floats.fp_max,
    ops.FP_LE: floats.fp_le,
    ops.FP_LT: floats.fp_lt,
    ops.FP_EQ: floats.fp_eq,
    ops.FP_IS_NORMAL: floats.fp_is_normal,
    ops.FP_IS_SUBNORMAL: floats.fp_is_subnormal,
    ops.FP_IS_ZERO: floats.fp_is_zero,
    ops.FP_IS_INFINITE: floats.fp_is_infinite,
    ops.FP_IS_NAN: floats.fp_is_nan,
    ops.FP_IS_NEGATIVE: floats.fp_is_negative,
    ops.FP_IS_POSITIVE: floats.fp_is_positive,
    ops.FP_TO_REAL: floats.fp_to_real,
    ops.SELECT: arrays.select,
    ops.STORE: arrays.store,
}


def _indexed(constructor: Callable[..., Term]) -> Callable[[Sequence[Term], Any, Any], Term]:
    """constructor(*indices, *args)"""
    return lambda args, sort, payload: constructor(*payload, *args)


def _sorted(constructor: Callable[..., Term]) -> Callable[[Sequence[Term], Any, Any], Term]:
    """constructor(sort of the result, *args)"""
    return lambda args, sort, payload: constructor(sort, *args)


_OTHER: dict[Op, Callable[[Sequence[Term], Any, Any], Term]] = {
    ops.VALUE: lambda args, sort, payload: value(payload, sort),
    ops.VARIABLE: lambda args, sort, payload: var(payload, sort),
    ops.APPLY: lambda args, sort, payload: core.apply(payload, *args),
    ops.FORALL: lambda args, sort, payload: core.forall(payload, args[0]),
    ops.EXISTS: lambda args, sort, payload: core.exists(payload, args[0]),
    ops.EXTRACT: _indexed(bitvectors.extract),
    ops.ZERO_EXTEND: _indexed(bitvectors.zero_extend),
    ops.SIGN_EXTEND: _indexed(bitvectors.sign_extend),
    ops.REPEAT: _indexed(bitvectors.repeat),
    ops.ROTATE_LEFT: _indexed(bitvectors.rotate_left),
    ops.ROTATE_RIGHT: _indexed(bitvectors.rotate_right),
    ops.INT_TO_BV: _indexed(bitvectors.int_to_bv),
    ops.FP_TO_UBV: _indexed(floats.fp_to_ubv),
    ops.FP_TO_SBV: _indexed(floats.fp_to_sbv),
    ops.FP_FROM_BITS: _sorted(floats.fp_from_bits),
    ops.FP_FROM_FP: _sorted(floats.fp_from_fp),
    ops.FP_FROM_SIGNED: _sorted(floats.fp_from_signed),
    ops.FP_FROM_UNSIGNED: _sorted(floats.fp_from_unsigned),
    ops.FP_FROM_REAL: _sorted(floats.fp_from_real),
    ops.CONST_ARRAY: _sorted(arrays.const_array),
}
