"""Translation of our terms to z3's, each node once per context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from craton.logic import ops
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Function, Sort
from craton.logic.terms import Term
from craton.smt.z3 import api
from craton.smt.z3.api import Context, Handle, function, handles


class Writer:
    """Translates terms; keeps what it has translated for the lifetime of its context."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.terms: dict[Term, Handle] = {}
        self._sorts: dict[Sort, Handle] = {}
        self._functions: dict[Function, Handle] = {}

    def write(self, root: Term) -> Handle:
        terms = self.terms
        found = terms.get(root)
        if found is not None:
            return found
        context, ref, keep = self.context, self.context.ref, api.inc_ref
        stack = [root]
        while stack:
            node = stack[-1]
            if node in terms:
                stack.pop()
                continue
            args = []
            for arg in node.args:
                handle = terms.get(arg)
                if handle is None:
                    stack.append(arg)
                else:
                    args.append(handle)
            if len(args) < len(node.args):
                continue
            stack.pop()
            op = node.op
            direct = _DIRECT.get(op)
            if direct is not None:
                handle = direct(ref, *args)
            else:
                nary = _NARY.get(op)
                handle = nary(ref, len(args), handles(args)) if nary is not None else _SPECIAL[op](self, node, args)
            if not handle:
                context.fail()
            keep(ref, handle)
            terms[node] = handle
        return terms[root]

    def sort(self, sort: Sort) -> Handle:
        handle = self._sorts.get(sort)
        if handle is None:
            handle = self._sorts[sort] = self.context.keep(self._new_sort(sort))
        return handle

    def _new_sort(self, sort: Sort) -> Handle:
        ref = self.context.ref
        if isinstance(sort, BitVec):
            return api.mk_bv_sort(ref, sort.width)  # type: ignore[no-any-return]
        if isinstance(sort, Float):
            return api.mk_fpa_sort(ref, sort.exponent_bits, sort.significand_bits)  # type: ignore[no-any-return]
        if isinstance(sort, Array):
            return api.mk_array_sort(ref, self.sort(sort.index), self.sort(sort.element))  # type: ignore[no-any-return]
        return _BASIC_SORTS[sort](ref)  # type: ignore[no-any-return]

    def function(self, symbol: Function) -> Handle:
        handle = self._functions.get(symbol)
        if handle is None:
            domain = handles([self.sort(s) for s in symbol.params])
            name = self.context.symbol(symbol.name)
            declared = api.mk_func_decl(self.context.ref, name, len(symbol.params), domain, self.sort(symbol.result))
            handle = self._functions[symbol] = self.context.keep(declared)
        return handle


_BASIC_SORTS: dict[Sort, Callable[[Handle], Any]] = {
    BOOL: api.mk_bool_sort,
    INT: api.mk_int_sort,
    REAL: api.mk_real_sort,
    ROUNDING_MODE: api.mk_fpa_rounding_mode_sort,
}


# Operations that are one call on their arguments.
_UNARY = {
    ops.NOT: "not",
    ops.NEG: "unary_minus",
    ops.ABS: "abs",
    ops.TO_REAL: "int2real",
    ops.TO_INT: "real2int",
    ops.IS_INT: "is_int",
    ops.BVNOT: "bvnot",
    ops.BVNEG: "bvneg",
    ops.FP_ABS: "fpa_abs",
    ops.FP_NEG: "fpa_neg",
    ops.FP_IS_NORMAL: "fpa_is_normal",
    ops.FP_IS_SUBNORMAL: "fpa_is_subnormal",
    ops.FP_IS_ZERO: "fpa_is_zero",
    ops.FP_IS_INFINITE: "fpa_is_infinite",
    ops.FP_IS_NAN: "fpa_is_nan",
    ops.FP_IS_NEGATIVE: "fpa_is_negative",
    ops.FP_IS_POSITIVE: "fpa_is_positive",
    ops.FP_TO_REAL: "fpa_to_real",
}
_BINARY = {
    ops.XOR: "xor",
    ops.IMPLIES: "implies",
    ops.EQ: "eq",
    ops.DIVIDE: "div",
    ops.DIV: "div",
    ops.MOD: "mod",
    ops.LE: "le",
    ops.LT: "lt",
    ops.BVSUB: "bvsub",
    ops.BVUDIV: "bvudiv",
    ops.BVUREM: "bvurem",
    ops.BVSDIV: "bvsdiv",
    ops.BVSREM: "bvsrem",
    ops.BVSMOD: "bvsmod",
    ops.BVSHL: "bvshl",
    ops.BVLSHR: "bvlshr",
    ops.BVASHR: "bvashr",
    ops.BVULT: "bvult",
    ops.BVULE: "bvule",
    ops.BVSLT: "bvslt",
    ops.BVSLE: "bvsle",
    ops.FP_SQRT: "fpa_sqrt",
    ops.FP_REM: "fpa_rem",
    ops.FP_ROUND: "fpa_round_to_integral",
    ops.FP_MIN: "fpa_min",
    ops.FP_MAX: "fpa_max",
    ops.FP_LE: "fpa_leq",
    ops.FP_LT: "fpa_lt",
    ops.FP_EQ: "fpa_eq",
    ops.SELECT: "select",
}
_TERNARY = {
    ops.ITE: "ite",
    ops.FP_ADD: "fpa_add",
    ops.FP_SUB: "fpa_sub",
    ops.FP_MUL: "fpa_mul",
    ops.FP_DIV: "fpa_div",
    ops.STORE: "store",
}

