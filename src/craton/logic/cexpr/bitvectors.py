"""SMT-LIB's operations on bit-vectors in C, also where C's operators are undefined or C has no such operator.

Division is total, shifts may exceed the width, and there are slices, concatenations, rotations and overflow tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from craton.logic import ops
from craton.logic.cexpr.integers import (
    BOUNDS,
    Reading,
    add,
    arithmetic,
    cast,
    chosen,
    compared,
    complement,
    equals,
    left,
    literal,
    negative,
    of_width,
    right,
    signed,
    signed_comparison,
    suffixed,
    unsigned,
    unsigned_comparison,
)
from craton.logic.cexpr.pieces import (
    INT,
    LONG,
    UNSIGNED_LONG,
    IntType,
    Level,
    Piece,
    Writer,
    common,
    conjunction,
    differ,
    disjunction,
    operated,
    plain,
)
from craton.logic.ops import Op
from craton.logic.terms import Term

# --- division ---------------------------------------------------------------------------------------------------------


def _unsigned_quotient(a: Piece, b: Piece) -> Piece:
    b = unsigned(b)
    return _unless_zero(b, literal((1 << a.width) - 1, a.width), _divided("/", unsigned(a), b))


def _unsigned_remainder(a: Piece, b: Piece) -> Piece:
    a, b = unsigned(a), unsigned(b)
    return _unless_zero(b, a, _divided("%", a, b))


def _signed_quotient(a: Piece, b: Piece) -> Piece:
    a, b = signed(a), signed(b)
    one, minus_one = literal(1, a.width, INT), literal(-1, a.width, INT)
    at_zero = chosen(compared("<", a, literal(0, a.width)), one, minus_one)
    return _unless_zero(b, at_zero, _unless_minus_one(a, b, negative(a), _divided("/", a, b)))


def _signed_remainder(a: Piece, b: Piece) -> Piece:
    a, b = signed(a), signed(b)
    return _unless_zero(b, a, _unless_minus_one(a, b, literal(0, a.width), _divided("%", a, b)))


def _signed_modulo(a: Piece, b: Piece) -> Piece:
    """The remainder, plus b if it is not zero and its sign differs from that of b."""
    a, b = signed(a), signed(b)
    zero = literal(0, a.width)
    remainder = _divided("%", a, b)
    signs_differ = differ(compared("<", remainder, zero), compared("<", b, zero))
    moves = conjunction([compared("!=", remainder, zero), signs_differ])
    # |moved| < |b|
    moved = operated("+", remainder, b).typed(a.width, remainder.computed_in, min(b.low, 0), max(b.high, 0))
    modulo = chosen(moves, moved, remainder)
    return _unless_zero(b, a, _unless_minus_one(a, b, zero, modulo))


def _divided(symbol: str, a: Piece, b: Piece) -> Piece:
    """a / b or a % b of exact readings with b ≠ 0, and b ≠ -1 if that could overflow."""
    a, b = suffixed(a, b)
    type_ = common(a.computed_in, b.computed_in)
    most = max(abs(a.low), abs(a.high))
    if symbol == "/":
        least = min(abs(b.low), abs(b.high)) if b.low > 0 or b.high < 0 else 1
        most //= least
        low, high = (-most if a.low < 0 or b.low < 0 else 0), most
    else:
        low, high = (-most if a.low < 0 else 0), (most if a.high > 0 else 0)
    return operated(symbol, a, b).typed(a.width, type_, low, min(high, type_.high))


def _unless_zero(b: Piece, at_zero: Piece, otherwise: Piece) -> Piece:
    """SMT-LIB's value at b = 0."""
    if b.low > 0 or b.high < 0:
        return otherwise
    return at_zero if b.number == 0 else chosen(equals(b, 0), at_zero, otherwise)


def _unless_minus_one(a: Piece, b: Piece, at_minus_one: Piece, otherwise: Piece) -> Piece:
    """INT_MIN / -1 and INT_MIN % -1 are undefined."""
    type_ = common(a.computed_in, b.computed_in)
    if a.low > type_.low or not b.low <= -1 <= b.high:
        return otherwise
    if b.low == b.high:
        return at_minus_one
    return chosen(compared("==", b, literal(-1, b.width, INT)), at_minus_one, otherwise)


# --- shifts -----------------------------------------------------------------------------------------------------------


def _shifted(shift: Callable[[Piece, Piece], Piece], a: Piece, b: Piece) -> Piece:
    """Zero from the width on."""
    by = unsigned(b)
    if by.high < a.width:
        return shift(a, by)
    zero = literal(0, a.width)
    if by.low >= a.width:
        return zero
    return chosen(_is_below_width(by, a), shift(a, by), zero)


def _shifted_right_signed(a: Piece, b: Piece) -> Piece:
    """Shifts by at most the width minus one."""
    by = unsigned(b)
    last = literal(a.width - 1, 8)
    if by.low >= a.width:
        by = last
    elif by.high >= a.width:
        by = chosen(_is_below_width(by, a), by, last)
    return right(signed(a), by)


def _is_below_width(by: Piece, a: Piece) -> Piece:
    return compared("<", by, literal(a.width, 8))


def _rotated(a: Piece, by: int) -> Piece:
    """To the left, by more than zero and less than the width."""
    a = unsigned(a)
    return arithmetic("|", left(a, literal(by, 8)), right(a, literal(a.width - by, 8)))


