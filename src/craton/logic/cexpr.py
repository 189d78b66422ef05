"""Terms as C expressions, for verification witnesses: `x <= 5 && u < 10U`.

The expression is GNU C (two's complement, wrapping conversions, arithmetic `>>` of negative numbers, `__builtin_`
functions) in which no operation has undefined behaviour, and its value is the one `evaluate` gives. Where SMT-LIB
leaves a value open (`fp.to_sbv` out of range) it is `evaluate`'s default. Floats are exact where C computes in the
operands' own format, rounds to nearest and does not contract (`-ffp-contract=off`, not x87).

How bit-vectors become integers: an expression for a term of w bits has *some* value congruent to the term modulo 2^w,
and we keep the interval it lies in. `unsigned` and `signed` turn it into the exact reading a context asks for; where
the interval shows that the value is that already, they leave it alone. So `(c & 15) + 1 < 20` needs no cast.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, product
from typing import NamedTuple

from craton.errors import NotExpressible
from craton.logic import ieee, ops
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op, Theory
from craton.logic.semantics import to_signed
from craton.logic.sorts import BOOL, FLOAT32, FLOAT64, ROUNDING_MODE, BitVec, Float
from craton.logic.terms import Term, format_of
from craton.logic.walk import fold, post_order

MOST_NODES = 10_000  # of the term as a tree, since a C expression cannot name what occurs twice
MOST_CHARACTERS = 500_000  # guards write an operand more than once


def to_c(term: Term, is_signed: Callable[[Term], bool] | None = None) -> str:
    """The term as a C expression: Bool as 0 or 1, Float32 and Float64 as float and double, a bit-vector as its
    zero-extended number in the next larger unsigned type.

    Variables are the program's. `is_signed` tells whether the variable of a bit-vector (of 8, 16, 32 or 64 bits) is
    declared signed; without it every use is cast. NotExpressible where C has no such expression.
    """
    _refuse_foreign(term)
    pieces: dict[Term, _Piece] = {}
    nodes = list(post_order(term))
    uses = Counter(arg for node in nodes for arg in node.args)
    for node in nodes:
        parts = [pieces[arg] for arg in node.args]
        piece = _variable(node, is_signed) if node.op is ops.VARIABLE else _WRITE[node.op](node, parts)
        if len(piece.text) > MOST_CHARACTERS:
            raise NotExpressible(
                f"{node.op.name} as a C expression takes more than {MOST_CHARACTERS} characters: write its parts"
            )
        pieces[node] = piece
        for arg in node.args:  # texts of deep terms are long: none is kept longer than needed
            uses[arg] -= 1
            if not uses[arg]:
                del pieces[arg]
    result = pieces[term]
    if isinstance(term.sort, BitVec):
        result = cast(unsigned(result), _container(term.sort.width, signed=False))
    return result.text


# --- what C has no words for ------------------------------------------------------------------------------------------

_FOREIGN = {
    Theory.UF: "C has no uninterpreted functions",
    Theory.QUANTIFIERS: "a C expression cannot quantify: instantiate it first",
    Theory.ARITHMETIC: "C has no unbounded integers and reals: use bit-vectors",
    Theory.CONVERSIONS: "C has no unbounded integers: use bit-vectors",
    Theory.FLOATS_REALS: "C has no reals: use floats",
    Theory.ARRAYS: "arrays are no values in C: write the elements it depends on",
}


def _refuse_foreign(term: Term) -> None:
    if fold(term, _tree_size) > MOST_NODES:
        raise NotExpressible(
            f"{term.op.name} has more than {MOST_NODES} nodes as a tree, and C expressions cannot name shared parts: "
            "write its parts"
        )
    for node in post_order(term):
        reason = _FOREIGN.get(node.op.theory)
        if reason is not None:
            raise _not_expressible(node, reason)
    for node in post_order(term):
        sort = node.sort
        if isinstance(sort, BitVec):
            if sort.width > 64:
                raise _not_expressible(node, f"C has no integers of {sort.width} bits: split it into parts of up to 64")
        elif isinstance(sort, Float):
            if sort not in (FLOAT32, FLOAT64):
                raise _not_expressible(node, f"C's floats are {FLOAT32} and {FLOAT64}, not {sort}")
        elif sort is ROUNDING_MODE:
            if node.op is not ops.VALUE or node is term:
                raise _not_expressible(node, "rounding modes are no values in C: substitute a constant mode")
        elif sort is not BOOL:
            raise _not_expressible(node, f"C has no type for {sort}: use bit-vectors or floats")


def _tree_size(node: Term, sizes: list[int]) -> int:
    """Capped, as shared parts count each time they occur."""
    copies = len(sizes) - 1 if node.op is ops.DISTINCT else 1
    return min(1 + copies * sum(sizes), MOST_NODES + 1)


def _not_expressible(node: Term, reason: str) -> NotExpressible:
    name = f"the variable {node.name}" if node.op is ops.VARIABLE else f"the operation {node.op.name}"
    if node.op is ops.VALUE:
        name = f"a constant of sort {node.sort}"
    return NotExpressible(f"{name} is not expressible in C: {reason}")


# --- types and pieces -------------------------------------------------------------------------------------------------


class _Type(NamedTuple):
    """An integer type of C."""

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
    def promoted(self) -> _Type:
        """What operands of that type are computed in."""
        return self if self.bits >= 32 else _INT


_NAMES = {
    _Type(8, signed=False): "unsigned char",
    _Type(8, signed=True): "signed char",
    _Type(16, signed=False): "unsigned short",
    _Type(16, signed=True): "short",
    _Type(32, signed=False): "unsigned int",
    _Type(32, signed=True): "int",
    _Type(64, signed=False): "unsigned long long",
    _Type(64, signed=True): "long long",
}
_INT, _UNSIGNED = _Type(32, signed=True), _Type(32, signed=False)
_LONG, _UNSIGNED_LONG = _Type(64, signed=True), _Type(64, signed=False)


def _container(width: int, *, signed: bool) -> _Type:
    """The smallest type of at least that many bits."""
    return next(_Type(bits, signed) for bits in (8, 16, 32, 64) if width <= bits)


def _common(a: _Type, b: _Type) -> _Type:
    """C's usual arithmetic conversions: the wider type, the unsigned one among equals."""
    return max(a.promoted, b.promoted, key=lambda t: (t.bits, not t.signed))


