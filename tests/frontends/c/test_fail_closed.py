"""What is not modelled is named where control comes to it; what is modelled does what gcc makes of it."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.errors import CratonError
from craton.frontends.c import COptions, load_c
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.program.cfa import UNREACH, Unmodelled
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Blocked, Exited, Outcome, ReachedError, ReachedUnmodelled
from craton.program.specification import Specification
from support.c_texts import loaded

MODELS = oracle.models()


def outcome(text: str, folder: Path, model: str = "LP64") -> Outcome:
    return Interpreter(loaded(text, folder, model)).run(seed=0).outcome


def exit_value(text: str, folder: Path, model: str = "LP64") -> object:
    found = outcome(text, folder, model)
    assert isinstance(found, Exited) and found.values is not None, found
    return found.values[0]


# Each is a whole program whose exit value tells what it did.
MODELLED = {
    "cleanup at the end of a block": """
        int g; void c(int *p) { g = 10 * g + *p; }
        int main(void) { { int a __attribute__((cleanup(c))) = 1, b __attribute__((cleanup(c))) = 2; } return g; }
    """,
    "cleanup out of a macro": """
        #define AUTO __attribute__((__cleanup__(c)))
        int g; void c(int *p) { g += *p; } int main(void) { { AUTO int a = 7; a++; } return g; }
    """,
    "cleanup at break and continue": """
        int g; void c(int *p) { g = 3 * g + *p; }
        int main(void) {
          for (int i = 0; i < 4; i++) {
            int a __attribute__((cleanup(c))) = i;
            if (i == 1) continue;
            { int b __attribute__((cleanup(c))) = 2; if (i == 2) break; }
          }
          return g; }
    """,
    "cleanup at goto, forwards and backwards": """
        int g; void c(int *p) { g = 3 * g + *p; }
        int main(void) { int n = 0;
          again: { int a __attribute__((cleanup(c))) = 1; if (n++ < 2) goto again; if (n == 3) goto out; g = 100; }
          out: return g; }
    """,
    "cleanup back over the declaration": """
        int g; void c(int *p) { g = 3 * g + *p; }
        int main(void) { { int n = 0; again:; int a __attribute__((cleanup(c))) = 1; if (n++ < 2) goto again; }
          return g; }
    """,
    "cleanup at return keeps the value": """
        int g = 5; void c(int **p) { g = 77; }
        int f(void) { int *a __attribute__((cleanup(c))) = &g; return *a; }
        int main(void) { return f() + g; }
    """,
    "cleanup in a statement expression": """
        int g; void c(int *p) { g += *p; *p = 9; }
        int main(void) { int x = ({ int a __attribute__((cleanup(c))) = 4; a + 1; }); return 10 * x + g; }
    """,
    "cleanup of a loop's variable": """
        int g; void c(int *p) { g = 10 + *p; }
        int main(void) { for (int i __attribute__((cleanup(c))) = 0; i < 5; i++) if (i == 3) break; return g; }
    """,
    "constructors by priority and text": """
        int g;
        __attribute__((constructor)) static void a(void) { g = 3 * g + 1; }
        __attribute__((constructor(300))) void b(void) { g = 3 * g + 2; }
        void c(void) __attribute__((constructor(200))); void c(void) { g = 3 * g; }
        __attribute__((constructor)) void d(void) { g = 3 * g + 2; }
        int main(void) { return g; }
    """,
    "aliases of functions and variables": """
        int a = 5; extern int b __attribute__((alias("a")));
        static int f(void) { return ++a; } int h(void) __attribute__((weak, alias("f")));
        int main(void) { b += 10; h(); return a + (h == f) + (&a == &b); }
    """,
    "names by asm labels": """
        int g; int real(void) { g = 1; return 7; } int fake(void) __asm__("real");
        int v __asm__("vv") = 3; extern int w __asm__("vv");
        int main(void) { w += 2; return fake() + 10 * g + v; }
    """,
    "a weak function that nobody defines": """
        extern int opt(void) __attribute__((weak)); int main(void) { return opt ? opt() : 3; }
    """,
    "a table of functions that are called first": """
        int g; void a(void) { g = 3 * g + 1; } void b(void) { g = 3 * g + 2; }
        __attribute__((section(".init_array"), used)) static void (*const p[])(void) = { a, &b, a };
        __attribute__((constructor(200))) void early(void) { g = g * 3 + 1; }
        int main(void) { return g; }
    """,
    "registers that nobody uses": """
        register int r asm("r12"); register unsigned long q __asm__ ("rbx");
        int main(void) { return 3; }
    """,
    "pointers through empty asm": """
        int f(void) { return 3; }
        int main(void) { int x = 1, *p = &x, *q; int (*g)(void) = f, (*h)(void);
          __asm__("" : "=r"(q) : "0"(p)); *q = 5; __asm__("" : "=r"(h) : "0"((unsigned long)g));
          __asm__ goto ("" : : : : on); x++; on: return x * 10 + h(); }
    """,
    "empty asm": """
        #define barrier() __asm__ __volatile__("" ::: "memory")
        #define HIDE(x) __asm__("" : "=r"(x) : "0"(x))
        int main(void) { int x = 4, y = 1; long z; barrier(); HIDE(x); __asm__("" : "+r"(y));
          __asm__ volatile ("nop"); __asm__("" : [out] "=r"(z) : "[out]"(5L)); return x + y + (int)z; }
    """,
    "tables of labels": """
        int run(const char *code) {
          static const void *const ops[] = { &&halt, &&inc, &&dec }; int acc = 0; goto *ops[*code++];
          inc: acc++; goto *ops[*code++]; dec: acc--; goto *ops[*code++]; halt: return acc; }
        int main(void) { char p[] = { 1, 1, 1, 2, 0 }; return run(p); }
    """,
    "tables of distances of labels": """
        int f(int i) { static const int d[] = { &&a - &&a, &&b - &&a, &&c - &&a }; goto *(&&a + d[i]);
          a: return 1; b: return 2; c: return 3; }
        int main(void) { return 100 * f(0) + 10 * f(1) + f(2) - 100; }
    """,
    "local labels": """
        #define FIND(a, n, v) ({ __label__ found; int r = -1; \\
          for (int i = 0; i < n; i++) if (a[i] == v) { r = i; goto found; } found: r; })
        int a[3] = { 5, 6, 7 };
        int main(void) { int x = FIND(a, 3, 6), y = FIND(a, 3, 7); void *p; { __label__ l; p = &&l; goto *p; l:; }
          return 10 * x + y; }
    """,
    "attributes that change nothing": """
        #define pure_ __attribute__((pure, noinline, unused, cold))
        static pure_ int f(int a __attribute__((unused))) __attribute__((nothrow)); static int f(int a) { return a; }
        int v __attribute__((aligned(32), section(".mine"), used)) = 4;
        struct __attribute__((packed)) S { char c; int i; } s __attribute__((visibility("hidden")));
        int main(void) { switch (f(1)) { case 1: v++; __attribute__((fallthrough)); case 2: v++; }
          return v + sizeof s; }
    """,
    "modes": "int m __attribute__((mode(DI))); int main(void) { m = 1LL << 40; return (m >> 38) + sizeof m; }",
    "what is not modelled and not reached": """
        int f(void) { _Complex double z = 1; return __real__ z; }
        int main(int argc, char **argv) { int n = 3; if (n == 4) { __asm__ goto ("jmp %l0" :::: on); on: return f(); }
          return n; }
    """,
    "members come to from others of their struct": """
        typedef unsigned long N; extern char *strcpy(char *, const char *);
        extern void *malloc(N), *memset(void *, int, N), *memcpy(void *, const void *, N);
        struct S { char tag, name[4], end; } *s; struct I { int a, b, c; } *i; struct A { int a[2], b[2]; } *a;
        struct A x, y; struct B { int a[2], b[2]; } z; struct C { int a, b; } *v; char *up(char *n) { return n - 1; }
        int main(void) { int r;
          s = malloc(sizeof *s); i = malloc(sizeof *i); a = malloc(sizeof *a); v = malloc(sizeof *v);
          *up(s->name) = 1; strcpy(s->name + 1, "ab\2"); i->c = 9; memset(&i->b, 0, sizeof *i - sizeof i->a);
          a->b[0] = 2; int *p = a->a; for (r = 0; r < 3; r++) *p++ = 5; x.b[1] = 7; memcpy(&y.a[1], &x.a[1], 12);
          z.b[0] = 1; *(&z.a[r - 1]) = 6; v->b = 1; (*(int (*)[2])&v->a)[1] = 8;
          return s->tag + s->end + i->c + a->b[0] + y.b[1] + z.b[0] + v->b; }
    """,
    "calls through pointers of types that fit": """
        int f(const char *s, unsigned n) { return s[n]; } void g(void *p) { *(int *)p = 5; }
        int main(void) { int x; int (*p)(char *, int) = (int (*)(char *, int))f; void (*q)(int *) = (void (*)(int *))g;
          int (*r)() = (int (*)())f; q(&x); ((void (*)(const char *, unsigned))f)("a", 0);
          return p("abc", 1) + x + r("abc", 2); }
    """,
}


@pytest.mark.skipif(not MODELS, reason="no C compiler")
@pytest.mark.parametrize("name", MODELLED)
def test_what_is_modelled_is_what_gcc_makes_of_it(name: str, tmp_path: Path) -> None:
    model = max(MODELS, key=lambda each: each.value)
    binary = oracle.compiled(MODELLED[name], model, tmp_path / "native")
    expected = subprocess.run([binary], timeout=20).returncode
    value = exit_value(MODELLED[name], tmp_path, model.name)
    assert isinstance(value, int) and value & 255 == expected


SIZES = (
    "extern void *memset(void *, int, __SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__);"
    " struct S { int a, b, c; } s, t; "
)
# Each comes to what is not modelled in its `line`-th line.
UNMODELLED = [
    ("asm", 2, 'int main(void) { { __label__ on;\n __asm__ goto ("jmp %l0" : : : : on); on:; } on: return 1; }'),
    ("memory", 2, 'int g, *p = &g; int main(void) {\n __asm__ ("movl $7, (%0)" : : "r"(&p) : "memory"); return *p; }'),
    ("memory", 2, 'void f(void) {} int main(void) {\n __asm__ ("call f"); return 0; }'),
    ("pointers", 2, 'int main(void) { int x, *p = &x, *q;\n __asm__ ("mov %1, %0" : "=r"(q) : "r"(p)); return *q; }'),
    ("memory", 2, 'int main(void) { int k, *p = &k, **q = &p;\n __asm__ ("incl (%0)" : : "r"(*q)); return k; }'),
    ("memory", 2, 'void f(void) {} int main(void) { void (*p)(void) = f;\n __asm__ ("call *%0" : : "r"(p)); }'),
    ("memory", 2, 'int k; int main(void) {\n __asm__ ("movq $1, %0" : "=m"(k)); return k; }'),
    ("memory", 2, 'int main(void) { int k = 0;\n __asm__ ("incl %0" : : "m"(k)); return k; }'),
    ("constant", 2, "static const int k = 3; int main(void) {\n *(int *)&k = 4; return k; }"),
    ("constant", 2, "void f(int *p) {\n *p = 4; } int main(void) { static const int k[2]; f(&k[1]); return k[1]; }"),
    ("no input gives", 2, 'int main(void) { int x;\n __asm__ ("" : "=r"(x)); return x; }'),
    ("naked", 2, "__attribute__((naked)) void f(void); int main(void) {\n f(); return 0; }"),
    ("weak", 2, "extern int f(void) __attribute__((weak)); int main(void) {\n return f(); }"),
    ("weak", 2, "extern int v __attribute__((weak)); int main(void) {\n return v; }"),
    ("register", 2, 'int main(void) {\n register int r asm("ebx") = 1;\n return r; }'),
    ("register", 3, 'int a; register int r asm("r12"), s asm("r13");\nint main(void) {\n r = 5; return r; }'),
    ("linker", 2, "extern int __start_mine[]; int main(void) {\n return __start_mine[0]; }"),
    ("pointer", 2, "int f(int a) { return a; } int (*p)() = (int (*)())f; int main(void) {\n return p(1, 2); }"),
    ("pointer", 2, "int f(int a) { return a; } int main(void) {\n return ((int (*)(double))f)(1.0); }"),
    ("pointer", 2, "double f(int a) { return a; } int main(void) {\n return ((int (*)(int))f)(1); }"),
    ("passed", 2, "int f(); int main(void) {\n return f(1); } int f(a) double a; { return a; }"),
    ("memset", 2, "extern void *memset(); int main(void) { char c = 1;\n memset(&c); return c; }"),
    ("memset", 2, "extern void *memset(void *); int main(void) { char c = 1;\n memset(&c); return c; }"),
    ("no multiple", 2, SIZES + "int main(void) { int n = 22;\n memset(&s, 0, (unsigned char)(n * sizeof s)); }"),
    ("no multiple", 2, SIZES + "int main(void) { unsigned n = 357913942;\n"
     " memcpy(&s, &t, n * (unsigned)sizeof s); }"),
    ("format", 2, 'int scanf(const char *, ...); int main(void) { int x; char *f = "%d";\n return scanf(f, &x); }'),
    ("format", 2, 'int scanf(const char *, ...); int main(void) { char *p;\n return scanf("%ms", &p); }'),
    ("computed goto", 2, "int main(void) { void *p = 0; if (p) p = &&l;\n goto *p; l: return 0; }"),
    ("_Complex", 3, "struct Z { _Complex double z; struct Z *n; };\nint f(struct Z *p) { return p->n == 0; }\n"
     "int main(void) { return f(0); }"),
    ("vector", 3, "typedef int v4 __attribute__((vector_size(16)));\nv4 g = { 1, 2 }; int main(void) {\n"
     " g = g + g; if (0) g = g; return 0; }"),
    ("another size", 2, "int main(void) { int v = 0;\n return __builtin_add_overflow(200, 100, (char *)&v); }"),
    ("_Complex", 1, "int f(_Complex double z) { return 0; } int main(void) { return f(1); }"),
    ("_Complex", 2, "int main(void) { int n = 1; switch (n) {\n case 1: { _Complex double z = 1; } case 2: return 1; }"
     " return 2; }"),
    ("declared not to return", 1, "__attribute__((noreturn)) void f(void) {} int main(void) { f(); return 1; }"),
    ("the alignment of a function", 1, "int main(void) { return _Alignof(main); }"),
]  # fmt: skip


@pytest.mark.parametrize(("construct", "line", "text"), UNMODELLED)
def test_what_is_not_modelled_is_named_with_its_line(construct: str, line: int, text: str, tmp_path: Path) -> None:
    program = loaded(text, tmp_path)
    found = [each for each in program.errors.values() if isinstance(each, Unmodelled)]
    assert any(construct in each.description and each.where is not None and each.where.line == line for each in found)
    run = Interpreter(program).run([1] * 4, seed=0).outcome
    assert isinstance(run, ReachedUnmodelled), run


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (
            "scalar_storage_order",
            'struct __attribute__((scalar_storage_order("big-endian"))) S { int i; }; struct S s;',
        ),
        ("weak", "\n#pragma weak f\nvoid f(void);"),
        ("STDC FLOAT_CONST_DECIMAL64", "\n#pragma STDC FLOAT_CONST_DECIMAL64 ON\n"),
        ("__FLT64_MANT_DIG__", "/* gcc has it */\n#ifndef __FLT64_MANT_DIG__\nint x;\n#endif\n"),
        ("STDC FENV_ROUND", '_Pragma("STDC FENV_ROUND FE_UPWARD")'),
        ("changes arithmetic", '#pragma GCC optimize ("fast-math")\n'),
        ("changes arithmetic", '__attribute__((noinline, __optimize__("wrapv"))) int f(void);'),
        ("changes arithmetic", '__attribute__ ( ( optimize ("O2", "fast-math") ) ) int f(void);'),
        ("changes arithmetic", '#define FAST optimize("fast-math")\n__attribute__((FAST)) int f(void);'),
        ("changes arithmetic", '#pragma GCC \\\n optimize "Ofast"\n'),
        ("changes arithmetic", '#define O(x) __attribute__((optimize(x)))\nO("fast-math") int f(void);'),
        ("changes arithmetic", '#define OPT optimize\n__attribute__((OPT("fast-math"))) int f(void);'),
        ("changes arithmetic", '__attribute__((optimize("fa" "st-math"))) int f(void);'),
        ("changes arithmetic", '#pragma GCC optimize "f\\141st-math"\n'),
        ("changes arithmetic", '#pragma GCC target("fpmath=387")\n'),
        ("target", '__attribute__((target("fpmath=387"))) double f(double a) { return a * 3; }'),
        ("weak", "#/**/pragma/**/weak f\nvoid f(void);"),
        ("weak", "%:pragma \\\n weak f\nvoid f(void);"),
        ("weak", '_Pragma(L"weak f") void f(void);'),
        ("a macro makes", "#define P(x) _Pragma(#x)\nP(weak f) void f(void);"),
        ("ms_struct", "#pragma ms_struct on\n"),
        ("options", "#pragma options align=packed\n"),
        ("clang", "#pragma clang attribute push(__attribute__((constructor)), apply_to = function)\n"),
        ("copy", "__attribute__((constructor)) void f(void) {}\n__attribute__((copy(f))) void g(void) {}"),
        ("asm outside", '__asm__(".globl foo");'),
        ("ctors", 'void f(void) {} __attribute__((section(".ctors"), used)) static void (*p)(void) = f;'),
        ("init_array", 'void f(void) {} __attribute__((section(".init_array"))) static void (*p)(void) = f;'),
    ],
)
def test_attributes_of_unknown_meaning_are_refused_by_name(attribute: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(CratonError, match=attribute) as caught:
        loaded(f"{text} int main(void) {{ return 0; }}", tmp_path)
    assert re.search(r"program.c:(?:[12]:)?", str(caught.value))


def test_headers_of_the_program_are_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "options.h").write_text("int x;\n#pragma weak f = g\n")
    with pytest.raises(CratonError, match=r"options.h:2: the pragma `weak`"):
        loaded('#include "options.h"\nint main(void) { return 0; }', tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        '#define P(x) _Pragma(#x)\nP(GCC diagnostic ignored "-Wall") P(pack(1))',
        '__attribute__((optimize("O2", "no-inline"), noinline)) int f(void);',
        '__attribute__((target("avx2,no-sse4.1,arch=haswell"))) int f(void) { return 1; }',
        '#pragma GCC target("avx2", "bmi")\n#pragma GCC optimize (3)\n#pragma clang diagnostic pop\n',
        '/* #pragma weak f */ char *s = "#pragma weak"; // _Pragma("weak f")\nint weak;',
        "int optimize(int target) { return target; }",
        '#pragma once\n#pragma pack()\n#pragma\n_Pragma("")',
    ],
)
def test_pragmas_and_options_that_change_nothing(text: str, tmp_path: Path) -> None:
    assert loaded(f"{text} int main(void) {{ return 0; }}", tmp_path).main.edges


@pytest.mark.parametrize(
    "text",
    [
        "x = _Generic(s.narrow, int: 1, default: 2);",  # gcc: 2, clang: 1
        "x = _Generic((0, s.wide), long long: 1, default: 2);",
        "typeof(s.wide + 0) y = 1LL << 40; x = y;",  # gcc: 0
        "__auto_type y = s.wide + 0; x = y * 4;",
        "typedef __typeof__(-s.wide) T; x = (T)(1LL << 40);",
        "x = ({ int i = 1; s.wide; }) << 1;",
        "x = (s.wide ?: 1) << 1;",
        "switch (s.wide + 0) { case 1LL << 40: x = 1; }",
        "if (!__builtin_types_compatible_p(__typeof__(s.wide + 0), long long)) x = 1;",
        "struct { __typeof__(s.wide + 0) w; } t; t.w = 1LL << 40; x = t.w;",
    ],
)
def test_types_of_bit_fields_that_programs_ask_for_are_not_modelled(text: str, tmp_path: Path) -> None:
    text = f"""
        struct {{ long long wide : 35; int narrow : 5; }} s; long long x;
        int main(void) {{ {text} return 0; }}
    """
    assert isinstance(outcome(text, tmp_path), ReachedUnmodelled)


@pytest.mark.parametrize(
    "text",
    [
        "int f(float x) { return (int)x; } int main(void) { int (*p)() = (int (*)())f; return p(1.0f); }",
        "int f(_Bool x) { return *(char *)&x; } int main(void) { int (*p)() = (int (*)())f; return p(2); }",
        "int f(x) int x; { return x; } int main(void) { return f(2.5); }",
    ],
)
def test_arguments_without_a_prototype_come_as_they_are(text: str, tmp_path: Path) -> None:
    """gcc: a double in place of a float, 2 in place of a truth value, another register."""
    assert isinstance(outcome(text, tmp_path), ReachedUnmodelled)


@pytest.mark.parametrize(
    "text",
    [
        "struct t { __typeof__(s.wide + 0) w; } t; int main(void) { t.w = 1LL << 40; return t.w == 0; }",
        "typedef __typeof__(s.wide + 0) T; T w[2] = {1LL << 40}; int main(void) { return w[0] == 0; }",
        "__typeof__(s.wide + 0) w = 1LL << 40; int main(void) { return w == 0; }",
        "int f(__typeof__(s.wide + 0) w) { return w == 0; } int main(void) { return f(1LL << 40); }",
        "__typeof__(s.wide + 0) f(void) { return 1LL << 40; } int main(void) { return f() == 0; }",
    ],
)
def test_types_of_bit_fields_are_asked_for_outside_of_bodies(text: str, tmp_path: Path) -> None:
    """gcc: 1, as they have 35 bits."""
    with suppress(Unsupported):
        found = outcome(f"struct {{ long long wide : 35; }} s; {text}", tmp_path)
        assert isinstance(found, ReachedUnmodelled), found


_PASSING = """
    struct s { int a[2]; }; struct s made(int x) { struct s r = {{x, x + 10}}; return r; } int f(int n); int *kept;
    int use(int *p, int n) { int r = f(n); return p[1] + r; }