# --- cutting and joining ----------------------------------------------------------------------------------------------


def _extracted(node: Term, parts: Sequence[Piece]) -> Piece:
    high, low = node.payload
    a = right(parts[0], literal(low, 8)) if low else parts[0]
    return of_width(a, high - low + 1)


def _extended(reading: Reading) -> Writer:
    return lambda node, parts: of_width(reading(parts[0]), parts[0].width + node.payload[0])


def _joined(high: Piece, low: Piece) -> Piece:
    width = high.width + low.width
    shifted = left(of_width(high, width), literal(low.width, 8))
    if low.number == 0:
        return shifted
    return arithmetic("|", shifted, of_width(unsigned(low), width))


def _repeated(node: Term, parts: Sequence[Piece]) -> Piece:
    """Repeating 4 bits 5 times is * 0x11111."""
    width, (times,) = parts[0].width, node.payload
    ones = sum(1 << (width * i) for i in range(times))
    return arithmetic("*", of_width(unsigned(parts[0]), width * times), literal(ones, width * times))


# --- overflow ---------------------------------------------------------------------------------------------------------


def _overflow(symbol: str, name: str, reading: Reading) -> Writer:
    """The exact result, in a wider type, is out of range."""

    def write(node: Term, parts: Sequence[Piece]) -> Piece:
        a, b = map(reading, parts)
        is_signed = reading is signed
        in_range = IntType(a.width, is_signed)
        low, high = BOUNDS[symbol](a, b)
        wider = (INT, LONG) if is_signed else (INT, LONG, UNSIGNED_LONG)
        type_ = next((t for t in wider if t.holds(low, high)), None)
        checks = []
        if type_ is None:
            type_ = IntType(64, is_signed)
            checks.append(Piece(f"__builtin_{name}_overflow_p({a.text}, {b.text}, ({type_})0)", Level.CALL))
            low, high = max(low, type_.low), min(high, type_.high)
        if common(a.computed_in, b.computed_in) != type_:
            a = cast(a, type_)
            type_ = common(a.computed_in, b.computed_in)
        exact = operated(symbol, a, b).typed(65, type_, low, high)
        if low < in_range.low:
            checks.append(compared("<", exact, literal(in_range.low, 65, INT)))
        if high > in_range.high:
            checks.append(compared(">", exact, literal(in_range.high, 65, IntType(32, type_.signed))))
        return disjunction(checks) if checks else Piece("0", Level.CALL)

    return write


def _negation_overflows(a: Piece) -> Piece:
    return equals(a, 1 << (a.width - 1))


def _quotient_overflows(a: Piece, b: Piece) -> Piece:
    return conjunction([_negation_overflows(a), equals(b, -1)])


# --- how each operation is written ------------------------------------------------------------------------------------


def _folded(function: Callable[[Piece, Piece], Piece]) -> Writer:
    return lambda node, parts: reduce(function, parts)


def _operator(symbol: str) -> Writer:
    return _folded(lambda a, b: arithmetic(symbol, a, b))


WRITERS: dict[Op, Writer] = {
    ops.BVNOT: plain(complement),
    ops.BVNEG: plain(negative),
    ops.BVADD: _folded(add),
    ops.BVSUB: _operator("-"),
    ops.BVMUL: _operator("*"),
    ops.BVAND: _operator("&"),
    ops.BVOR: _operator("|"),
    ops.BVXOR: _operator("^"),
    ops.BVUDIV: plain(_unsigned_quotient),
    ops.BVUREM: plain(_unsigned_remainder),
    ops.BVSDIV: plain(_signed_quotient),
    ops.BVSREM: plain(_signed_remainder),
    ops.BVSMOD: plain(_signed_modulo),
    ops.BVSHL: plain(lambda a, b: _shifted(left, a, b)),
    ops.BVLSHR: plain(lambda a, b: _shifted(right, unsigned(a), b)),
    ops.BVASHR: plain(_shifted_right_signed),
    ops.BVULT: plain(lambda a, b: unsigned_comparison("<", a, b)),
    ops.BVULE: plain(lambda a, b: unsigned_comparison("<=", a, b)),
    ops.BVSLT: plain(lambda a, b: signed_comparison("<", a, b)),
    ops.BVSLE: plain(lambda a, b: signed_comparison("<=", a, b)),
    ops.CONCAT: _folded(_joined),
    ops.EXTRACT: _extracted,
    ops.ZERO_EXTEND: _extended(unsigned),
    ops.SIGN_EXTEND: _extended(signed),
    ops.REPEAT: _repeated,
    ops.ROTATE_LEFT: lambda node, parts: _rotated(parts[0], node.payload[0]),
    ops.ROTATE_RIGHT: lambda node, parts: _rotated(parts[0], parts[0].width - node.payload[0]),
    ops.BVUADDO: _overflow("+", "add", unsigned),
    ops.BVSADDO: _overflow("+", "add", signed),
    ops.BVUSUBO: plain(lambda a, b: unsigned_comparison("<", a, b)),
    ops.BVSSUBO: _overflow("-", "sub", signed),
    ops.BVUMULO: _overflow("*", "mul", unsigned),
    ops.BVSMULO: _overflow("*", "mul", signed),
    ops.BVNEGO: plain(_negation_overflows),
    ops.BVSDIVO: plain(_quotient_overflows),
}