# C's levels of precedence, loosest first, except that `!` is put where parentheses around it avoid gcc's warnings.
_COND, _OR, _AND, _BITOR, _BITXOR, _BITAND, _EQUAL, _COMPARE, _NOT, _SHIFT, _SUM, _PRODUCT, _UNARY, _CALL = range(14)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A C expression and how tightly its outermost operator binds.

    For Bools, its negation where that is written specially. For bit-vectors of `width` bits, its type (None: that of a
    variable of unknown declaration, which occurs under casts only), the interval its value lies in, the number if it
    is a literal, and what is cast if it is a cast.
    """

    text: str
    level: int
    opposite: str = ""
    width: int = 0
    type: _Type | None = _INT
    low: int = 0
    high: int = 0
    number: int | None = None
    operand: _Piece | None = None

    def within(self, level: int) -> str:
        """In parentheses if it binds less tightly than its place demands."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def computed_in(self) -> _Type:
        assert self.type is not None
        return self.type.promoted


def _variable(node: Term, is_signed: Callable[[Term], bool] | None) -> _Piece:
    if not _IDENTIFIER.fullmatch(node.name) or node.name in _KEYWORDS:
        raise _not_expressible(node, "its name is no C identifier: rename it to the program's variable")
    if not isinstance(node.sort, BitVec):
        return _Piece(node.name, _CALL)
    width = node.sort.width
    if width not in (8, 16, 32, 64):
        raise _not_expressible(node, f"C has no variables of {width} bits: extract it from one of 8, 16, 32 or 64 bits")
    if is_signed is None:
        unknown = _Piece(node.name, _CALL, "", width, None, -(1 << (width - 1)), (1 << width) - 1)
        return cast(unknown, _container(width, signed=False))
    declared = _container(width, signed=is_signed(node))
    return _Piece(node.name, _CALL, "", width, declared, declared.low, declared.high)


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof "
    "_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local".split()
)


# --- integers: readings -----------------------------------------------------------------------------------------------


def literal(number: int, width: int, type_: _Type | None = None) -> _Piece:
    """A constant of at least that type; without one, of the first of int, unsigned, unsigned long long to hold it."""
    types = (_INT, _UNSIGNED, _UNSIGNED_LONG) if type_ is None else (type_, _Type(64, type_.signed))
    type_ = next(t for t in types if t.holds(number, number))
    if number == type_.low and type_.signed:  # -2147483648 would be a long: the minus is no part of C's literals
        text, level = f"{number + 1}{_suffix(type_)} - 1", _SUM
    else:
        text, level = f"{number}{_suffix(type_)}", _CALL if number >= 0 else _UNARY
    return _Piece(text, level, "", width, type_, number, number, number & ((1 << width) - 1))


def _suffix(type_: _Type) -> str:
    return ("" if type_.signed else "U") + ("LL" if type_.bits == 64 else "")


def cast(p: _Piece, type_: _Type) -> _Piece:
    """The value converted: unchanged if the type holds it, modulo 2^bits otherwise."""
    if p.number is not None:
        number = p.low
        if not type_.holds(number, number):
            number = to_signed(p.width, p.number) if type_.signed else p.number
        if type_.holds(number, number):
            return literal(number, p.width, type_ if type_.bits >= 32 else _Type(32, type_.signed))
    inner = p
    while inner.operand is not None and inner.type is not None and inner.type.bits >= type_.bits:
        inner = inner.operand  # the outer conversion undoes the inner one
    if inner.type == type_:
        return _of_width(inner, p.width)
    held = next((q for q in (p, inner) if type_.holds(q.low, q.high)), None)
    low, high = (held.low, held.high) if held else (type_.low, type_.high)
    return _Piece(f"({type_}){inner.within(_UNARY)}", _UNARY, "", p.width, type_, low, high, None, inner)


def _of_width(p: _Piece, width: int) -> _Piece:
    """The same value for a term of another width."""
    return replace(p, width=width, number=None if p.number is None else p.low & ((1 << width) - 1))


def unsigned(p: _Piece) -> _Piece:
    """With the zero-extended number as its value."""
    if p.number is not None:
        return literal(p.number, p.width)
    ones = (1 << p.width) - 1
    if p.low >= 0 and p.high <= ones:
        return p
    if p.width in (8, 16, 32, 64):
        return cast(p, _container(p.width, signed=False))
    type_ = literal(ones, p.width, p.computed_in).computed_in
    mask = f"{hex(ones) if ones > 1 else ones}{_suffix(type_)}"
    return _Piece(f"{p.within(_UNARY)} & {mask}", _BITAND, "", p.width, _common(p.computed_in, type_), 0, ones)


