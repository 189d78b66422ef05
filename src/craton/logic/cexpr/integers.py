"""Bit-vectors as C's integers, with casts only where they change a value.

An expression for a term of w bits has *some* value congruent to the term modulo 2^w, and we track the interval of this
value. `unsigned` and `signed` turn it into the exact reading that a context needs; if the interval shows that the value
is already exact, they do nothing. So `(c & 15) + 1 < 20` needs no cast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from craton.logic.cexpr.pieces import (
    INT,
    LONG,
    SIZES,
    TURNED,
    UNSIGNED,
    UNSIGNED_LONG,
    IntType,
    Level,
    Piece,
    common,
    conditional,
    container,
    converted,
    operated,
    prefixed,
    related,
)
from craton.logic.semantics import to_signed

# --- literals and casts -----------------------------------------------------------------------------------------------


def literal(number: int, width: int, type_: IntType | None = None) -> Piece:
    """A constant of at least that type; without one, of the first of int, unsigned, unsigned long long that fits."""
    types = (INT, UNSIGNED, UNSIGNED_LONG) if type_ is None else (type_, IntType(64, type_.signed))
    type_ = next(t for t in types if t.holds(number, number))
    if number == type_.low and type_.signed:  # -2147483648 would be a long: the minus is not part of C's literals
        text, level = f"{number + 1}{_suffix(type_)} - 1", Level.SUM
    else:
        text, level = f"{number}{_suffix(type_)}", Level.CALL if number >= 0 else Level.UNARY
    return Piece(text, level, width, type_, number, number, number=number & _ones(width))


def _suffix(type_: IntType) -> str:
    return ("" if type_.signed else "U") + ("LL" if type_.bits == 64 else "")


def _ones(width: int) -> int:
    return (1 << width) - 1


def cast(p: Piece, type_: IntType) -> Piece:
    """The value converted: unchanged if the type holds it, modulo 2^bits otherwise."""
    if p.number is not None:
        number = p.low
        if not type_.holds(number, number):
            number = to_signed(p.width, p.number) if type_.signed else p.number
        if type_.holds(number, number):
            return literal(number, p.width, type_ if type_.bits >= 32 else IntType(32, type_.signed))
    inner = p
    while inner.operand is not None and inner.type is not None and inner.type.bits >= type_.bits:
        inner = inner.operand  # the outer conversion undoes the inner one
    if inner.type == type_:
        return of_width(inner, p.width)
    held = next((q for q in (p, inner) if type_.holds(q.low, q.high)), type_)
    return replace(converted(type_, inner).typed(p.width, type_, held.low, held.high), operand=inner)


def of_width(p: Piece, width: int) -> Piece:
    """The same value for a term of another width."""
    return replace(p, width=width, number=None if p.number is None else p.low & _ones(width))


# --- readings ---------------------------------------------------------------------------------------------------------

Reading = Callable[[Piece], Piece]


def unsigned(p: Piece) -> Piece:
    """The expression with the zero-extended number as its value."""
    if p.number is not None:
        return literal(p.number, p.width)
    if _is_zero_extended(p):
        return p
    if p.width in SIZES:
        return cast(p, container(p.width, signed=False))
    ones = _ones(p.width)
    type_ = literal(ones, p.width, p.computed_in).computed_in
    mask = f"{hex(ones) if ones > 1 else ones}{_suffix(type_)}"
    masked = Piece(f"{p.within(Level.UNARY)} & {mask}", Level.BITAND)
    return masked.typed(p.width, common(p.computed_in, type_), 0, ones)


def signed(p: Piece) -> Piece:
    """The expression with the sign-extended number as its value, in a type that promotes to a signed one."""
    if p.number is not None:
        return literal(to_signed(p.width, p.number), p.width, INT)
    reading = IntType(p.width, signed=True)
    if reading.holds(p.low, p.high):
        if p.computed_in.signed:
            return p
        return cast(p, INT if INT.holds(p.low, p.high) else LONG)
    if p.width in SIZES:
        return cast(p, container(p.width, signed=True))
    p = unsigned(p)
    type_ = p.computed_in
    bit = literal(reading.high + 1, p.width, type_).text
    extended = Piece(f"({p.within(Level.UNARY)} ^ {bit}) - {bit}", Level.SUM, p.width, type_, type_.low, type_.high)
    if not type_.signed:
        extended = cast(extended, IntType(type_.bits, signed=True))
    return replace(extended, low=reading.low, high=reading.high)


def _is_zero_extended(p: Piece) -> bool:
    return IntType(p.width, signed=False).holds(p.low, p.high)


# --- arithmetic on congruent values -----------------------------------------------------------------------------------

Bounds = tuple[int, int]


def _sum_bounds(a: Piece, b: Piece) -> Bounds:
    return a.low + b.low, a.high + b.high


def _difference_bounds(a: Piece, b: Piece) -> Bounds:
    return a.low - b.high, a.high - b.low


def _product_bounds(a: Piece, b: Piece) -> Bounds:
    corners = [x * y for x, y in product((a.low, a.high), (b.low, b.high))]
    return min(corners), max(corners)


def _bitwise_bounds(a: Piece, b: Piece) -> Bounds:
    """All numbers of no more bits than the longer operand."""
    bits = max(n.bit_length() for n in (a.low, a.high, b.low, b.high))
    return (-(1 << bits) if a.low < 0 or b.low < 0 else 0), _ones(bits)


def _and_bounds(a: Piece, b: Piece) -> Bounds:
    high = min((p.high for p in (a, b) if p.low >= 0), default=None)
    return _bitwise_bounds(a, b) if high is None else (0, high)


BOUNDS: dict[str, Callable[[Piece, Piece], Bounds]] = {
    "+": _sum_bounds,
    "-": _difference_bounds,
    "*": _product_bounds,
    "&": _and_bounds,
    "|": _bitwise_bounds,
    "^": _bitwise_bounds,
}
"""The interval of a ∘ b on unbounded integers."""


def arithmetic(symbol: str, a: Piece, b: Piece) -> Piece:
    """a ∘ b as C computes it on the given values if that is exact, otherwise modulo 2^32 or 2^64."""
    bounds = BOUNDS[symbol]
    a, b = _beside(a, b), _beside(b, a)
    type_ = common(a.computed_in, b.computed_in)
    low, high = bounds(a, b)
    if not _is_exact(type_, low, high, a, b):
        type_ = _working_type(type_, a.width)
        b = _wrapped(b, type_)
        a = _wrapped(a, type_) if b.computed_in == type_ else cast(a, type_)
        low, high = bounds(a, b)
        if not _is_exact(type_, low, high, a, b):
            low, high = type_.low, type_.high
    return operated(symbol, a, b).typed(a.width, type_, low, high)


def _beside(p: Piece, other: Piece) -> Piece:
    """Gives a literal the signedness of the other operand: `u < 10U`, `c + 1`."""
    if p.number is None or other.number is not None:
        return p
    if other.computed_in.signed:
        return literal(to_signed(p.width, p.number), p.width, INT)
    return literal(p.number, p.width, UNSIGNED)


def _is_exact(type_: IntType, low: int, high: int, *operands: Piece) -> bool:
    """Whether the type holds the operands and the result unchanged."""
    return type_.holds(low, high) and (type_.signed or all(p.low >= 0 for p in operands))


def _working_type(type_: IntType, width: int) -> IntType:
    """The unsigned type for computing modulo a multiple of 2^width, given the operands' type."""
    return UNSIGNED_LONG if type_.bits == 64 or width > 32 else UNSIGNED


