"""Random expressions of every type. Each form of expression is one function with a weight and the feature it needs.

Every division, shift, conversion and access is guarded where it is written, so an expression is defined for all inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cfuzz.context import Context
from cfuzz.ctype import (
    DOUBLE,
    INT,
    KINDS,
    LONG,
    UINT,
    ULLONG,
    Float,
    Int,
    Scalar,
    common,
    common_float,
    float_literal,
    integer_literal,
    promoted,
)
from cfuzz.effects import INPUT, Effects, Expr, Place, cast, overlap, plain, union
from cfuzz.places import choose, is_float, is_integer, is_scalar, writable

ASK = Effects(frozenset({INPUT}), frozenset({INPUT}))

Make = Callable[[Context, int], Expr | None]


@dataclass(frozen=True, slots=True)
class Form:
    weight: float
    needs: str
    make: Make


INTEGER_FORMS: list[Form] = []
FLOAT_FORMS: list[Form] = []
EFFECTS: list[Make] = []  # expressions worth evaluating for their side effect


def register(forms: list[Form], form: Form) -> None:
    """Add a form; the order is by name, since seeds must mean the same whichever module was imported first."""
    forms.append(form)
    forms.sort(key=lambda f: f.make.__name__)


def integer_form(weight: float, needs: str = "") -> Callable[[Make], Make]:
    def registered(make: Make) -> Make:
        register(INTEGER_FORMS, Form(weight, needs, make))
        return make

    return registered


def float_form(weight: float, needs: str = "") -> Callable[[Make], Make]:
    def registered(make: Make) -> Make:
        register(FLOAT_FORMS, Form(weight, needs, make))
        return make

    return registered


def compound(c: Context, forms: list[Form], depth: int) -> Expr | None:
    """An expression of a random form, if a few tries find one that is possible here."""
    possible = [f for f in forms if c.has(f.needs)]
    for _ in range(3):
        form = c.rng.choices(possible, [f.weight for f in possible])[0]
        made = form.make(c, depth)
        if made is not None and not (c.calm and made.effects.writes):
            return made
    return None


# entry points


def integer(c: Context, depth: int = 2) -> Expr:
    """Any expression of integer type."""
    if depth <= 0 or c.chance(0.12):
        return integer_leaf(c)
    return compound(c, INTEGER_FORMS, depth - 1) or integer_leaf(c)


def floating(c: Context, depth: int = 2) -> Expr:
    """Any expression of floating type."""
    if depth <= 0 or c.chance(0.15):
        return float_leaf(c)
    return compound(c, FLOAT_FORMS, depth - 1) or float_leaf(c)


def number(c: Context, depth: int = 2) -> Expr:
    """Any arithmetic expression."""
    return floating(c, depth) if c.has("floats") and c.chance(0.2) else integer(c, depth)


def convertible(c: Context, t: Scalar, depth: int = 2) -> Expr:
    """An expression that C converts to `t` by assignment, in range."""
    if isinstance(t, Float):
        return number(c, depth) if c.chance(0.3) else floating(c, depth)
    if c.has("floats") and c.chance(0.06):
        return ranged(c, t) or integer(c, depth)
    return integer(c, depth)


def integer_for(c: Context, t: Scalar, depth: int = 2) -> Expr:
    """An expression for a bit-field, whose range no guard here knows: never a floating one."""
    return integer(c, depth)


def condition(c: Context, depth: int = 2) -> Expr:
    """An expression to branch on."""
    roll = c.rng.random()
    made = None
    if roll < 0.45:
        made = comparison(c, depth - 1)
    elif roll < 0.6 and c.has("short_circuit"):
        made = logical(c, depth - 1)
    if made is None or (c.calm and made.effects.writes):
        made = number(c, depth)
    return made


def constant(c: Context, t: Scalar) -> Expr:
    """A literal; one of a type narrower than int is an int, as C has it."""
    if isinstance(t, Float):
        return Expr(float_literal(c.rng, t), t)
    return Expr(integer_literal(c.rng, t), promoted(t))


def scalar_constant(c: Context) -> Expr:
    return constant(c, c.scalar_type())


def integer_constant(c: Context) -> Expr:
    return constant(c, c.integer_type())


def integer_leaf(c: Context) -> Expr:
    if c.enums and c.chance(0.04):
        return Expr(c.pick(c.pick(c.enums).members)[0], INT)
    if c.chance(0.75):
        place = choose(c, is_integer)
        if place is not None:
            return place.value()
    return integer_constant(c)


def float_leaf(c: Context) -> Expr:
    if c.chance(0.75):
        place = choose(c, is_float)
        if place is not None:
            return place.value()
    t = c.float_type()
    return constant(c, t)


def beside_integer(c: Context, left: Expr, depth: int) -> Expr:
    """An integer operand to stand unsequenced beside `left`."""
    return c.beside(left.effects, lambda: integer(c, depth), lambda: integer_constant(c))


def beside_number(c: Context, left: Expr, depth: int) -> Expr:
    return c.beside(left.effects, lambda: number(c, depth), lambda: scalar_constant(c))


def int_type(e: Expr) -> Int:
    """The promoted type of an integer expression."""
    assert isinstance(e.type, Int)
    return promoted(e.type, e.bits)


def sequenced(first: Effects, then: Effects) -> Effects:
    """`first` is complete before `then` begins."""
    return Effects(first.reads | then.reads, first.writes | then.writes, then.settled)


# arithmetic


@integer_form(26)
def arithmetic(c: Context, depth: int) -> Expr:
    a = integer(c, depth)
    b = beside_integer(c, a, depth)
    op = c.pick(["+", "-", "*", "&", "|", "^", "+", "-"])
    return Expr(f"({a} {op} {b})", common(int_type(a), int_type(b)), a.effects | b.effects)


@integer_form(8)
def unary(c: Context, depth: int) -> Expr:
    op = c.pick("-~!+")
    a = number(c, depth) if op == "!" else integer(c, depth)
    return Expr(f"({op} {a})", INT if op == "!" else int_type(a), a.effects)


@integer_form(9, "casts")
def conversion(c: Context, depth: int) -> Expr:
    return cast(c.integer_type(), integer(c, depth))


@integer_form(7, "shifts")
def shift(c: Context, depth: int) -> Expr:
    a = integer(c, depth)
    t = int_type(a)
    amount = shift_amount(c, t, a, depth)
    return Expr(f"({a} {c.pick(['<<', '>>'])} {amount})", t, a.effects | amount.effects)


def shift_amount(c: Context, t: Int, left: Expr, depth: int) -> Expr:
    """An amount in range for the promoted left operand in every data model."""
    mask = max(t.bits, 32) - 1
    if c.chance(0.4):
        return Expr(str(c.number(0, mask)), INT)
    b = beside_integer(c, left, depth)
    return Expr(f"({b} & {c.pick([mask, mask, 7, 15])})", b.type, b.effects)


@integer_form(7, "division")
def division(c: Context, depth: int) -> Expr:
    a = integer(c, depth)
    op = c.pick("/%")
    if c.chance(0.4):
        with c.quiet():
            b = beside_integer(c, a, 0)
        if a.effects.pure:  # both are evaluated more than once
            guard = f"{b} != 0 && {b} != -1" if int_type(b).signed else f"{b} != 0"
            text = f"({guard} ? {a} {op} {b} : {a})"
            return Expr(text, common(int_type(a), int_type(b)), a.effects | b.effects)
    b = divisor(c, a, depth)
    return Expr(f"({a} {op} {b})", common(int_type(a), int_type(b)), a.effects | b.effects)


def divisor(c: Context, left: Expr, depth: int) -> Expr:
    """A value that is neither 0 nor -1, in whatever type the division is done."""
    roll = c.rng.random()
    if roll < 0.4:
        return Expr(str(c.pick([2, 3, 4, 5, 7, 10, 16, 100, 255, 65536])), INT)
    if roll < 0.5:
        return Expr(f"({-c.number(2, 40)})", INT)
    b = beside_integer(c, left, depth)
    if roll < 0.7:
        return Expr(f"(({b} & {c.pick([7, 15, 31])}) + {c.number(1, 3)})", int_type(b), b.effects)
    if roll < 0.8:
        # Unsigned arithmetic stays far from 2^n - 1 too: the smallest divisor is -17.
        return Expr(f"((int)({b} & 15) - 17)", INT, b.effects)
    return Expr(f"((unsigned)({b}) | 1u)", UINT, b.effects)


@integer_form(10)
def comparison(c: Context, depth: int) -> Expr:
    a = number(c, depth)
    b = beside_number(c, a, depth)
    op = c.pick(["<", ">", "<=", ">=", "==", "!="])
    return Expr(f"({a} {op} {b})", INT, a.effects | b.effects)


@integer_form(6, "short_circuit")
def logical(c: Context, depth: int) -> Expr:
    a = condition(c, depth)
    b = condition(c, depth)
    return Expr(f"({a} {c.pick(['&&', '||'])} {b})", INT, sequenced(a.effects, b.effects))


@integer_form(6, "ternary")
def ternary(c: Context, depth: int) -> Expr:
    test = condition(c, depth)
    a, b = integer(c, depth), integer(c, depth)
    if c.chance(0.08) and test.effects.pure and isinstance(test.type, Int):
        test = plain(test)
        return Expr(f"({test} ?: {b})", common(int_type(test), int_type(b)), sequenced(test.effects, b.effects))
    both = a.effects | b.effects
    return Expr(f"({test} ? {a} : {b})", common(int_type(a), int_type(b)), sequenced(test.effects, both))


@integer_form(2, "comma")
def comma(c: Context, depth: int) -> Expr:
    a = effect(c, depth) or integer(c, depth)
    b = plain(integer(c, depth))
    return Expr(f"({a}, {b})", b.type, sequenced(a.effects, b.effects))


# side effects


def effect(c: Context, depth: int) -> Expr | None:
    """An expression worth evaluating for its side effect."""
    return None if c.calm else c.pick(EFFECTS)(c, depth)


@integer_form(3, "assignment_values")
def assignment_value(c: Context, depth: int) -> Expr | None:
    return None if c.calm else value_of(assignment(c, depth))


@integer_form(5, "increments")
def step_value(c: Context, depth: int) -> Expr | None:
    return None if c.calm else value_of(step(c, depth))


def value_of(e: Expr | None) -> Expr | None:
    """The assignment's value as an integer operand; one of a bit-field gets a type all compilers agree on."""
    if e is None or not isinstance(e.type, Int):
        return None
    return plain(e)


