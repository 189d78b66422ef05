"""Patterns that C programs use as a whole: heap buffers, strings, linked lists, variable-length arrays, raw memory.

Each is a block of its own that keeps its own invariants (lengths, terminators, ownership), filled with random parts.
"""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.ctype import INT, Array, Float, Int, Pointer, Record, Type, declare, has_pointers, spelled
from cfuzz.effects import plain
from cfuzz.expressions import condition, convertible, integer, integer_constant
from cfuzz.places import choose, is_integer
from cfuzz.statements import assign, bare, mix, pattern, statement

WORDS = ("", "a", "ab", "abc", "xyz", "abd", "hello", "a b", "\\x7f\\x01", "0123", "~{", "\\200z")


def own_block_work(c: Context, count: int = 2) -> None:
    """A few statements that can see the idiom's objects, in a block lest they shadow a name the idiom still needs."""
    with c.block():
        for _ in range(c.number(1, count)):
            if c.affords(3):
                assign(c, 1) if c.chance(0.6) else statement(c, 0)


def counter(c: Context, bound: int) -> str:
    name = c.fresh("i")
    c.add_local(INT, name, addressable=False, writable=False, bound=bound)
    return name


@pattern(2.5, "heap")
def heap_buffer(c: Context, depth: int) -> bool:
    """malloc or calloc, fill, use, perhaps realloc, fold, free."""
    if not c.affords(60):
        return False
    n = c.number(2, 5)
    t = c.plain_integer_type()
    name = c.fresh("h")
    size = c.pick([f"sizeof({t.spelling})", f"sizeof(*{name})"])
    with c.block():
        zeroed = c.chance(0.4)
        pointer_text = f"calloc({n}, {size})" if zeroed else f"malloc({n} * {size})"
        if c.chance(0.4):
            pointer_text = f"({t.spelling} *){pointer_text}"
        c.emit(f"{t.spelling} *{name} = {pointer_text};")
        if not zeroed:
            fill(c, name, t, n)
        c.add_local(Pointer(t, n), name, addressable=False, writable=False)
        own_block_work(c, 3)
        if c.chance(0.4):
            more = n + c.number(1, 3)
            c.emit(f"{name} = realloc({name}, {more} * {size});")
            for at in range(n, more):
                c.emit(f"{name}[{at}] = {at + 1};")
            n = more
        fold(c, name, n)
        c.emit(f"free({name});")
    if c.chance(0.1):
        c.emit("free((void *)0);")
    return True


def fill(c: Context, name: str, t: Int, n: int) -> None:
    with c.repeated(n), c.scope():
        c.spend(2)
        i = counter(c, n)
        with c.quiet():
            c.emit(f"for (int {i} = 0; {i} < {n}; {i}++) {name}[{i}] = {convertible(c, t, 1)};")


def fold(c: Context, name: str, n: int | str) -> None:
    i = c.fresh("i")
    with c.repeated(n if isinstance(n, int) else 6):
        c.spend(3)
    c.emit(f"for (int {i} = 0; {i} < {n}; {i}++) mix((unsigned long long){name}[{i}]);")


@pattern(1.5, "heap")
def heap_record(c: Context, depth: int) -> bool:
    records = [r for r in c.records if not has_pointers(r)]
    if not records or not c.affords(20):
        return False
    r = c.pick(records)
    name = c.fresh("h")
    with c.block():
        c.emit(f"{r.spelling} *{name} = calloc(1, sizeof *{name});")
        with c.block(f"if ({name})"):
            c.add_local(Pointer(r), name, addressable=False, writable=False)
            own_block_work(c, 3)
            place = choose(c, is_integer)
            if place is not None:
                mix(c, place.text)
            arrows(c, name, r)
        c.emit(f"free({name});")
    return True


