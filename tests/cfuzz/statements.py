"""Random statements: declarations, assignments and every control construct, each with bounded work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cfuzz.calls import call, callable_here, dispatch, indirect_call, invoke, record
from cfuzz.context import Context
from cfuzz.ctype import (
    Array,
    Float,
    FunctionPointer,
    Int,
    Pointer,
    Record,
    Type,
    scalars,
)
from cfuzz.effects import Expr
from cfuzz.expressions import assignment, clobbers, convertible, effect, integer, step
from cfuzz.initialisers import initialiser
from cfuzz.places import choose, is_scalar, writable
from cfuzz.pointers import pointer

Write = Callable[[Context, int], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A statement pattern; it writes itself and says whether it could."""

    weight: float
    needs: str
    write: Write


PATTERNS: list[Pattern] = []


def pattern(weight: float, needs: str = "") -> Callable[[Write], Write]:
    def register(write: Write) -> Write:
        PATTERNS.append(Pattern(weight, needs, write))
        PATTERNS.sort(key=lambda p: p.write.__name__)  # seeds must mean the same whichever module was imported first
        return write

    return register


def statement(c: Context, depth: int) -> None:
    """One statement (or a declaration); nesting ends when depth or the budget is used up."""
    c.spend(1)
    possible = [p for p in PATTERNS if c.has(p.needs)]
    for _ in range(4):
        chosen = c.rng.choices(possible, [p.weight for p in possible])[0]
        if chosen.write(c, depth):
            return
    assign(c, depth)


def statements(c: Context, depth: int, count: int) -> None:
    for _ in range(count):
        if not c.affords(2):
            return
        statement(c, depth)


def body(c: Context, depth: int) -> None:
    """The inside of a compound statement."""
    statements(c, depth - 1, c.number(1, 3))


