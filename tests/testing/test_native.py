"""The program as a compiler reads it: violations are found wherever the error function stands, and only proper ones
count.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.programs import Request, c_source
from craton.processes.compilers import compilers
from craton.testing.native import native_violation
from craton.testing.native_violation import NativeViolation, News, Propriety
from support.machine import runs_32_bits

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

HEAD = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\n"
SECONDS = 8.0
PROPERTIES = {
    "no-overflow": "G ! overflow",
    "valid-deref": "G valid-deref",
    "valid-free": "G valid-free",
    "valid-memtrack": "G valid-memtrack",
    "valid-memcleanup": "G valid-memcleanup",
    "abort": "G ! call(abort())",
}


def found(
    folder: Path, text: str, prop: str | None = None, model: str = "LP64", seconds: float = SECONDS
) -> tuple[NativeViolation | None, list[NativeViolation | News]]:
    (folder / "p.c").write_text(text)
    if prop is not None:
        (folder / "p.prp").write_text(f"CHECK( init(main()), LTL({PROPERTIES[prop]}) )\n")
    source = c_source(Request((str(folder / "p.c"),), None if prop is None else str(folder / "p.prp"), model))
    news: list[NativeViolation | News] = []
    (folder / "built").mkdir()
    return native_violation(source, folder / "built", seconds, news.append), news


ERRORS = {
    "nobody defines it": "extern void reach_error(void); int main(void) { reach_error(); }",
    "not even declared": "int main(void) { __VERIFIER_error(); }",
    "an empty body": "void reach_error(void) {} int main(void) { reach_error(); }",
    "in one line with its caller": "void reach_error(void){} int main(void){ if (sizeof(int) == 4) reach_error(); }",
    "static": "static void reach_error(void) {} int main(void) { reach_error(); }",
    "inline": "static inline void reach_error(void) {} int main(void) { reach_error(); }",
    "always inline": """
        static inline __attribute__((always_inline)) void reach_error(void) {} int main(void) { reach_error(); }""",
    "through a pointer": "void reach_error(void) {} void (*f)(void) = reach_error; int main(void) { f(); }",
    "by another name": """
        void reach_error(void) {} void other(void) __attribute__((alias("reach_error")));
        int main(void) { other(); }""",
    "made by a macro": "#define MADE(x) void x(void) {}\nMADE(reach_error)\nint main(void) { reach_error(); }",
    "before main": """
        void reach_error(void) {} __attribute__((constructor)) void f(void) { reach_error(); } int main(void) {}""",
    "after main": """
        void reach_error(void) {} __attribute__((destructor)) void f(void) { reach_error(); } int main(void) {}""",
    "an assertion": "#include <assert.h>\nint main(void) { assert(1 > 2); }",
    "a label": "int main(void) { int x = 3; if (x) goto ERROR; return 0;\n ERROR: return 1; }",
    "arguments": "void reach_error(void) {} int main(int argc, char **argv) { if (argc == 3) reach_error(); }",
    "a word of the command line": """
        #include <string.h>
        void reach_error(void) {}
        int main(int argc, char **argv) { if (argc > 1 && !strcmp(argv[1], "open")) reach_error(); }""",
    "the standard input": """
        #include <stdio.h>
        void reach_error(void) {}
        int main(void) { int x; if (scanf("%d", &x) == 1 && x == 4711) reach_error(); }""",
    "the same input a thousand times": f"""{HEAD}
        int main(void) {{ for (int i = 0; i < 1000; i++) if (!__VERIFIER_nondet_int()) return 0; reach_error(); }}""",
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_found_wherever_it_stands(name: str, tmp_path: Path) -> None:
    violation, _ = found(tmp_path, ERRORS[name])
    assert violation is not None
    assert violation.violated == "unreach-call"
    assert violation.propriety is Propriety.PROPER


QUIET = {
    "no error": "void reach_error(void) {} int main(void) { return 0; }",
    "excluded by an assumption": f"{HEAD} int main(void) {{ __VERIFIER_assume(0); reach_error(); }}",
    "it does not compile": "int main(void) { reach_error() }",
    "what nobody defines": "extern int unknown(void); int main(void) { if (unknown()) return 0; reach_error(); }",
    "threads that are not allowed": """
        #include <pthread.h>
        int g; void *t(void *a) { g = 1; return 0; }
        int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); pthread_join(i, 0); if (!g) reach_error(); }""",
    "it never ends": "int main(void) { for (;;) {} reach_error(); }",
    "only a name": "int reach_error; int main(void) { reach_error = 1; return 0; }",
}


@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_shown_where_nothing_is_to_be_seen(name: str, tmp_path: Path) -> None:
    violation, _ = found(tmp_path, QUIET[name], seconds=2.0 if name == "it never ends" else SECONDS)
    assert violation is None


UNDEFINED = {
    "beyond an array": "volatile int i = 5; int a[2]; a[i] = 1; reach_error();",
    "freed memory": "int *p = malloc(4); free(p); if (*p == 0) reach_error();",
    "a shift that is too far": "volatile int n = 40; int x = 1 << n; if (x) reach_error();",
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_comes_after_something_undefined_does_not_count(name: str, tmp_path: Path) -> None:
    text = f"#include <stdlib.h>\nvoid reach_error(void) {{}} int main(void) {{ {UNDEFINED[name]} return 0; }}"
    violation, news = found(tmp_path, text)
    assert violation is None
    assert News.WITHDRAWN in news


def test_inputs_come_back(tmp_path: Path) -> None:
    text = HEAD + "void reach_error(void) {} int main(void) { if (__VERIFIER_nondet_int() == 918273) reach_error(); }"
    violation, _ = found(tmp_path, text)
    assert violation is not None
    (read,) = violation.inputs
    assert (read.source.function, read.value) == ("__VERIFIER_nondet_int", 918273)


def test_many_inputs_come_back(tmp_path: Path) -> None:
    """An array of inputs, of which some element differs from its neighbour; each is told, in order."""
    text = (
        HEAD
        + """
        void reach_error(void) {} static short a[120000];
        int main(void) { int i; for (i = 0; i < 120000; i++) a[i] = __VERIFIER_nondet_int();
                         for (i = 1; i < 120000; i++) if (a[i] != a[0]) reach_error(); }"""
    )
    violation, _ = found(tmp_path, text)
    assert violation is not None
    assert len(violation.inputs) == 120_000
    assert len({read.value & 0xFFFF for read in violation.inputs}) > 1


KINDS = [
    ("no-overflow", "int x = __VERIFIER_nondet_int(); x++;", "unsigned x = __VERIFIER_nondet_int(); x++;"),
    ("valid-deref", "int a[4]; a[__VERIFIER_nondet_int() & 7] = 1;", "int a[4]; a[__VERIFIER_nondet_int() & 3] = 1;"),
    ("valid-free", "int *p = malloc(4); free(p); free(p);", "int *p = malloc(4); free(p);"),
    ("valid-memtrack", "void *p = malloc(4); p = 0;", "void *p = malloc(4); free(p);"),
    ("valid-memcleanup", "static void *p; p = malloc(4);", "static void *p; p = malloc(4); free(p);"),
    ("abort", "abort();", "if (__VERIFIER_nondet_int() & 0) abort();"),
]


@pytest.mark.parametrize(("violated", "bad", "good"), KINDS)
def test_every_property_is_watched_over(violated: str, bad: str, good: str, tmp_path: Path) -> None:
    for name, body in (("bad", bad), ("good", good)):
        (tmp_path / name).mkdir()
        text = f"#include <stdlib.h>\n{HEAD} int main(void) {{ {body} return 0; }}"
        violation, _ = found(tmp_path / name, text, violated)
        assert (violation is not None) == (name == "bad")
        if violation is not None and violated in PROPERTIES and violated != "abort":
            assert violation.violated == violated


DIVISIONS = [(7, 2), (-7, 2), (7, -2), (-(2**63), 3), (2**62 + 1, -(2**33)), (5, 2**40), (-1, 10**12)]


@pytest.mark.skipif(not runs_32_bits(), reason="the compiler makes no programs of 32 bits")
def test_programs_of_32_bits_need_no_library(tmp_path: Path) -> None:
    """Division as Python says it, of 64 bits, which compilers leave to a library; and all a process needs."""
    tests = []
    for a, b in DIVISIONS:
        q, r = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), abs(a) % abs(b) * (1 if a >= 0 else -1)
        tests.append(f"ok = ok && value({a}ll) / value({b}ll) == {q}ll && value({a}ll) % value({b}ll) == {r}ll;")
        u, v = a % 2**64, b % 2**64
        tests.append(f"ok = ok && (u64)value({a}ll) / (u64)value({b}ll) == {u // v}ull;")
        tests.append(f"ok = ok && (u64)value({a}ll) % (u64)value({b}ll) == {u % v}ull;")
    text = f"""
    #include <stdlib.h>
    #include <string.h>
    typedef unsigned long long u64; typedef struct {{ char text[200]; }} large;
    void reach_error(void) {{}}
    long long value(long long x) {{ return x; }}
    int begun;
    __attribute__((constructor)) static void begin(void) {{ begun = 1; }}
    int main(void) {{
        int ok = begun && sizeof(long) == 4; large a, b; char *copy = malloc(20);
        strcpy(a.text, "abc"); b = a; strcpy(copy, b.text); ok = ok && strlen(copy) == 3 && !strcmp(copy, "abc");
        {" ".join(tests)}
        if (ok) reach_error();
        return 0;
    }}"""
    violation, _ = found(
        tmp_path, text.replace("-9223372036854775808ll", "(-9223372036854775807ll - 1)"), model="ILP32"
    )
    assert violation is not None


@pytest.mark.skipif(not runs_32_bits(), reason="the compiler makes no programs of 32 bits")
def test_a_missing_library_function_ends_a_run(tmp_path: Path) -> None:
    text = "extern int unknown_to_all(int); int main(void) { if (unknown_to_all(1)) {} reach_error(); }"
    assert found(tmp_path, text, model="ILP32")[0] is None
