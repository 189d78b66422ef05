"""Control statements: branches, switches, loops and jumps, each with a bound on the work it repeats."""

from __future__ import annotations

from cfuzz.calls import record
from cfuzz.context import Context
from cfuzz.ctype import (
    CHAR,
    INT,
    LONG,
    UCHAR,
    UINT,
    ULONG,
    Float,
    Int,
    Record,
)
from cfuzz.effects import Expr
from cfuzz.expressions import assignment, condition, convertible, effect, integer, step
from cfuzz.initialisers import initialiser
from cfuzz.statements import bare, body, pattern, statement

MAXIMAL_REPETITIONS = 60


# branches


@pattern(12)
def branch(c: Context, depth: int) -> bool:
    if depth <= 0:
        return False
    test = condition(c, 2)
    if c.has("builtins") and c.chance(0.06):
        test = Expr(f"__builtin_expect(!!({test}), {c.pick('01')})", LONG)
    if c.chance(0.15):
        e = assignment(c, 1)
        if e is not None:
            c.emit(f"if ({bare(test)})")
            c.frame.indent += 1
            c.emit(f"{bare(e)};")
            c.frame.indent -= 1
            return True
    with c.block(f"if ({bare(test)})"):
        body(c, depth)
    roll = c.rng.random()
    if roll < 0.15:
        with c.block(f"else if ({bare(condition(c, 1))})"):
            body(c, depth)
    if roll < 0.45:
        with c.block("else"):
            body(c, depth)
    return True


@pattern(3)
def leave_early(c: Context, depth: int) -> bool:
    """return, break or continue under a condition."""
    ways = ["break"] if c.frame.loops else []
    ways += ["continue"] if "loop" in c.frame.loops else []
    ways += ["return"] if not c.frame.main else []
    if not ways:
        return False
    way = c.pick(ways)
    test = bare(condition(c, 1))
    if way == "return":
        c.emit(f"if ({test}) {returned(c)}")
    else:
        c.emit(f"if ({test}) {way};")
    return True


def returned(c: Context) -> str:
    """A return statement for the function being written."""
    t = c.frame.result
    match t:
        case None:
            return "return;"
        case Int() | Float():
            return f"return {bare(convertible(c, t, 2))};"
        case Record():
            return f"return {record(c, t, 1)};"
        case _:
            return f"return {initialiser(c, t, static=False)[0]};"


@pattern(7, "switch")
def switch(c: Context, depth: int) -> bool:
    """A switch with fall-through, case ranges, and a default anywhere; perhaps with continue for a loop around it."""
    if depth <= 0:
        return False
    e = integer(c, 2)
    shape = c.pick(["{}", "{} & 7", "({}) & 3", "(unsigned){} % 6u"] if c.has("division") else ["{}", "{} & 7"])
    values = switch_cases(c)
    default = c.number(-1, len(values))
    with c.block(f"switch ({shape.format(e.text)})"):
        c.frame.loops.append("switch")
        for at, value in enumerate([*values, None]):
            if at == default:
                case_body(c, "default:", depth)
            if value is not None:
                case_body(c, f"case {value}:", depth)
        c.frame.loops.pop()
    return True


def switch_cases(c: Context) -> list[str]:
    """Distinct case labels; only non-negative ranges, so that they mean the same for unsigned values."""
    values = []
    at = 0
    for _ in range(c.number(1, 4)):
        at += c.number(0, 2)
        if c.has("case_ranges") and c.chance(0.2):
            values.append(f"{at} ... {at + 2}")
            at += 3
        else:
            values.append(c.pick([str(at), f"{at}u", f"{at}L"]))
            at += 1
    if c.chance(0.2):
        values.append("-1")
    c.rng.shuffle(values)
    return values


def case_body(c: Context, label: str, depth: int) -> None:
    if c.chance(0.15):
        c.emit(f"{label} ;")
        return
    with c.block(label):
        body(c, depth)
        if "loop" in c.frame.loops and c.chance(0.1):
            c.emit("continue;")
        elif c.chance(0.65):
            c.emit("break;")


# loops


def loop_trips(c: Context) -> int | None:
    """How often a loop here may run, or None if the work would be too much."""
    trips = c.pick([2, 3, 3, 4, 5, 6, 8])
    if c.frame.repetitions * trips > MAXIMAL_REPETITIONS or not c.affords(trips * 6):
        return None
    return trips


COUNTERS = (INT, INT, UINT, Int("short", "short"), CHAR, UCHAR, LONG, ULONG)


@pattern(9, "loops")
def counted_loop(c: Context, depth: int) -> bool:
    """A for loop over a counter that its body cannot change."""
    trips = loop_trips(c)
    if depth <= 0 or trips is None:
        return False
    t = c.pick(COUNTERS) if c.has("mixed_integers") else INT
    name = c.fresh("i")
    heads = [
        ("0", f"{name} < {trips}", c.pick([f"{name}++", f"++{name}", f"{name} += 1"])),
        ("0", f"{name} <= {trips - 1}", f"{name}++"),
        ("0", f"{name} < {2 * trips - 1}", f"{name} += 2"),
        (str(trips), f"{name}-- > 0", ""),
    ]
    if t.signed:
        heads.append((str(trips - 1), f"{name} >= 0", f"{name}--"))
    first, test, then = c.pick(heads)
    bound = 2 * trips - 1 if "+= 2" in then else trips
    with c.scope(), c.repeated(trips):
        c.add_local(t, name, addressable=False, writable=False, bound=bound)
        if c.chance(0.1) and c.has("short_circuit"):
            test += (
                f" && {condition(c, 1)}"  # after the bound's test, since the condition may use the counter as an index
            )
        loop_body(c, f"for ({t.spelling} {name} = {first}; {test}; {then})", depth)
    return True


