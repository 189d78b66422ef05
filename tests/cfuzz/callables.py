"""The functions of a program: general ones, pure ones, recursive ones, those that take functions, variadic ones.

A function calls only functions written before it (recursion is bounded by an argument), so every call ends.
"""

from __future__ import annotations

from cfuzz.calls import CALL
from cfuzz.context import Context, Frame, Function
from cfuzz.control import returned
from cfuzz.ctype import INT, LLONG, Array, Float, Int, Pointer, Scalar, Type, declare, signature, spelled
from cfuzz.effects import REACHABLE, Effects
from cfuzz.expressions import convertible, integer
from cfuzz.statements import bare, declaration, settle, statements

HELPER_BUDGET = 180
READS_MEMORY = Effects(frozenset({REACHABLE}))


def parameter_type(c: Context) -> Type:
    roll = c.rng.random()
    if roll < 0.15 and c.has("pointers"):
        t: Type = c.integer_type()
        if c.records and c.chance(0.4):
            t = c.pick(c.records)
        return Pointer(t, 1, constant=c.has("qualifiers") and c.chance(0.3))
    if roll < 0.27 and c.has("pointers") and c.has("arrays"):
        arrays = [v.type for v in c.globals.values() if isinstance(v.type, Array) and v.writable]
        if arrays:
            a = c.pick(arrays)
            return Pointer(a.element, c.number(1, a.length))
    if roll < 0.4 and c.records and c.has("struct_values"):
        return c.pick(c.records)
    return c.scalar_type()


def result_type(c: Context) -> Type | None:
    roll = c.rng.random()
    if roll < 0.12:
        return None
    if roll < 0.27 and c.records and c.has("struct_values"):
        return c.pick(c.records)
    return c.scalar_type()


def parameter_text(c: Context, t: Type, name: str) -> str:
    """A parameter's declaration; a pointer to several elements may be spelled as an array."""
    if isinstance(t, Pointer) and t.extent > 1 and c.chance(0.5):
        prefix = "const " if t.constant else ""
        return prefix + declare(t.target, f"{name}[{t.extent}]" if c.chance(0.6) else f"{name}[]")
    return declare(t, name)


def open_frame(c: Context, result: Type | None, parameters: list[tuple[str, Type]]) -> Frame:
    """Begin a function; the caller restores the frame returned here."""
    outer = c.frame
    c.frame = Frame(result, HELPER_BUDGET)
    c.frame.scopes.append({})
    for name, t in parameters:
        free = isinstance(t, Int | Float) and c.chance(0.6)
        c.add_local(t, name, addressable=not free)
    return outer


def close_frame(c: Context, outer: Frame, head: str) -> Frame:
    """End the function: its text joins the program's."""
    done = c.frame
    c.top += [f"{head} {{", *done.lines, "}", ""]
    c.frame = outer
    return done


def general(c: Context, shape: Function | None = None) -> None:
    """A function of any signature (or that of `shape`) with any body."""
    parameters = shape.parameters if shape else tuple(parameter_type(c) for _ in range(c.number(0, 4)))
    result = shape.result if shape else result_type(c)
    name = c.fresh("f")
    named = [(c.fresh("a"), t) for t in parameters]
    outer = open_frame(c, result, named)
    for _ in range(c.number(1, 2)):
        declaration(c, 1)
    statements(c, 2, c.number(2, 5))
    settle(c)
    if result is not None:
        c.emit(returned(c))
    storage = c.pick(["static ", "", "static inline " if c.chance(0.3) else "static "])
    texts = [parameter_text(c, t, n) for n, t in named]
    done = close_frame(c, outer, storage + signature(result, name, texts))
    c.functions.append(Function(name, result, tuple(parameters), done.cost + 2, CALL))


def pure(c: Context) -> None:
    """A function that only computes: calls of it may stand anywhere."""
    t = c.scalar_type()
    named: list[tuple[str, Type]] = [(c.fresh("a"), c.scalar_type()) for _ in range(c.number(1, 3))]
    name = c.fresh("pure")
    outer = open_frame(c, t, named)
    with c.quiet():
        c.emit(f"return {bare(convertible(c, t, 3))};")
    done = close_frame(c, outer, "static " + signature(t, name, [declare(u, n) for n, u in named]))
    c.functions.append(Function(name, t, tuple(u for _, u in named), done.cost + 2, READS_MEMORY))