def arrows(c: Context, name: str, r: Record) -> None:
    """Access through `->`."""
    members = [f for f in r.fields if f.name and isinstance(f.type, Int)]
    if members:
        f = c.pick(members)
        c.emit(f"{name}->{f.name} {c.pick(['=', '+=', '^=', '-='])} {integer_constant(c)};")
        mix(c, f"{name}->{f.name}")


@pattern(2, "vlas")
def variable_length_array(c: Context, depth: int) -> bool:
    if not c.affords(60):
        return False
    t = c.plain_integer_type()
    n, name = c.fresh("n"), c.fresh("vla")
    least = c.number(1, 3)
    with c.block():
        c.emit(f"int {n} = ({integer(c, 1)} & 3) + {least};")
        if c.has("multidimensional") and c.chance(0.25):
            i = c.fresh("i")
            c.emit(f"{t.spelling} {name}[{n}][2];")
            c.emit(f"for (int {i} = 0; {i} < {n} * 2; {i}++) {name}[{i} / 2][{i} % 2] = {i} * 3;")
            c.spend(24)
            c.add_local(Pointer(Array(t, 2), least), name, addressable=False, writable=False)
            own_block_work(c, 3)
            fold(c, f"(&{name}[0][0])", f"2 * {n}")
        else:
            i = c.fresh("i")
            with c.quiet():
                value = convertible(c, t, 1)
            c.emit(f"{t.spelling} {name}[{n}];")
            c.emit(f"for (int {i} = 0; {i} < {n}; {i}++) {name}[{i}] = {value};")
            c.spend(12)
            c.add_local(Pointer(t, least), name, addressable=False, writable=False)
            own_block_work(c, 3)
            fold(c, name, n)
        mix(c, f"sizeof({name})")
    return True


@pattern(1, "alloca")
def stack_buffer(c: Context, depth: int) -> bool:
    if not c.affords(40):
        return False
    t = c.plain_integer_type()
    n, name = c.number(2, 5), c.fresh("stack")
    with c.block():
        c.emit(f"{t.spelling} *{name} = __builtin_alloca({n} * sizeof({t.spelling}));")
        fill(c, name, t, n)
        c.add_local(Pointer(t, n), name, addressable=False, writable=False)
        own_block_work(c)
        fold(c, name, n)
    return True


def raw(t: Type) -> bool:
    """Types without padding whose every bit pattern is a value (and no NaN to compare)."""
    match t:
        case Array(element, _):
            return raw(element)
        case Int(kind, _):
            return kind != "bool"
        case _:
            return False


def is_raw_array(t: Type) -> bool:
    return isinstance(t, Array) and raw(t)


@pattern(3, "memory_functions")
def raw_memory(c: Context, depth: int) -> bool:
    """memset, memcpy, memmove and memcmp on arrays of integers, and on whole records of one type."""
    place = choose(c, is_raw_array, lambda p: p.writable and p.addressable)
    roll = c.rng.random()
    if place is None or roll < 0.3:
        return record_memory(c)
    t = place.type
    assert isinstance(t, Array)
    if roll < 0.5:
        c.emit(
            f"memset({place.text}, {c.pick(['0', '0', '-1', '0x5a', '255', '300'])}, "
            f"{c.pick([f'sizeof({place.text})', '1'])});"
        )
        return True
    if roll < 0.7 and t.length > 1:
        element = f"sizeof({place.text}[0])"
        size = f"{t.length - 1} * {element}"
        source, target = (f"{place.text} + 1", place.text) if c.chance(0.5) else (place.text, f"&{place.text}[1]")
        c.emit(f"memmove({target}, {source}, {size});")
        return True
    copy = c.fresh("copy")
    with c.block():
        c.emit(f"{declare(t, copy)};")
        c.emit(f"memcpy({copy}, {place.text}, sizeof {copy});")
        c.add_local(t, copy, addressable=True)
        own_block_work(c)
        if c.has("ternary"):
            mix(c, f"sign(memcmp({copy}, {place.text}, sizeof({copy})))")
        if c.chance(0.5):
            c.emit(f"memcpy({place.text}, {copy}, sizeof({place.text}));")
    return True