def step(c: Context, depth: int) -> Expr | None:
    """++ or --, before or after."""
    place = writable(c, is_scalar)
    if place is None or not c.has("increments"):
        return None
    op = c.pick(["++", "--"])
    text = f"({op}{place.text})" if c.chance(0.4) else f"({place.text}{op})"
    written = Effects(place.reads | {place.root}, frozenset({place.root}), settled=False)
    return Expr(text, place.type, written, place.bits)


def assignment(c: Context, depth: int) -> Expr | None:
    """An assignment, simple or compound, to any scalar place."""
    place = writable(c, is_scalar)
    if place is None:
        return None
    if c.has("compound_assignment") and c.chance(0.5):
        return compound_assignment(c, place, depth)
    assert isinstance(place.type, Int | Float)
    scalar = place.type
    make = convertible if place.bits is None else integer_for
    e = make(c, scalar, depth)
    if clobbers(e, place):
        with c.quiet():
            e = make(c, scalar, depth)
    written = Effects(place.reads | e.effects.reads, e.effects.writes | {place.root}, settled=False)
    return Expr(f"({place.text} = {e})", scalar, written, place.bits)


def clobbers(e: Expr, place: Place) -> bool:
    """Whether evaluating `e` could move the place, or write it at the same time as an assignment of `e` to it."""
    writes = e.effects.writes
    return overlap(place.reads, writes) or (not e.effects.settled and overlap(frozenset({place.root}), writes))


