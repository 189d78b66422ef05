"""SMT-LIB's operations on floats: C's operators, which round to nearest, and the builtins of gcc and clang."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from craton.logic import ieee, ops
from craton.logic.cexpr.integers import Reading, chosen, literal, signed, unsigned
from craton.logic.cexpr.pieces import (
    TURNED,
    IntType,
    Level,
    Piece,
    Writer,
    conditional,
    conjunction,
    container,
    converted,
    differ,
    disjunction,
    negated,
    operated,
    plain,
    prefixed,
    related,
    same,
)
from craton.logic.cexpr.refusals import not_expressible
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op
from craton.logic.sorts import FLOAT32, ROUNDING_MODE, Float
from craton.logic.terms import Term, format_of

# --- literals and calls -----------------------------------------------------------------------------------------------


def float_literal(node: Term) -> Piece:
    sort, bits = _float(node), node.payload
    format_, suffix = format_of(sort), _suffix(sort)
    if ieee.is_nan(format_, bits):
        return Piece(f'__builtin_nan{suffix}("")', Level.CALL)
    magnitude = ieee.to_python(format_, ieee.absolute(format_, bits))
    if ieee.is_infinite(format_, bits):
        absolute = Piece(f"__builtin_inf{suffix}()", Level.CALL)
    elif magnitude == 0:
        absolute = _zero(sort)
    else:
        absolute = _exactly(magnitude, sort)
    return prefixed("-", absolute) if ieee.is_negative(format_, bits) else absolute


def _float(node: Term) -> Float:
    assert isinstance(node.sort, Float)
    return node.sort


def _suffix(sort: Float) -> str:
    return "f" if sort is FLOAT32 else ""


def _type_name(sort: Float) -> str:
    return "float" if sort is FLOAT32 else "double"


def _zero(sort: Float) -> Piece:
    return Piece(f"0.0{_suffix(sort)}", Level.CALL)


def _exactly(number: float, sort: Float) -> Piece:
    """Hexadecimal, which is exact and short."""
    text = re.sub(r"\.?0*p", "p", number.hex())
    return Piece(f"{text}{_suffix(sort)}", Level.CALL if number > 0 else Level.UNARY)


def _called(name: str, sort: Float, *args: Piece) -> Piece:
    """A function of <math.h>, as the builtin, which needs no declaration."""
    return Piece(f"__builtin_{name}{_suffix(sort)}({', '.join(a.text for a in args)})", Level.CALL)


def _asked(name: str, a: Piece) -> Piece:
    """One of the builtin classification functions, which take any format."""
    return Piece(f"__builtin_{name}({a.text})", Level.CALL)


def _has_sign(a: Piece) -> Piece:
    """`__builtin_signbit` is some number other than 0."""
    return differ(_asked("signbit", a), Piece("0", Level.CALL))


# --- arithmetic -------------------------------------------------------------------------------------------------------


def _demand_rounding_to_nearest(node: Term) -> None:
    mode = node.args[0].payload
    if mode is not RoundingMode.RNE:
        raise not_expressible(node, f"C rounds to nearest, not {mode.value}: use RNE")


def _operator(symbol: str) -> Writer:
    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        _demand_rounding_to_nearest(node)
        return operated(symbol, *parts[1:])

    return write


def _sum(node: Term, parts: Sequence[Piece]) -> Piece:
    _demand_rounding_to_nearest(node)
    (_, x, y), (_, a, b), zero = node.args, parts, _zero(_float(node))
    if a == zero and y.op is not ops.VARIABLE:
        return _cleared(b, b, zero)
    if b == zero and x.op is not ops.VARIABLE:
        return _cleared(a, a, zero)
    return operated("+", a, b)


def _difference(node: Term, parts: Sequence[Piece]) -> Piece:
    _demand_rounding_to_nearest(node)
    (_, x, y), (_, a, b), zero = node.args, parts, _zero(_float(node))
    if a == zero and y.op is not ops.VARIABLE:
        return _cleared(b, prefixed("-", b), zero)
    if b == prefixed("-", zero) and x.op is not ops.VARIABLE:
        return _cleared(a, a, zero)
    return operated("-", a, b)


def _cleared(a: Piece, otherwise: Piece, zero: Piece) -> Piece:
    """0.0 + a or 0.0 - a in other words: gcc 12 takes 0.0 - fabs(x) and -fabs(x) + 0.0 for -fabs(x), wrong at x = 0."""
    return conditional(same(a, zero), zero, otherwise)


def _function(name: str) -> Writer:
    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        if node.args[0].sort is ROUNDING_MODE:
            _demand_rounding_to_nearest(node)
            parts = parts[1:]
        return _called(name, _float(node), *parts)

    return write


_ROUNDINGS = {
    RoundingMode.RNE: "rint",
    RoundingMode.RNA: "round",
    RoundingMode.RTP: "ceil",
    RoundingMode.RTN: "floor",
    RoundingMode.RTZ: "trunc",
}


def _rounded(node: Term, parts: Sequence[Piece]) -> Piece:
    return _called(_ROUNDINGS[node.args[0].payload], _float(node), parts[1])


def _extreme(name: str) -> Writer:
    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        sort = _float(node)
        if any(a.op is ops.VALUE and not ieee.is_zero(format_of(sort), a.payload) for a in node.args):
            return _called(name, sort, *parts)
        raise not_expressible(
            node, f"which of two zeros it returns is left open: write it with {ops.FP_LT.name} and ite"
        )

    return write


# --- comparisons and classes ------------------------------------------------------------------------------------------


def _comparison(symbol: str) -> Writer:
    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        a, b = parts
        return _ordered(TURNED[symbol], b, a) if node.args[0].op is ops.VALUE else _ordered(symbol, a, b)

    return write


def _ordered(symbol: str, a: Piece, b: Piece) -> Piece:
    return replace(related(symbol, a, b), opposite="")  # NaN is neither < nor >=


def identical(a: Term, b: Term, x: Piece, y: Piece) -> Piece:
    """SMT-LIB's = on floats: C's == except for NaN and the sign of zeros."""
    format_ = format_of(_float(a))
    if a.op is ops.VALUE:
        a, b, x, y = b, a, y, x
    if b.op is not ops.VALUE:
        both_nan = conjunction([_asked("isnan", x), _asked("isnan", y)])
        one_sign = same(_has_sign(x), _has_sign(y))
        return disjunction([conjunction([same(x, y), one_sign]), both_nan])
    if ieee.is_nan(format_, b.payload):
        return _asked("isnan", x)
    if not ieee.is_zero(format_, b.payload):
        return same(x, y)
    is_negative = ieee.is_negative(format_, b.payload)
    return conjunction([same(x, _zero(_float(a))), _has_sign(x) if is_negative else negated(_has_sign(x))])


def _classified(name: str) -> Writer:
    return plain(lambda a: _asked(name, a))


def _is_zero(node: Term, parts: Sequence[Piece]) -> Piece:
    return same(parts[0], _zero(_float(node.args[0])))


def _is_subnormal(node: Term, parts: Sequence[Piece]) -> Piece:
    sort = _float(node.args[0])
    least_normal = _exactly(2.0 ** (2 - (1 << (sort.exponent_bits - 1))), sort)
    return conjunction([negated(_is_zero(node, parts)), _ordered("<", _called("fabs", sort, *parts), least_normal)])


def _is_negative(a: Piece) -> Piece:
    return _unless_nan(a, _has_sign(a))


def _is_positive(a: Piece) -> Piece:
    return _unless_nan(a, negated(_has_sign(a)))


def _unless_nan(a: Piece, sign: Piece) -> Piece:
    """NaN has no sign."""
    return conjunction([negated(_asked("isnan", a)), sign])


# --- conversions ------------------------------------------------------------------------------------------------------


def _from_bits(node: Term, parts: Sequence[Piece]) -> Piece:
    raise not_expressible(node, "C reads bits as a float in memory only: use a variable that holds the float")


def _from_float(node: Term, parts: Sequence[Piece]) -> Piece:
    if node.sort is FLOAT32:  # the other direction is exact
        _demand_rounding_to_nearest(node)
    return converted(_type_name(_float(node)), parts[1])


def _from_integer(reading: Reading) -> Writer:
    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        sort = _float(node)
        if parts[1].width > sort.significand_bits:  # else exact
            _demand_rounding_to_nearest(node)
        return converted(_type_name(sort), reading(parts[1]))

    return write


def _to_integer(*, is_signed: bool) -> Writer:
    """C's cast truncates and is undefined out of range, where SMT-LIB leaves the value open and `evaluate` gives 0."""

    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        source, mode, x = _float(node.args[1]), node.args[0].payload, parts[1]
        (width,) = node.payload
        if mode is not RoundingMode.RTZ:
            x = _called(_ROUNDINGS[mode], source, x)
        target = IntType(width, is_signed)
        # Down to low - 1, exclusive; if that is not a float, there is no float between it and low.
        if width <= source.significand_bits or not is_signed:
            above = _ordered(">", x, _exactly(float(target.low - 1), source))
        else:
            above = _ordered(">=", x, _exactly(float(target.low), source))
        below = _ordered("<", x, _exactly(float(target.high + 1), source))
        type_ = container(max(width, 32), signed=is_signed)
        inside = converted(type_, x).typed(width, type_, target.low, target.high)
        return chosen(conjunction([above, below]), inside, literal(0, width))

    return write