def bare(e: Expr) -> str:
    """The expression as a statement, without its outer parentheses where they enclose all of it."""
    text = e.text
    level = 0
    for at, char in enumerate(text):
        level += (char == "(") - (char == ")")
        if level == 0 and at < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") and not text.startswith("({") else text


def mix(c: Context, e: str) -> None:
    """Fold a value into the checksum where it arises, so that an early mistake is not forgotten."""
    c.spend(2)
    c.emit(f"mix((unsigned long long)({e}));")


# simple statements


@pattern(22)
def assign(c: Context, depth: int) -> bool:
    e = assignment(c, 2)
    if e is None:
        return False
    c.emit(f"{bare(e)};")
    return True


@pattern(6, "increments")
def increment(c: Context, depth: int) -> bool:
    e = step(c, 0)
    if e is None:
        return False
    c.emit(f"{bare(e)};")
    return True


@pattern(2, "comma")
def sequence(c: Context, depth: int) -> bool:
    parts = [e for _ in range(c.number(2, 3)) if (e := effect(c, 1)) is not None]
    if not parts:
        return False
    c.emit(f"{', '.join(bare(e) for e in parts)};")
    return True


@pattern(6)
def checkpoint(c: Context, depth: int) -> bool:
    mix(c, integer(c, 2).text)
    return True


@pattern(9, "functions")
def call_statement(c: Context, depth: int) -> bool:
    options = callable_here(c, lambda t: t is None or isinstance(t, Int | Float | Record))
    if not options:
        return False
    f = c.pick(options)
    if isinstance(f.result, Int) and c.chance(0.6):
        mix(c, invoke(c, f, 2).text)
    else:
        c.emit(f"{invoke(c, f, 2)};")
    return True


@pattern(5, "function_pointers")
def pointer_call_statement(c: Context, depth: int) -> bool:
    e = c.pick([dispatch, indirect_call, indirect_call, call])(c, 1)
    if e is None:
        return False
    mix(c, e.text)
    return True


@pattern(4, "function_pointers")
def retarget_function(c: Context, depth: int) -> bool:
    place = writable(c, lambda t: isinstance(t, FunctionPointer))
    if place is None:
        return False
    options = [f.name for f in c.functions if f.pointer == place.type and not f.limits]
    if not options:
        return False
    c.emit(f"{place.text} = {c.pick(['', '&'])}{c.pick(options)};")
    return True


@pattern(5, "struct_values")
def copy_record(c: Context, depth: int) -> bool:
    place = writable(c, lambda t: isinstance(t, Record))
    if place is None:
        return False
    assert isinstance(place.type, Record)
    e = record(c, place.type, 1)
    if clobbers(e, place):
        return False
    c.emit(f"{place.text} = {e};")
    return True


@pattern(5, "pointers")
def retarget(c: Context, depth: int) -> bool:
    """Let a pointer point elsewhere."""
    place = writable(c, lambda t: isinstance(t, Pointer))
    if place is None:
        return False
    assert isinstance(place.type, Pointer)
    e = pointer(c, place.type, place.accepts)
    if e is None:
        return False
    c.emit(f"{place.text} = {e};")
    return True


# declarations


@pattern(14)
def declaration(c: Context, depth: int) -> bool:
    """A local variable of any type, initialised."""
    t = local_type(c)
    if scalars(t) > 12:
        return False
    name = local_name(c)
    c.hide(name)
    const = c.has("qualifiers") and c.chance(0.06) and isinstance(t, Int | Float)
    static = c.has("static_locals") and c.chance(0.07)
    volatile = c.has("qualifiers") and c.chance(0.04) and isinstance(t, Int | Float)
    if isinstance(t, Pointer):
        e = pointer(c, t, c.depth)
        if e is None:
            del c.frame.scopes[-1][name]
            return False
        text = e.text
        static = False
    elif isinstance(t, Int | Float) and not static:
        text = convertible(c, t, 2).text
    elif static:
        text = initialiser(c, t, static=True)[0]
    else:
        text = initialiser(c, t, static=False)[0]
    prefix = ("static " if static else "") + ("const " if const else "") + ("volatile " if volatile else "")
    if isinstance(t, Int) and not prefix and c.chance(0.08):
        c.declare_local(t, name)
        c.emit(f"{name} = {text};")
    else:
        c.declare_local(t, name, text, prefix)
    free = isinstance(t, Int | Float) and not static and c.chance(0.6)
    var = c.add_local(t, name, addressable=not free, writable=not const)
    # A static local outlives its block, and what a pointer in it points to must as well.
    c.frame.scopes[-1][name] = replace(var, depth=0 if static else var.depth, volatile=volatile)
    return True


def local_type(c: Context) -> Type:
    roll = c.rng.random()
    if roll < 0.5:
        return c.scalar_type()
    if roll < 0.68 and c.has("pointers"):
        return pointer_type(c)
    if roll < 0.85 and c.has("arrays"):
        return array_type(c, c.scalar_type())
    if c.records:
        return c.pick(c.records)
    return c.integer_type()


def array_type(c: Context, element: Type) -> Array:
    roll = c.rng.random()
    if roll < 0.7 or not c.has("multidimensional"):
        return Array(element, c.number(1, 8))
    if roll < 0.93:
        return Array(Array(element, c.number(1, 4)), c.number(1, 3))
    return Array(Array(Array(element, 2), c.number(1, 2)), 2)


def pointer_type(c: Context) -> Pointer:
    """The type of a pointer to something that is in scope."""
    const = c.has("qualifiers") and c.chance(0.2)
    source = choose(c, lambda t: True, lambda p: p.addressable)
    if source is None:
        return Pointer(c.integer_type())
    t = source.type
    if isinstance(t, Array) and c.chance(0.7):
        return Pointer(t.element, c.number(1, t.length), const)
    if isinstance(t, Pointer):
        return Pointer(t) if c.has("pointer_to_pointer") and not t.constant else t
    if isinstance(t, FunctionPointer):
        return Pointer(c.integer_type())
    return Pointer(t, 1, const and not isinstance(t, Array))


def local_name(c: Context) -> str:
    """A fresh name, or one that shadows an outer variable."""
    if c.has("shadowing") and c.chance(0.15) and c.depth > 2:
        here = c.frame.scopes[-1]
        outer = [v.name for v in c.visible() if v.name not in here and v.name not in c.anchors and v.bound is None]
        if outer:
            return c.pick(outer)
    return c.fresh("v")


# scopes


@pattern(3)
def nested_block(c: Context, depth: int) -> bool:
    if depth <= 0:
        return False
    with c.block():
        declaration(c, depth)
        body(c, depth)
    return True


@pattern(1.5, "typeof")
def typed_like(c: Context, depth: int) -> bool:
    """A variable declared with the type of another."""
    place = choose(c, is_scalar, lambda p: p.bits is None and p.writable)
    if place is None:
        return False
    assert isinstance(place.type, Int | Float)
    name = c.fresh("v")
    c.emit(f"{c.pick(['__typeof__', 'typeof'])}({place.text}) {name} = {convertible(c, place.type, 2)};")
    c.add_local(place.type, name, addressable=c.chance(0.5))
    return True


@pattern(0.7, "static_assert")
def static_assertion(c: Context, depth: int) -> bool:
    facts = [
        "sizeof(int) == 4",
        "sizeof(long) == sizeof(void *)",
        "(char)-1 < 0",
        "sizeof(char[3][5]) == 15",
        "(unsigned char)300 == 44",
        "-1 > 0u",
    ]
    c.emit(f'_Static_assert({c.pick(facts)}, "layout");')
    return True


@pattern(0.7, "exits")
def leave_program(c: Context, depth: int) -> bool:
    """Rarely taken: the end of the program instead of a checksum."""
    value = integer(c, 1)
    code = c.number(1, 9)
    way = f"return {code};" if c.frame.main and c.chance(0.5) else f"exit({code});"
    c.emit(f"if ({value} == {c.number(40, 10000)}) {way}")
    return True


def settle(c: Context) -> None:
    """Before a function ends: what its locals have become counts."""
    locals_ = [v for v in c.visible() if v.depth > 0 and isinstance(v.type, Int)]
    for v in c.rng.sample(locals_, min(len(locals_), 2)):
        mix(c, v.name)