def compound_assignment(c: Context, place: Place, depth: int) -> Expr:
    left = place.value()
    if isinstance(place.type, Float):
        op = c.pick("+-*/")
        e = beside_number(c, left, depth)
    elif c.has("floats") and c.chance(0.05) and place.bits is None:
        op, e = c.pick([("*", Expr("0.5", DOUBLE)), ("/", Expr("2.0", DOUBLE)), ("*", Expr("0.25f", DOUBLE))])
    else:
        ops = ["+", "-", "*", "&", "|", "^", "+", "-", "^"]
        ops += ["<<", ">>"] if c.has("shifts") else []
        ops += ["/", "%"] if c.has("division") else []
        op = c.pick(ops)
        if op in "/%":
            e = divisor(c, left, depth)
            if place.bits is not None and place.bits > INT.bits:
                # gcc divides in the width of the bit-field, clang in that of its declared type.
                e = Expr(f"(unsigned long long)({e})", ULLONG, e.effects)
        elif op in ("<<", ">>"):
            # A narrow bit-field promotes to int whatever its declared type; a wide one keeps its own width.
            e = shift_amount(c, INT if place.bits is not None else int_type(left), left, depth)
        else:
            e = beside_integer(c, left, depth)
    written = Effects(left.effects.reads | e.effects.reads, e.effects.writes | {place.root}, settled=False)
    return Expr(f"({place.text} {op}= {e})", place.type, written, place.bits)


