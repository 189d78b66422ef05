"""Properties become error locations: small programs and what a concrete run of them must report."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Blocked, Exited, Outcome, ReachedError
from craton.program.inlining import inline
from craton.program.slicing import slice_for_errors
from craton.program.specification import DEFAULT, Specification

PRELUDE = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void), __VERIFIER_error(void), abort(void);
extern void __VERIFIER_assume(int), exit(int), free(void *);
extern void *malloc(__SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__), *realloc(void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__);
extern char *strcpy(char *, const char *); extern int memcmp(const void *, const void *, __SIZE_TYPE__);
extern int puts(const char *), printf(const char *, ...), sscanf(const char *, const char *, ...);
extern long write(int, const void *, __SIZE_TYPE__); typedef struct _IO_FILE FILE;
extern __SIZE_TYPE__ fwrite(const void *, __SIZE_TYPE__, __SIZE_TYPE__, FILE *); extern int fclose(FILE *);
extern FILE *stdout; extern int fprintf(FILE *, const char *, ...);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
struct N { int v; struct N *next; };
"""
OVERFLOW = Specification(overflow=True)
MEMORY = Specification(deref=True, free=True, memtrack=True)
CLEANUP = Specification(memcleanup=True)


_SANITIZER = ("-O0", "-w", "-fsanitize=address", "-fsanitize-address-use-after-scope")


def _sanitizes() -> bool:
    return oracle.supports(oracle.default_compiler(), oracle.Model.LP64, _SANITIZER)


def text(body: str) -> str:
    return PRELUDE + body if "main" in body else f"{PRELUDE}int main(void) {{ {body} }}"


def outcome(body: str, specification: Specification, inputs: tuple[int, ...], tmp_path: Path, model: str) -> Outcome:
    path = tmp_path / "program.c"
    path.write_text(text(body))
    program = load_c([path], specification, COptions(model))
    result = Interpreter(program).run(inputs).outcome
    sliced = slice_for_errors(inline(program).program).program
    after = Interpreter(sliced).run(inputs).outcome
    assert isinstance(after, ReachedError) == isinstance(result, ReachedError)
    return result


def verdict(found: Outcome) -> str:
    if isinstance(found, ReachedError):
        return found.violated.name
    return "true" if isinstance(found, Exited) else "blocked" if isinstance(found, Blocked) else "limit"


REACHABILITY = [
    ("reach_error(); return 0;", "unreach-call"),
    ("__VERIFIER_error();", "unreach-call"),
    ("void (*f)(void) = reach_error; f(); return 0;", "unreach-call"),
    ("int x = 3; if (x == 4) reach_error(); return 0;", "true"),
    ('__assert_fail("x", "f", 1, "g");', "unreach-call"),
    ("goto ERROR; ERROR: return 0;", "unreach-call"),
    ("__VERIFIER_assume(0); reach_error();", "blocked"),
    ("abort(); reach_error();", "true"),
    ("exit(1); reach_error();", "true"),
    ("int x = 0; int y = 5 / x; reach_error();", "blocked"),
    ("if (__VERIFIER_nondet_int() == 7) reach_error(); return 0;", "unreach-call"),
    ("void (*f)(void) = reach_error; f(); return 0;", "unreach-call"),
    ("void (*f)(void) = reach_error; return f == 0;", "true"),
    ("void reach_error(void) {} int main(void) { void (*f)(void) = reach_error; f(); return 0; }", "unreach-call"),
    (
        'void reach_error(void) {} void other(void) __attribute__((alias("reach_error")));'
        " int main(void) { other(); return 0; }",
        "unreach-call",
    ),
    ("__attribute__((constructor)) void reach_error(void) {} int main(void) { return 0; }", "unreach-call"),
]


@pytest.mark.parametrize(("body", "expected"), REACHABILITY)
def test_reachability(body: str, expected: str, tmp_path: Path) -> None:
    assert verdict(outcome(body, DEFAULT, (7,), tmp_path, "ILP32")) == expected