def signed(p: _Piece) -> _Piece:
    """With the sign-extended number as its value, and in a type that is computed in a signed one."""
    if p.number is not None:
        return literal(to_signed(p.width, p.number), p.width, _INT)
    half = 1 << (p.width - 1)
    if -half <= p.low and p.high < half:
        if p.computed_in.signed:
            return p
        return cast(p, _INT if _INT.holds(p.low, p.high) else _LONG)
    if p.width in (8, 16, 32, 64):
        return cast(p, _container(p.width, signed=True))
    p = unsigned(p)
    type_ = p.computed_in
    bit = literal(half, p.width, type_).text
    extended = _Piece(f"({p.within(_UNARY)} ^ {bit}) - {bit}", _SUM, "", p.width, type_, type_.low, type_.high)
    if not type_.signed:
        extended = cast(extended, _Type(type_.bits, signed=True))
    return replace(extended, low=-half, high=half - 1)


def _alike(a: _Piece, b: _Piece) -> tuple[_Piece, _Piece]:
    """Literals written in the kind of type that the other operand has: `u < 10U`, `c + 1`."""
    if b.number is not None and a.number is None:
        return a, _literal_beside(b, a)
    if a.number is not None and b.number is None:
        return _literal_beside(a, b), b
    return a, b


def _literal_beside(constant: _Piece, other: _Piece) -> _Piece:
    number = constant.number
    assert number is not None
    if not other.computed_in.signed:
        return literal(number, constant.width, _UNSIGNED)
    return literal(to_signed(constant.width, number), constant.width, _INT)


# --- integers: operations on congruent values -------------------------------------------------------------------------

Bounds = tuple[int, int]


def _sum_bounds(a: _Piece, b: _Piece) -> Bounds:
    return a.low + b.low, a.high + b.high


def _difference_bounds(a: _Piece, b: _Piece) -> Bounds:
    return a.low - b.high, a.high - b.low


def _product_bounds(a: _Piece, b: _Piece) -> Bounds:
    corners = [x * y for x, y in product((a.low, a.high), (b.low, b.high))]
    return min(corners), max(corners)


def _bitwise_bounds(a: _Piece, b: _Piece) -> Bounds:
    """All numbers of no more bits than the longer operand."""
    bits = max(n.bit_length() for n in (a.low, a.high, b.low, b.high))
    return (-(1 << bits) if a.low < 0 or b.low < 0 else 0), (1 << bits) - 1


def _and_bounds(a: _Piece, b: _Piece) -> Bounds:
    high = min((p.high for p in (a, b) if p.low >= 0), default=None)
    return _bitwise_bounds(a, b) if high is None else (0, high)


_ARITHMETIC: dict[str, tuple[int, Callable[[_Piece, _Piece], Bounds]]] = {
    "+": (_SUM, _sum_bounds),
    "-": (_SUM, _difference_bounds),
    "*": (_PRODUCT, _product_bounds),
    "&": (_BITAND, _and_bounds),
    "|": (_BITOR, _bitwise_bounds),
    "^": (_BITXOR, _bitwise_bounds),
}


def arithmetic(symbol: str, a: _Piece, b: _Piece) -> _Piece:
    """a ∘ b as C computes it on the values as they are where that is exact, else modulo 2^32 or 2^64."""
    level, bounds = _ARITHMETIC[symbol]
    a, b = _alike(a, b)
    type_ = _common(a.computed_in, b.computed_in)
    low, high = bounds(a, b)
    if not _is_exact(type_, low, high, a, b):
        type_ = _working_type(type_, a.width)
        b = _converted(b, type_)
        a = _converted(a, type_) if b.computed_in == type_ else cast(a, type_)
        low, high = bounds(a, b)
        if not _is_exact(type_, low, high, a, b):
            low, high = type_.low, type_.high
    return _Piece(_operated(symbol, level, a, b), level, "", a.width, type_, low, high)


def _is_exact(type_: _Type, low: int, high: int, *operands: _Piece) -> bool:
    """Whether neither the operands nor the result change by being computed in the type."""
    return type_.holds(low, high) and (type_.signed or all(p.low >= 0 for p in operands))


def _working_type(type_: _Type, width: int) -> _Type:
    """The unsigned type to compute modulo a multiple of 2^width in, given the operands' type."""
    return _UNSIGNED_LONG if type_.bits == 64 or width > 32 else _UNSIGNED


def _converted(p: _Piece, type_: _Type) -> _Piece:
    """Cast, where leaving it to C's conversions would hide that a negative value wraps."""
    return cast(p, type_) if p.low < 0 or p.number is not None else p


def _operated(symbol: str, level: int, a: _Piece, b: _Piece) -> str:
    if level in (_BITAND, _BITOR, _BITXOR, _SHIFT):  # few people know how these bind
        left = a.text if a.level == level and level != _SHIFT else a.within(_UNARY)
        return f"{left} {symbol} {b.within(_UNARY)}"
    return f"{a.within(level)} {symbol} {b.within(level + 1)}"


def _add(a: _Piece, b: _Piece) -> _Piece:
    """`x - 1` rather than `x + -1`."""
    if b.number is not None:
        number = to_signed(b.width, b.number)
        if number < 0 and number != -(1 << (b.width - 1)):
            return arithmetic("-", a, literal(-number, b.width))
    return arithmetic("+", a, b)


def _negative(a: _Piece) -> _Piece:
    if not _is_exact(a.computed_in, -a.high, -a.low, a):
        a = cast(a, _working_type(a.computed_in, a.width))
        return _Piece(_prefixed("-", a), _UNARY, "", a.width, a.computed_in, 0, a.computed_in.high)
    return _Piece(_prefixed("-", a), _UNARY, "", a.width, a.computed_in, -a.high, -a.low)