def _wrapped(p: Piece, type_: IntType) -> Piece:
    """Adds a cast if C's implicit conversion would hide that a negative value wraps."""
    return cast(p, type_) if p.low < 0 or p.number is not None else p


def add(a: Piece, b: Piece) -> Piece:
    """`x - 1` rather than `x + -1`."""
    if b.number is not None:
        number = to_signed(b.width, b.number)
        if number < 0 and number != -(1 << (b.width - 1)):
            return arithmetic("-", a, literal(-number, b.width))
    return arithmetic("+", a, b)


def negative(a: Piece) -> Piece:
    return _unary("-", a, -a.high, -a.low)


def complement(a: Piece) -> Piece:
    return _unary("~", a, ~a.high, ~a.low)


def _unary(sign: str, a: Piece, low: int, high: int) -> Piece:
    """Sign applied to a; between low and high on unbounded integers."""
    type_ = a.computed_in
    if not _is_exact(type_, low, high, a):
        a = cast(a, _working_type(type_, a.width))
        type_ = a.computed_in
        low, high = type_.low, type_.high
    return prefixed(sign, a).typed(a.width, type_, low, high)


def left(a: Piece, by: Piece) -> Piece:
    """a << by, for an amount known to be below the width."""
    most = min(by.high, a.width - 1)
    low, high = a.low << by.low, a.high << most
    type_ = a.computed_in
    if a.low < 0 or most >= type_.bits or not type_.holds(low, high):
        a = cast(a, _working_type(type_, a.width))
        type_ = a.computed_in
        low, high = type_.low, type_.high
    return operated("<<", a, by).typed(a.width, type_, low, high)


