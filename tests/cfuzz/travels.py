"""Pointers that travel as bytes, words and members of unions, and come back as what they were."""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.ctype import Float, Int, Pointer, Record, spelled
from cfuzz.idioms import own_block_work
from cfuzz.places import choose
from cfuzz.statements import mix, pattern

WORD = "__UINTPTR_TYPE__"


@pattern(2.5, "pointer_travels")
def pointer_trip(c: Context, depth: int) -> bool:
    place = choose(
        c, lambda t: isinstance(t, Int | Float | Record), lambda p: p.addressable and p.writable and p.bits is None
    )
    if place is None or place.bits is not None or not c.affords(60):
        return False
    c.spend(30)
    start, end = c.fresh("from"), c.fresh("to")
    t = spelled(place.type)
    with c.block():
        c.emit(f"{t} *{start} = &{place.text}, *{end};")
        for line in c.pick(TRIPS)(c, t, start, end):
            c.emit(line)
        c.add_local(Pointer(place.type), end, addressable=False, writable=False)
        own_block_work(c)
        mix(c, f"{end} == {start}")
    return True


def by_memcpy(c: Context, t: str, start: str, end: str) -> list[str]:
    return [f"memcpy(&{end}, &{start}, sizeof {end});"]


def by_bytes(c: Context, t: str, start: str, end: str) -> list[str]:
    i, a, b = c.fresh("i"), c.fresh("a"), c.fresh("b")
    return [
        f"unsigned char *{a} = (unsigned char *)&{start}, *{b} = (unsigned char *)&{end};",
        f"for (unsigned {i} = 0; {i} < sizeof {start}; {i}++) {b}[{i}] = {a}[{i}];",
    ]


def by_word(c: Context, t: str, start: str, end: str) -> list[str]:
    word = c.fresh("word")
    key = c.pick(["4", "0x5a5a", "1", "0"])
    there, back = c.pick([("+", "-"), ("^", "^"), ("-", "+")])
    return [
        f"{WORD} {word} = ({WORD}){start} {there} {key};",
        f"{end} = ({t} *)({word} {back} {key});",
    ]


def by_union(c: Context, t: str, start: str, end: str) -> list[str]:
    u, v = c.fresh("u"), c.fresh("v")
    step = c.pick([f"{v}.word = {u}.word;", f"memcpy({v}.bytes, {u}.bytes, sizeof {u}.bytes);", f"{v} = {u};"])
    return [
        f"union {{ {t} *pointer; {WORD} word; unsigned char bytes[sizeof(void *)]; }} {u}, {v};",
        f"{u}.pointer = {start};",
        step,
        f"{end} = {v}.pointer;",
    ]


def by_buffer(c: Context, t: str, start: str, end: str) -> list[str]:
    tag, s, d, buffer = c.fresh("T"), c.fresh("s"), c.fresh("d"), c.fresh("buffer")
    return [
        f"struct {tag} {{ int before; {t} *pointer; char after; }} {s} = {{ 1, {start}, 'x' }}, {d};",
        f"char {buffer}[sizeof(struct {tag})];",
        f"memcpy({buffer}, &{s}, sizeof {s});",
        f"memcpy(&{d}, {buffer}, sizeof {d});",
        f"{end} = {d}.pointer;",
        f"mix({d}.before + {d}.after);",
    ]


def by_slots(c: Context, t: str, start: str, end: str) -> list[str]:
    slots = c.fresh("slots")
    return [
        f"{WORD} {slots}[3] = {{ 1, 2, 3 }};",
        f"{slots}[1] = ({WORD}){start};",
        f"{slots}[{c.pick([0, 2])}] = {slots}[1];",
        f"{end} = ({t} *)({slots}[0] == {slots}[1] ? {slots}[0] : {slots}[2]);",
    ]


def by_void(c: Context, t: str, start: str, end: str) -> list[str]:
    generic = c.fresh("any")
    return [f"void *{generic}[2] = {{ 0, {start} }};", f"{end} = {generic}[!{generic}[0]];"]


TRIPS = (by_memcpy, by_bytes, by_word, by_union, by_buffer, by_slots, by_void)


@pattern(1, "pointer_travels")
def function_trip(c: Context, depth: int) -> bool:
    """The same for a pointer to a function."""
    name, f, g = c.fresh("callee"), c.fresh("f"), c.fresh("g")
    c.top.append(f"static int {name}(int x) {{ return x * {c.number(2, 9)} + 1; }}")
    with c.block():
        c.emit(f"int (*{f})(int) = {name}, (*{g})(int);")
        c.emit(f"memcpy(&{g}, &{f}, sizeof {g});" if c.chance(0.5) else f"{g} = (int (*)(int))({WORD}){f};")
        mix(c, f"{g}({c.number(0, 9)})")
    return True