def record_memory(c: Context) -> bool:
    a = choose(c, lambda t: isinstance(t, Record), lambda p: p.writable and p.addressable)
    if a is None:
        return False
    if not has_pointers(a.type) and c.chance(0.5):
        c.emit(f"memset(&{a.text}, 0, sizeof({a.text}));")
        return True
    copy = c.fresh("copy")
    with c.block():
        c.emit(f"{spelled(a.type)} {copy};")
        c.emit(f"memcpy(&{copy}, &{a.text}, sizeof({copy}));")
        c.add_local(a.type, copy, addressable=True)
        own_block_work(c)
        c.emit(f"memmove(&{a.text}, &{copy}, sizeof {copy});")
    return True


@pattern(3, "string_functions")
def string_buffer(c: Context, depth: int) -> bool:
    """Short strings in a buffer with room to spare: built, changed in place, measured, compared, searched."""
    if not c.affords(120):
        return False
    name = c.fresh("s")
    first, second = c.pick(WORDS), c.pick(WORDS)
    with c.block():
        c.emit(f'char {name}[16] = "{first}";' if c.chance(0.5) else f"char {name}[16];")
        c.emit(f'strcpy({name}, "{first}");')
        c.spend(20)
        for _ in range(c.number(1, 4)):
            c.spend(12)
            c.emit(string_step(c, name, second))
        fold(c, name, f"(int)strlen({name}) + 1")
    return True


def string_step(c: Context, name: str, other: str) -> str:
    """A step after which the buffer still holds a string of at most fifteen characters (each adds at most two)."""
    with c.quiet():
        letter = f"(char)('a' + ({integer(c, 1)} & 3))"
    word = c.pick([w for w in WORDS if len(w) <= 2])
    return c.pick(
        [
            f'strcat({name}, "{word}");',
            f"if ({name}[0]) {name}[0] = {letter};",
            f'mix((unsigned long long)sign(strcmp({name}, "{other}")));',
            f'mix((unsigned long long)sign(strncmp({name}, "{other}", {c.number(0, 4)})));',
            f"mix(strlen({name}));",
            f'strncpy({name}, "{word}", {c.number(3, 7)});',
            f"{{ char *at = strchr({name}, {letter}); mix(at ? (unsigned long long)(at - {name}) : 99); }}",
            f"{{ const char *at = {name}; while (*at) mix((unsigned long long)*at++); }}",
            f"for (char *at = {name}; *at != '\\0'; ++at) *at ^= 1 & ({letter} > 'b') & (*at > 2);",
            f'mix((unsigned long long)"{c.pick(WORDS[2:7])}"[{c.number(0, 2)}]);',
        ]
    )


@pattern(2, "void_pointers")
def untyped(c: Context, depth: int) -> bool:
    """A pointer's trip through void *, const void * or an integer wide enough."""
    place = choose(
        c, lambda t: isinstance(t, Int | Float | Record), lambda p: p.addressable and p.writable and p.bits is None
    )
    if place is None or place.bits is not None:
        return False
    generic, typed = c.fresh("any"), c.fresh("p")
    spelling = spelled(place.type)
    with c.block():
        if c.chance(0.3):
            c.emit(f"unsigned long {generic} = (unsigned long)&{place.text};")
        else:
            c.emit(f"void *{generic} = &{place.text};")
        c.emit(f"{spelling} *{typed} = ({spelling} *){generic};")
        c.add_local(Pointer(place.type), typed, addressable=False)
        own_block_work(c)
    return True