_DIRECT: dict[Op, Callable[..., Any]] = {
    **{op: function(f"mk_{name}", "ppp") for op, name in _UNARY.items()},
    **{op: function(f"mk_{name}", "pppp") for op, name in _BINARY.items()},
    **{op: function(f"mk_{name}", "ppppp") for op, name in _TERNARY.items()},
    ops.FP_FMA: function("mk_fpa_fma", "pppppp"),
}

# Operations on an array of arguments.
_NARY: dict[Op, Callable[..., Any]] = {
    op: function(f"mk_{name}", "ppup")
    for op, name in {
        ops.AND: "and",
        ops.OR: "or",
        ops.DISTINCT: "distinct",
        ops.ADD: "add",
        ops.SUB: "sub",
        ops.MUL: "mul",
    }.items()
}

Special = Callable[[Writer, Term, list[Handle]], Any]


def _chained(name: str) -> Special:
    """z3's bit-vector operations take two arguments."""
    call = function(f"mk_{name}", "pppp")

    def write(writer: Writer, node: Term, args: list[Handle]) -> Handle:
        ref = writer.context.ref
        result: Handle = args[0]
        for arg in args[1:]:
            result = writer.context.keep(call(ref, result, arg))
        return result

    return write


def _indexed(name: str, indices: int) -> Special:
    call = function(f"mk_{name}", "pp" + "u" * indices + "p")
    return lambda writer, node, args: call(writer.context.ref, *node.payload, *args)


def _rounded_to_width(name: str) -> Special:
    call = function(f"mk_{name}", "ppppu")
    return lambda writer, node, args: call(writer.context.ref, *args, *node.payload)


def _into_float(name: str, arguments: int) -> Special:
    call = function(f"mk_{name}", "pp" + "p" * arguments + "p")
    return lambda writer, node, args: call(writer.context.ref, *args, writer.sort(node.sort))


def _overflow(*checks: tuple[str, bool | None]) -> Special:
    """z3 has predicates for *no* overflow: `checks` lists them, with their flag for signed operands."""
    calls = [
        (function(f"mk_{name}", "pppp" if signed is None else "ppppb"), () if signed is None else (signed,))
        for name, signed in checks
    ]
    negate, conjoin = _DIRECT[ops.NOT], _NARY[ops.AND]

    def write(writer: Writer, node: Term, args: list[Handle]) -> Handle:
        ref, keep = writer.context.ref, writer.context.keep
        safe = [keep(call(ref, *args, *flag)) for call, flag in calls]
        return negate(ref, keep(conjoin(ref, len(safe), handles(safe))))  # type: ignore[no-any-return]

    return write


_mk_bvneg_no_overflow = function("mk_bvneg_no_overflow", "ppp")
_mk_numeral = function("mk_numeral", "ppsp")
_mk_unsigned_int64 = function("mk_unsigned_int64", "pplp")
_mk_true, _mk_false = function("mk_true", "pp"), function("mk_false", "pp")
_mk_fpa_to_fp_bv = function("mk_fpa_to_fp_bv", "pppp")
_mk_const_array = function("mk_const_array", "pppp")
_mk_bv2int = function("mk_bv2int", "pppb")
_mk_quantifier_const = function("mk_quantifier_const", "ppbuupupp")
_ROUNDING = {mode: function(f"mk_fpa_{mode.value.lower()}", "pp") for mode in RoundingMode}
_SMALL = 1 << 64


