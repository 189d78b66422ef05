"""Calls of the C library whose results the standard fixes: strings, characters, numbers, sorting."""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.expressions import integer
from cfuzz.idioms import WORDS, fold
from cfuzz.statements import mix, pattern

TEXTS = ("abcabd", "a b,c", "  12 34", "xyzzy", "\\x7f\\200z", "0x1F", "Hello, World", "")
PARTS = ("a", "b", "ab", "bd", " ", ",", "z", "", "lo", "\\200")
NUMBERS = ("12", "-7", "  +42x", "0x1Fz", "077", "z", "", "99999", "-0", "1e3", " \\t8 9")
CLASSES = "isalpha isdigit isalnum isspace isupper islower ispunct isprint iscntrl isxdigit isgraph".split()


def offset(text: str, base: str) -> str:
    """A pointer that a search gave, as a number."""
    return f"({text} ? (unsigned long long)({text} - {base}) : 99)"


@pattern(2, "library_strings")
def string_search(c: Context, depth: int) -> bool:
    if not c.affords(120):
        return False
    name, at = c.fresh("s"), c.fresh("at")
    part = c.pick(PARTS)
    letter = c.pick(["'a'", "'b'", "' '", "'\\0'", "'z'", "(char)0200"])
    with c.block():
        c.emit(f'char {name}[24] = "{c.pick(TEXTS)}";')
        for _ in range(c.number(1, 4)):
            c.spend(20)
            search = c.pick(
                [
                    f"strrchr({name}, {letter})",
                    f"strchr({name}, {letter})",
                    f'strstr({name}, "{part}")',
                    f'strpbrk({name}, "{part}")',
                    f"(char *)memchr({name}, {letter}, {c.number(0, 24)})",
                ]
            )
            c.emit(f"{{ char *{at} = {search}; mix({offset(at, name)}); }}")
            c.emit(
                c.pick(
                    [
                        f'mix(strspn({name}, "{part}{c.pick(PARTS)}"));',
                        f'mix(strcspn({name}, "{part}"));',
                        f"mix(strnlen({name}, {c.number(0, 20)}));",
                        f'if (strlen({name}) < 12) strncat({name}, "{c.pick(TEXTS[:4])}", {c.number(0, 4)});',
                        f'mix((unsigned long long)sign(memcmp({name}, "abcab", {c.number(0, 5)})));',
                    ]
                )
            )
        fold(c, name, f"(int)strlen({name}) + 1")
    return True


@pattern(1, "library_strings")
def string_copy(c: Context, depth: int) -> bool:
    """Copies on the heap."""
    if not c.affords(60) or not c.has("heap"):
        return False
    name = c.fresh("copy")
    c.spend(30)
    with c.block():
        c.emit(f'char *{name} = strdup("{c.pick(TEXTS)}");')
        with c.block(f"if ({name})"):
            c.emit(f"if ({name}[0]) {name}[0]++;")
            fold(c, name, f"(int)strlen({name}) + 1")
        c.emit(f"free({name});")
    return True


@pattern(1.5, "ctype")
def characters(c: Context, depth: int) -> bool:
    with c.quiet():
        value = integer(c, 1)
    name = c.fresh("ch")
    with c.block():
        c.emit(f"int {name} = (int)({value} & 127);")
        for _ in range(c.number(1, 3)):
            mix(c, f"!!{c.pick(CLASSES)}({name})")
        mix(c, f"{c.pick(['toupper', 'tolower'])}({name})")
    return True


@pattern(1, "ctype")
def character_loop(c: Context, depth: int) -> bool:
    if not c.affords(120):
        return False
    at, total = c.fresh("at"), c.fresh("total")
    c.spend(60)
    word = c.pick([w for w in (*TEXTS, *WORDS) if "\\" not in w])
    test = c.pick(CLASSES)
    with c.block():
        c.emit(f"unsigned {total} = 0;")
        loop = f'for (const char *{at} = "{word}"; *{at}; {at}++)'
        c.emit(f"{loop} {total} = {total} * 3 + ({test}((unsigned char)*{at}) ? toupper(*{at}) : 1);")
        mix(c, total)
    return True


@pattern(1.5, "library_numbers")
def absolute_values(c: Context, depth: int) -> bool:
    with c.quiet():
        value = integer(c, 1)
    mix(c, c.pick([f"abs((int)(({value}) % 1000))", f"labs((long)(({value}) % 1000))"]))
    return True


@pattern(1.5, "library_numbers")
def text_to_number(c: Context, depth: int) -> bool:
    """strtol and its family with the end of what they read, and atoi."""
    if not c.affords(60):
        return False
    c.spend(40)
    text = c.pick(NUMBERS)
    if c.chance(0.4):
        mix(c, f'{c.pick(["atoi", "atol"])}("{text}")')
        return True
    end, begin, value = c.fresh("end"), c.fresh("begin"), c.fresh("value")
    function, result = c.pick([("strtol", "long"), ("strtoul", "unsigned long")])
    with c.block():
        c.emit(f'char {begin}[16] = "{text}", *{end};')
        c.emit(f"{result} {value} = {function}({begin}, &{end}, {c.pick([10, 10, 16, 0, 8, 2])});")
        mix(c, value)
        mix(c, f"{end} - {begin}")
    return True


@pattern(1, "sorting")
def sorting(c: Context, depth: int) -> bool:
    """qsort with an order that leaves no ties to tell, and bsearch for what is there or not."""
    if not c.affords(400):
        return False
    c.spend(200)
    name, order, key = c.fresh("v"), c.fresh("order"), c.fresh("key")
    n = c.number(2, 5)
    c.top.append(
        f"static int {order}(const void *a, const void *b) "
        f"{{ int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }}"
    )
    with c.block():
        c.emit(
            f"int {name}[{n}] = {{ {', '.join(str(c.number(-9, 9)) for _ in range(n))} }}, {key} = {c.number(-9, 9)};"
        )
        c.emit(f"qsort({name}, {n}, sizeof {name}[0], {order});")
        fold(c, name, n)
        c.emit(f"mix(bsearch(&{key}, {name}, {n}, sizeof {name}[0], {order}) != 0);")
    return True