@pattern(2, "byte_access")
def bytes_of(c: Context, depth: int) -> bool:
    """Read or change an integer object byte by byte."""
    place = choose(
        c, lambda t: isinstance(t, Int) and t.kind != "bool", lambda p: p.addressable and p.writable and p.bits is None
    )
    if place is None or place.bits is not None or not c.affords(40):
        return False
    assert isinstance(place.type, Int)
    name, i = c.fresh("b"), c.fresh("k")
    size = place.type.bits // 8
    c.spend(3 * size)
    with c.block():
        c.emit(f"unsigned char *{name} = (unsigned char *)&{place.text};")
        if c.chance(0.5):
            with c.quiet():
                value = integer(c, 1)
            c.emit(f"{name}[{c.number(0, size - 1)}] {c.pick(['=', '^=', '+='])} {value};")
        c.emit(f"for (unsigned {i} = 0; {i} < sizeof({place.text}); {i}++) mix({name}[{i}]);")
    return True


@pattern(3, "pointer_arithmetic")
def array_walk(c: Context, depth: int) -> bool:
    """Walk an array by pointer, forwards to one past its end or backwards."""
    place = choose(
        c, lambda t: isinstance(t, Array) and isinstance(t.element, Int | Float), lambda p: p.addressable and p.writable
    )
    if place is None or not c.affords(50):
        return False
    t = place.type
    assert isinstance(t, Array) and isinstance(t.element, Int | Float)
    p, start, n = c.fresh("p"), c.fresh("start"), t.length
    spelling = t.element.spelling
    with c.block(), c.repeated(n):
        c.spend(3)
        # The body may change what the place's text denotes, so its start is kept.
        c.emit(f"{spelling} *const {start} = {place.text};")
        heads = [
            f"{spelling} *{p} = {start}; {p} < {start} + {n}; {p}++",
            f"{spelling} *{p} = {start}, *end = {p} + {n}; {p} != end; ++{p}",
            f"{spelling} *{p} = {start} + {n}; {p} > {start} && {p}--;",
        ]
        with c.block(f"for ({c.pick(heads)})"):
            c.add_local(Pointer(t.element), p, addressable=False, writable=False)
            own_block_work(c)
            if isinstance(t.element, Int):
                mix(c, f"*{p} + ({p} - {start})")
    return True


@pattern(1.5, "pointer_arithmetic")
def stepping_pointer(c: Context, depth: int) -> bool:
    """*p++ and its kin, in bounds."""
    place = choose(c, is_long_array, lambda p: p.addressable and p.writable)
    if place is None:
        return False
    t = place.type
    assert isinstance(t, Array) and isinstance(t.element, Int)
    p, start = c.fresh("p"), c.fresh("start")
    with c.block():
        c.emit(f"{t.element.spelling} *{p} = {place.text}, *{start} = {p};")
        with c.quiet():
            value = bare(integer(c, 1))
        c.emit(c.pick([f"*{p}++ = {value};", f"*++{p} ^= 1;", f"(*{p}++)++;", f"{p} += 1;", f"{p}++[0] |= {value};"]))
        mix(c, c.pick([f"*{p}++", f"*++{p}", f"{p}[1]", f"{p}[-1]", f"*({p} + 1)", f"(*{p})--", f"*{p}--"]))
        mix(c, f"{p} - {start}")
    return True


def is_long_array(t: Type) -> bool:
    return isinstance(t, Array) and isinstance(t.element, Int) and t.length >= 3


@pattern(1.5, "null_pointers")
def nullable_pointer(c: Context, depth: int) -> bool:
    """A pointer that may be null, tested before use."""
    place = choose(c, is_integer, lambda p: p.addressable and p.writable and p.bits is None)
    if place is None or place.bits is not None:
        return False
    p = c.fresh("p")
    test = condition(c, 1)
    if not test.effects.pure:
        return False
    with c.block():
        c.emit(f"{spelled(place.type)} *{p} = {test} ? &{place.text} : {c.pick(['0', '(void *)0'])};")
        with c.block(f"if ({c.pick([p, f'{p} != 0', f'{p} != (void *)0'])})"):
            c.add_local(Pointer(place.type), p, addressable=False, writable=False)
            own_block_work(c)
        mix(c, c.pick([f"!{p}", f"{p} ? *{p} : 7", f"{p} == 0", f"({p} && *{p} > 3)"]))
    return True


