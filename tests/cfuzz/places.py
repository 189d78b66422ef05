"""Choosing an object to read or write: a random walk from a visible variable through elements, members and pointers."""

from __future__ import annotations

from collections.abc import Callable

from cfuzz.context import Context, Var
from cfuzz.ctype import INT, Array, Float, Int, Pointer, Record, Type
from cfuzz.effects import NOTHING, REACHABLE, Expr, Place, Roots

Wanted = Callable[[Type], bool]


def is_integer(t: Type) -> bool:
    return isinstance(t, Int)


def is_float(t: Type) -> bool:
    return isinstance(t, Float)


def is_scalar(t: Type) -> bool:
    return isinstance(t, Int | Float)


def choose(c: Context, wanted: Wanted, accepts: Callable[[Place], bool] = lambda p: True) -> Place | None:
    """A place of a wanted type that also satisfies `accepts`, if some tries find one."""
    candidates = [v for v in c.visible() if may_hold(v.type, wanted)]
    if not candidates:
        return None
    for _ in range(6):
        # Later variables are closer: prefer them, so that values flow through the locals of a function.
        var = candidates[int(len(candidates) * c.rng.random() ** 0.6)]
        place = walk(c, var.place(), wanted)
        if place is not None and accepts(place):
            return place
    return None


def writable(c: Context, wanted: Wanted) -> Place | None:
    return choose(c, wanted, lambda p: p.writable)


def may_hold(t: Type, wanted: Wanted) -> bool:
    """Whether a walk from an object of this type can end at a wanted one."""
    if wanted(t):
        return True
    match t:
        case Array(element, _):
            return may_hold(element, wanted)
        case Pointer(target, _, _, nullable):
            return not nullable and may_hold(target, wanted)
        case Record(_, fields, _):
            return any(may_hold(f.type, wanted) for f in fields)
        case _:
            return False


def walk(c: Context, place: Place, wanted: Wanted) -> Place | None:
    """A part of the place, or what it points to, of a wanted type."""
    t = place.type
    nameless = isinstance(t, Record) and not t.spelling  # an anonymous member is no object one could speak of
    if (
        not nameless
        and wanted(t)
        and (not isinstance(t, Array | Record | Pointer) or c.chance(0.6) or not deeper(t, wanted))
    ):
        return place
    match t:
        case Array(element, length):
            return walk(c, element_of(c, place, element, length), wanted)
        case Record():
            options = [f for f in t.fields if may_hold(f.type, wanted)]
            if not options:
                return None
            f = c.pick(options)
            aligned = place.addressable and not t.packed
            if not f.name:
                return walk(c, place.descend(place.text, f.type, addressable=aligned), wanted)
            return walk(
                c,
                place.descend(
                    f"{place.text}.{f.name}",
                    f.type,
                    bits=f.bits,
                    addressable=aligned and f.bits is None,
                    holds=0,
                    accepts=0,
                ),
                wanted,
            )
        case Pointer(_, _, _, False):
            return walk(c, pointed(c, place), wanted)
        case _:
            return None


def deeper(t: Type, wanted: Wanted) -> bool:
    match t:
        case Array(element, _):
            return may_hold(element, wanted)
        case Record(_, fields, _):
            return any(may_hold(f.type, wanted) for f in fields)
        case Pointer(target, _, _, nullable):
            return not nullable and may_hold(target, wanted)
        case _:
            return False


def element_of(c: Context, place: Place, element: Type, length: int) -> Place:
    text, reads = index(c, length)
    return place.descend(f"{place.text}[{text}]", element, reads=place.reads | reads, holds=0, accepts=0)


def pointed(c: Context, place: Place) -> Place:
    """What a (never null) pointer points to."""
    t = place.type
    assert isinstance(t, Pointer)
    reads = place.reads | {place.root}
    if t.extent > 1 or c.chance(0.1):
        text, more = index(c, t.extent)
        reads |= more
        shape = c.pick(["{p}[{i}]", "{p}[{i}]", "(*({p} + ({i})))", "({i})[{p}]"])
        if not c.has("pointer_arithmetic") or t.extent == 1:
            shape = "{p}[{i}]"
        result = shape.format(p=place.text, i=text)
    else:
        result = f"(*{place.text})"
    return Place(
        result,
        t.target,
        REACHABLE,
        reads,
        writable=not t.constant,
        depth=place.holds,
        holds=place.holds,
        accepts=0,
    )


def index(c: Context, length: int) -> tuple[str, Roots]:
    """An index in [0, length) without side effects: a constant, a loop counter, or any value brought into range."""
    roll = c.rng.random()
    if roll < 0.3 or length == 1:
        return str(c.number(0, length - 1)), NOTHING
    if roll < 0.75:
        counters = [v for v in c.visible() if v.bound is not None and v.bound <= length]
        if counters:
            return counter_index(c, c.pick(counters), length)
    value = index_value(c)
    if value is None:
        return str(c.number(0, length - 1)), NOTHING
    power = 1 << (length.bit_length() - 1)
    if c.chance(0.5) or not c.has("division"):
        return f"{value.text} & {power - 1}", value.effects.reads
    return f"(unsigned){value.text} % {length}u", value.effects.reads


def counter_index(c: Context, counter: Var, length: int) -> tuple[str, Roots]:
    assert counter.bound is not None
    reads = frozenset({counter.root})
    slack = length - counter.bound
    roll = c.rng.random()
    if slack and roll < 0.3:
        return f"{counter.name} + {c.number(1, slack)}", reads
    if roll < 0.5:
        return f"{length - 1} - {counter.name}", reads
    return counter.name, reads


def index_value(c: Context) -> Expr | None:
    """A simple integer variable (an index is not worth more)."""
    options = [v for v in c.visible() if isinstance(v.type, Int)]
    if not options:
        return None
    return c.pick(options[-8:]).place().value()


def integer_place(c: Context) -> Place | None:
    return choose(c, is_integer)


def int_constant(value: int) -> Expr:
    return Expr(str(value), INT)