@pattern(3, "loops")
def busy_loop(c: Context, depth: int) -> bool:
    """A for loop with two variables and side effects in its head."""
    trips = loop_trips(c)
    if depth <= 0 or trips is None or not c.has("comma"):
        return False
    i, j = c.fresh("i"), c.fresh("j")
    with c.scope(), c.repeated(trips):
        c.add_local(INT, i, addressable=False, writable=False, bound=trips)
        c.add_local(INT, j, addressable=False, writable=False)
        side = effect(c, 1) or step(c, 0)
        extra = f"{bare(side)}, " if side is not None else ""
        test = bare(condition(c, 1))
        head = f"int {i} = 0, {j} = {trips * 2}; {i} < {j} && {i} < {trips} && ({test}); {extra}{i}++, {j}--"
        loop_body(c, f"for ({head})", depth)
    return True


@pattern(4, "loops")
def conditional_loop(c: Context, depth: int) -> bool:
    """A while or do-while loop on any condition, with fuel."""
    trips = loop_trips(c)
    if depth <= 0 or trips is None:
        return False
    fuel = c.fresh("fuel")
    c.emit(f"int {fuel} = {trips};")
    c.add_local(INT, fuel, addressable=False, writable=False)
    with c.repeated(trips + 1):
        test = condition(c, 2)
        if c.chance(0.5):
            loop_body(
                c, c.pick([f"while ({fuel}-- > 0 && ({bare(test)}))", f"while (({bare(test)}) && {fuel}-- > 0)"]), depth
            )
        else:
            loop_body(c, "do", depth, f"while (({bare(test)}) && --{fuel} > 0);")
    return True


def loop_body(c: Context, head: str, depth: int, tail: str = "") -> None:
    c.frame.loops.append("loop")
    with c.block(head, tail):
        body(c, depth)
    c.frame.loops.pop()


# jumps


@pattern(2, "goto")
def jump_forward(c: Context, depth: int) -> bool:
    """Skip a block, or leave two loops at once."""
    if depth <= 0:
        return False
    label = c.fresh("skip")
    c.emit(f"if ({bare(condition(c, 2))}) goto {label};")
    with c.block():
        body(c, depth)
        if c.chance(0.4):
            c.emit(f"if ({bare(condition(c, 1))}) goto {label};")
            statement(c, depth - 1)
    c.label(label)
    return True


@pattern(2, "goto")
def jump_out(c: Context, depth: int) -> bool:
    trips = loop_trips(c)
    if depth <= 1 or trips is None or c.frame.repetitions * trips * 2 > MAXIMAL_REPETITIONS or not c.has("loops"):
        return False
    label = c.fresh("out")
    i, j = c.fresh("i"), c.fresh("j")
    with c.repeated(trips * 2), c.block(f"for (int {i} = 0; {i} < {trips}; {i}++)"):
        c.add_local(INT, i, addressable=False, writable=False, bound=trips)
        with c.block(f"for (int {j} = 0; {j} < 2; {j}++)"):
            c.add_local(INT, j, addressable=False, writable=False, bound=2)
            statement(c, 0)
            c.emit(f"if ({bare(condition(c, 1))}) goto {label};")
            statement(c, 0)
    c.label(label)
    return True


@pattern(2, "goto")
def jump_back(c: Context, depth: int) -> bool:
    """A loop made of a label, a counter and a goto."""
    trips = loop_trips(c)
    if depth <= 0 or trips is None:
        return False
    label, count = c.fresh("again"), c.fresh("n")
    c.emit(f"int {count} = 0;")
    c.add_local(INT, count, addressable=False, writable=False)
    c.label(label)
    with c.repeated(trips):
        with c.block():
            body(c, depth)
        test = bare(condition(c, 1))
    c.emit(f"if (++{count} < {trips} && ({test})) goto {label};")
    return True


@pattern(1, "switch")
def interleaved_switch(c: Context, depth: int) -> bool:
    """Case labels inside a loop, after Duff."""
    trips = loop_trips(c)
    if trips is None or not c.has("loops"):
        return False
    fuel = c.fresh("fuel")
    c.emit(f"int {fuel} = {min(trips, 3)};")
    c.add_local(INT, fuel, addressable=False, writable=False)
    with c.repeated(min(trips, 3)):
        c.spend(4)
        steps = [bare(e) for _ in range(4) if (e := assignment(c, 1)) is not None]
    c.emit(f"switch ({integer(c, 1)} & 3) {{")
    for at, text in enumerate(steps):
        c.emit(f"case {(4 - at) % 4}:{' do {' if at == 0 else ''} {text};")
    c.emit(f"    }} while (--{fuel} > 0);" if steps else "default: ;")
    c.emit("}")
    return True