def test_only_the_named_function_counts(tmp_path: Path) -> None:
    named = Specification(error_functions=("bad",))
    source = "void bad(void) {} int main(void) { if (0) { ERROR: ; } __assert_fail(0, 0, 0, 0); bad(); }"
    assert verdict(outcome(source, named, (), tmp_path, "LP64")) == "true"
    source = "void bad(void) {} int main(void) { goto ERROR; ERROR: bad(); }"
    assert verdict(outcome(source, named, (), tmp_path, "LP64")) == "unreach-call"


@pytest.mark.parametrize(
    "body",
    ["abort();", "__builtin_abort();", "void (*f)(void) = abort; f();", "void bad(void) {} int main(void) { bad(); }"],
)
def test_calls_count_by_any_way(body: str, tmp_path: Path) -> None:
    expected = "true" if "bad" in body else "unreach-call"
    assert verdict(outcome(body, Specification(error_functions=("abort",)), (), tmp_path, "LP64")) == expected


OVERFLOWS = [
    ("int x = 2147483647; x = x + 1;", "no-overflow"),
    ("int x = 2147483647; x++;", "no-overflow"),
    ("int x = -2147483647 - 1; x = -x;", "no-overflow"),
    ("int x = -2147483647 - 1, y = -1; x = x / y;", "no-overflow"),
    ("int x = -2147483647 - 1, y = -1; x = x % y;", "no-overflow"),
    ("int x = -2147483647 - 1, y = 1; x = x - y;", "no-overflow"),
    ("int x = 65536; x = x * x;", "no-overflow"),
    ("int x = 65536; x *= 32768;", "no-overflow"),
    ("int x = 3; x = x << 30;", "no-overflow"),
    ("int x = 1; x = x << 30;", "true"),
    ("unsigned x = 4294967295u; x++; x = x * x;", "true"),
    ("char c = 127; c++; c += 100;", "true"),
    ("short s = 32767; s = s + 1;", "true"),
    ("long long x = 2147483647; x++;", "true"),
    ("int x = 2147483646; x++; x--; x -= 5;", "true"),
    ("int x = 5; if (x > 9 && x * 2147483647 > 3) x = 1;", "true"),
    ("int x = 5; if (x > 1 && x * 2147483647 > 3) x = 1;", "no-overflow"),
]


@pytest.mark.parametrize(("body", "expected"), OVERFLOWS)
def test_overflow(body: str, expected: str, tmp_path: Path) -> None:
    assert verdict(outcome(body + " return 0;", OVERFLOW, (), tmp_path, "LP64")) == expected