# --- how each operation is written ------------------------------------------------------------------------------------

WRITERS: dict[Op, Writer] = {
    ops.FP_ADD: _sum,
    ops.FP_SUB: _difference,
    ops.FP_MUL: _operator("*"),
    ops.FP_DIV: _operator("/"),
    ops.FP_NEG: plain(lambda a: prefixed("-", a)),
    ops.FP_ABS: _function("fabs"),
    ops.FP_FMA: _function("fma"),
    ops.FP_SQRT: _function("sqrt"),
    ops.FP_REM: _function("remainder"),
    ops.FP_ROUND: _rounded,
    ops.FP_MIN: _extreme("fmin"),
    ops.FP_MAX: _extreme("fmax"),
    ops.FP_LE: _comparison("<="),
    ops.FP_LT: _comparison("<"),
    ops.FP_EQ: plain(same),
    ops.FP_IS_NAN: _classified("isnan"),
    ops.FP_IS_INFINITE: _classified("isinf"),
    ops.FP_IS_NORMAL: _classified("isnormal"),
    ops.FP_IS_SUBNORMAL: _is_subnormal,
    ops.FP_IS_ZERO: _is_zero,
    ops.FP_IS_NEGATIVE: plain(_is_negative),
    ops.FP_IS_POSITIVE: plain(_is_positive),
    ops.FP_FROM_BITS: _from_bits,
    ops.FP_FROM_FP: _from_float,
    ops.FP_FROM_SIGNED: _from_integer(signed),
    ops.FP_FROM_UNSIGNED: _from_integer(unsigned),
    ops.FP_TO_SBV: _to_integer(is_signed=True),
    ops.FP_TO_UBV: _to_integer(is_signed=False),
}