def _complement(a: _Piece) -> _Piece:
    if not a.computed_in.signed:
        a = cast(a, _working_type(a.computed_in, a.width))
        return _Piece(_prefixed("~", a), _UNARY, "", a.width, a.computed_in, 0, a.computed_in.high)
    return _Piece(_prefixed("~", a), _UNARY, "", a.width, a.computed_in, ~a.high, ~a.low)


def _prefixed(sign: str, a: _Piece) -> str:
    text = a.within(_UNARY)
    return f"{sign}({text})" if text.startswith(sign) else f"{sign}{text}"


def _left(a: _Piece, by: _Piece) -> _Piece:
    """a << by, for an amount that is known to be below the width."""
    most = min(by.high, a.width - 1)
    low, high = a.low << by.low, a.high << most
    type_ = a.computed_in
    if a.low < 0 or most >= type_.bits or not type_.holds(low, high):
        a = cast(a, _working_type(type_, a.width))
        type_ = a.computed_in
        low, high = type_.low, type_.high
    return _Piece(_operated("<<", _SHIFT, a, by), _SHIFT, "", a.width, type_, low, high)


def _right(a: _Piece, by: _Piece) -> _Piece:
    """a >> by, rounding down, for an amount that is known to be below the width."""
    most = min(by.high, a.width - 1)
    if most >= a.computed_in.bits:
        a = cast(a, _Type(64, a.computed_in.signed))
    low = a.low >> (by.low if a.low < 0 else most)
    high = a.high >> (most if a.high < 0 else by.low)
    return _Piece(_operated(">>", _SHIFT, a, by), _SHIFT, "", a.width, a.computed_in, low, high)


def _chosen(condition: _Piece, then: _Piece, otherwise: _Piece) -> _Piece:
    """condition ? then : otherwise, on integers"""
    a, b = _alike_arms(then, otherwise)
    type_ = _common(a.computed_in, b.computed_in)
    if not type_.signed and (a.low < 0 or b.low < 0):
        type_ = _working_type(type_, a.width)
        a, b = _converted(a, type_), _converted(b, type_)
        type_ = _common(a.computed_in, b.computed_in)
    text = _conditional(condition, a, b)
    return _Piece(text, _COND, "", a.width, type_, min(a.low, b.low), max(a.high, b.high))


def _alike_arms(a: _Piece, b: _Piece) -> tuple[_Piece, _Piece]:
    """As `_alike`, but a zero-extended number stays one."""
    if b.number is not None and a.number is None and a.low >= 0 and a.high < 1 << a.width and a.computed_in.signed:
        return a, unsigned(b)
    if a.number is not None and b.number is None and b.low >= 0 and b.high < 1 << b.width and b.computed_in.signed:
        return unsigned(a), b
    return _alike(a, b)


def _conditional(condition: _Piece, then: _Piece, otherwise: _Piece) -> str:
    return f"{condition.within(_EQUAL)} ? {then.within(_EQUAL)} : {otherwise.within(_COND)}"


# --- integers: comparisons --------------------------------------------------------------------------------------------

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _compared(symbol: str, a: _Piece, b: _Piece) -> _Piece:
    """Of values that their common type holds; a constant goes to the right."""
    a, b = _suffixed(a, b)
    if a.number is not None and b.number is None and symbol in _TURNED:
        a, b, symbol = b, a, _TURNED[symbol]
    level = _EQUAL if symbol in ("==", "!=") else _COMPARE
    left, right = a.within(_SUM), b.within(_SUM)
    return _Piece(f"{left} {symbol} {right}", level, f"{left} {_OPPOSITE[symbol]} {right}")


def _suffixed(a: _Piece, b: _Piece) -> tuple[_Piece, _Piece]:
    """A constant that is compared with an unsigned expression is written unsigned; its value stays."""
    if b.number is not None and b.low >= 0 and not a.computed_in.signed:
        return a, literal(b.low, b.width, _UNSIGNED)
    if a.number is not None and a.low >= 0 and not b.computed_in.signed:
        return literal(a.low, a.width, _UNSIGNED), b
    return a, b


def unsigned_comparison(symbol: str, a: _Piece, b: _Piece) -> _Piece:
    return _compared(symbol, unsigned(a), unsigned(b))


def signed_comparison(symbol: str, a: _Piece, b: _Piece) -> _Piece:
    half = 1 << (a.width - 1)
    if all(p.low >= 0 and p.high < half for p in (a, b)):  # the two readings agree
        return _compared(symbol, a, b)
    return _compared(symbol, signed(a), signed(b))


def _equal(a: _Piece, b: _Piece) -> _Piece:
    """In the reading that needs less writing: they agree on equality."""
    return min(unsigned_comparison("==", a, b), signed_comparison("==", a, b), key=lambda p: len(p.text))


def _equals(a: _Piece, number: int) -> _Piece:
    return _equal(a, literal(number & ((1 << a.width) - 1), a.width))


# --- integers: division, shifts, overflow -----------------------------------------------------------------------------


def _divided(symbol: str, a: _Piece, b: _Piece) -> _Piece:
    """a / b or a % b of exact readings with b ≠ 0, and where -1 could overflow ≠ -1."""
    a, b = _suffixed(a, b)
    type_ = _common(a.computed_in, b.computed_in)
    most = max(abs(a.low), abs(a.high))
    if symbol == "/":
        least = min(abs(b.low), abs(b.high)) if b.low > 0 or b.high < 0 else 1
        most //= least
        low, high = (-most if a.low < 0 or b.low < 0 else 0), most
    else:
        low, high = (-most if a.low < 0 else 0), (most if a.high > 0 else 0)
    text = _operated(symbol, _PRODUCT, a, b)
    return _Piece(text, _PRODUCT, "", a.width, type_, low, min(high, type_.high))


