"""Evaluation order: one value where C fixes it, every value where it does not, no value where it is undefined.

gcc's result must always be among ours; the whole set is what the standard says (C11 6.5, 6.5.2.2, 6.7.9).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedError, ReachedUnmodelled
from craton.program.specification import DEFAULT, Specification

PRELUDE = """
extern void __VERIFIER_checksum(unsigned long long), exit(int), *memcpy(void *, const void *, unsigned long);
extern unsigned long strlen(const char *); extern char *strcpy(char *, const char *);
typedef __builtin_va_list va_list;
void reach_error(void) {}
struct S { int a, b, v[3]; }; struct S s, t;
int x, y, n, a[8]; int *p = a, *q = &x; char text[8];
static int inc(void) { return ++x; }
static int twice(void) { return x *= 2; }
static int get(void) { return x; }
static int pair(int i, int j) { return i * 10 + j; }
static int three(int i, int j, int k) { return i * 100 + j * 10 + k; }
static int *next(void) { return ++p; }
static int through(int *r) { return *r += 5; }
static int quiet(int i) { return i + 1; }
static int counted(void) { static int c; return ++c; }
static struct S changed(void) { s.a = 7; return s; }
static int first(struct S u, int k) { return u.a * 10 + k; }
static int (*select(void))(void) { x = 5; return get; }
static int sum(int count, ...) {
    va_list l; int r = 0; __builtin_va_start(l, count); while (count--) r = r * 10 + __builtin_va_arg(l, int);
    __builtin_va_end(l); return r;
}
static int spread(int count, ...) {
    va_list l; __builtin_va_start(l, count); int r = __builtin_va_arg(l, int) * 10 + __builtin_va_arg(l, int);
    __builtin_va_end(l); return r;
}
"""

# What C fixes.
FIXED = {
    "comma": ("x = 1; int r = (x++, x + 5); return r;", 7),
    "comma, assigned to itself": ("x = 1; x = (x++, x + 5); return x;", 7),
    "and": ("x = 0; int r = inc() == 1 && inc() == 2; return r * 10 + x;", 12),
    "or": ("x = 0; int r = inc() == 1 || inc() == 2; return r * 10 + x;", 11),
    "condition before its arms": ("x = 1; return inc() ? x : -1;", 2),
    "elvis": ("x = 0; int r = inc() ?: 9; return r * 10 + x;", 11),
    "old value of a postfix operator": ("int i = 3; int r = i++; return r * 10 + i;", 34),
    "index once": ("int i = 0; a[i++] += 5; return a[0] * 10 + i;", 51),
    "pointer once": ("p = a; *p++ += 5; return a[0] * 10 + (int)(p - a);", 51),
    "copying strings": ('char b[8], *d = b; const char *f = "hi"; while ((*d++ = *f++)) n++; return n;', 2),
    "store after the call": ("x = 1; x = x * 0 + inc() * 10; return x;", 20),
    "arguments before the call": ("x = 4; int r = through(&x) + quiet(3); return r;", 13),
    "separate variables": ("x = y = 1; int i = 0, j = 5; return i++ + j++ + inc();", 7),
    "members apart": ("struct S *u = &s; u->a = 3; u->b = 1; return u->a++ + u->b--;", 4),
    "elements of one struct": ("struct S *u = &s; u->a = 0; u->v[u->a++] = 4; return s.v[0] * 10 + s.a;", 41),
    "chain of assignments": ("x = y = n = 4; return x + y + n;", 12),
    "swap by a literal": ("s.a = 1; s.b = 2; s = (struct S){s.b, s.a}; return s.a * 10 + s.b;", 21),
    "struct of itself in a loop": (
        "struct P { int a, b; } *u = 0; int i = 0; again: u = &(struct P){u ? u->a + 1 : 0, 7};"
        " if (++i < 3) goto again; return u->a;",
        2,
    ),
    "full expressions of declarations": ("x = 0; int i = inc(), j = inc(); return i * 10 + j;", 12),
    "sizeof does not evaluate": ("x = 1; int r = sizeof(inc()) + sizeof(x++); return r * 10 + x;", 81),
    "_Generic does not evaluate": ("x = 1; int r = _Generic(x++, int: 5, default: 6.0); return r * 10 + x;", 51),
    "statement expressions": ("x = 1; int r = ({ int i = inc(); i += inc(); i; }); return r * 10 + x;", 53),
    "postfix in an argument": ("int i = 1; int r = pair(i++, 5); return r * 10 + i;", 152),
    "library calls": ('return (int)strlen(strcpy(text, "abc")) + (int)strlen("de");', 5),
    "bytes of another object": (
        "struct S *u = x ? &s : &t; u->b = 3; s.b = 3; t.a = 1; return s.b-- + ((unsigned char *)&t.a)[0];",
        4,
    ),
    "an object behind its address": (
        "struct S *u = x ? &s : &t; u->b = 3; s.b = 3; t.a = 1; return s.b-- + (*(struct S *)(char *)&t).a + (&t)->a;",
        5,
    ),
    "a number that holds an address": (
        "unsigned long w = (unsigned long)&x; x = 3; *(int *)w += 1; return (x++ ?: 9) + __builtin_popcountl(w & 0);",
        4,
    ),
    "calls that only read": ("x = 3; return get() * 10 + get();", 33),
}
# What C leaves open: all results.
OPEN = {
    "two calls": ("x = 0; return inc() * 10 + inc();", {12, 21}),
    "arguments": ("x = 0; return pair(inc(), inc());", {12, 21}),
    "three arguments": ("x = 0; return three(inc(), inc(), inc());", {123, 132, 213, 231, 312, 321}),
    "different calls": ("x = 1; return inc() * 10 + twice();", {24, 32}),
    "a read and a call": ("x = 1; return x * 10 + inc();", {12, 22}),
    "a read behind a call": ("x = 1; return inc() * 10 + x;", {21, 22}),
    "an assignment and a call": ("x = 0; return (x = 5) * 10 + inc();", {56, 51}),
    "an increment and a call": ("x = 0; int r = x++ * 10 + inc(); return r * 10 + x;", {22, 112}),
    "a call between two reads": ("x = 1; return (x * 10 + inc()) * 10 + x;", {122, 121, 222, 221}),
    "an index and the value": ("x = 1; a[1] = a[2] = 0; a[x] = inc(); return a[1] * 10 + a[2];", {20, 2}),
    "a target and the value": ("p = a; a[0] = a[1] = 0; *p = (int)(next() - a) + 4; return a[0] * 10 + a[1];", {50, 5}),
    "through a pointer": ("x = 1; return *q * 10 + through(&x);", {16, 66}),
    "compound assignment": ("x = 1; x += inc(); return x;", {3, 4}),
    "comparison": ("x = 0; return inc() < inc();", {0, 1}),
    "condition of a branch": ("x = 0; if (inc() < inc()) return 1; return 2;", {1, 2}),
    "a struct and a call": ("s.a = 1; return first(s, changed().a);", {17, 77}),
    "the called function and its argument": ("x = 1; return quiet(0) * 0 + select()() + 0 * x;", {5}),
    "a static of the callee": ("return counted() * 10 + counted();", {12, 21}),
    "through a function pointer": ("int (*f)(void) = inc, (*g)(void) = twice; x = 1; return f() * 10 + g();", {24, 32}),
    "an operand with a choice": ("x = 0; y = 1; return (y ? inc() : 0) * 10 + inc();", {12, 21}),
    "initialisers": ("x = 0; int v[2] = {inc(), inc()}; return v[0] * 10 + v[1];", {12, 21}),
    "designated initialisers": ("x = 0; struct S u = {.b = inc(), .a = inc()}; return u.a * 10 + u.b;", {12, 21}),
    "initialiser that reads": ("x = 1; struct S u = {x, inc()}; return u.a * 10 + u.b;", {12, 22}),
    "variable arguments": ("x = 0; return sum(2, inc(), inc());", {12, 21}),
    "va_arg twice": ("return spread(2, 1, 2);", {12, 21}),
    "nested calls": ("x = 0; return pair(quiet(inc()), quiet(twice()));", {23, 13 + 8}),
    "in a loop": ("int r = 0; for (x = 0; x < 2; ) r = x * 10 + inc(); return r;", {12, 22}),
}
# What C does not define.
UNDEFINED = {
    "read and step": "int i = 1; return i + i++;",
    "two steps": "int i = 1; return i++ + i++;",
    "step and store": "int i = 1; i = i++; return i;",
    "prefix step and store": "int i = 1; i = ++i + 1; return i;",
    "index and step": "int i = 1; a[i] = i++; return a[1];",
    "in arguments": "int i = 1; return pair(i, i++);",
    "two assignments": "int i; return (i = 1) + (i = 2);",
    "compound assignment of itself": "int i = 1; i += i++; return i;",
    "through equal pointers": "int i = 1, *u = &i, *v = &i; return (*u)++ + (*v)++;",
    "equal elements": "int i = 2, j = 2; return a[i]++ + a[j];",
    "a member": "s.a = 1; return s.a + s.a++;",
    "a struct and its member": "return (s = t).a + s.b;",
}
# Where it is undefined only if addresses meet, and they do not.
APART = {
    "different elements": ("int i = 1, j = 2; a[1] = 4; a[2] = 5; return a[i]++ + a[j]++;", 9),
    "different targets": ("int i = 1, j = 2, *u = &i, *v = &j; return (*u)++ * 10 + (*v)++;", 12),
}


def outcomes(body: str, folder: Path, specification: Specification = DEFAULT, more: str = "") -> set[object]:
    """What runs end with: results, "error", or the construct that is not modelled."""
    path = folder / "program.c"
    path.write_text(f"{PRELUDE}{more}\nint main(void) {{ {body} }}\n")
    interpreter = Interpreter(load_c([path], specification, COptions("LP64")))
    found: set[object] = set()
    for seed in range(80):
        outcome = interpreter.run(seed=seed, step_limit=20_000).outcome
        if isinstance(outcome, Exited):
            found.add(outcome.values[0] if outcome.values else "exit")
        elif isinstance(outcome, ReachedUnmodelled):
            found.add(outcome.construct.description)
        else:
            assert isinstance(outcome, ReachedError), outcome
            found.add("error")
    return found


def compiled(body: str) -> int | None:
    if not oracle.models():
        return None
    source = f"{PRELUDE}\nstatic int result(void) {{ {body} }}\nint main(void) {{ __VERIFIER_checksum(result()); }}\n"
    outcome = oracle.run(source, (), oracle.Model.LP64)
    assert isinstance(outcome, oracle.Checksum), outcome
    return outcome.value


@pytest.mark.parametrize("name", [*FIXED, *APART])
def test_what_c_fixes_has_one_result(name: str, tmp_path: Path) -> None:
    body, expected = {**FIXED, **APART}[name]
    assert outcomes(body, tmp_path) == {expected}
    assert compiled(body) in (expected, None)


@pytest.mark.parametrize("name", OPEN)
def test_what_c_leaves_open_has_every_result(name: str, tmp_path: Path) -> None:
    body, expected = OPEN[name]
    assert outcomes(body, tmp_path) == expected
    assert compiled(body) in {*expected, None}


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined_has_no_result(name: str, tmp_path: Path) -> None:
    (found,) = outcomes(UNDEFINED[name], tmp_path)
    assert isinstance(found, str) and "undefined behaviour" in found


def test_a_violation_comes_before_an_end_where_the_order_is_open(tmp_path: Path) -> None:
    """Whichever operand a compiler evaluates first: the error is looked for."""
    more = "static int leaves(void) { exit(0); return 1; } static int fails(void) { reach_error(); return 2; }"
    assert "error" in outcomes("return leaves() + fails();", tmp_path, more=more)
    assert "error" in outcomes("return fails() + leaves();", tmp_path, more=more)


def test_checks_of_the_text_come_before_an_end(tmp_path: Path) -> None:
    more = "static int leaves(void) { exit(0); return 1; }"
    overflow, deref = Specification(overflow=True), Specification(deref=True)
    assert "error" in outcomes("int i = 2147483647; return leaves() + (i + 1) * 0;", tmp_path, overflow, more)
    assert "error" in outcomes("int *u = 0; return leaves() + *u;", tmp_path, deref, more)


def test_a_call_between_the_parts_of_an_operand_is_not_modelled(tmp_path: Path) -> None:
    (found,) = outcomes("x = 0; return (inc() && inc()) + inc();", tmp_path)
    assert isinstance(found, str) and "evaluation order" in found


@pytest.mark.parametrize("text", ["sizeof(int[n++])", "sizeof(int[n])"])
def test_sizes_of_types_of_variable_length_are_not_guessed(text: str, tmp_path: Path) -> None:
    (found,) = outcomes(f"n = 3; unsigned long r = {text}; return r + n;", tmp_path)
    assert isinstance(found, str) and "variable-length" in found
