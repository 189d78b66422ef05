"""The operations of the formula language, one object each, named as in SMT-LIB.

Only a core of SMT-LIB's operations exists as nodes; the others are constructors that build core nodes
(`bvuge(a, b)` is `bvule(b, a)`, `bvnand` is the negated `bvand`), so that equivalent formulas are more often identical.
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class Theory(enum.Enum):
    """Where an operation belongs; solvers declare support by theory."""

    CORE = "Core"
    UF = "UF"
    QUANTIFIERS = "Quantifiers"
    ARITHMETIC = "Arithmetic"
    BITVECTORS = "BitVectors"
    CONVERSIONS = "BitVectors<->Ints"
    FLOATS = "Floats"
    FLOATS_REALS = "Floats<->Reals"
    ARRAYS = "Arrays"


class Op:
    """An operation: its SMT-LIB symbol and theory. Compared by identity."""

    __slots__ = ("name", "theory")
    table: ClassVar[dict[str, Op]] = {}

    def __init__(self, name: str, theory: Theory) -> None:
        self.name = name
        self.theory = theory
        assert name not in Op.table, name
        Op.table[name] = self

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return (op_named, (self.name,))


def op_named(name: str) -> Op:
    return Op.table[name]


def _ops(theory: Theory, names: str) -> tuple[Op, ...]:
    return tuple(Op(name, theory) for name in names.split())


# Leaves. The payload of a VALUE is its Python value, of a VARIABLE its name.
VALUE, VARIABLE = _ops(Theory.CORE, "value variable")

NOT, AND, OR, XOR, IMPLIES, EQ, DISTINCT, ITE = _ops(Theory.CORE, "not and or xor => = distinct ite")

# The payload is the Function that is applied.
(APPLY,) = _ops(Theory.UF, "apply")

# The payload is the tuple of bound variables, the only argument is the body.
FORALL, EXISTS = _ops(Theory.QUANTIFIERS, "forall exists")

NEG, ADD, SUB, MUL, DIVIDE, DIV, MOD, ABS, LE, LT, TO_REAL, TO_INT, IS_INT = _ops(
    Theory.ARITHMETIC, "neg + - * / div mod abs <= < to_real to_int is_int"
)

BVNOT, BVNEG, BVAND, BVOR, BVXOR, BVADD, BVSUB, BVMUL = _ops(
    Theory.BITVECTORS, "bvnot bvneg bvand bvor bvxor bvadd bvsub bvmul"
)
BVUDIV, BVUREM, BVSDIV, BVSREM, BVSMOD, BVSHL, BVLSHR, BVASHR = _ops(
    Theory.BITVECTORS, "bvudiv bvurem bvsdiv bvsrem bvsmod bvshl bvlshr bvashr"
)
BVULT, BVULE, BVSLT, BVSLE, CONCAT = _ops(Theory.BITVECTORS, "bvult bvule bvslt bvsle concat")
BVNEGO, BVUADDO, BVSADDO, BVUMULO, BVSMULO, BVUSUBO, BVSSUBO, BVSDIVO = _ops(
    Theory.BITVECTORS, "bvnego bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo"
)
# Indexed: the payload is the tuple of indices.
EXTRACT, ZERO_EXTEND, SIGN_EXTEND, REPEAT, ROTATE_LEFT, ROTATE_RIGHT = _ops(
    Theory.BITVECTORS, "extract zero_extend sign_extend repeat rotate_left rotate_right"
)
UBV_TO_INT, SBV_TO_INT, INT_TO_BV = _ops(Theory.CONVERSIONS, "ubv_to_int sbv_to_int int_to_bv")

FP_ABS, FP_NEG, FP_ADD, FP_SUB, FP_MUL, FP_DIV, FP_FMA, FP_SQRT, FP_REM, FP_ROUND, FP_MIN, FP_MAX = _ops(
    Theory.FLOATS,
    "fp.abs fp.neg fp.add fp.sub fp.mul fp.div fp.fma fp.sqrt fp.rem fp.roundToIntegral fp.min fp.max",
)
FP_LE, FP_LT, FP_EQ = _ops(Theory.FLOATS, "fp.leq fp.lt fp.eq")
FP_IS_NORMAL, FP_IS_SUBNORMAL, FP_IS_ZERO, FP_IS_INFINITE, FP_IS_NAN, FP_IS_NEGATIVE, FP_IS_POSITIVE = _ops(
    Theory.FLOATS,
    "fp.isNormal fp.isSubnormal fp.isZero fp.isInfinite fp.isNaN fp.isNegative fp.isPositive",
)
# Conversions to floats; the payload is (exponent bits, significand bits). SMT-LIB overloads `to_fp` for the first four.
FP_FROM_BITS, FP_FROM_FP, FP_FROM_SIGNED, FP_FROM_UNSIGNED = _ops(
    Theory.FLOATS, "to_fp.bits to_fp.float to_fp.signed to_fp_unsigned"
)
# Conversions from floats; the payload is (width,).
FP_TO_UBV, FP_TO_SBV = _ops(Theory.FLOATS, "fp.to_ubv fp.to_sbv")
FP_FROM_REAL, FP_TO_REAL = _ops(Theory.FLOATS_REALS, "to_fp.real fp.to_real")

SELECT, STORE, CONST_ARRAY = _ops(Theory.ARRAYS, "select store const")