def _unless_zero(b: _Piece, at_zero: _Piece, otherwise: _Piece) -> _Piece:
    """SMT-LIB's value at b = 0."""
    if b.low > 0 or b.high < 0:
        return otherwise
    return at_zero if b.number == 0 else _chosen(_equals(b, 0), at_zero, otherwise)


def _unless_minus_one(a: _Piece, b: _Piece, at_minus_one: _Piece, otherwise: _Piece) -> _Piece:
    """INT_MIN / -1 and INT_MIN % -1 are undefined."""
    type_ = _common(a.computed_in, b.computed_in)
    if a.low > type_.low or not b.low <= -1 <= b.high:
        return otherwise
    if b.low == b.high:
        return at_minus_one
    return _chosen(_compared("==", b, literal(-1, b.width, _INT)), at_minus_one, otherwise)


def _unsigned_quotient(a: _Piece, b: _Piece) -> _Piece:
    b = unsigned(b)
    return _unless_zero(b, literal((1 << a.width) - 1, a.width), _divided("/", unsigned(a), b))


def _unsigned_remainder(a: _Piece, b: _Piece) -> _Piece:
    a, b = unsigned(a), unsigned(b)
    return _unless_zero(b, a, _divided("%", a, b))


def _signed_quotient(a: _Piece, b: _Piece) -> _Piece:
    a, b = signed(a), signed(b)
    one, minus_one = literal(1, a.width, _INT), literal(-1, a.width, _INT)
    at_zero = _chosen(_compared("<", a, literal(0, a.width)), one, minus_one)
    return _unless_zero(b, at_zero, _unless_minus_one(a, b, _negative(a), _divided("/", a, b)))


def _signed_remainder(a: _Piece, b: _Piece) -> _Piece:
    a, b = signed(a), signed(b)
    return _unless_zero(b, a, _unless_minus_one(a, b, literal(0, a.width), _divided("%", a, b)))


def _signed_modulo(a: _Piece, b: _Piece) -> _Piece:
    """The remainder, moved by b if it is not zero and its sign differs from that of b."""
    a, b = signed(a), signed(b)
    zero = literal(0, a.width)
    remainder = _divided("%", a, b)
    signs_differ = _differ(_compared("<", remainder, zero), _compared("<", b, zero))
    moves = _junction("&&", [_compared("!=", remainder, zero), signs_differ])
    moved = _Piece(_operated("+", _SUM, remainder, b), _SUM, "", a.width, remainder.type)  # |moved| < |b|
    moved = replace(moved, low=min(b.low, 0), high=max(b.high, 0))
    modulo = _chosen(moves, moved, remainder)
    return _unless_zero(b, a, _unless_minus_one(a, b, zero, modulo))


def _shifted(shift: Callable[[_Piece, _Piece], _Piece]) -> Callable[[_Piece, _Piece], _Piece]:
    """Zero from the width on."""

    def shifted(a: _Piece, b: _Piece) -> _Piece:
        by = unsigned(b)
        if by.high < a.width:
            return shift(a, by)
        zero = literal(0, a.width)
        if by.low >= a.width:
            return zero
        return _chosen(_compared("<", by, literal(a.width, 8)), shift(a, by), zero)

    return shifted


_shifted_left = _shifted(_left)
_shifted_right = _shifted(_right)


def _shifted_right_signed(a: _Piece, b: _Piece) -> _Piece:
    """By the width less one if by more."""
    by = unsigned(b)
    last = literal(a.width - 1, 8)
    if by.low >= a.width:
        by = last
    elif by.high >= a.width:
        by = _chosen(_compared("<", by, literal(a.width, 8)), by, last)
    return _right(signed(a), by)


def _rotated(a: _Piece, by: int) -> _Piece:
    """To the left, by more than zero and less than the width."""
    a = unsigned(a)
    return arithmetic("|", _left(a, literal(by, 8)), _right(a, literal(a.width - by, 8)))


def _joined(high: _Piece, low: _Piece) -> _Piece:
    width = high.width + low.width
    shifted = _left(_of_width(high, width), literal(low.width, 8))
    if low.number == 0:
        return shifted
    return arithmetic("|", shifted, _of_width(unsigned(low), width))


_OVERFLOWS: dict[Op, tuple[str, str, Callable[[_Piece], _Piece]]] = {
    ops.BVUADDO: ("+", "add", unsigned),
    ops.BVSADDO: ("+", "add", signed),
    ops.BVSSUBO: ("-", "sub", signed),
    ops.BVUMULO: ("*", "mul", unsigned),
    ops.BVSMULO: ("*", "mul", signed),
}


def _overflows(op: Op, a: _Piece, b: _Piece) -> _Piece:
    """The exact result, in a wider type, is out of range."""
    symbol, name, reading = _OVERFLOWS[op]
    width, is_signed = a.width, reading is signed
    least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    a, b = reading(a), reading(b)
    level, bounds = _ARITHMETIC[symbol]
    low, high = bounds(a, b)
    wider = (_INT, _LONG) if is_signed else (_INT, _LONG, _UNSIGNED_LONG)
    type_ = next((t for t in wider if t.holds(low, high)), None)
    checks = []
    if type_ is None:
        type_ = _Type(64, is_signed)
        checks.append(_Piece(f"__builtin_{name}_overflow_p({a.text}, {b.text}, ({type_})0)", _CALL))
        low, high = max(low, type_.low), min(high, type_.high)
    if _common(a.computed_in, b.computed_in) != type_:
        a = cast(a, type_)
        type_ = _common(a.computed_in, b.computed_in)
    exact = _Piece(_operated(symbol, level, a, b), level, "", 65, type_, low, high)
    if low < least:
        checks.append(_compared("<", exact, literal(least, 65, _INT)))
    if high > most:
        checks.append(_compared(">", exact, literal(most, 65, _Type(32, type_.signed))))
    return _junction("||", checks) if checks else _FALSE