def right(a: Piece, by: Piece) -> Piece:
    """a >> by, rounding down, for an amount known to be below the width."""
    most = min(by.high, a.width - 1)
    if most >= a.computed_in.bits:
        a = cast(a, IntType(64, a.computed_in.signed))
    low = a.low >> (by.low if a.low < 0 else most)
    high = a.high >> (most if a.high < 0 else by.low)
    return operated(">>", a, by).typed(a.width, a.computed_in, low, high)


def chosen(condition: Piece, then: Piece, otherwise: Piece) -> Piece:
    """condition ? then : otherwise"""
    a, b = _arm(then, otherwise), _arm(otherwise, then)
    type_ = common(a.computed_in, b.computed_in)
    if not type_.signed and (a.low < 0 or b.low < 0):
        type_ = _working_type(type_, a.width)
        a, b = _wrapped(a, type_), _wrapped(b, type_)
        type_ = common(a.computed_in, b.computed_in)
    return conditional(condition, a, b).typed(a.width, type_, min(a.low, b.low), max(a.high, b.high))


def _arm(p: Piece, other: Piece) -> Piece:
    """Like `_beside`, but next to a zero-extended number a literal is zero-extended too."""
    if p.number is not None and other.number is None and other.computed_in.signed and _is_zero_extended(other):
        return unsigned(p)
    return _beside(p, other)


# --- comparisons ------------------------------------------------------------------------------------------------------


def compared(symbol: str, a: Piece, b: Piece) -> Piece:
    """A comparison of values that fit into their common type; a constant goes to the right."""
    a, b = suffixed(a, b)
    if a.number is not None and b.number is None and symbol in TURNED:
        return related(TURNED[symbol], b, a)
    return related(symbol, a, b)


def suffixed(a: Piece, b: Piece) -> tuple[Piece, Piece]:
    """A constant next to an unsigned expression is written as unsigned, with the same value."""
    if b.number is not None and b.low >= 0 and not a.computed_in.signed:
        return a, literal(b.low, b.width, UNSIGNED)
    if a.number is not None and a.low >= 0 and not b.computed_in.signed:
        return literal(a.low, a.width, UNSIGNED), b
    return a, b


def unsigned_comparison(symbol: str, a: Piece, b: Piece) -> Piece:
    return compared(symbol, unsigned(a), unsigned(b))


def signed_comparison(symbol: str, a: Piece, b: Piece) -> Piece:
    half = 1 << (a.width - 1)
    if all(p.low >= 0 and p.high < half for p in (a, b)):  # the two readings agree
        return compared(symbol, a, b)
    return compared(symbol, signed(a), signed(b))


def equal(a: Piece, b: Piece) -> Piece:
    """Uses the shorter of the two readings, which agree on equality."""
    return min(unsigned_comparison("==", a, b), signed_comparison("==", a, b), key=lambda p: len(p.text))


def equals(a: Piece, number: int) -> Piece:
    return equal(a, literal(number & _ones(a.width), a.width))