def recursive(c: Context) -> None:
    """A function that calls itself on a smaller argument; of two branches, at most 2^4 calls."""
    t: Scalar = c.type_where(lambda t: t.kind != "bool")
    n, a, name = c.fresh("n"), c.fresh("a"), c.fresh("rec")
    twice = c.chance(0.3)
    limit = 3 if twice else 7
    outer = open_frame(c, t, [(a, t)])
    c.add_local(INT, n, addressable=False, writable=False, bound=limit + 1)
    c.frame.repetitions = 2 ** (limit + 1) if twice else limit + 1
    c.frame.budget = 250
    c.spend(3)
    with c.quiet():
        base, more, step = integer(c, 1), convertible(c, t, 1), integer(c, 1)
        c.emit(f"if ({n} <= 0) return {base};")
    if c.chance(0.5):
        statements(c, 0, 1)
    if twice:
        first = c.fresh("r")
        c.emit(f"{t.spelling} {first} = {name}({n} - 1, {more});")
        c.emit(f"return {first} {c.pick('+-^')} {name}({n} / 2, {a});")
    elif c.chance(0.5):
        c.emit(f"return {name}({n} - 1, {more});")
    else:
        c.emit(f"return {name}({n} - 1, {more}) {c.pick('+-^*')} {step_beside(step.text, step.effects, c)};")
    done = close_frame(c, outer, "static " + signature(t, name, [declare(INT, n), declare(t, a)]))
    c.functions.append(Function(name, t, (INT, t), done.cost, CALL, (limit, None)))


def step_beside(text: str, effects: Effects, c: Context) -> str:
    """The operand beside a recursive call: constant if it reads what the call may write."""
    return text if all(r.startswith("l:") for r in effects.reads) else str(c.number(1, 9))


def mutually_recursive(c: Context) -> None:
    """Two functions that call each other, the first declared before it is defined."""
    even, odd = c.fresh("even"), c.fresh("odd")
    t = c.integer_type()
    c.top.append(f"static int {odd}(int n, {t.spelling} a);")
    for mine, other, op in ((even, odd, "+"), (odd, even, "^")):
        outer = open_frame(c, INT, [("a", t)])
        c.add_local(INT, "n", addressable=False, writable=False, bound=8)
        with c.quiet():
            base, more = integer(c, 1), convertible(c, t, 1)
        c.emit(f"if (n <= 0) return {base};")
        c.emit(f"return {other}(n - 1, {more}) {op} n;")
        close_frame(c, outer, f"static int {mine}(int n, {t.spelling} a)")
    c.functions.append(Function(even, INT, (INT, t), 24, CALL, (7, None)))


def higher_order(c: Context) -> None:
    """A function that applies the function it is given."""
    options = [f for f in c.functions if not f.limits and isinstance(f.result, Int) and f.parameters]
    options = [f for f in options if all(isinstance(p, Int | Float) for p in f.parameters)]
    if not options:
        return
    f = c.pick(options)
    name = c.fresh("apply")
    outer = open_frame(c, INT, [("x", INT)])
    with c.quiet():
        arguments = [convertible(c, p, 1).text for p in f.parameters if isinstance(p, Int | Float)]
    c.emit(f"return {c.pick(['f', '(*f)'])}({', '.join(arguments)});")
    close_frame(c, outer, f"static int {name}({declare(f.pointer, 'f')}, int x)")
    cost = 2 + max(g.cost for g in options if g.pointer == f.pointer)
    # Later functions of the same signature may cost more, up to their budget.
    c.functions.append(Function(name, INT, (f.pointer, INT), max(cost, HELPER_BUDGET), CALL))


def variable_length_parameter(c: Context) -> None:
    """A function over an array parameter whose length is another parameter."""
    arrays = [
        v.type
        for v in c.globals.values()
        if isinstance(v.type, Array) and isinstance(v.type.element, Int) and v.writable
    ]
    if not arrays:
        return
    a = c.pick(arrays)
    element = a.element
    assert isinstance(element, Int)
    name = c.fresh("over")
    n = a.length
    mask = (1 << n.bit_length() - 1) - 1
    outer = open_frame(c, LLONG, [])
    c.emit("long long r = 1;")
    c.emit(f"for (int i = 0; i < n; i++) r = r * 3 + a[{c.pick(['i', 'n - 1 - i'])}];")
    c.emit(f"if (n > 0) a[n - 1] {c.pick(['^=', '+=', '-='])} (int)r & 15;")
    c.emit("return r;")
    close_frame(c, outer, f"static long long {name}(int n, {element.spelling} a[{c.pick(['n + 1', '1 + n', ''])}])")
    c.functions.append(Function(name, LLONG, (INT, Pointer(element, n)), 2 * n + 5, CALL, (mask, None)))


