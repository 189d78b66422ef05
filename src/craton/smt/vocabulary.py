"""SMT-LIB's symbols and our constructors for them: the tables for reading what solvers answer.

Besides the standard's symbols they contain z3's names for its own variants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from craton.logic import arithmetic, arrays, bitvectors, core, floats
from craton.logic.ieee import RoundingMode
from craton.logic.sorts import INT, BitVec, Float
from craton.logic.terms import FALSE, TRUE, Term, bv, fp_bits, int_, rounding, value


def _minus(*args: Term) -> Term:
    return arithmetic.neg(args[0]) if len(args) == 1 else arithmetic.sub(*args)


def _rem(a: Term, b: Term) -> Term:
    """z3's own remainder: `mod` with the sign of the divisor."""
    modulus = arithmetic.mod(a, b)
    return core.ite(arithmetic.ge(b, int_(0)), modulus, arithmetic.neg(modulus))


def _to_fp(*indices_and_args: Any) -> Term:
    """SMT-LIB's overloaded `(_ to_fp e s)`, resolved by its arguments."""
    sort = Float(*indices_and_args[:2])
    args: Sequence[Term] = indices_and_args[2:]
    if len(args) == 1:
        return floats.fp_from_bits(sort, args[0]) if isinstance(args[0].sort, BitVec) else args[0]
    source = args[1].sort
    if isinstance(source, Float):
        return floats.fp_from_fp(sort, *args)
    if isinstance(source, BitVec):
        return floats.fp_from_signed(sort, *args)
    return floats.fp_from_real(sort, args[0], arithmetic.to_real(args[1]) if source is INT else args[1])


def _no_signed_overflow(upwards: bool) -> Callable[[Term, Term], Term]:
    """z3 splits signed multiplication overflow into above (equal signs) and below."""

    def build(a: Term, b: Term) -> Term:
        zero = value(0, a.sort)
        same_sign = core.eq(bitvectors.bvslt(a, zero), bitvectors.bvslt(b, zero))
        return core.not_(core.and_(bitvectors.bvsmulo(a, b), same_sign if upwards else core.not_(same_sign)))

    return build