@integer_form(3, "nondet")
def input_value(c: Context, depth: int) -> Expr | None:
    if c.calm:
        return None
    t = c.type_where(lambda t: KINDS[t.kind].nondet is not None)
    t = Int(t.kind, KINDS[t.kind].spellings[0])
    return Expr(f"__VERIFIER_nondet_{KINDS[t.kind].nondet}()", t, ASK)


@integer_form(2, "statement_expressions")
def statement_expression(c: Context, depth: int) -> Expr | None:
    if c.calm:
        return None
    t = c.integer_type()
    first = convertible(c, t, depth)
    name = c.fresh("t")
    with c.scope():
        c.add_local(t, name, addressable=False)
        declared = f"{t.spelling} {name} = {first};"
        if c.has("typeof") and isinstance(first.type, Int) and first.bits is None and c.chance(0.3):
            c.add_local(int_type(first), name, addressable=False)
            declared = f"__typeof__(+{first}) {name} = {first};"
        middle = assignment(c, depth)
        test = condition(c, 1)
        last = plain(integer(c, depth))
    effects = [e.effects for e in (first, test, last)]
    body = declared
    if middle is not None:
        body += f" if ({test}) {middle};" if c.chance(0.3) else f" {middle};"
        effects.append(middle.effects)
    total = union(effects)
    return Expr(f"({{ {body} {last}; }})", last.type, Effects(total.reads, total.writes, last.effects.settled))


@integer_form(3, "builtins")
def builtin(c: Context, depth: int) -> Expr:
    e = integer(c, depth)
    name, t, shape = c.pick(
        [
            ("expect", LONG, "{}, " + c.pick("01")),
            ("bswap32", UINT, "{}"),
            ("bswap16", Int("ushort", "unsigned short"), "{}"),
            ("bswap64", ULLONG, "{}"),
            ("popcount", INT, "{}"),
            ("popcountll", INT, "{}"),
            ("clz", INT, "(unsigned){} | 1u"),
            ("clzll", INT, "(unsigned long long){} | 1ull"),
            ("ctz", INT, "(unsigned){} | 0x80000000u"),
            ("ctzll", INT, "(unsigned long long){} | 256ull"),
        ]
    )
    return Expr(f"__builtin_{name}({shape.format(e.text)})", t, e.effects)


EFFECTS += [assignment, step]


# floating point


@float_form(24)
def float_arithmetic(c: Context, depth: int) -> Expr:
    a = floating(c, depth)
    b = beside_number(c, a, depth)
    if c.chance(0.2):
        a, b = b, a
    assert isinstance(a.type, Int | Float) and isinstance(b.type, Int | Float)
    return Expr(f"({a} {c.pick('+-*/')} {b})", common_float(a.type, b.type), a.effects | b.effects)


@float_form(5)
def float_negation(c: Context, depth: int) -> Expr:
    a = floating(c, depth)
    return Expr(f"(- {a})", a.type, a.effects)


@float_form(8, "casts")
def float_conversion(c: Context, depth: int) -> Expr:
    t = c.float_type()
    return cast(t, number(c, depth))


@float_form(5, "ternary")
def float_choice(c: Context, depth: int) -> Expr:
    test, a, b = condition(c, depth), floating(c, depth), floating(c, depth)
    assert isinstance(a.type, Float) and isinstance(b.type, Float)
    return Expr(f"({test} ? {a} : {b})", common_float(a.type, b.type), sequenced(test.effects, a.effects | b.effects))


@float_form(2, "nondet")
def float_input(c: Context, depth: int) -> Expr | None:
    if c.calm:
        return None
    t = c.pick([Float("float"), DOUBLE])
    return Expr(f"__VERIFIER_nondet_{t.spelling}()", t, ASK)


@integer_form(3, "floats")
def from_float(c: Context, depth: int) -> Expr | None:
    """A floating value converted to an integer type, in range."""
    if c.chance(0.5):
        e = floating(c, depth)
        return Expr(f"float_to_int({e})", INT, e.effects)
    t = c.integer_type()
    value = ranged(c, t)
    return None if value is None else cast(t, value)


RANGES = {"char": 127, "schar": 127, "uchar": 255, "short": 32767, "ushort": 65535, "uint": 4294960000}


def ranged(c: Context, t: Int) -> Expr | None:
    """A floating value in the range of `t` (not a NaN); reading it twice must be harmless, so it is a mere place."""
    place = choose(c, is_float)
    if place is None:
        return None
    if t.kind == "bool":
        return place.value()
    top = RANGES.get(t.kind, 2147483000)
    low = f"-{top}.0" if t.signed else "-0.5"
    text = f"({place.text} > {low} && {place.text} < {top}.0 ? {place.text} : 0)"
    return Expr(text, place.type, place.value().effects)