SAFETY = [
    # Compilers access neighbouring bit-fields with each other.
    ("struct B { int a : 8; long long b : 40; } *p = malloc(4); p->a = 1; free(p); return 0;", "valid-deref"),
    ("struct B { int a : 17; int b : 8; char c; } *p = malloc(4); p->b = 1; free(p); return 0;", "true"),
    ("int a[3]; a[2] = 1; return 0;", "true"),
    ("int a[3]; int i = 3; a[i] = 1; return 0;", "valid-deref"),
    ("int a[3]; int i = -1; a[i] = 1; return 0;", "valid-deref"),
    ("int a[3]; int *p = a + 3; p--; *p = 4; return 0;", "true"),
    ("int *p = 0; *p = 1; return 0;", "valid-deref"),
    ("int *p = malloc(8); p[1] = 2; free(p); return 0;", "true"),
    ("int *p = malloc(8); p[2] = 2; free(p); return 0;", "valid-deref"),
    ("char *p = malloc(5); *(int *)(p + 2) = 2; free(p); return 0;", "valid-deref"),
    ("int *p = malloc(8); free(p); return p[0];", "valid-deref"),
    ("int *p = malloc(8); free(p); free(p); return 0;", "valid-free"),
    ("int *p = malloc(8); free(p + 1); return 0;", "valid-free"),
    ("int x; free(&x); return 0;", "valid-free"),
    ("free(0); return 0;", "true"),
    ("int *p = malloc(8); return 0;", "valid-memtrack"),
    ("int *p = malloc(8); p = realloc(p, 16); p[3] = 1; free(p); return 0;", "true"),
    ("int *p = malloc(4), *q = realloc(p, 16); p[0] = 1; free(q); return 0;", "valid-deref"),
    ("int *p = malloc(4); p = realloc(p, 0); return p != 0;", "true"),
    ("int *p = malloc(4); realloc(p, 0); free(p); return 0;", "valid-free"),
    ("struct N *n = malloc(sizeof *n); n->next = 0; n->v = 1; struct N *m = n->next; return m->v;", "valid-deref"),
    ("int *q; { int x = 1; q = &x; } return *q - 1;", "valid-deref"),
    ("int *q; { int x = 1; q = &x; if (*q != 1) return 1; } return 0;", "true"),
    ("int *q = 0; for (int i = 0; i < 3; i++) { int x = i; if (q) *q = 1; q = &x; } return 0;", "valid-deref"),
    ("int *q = 0; for (int i = 0; i < 3; i++) { int x = i; q = &x; *q = 1; if (i) continue; } return 0;", "true"),
    ("int *q = 0; for (int i = 0; i < 3; i++) { int x = i; q = &x; if (i) break; } return *q;", "valid-deref"),
    ("int *q = 0; for (int i = 0; i < 3; i++) q = &i; return *q;", "valid-deref"),
    ("int *q = 0; int n = 2; while (n--) { int a[n + 1]; q = a; *q = 1; } return *q;", "valid-deref"),
    ("int *q = 0; if (1) q = &(int){4}; return *q - 4;", "valid-deref"),
    ("int *q = &(int){4}; if (1) *q = 5; return *q - 5;", "true"),
    ("int *q; { goto in; } { int x; in: x = 1; q = &x; *q = 2; } return 0;", "true"),
    ("int *q; { int x; q = &x; goto out; } out: return *q;", "valid-deref"),
    ("int *q; { int x = 0; again: q = &x; if (++*q < 3) goto again; } return 0;", "true"),
    ("int *q; switch (3) { int x; case 3: x = 1; q = &x; *q = 2; } return 0;", "true"),
    ("int *q; switch (3) { int x; case 3: x = 1; q = &x; break; } return *q;", "valid-deref"),
    ("return *({ int x = 1; &x; });", "valid-deref"),
    ("return ({ int x = 1; int *p = &x; *p; });", "true"),
    ("void *t = &&in; int *q; goto *t; { int x; in: q = &x; *q = 1; } return 0;", "true"),
    ("void *t = &&out; int *q; { int x; q = &x; goto *t; } out: return *q;", "valid-deref"),
    (
        "int *g; void f(void) { if (g) *g = 1; { int x; g = &x; } } int main(void) { f(); f(); return 0; }",
        "valid-deref",
    ),
    (
        "int *g; void f(void) { int x = 0; if (g) *g = 1; g = &x; } int main(void) { f(); f(); return 0; }",
        "valid-deref",
    ),
    ("int *g; void f(int x) { if (x) *g = 1; g = &x; } int main(void) { f(0); f(1); return 0; }", "valid-deref"),
    ("void s(int **o, int *p) { *o = p; } int main(void) { int *q; { int x; s(&q, &x); } return *q; }", "valid-deref"),
    ("struct N *l = 0; for (int i = 0; i < 2; i++) { struct N n = {i, l}; l = &n; } return l->v;", "valid-deref"),
    ("struct N *l = malloc(sizeof *l); { struct N n; l->next = &n; } l = l->next; return l->v;", "valid-deref"),
    (
        "int g(int n) { int r; { int x = n; int *p = &x; r = n ? g(n - 1) + *p : *p; } return r; }"
        " int main(void) { return g(3) - 6; }",
        "true",
    ),
    (
        "void fill(char *b) { b[9] = 0; }"
        " int main(void) { for (int i = 0; i < 2; i++) { char b[10]; fill(b); } return 0; }",
        "true",
    ),
    ("int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f(); }", "valid-deref"),
    ("int *g; int main(void) { g = malloc(4); return 0; }", "true"),
    ("char b[3]; memset(b, 0, 4); return 0;", "valid-deref"),
    ('char b[3]; strcpy(b, "abc"); return 0;', "valid-deref"),
    ('char b[4]; strcpy(b, "abc"); return 0;', "true"),
    ('char *s = "abc"; return s[4];', "valid-deref"),
    ('char *s = "abc"; s[1] = 4; return 0;', "valid-deref"),
    ('char b[] = "abc", *s = "abc"; s = b; s[1] = 4; return s[2] - 99;', "true"),
    ('memset("abc", 0, 2); return 0;', "valid-deref"),
    ("char a[2] = {65, 66}; puts(a); return 0;", "valid-deref"),
    ("char a[3] = {65, 66}; puts(a); return 0;", "true"),
    ("puts(0); return 0;", "valid-deref"),
    ("char *p = malloc(4); p[0] = 0; free(p); puts(p); return 0;", "valid-deref"),
    ('char a[2] = {65, 66}; printf("%d%s", 3, a); return 0;', "valid-deref"),
    ('char a[2] = {65, 66}; printf("%*d%.2s", 3, 3, a); return 0;', "true"),
    ('char a[20]; memset(a, 65, 20); a[19] = 0; printf("%s", a); return 0;', "true"),
    ("char a[20]; memset(a, 65, 20); puts(a); return 0;", "valid-deref"),
    ("char a[2] = {65, 66}; write(1, a, 3); return 0;", "valid-deref"),
    ("char a[2] = {65, 66}; write(1, a, 2); fwrite(a, 1, 2, stdout); return 0;", "true"),
    ("int a[2] = {65, 66}; fwrite(a, sizeof(int), 3, stdout); return 0;", "valid-deref"),
    ("fclose(0); return 0;", "valid-deref"),
    ('fprintf(0, "x"); return 0;', "valid-deref"),
    ('char a[3] = "ab"; return memcmp(a, "abcd", 5) == 0;', "valid-deref"),
    ("int n = 3; int a[n]; a[3] = 1; return 0;", "valid-deref"),
    ("int n = 3; int a[n]; a[2] = 1; return 0;", "true"),
    ("int *p = 0; if (p && *p) return 1; return 0;", "true"),
]


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
@pytest.mark.parametrize(("body", "expected"), SAFETY)
def test_memory_safety(body: str, expected: str, model: str, tmp_path: Path) -> None:
    assert verdict(outcome(body, MEMORY, (), tmp_path, model)) == expected