# Symbols determined by their arguments.
PLAIN: dict[str, Callable[..., Term]] = {
    "true": lambda: TRUE,
    "false": lambda: FALSE,
    "not": core.not_,
    "and": core.and_,
    "or": core.or_,
    "xor": core.xor,
    "=>": core.implies,
    "implies": core.implies,
    "=": core.eq,
    "iff": core.eq,
    "distinct": core.distinct,
    "if": core.ite,
    "ite": core.ite,
    "-": _minus,
    "+": arithmetic.add,
    "*": arithmetic.mul,
    "/": arithmetic.divide,
    "div": arithmetic.div,
    "mod": arithmetic.mod,
    "rem": _rem,
    "abs": arithmetic.abs_,
    "<=": arithmetic.le,
    "<": arithmetic.lt,
    ">=": arithmetic.ge,
    ">": arithmetic.gt,
    "to_real": arithmetic.to_real,
    "to_int": arithmetic.to_int,
    "is_int": arithmetic.is_int,
    "bvudiv_i": bitvectors.bvudiv,
    "bvurem_i": bitvectors.bvurem,
    "bvsdiv_i": bitvectors.bvsdiv,
    "bvsrem_i": bitvectors.bvsrem,
    "bvsmod_i": bitvectors.bvsmod,
    "bvumul_noovfl": lambda a, b: core.not_(bitvectors.bvumulo(a, b)),
    "bvsmul_noovfl": _no_signed_overflow(upwards=True),
    "bvsmul_noudfl": _no_signed_overflow(upwards=False),
    "bvredor": lambda a: core.ite(core.eq(a, value(0, a.sort)), bv(0, 1), bv(1, 1)),
    "bvredand": lambda a: core.ite(core.eq(a, value(-1, a.sort)), bv(1, 1), bv(0, 1)),
    "bv2nat": bitvectors.ubv_to_int,
    "bv2int": bitvectors.ubv_to_int,
    **{
        name: getattr(bitvectors, name)
        for name in (
            "bvnot bvneg bvand bvor bvxor bvnand bvnor bvxnor bvcomp bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem"
            " bvsmod bvshl bvlshr bvashr bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge concat bvnego bvuaddo"
            " bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo ubv_to_int sbv_to_int"
        ).split()
    },
    "fp": floats.fp,
    "fp.abs": floats.fp_abs,
    "fp.neg": floats.fp_neg,
    "fp.add": floats.fp_add,
    "fp.sub": floats.fp_sub,
    "fp.mul": floats.fp_mul,
    "fp.div": floats.fp_div,
    "fp.fma": floats.fp_fma,
    "fp.sqrt": floats.fp_sqrt,
    "fp.rem": floats.fp_rem,
    "fp.roundToIntegral": floats.fp_round_to_integral,
    "fp.min": floats.fp_min,
    "fp.max": floats.fp_max,
    "fp.leq": floats.fp_le,
    "fp.lt": floats.fp_lt,
    "fp.geq": floats.fp_ge,
    "fp.gt": floats.fp_gt,
    "fp.eq": floats.fp_eq,
    "fp.isNormal": floats.fp_is_normal,
    "fp.isSubnormal": floats.fp_is_subnormal,
    "fp.isZero": floats.fp_is_zero,
    "fp.isInfinite": floats.fp_is_infinite,
    "fp.isNaN": floats.fp_is_nan,
    "fp.isNegative": floats.fp_is_negative,
    "fp.isPositive": floats.fp_is_positive,
    "fp.to_real": floats.fp_to_real,
    "select": arrays.select,
    "store": arrays.store,
    "roundNearestTiesToEven": lambda: rounding(RoundingMode.RNE),
    "roundNearestTiesToAway": lambda: rounding(RoundingMode.RNA),
    "roundTowardPositive": lambda: rounding(RoundingMode.RTP),
    "roundTowardNegative": lambda: rounding(RoundingMode.RTN),
    "roundTowardZero": lambda: rounding(RoundingMode.RTZ),
}

# Indexed symbols: constructor(*indices, *arguments).
INDEXED: dict[str, Callable[..., Term]] = {
    "extract": bitvectors.extract,
    "zero_extend": bitvectors.zero_extend,
    "sign_extend": bitvectors.sign_extend,
    "repeat": bitvectors.repeat,
    "rotate_left": bitvectors.rotate_left,
    "rotate_right": bitvectors.rotate_right,
    "int2bv": bitvectors.int_to_bv,
    "int_to_bv": bitvectors.int_to_bv,
    "bit2bool": lambda i, a: core.eq(bitvectors.extract(i, i, a), bv(1, 1)),
    "divisible": arithmetic.divisible,
    "to_fp": _to_fp,
    "to_fp_unsigned": lambda e, s, *args: floats.fp_from_unsigned(Float(e, s), *args),
    "fp.to_ubv": floats.fp_to_ubv,
    "fp.to_sbv": floats.fp_to_sbv,
}


def _special(bits: Callable[[int, int], int]) -> Callable[[Any, Sequence[Term]], Term]:
    """Float constants that z3 writes as names: `bits(width, significand bits without the hidden one)`."""
    return lambda sort, args: fp_bits(bits(sort.width, sort.significand_bits - 1), sort)


# Symbols that need the sort of the result: constructor(sort, arguments).
BY_RESULT: dict[str, Callable[[Any, Sequence[Term]], Term]] = {
    "const": lambda sort, args: arrays.const_array(sort, args[0]),
    "NaN": _special(lambda w, m: (1 << (w - 1)) - 1),
    "+oo": _special(lambda w, m: (1 << (w - 1)) - (1 << m)),
    "-oo": _special(lambda w, m: (1 << w) - (1 << m)),
    "+zero": _special(lambda w, m: 0),
    "-zero": _special(lambda w, m: 1 << (w - 1)),
}