# --- Bools ------------------------------------------------------------------------------------------------------------

_FALSE = _Piece("0", _CALL)


def _junction(symbol: str, parts: Sequence[_Piece]) -> _Piece:
    if len(parts) == 1:
        return parts[0]
    # && inside of || would not need parentheses, but gcc wants to see them.
    level, inner = (_AND, _AND) if symbol == "&&" else (_OR, _EQUAL)
    texts = [part.text if part.level == level else part.within(inner) for part in parts]
    return _Piece(f" {symbol} ".join(texts), level)


def _not(a: _Piece) -> _Piece:
    if a.opposite:
        return _Piece(a.opposite, a.level, a.text)
    return _Piece(f"!{a.within(_UNARY)}", _NOT, a.text if a.level >= _UNARY else "")


def _same(a: _Piece, b: _Piece) -> _Piece:
    left, right = a.within(_SHIFT), b.within(_SHIFT)
    return _Piece(f"{left} == {right}", _EQUAL, f"{left} != {right}")


def _differ(a: _Piece, b: _Piece) -> _Piece:
    return _not(_same(a, b))


# --- floats -----------------------------------------------------------------------------------------------------------


def _float_literal(node: Term) -> _Piece:
    """Hexadecimal, which is exact and short."""
    format_, bits = format_of(_float(node)), node.payload
    suffix = "f" if node.sort is FLOAT32 else ""
    if ieee.is_nan(format_, bits):
        return _Piece(f'__builtin_nan{suffix}("")', _CALL)
    magnitude = ieee.to_python(format_, ieee.absolute(format_, bits))
    if ieee.is_infinite(format_, bits):
        text = f"__builtin_inf{suffix}()"
    elif magnitude == 0:
        text = f"0.0{suffix}"
    else:
        text = re.sub(r"\.?0*p", "p", magnitude.hex()) + suffix
    return _Piece(f"-{text}", _UNARY) if ieee.is_negative(format_, bits) else _Piece(text, _CALL)


def _float(node: Term) -> Float:
    assert isinstance(node.sort, Float)
    return node.sort


def _type_name(sort: Float) -> str:
    return "float" if sort is FLOAT32 else "double"


def _called(name: str, sort: Float, *args: _Piece) -> _Piece:
    """A function of <math.h> as the builtin that needs no declaration."""
    suffix = "f" if sort is FLOAT32 else ""
    return _Piece(f"__builtin_{name}{suffix}({', '.join(a.text for a in args)})", _CALL)


def _asked(name: str, a: _Piece) -> _Piece:
    """One of the builtin classifications, which take any format."""
    return _Piece(f"__builtin_{name}({a.text})", _CALL)


def _is_signed_float(a: _Piece) -> _Piece:
    """`__builtin_signbit` is some number other than 0."""
    asked = _asked("signbit", a).text
    return _Piece(f"{asked} != 0", _EQUAL, f"{asked} == 0")


def _rounding_to_nearest(node: Term) -> None:
    mode = node.args[0].payload
    if mode is not RoundingMode.RNE:
        raise _not_expressible(node, f"C rounds to nearest, not {mode.value}: use RNE")


def _float_operator(symbol: str, level: int) -> _Writer:
    def write(node: Term, parts: Sequence[_Piece]) -> _Piece:
        _rounding_to_nearest(node)
        _, a, b = parts
        zero = _zero_of(_float(node))
        if (symbol, a.text) in (("+", zero.text), ("-", zero.text)) and node.args[2].op is not ops.VARIABLE:
            return _cleared(b, b if symbol == "+" else _Piece(_prefixed("-", b), _UNARY), zero)
        if (symbol, b.text) in (("+", zero.text), ("-", f"-{zero.text}")) and node.args[1].op is not ops.VARIABLE:
            return _cleared(a, a, zero)
        return _Piece(_operated(symbol, level, a, b), level)

    return write


def _cleared(a: _Piece, otherwise: _Piece, zero: _Piece) -> _Piece:
    """0.0 + a or 0.0 - a in other words: gcc 12 takes 0.0 - fabs(x) and -fabs(x) + 0.0 for -fabs(x), wrong at x = 0."""
    return _Piece(_conditional(_same(a, zero), zero, otherwise), _COND)


def _float_function(name: str) -> _Writer:
    def write(node: Term, parts: Sequence[_Piece]) -> _Piece:
        if node.args[0].sort is ROUNDING_MODE:
            _rounding_to_nearest(node)
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


def _rounded(node: Term, parts: Sequence[_Piece]) -> _Piece:
    return _called(_ROUNDINGS[node.args[0].payload], _float(node), parts[1])


def _extreme(name: str) -> _Writer:
    def write(node: Term, parts: Sequence[_Piece]) -> _Piece:
        sort = _float(node)
        if any(a.op is ops.VALUE and not ieee.is_zero(format_of(sort), a.payload) for a in node.args):
            return _called(name, sort, *parts)
        raise _not_expressible(
            node, f"which of two zeros it returns is left open: write it with {ops.FP_LT.name} and ite"
        )

    return write


def _float_comparison(symbol: str) -> _Writer:
    def write(node: Term, parts: Sequence[_Piece]) -> _Piece:
        level = _EQUAL if symbol == "==" else _COMPARE
        left, right = (p.within(_SHIFT) for p in parts)
        operator = symbol
        if node.args[0].op is ops.VALUE and symbol in _TURNED:
            left, right, operator = right, left, _TURNED[symbol]
        opposite = f"{left} != {right}" if symbol == "==" else ""  # NaN is neither < nor >=
        return _Piece(f"{left} {operator} {right}", level, opposite)

    return write