def table(c: Context) -> None:
    """A constant table of functions of one signature; functions are added until there are enough."""
    options = [f for f in c.functions if isinstance(f.result, Int) and not f.limits and f.name.startswith("f")]
    if not options:
        return
    shape = c.pick(options)
    while len(members := [f for f in c.functions if f.pointer == shape.pointer and not f.limits]) < 2:
        general(c, shape)
    name = c.fresh("table")
    chosen = [c.pick(members) for _ in range(c.number(2, 4))]
    result, parameters = shape.result, [spelled(p) for p in shape.parameters]
    qualifier = "const " if c.has("qualifiers") else ""
    head = signature(result, f"(*{qualifier}{name}[{len(chosen)}])", parameters)
    c.top += [f"static {head} = {{{', '.join(c.pick(['', '&']) + f.name for f in chosen)}}};", ""]
    c.tables.append((name, tuple(chosen)))


def variadic_sum(c: Context) -> None:
    name = c.fresh("vsum")
    copied = c.chance(0.4)
    c.top += [
        f"static long long {name}(int n, ...) {{",
        "    va_list ap;",
        "    long long r = 0;",
        "    __builtin_va_start(ap, n);",
    ]
    if copied:
        c.top += [
            "    va_list again;",
            "    __builtin_va_copy(again, ap);",
            "    for (int i = 0; i < n; i++) r = r * 7 - __builtin_va_arg(again, int);",
            "    __builtin_va_end(again);",
        ]
    c.top += [
        f"    for (int i = 0; i < n; i++) r = r * {c.number(2, 31)} {c.pick('+-^')} __builtin_va_arg(ap, int);",
        "    __builtin_va_end(ap);",
        "    return r;",
        "}",
        "",
    ]
    c.variadics.append(name)


def variadic_format(c: Context) -> None:
    """A variadic function led by a format; the arguments are taken by another function that gets the va_list."""
    name = c.fresh("vfmt")
    cases = [
        "        case 'i': r += __builtin_va_arg(ap, int); break;",
        "        case 'u': r ^= __builtin_va_arg(ap, unsigned); break;",
        "        case 'l': r -= __builtin_va_arg(ap, long); break;",
        "        case 'L': r += 3 * __builtin_va_arg(ap, long long); break;",
        "        case 'p': r ^= *__builtin_va_arg(ap, int *); break;",
    ]
    if c.has("floats"):
        cases.append("        case 'd': r += float_to_int(__builtin_va_arg(ap, double)); break;")
    if c.has("string_functions"):
        cases.append("        case 's': r += strlen(__builtin_va_arg(ap, const char *)); break;")
    c.rng.shuffle(cases)
    c.top += [
        f"static long long {name}_list(const char *format, va_list ap) {{",
        "    long long r = 17;",
        "    for (; *format; format++) {",
        "        switch (*format) {",
        *cases,
        "        }",
        "        r = r * 31;",
        "    }",
        "    return r;",
        "}",
        f"static long long {name}(const char *format, ...) {{",
        "    va_list ap;",
        "    __builtin_va_start(ap, format);",
        f"    long long r = {name}_list(format, ap);",
        "    __builtin_va_end(ap);",
        "    return r;",
        "}",
        "",
    ]
    c.variadics.append(name)


def write_functions(c: Context, count: int) -> None:
    """The program's functions, in an order that lets later ones call earlier ones."""
    if c.has("varargs"):
        for write in (variadic_sum, variadic_format) if c.has("switch") else (variadic_sum,):
            if c.chance(0.3):
                write(c)
    if not c.has("functions"):
        return
    kinds = [general, general, general, general, pure]
    kinds += [recursive, mutually_recursive] if c.has("recursion") else []
    kinds += [higher_order, table, table] if c.has("function_pointers") else []
    kinds += [variable_length_parameter] if c.has("vlas") else []
    for _ in range(count):
        c.pick(kinds)(c)