"""


@pytest.mark.parametrize(
    ("text", "specification"),
    [
        ("int f(int n) { return n == 0 ? 0 : made(n).a[f(n - 1) & 1]; }", Specification()),  # f(2) is 12
        ("int f(int n) { return n == 0 ? 0 : use(made(n).a, n - 1); }", Specification()),
        ("int f(int n) { kept = made(n).a; return *kept; }", Specification(deref=True)),
    ],
)
def test_structs_that_are_values_live_as_long_as_an_expression(
    text: str, specification: Specification, tmp_path: Path
) -> None:
    (tmp_path / "program.c").write_text(f"{_PASSING} {text} int main(void) {{ return f(2); }}")
    run = Interpreter(load_c([tmp_path / "program.c"], specification)).run().outcome
    assert isinstance(run, ReachedUnmodelled), run


def test_records_that_compilers_lay_out_differently_are_refused(tmp_path: Path) -> None:
    text = "struct __attribute__((ms_struct)) S { char a : 3; int b : 4; } s; int main(void) { return s.b; }"
    with pytest.raises(CratonError, match="ms_struct"):
        loaded(text, tmp_path)


def test_attributes_in_texts_are_none(tmp_path: Path) -> None:
    text = """
        void reach_error(void) {} int n;
        __attribute__((deprecated("x))) __attribute__((constructor))"))) void f(void) { n = 1; }
        int main(void) { if (n == 0) reach_error(); return 0; }
    """
    assert isinstance(outcome(text, tmp_path), ReachedError)


def test_constructors_with_priorities_in_brackets(tmp_path: Path) -> None:
    text = """
        void reach_error(void) {} int n;
        [[gnu::constructor(1001)]] void g(void) { n = n * 10 + 2; }
        [[gnu::constructor(200)]] void f(void) { n = n * 10 + 1; }
        int main(void) { if (n == 12) reach_error(); return 0; }
    """
    assert isinstance(outcome(text, tmp_path), ReachedError)


def test_what_rests_on_the_compiler_is_assumed_and_said(tmp_path: Path) -> None:
    said = loaded(
        """
        int g; __attribute__((const)) int f(int x) { return g++ + x; }
        __attribute__((pure)) int h(int x) { int y = x; y++; return y + g; }
        int whole(double d) { return (int)d + (int)2.5; }
        int main(void) { if (h(1) == 5) __builtin_unreachable(); return f(1) + whole(f(1)) + __builtin_constant_p(g); }
        """,
        tmp_path,
    ).assumptions
    for name in ("f has no effects", "__builtin_unreachable", "__builtin_constant_p", "floats that do not fit"):
        assert any(name in each for each in said)
    assert not any("h has no effects" in each for each in said)
    constant = "int main(void) { int i = (int)2.5; i += 1; return i; }"
    assert not any("floats" in each for each in loaded(constant, tmp_path).assumptions)


@pytest.mark.parametrize(
    "way", ["return 0;", "exit(0);", "__builtin_exit(0);", "g = 0; exit(++g);", "{ int *p = 0; if (!p) exit(1); }"]
)
def test_destructors_run_when_the_program_ends(way: str, tmp_path: Path) -> None:
    text = f"""
        void reach_error(void) {{}} extern void exit(int); int g;
        __attribute__((destructor)) void last(void) {{ if (g == 2) reach_error(); }}
        __attribute__((destructor)) void first(void) {{ g++; }}
        int main(void) {{ g = 1; {way} }}
    """
    found = outcome(text, tmp_path)
    assert isinstance(found, ReachedError) and found.violated.name == UNREACH.name


@pytest.mark.parametrize("way", ["return 0;", "exit(0);", "e(0);", 'errx(1, "x");', "pthread_exit(0);"])
@pytest.mark.parametrize(("sum_", "reached"), [(7, True), (5, False)])
def test_what_atexit_was_given_runs_before_destructors_and_backwards(
    way: str, sum_: int, reached: bool, tmp_path: Path
) -> None:
    text = f"""
        #include <stdlib.h>
        #include <err.h>
        #include <pthread.h>
        void reach_error(void) {{}} int g; void (*e)(int) = exit;
        void a(void) {{ g = 3 * g + 1; }} void b(void) {{ g = 3 * g + 2; }}
        __attribute__((destructor)) void last(void) {{ if (g == {sum_}) reach_error(); }}
        int main(void) {{ if (atexit(a) || atexit(b)) return 1; {way} }}
    """
    assert isinstance(outcome(text, tmp_path), ReachedError) is reached


@pytest.mark.parametrize(
    "claim",
    [
        "tolower(c) == c",
        "toupper(c) == c",
        "(frexp(1e300 * 1e300, &e), e == 0)",
        "(frexp(z / z, &e), e == 0)",
        "signbit(z - 1) == 1",
        "!signbit(z / z)",
        "copysign(1, -z / z) > 0",
        "signbit(fmax(z, -z)) == 0",
        "(n = z / z, fmax(n, 1) == 1)",
        "difftime(9007199254740993, 9007199254740992) == 0",
        "(now = 0, t = localtime(&now), !t || (t->tm_year = 5, gmtime(&now), t->tm_year == 5))",
        "(errno = 0, localtime(&now), errno == 0)",
        "(errno = 0, asctime(gmtime(&now)), errno == 0)",
        "(errno = 0, mktime(t = gmtime(&now)), errno == 0)",
        "(errno = 0, mblen(text, 1), errno == 0)",
        "(errno = 0, logb(z), errno == 0)",
        "(end = text, strtol(text + 1, &end, 1), end == text)",
        "(realpath(text + 1, text), text[0] == 47)",
        "(errno = 0, fputc(1, stdin), errno == 0)",
        "(errno = 0, getchar(), errno == 0)",
        "posix_memalign(&p, 8, -100) == 0",
        "__builtin_ctz(e - 7) < 32",
    ],
)
def test_what_c_leaves_to_its_library_is_open(claim: str, tmp_path: Path) -> None:
    """The claims are false with some library or compiler."""
    text = f"""
        #include <ctype.h>
        #include <errno.h>
        #include <math.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <time.h>
        void reach_error(void) {{}} time_t now; struct tm *t; void *p; char text[4096] = "/x", *end;
        int main(void) {{ int c = -56, e = 7; double z = 0; double n; if (!({claim})) reach_error(); return 0; }}
    """
    interpreter = Interpreter(loaded(text, tmp_path))
    assert any(isinstance(interpreter.run(seed=seed).outcome, ReachedError) for seed in range(10))


def test_real_asm_gives_its_outputs_anything_and_counterexamples_have_to_be_run(tmp_path: Path) -> None:
    program = loaded(
        '#define OUT(x) : "=r"(x)\nvoid reach_error(void) {}\nint main(void) { int x = 0, y = 1;'
        ' __asm__ ("movl $7, %0" OUT(x)); if (y != 1 || x == 7) reach_error(); return 0; }',
        tmp_path,
    )
    assert "asm" in program.approximated
    assert UNREACH in program.errors.values()


def test_what_is_not_modelled_behind_an_assumption_stays_behind_it(tmp_path: Path) -> None:
    text = (
        "extern void __VERIFIER_assume(int); int main(void) { __VERIFIER_assume(0); _Complex double z = 1; return 0; }"
    )
    assert isinstance(outcome(text, tmp_path), Blocked)


@pytest.mark.parametrize(
    ("declared", "called"),
    [
        ("extern void die(void) __attribute__((noreturn));", "die()"),
        ("__attribute__((__noreturn__, cold)) extern void die(void);", "die()"),
        ("_Noreturn void die(void);", "die()"),
        ("[[noreturn]] void die(int);", "die(1)"),
        ("typedef void stop(void) __attribute__((noreturn)); extern stop die;", "die()"),
        ("void die(void); extern void die(void) __attribute__((noreturn));", "die()"),
        ("extern int (*die(void))(void) __attribute__((noreturn));", "die()"),
    ],
)
def test_what_is_declared_not_to_return_does_not(declared: str, called: str, tmp_path: Path) -> None:
    text = f"{declared} void reach_error(void); int main(void) {{ {called}; reach_error(); return 0; }}"
    assert outcome(text, tmp_path) == Exited(None)


@pytest.mark.parametrize(
    "declared",
    [
        "extern int noreturn(int x);",
        "extern int noreturn(void (*f)(void) __attribute__((noreturn)));",
        "typedef void stop(void) __attribute__((noreturn)); extern stop *noreturn(int x);",
    ],
)
def test_what_only_looks_so_returns(declared: str, tmp_path: Path) -> None:
    text = f"{declared} void reach_error(void); int main(void) {{ noreturn(0); reach_error(); return 0; }}"
    path = tmp_path / "program.c"
    path.write_text(text)
    program = load_c([path], options=COptions("LP64", unknown_functions=UnknownFunctions.PURE))
    assert isinstance(Interpreter(program).run(seed=0).outcome, ReachedError)


def test_a_call_through_a_pointer_that_nobody_set(tmp_path: Path) -> None:
    """Null ends the program; any other value stands for an unknown function."""
    path = tmp_path / "program.c"
    text = "int f(void) { return 1; } int (*p)(void) = (int (*)(void))%d; int main(void) { p(); return 0; p = f; }"
    outcomes = {}
    for value in (0, 1234):
        path.write_text(text % value)
        for mode in (UnknownFunctions.PURE, UnknownFunctions.ARBITRARY):
            program = load_c([path], options=COptions("LP64", unknown_functions=mode))
            outcomes[value, mode] = type(Interpreter(program).run(seed=0).outcome)
    assert outcomes == {
        (0, UnknownFunctions.PURE): Blocked,
        (0, UnknownFunctions.ARBITRARY): Blocked,
        (1234, UnknownFunctions.PURE): Exited,
        (1234, UnknownFunctions.ARBITRARY): ReachedUnmodelled,
    }


def test_an_error_function_that_is_called_through_a_pointer(tmp_path: Path) -> None:
    text = "extern void reach_error(void); void (*h)(void) = reach_error; int main(void) { h(); return 0; }"
    assert isinstance(outcome(text, tmp_path), ReachedError)


def test_a_library_function_without_a_record_is_not_pure(tmp_path: Path) -> None:
    """Also for tasks of a collection, whose rules speak of functions that nobody defines."""
    text = "extern int gettimeofday(void *, void *); int main(void) { long t[2] = {0}; %s return t[0] != 0; }"
    assert isinstance(outcome(text % "gettimeofday(t, 0);", tmp_path), ReachedUnmodelled)
    assert isinstance(outcome(text % "", tmp_path), Exited)
