"""Translation to and from bitwuzla's terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bitwuzla
from bitwuzla import Kind

from craton.logic import ops
from craton.logic.core import apply
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, ROUNDING_MODE, Array, BitVec, Float, Function, Sort
from craton.logic.terms import Term, bool_, bv, fp_bits, rounding, var
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
    ops.FORALL: Kind.FORALL,
    ops.EXISTS: Kind.EXISTS,
    ops.BVNOT: Kind.BV_NOT,
    ops.BVNEG: Kind.BV_NEG,
    ops.BVAND: Kind.BV_AND,
    ops.BVOR: Kind.BV_OR,
    ops.BVXOR: Kind.BV_XOR,
    ops.BVADD: Kind.BV_ADD,
    ops.BVSUB: Kind.BV_SUB,
    ops.BVMUL: Kind.BV_MUL,
    ops.BVUDIV: Kind.BV_UDIV,
    ops.BVUREM: Kind.BV_UREM,
    ops.BVSDIV: Kind.BV_SDIV,
    ops.BVSREM: Kind.BV_SREM,
    ops.BVSMOD: Kind.BV_SMOD,
    ops.BVSHL: Kind.BV_SHL,
    ops.BVLSHR: Kind.BV_SHR,
    ops.BVASHR: Kind.BV_ASHR,
    ops.BVULT: Kind.BV_ULT,
    ops.BVULE: Kind.BV_ULE,
    ops.BVSLT: Kind.BV_SLT,
    ops.BVSLE: Kind.BV_SLE,
    ops.CONCAT: Kind.BV_CONCAT,
    ops.BVNEGO: Kind.BV_NEG_OVERFLOW,
    ops.BVUADDO: Kind.BV_UADD_OVERFLOW,
    ops.BVSADDO: Kind.BV_SADD_OVERFLOW,
    ops.BVUMULO: Kind.BV_UMUL_OVERFLOW,
    ops.BVSMULO: Kind.BV_SMUL_OVERFLOW,
    ops.BVUSUBO: Kind.BV_USUB_OVERFLOW,
    ops.BVSSUBO: Kind.BV_SSUB_OVERFLOW,
    ops.BVSDIVO: Kind.BV_SDIV_OVERFLOW,
    ops.EXTRACT: Kind.BV_EXTRACT,
    ops.ZERO_EXTEND: Kind.BV_ZERO_EXTEND,
    ops.SIGN_EXTEND: Kind.BV_SIGN_EXTEND,
    ops.REPEAT: Kind.BV_REPEAT,
    ops.ROTATE_LEFT: Kind.BV_ROLI,
    ops.ROTATE_RIGHT: Kind.BV_RORI,
    ops.FP_ABS: Kind.FP_ABS,
    ops.FP_NEG: Kind.FP_NEG,
    ops.FP_ADD: Kind.FP_ADD,
    ops.FP_SUB: Kind.FP_SUB,
    ops.FP_MUL: Kind.FP_MUL,
    ops.FP_DIV: Kind.FP_DIV,
    ops.FP_FMA: Kind.FP_FMA,
    ops.FP_SQRT: Kind.FP_SQRT,
    ops.FP_REM: Kind.FP_REM,
    ops.FP_ROUND: Kind.FP_RTI,
    ops.FP_MIN: Kind.FP_MIN,
    ops.FP_MAX: Kind.FP_MAX,
    ops.FP_LE: Kind.FP_LEQ,
    ops.FP_LT: Kind.FP_LT,
    ops.FP_EQ: Kind.FP_EQUAL,
    ops.FP_IS_NORMAL: Kind.FP_IS_NORMAL,
    ops.FP_IS_SUBNORMAL: Kind.FP_IS_SUBNORMAL,
    ops.FP_IS_ZERO: Kind.FP_IS_ZERO,
    ops.FP_IS_INFINITE: Kind.FP_IS_INF,
    ops.FP_IS_NAN: Kind.FP_IS_NAN,
    ops.FP_IS_NEGATIVE: Kind.FP_IS_NEG,
    ops.FP_IS_POSITIVE: Kind.FP_IS_POS,
    ops.FP_FROM_BITS: Kind.FP_TO_FP_FROM_BV,
    ops.FP_FROM_FP: Kind.FP_TO_FP_FROM_FP,
    ops.FP_FROM_SIGNED: Kind.FP_TO_FP_FROM_SBV,
    ops.FP_FROM_UNSIGNED: Kind.FP_TO_FP_FROM_UBV,
    ops.FP_TO_UBV: Kind.FP_TO_UBV,
    ops.FP_TO_SBV: Kind.FP_TO_SBV,
    ops.SELECT: Kind.ARRAY_SELECT,
    ops.STORE: Kind.ARRAY_STORE,
}
_MODES = {mode: getattr(bitwuzla.RoundingMode, mode.value) for mode in RoundingMode}


def is_expressible(sort: Sort) -> bool:
    if isinstance(sort, Array):
        return is_expressible(sort.index) and is_expressible(sort.element)
    return isinstance(sort, BitVec | Float) or sort in (BOOL, ROUNDING_MODE)


class Writer(translation.Writer[Any]):
    def __init__(self, manager: Any) -> None:
        super().__init__()
        self.manager = manager
        self._mk_term = manager.mk_term
        self._sorts: dict[Sort, Any] = {}
        self._functions: dict[Function, Any] = {}

    def node(self, node: Term, args: list[Any]) -> Any:
        kind = _KINDS.get(node.op)
        if kind is None:
            return self._special(node, args)
        if node.payload is None:
            return self._mk_term(kind, args)
        if node.op is ops.FORALL or node.op is ops.EXISTS:
            return self._quantified(kind, node, args[0])
        return self._mk_term(kind, args, list(node.payload))

    def _special(self, node: Term, args: list[Any]) -> Any:
        manager, sort = self.manager, node.sort
        if node.op is ops.VARIABLE:
            return manager.mk_const(self.sort(sort), node.payload)
        if node.op is ops.APPLY:
            return self._mk_term(Kind.APPLY, [self.function(node.payload), *args])
        if node.op is ops.CONST_ARRAY:
            return manager.mk_const_array(self.sort(sort), args[0])
        assert node.op is ops.VALUE, node.op
        if isinstance(sort, BitVec):
            return manager.mk_bv_value(self.sort(sort), node.payload)
        if sort is BOOL:
            return manager.mk_true() if node.payload else manager.mk_false()
        if sort is ROUNDING_MODE:
            return manager.mk_rm_value(_MODES[node.payload])
        assert isinstance(sort, Float)
        bits = manager.mk_bv_value(manager.mk_bv_sort(sort.width), node.payload)
        return self._mk_term(Kind.FP_TO_FP_FROM_BV, [bits], [sort.exponent_bits, sort.significand_bits])

    def _quantified(self, kind: Any, node: Term, body: Any) -> Any:
        """Replaces constants in the body by variables: quantifiers can only bind variables."""
        constants = [self.write(v) for v in node.payload]
        bound = [self.manager.mk_var(self.sort(v.sort), v.payload) for v in node.payload]
        body = self.manager.substitute_term(body, dict(zip(constants, bound, strict=True)))
        return self._mk_term(kind, [*bound, body])

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._new_sort(sort)
        return found

    def _new_sort(self, sort: Sort) -> Any:
        if isinstance(sort, BitVec):
            return self.manager.mk_bv_sort(sort.width)
        if isinstance(sort, Float):
            return self.manager.mk_fp_sort(sort.exponent_bits, sort.significand_bits)
        if isinstance(sort, Array):
            return self.manager.mk_array_sort(self.sort(sort.index), self.sort(sort.element))
        assert is_expressible(sort)
        return self.manager.mk_bool_sort() if sort is BOOL else self.manager.mk_rm_sort()

    def function(self, symbol: Function) -> Any:
        found = self._functions.get(symbol)
        if found is None:
            sort = self.manager.mk_fun_sort([self.sort(s) for s in symbol.params], self.sort(symbol.result))
            found = self._functions[symbol] = self.manager.mk_const(sort, symbol.name)
        return found


# --- back -------------------------------------------------------------------------------------------------------------

_WORDS: dict[Any, str] = {kind: op.name for op, kind in _KINDS.items()} | {
    Kind.IFF: "=",
    Kind.BV_UGT: "bvugt",
    Kind.BV_UGE: "bvuge",
    Kind.BV_SGT: "bvsgt",
    Kind.BV_SGE: "bvsge",
    Kind.BV_NAND: "bvnand",
    Kind.BV_NOR: "bvnor",
    Kind.BV_XNOR: "bvxnor",
    Kind.BV_COMP: "bvcomp",
    Kind.BV_REDOR: "bvredor",
    Kind.BV_REDAND: "bvredand",
    Kind.FP_FP: "fp",
    Kind.FP_GT: "fp.gt",
    Kind.FP_GEQ: "fp.geq",
    Kind.FP_TO_FP_FROM_BV: "to_fp",
    Kind.FP_TO_FP_FROM_FP: "to_fp",
    Kind.FP_TO_FP_FROM_SBV: "to_fp",
}


class Reader(translation.Reader[Any]):
    def children(self, node: Any) -> Sequence[Any]:
        return node.children()  # type: ignore[no-any-return]

    def is_constant(self, node: Any) -> bool:
        return bool(node.is_const())

    def symbol(self, node: Any) -> str:
        return node.symbol() or ""

    def node(self, node: Any, args: list[Term]) -> Term:
        kind = node.kind()
        if kind == Kind.VALUE:
            return self.value_term(node)
        if kind == Kind.CONSTANT:
            if node.sort().is_fun():
                return var(f"function {node.symbol()}", BOOL)  # a placeholder: APPLY reads the symbol itself
            return var(node.symbol(), self.sort(node.sort()))
        if kind == Kind.VARIABLE:
            return self.bound_variable(node, self.sort(node.sort()))
        if kind in (Kind.FORALL, Kind.EXISTS):
            return quantified(kind == Kind.FORALL, args)
        if kind == Kind.CONST_ARRAY:
            return BY_RESULT["const"](self.sort(node.sort()), args)
        if kind == Kind.APPLY:
            return self._application(node, args)
        word = _WORDS.get(kind)
        if word is None:
            raise not_readable("bitwuzla", kind)
        if node.num_indices():
            return INDEXED[word](*node.indices(), *args)
        return PLAIN[word](*args)

    def _application(self, node: Any, args: list[Term]) -> Term:
        head = node.children()[0]
        if not head.is_const():
            raise not_readable("bitwuzla", "an applied lambda")
        params = tuple(a.sort for a in args[1:])
        return apply(Function(head.symbol(), params, self.sort(node.sort())), *args[1:])

    def value_term(self, node: Any) -> Term:
        sort = self.sort(node.sort())
        if isinstance(sort, BitVec):
            return bv(int(node.value(2), 2), sort.width)
        if isinstance(sort, Float):
            return fp_bits(int(node.value(2, False), 2), sort)
        if sort is BOOL:
            return bool_(node.is_true())
        return rounding(next(mode for mode, theirs in _MODES.items() if theirs == node.value()))

    def sort(self, sort: Any) -> Sort:
        if sort.is_bool():
            return BOOL
        if sort.is_bv():
            return BitVec(sort.bv_size())
        if sort.is_fp():
            return Float(sort.fp_exp_size(), sort.fp_sig_size())
        if sort.is_array():
            return Array(self.sort(sort.array_index()), self.sort(sort.array_element()))
        if sort.is_rm():
            return ROUNDING_MODE
        raise not_readable("bitwuzla", f"a term of sort {sort}")
