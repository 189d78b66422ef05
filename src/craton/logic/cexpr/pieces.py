"""How C is spelled: integer types, pieces of expressions, and the operators that join them.

Parentheses are added where C's precedence requires them and where they avoid gcc's warnings or help the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from craton.logic.terms import Term

# --- types ------------------------------------------------------------------------------------------------------------


class IntType(NamedTuple):
    """Integers of some number of bits: a C type if 8, 16, 32 or 64, otherwise just a range."""

    bits: int
    signed: bool

    def __str__(self) -> str:
        return _NAMES[self]

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    def holds(self, low: int, high: int) -> bool:
        return self.low <= low and high <= self.high

    @property
    def promoted(self) -> IntType:
        """The type that operands of this type are promoted to."""
        return self if self.bits >= 32 else INT


SIZES = (8, 16, 32, 64)  # bits of C's integer types
INT, UNSIGNED = IntType(32, signed=True), IntType(32, signed=False)
LONG, UNSIGNED_LONG = IntType(64, signed=True), IntType(64, signed=False)

_NAMES = {
    IntType(8, signed=False): "unsigned char",
    IntType(8, signed=True): "signed char",
    IntType(16, signed=False): "unsigned short",
    IntType(16, signed=True): "short",
    UNSIGNED: "unsigned int",
    INT: "int",
    UNSIGNED_LONG: "unsigned long long",
    LONG: "long long",
}


def container(width: int, *, signed: bool) -> IntType:
    """The smallest type of at least that many bits."""
    return next(IntType(bits, signed) for bits in SIZES if width <= bits)


def common(a: IntType, b: IntType) -> IntType:
    """C's usual arithmetic conversions: the wider type, the unsigned one among equals."""
    return max(a.promoted, b.promoted, key=lambda t: (t.bits, not t.signed))


# --- pieces -----------------------------------------------------------------------------------------------------------


class Level(IntEnum):
    """C's precedence, loosest first, except that `!` is placed so that parentheses around it avoid gcc's warnings."""

    COND, OR, AND, BITOR, BITXOR, BITAND, EQUAL, COMPARE, NOT, SHIFT, SUM, PRODUCT, UNARY, CALL = range(14)


@dataclass(frozen=True, slots=True)
class Piece:
    """A C expression and how tightly its outermost operator binds.

    For bit-vectors of `width` bits: its type (None: a variable of unknown declaration, which occurs only under casts),
    the interval of its value, the number if it is a literal, and the operand if it is a cast. For Bools: its negation
    if that is written specially.
    """

    text: str
    level: Level
    width: int = 0
    type: IntType | None = INT
    low: int = 0
    high: int = 0
    number: int | None = None
    operand: Piece | None = None
    opposite: str = ""

    def within(self, level: int) -> str:
        """In parentheses if it binds less tightly than its context requires."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def computed_in(self) -> IntType:
        assert self.type is not None
        return self.type.promoted

    def typed(self, width: int, type_: IntType, low: int, high: int) -> Piece:
        """The expression as one for a bit-vector."""
        return replace(self, width=width, type=type_, low=low, high=high)


Writer = Callable[[Term, Sequence[Piece]], Piece]
"""How a term is written, given its arguments."""


def plain(function: Callable[..., Piece]) -> Writer:
    """Of the arguments alone."""
    return lambda node, parts: function(*parts)


# --- operators --------------------------------------------------------------------------------------------------------

_OPERATORS = {
    **dict.fromkeys(("*", "/", "%"), Level.PRODUCT),
    **dict.fromkeys(("+", "-"), Level.SUM),
    **dict.fromkeys(("<<", ">>"), Level.SHIFT),
    "&": Level.BITAND,
    "^": Level.BITXOR,
    "|": Level.BITOR,
}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def operated(symbol: str, a: Piece, b: Piece) -> Piece:
    level = _OPERATORS[symbol]
    if level in (Level.SUM, Level.PRODUCT):
        return Piece(f"{a.within(level)} {symbol} {b.within(level + 1)}", level)
    # few people know how these bind
    left = a.text if a.level == level and level != Level.SHIFT else a.within(Level.UNARY)
    return Piece(f"{left} {symbol} {b.within(Level.UNARY)}", level)


def prefixed(sign: str, a: Piece) -> Piece:
    text = a.within(Level.UNARY)
    return Piece(f"{sign}({text})" if text.startswith(sign) else f"{sign}{text}", Level.UNARY)


def converted(type_: IntType | str, a: Piece) -> Piece:
    return Piece(f"({type_}){a.within(Level.UNARY)}", Level.UNARY)


def conditional(condition: Piece, then: Piece, otherwise: Piece) -> Piece:
    arms = f"{then.within(Level.EQUAL)} : {otherwise.within(Level.COND)}"
    return Piece(f"{condition.within(Level.EQUAL)} ? {arms}", Level.COND)


def related(symbol: str, a: Piece, b: Piece) -> Piece:
    left, right = a.within(Level.SUM), b.within(Level.SUM)
    level = Level.COMPARE if symbol in TURNED else Level.EQUAL
    return Piece(f"{left} {symbol} {right}", level, opposite=f"{left} {_OPPOSITE[symbol]} {right}")


def same(a: Piece, b: Piece) -> Piece:
    """a == b, of Bools or floats"""
    return related("==", a, b)


def differ(a: Piece, b: Piece) -> Piece:
    return related("!=", a, b)


def negated(a: Piece) -> Piece:
    if a.opposite:
        return replace(a, text=a.opposite, opposite=a.text)
    return Piece(f"!{a.within(Level.UNARY)}", Level.NOT, opposite=a.text if a.level >= Level.UNARY else "")


def conjunction(parts: Sequence[Piece]) -> Piece:
    return _junction("&&", Level.AND, Level.AND, parts)


def disjunction(parts: Sequence[Piece]) -> Piece:
    # && inside || would not need parentheses, but gcc warns without them.
    return _junction("||", Level.OR, Level.EQUAL, parts)


def _junction(symbol: str, level: Level, inner: Level, parts: Sequence[Piece]) -> Piece:
    if len(parts) == 1:
        return parts[0]
    texts = [part.text if part.level == level else part.within(inner) for part in parts]
    return Piece(f" {symbol} ".join(texts), level)
