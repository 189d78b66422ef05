"""Macros: as functions, as statements, as heads of loops, as text, as lists; and conditional text."""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.ctype import INT
from cfuzz.expressions import integer
from cfuzz.statements import mix, pattern


def defined(c: Context, stem: str, text: str) -> str:
    """Defines a macro `stem…` before the function that is being written."""
    name = c.fresh(stem)
    c.top.append(f"#define {name}{text}")
    return name


@pattern(2, "macros")
def macro_function(c: Context, depth: int) -> bool:
    with c.quiet():
        a, b = integer(c, 1), integer(c, 1)
    name = defined(
        c,
        "MACRO",
        c.pick(
            [
                "(a, b) ((a) > (b) ? (a) : (b))",
                "(a, b) (((a) & 15) * ((b) & 15))",
                "(a, b) \\\n    ((a) == (b) \\\n        || (a) < 3)",
                "(a, ...) ((a) ^ (__VA_ARGS__))",
                "(a, b) ({ __typeof__(+(a)) a_ = (a); a_ != 0 ? 1 : (b) != 0; })",
            ]
        ),
    )
    mix(c, f"{name}({a}, {b})")
    return True


@pattern(1.5, "macros")
def macro_statement(c: Context, depth: int) -> bool:
    name = defined(c, "SWAP", "(T, a, b) do { T swap_ = (a); (a) = (b); (b) = swap_; } while (0)")
    x, y = c.fresh("x"), c.fresh("y")
    with c.quiet():
        value = integer(c, 1)
    with c.block():
        c.emit(f"int {x} = (int)({value}), {y} = {c.number(-9, 9)};")
        c.emit(f"if ({x} > {c.number(-3, 3)}) {name}(int, {x}, {y}); else {x}++;")
        mix(c, x)
        mix(c, y)
    return True


@pattern(2, "macros")
def macro_loop(c: Context, depth: int) -> bool:
    """A head of a loop that comes out of a macro, as a whole or in part."""
    if not c.affords(40):
        return False
    i, n, total = c.fresh("i"), c.number(1, 5), c.fresh("total")
    form = c.number(0, 4)
    name = defined(
        c,
        "LOOP",
        [
            "(i, n) for (int i = 0; i < (n); i++)",
            "(i, n) int i = 0; i < (n); ++i",
            "(i, n) i < (n); i += 1",
            "(i, n) for (i = 1; i <= (n);\\\n    i++)",
            "(i, n) for (; i < (n); )",
        ][form],
    )
    head = [f"{name}({i}, {n})", f"for ({name}({i}, {n}))", f"for (int {i} = 0; {name}({i}, {n}))"]
    head += [f"{name}({i}, {n})", f"{name}({i}, {n})"]
    with c.block(), c.repeated(n):
        c.spend(4)
        c.emit(f"unsigned {total} = 0;")
        if form >= 3:
            c.emit(f"int {i} = 0;")
        c.emit(f"{head[form]} {{ {total} = {total} * 5 + {i}; {f'{i}++; ' if form == 4 else ''}}}")
        mix(c, total)
    return True


@pattern(1.5, "macros")
def macro_text(c: Context, depth: int) -> bool:
    """Texts made by `#`, names made by `##`, and literals that stand side by side."""
    text = defined(c, "TEXT", "(x) #x")
    again = defined(c, "AGAIN", f"(x) {text}(x)")
    word = defined(c, "WORD", c.pick([' "ab"', ' "x\\\\x41" "b"', " qq", " 1 + 2"]))
    name = c.fresh("t")
    made = c.pick([f"{text}(a  b)", f"{again}({word})", f"{text}({word})", f'"x" {text}("q\\n") "y"', f"{text}('\"')"])
    with c.block():
        c.emit(f"const char {name}[] = {made};")
        mix(c, f"sizeof {name}")
        for at in {0, 1, c.number(0, 2)}:
            mix(c, f"{name}[{at} % (sizeof {name})]")
    return True


@pattern(1, "macros")
def macro_names(c: Context, depth: int) -> bool:
    join = defined(c, "JOIN", "(a, b) a##b")
    stem = c.fresh("joined")
    with c.block():
        c.emit(f"int {join}({stem}, _x) = {c.number(0, 99)};")
        c.add_local(INT, f"{stem}_x", addressable=False)
        c.emit(f"{stem}_x += 1{'u' if c.chance(0.3) else ''};")
        mix(c, f"{join}({stem}, _x)")
    return True


@pattern(1, "macros")
def macro_list(c: Context, depth: int) -> bool:
    """A list that is expanded twice with different meanings of its element."""
    entries = " ".join(f"X({c.fresh('entry')}, {c.number(0, 50)})" for _ in range(c.number(1, 3)))
    name = defined(c, "LIST", f" {entries}")
    enum, values = c.fresh("first"), c.fresh("values")
    c.top += ["#define X(n, v) n,", f"enum {{ {name} {enum} }};", "#undef X"]
    c.top += ["#define X(n, v) [n] = v,", f"static const int {values}[] = {{ {name} [{enum}] = 7 }};", "#undef X"]
    mix(c, f"{values}[{enum}] + {values}[0] + sizeof {values}")
    return True


@pattern(1, "macros")
def conditional_text(c: Context, depth: int) -> bool:
    name = defined(c, "CHOICE", f" {c.number(0, 4)}")
    n = c.fresh("n")
    with c.block():
        c.emit(f"int {n} = 1;")
        c.emit(f"#if {name} > 2 && defined({name})")
        c.emit(f"for (int i = 0; i < {name}; i++)")
        c.emit(f"#elif {name} == 1")
        c.emit(f"if ({n})")
        c.emit("#else")
        c.emit(f"while ({n} < 20)")
        c.emit("#endif")
        c.emit(f"    {n} = {n} * 2 + 1;")
        mix(c, n)
    return True