def _zero_of(sort: Float) -> _Piece:
    return _Piece("0.0f" if sort is FLOAT32 else "0.0", _CALL)


def _identical(a: Term, b: Term, x: _Piece, y: _Piece) -> _Piece:
    """SMT-LIB's = on floats: C's == but for NaN and the sign of zeros."""
    format_ = format_of(_float(a))
    if a.op is ops.VALUE:
        a, b, x, y = b, a, y, x
    if b.op is not ops.VALUE:
        both_nan = _junction("&&", [_asked("isnan", x), _asked("isnan", y)])
        one_sign = _same(_is_signed_float(x), _is_signed_float(y))
        return _junction("||", [_junction("&&", [_same(x, y), one_sign]), both_nan])
    if ieee.is_nan(format_, b.payload):
        return _asked("isnan", x)
    if not ieee.is_zero(format_, b.payload):
        return _same(x, y)
    sign = _is_signed_float(x)
    is_negative = ieee.is_negative(format_, b.payload)
    return _junction("&&", [_same(x, _zero_of(_float(a))), sign if is_negative else _not(sign)])


def _is_subnormal(node: Term, parts: Sequence[_Piece]) -> _Piece:
    sort = _float(node.args[0])
    least = "0x1p-126f" if sort is FLOAT32 else "0x1p-1022"
    small = _Piece(f"{_called('fabs', sort, parts[0]).text} < {least}", _COMPARE)
    return _junction("&&", [_not(_same(parts[0], _zero_of(sort))), small])


def _sign_is(negative: Callable[[_Piece], _Piece]) -> _Writer:
    """NaN has no sign."""
    return lambda node, parts: _junction("&&", [_not(_asked("isnan", parts[0])), negative(_is_signed_float(parts[0]))])


def _float_to_float(node: Term, parts: Sequence[_Piece]) -> _Piece:
    if node.sort is FLOAT32:  # the other direction is exact
        _rounding_to_nearest(node)
    return _Piece(f"({_type_name(_float(node))}){parts[1].within(_UNARY)}", _UNARY)


def _integer_to_float(reading: Callable[[_Piece], _Piece]) -> _Writer:
    def write(node: Term, parts: Sequence[_Piece]) -> _Piece:
        sort = _float(node)
        if parts[1].width > sort.significand_bits:  # else exact
            _rounding_to_nearest(node)
        return _Piece(f"({_type_name(sort)}){reading(parts[1]).within(_UNARY)}", _UNARY)

    return write


def _float_to_integer(*, is_signed: bool) -> _Writer:
    """C's cast truncates and is undefined out of range, where SMT-LIB leaves the value open and `evaluate` gives 0."""

    def write(node: Term, parts: Sequence[_Piece]) -> _Piece:
        source, mode, x = _float(node.args[1]), node.args[0].payload, parts[1]
        (width,) = node.payload
        if mode is not RoundingMode.RTZ:
            x = _called(_ROUNDINGS[mode], source, x)
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
        # Down to low - 1, excluded; if that is no float, there is none between it and low.
        if width <= source.significand_bits or not is_signed:
            above = f"{x.within(_SHIFT)} > {_power(low - 1, source)}"
        else:
            above = f"{x.within(_SHIFT)} >= {_power(low, source)}"
        below = f"{x.within(_SHIFT)} < {_power(high + 1, source)}"
        type_ = _container(max(width, 32), signed=is_signed)
        inside = _Piece(f"({type_}){x.within(_UNARY)}", _UNARY, "", width, type_, low, high)
        return _chosen(_Piece(f"{above} && {below}", _AND), inside, literal(0, width))

    return write


def _power(number: int, sort: Float) -> str:
    return re.sub(r"\.?0*p", "p", float(number).hex()) + ("f" if sort is FLOAT32 else "")


# --- how each operation is written ------------------------------------------------------------------------------------

_Writer = Callable[[Term, Sequence[_Piece]], _Piece]


def _plain(function: Callable[..., _Piece]) -> _Writer:
    return lambda node, parts: function(*parts)


def _folded(function: Callable[[_Piece, _Piece], _Piece]) -> _Writer:
    return lambda node, parts: reduce(function, parts)


def _operator(symbol: str) -> _Writer:
    return _folded(lambda a, b: arithmetic(symbol, a, b))


def _value(node: Term, parts: Sequence[_Piece]) -> _Piece:
    if isinstance(node.sort, BitVec):
        return literal(node.payload, node.sort.width)
    if isinstance(node.sort, Float):
        return _float_literal(node)
    return _Piece(str(int(node.payload)) if node.sort is BOOL else node.payload.value, _CALL)


def _equality(a: Term, b: Term, x: _Piece, y: _Piece) -> _Piece:
    if isinstance(a.sort, BitVec):
        return _equal(x, y)
    return _identical(a, b, x, y) if isinstance(a.sort, Float) else _same(x, y)


def _distinct(node: Term, parts: Sequence[_Piece]) -> _Piece:
    pairs = combinations(zip(node.args, parts, strict=True), 2)
    return _junction("&&", [_not(_equality(a, b, x, y)) for (a, x), (b, y) in pairs])


def _if_then_else(node: Term, parts: Sequence[_Piece]) -> _Piece:
    if isinstance(node.sort, BitVec):
        return _chosen(*parts)
    return _Piece(_conditional(*parts), _COND)


