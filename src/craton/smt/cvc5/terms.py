"""Translation to and from cvc5's terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import cvc5
from cvc5 import Kind

from craton.logic import ops
from craton.logic.arithmetic import div, divide, mod, to_real
from craton.logic.core import apply, eq, ite
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Function, Sort
from craton.logic.terms import Term, bool_, bv, fp_bits, int_, real, rounding, var
from craton.smt import translation
from craton.smt.translation import not_readable, quantified
from craton.smt.vocabulary import BY_RESULT, INDEXED, PLAIN

_KINDS: dict[Op, Any] = {
    ops.NOT: Kind.NOT,
    ops.AND: Kind.AND,
    ops.OR: Kind.OR,
    ops.XOR: Kind.XOR,
    ops.IMPLIES: Kind.IMPLIES,
    ops.EQ: Kind.EQUAL,
    ops.DISTINCT: Kind.DISTINCT,
    ops.ITE: Kind.ITE,
    ops.NEG: Kind.NEG,
    ops.ADD: Kind.ADD,
    ops.SUB: Kind.SUB,
    ops.MUL: Kind.MULT,
    ops.DIVIDE: Kind.DIVISION,
    ops.DIV: Kind.INTS_DIVISION,
    ops.MOD: Kind.INTS_MODULUS,
    ops.ABS: Kind.ABS,
    ops.LE: Kind.LEQ,
    ops.LT: Kind.LT,
    ops.TO_REAL: Kind.TO_REAL,
    ops.TO_INT: Kind.TO_INTEGER,
    ops.IS_INT: Kind.IS_INTEGER,
    ops.BVNOT: Kind.BITVECTOR_NOT,
    ops.BVNEG: Kind.BITVECTOR_NEG,
    ops.BVAND: Kind.BITVECTOR_AND,
    ops.BVOR: Kind.BITVECTOR_OR,
    ops.BVXOR: Kind.BITVECTOR_XOR,
    ops.BVADD: Kind.BITVECTOR_ADD,
    ops.BVSUB: Kind.BITVECTOR_SUB,
    ops.BVMUL: Kind.BITVECTOR_MULT,
    ops.BVUDIV: Kind.BITVECTOR_UDIV,
    ops.BVUREM: Kind.BITVECTOR_UREM,
    ops.BVSDIV: Kind.BITVECTOR_SDIV,
    ops.BVSREM: Kind.BITVECTOR_SREM,
    ops.BVSMOD: Kind.BITVECTOR_SMOD,
    ops.BVSHL: Kind.BITVECTOR_SHL,
    ops.BVLSHR: Kind.BITVECTOR_LSHR,
    ops.BVASHR: Kind.BITVECTOR_ASHR,
    ops.BVULT: Kind.BITVECTOR_ULT,
    ops.BVULE: Kind.BITVECTOR_ULE,
    ops.BVSLT: Kind.BITVECTOR_SLT,
    ops.BVSLE: Kind.BITVECTOR_SLE,
    ops.CONCAT: Kind.BITVECTOR_CONCAT,
    ops.BVNEGO: Kind.BITVECTOR_NEGO,
    ops.BVUADDO: Kind.BITVECTOR_UADDO,
    ops.BVSADDO: Kind.BITVECTOR_SADDO,
    ops.BVUMULO: Kind.BITVECTOR_UMULO,
    ops.BVSMULO: Kind.BITVECTOR_SMULO,
    ops.BVUSUBO: Kind.BITVECTOR_USUBO,
    ops.BVSSUBO: Kind.BITVECTOR_SSUBO,
    ops.BVSDIVO: Kind.BITVECTOR_SDIVO,
    ops.EXTRACT: Kind.BITVECTOR_EXTRACT,
    ops.ZERO_EXTEND: Kind.BITVECTOR_ZERO_EXTEND,
    ops.SIGN_EXTEND: Kind.BITVECTOR_SIGN_EXTEND,
    ops.REPEAT: Kind.BITVECTOR_REPEAT,
    ops.ROTATE_LEFT: Kind.BITVECTOR_ROTATE_LEFT,
    ops.ROTATE_RIGHT: Kind.BITVECTOR_ROTATE_RIGHT,
    ops.UBV_TO_INT: Kind.BITVECTOR_UBV_TO_INT,
    ops.SBV_TO_INT: Kind.BITVECTOR_SBV_TO_INT,
    ops.INT_TO_BV: Kind.INT_TO_BITVECTOR,
    ops.FP_ABS: Kind.FLOATINGPOINT_ABS,
    ops.FP_NEG: Kind.FLOATINGPOINT_NEG,
    ops.FP_ADD: Kind.FLOATINGPOINT_ADD,
    ops.FP_SUB: Kind.FLOATINGPOINT_SUB,
    ops.FP_MUL: Kind.FLOATINGPOINT_MULT,
    ops.FP_DIV: Kind.FLOATINGPOINT_DIV,
    ops.FP_FMA: Kind.FLOATINGPOINT_FMA,
    ops.FP_SQRT: Kind.FLOATINGPOINT_SQRT,
    ops.FP_REM: Kind.FLOATINGPOINT_REM,
    ops.FP_ROUND: Kind.FLOATINGPOINT_RTI,
    ops.FP_MIN: Kind.FLOATINGPOINT_MIN,
    ops.FP_MAX: Kind.FLOATINGPOINT_MAX,
    ops.FP_LE: Kind.FLOATINGPOINT_LEQ,
    ops.FP_LT: Kind.FLOATINGPOINT_LT,
    ops.FP_EQ: Kind.FLOATINGPOINT_EQ,
    ops.FP_IS_NORMAL: Kind.FLOATINGPOINT_IS_NORMAL,
    ops.FP_IS_SUBNORMAL: Kind.FLOATINGPOINT_IS_SUBNORMAL,
    ops.FP_IS_ZERO: Kind.FLOATINGPOINT_IS_ZERO,
    ops.FP_IS_INFINITE: Kind.FLOATINGPOINT_IS_INF,
    ops.FP_IS_NAN: Kind.FLOATINGPOINT_IS_NAN,
    ops.FP_IS_NEGATIVE: Kind.FLOATINGPOINT_IS_NEG,
    ops.FP_IS_POSITIVE: Kind.FLOATINGPOINT_IS_POS,
    ops.FP_FROM_BITS: Kind.FLOATINGPOINT_TO_FP_FROM_IEEE_BV,
    ops.FP_FROM_FP: Kind.FLOATINGPOINT_TO_FP_FROM_FP,
    ops.FP_FROM_REAL: Kind.FLOATINGPOINT_TO_FP_FROM_REAL,
    ops.FP_FROM_SIGNED: Kind.FLOATINGPOINT_TO_FP_FROM_SBV,
    ops.FP_FROM_UNSIGNED: Kind.FLOATINGPOINT_TO_FP_FROM_UBV,
    ops.FP_TO_UBV: Kind.FLOATINGPOINT_TO_UBV,
    ops.FP_TO_SBV: Kind.FLOATINGPOINT_TO_SBV,
    ops.FP_TO_REAL: Kind.FLOATINGPOINT_TO_REAL,
    ops.SELECT: Kind.SELECT,
    ops.STORE: Kind.STORE,
}
_MODES = {
    RoundingMode.RNE: cvc5.RoundingMode.ROUND_NEAREST_TIES_TO_EVEN,
    RoundingMode.RNA: cvc5.RoundingMode.ROUND_NEAREST_TIES_TO_AWAY,
    RoundingMode.RTP: cvc5.RoundingMode.ROUND_TOWARD_POSITIVE,
    RoundingMode.RTN: cvc5.RoundingMode.ROUND_TOWARD_NEGATIVE,
    RoundingMode.RTZ: cvc5.RoundingMode.ROUND_TOWARD_ZERO,
}


class Writer(translation.Writer[Any]):
    def __init__(self, manager: Any) -> None:
        super().__init__()
        self.manager = manager
        self._sorts: dict[Sort, Any] = {}
        self._functions: dict[Function, Any] = {}

    def node(self, node: Term, args: list[Any]) -> Any:
        kind = _KINDS.get(node.op)
        if kind is None:
            return self._special(node, args)
        if node.payload is None:
            return self.manager.mkTerm(kind, *args)
        return self.manager.mkTerm(self.manager.mkOp(kind, *node.payload), *args)

    def _special(self, node: Term, args: list[Any]) -> Any:
        manager, sort = self.manager, node.sort
        if node.op is ops.VARIABLE:
            return manager.mkConst(self.sort(sort), node.payload)
        if node.op is ops.APPLY:
            return manager.mkTerm(Kind.APPLY_UF, self.function(node.payload), *args)
        if node.op is ops.CONST_ARRAY:
            return manager.mkConstArray(self.sort(sort), args[0])
        if node.op in (ops.FORALL, ops.EXISTS):
            return self._quantified(node, args[0])
        assert node.op is ops.VALUE, node.op
        if sort is INT:
            return manager.mkInteger(str(node.payload))
        if sort is REAL:
            return manager.mkReal(str(node.payload))
        if sort is BOOL:
            return manager.mkBoolean(node.payload)
        if sort is ROUNDING_MODE:
            return manager.mkRoundingMode(_MODES[node.payload])
        if isinstance(sort, BitVec):
            return manager.mkBitVector(sort.width, str(node.payload), 10)
        assert isinstance(sort, Float)
        bits = manager.mkBitVector(sort.width, str(node.payload), 10)
        return manager.mkFloatingPoint(sort.exponent_bits, sort.significand_bits, bits)

    def _quantified(self, node: Term, body: Any) -> Any:
        """Replaces constants in the body by variables: quantifiers can only bind variables."""
        constants = [self.write(v) for v in node.payload]
        bound = [self.manager.mkVar(self.sort(v.sort), v.payload) for v in node.payload]
        kind = Kind.FORALL if node.op is ops.FORALL else Kind.EXISTS
        variables = self.manager.mkTerm(Kind.VARIABLE_LIST, *bound)
        return self.manager.mkTerm(kind, variables, body.substitute(constants, bound))

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._new_sort(sort)
        return found

    def _new_sort(self, sort: Sort) -> Any:
        manager = self.manager
        if isinstance(sort, BitVec):
            return manager.mkBitVectorSort(sort.width)
        if isinstance(sort, Float):
            return manager.mkFloatingPointSort(sort.exponent_bits, sort.significand_bits)
        if isinstance(sort, Array):
            return manager.mkArraySort(self.sort(sort.index), self.sort(sort.element))
        getters: dict[Sort, Callable[[], Any]] = {
            BOOL: manager.getBooleanSort,
            INT: manager.getIntegerSort,
            REAL: manager.getRealSort,
            ROUNDING_MODE: manager.getRoundingModeSort,
        }
        return getters[sort]()

    def function(self, symbol: Function) -> Any:
        found = self._functions.get(symbol)
        if found is None:
            sort = self.manager.mkFunctionSort([self.sort(s) for s in symbol.params], self.sort(symbol.result))
            found = self._functions[symbol] = self.manager.mkConst(sort, symbol.name)
        return found


# --- back -------------------------------------------------------------------------------------------------------------

_WORDS: dict[Any, str] = {kind: op.name for op, kind in _KINDS.items()} | {
    Kind.NEG: "-",
    Kind.GT: ">",
    Kind.GEQ: ">=",
    Kind.DIVISIBLE: "divisible",
    Kind.BITVECTOR_UGT: "bvugt",
    Kind.BITVECTOR_UGE: "bvuge",
    Kind.BITVECTOR_SGT: "bvsgt",
    Kind.BITVECTOR_SGE: "bvsge",
    Kind.BITVECTOR_NAND: "bvnand",
    Kind.BITVECTOR_NOR: "bvnor",
    Kind.BITVECTOR_XNOR: "bvxnor",
    Kind.BITVECTOR_COMP: "bvcomp",
    Kind.BITVECTOR_TO_NAT: "ubv_to_int",
    Kind.FLOATINGPOINT_FP: "fp",
    Kind.FLOATINGPOINT_GT: "fp.gt",
    Kind.FLOATINGPOINT_GEQ: "fp.geq",
    Kind.FLOATINGPOINT_TO_FP_FROM_IEEE_BV: "to_fp",
    Kind.FLOATINGPOINT_TO_FP_FROM_FP: "to_fp",
    Kind.FLOATINGPOINT_TO_FP_FROM_REAL: "to_fp",
    Kind.FLOATINGPOINT_TO_FP_FROM_SBV: "to_fp",
}


# cvc5's own variants, which are total: division by zero is zero, and the modulus by zero is the dividend.
_TOTAL: dict[Any, Callable[[Term, Term], Term]] = {
    Kind.DIVISION_TOTAL: lambda a, b: ite(eq(b, real(0)), real(0), divide(a, b)),
    Kind.INTS_DIVISION_TOTAL: lambda a, b: ite(eq(b, int_(0)), int_(0), div(a, b)),
    Kind.INTS_MODULUS_TOTAL: lambda a, b: ite(eq(b, int_(0)), a, mod(a, b)),
}


class Reader(translation.Reader[Any]):
    def children(self, node: Any) -> Sequence[Any]:
        if node.getKind() == Kind.CONST_ARRAY:
            return (node.getConstArrayBase(),)
        return list(node)

    def is_constant(self, node: Any) -> bool:
        return bool(node.getKind() == Kind.CONSTANT)

    def symbol(self, node: Any) -> str:
        return node.getSymbol() if node.hasSymbol() else ""

    def node(self, node: Any, args: list[Term]) -> Term:
        kind = node.getKind()
        if kind == Kind.CONSTANT:
            if node.getSort().isFunction():
                return bool_(False)  # a placeholder: APPLY_UF reads the symbol itself
            return var(node.getSymbol(), self.sort(node.getSort()))
        if kind == Kind.VARIABLE:
            return self.bound_variable(node, self.sort(node.getSort()))
        if kind == Kind.VARIABLE_LIST:
            return bool_(False)  # likewise: the quantifier reads its own list
        if kind in (Kind.FORALL, Kind.EXISTS):
            bound = [self.bound_variable(v, self.sort(v.getSort())) for v in node[0]]
            return quantified(kind == Kind.FORALL, [*bound, args[1]])
        if kind == Kind.CONST_ARRAY:
            return BY_RESULT["const"](self.sort(node.getSort()), args)
        if kind == Kind.APPLY_UF:
            params = tuple(a.sort for a in args[1:])
            return apply(Function(node[0].getSymbol(), params, self.sort(node.getSort())), *args[1:])
        constant = self._constant(node)
        if constant is not None:
            return constant
        total = _TOTAL.get(kind)
        if total is not None:
            return total(*args)
        word = _WORDS.get(kind)
        if word is None:
            raise not_readable("cvc5", kind.name)
        operator = node.getOp()
        if operator.isIndexed():
            indices = [int(operator[i].toPythonObj()) for i in range(operator.getNumIndices())]
            return INDEXED[word](*indices, *args)
        if any(a.sort is REAL for a in args) and any(a.sort is INT for a in args):
            # cvc5 normalises sums of Reals with Int coefficients.
            args = [to_real(a) if a.sort is INT else a for a in args]
        return PLAIN[word](*args)

    def _constant(self, node: Any) -> Term | None:
        if node.isBooleanValue():
            return bool_(node.getBooleanValue())
        if node.isRealValue():  # integral Reals also count as integer values: the sort decides
            number = Fraction(node.getRealValue())
            return int_(int(number)) if node.getSort().isInteger() else real(number)
        if node.isBitVectorValue():
            digits = node.getBitVectorValue(2)
            return bv(int(digits, 2), node.getSort().getBitVectorSize())
        if node.isRoundingModeValue():
            theirs = node.getRoundingModeValue()
            return rounding(next(mode for mode, other in _MODES.items() if other == theirs))
        if node.isFloatingPointValue():
            sort = self.sort(node.getSort())
            assert isinstance(sort, Float)
            return fp_bits(int(node.getFloatingPointValue()[2].getBitVectorValue(2), 2), sort)
        return None

    def sort(self, sort: Any) -> Sort:
        if sort.isBoolean():
            return BOOL
        if sort.isInteger():
            return INT
        if sort.isReal():
            return REAL
        if sort.isBitVector():
            return BitVec(sort.getBitVectorSize())
        if sort.isFloatingPoint():
            return Float(sort.getFloatingPointExponentSize(), sort.getFloatingPointSignificandSize())
        if sort.isArray():
            return Array(self.sort(sort.getArrayIndexSort()), self.sort(sort.getArrayElementSort()))
        if sort.isRoundingMode():
            return ROUNDING_MODE
        raise not_readable("cvc5", f"a term of sort {sort}")