# What AddressSanitizer does not see: memory that a new life of the variable has again, ends of variable-length arrays,
# ends of scopes by computed jumps.
BEYOND_SANITIZER = (
    "int *q = 0; for (int i = 0; i < 3; i++) { int x = i; if (q) *q = 1; q = &x; } return 0;",
    "int *q = 0; int n = 2; while (n--) { int a[n + 1]; q = a; *q = 1; } return *q;",
    "void *t = &&out; int *q; { int x; q = &x; goto *t; } out: return *q;",
)


@pytest.mark.skipif(not oracle.models() or not _sanitizes(), reason="no compiler with AddressSanitizer")
@pytest.mark.parametrize(("body", "expected"), [case for case in SAFETY if case[0] not in BEYOND_SANITIZER])
def test_expectations_are_those_of_the_address_sanitizer(body: str, expected: str, tmp_path: Path) -> None:
    """It does not look for lost memory here."""
    binary = oracle.compiled(text(body), oracle.Model.LP64, tmp_path / "program", options=_SANITIZER)
    crashed = isinstance(oracle.execute(binary, ()), oracle.Crash)
    assert crashed == (expected in ("valid-deref", "valid-free"))


CLEAN = [
    ("int *g; int main(void) { g = malloc(4); return 0; }", "valid-memcleanup"),
    ("int *p = malloc(4); exit(0);", "valid-memcleanup"),
    ("int *p = malloc(4); free(p); return 0;", "true"),
    ("for (int i = 0; i < 3; i++) { char *p = malloc(1); free(p); } return 0;", "true"),
    ("for (int i = 0; i < 3; i++) { char *p = malloc(1); if (i != 1) free(p); } return 0;", "valid-memcleanup"),
    ("char *p = malloc(1), *q = malloc(1); free(p); p = malloc(1); free(q); free(p); free(0); return 0;", "true"),
    ("char *p = malloc(1), *q = malloc(1); free(p); free(p); return 0;", "valid-memcleanup"),
    ("char *p = malloc(3); p = realloc(p, 9); free(p); return 0;", "true"),
    ("char **p = malloc(16); p[1] = malloc(1); free(p[1]); free(p); return 0;", "true"),
    ("char **p = malloc(16); p[1] = malloc(1); free(p); return 0;", "valid-memcleanup"),
]


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize(("body", "expected"), CLEAN)
def test_cleanup(body: str, expected: str, model: str, tmp_path: Path) -> None:
    assert verdict(outcome(body, CLEANUP, (), tmp_path, model)) == expected