def _extracted(node: Term, parts: Sequence[_Piece]) -> _Piece:
    high, low = node.payload
    a = _right(parts[0], literal(low, 8)) if low else parts[0]
    return _of_width(a, high - low + 1)


def _extended(reading: Callable[[_Piece], _Piece]) -> _Writer:
    return lambda node, parts: _of_width(reading(parts[0]), parts[0].width + node.payload[0])


def _repeated(node: Term, parts: Sequence[_Piece]) -> _Piece:
    """5 times in 4 bits each is * 0x11111."""
    width, (times,) = parts[0].width, node.payload
    ones = sum(1 << (width * i) for i in range(times))
    return arithmetic("*", _of_width(unsigned(parts[0]), width * times), literal(ones, width * times))


def _overflow(node: Term, parts: Sequence[_Piece]) -> _Piece:
    return _overflows(node.op, *parts)


def _is_least(a: _Piece) -> _Piece:
    return _equals(a, 1 << (a.width - 1))


def _from_bits(node: Term, parts: Sequence[_Piece]) -> _Piece:
    raise _not_expressible(node, "C reads bits as a float in memory only: use a variable that holds the float")


_WRITE: dict[Op, _Writer] = {
    ops.VALUE: _value,
    ops.NOT: _plain(_not),
    ops.AND: lambda node, parts: _junction("&&", parts),
    ops.OR: lambda node, parts: _junction("||", parts),
    ops.XOR: _plain(_differ),
    ops.IMPLIES: _plain(lambda a, b: _junction("||", [_not(a), b])),
    ops.EQ: lambda node, parts: _equality(node.args[0], node.args[1], *parts),
    ops.DISTINCT: _distinct,
    ops.ITE: _if_then_else,
    ops.BVNOT: _plain(_complement),
    ops.BVNEG: _plain(_negative),
    ops.BVADD: _folded(_add),
    ops.BVSUB: _operator("-"),
    ops.BVMUL: _operator("*"),
    ops.BVAND: _operator("&"),
    ops.BVOR: _operator("|"),
    ops.BVXOR: _operator("^"),
    ops.BVUDIV: _plain(_unsigned_quotient),
    ops.BVUREM: _plain(_unsigned_remainder),
    ops.BVSDIV: _plain(_signed_quotient),
    ops.BVSREM: _plain(_signed_remainder),
    ops.BVSMOD: _plain(_signed_modulo),
    ops.BVSHL: _plain(_shifted_left),
    ops.BVLSHR: _plain(lambda a, b: _shifted_right(unsigned(a), b)),
    ops.BVASHR: _plain(_shifted_right_signed),
    ops.BVULT: _plain(lambda a, b: unsigned_comparison("<", a, b)),
    ops.BVULE: _plain(lambda a, b: unsigned_comparison("<=", a, b)),
    ops.BVSLT: _plain(lambda a, b: signed_comparison("<", a, b)),
    ops.BVSLE: _plain(lambda a, b: signed_comparison("<=", a, b)),
    ops.CONCAT: _folded(_joined),
    ops.EXTRACT: _extracted,
    ops.ZERO_EXTEND: _extended(unsigned),
    ops.SIGN_EXTEND: _extended(signed),
    ops.REPEAT: _repeated,
    ops.ROTATE_LEFT: lambda node, parts: _rotated(parts[0], node.payload[0]),
    ops.ROTATE_RIGHT: lambda node, parts: _rotated(parts[0], parts[0].width - node.payload[0]),
    ops.BVNEGO: _plain(_is_least),
    ops.BVSDIVO: _plain(lambda a, b: _junction("&&", [_is_least(a), _equals(b, -1)])),
    ops.BVUSUBO: _plain(lambda a, b: unsigned_comparison("<", a, b)),
    **dict.fromkeys(_OVERFLOWS, _overflow),
    ops.FP_ADD: _float_operator("+", _SUM),
    ops.FP_SUB: _float_operator("-", _SUM),
    ops.FP_MUL: _float_operator("*", _PRODUCT),
    ops.FP_DIV: _float_operator("/", _PRODUCT),
    ops.FP_NEG: _plain(lambda a: _Piece(_prefixed("-", a), _UNARY)),
    ops.FP_ABS: _float_function("fabs"),
    ops.FP_FMA: _float_function("fma"),
    ops.FP_SQRT: _float_function("sqrt"),
    ops.FP_REM: _float_function("remainder"),
    ops.FP_ROUND: _rounded,
    ops.FP_MIN: _extreme("fmin"),
    ops.FP_MAX: _extreme("fmax"),
    ops.FP_LE: _float_comparison("<="),
    ops.FP_LT: _float_comparison("<"),
    ops.FP_EQ: _float_comparison("=="),
    ops.FP_IS_NAN: _plain(lambda a: _asked("isnan", a)),
    ops.FP_IS_INFINITE: _plain(lambda a: _asked("isinf", a)),
    ops.FP_IS_NORMAL: _plain(lambda a: _asked("isnormal", a)),
    ops.FP_IS_SUBNORMAL: _is_subnormal,
    ops.FP_IS_ZERO: lambda node, parts: _same(parts[0], _zero_of(_float(node.args[0]))),
    ops.FP_IS_NEGATIVE: _sign_is(lambda sign: sign),
    ops.FP_IS_POSITIVE: _sign_is(_not),
    ops.FP_FROM_BITS: _from_bits,
    ops.FP_FROM_FP: _float_to_float,
    ops.FP_FROM_SIGNED: _integer_to_float(signed),
    ops.FP_FROM_UNSIGNED: _integer_to_float(unsigned),
    ops.FP_TO_SBV: _float_to_integer(is_signed=True),
    ops.FP_TO_UBV: _float_to_integer(is_signed=False),
}
