"""Whole programs from a seed: types, globals, functions, main, and the checksum over everything.

    python -m cfuzz.generate SEED [--without FEATURE]...      (with tests/ on PYTHONPATH)

The same seed, size and features give the same text. A program has no undefined or unspecified behaviour, apart from
signed overflow and left shifts of negative values, which `-fwrapv` defines.
"""

from __future__ import annotations

import argparse
import re
from random import Random

from cfuzz import constructs, control, idioms, library, macros, travels, units
from cfuzz.callables import write_functions
from cfuzz.context import Context, Enum, Frame, Var
from cfuzz.ctype import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    KINDS,
    UCHAR,
    ULLONG,
    Array,
    Field,
    Float,
    FunctionPointer,
    Int,
    Pointer,
    Record,
    Type,
    declare,
    scalars,
)
from cfuzz.features import ALL, NONE, Features
from cfuzz.initialisers import initialiser
from cfuzz.oracle import UNIT
from cfuzz.statements import array_type, settle, statements

assert (
    constructs and control and idioms and library and macros and travels and units
)  # their patterns register themselves with the statements

MAIN_BUDGET = 4000
MAXIMAL_SCALARS = 90


def generate(seed: int, *, size: int = 10, features: Features = ALL) -> str:
    """The program of this seed; `size` is roughly the number of top-level statements of main."""
    c = Context(Random(f"cfuzz {seed}"), features, Frame(None, 0))
    types(c)
    global_variables(c, c.number(size // 2, size))
    write_functions(c, c.number(size // 5, size // 2))
    if c.has("function_pointers"):
        global_function_pointers(c)
    return program(c, main_function(c, size))


def alone(piece: constructs.Piece, seed: int) -> str:
    """A program of one piece of `constructs.txt` and a global."""
    c = Context(Random(f"cfuzz {piece.name} {seed}"), NONE.plus("nondet", "floats"), Frame(None, 0))
    global_variable(c, INT)
    c.frame = Frame(INT, MAIN_BUDGET, main=True)
    c.frame.scopes.append({})
    constructs.place(c, piece)
    return program(c, finished(c))


def program(c: Context, main: list[str]) -> str:
    """All units of the program as one text."""
    body = [*HELPERS, *c.top, *checksum_function(c), *main, ""]
    text = "\n".join([*declarations(body), "", *(FLOAT_HELPERS if c.has("floats") else []), *body])
    return text if not c.second else "\n".join([text, UNIT, *c.second, ""])


CHARS = "const char *"
MORE = (
    ("strtok", "char *", f"char *, {CHARS}"),
    ("strtok_r", "char *", f"char *, {CHARS}, char **"),
    ("stpcpy", "char *", f"char *, {CHARS}"),
    ("mempcpy", "void *", "void *, const void *, size_t"),
    ("memccpy", "void *", "void *, const void *, int, size_t"),
    ("memrchr", "void *", "const void *, int, size_t"),
    ("strchrnul", "char *", f"{CHARS}, int"),
    ("strcasecmp", "int", f"{CHARS}, {CHARS}"),
    ("strncasecmp", "int", f"{CHARS}, {CHARS}, size_t"),
    ("bcmp", "int", "const void *, const void *, size_t"),
    ("bzero", "void", "void *, size_t"),
    *((name, "int", "int") for name in ("isblank", "toascii", "ffs")),
    ("llabs", "long long", "long long"),
    ("imaxabs", "__INTMAX_TYPE__", "__INTMAX_TYPE__"),
    ("strtoll", "long long", f"{CHARS}, char **, int"),
    ("strtoull", "unsigned long long", f"{CHARS}, char **, int"),
    ("atoll", "long long", CHARS),
    ("sprintf", "int", f"char *, {CHARS}, ..."),
    ("snprintf", "int", f"char *, size_t, {CHARS}, ..."),
    ("sscanf", "int", f"{CHARS}, {CHARS}, ..."),
    ("rand", "int", "void"),
    ("srand", "void", "unsigned"),
    *((name, "double", "double") for name in "floor ceil trunc round rint fabs sqrt".split()),
    *((name, "double", "double, double") for name in "fmin fmax copysign fmod".split()),
    ("frexp", "double", "double, int *"),
    ("modf", "double", "double, double *"),
    ("ldexp", "double", "double, int"),
    ("lround", "long", "double"),
)
ENVIRONMENT = {
    "size_t": "typedef __SIZE_TYPE__ size_t;",
    "div_t": "typedef struct { int quot, rem; } div_t; extern div_t div(int, int);",
    "ldiv_t": "typedef struct { long quot, rem; } ldiv_t; extern ldiv_t ldiv(long, long);",
    "va_list": "typedef __builtin_va_list va_list;",
    "struct node": "struct node { int value; struct node *next; };",
    "__VERIFIER_checksum": "extern void __VERIFIER_checksum(unsigned long long);",
    **{
        f"__VERIFIER_nondet_{kind.nondet}": f"extern {kind.spellings[0]} __VERIFIER_nondet_{kind.nondet}(void);"
        for kind in KINDS.values()
        if kind.nondet
    },
    "__VERIFIER_nondet_float": "extern float __VERIFIER_nondet_float(void);",
    "__VERIFIER_nondet_double": "extern double __VERIFIER_nondet_double(void);",
    "exit": "extern void exit(int);",
    "malloc": "extern void *malloc(size_t);",
    "calloc": "extern void *calloc(size_t, size_t);",
    "realloc": "extern void *realloc(void *, size_t);",
    "free": "extern void free(void *);",
    "memset": "extern void *memset(void *, int, size_t);",
    "memcpy": "extern void *memcpy(void *, const void *, size_t);",
    "memmove": "extern void *memmove(void *, const void *, size_t);",
    "memcmp": "extern int memcmp(const void *, const void *, size_t);",
    "strlen": "extern size_t strlen(const char *);",
    "strcpy": "extern char *strcpy(char *, const char *);",
    "strncpy": "extern char *strncpy(char *, const char *, size_t);",
    "strcat": "extern char *strcat(char *, const char *);",
    "strcmp": "extern int strcmp(const char *, const char *);",
    "strncmp": "extern int strncmp(const char *, const char *, size_t);",
    "strchr": "extern char *strchr(const char *, int);",
    **{
        name: f"extern char *{name}({second});"
        for name, second in {
            "strrchr": "const char *, int",
            "strstr": "const char *, const char *",
            "strpbrk": "const char *, const char *",
            "strncat": "char *, const char *, size_t",
            "strdup": "const char *",
        }.items()
    },
    "memchr": "extern void *memchr(const void *, int, size_t);",
    "strspn": "extern size_t strspn(const char *, const char *);",
    "strcspn": "extern size_t strcspn(const char *, const char *);",
    "strnlen": "extern size_t strnlen(const char *, size_t);",
    **{name: f"extern int {name}(int);" for name in (*library.CLASSES, "toupper", "tolower", "abs")},
    **{name: f"extern {result} {name}({parameters});" for name, result, parameters in MORE},
    "labs": "extern long labs(long);",
    "atoi": "extern int atoi(const char *);",
    "atol": "extern long atol(const char *);",
    "strtol": "extern long strtol(const char *, char **, int);",
    "strtoul": "extern unsigned long strtoul(const char *, char **, int);",
    "qsort": "extern void qsort(void *, size_t, size_t, int (*)(const void *, const void *));",
    "bsearch": "extern void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));",
}
HELPERS = [
    "unsigned long long __checksum = 14695981039346656037ull;",
    "static void mix(unsigned long long value) {",
    "    __checksum = (__checksum ^ value) * 1099511628211ull;",
    "    __checksum ^= __checksum >> 29;",
    "}",
    "static int sign(int order) { return (order > 0) - (order < 0); }",
]
FLOAT_HELPERS = [
    "static int float_to_int(double x) { return x > -2147483000.0 && x < 2147483000.0 ? (int)x : -7; }",
    "static void mix(unsigned long long value);",
    "static void mix_float(float x) {",
    "    union { float value; unsigned bits; } u;",
    "    u.value = x;",
    "    mix(x == x ? u.bits : 0x7fc00000u);",
    "}",
    "static void mix_double(double x) {",
    "    union { double value; unsigned long long bits; } u;",
    "    u.value = x;",
    "    mix(x == x ? u.bits : 0x7ff8000000000000ull);",
    "}",
]


def declarations(body: list[str]) -> list[str]:
    """What the program uses of its environment, declared."""
    words = set(re.findall(r"struct node\b|\w+", "\n".join(body)))
    used = [line for name, line in ENVIRONMENT.items() if name in words]
    if any("size_t" in line for line in used):
        used.insert(0, ENVIRONMENT["size_t"])
    return list(dict.fromkeys(used))


# types


def types(c: Context) -> None:
    if c.has("enums"):
        for _ in range(c.number(0, 2)):
            c.enums.append(enumeration(c))
    if c.has("typedefs"):
        for _ in range(c.number(0, 3)):
            t = c.basic_integer_type()
            alias = Int(t.kind, c.fresh("type"))
            c.top.append(f"typedef {t.spelling} {alias.spelling};")
            c.aliases.append(alias)
    if c.has("structs"):
        for _ in range(c.number(0, 3)):
            record_type(c)
    if c.has("unions"):
        for _ in range(c.number(0, 1)):
            union_type(c)
    c.top.append("")


def enumeration(c: Context) -> Enum:
    name = c.fresh("E")
    members: list[tuple[str, int]] = []
    texts = []
    value = -1
    negative = c.chance(0.4)
    for _ in range(c.number(2, 4)):
        member = c.fresh("K")
        if c.chance(0.4):
            value = c.number(-5 if negative else 0, 100)
            texts.append(f"{member} = {value}")
        else:
            value += 1
            texts.append(member)
        members.append((member, value))
    # An enum without negative members is unsigned int, one with them is int.
    kind = "int" if any(v < 0 for _, v in members) else "uint"
    c.top.append(f"enum {name} {{ {', '.join(texts)} }};")
    return Enum(Int(kind, f"enum {name}"), tuple(members))


def record_type(c: Context) -> None:
    tag = c.fresh("S")
    packed = c.has("packed") and c.chance(0.08)
    texts: list[str] = []
    fields: list[Field] = []
    for _ in range(c.number(1, 6)):
        member(c, fields, texts)
    attribute = " __attribute__((packed))" if packed else ""
    spelling = f"struct {tag}"
    if c.has("typedefs") and c.chance(0.3):
        c.top += [
            f"typedef struct {tag if c.chance(0.5) else ''} {{".replace("  ", " "),
            *texts,
            f"}}{attribute} {tag}_t;",
        ]
        spelling = f"{tag}_t"
    else:
        c.top += [f"struct {tag} {{", *texts, f"}}{attribute};"]
    c.records.append(Record(spelling, tuple(fields), packed=packed))


def member(c: Context, fields: list[Field], texts: list[str]) -> None:
    """One more member (and perhaps unnamed padding) of a struct."""
    name = c.fresh("m")
    roll = c.rng.random()
    if roll < 0.3 and c.has("bitfields"):
        base, width = bit_field(c)
        if fields and c.chance(0.12):
            texts.append(c.pick(["    int : 0;", "    unsigned : 5;", "    int : 3;"]))
        texts.append(f"    {base.spelling} {name} : {width};")
        fields.append(Field(name, base, width))
        return
    if roll < 0.4 and c.has("anonymous_members"):
        inner = [Field(c.fresh("m"), c.pick([ULLONG, Int("llong", "long long")]))]
        inner += [Field(c.fresh("m"), c.plain_integer_type()) for _ in range(c.number(1, 2))]
        union = c.chance(0.5) and c.has("unions")
        texts += [
            f"    {'union' if union else 'struct'} {{",
            *(f"        {declare(f.type, f.name)};" for f in inner),
            "    };",
        ]
        fields.append(Field("", Record("", tuple(inner), union)))
        return
    t: Type = c.scalar_type()
    if roll < 0.5 and c.has("nested_structs") and c.records:
        t = c.pick(c.records)
        if scalars(t) > 8:
            t = c.scalar_type()
    elif roll < 0.62 and c.has("arrays"):
        t = array_type(c, t)
    elif roll < 0.68 and c.has("address_initialisers") and c.has("pointers"):
        t = Pointer(anchored(c))
    texts.append(f"    {declare(t, name)};")
    fields.append(Field(name, t))


def anchored(c: Context) -> Int:
    """An integer type of which there is a global that is never shadowed, for pointer members to point to."""
    t = c.plain_integer_type()
    if not any(c.globals[name].type == t for name in c.anchors):
        name = c.fresh("anchor")
        c.globals[name] = Var(name, t, f"m:{name}", 0)
        c.anchors.add(name)
    return t


def bit_field(c: Context) -> tuple[Int, int]:
    kinds = ["int", "uint", "int", "uint", "char", "uchar", "short", "ushort", "ulong"]
    kinds += ["ullong", "llong"] if c.has("long_longs") else []
    if c.has("bools") and c.chance(0.15):
        return BOOL, 1
    t = INT if not c.has("mixed_integers") else Int(kind := c.pick(kinds), KINDS[kind].spellings[0])
    return t, c.number(1, t.bits)


def union_type(c: Context) -> None:
    """A union of integers for type punning; its first member covers all the others."""
    tag = c.fresh("U")
    members: list[Type] = [ULLONG]
    parts = [Array(UCHAR, 8), Array(Int("ushort", "unsigned short"), 4), Array(INT, 2)] if c.has("arrays") else []
    members += [c.pick(parts) if parts and c.chance(0.5) else c.plain_integer_type() for _ in range(c.number(1, 3))]
    fields = tuple(Field(c.fresh("m"), t) for t in members)
    c.top += [f"union {tag} {{", *(f"    {declare(f.type, f.name)};" for f in fields), "};"]
    c.records.append(Record(f"union {tag}", fields, union=True))


# globals


def global_variables(c: Context, count: int) -> None:
    for name in sorted(c.anchors):
        c.top.append(f"{declare(c.globals[name].type, name)} = {c.number(0, 99)};")
    c.frame = Frame(None, 0)
    global_variable(c, INT)
    if c.has("floats"):
        global_variable(c, c.pick([FLOAT, DOUBLE]))
    for _ in range(count):
        t = global_type(c)
        if sum(scalars(v.type) for v in c.globals.values()) + scalars(t) <= MAXIMAL_SCALARS:
            global_variable(c, t)
    c.top.append("")


def global_type(c: Context) -> Type:
    roll = c.rng.random()
    if roll < 0.25 and c.records:
        r = c.pick(c.records)
        return Array(r, c.number(2, 3)) if c.has("arrays") and c.chance(0.3) else r
    if roll < 0.5 and c.has("arrays"):
        return array_type(c, c.scalar_type())
    if roll < 0.62 and c.has("address_initialisers") and c.has("pointers"):
        targets = [v.type for v in c.globals.values() if v.writable and not v.volatile]
        t = c.pick(targets) if targets else INT
        if isinstance(t, Array):
            return Pointer(t.element, c.number(1, t.length))
        if isinstance(t, Pointer) and not c.has("pointer_to_pointer"):
            return INT
        return Pointer(t)
    return c.scalar_type()


def global_variable(c: Context, t: Type) -> None:
    name = c.fresh("g")
    const = c.has("qualifiers") and c.chance(0.06) and isinstance(t, Int | Float | Array)
    volatile = c.has("qualifiers") and c.chance(0.06) and isinstance(t, Int | Float)
    prefix = c.pick(["static ", "", ""]) + ("const " if const else "") + ("volatile " if volatile else "")
    if isinstance(t, Pointer) and not any(is_target(v, t) for v in c.globals.values()):
        t = INT
    needed = const or isinstance(t, Pointer) or c.chance(0.8) or any_pointer(t)
    text = f" = {static_text(c, t)}" if needed else ""
    c.top.append(f"{prefix}{declare(t, name)}{text};")
    c.globals[name] = Var(name, t, f"m:{name}", 0, writable=not const, volatile=volatile)


def static_text(c: Context, t: Type) -> str:
    if isinstance(t, Pointer):
        targets = [v for v in c.globals.values() if is_target(v, t)]
        v = c.pick(targets)
        if v.type == t.target and t.extent == 1:
            return f"&{v.name}"
        assert isinstance(v.type, Array)
        at = c.number(0, v.type.length - t.extent)
        return c.pick([f"&{v.name}[{at}]", f"{v.name} + {at}"]) if c.has("pointer_arithmetic") or at else v.name
    return initialiser(c, t, static=True)[0]


def is_target(v: Var, t: Pointer) -> bool:
    if not v.writable or v.volatile:
        return False
    if v.type == t.target and t.extent == 1:
        return True
    return isinstance(v.type, Array) and v.type.element == t.target and v.type.length >= t.extent


def any_pointer(t: Type) -> bool:
    match t:
        case Array(element, _):
            return any_pointer(element)
        case Record(_, fields, _):
            return any(any_pointer(f.type) for f in fields)
        case Pointer() | FunctionPointer():
            return True
        case _:
            return False


def global_function_pointers(c: Context) -> None:
    """Variables and struct members that hold functions, for main to call through and to change."""
    options = [f for f in c.functions if isinstance(f.result, Int) and not f.limits]
    options = [f for f in options if not any(isinstance(p, FunctionPointer) for p in f.parameters)]
    if not options or c.chance(0.3):
        return
    f = c.pick(options)
    name = c.fresh("fp")
    c.top.append(f"{declare(f.pointer, name)} = {c.pick(['', '&'])}{f.name};")
    c.globals[name] = Var(name, f.pointer, f"m:{name}", 0)
    if c.has("structs") and c.chance(0.5):
        tag, name = c.fresh("S"), c.fresh("ops")
        fields = (Field("run", f.pointer), Field("count", INT))
        c.top += [f"struct {tag} {{ {declare(f.pointer, 'run')}; int count; }};"]
        c.top += [f"struct {tag} {name} = {{ .run = {f.name}, .count = {c.number(0, 9)} }};"]
        c.globals[name] = Var(name, Record(f"struct {tag}", fields), f"m:{name}", 0)


# main and the checksum


def main_function(c: Context, size: int) -> list[str]:
    c.frame = Frame(INT, MAIN_BUDGET, main=True)
    c.frame.scopes.append({})
    statements(c, 3, c.number(size // 2, size + size // 2))
    settle(c)
    return finished(c)


def finished(c: Context) -> list[str]:
    c.emit("checksum_globals();")
    c.emit("__VERIFIER_checksum(__checksum);")
    c.emit("return 0;")
    return ["int main(void) {", *c.frame.lines, "}"]


def checksum_function(c: Context) -> list[str]:
    """Fold every global into the checksum: arrays by loops, structs by members, pointers by what they point to."""
    lines = ["static void checksum_globals(void) {"]
    for v in c.globals.values():
        fold(v.name, v.type, 1, lines)
    return [*lines, "}", ""]


def fold(text: str, t: Type, level: int, lines: list[str]) -> None:
    pad = "    " * level
    match t:
        case Int():
            lines.append(f"{pad}mix((unsigned long long){text});")
        case Float(spelling):
            kind = "float" if spelling == "float" else "double"
            lines.append(f"{pad}mix_{kind}({text});")
        case Array(element, length):
            i = f"i{level}"
            lines.append(f"{pad}for (int {i} = 0; {i} < {length}; {i}++) {{")
            fold(f"{text}[{i}]", element, level + 1, lines)
            lines.append(f"{pad}}}")
        case Record(_, fields, union):
            for f in fields[:1] if union else fields:
                fold(f"{text}.{f.name}" if f.name else text, f.type, level, lines)
        case Pointer(target, _, _, _):
            if isinstance(target, Int | Float | Pointer):
                fold(f"(*{text})", target, level, lines)
        case FunctionPointer():
            pass


def main() -> None:
    parser = argparse.ArgumentParser(prog="cfuzz.generate", description="Print the random C program of a seed.")
    parser.add_argument("seed", type=int)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--without", action="append", default=[], metavar="FEATURE")
    arguments = parser.parse_args()
    print(generate(arguments.seed, size=arguments.size, features=ALL.without(*arguments.without)))


if __name__ == "__main__":
    main()