TRACKED = [
    ("char *g; int main(void) { g = malloc(4); return 0; }", "true"),
    ("char *g, *h; int main(void) { g = malloc(4); h = g + 2; return 0; }", "true"),
    ("char *g; int main(void) { g = malloc(4); g = malloc(4); return 0; }", "valid-memtrack"),
    ("char *g; int main(void) { g = malloc(4); char *p = g; free(p); return 0; }", "true"),
    ("char *g; int main(void) { g = malloc(4); free(g); g = 0; char *p = malloc(1); return 0; }", "valid-memtrack"),
]


@pytest.mark.parametrize(("end", "expected"), [("*(char *)0 = 1;", "valid-deref"), ("", "true")])
def test_more_blocks_than_there_are_numbers(end: str, expected: str, tmp_path: Path) -> None:
    """Where objects are large, 32 bits are an address of few of them: 256 here."""
    body = f"static char large[1 << 20]; for (int i = 0; i < 300; i++) free(malloc(1)); {end} return large[0];"
    assert verdict(outcome(body, MEMORY, (), tmp_path, "ILP32")) == expected


@pytest.mark.parametrize(("body", "expected"), TRACKED)
def test_tracking(body: str, expected: str, tmp_path: Path) -> None:
    assert verdict(outcome(body, Specification(memtrack=True), (), tmp_path, "LP64")) == expected


@pytest.mark.parametrize(
    ("body", "specification", "remembered"),
    [
        (CLEAN[3][0], CLEANUP, True),  # [CN] Fig. 1
        (CLEAN[-1][0], CLEANUP, False),  # memory holds pointers to allocated memory
        (CLEAN[3][0], MEMORY, False),
        (TRACKED[0][0], Specification(memtrack=True), True),
    ],
)
def test_where_blocks_are_remembered_by_their_addresses(
    body: str, specification: Specification, remembered: bool, tmp_path: Path
) -> None:
    """[CN] Sect. 7: havoc p; assume ¬valid[p]. A freed address may be given again."""
    path = tmp_path / "program.c"
    path.write_text(text(body))
    program = load_c([path], specification, COptions("LP64"))
    assert any(variable.name == "allocated blocks" for variable in program.globals) is remembered
    assert any(variable.name == "live blocks" for variable in program.globals) is not remembered
