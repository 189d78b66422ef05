"""SMT-LIB's words in attributes: `{:bvbuiltin "bvadd"}`, `{:builtin "(_ to_fp 8 24)"}`, `{:smtdefined "(+ x 1)"}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from craton import logic
from craton.logic import Array, BitVec, Float, RoundingMode, Sort, Term

Builtin = Callable[[Sort, Sequence[Term]], Term]


def builtin(text: str, indices: Sequence[int] = ()) -> Builtin | None:
    """The operation that a `builtin` attribute names, given the sort of its result; None if there is no such word.

    Indices stand in the text (`zero_extend 8`, `(_ zero_extend 8)`) or beside it.
    """
    words = re.findall(r"[^\s()]+", text)
    if words[:1] == ["_"]:
        words = words[1:]
    if not words or not all(word.isdigit() for word in words[1:]):
        return None
    return _operation(words[0], [int(word) for word in words[1:]] or list(indices))


def defined(text: str, parameters: Mapping[str, Term]) -> Term | None:
    """The meaning of an SMT-LIB term over the parameters; None if it has words that are not known."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    position = 0

    def term() -> Term | None:
        nonlocal position
        token = tokens[position]
        position += 1
        if token != "(":
            return parameters.get(token) or _literal(token)
        if tokens[position] == "(":  # ((_ extract 7 0) x)
            close = tokens.index(")", position)
            operation = builtin(" ".join(tokens[position + 1 : close]))
            position = close + 1
        else:
            operation = builtin(tokens[position])
            position += 1
        args = []
        while tokens[position] != ")":
            arg = term()
            if arg is None:
                return None
            args.append(arg)
        position += 1
        return None if operation is None else operation(args[0].sort if args else logic.BOOL, args)

    try:
        found = term()
    except (IndexError, ValueError):
        return None
    return found if position == len(tokens) else None


def _literal(token: str) -> Term | None:
    if token.isdigit():
        return logic.int_(int(token))
    if re.fullmatch(r"\d+\.\d+", token):
        return logic.real(token)
    if re.fullmatch(r"#b[01]+", token):
        return logic.bv(int(token[2:], 2), len(token) - 2)
    if re.fullmatch(r"#x[0-9a-fA-F]+", token):
        return logic.bv(int(token[2:], 16), 4 * (len(token) - 2))
    operation = _operation(token, [])
    return operation(logic.BOOL, []) if operation is not None else None


def _operation(name: str, indices: Sequence[int]) -> Builtin | None:
    plain = _PLAIN.get(name)
    if plain is not None and not indices:
        return lambda sort, args: plain(*args)
    indexed = _INDEXED.get(name)
    if indexed is not None:
        return lambda sort, args: indexed(*indices, *args)
    special = _SPECIAL.get(name)
    if special is not None:
        return _float_constant(special)
    if name == "const":
        return _constant_array
    return None


def _constant_array(sort: Sort, args: Sequence[Term]) -> Term:
    if not isinstance(sort, Array):
        raise logic.terms.ill_sorted("const", "a map as its result", args)
    return logic.const_array(sort, *args)


def _float_constant(bits: Callable[[int, int], int]) -> Builtin:
    def build(sort: Sort, args: Sequence[Term]) -> Term:
        if not isinstance(sort, Float):
            raise logic.terms.ill_sorted("a float constant", "a float as its result", args)
        return logic.fp_bits(bits(sort.width, sort.significand_bits - 1), sort)

    return build


def _minus(*args: Term) -> Term:
    return logic.neg(args[0]) if len(args) == 1 else logic.sub(*args)


def _to_fp(exponent: int, significand: int, *args: Term) -> Term:
    """SMT-LIB's overloaded `(_ to_fp e s)`, told apart by the arguments."""
    sort = Float(exponent, significand)
    if len(args) == 1:
        return logic.fp_from_bits(sort, args[0])
    mode, number = args
    if isinstance(number.sort, Float):
        return logic.fp_from_fp(sort, mode, number)
    if isinstance(number.sort, BitVec):
        return logic.fp_from_signed(sort, mode, number)
    return logic.fp_from_real(sort, mode, logic.to_real(number) if number.sort is logic.INT else number)


