"""Initialisers of every type: full, partial, designated, nested; and compound literals, which are made of them."""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.ctype import (
    Array,
    Float,
    FunctionPointer,
    Int,
    Pointer,
    Record,
    Scalar,
    Type,
)
from cfuzz.effects import PURE, Effects, Expr, plain, union
from cfuzz.expressions import constant, convertible, integer, integer_constant, integer_form
from cfuzz.places import index, may_hold
from cfuzz.pointers import pointer


def initialiser(c: Context, t: Type, *, static: bool) -> tuple[str, Effects]:
    """An initialiser without side effects; a `static` one is made of constants and addresses of globals."""
    match t:
        case Int() | Float():
            if static:
                return initial_constant(c, t), PURE
            with c.quiet():
                e = convertible(c, t, 1)
            return e.text, e.effects
        case Pointer():
            return initial_address(c, t, static)
        case FunctionPointer():
            options = [f.name for f in c.functions if f.pointer == t and not f.limits]
            return c.pick(["", "&"]) + c.pick(options), PURE
        case Array():
            return initial_array(c, t, static=static)
        case Record():
            return initial_record(c, t, static=static)


def initial_constant(c: Context, t: Scalar) -> str:
    if isinstance(t, Int) and t.kind != "bool" and c.has("floats") and c.chance(0.03):
        return c.pick(["3.7", "100.5f", "0.999"])
    if isinstance(t, Int) and c.chance(0.1):
        return f"{constant(c, t)} {c.pick('+-*|&^')} {constant(c, t)}"
    return constant(c, t).text


def initial_address(c: Context, t: Pointer, static: bool) -> tuple[str, Effects]:
    if t.nullable and c.chance(0.5):
        return c.pick(["0", "(void *)0"]), PURE
    for _ in range(20):
        if static:
            found = static_address(c, t)
            if found is not None:
                return found, PURE
        else:
            e = pointer(c, t, 0)
            if e is not None:
                return e.text, e.effects
    if t.nullable:
        return "0", PURE
    anchors = [v.name for v in c.globals.values() if v.name in c.anchors and v.type == t.target]
    return f"&{c.pick(anchors)}", PURE


def static_address(c: Context, t: Pointer) -> str | None:
    """An address constant: of a global, an element of one, or the start of a global array."""
    visible = {v.name for v in c.visible() if v.depth == 0}
    options = [v for v in c.globals.values() if v.writable and v.name in visible]
    v = c.pick(options) if options else None
    if v is None:
        return None
    if v.type == t.target and t.extent == 1:
        return f"&{v.name}"
    if isinstance(v.type, Array) and v.type.element == t.target and v.type.length >= t.extent:
        at = c.number(0, v.type.length - t.extent)
        return c.pick([f"&{v.name}[{at}]", f"{v.name} + {at}"]) if at else v.name
    return None


def initial_array(c: Context, t: Array, *, static: bool) -> tuple[str, Effects]:
    element, n = t.element, t.length
    if isinstance(element, Int) and element.kind in ("char", "uchar", "schar") and n > 2 and c.chance(0.5):
        word = "".join(c.pick("abcxyz019 _") for _ in range(c.number(0, n - 1)))
        return f'"{word}"', PURE
    whole = has_address(element)

    def item() -> tuple[str, Effects]:
        return initialiser(c, element, static=static)

    if whole or c.chance(0.35):
        items = [item() for _ in range(n)]
    elif c.has("designators") and c.chance(0.5):
        places = sorted(c.rng.sample(range(n), c.number(1, min(n, 3))))
        if c.chance(0.5):
            c.rng.shuffle(places)
        items = []
        for at in places:
            text, effects = item()
            items.append((f"[{at}] = {text}", effects))
        if n > 3 and len(places) == 1 and c.chance(0.3) and isinstance(element, Int | Float):
            items = [(f"[1 ... {n - 2}] = {constant(c, element)}", PURE)]
    else:
        items = [item() for _ in range(c.number(1, n))]
    return "{" + ", ".join(text for text, _ in items) + "}", union(e for _, e in items)


def initial_record(c: Context, r: Record, *, static: bool) -> tuple[str, Effects]:
    if r.union:
        # The first member is the widest, so that every byte of the union is initialised.
        text, effects = initialiser(c, r.fields[0].type, static=static)
        name = r.fields[0].name
        return (f"{{.{name} = {text}}}" if c.has("designators") and c.chance(0.5) else f"{{{text}}}"), effects
    fields = list(r.fields)
    designated = c.has("designators") and c.chance(0.5) and all(f.name for f in fields)
    if designated:
        fields = [f for f in fields if has_address(f.type) or c.chance(0.7)] or fields[:1]
        if c.chance(0.4):
            c.rng.shuffle(fields)
    elif not has_address(r) and c.chance(0.3):
        fields = fields[: c.number(1, len(fields))]
    items = []
    total = PURE
    for f in fields:
        text, effects = initial_bits(c, static) if f.bits is not None else initialiser(c, f.type, static=static)
        items.append(f".{f.name} = {text}" if designated else text)
        total = total | effects
    return "{" + ", ".join(items) + "}", total


def initial_bits(c: Context, static: bool) -> tuple[str, Effects]:
    """An initial value of a bit-field."""
    with c.quiet():
        e = integer_constant(c) if static else integer(c, 1)
    return e.text, e.effects


def compound_literal(c: Context, r: Record, *, constants_only: bool = False) -> Expr:
    text, effects = initialiser(c, r, static=constants_only)
    return Expr(f"(({r.spelling}){text})", r, effects)


@integer_form(2, "compound_literals")
def literal_part(c: Context, depth: int) -> Expr | None:
    """A member or element of a compound literal."""
    records = [r for r in c.records if any(isinstance(f.type, Int) and f.name for f in r.fields)]
    if records and c.chance(0.5) and not any(has_address(r) for r in records):
        r = c.pick(records)
        f = c.pick([f for f in r.fields if isinstance(f.type, Int) and f.name])
        whole = compound_literal(c, r)
        if not r.union:
            return plain(Expr(f"{whole}.{f.name}", f.type, whole.effects, f.bits))
    if not c.has("arrays"):
        return None
    t = c.integer_type()
    with c.quiet():
        elements = [convertible(c, t, 1) for _ in range(c.number(1, 4))]
    at, reads = index(c, len(elements))
    total = union([e.effects for e in elements]) | Effects(reads)
    return Expr(f"(({t.spelling}[]){{{', '.join(map(str, elements))}}})[{at}]", t, total)


def has_address(t: Type) -> bool:
    return may_hold(t, lambda u: isinstance(u, Pointer | FunctionPointer))
