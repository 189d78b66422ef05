"""Calls: direct, through a table or a variable; their arguments; and struct values, which calls pass and return."""

from __future__ import annotations

from collections.abc import Callable

from cfuzz.context import Context, Function
from cfuzz.ctype import (
    INT,
    Array,
    Float,
    FunctionPointer,
    Int,
    Pointer,
    Record,
    Type,
    spelled,
)
from cfuzz.effects import INPUT, PURE, REACHABLE, Effects, Expr, conflict, plain
from cfuzz.expressions import (
    EFFECTS,
    condition,
    constant,
    convertible,
    float_form,
    integer,
    integer_constant,
    integer_form,
    sequenced,
)
from cfuzz.initialisers import compound_literal, initialiser
from cfuzz.places import choose, index, is_integer, may_hold
from cfuzz.pointers import pointer, points

CALL = Effects(frozenset({REACHABLE, INPUT}), frozenset({REACHABLE, INPUT}))
INDIRECT_CALL_COST = 300


def callable_here(c: Context, wanted: Callable[[Type | None], bool]) -> list[Function]:
    return [
        f
        for f in c.functions
        if wanted(f.result)
        and c.affords(f.cost)
        and (not c.calm or f.effects.pure)
        and all(passable(c, p) for p in f.parameters)
    ]


def passable(c: Context, t: Type) -> bool:
    """Whether some visible object could become an argument of this type."""
    if isinstance(t, Pointer):
        return any(may_hold(v.type, lambda u: points(u, t)) for v in c.visible())
    return True


def invoke(c: Context, f: Function, depth: int, name: str | None = None, naming: Effects = PURE) -> Expr:
    """A call with fitting arguments, unsequenced among themselves and `naming`, complete before the body runs."""
    c.spend(f.cost)
    total = naming
    texts = []
    limits = f.limits or (None,) * len(f.parameters)
    for t, limit in zip(f.parameters, limits, strict=True):
        e = argument(c, t, limit, depth, total)
        total = total | e.effects
        texts.append(e.text)
    done = Effects(total.reads | f.effects.reads, total.writes | f.effects.writes)
    return Expr(f"{name or f.name}({', '.join(texts)})", f.result or INT, done)


def argument(c: Context, t: Type, limit: int | None, depth: int, others: Effects) -> Expr:
    match t:
        case Int():
            if limit is not None:
                e = c.beside(others, lambda: integer(c, 1), lambda: integer_constant(c))
                return Expr(f"({e} & {limit})", INT, e.effects)
            return c.beside(others, lambda: convertible(c, t, depth), lambda: constant(c, t))
        case Float():
            return c.beside(others, lambda: convertible(c, t, depth), lambda: constant(c, t))
        case Record():
            return c.beside(others, lambda: record(c, t, depth), lambda: compound_literal(c, t, constants_only=True))
        case Pointer():
            with c.quiet():
                for _ in range(20):
                    found = pointer(c, t, c.depth)
                    if found is not None and not conflict(found.effects, others):
                        return found
            return Expr(last_resort(c, t), t)
        case FunctionPointer():
            return Expr(c.pick([f for f in c.functions if f.pointer == t and not f.limits]).name, t)
        case Array():
            raise AssertionError("arrays are passed as pointers")


def last_resort(c: Context, t: Pointer) -> str:
    """A pointer to a fresh object: a compound literal."""
    if isinstance(t.target, Pointer):
        return f"&({spelled(t.target)}){{{last_resort(c, t.target)}}}"
    whole = Array(t.target, t.extent) if t.extent > 1 else t.target
    text, _ = initialiser(c, whole, static=True)
    braced = text if text.startswith("{") else f"{{{text}}}"
    return f"{'' if t.extent > 1 else '&'}({spelled(whole)}){braced}"


@integer_form(7, "functions")
def call(c: Context, depth: int) -> Expr | None:
    options = callable_here(c, lambda t: t is not None and isinstance(t, Int))
    return invoke(c, c.pick(options), depth) if options else None


@integer_form(3, "function_pointers")
def dispatch(c: Context, depth: int) -> Expr | None:
    """A call through a constant table, by computed index."""
    if c.calm or not c.tables:
        return None
    name, members = c.pick(c.tables)
    cost = max(f.cost for f in members)
    if not c.affords(cost) or not isinstance(members[0].result, Int):
        return None
    at, reads = index(c, len(members))
    stand_in = Function(name, members[0].result, members[0].parameters, cost, CALL)
    target = f"{name}[{at}]" if c.chance(0.7) else f"(*{name}[{at}])"
    return invoke(c, stand_in, depth, target, Effects(reads))


@integer_form(3, "function_pointers")
def indirect_call(c: Context, depth: int) -> Expr | None:
    """A call through a variable; only in main, since the variable may come to point to any function."""
    if c.calm or not c.frame.main or not c.affords(INDIRECT_CALL_COST):
        return None
    place = choose(c, lambda t: isinstance(t, FunctionPointer) and isinstance(t.result, Int))
    if place is None:
        return None
    t = place.type
    assert isinstance(t, FunctionPointer)
    stand_in = Function("", t.result, t.parameters, INDIRECT_CALL_COST, CALL)
    return invoke(c, stand_in, depth, place.text, place.value().effects)


@float_form(3, "functions")
def float_call(c: Context, depth: int) -> Expr | None:
    options = callable_here(c, lambda t: isinstance(t, Float))
    return invoke(c, c.pick(options), depth) if options else None


@integer_form(3, "struct_values")
def member_of_value(c: Context, depth: int) -> Expr | None:
    """A member of a struct that a function returns."""
    options = callable_here(c, lambda t: isinstance(t, Record) and any(is_integer(f.type) and f.name for f in t.fields))
    if not options:
        return None
    f = c.pick(options)
    assert isinstance(f.result, Record)
    member = c.pick([m for m in f.result.fields if is_integer(m.type) and m.name])
    made = invoke(c, f, depth)
    return plain(Expr(f"{made}.{member.name}", member.type, made.effects, member.bits))


def record(c: Context, r: Record, depth: int) -> Expr:
    """A struct or union value."""
    roll = c.rng.random()
    if roll < 0.3 and c.has("compound_literals"):
        return compound_literal(c, r)
    if roll < 0.55:
        options = callable_here(c, lambda t: t == r)
        if options:
            return invoke(c, c.pick(options), depth)
    place = choose(c, lambda t: t == r)
    if place is None:
        return compound_literal(c, r)
    if roll < 0.7 and c.has("ternary"):
        other = choose(c, lambda t: t == r)
        if other is not None:
            test = condition(c, 1)
            both = place.value().effects | other.value().effects
            return Expr(f"({test} ? {place.text} : {other.text})", r, sequenced(test.effects, both))
    return place.value()


EFFECTS.append(call)