def _value(writer: Writer, node: Term, args: list[Handle]) -> Any:
    ref, sort, payload = writer.context.ref, node.sort, node.payload
    if isinstance(sort, Float):
        bits = writer.context.keep(_mk_numeral(ref, str(payload).encode(), writer.sort(BitVec(sort.width))))
        # Simplified, so that z3 sees a numeral and not a conversion.
        return api.simplify(ref, writer.context.keep(_mk_fpa_to_fp_bv(ref, bits, writer.sort(sort))))
    if sort is BOOL:
        return _mk_true(ref) if payload else _mk_false(ref)
    if sort is ROUNDING_MODE:
        return _ROUNDING[payload](ref)
    if sort is not REAL and 0 <= payload < _SMALL:
        return _mk_unsigned_int64(ref, payload, writer.sort(sort))
    return _mk_numeral(ref, str(payload).encode(), writer.sort(sort))


def _quantified(writer: Writer, node: Term, args: list[Handle]) -> Any:
    bound = handles([writer.write(v) for v in node.payload])
    universal = node.op is ops.FORALL
    return _mk_quantifier_const(writer.context.ref, universal, 0, len(node.payload), bound, 0, None, args[0])


def _const_array(writer: Writer, node: Term, args: list[Handle]) -> Any:
    assert isinstance(node.sort, Array)
    return _mk_const_array(writer.context.ref, writer.sort(node.sort.index), args[0])


_SPECIAL: dict[Op, Special] = {
    ops.VALUE: _value,
    ops.VARIABLE: lambda w, node, args: api.mk_const(w.context.ref, w.context.symbol(node.payload), w.sort(node.sort)),
    ops.APPLY: lambda w, node, args: api.mk_app(w.context.ref, w.function(node.payload), len(args), handles(args)),
    ops.FORALL: _quantified,
    ops.EXISTS: _quantified,
    ops.BVAND: _chained("bvand"),
    ops.BVOR: _chained("bvor"),
    ops.BVXOR: _chained("bvxor"),
    ops.BVADD: _chained("bvadd"),
    ops.BVMUL: _chained("bvmul"),
    ops.CONCAT: _chained("concat"),
    ops.EXTRACT: _indexed("extract", 2),
    ops.ZERO_EXTEND: _indexed("zero_ext", 1),
    ops.SIGN_EXTEND: _indexed("sign_ext", 1),
    ops.REPEAT: _indexed("repeat", 1),
    ops.ROTATE_LEFT: _indexed("rotate_left", 1),
    ops.ROTATE_RIGHT: _indexed("rotate_right", 1),
    ops.INT_TO_BV: _indexed("int2bv", 1),
    ops.UBV_TO_INT: lambda w, node, args: _mk_bv2int(w.context.ref, args[0], False),
    ops.SBV_TO_INT: lambda w, node, args: _mk_bv2int(w.context.ref, args[0], True),
    ops.BVNEGO: lambda w, node, args: _DIRECT[ops.NOT](
        w.context.ref, w.context.keep(_mk_bvneg_no_overflow(w.context.ref, args[0]))
    ),
    ops.BVUADDO: _overflow(("bvadd_no_overflow", False)),
    ops.BVSADDO: _overflow(("bvadd_no_overflow", True), ("bvadd_no_underflow", None)),
    ops.BVUMULO: _overflow(("bvmul_no_overflow", False)),
    ops.BVSMULO: _overflow(("bvmul_no_overflow", True), ("bvmul_no_underflow", None)),
    ops.BVUSUBO: _overflow(("bvsub_no_underflow", False)),
    ops.BVSSUBO: _overflow(("bvsub_no_overflow", None), ("bvsub_no_underflow", True)),
    ops.BVSDIVO: _overflow(("bvsdiv_no_overflow", None)),
    ops.FP_FROM_BITS: _into_float("fpa_to_fp_bv", 1),
    ops.FP_FROM_FP: _into_float("fpa_to_fp_float", 2),
    ops.FP_FROM_REAL: _into_float("fpa_to_fp_real", 2),
    ops.FP_FROM_SIGNED: _into_float("fpa_to_fp_signed", 2),
    ops.FP_FROM_UNSIGNED: _into_float("fpa_to_fp_unsigned", 2),
    ops.FP_TO_UBV: _rounded_to_width("fpa_to_ubv"),
    ops.FP_TO_SBV: _rounded_to_width("fpa_to_sbv"),
    ops.CONST_ARRAY: _const_array,
}