def _mode(mode: RoundingMode) -> Callable[[], Term]:
    return lambda: logic.rounding(mode)


_MODES = (
    "roundNearestTiesToEven roundNearestTiesToAway roundTowardPositive roundTowardNegative roundTowardZero".split(),
    "RNE RNA RTP RTN RTZ".split(),
)

# constructor(arguments)
_PLAIN: dict[str, Callable[..., Term]] = {
    "true": lambda: logic.TRUE,
    "false": lambda: logic.FALSE,
    "not": logic.not_,
    "and": logic.and_,
    "or": logic.or_,
    "xor": logic.xor,
    "=>": logic.implies,
    "=": logic.eq,
    "distinct": logic.distinct,
    "ite": logic.ite,
    "-": _minus,
    "+": logic.add,
    "*": logic.mul,
    "/": logic.divide,
    "div": logic.div,
    "mod": logic.mod,
    "abs": logic.abs_,
    "<=": logic.le,
    "<": logic.lt,
    ">=": logic.ge,
    ">": logic.gt,
    "to_real": logic.to_real,
    "to_int": logic.to_int,
    "is_int": logic.is_int,
    "select": logic.select,
    "store": logic.store,
    "bv2nat": logic.ubv_to_int,
    "bv2int": logic.ubv_to_int,
    "fp": logic.fp,
    "fp.roundToIntegral": logic.fp_round_to_integral,
    "fp.leq": logic.fp_le,
    "fp.geq": logic.fp_ge,
    "fp.isNormal": logic.fp_is_normal,
    "fp.isSubnormal": logic.fp_is_subnormal,
    "fp.isZero": logic.fp_is_zero,
    "fp.isInfinite": logic.fp_is_infinite,
    "fp.isNaN": logic.fp_is_nan,
    "fp.isNegative": logic.fp_is_negative,
    "fp.isPositive": logic.fp_is_positive,
    "fp.to_real": logic.fp_to_real,
    **{
        f"fp.{name}": getattr(logic, f"fp_{name}")
        for name in "abs neg add sub mul div fma sqrt rem min max lt gt eq".split()
    },
    **{
        name: getattr(logic, name)
        for name in (
            "bvnot bvneg bvand bvor bvxor bvnand bvnor bvxnor bvcomp bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem"
            " bvsmod bvshl bvlshr bvashr bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge concat bvnego bvuaddo"
            " bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo ubv_to_int sbv_to_int"
        ).split()
    },
    **{name: _mode(mode) for names in _MODES for name, mode in zip(names, RoundingMode, strict=True)},
}

# constructor(*indices, *arguments)
_INDEXED: dict[str, Callable[..., Any]] = {
    "extract": logic.extract,
    "zero_extend": logic.zero_extend,
    "sign_extend": logic.sign_extend,
    "repeat": logic.repeat,
    "rotate_left": logic.rotate_left,
    "rotate_right": logic.rotate_right,
    "int2bv": logic.int_to_bv,
    "nat2bv": logic.int_to_bv,
    "int_to_bv": logic.int_to_bv,
    "to_fp": _to_fp,
    "to_fp_unsigned": lambda e, s, *args: logic.fp_from_unsigned(Float(e, s), *args),
    "fp.to_ubv": logic.fp_to_ubv,
    "fp.to_sbv": logic.fp_to_sbv,
}

# bits(width, significand bits without the hidden one)
_SPECIAL: dict[str, Callable[[int, int], int]] = {
    "NaN": lambda w, m: (1 << (w - 1)) - 1,
    "+oo": lambda w, m: (1 << (w - 1)) - (1 << m),
    "-oo": lambda w, m: (1 << w) - (1 << m),
    "+zero": lambda w, m: 0,
    "-zero": lambda w, m: 1 << (w - 1),
}
