"""Pointer values that keep the promise of their type, and what one can ask of objects: bytes, order, size."""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.ctype import (
    INT,
    UCHAR,
    ULONG,
    Array,
    Float,
    Int,
    Pointer,
    Type,
    spelled,
)
from cfuzz.effects import Effects, Expr, plain
from cfuzz.expressions import integer, integer_constant, integer_form
from cfuzz.places import choose, index, is_integer


def points(source: Type, t: Pointer) -> bool:
    """Whether an object of the source type (an array, an object, a pointer) can be pointed to by, or copied to, `t`."""
    if isinstance(source, Array) and t.extent > 1:
        return source.element == t.target and source.length >= t.extent
    if isinstance(source, Pointer):
        if source.target == t.target and source.extent >= t.extent and not source.nullable:
            return t.constant or not source.constant
    return t.extent == 1 and source == t.target


def pointer(c: Context, t: Pointer, accepts: int) -> Expr | None:
    """A value for a pointer of type `t` that may be stored where objects up to scope depth `accepts` live on."""
    source = choose(c, lambda u: points(u, t))
    if source is None:
        return None
    if isinstance(source.type, Pointer) and source.type.target == t.target:
        return source.value() if source.holds <= accepts else None
    if not source.addressable or source.depth > accepts or (not source.writable and not t.constant):
        return None
    found = Effects(source.reads)
    if isinstance(source.type, Array) and t.extent > 1:
        slack = source.type.length - t.extent
        if slack and c.chance(0.4) and c.has("pointer_arithmetic"):
            shape = c.pick(["{} + {}", "&{}[{}]"])
            return Expr(shape.format(source.text, c.number(0, slack)), t, found)
        return Expr(source.text if c.chance(0.7) else f"&{source.text}[0]", t, found)
    return Expr(f"&{source.text}", t, found)


@integer_form(3, "byte_access")
def byte(c: Context, depth: int) -> Expr | None:
    """A byte of an integer object, little endian."""
    place = choose(c, is_integer, lambda p: p.addressable and p.bits is None)
    if place is None:
        return None
    assert isinstance(place.type, Int)
    at = c.number(0, max(place.type.bits // 8, 1) - 1)
    t = c.pick([UCHAR, Int("char", "char"), Int("schar", "signed char")])
    return Expr(f"(({t.spelling} *)&{place.text})[{at}]", t, place.value().effects)


@integer_form(3, "pointers")
def pointer_comparison(c: Context, depth: int) -> Expr | None:
    """Equality of pointers, a null test, or the order and distance of two elements of one array."""
    place = choose(c, lambda t: isinstance(t, Pointer | Array), lambda p: p.addressable)
    if place is None:
        return None
    reads = place.reads
    if isinstance(place.type, Array):
        if not c.has("pointer_arithmetic"):
            return None
        (i, more), (j, yet_more) = index(c, place.type.length), index(c, place.type.length)
        left = f"&{place.text}[{i}]"
        right = f"&{place.text}[{j}]" if c.chance(0.5) else f"({place.text} + ({j}))"
        op = c.pick(["-", "<", "<=", ">", ">=", "==", "!="])
        text = f"({left} {op} {right})"
        return Expr(f"(int){text}" if op == "-" else text, INT, Effects(reads | more | yet_more))
    t = place.type
    assert isinstance(t, Pointer)
    reads = reads | {place.root}
    if c.chance(0.4) or not isinstance(t.target, Int | Float):
        return Expr(
            c.pick([f"({place.text} != 0)", f"(!{place.text})", f"({place.text} == (void *)0)"]), INT, Effects(reads)
        )
    other = choose(c, lambda u: u == t.target, lambda p: p.addressable)
    if other is None:
        return None
    return Expr(f"({place.text} {c.pick(['==', '!='])} &{other.text})", INT, Effects(reads | other.reads))


@integer_form(3, "sizeof")
def size(c: Context, depth: int) -> Expr:
    """sizeof, of a type, of an object, or of an expression that is not evaluated."""
    roll = c.rng.random()
    if roll < 0.3:
        t: Type = c.scalar_type()
        if c.records and c.chance(0.5):
            t = c.pick(c.records)
        return Expr(f"sizeof({spelled(t)})", ULONG)
    if roll < 0.45 and c.records:
        r = c.pick(c.records)
        named = [f for f in r.fields if f.name and f.bits is None]
        if named:
            return Expr(f"__builtin_offsetof({r.spelling}, {c.pick(named).name})", ULONG)
    if roll < 0.55:
        return Expr(f"_Alignof({c.scalar_type().spelling})", ULONG)
    if roll < 0.8:
        place = choose(c, lambda t: True, lambda p: p.bits is None)
        if place is not None:
            return Expr(f"sizeof({place.text})", ULONG)
    e = plain(integer(c, depth))
    if "({" in e.text:
        e = integer_constant(c)
    return Expr(f"sizeof({e})", ULONG)