@pattern(1.5, "linked_lists")
def linked_list(c: Context, depth: int) -> bool:
    """Build a short list of heap or array nodes, perhaps unlink one, sum it up, give it back."""
    if not c.affords(120):
        return False
    n = c.number(2, 4)
    heads, node, i = c.fresh("list"), c.fresh("node"), c.fresh("i")
    heap = c.has("heap") and c.chance(0.6)
    with c.block(), c.repeated(n):
        c.spend(12)
        c.emit(f"struct node *{heads} = 0;")
        if not heap:
            c.emit(f"struct node pool{i}[{n}];")
        with c.scope():
            c.add_local(INT, i, addressable=False, writable=False, bound=n)
            with c.quiet():
                value = integer(c, 2)
        source = "malloc(sizeof(struct node))" if heap else f"&pool{i}[{i}]"
        with c.block(f"for (int {i} = 0; {i} < {n}; {i}++)"):
            c.emit(f"struct node *{node} = {source};")
            c.emit(f"{node}->value = {value};")
            c.emit(f"{node}->next = {heads};")
            c.emit(f"{heads} = {node};")
        if c.chance(0.4):
            # Unlink by a pointer to the link, without a special case for the first node.
            walk = f"for (struct node **link = &{heads}; *link; link = &(*link)->next)"
            with c.block(walk), c.block(f"if ((*link)->value % 3 == {c.pick([0, 1, -1])})"):
                c.emit("struct node *gone = *link;")
                c.emit("*link = gone->next;")
                if heap:
                    c.emit("free(gone);")
                c.emit("break;")
        c.emit(f"for (struct node *at = {heads}; at != 0; at = at->next) mix((unsigned long long)at->value);")
        if heap:
            with c.block(f"while ({heads})"):
                c.emit(f"struct node *next = {heads}->next;")
                c.emit(f"free({heads});")
                c.emit(f"{heads} = next;")
    return True


@pattern(2.5, "varargs")
def variadic_call(c: Context, depth: int) -> bool:
    """A call of one of the program's variadic functions, with arguments of exactly the types it takes."""
    if not c.variadics or not c.affords(60):
        return False
    name = c.pick(c.variadics)
    c.spend(40)
    with c.quiet():
        if name.startswith("vsum"):
            count = c.number(0, 4)
            arguments = [
                f"({c.pick(['int', 'short', 'unsigned char', 'signed char'])})({integer(c, 1)})" for _ in range(count)
            ]
            mix(c, f"{name}({', '.join([str(count), *arguments])})")
            return True
        letters, arguments = "", []
        for _ in range(c.number(1, 5)):
            letter, text = variadic_argument(c)
            letters += letter
            arguments.append(text)
    mix(c, f'{name}("{letters}", {", ".join(arguments)})')
    return True


def variadic_argument(c: Context) -> tuple[str, str]:
    place = choose(c, lambda t: t == INT, lambda p: p.addressable and p.bits is None)
    options = [
        ("i", f"(int)({integer(c, 1)})"),
        ("i", f"(char)({plain(integer(c, 1))})"),
        ("u", f"(unsigned)({integer(c, 1)})"),
        ("l", f"(long)({integer(c, 1)})"),
        ("L", f"(long long)({integer(c, 1)})"),
    ]
    if c.has("floats"):
        number = choose(c, lambda t: isinstance(t, Float) and t.spelling != "long double")
        options += [("d", number.text if number is not None else "1.5f"), ("d", f"(double)({integer(c, 1)})")]
    if place is not None and place.bits is None:
        options += [("p", f"&{place.text}")]
    if c.has("string_functions"):
        options += [("s", f'"{c.pick(WORDS)}"')]
    return c.pick(options)
