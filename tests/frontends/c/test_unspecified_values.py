"""What C leaves open is arbitrary each time, never what happened to lie there: such a value would prove too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.c import COptions, load_c
from craton.frontends.c.library.text import lengths
from craton.program.cfa import Program, Unmodelled
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedError
from craton.program.inlining import inline
from craton.program.specification import DEFAULT, Specification

PRELUDE = """
extern void *malloc(__SIZE_TYPE__), *realloc(void *, __SIZE_TYPE__), free(void *), *alloca(__SIZE_TYPE__);
extern int sprintf(char *, const char *, ...), scanf(const char *, ...), strcmp(const char *, const char *);
extern int memcmp(const void *, const void *, __SIZE_TYPE__);
struct S { int v[300]; char c; }; struct S gs; int g[1000], *gp = g; char text[40];
extern void *memset(void *, int, __SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__);
struct P { char c; int i; } ps, pt; unsigned char *gq = (unsigned char *)&ps;
"""
SAFETY = Specification(deref=True, free=True, memtrack=True)

# Each returns what it finds in memory that is new but may lie where 42 was stored; `gp` shares the region.
STALE = {
    "an element of a small array": "int r = 0; for (int i = 0; i < 2; i++) { int a[5]; r = a[3]; a[3] = 42; gp = a; }",
    "in a loop": "int r = 0; for (int i = 0; i < 2; i++) { int a[1000]; r = a[3]; a[3] = 42; gp = a; }",
    "of middling size": "int r = 0; for (int i = 0; i < 2; i++) { int a[100]; r = a[3]; a[3] = 42; gp = a; }",
    "in a region of its own": "int r = 0; for (int i = 0; i < 2; i++) { int a[1000]; r = a[3]; a[3] = 42; }",
    "after a jump": "int n = 0; again:; int a[1000]; int r = a[3]; a[3] = 42; gp = a; if (n++ < 1) goto again;",
    "a large struct": "int r = 0; for (int i = 0; i < 2; i++) { struct S s, *p = i ? &s : &gs; r = s.v[7]; s.v[7] = 42;"
    " p->c = 1; }",
    "a large struct after a jump": "int n = 0; again:; struct S s, *p = n ? &s : &gs; int r = s.v[7]; s.v[7] = 42;"
    " p->c = 1; if (n++ < 1) goto again;",
    "of variable length": "int r = 0, n = 9; for (int i = 0; i < 2; i++) { int a[n]; r = a[3]; a[3] = 42; gp = a; }",
    "passed by a goto": "int r = 0; for (int i = 0; i < 2; i++) { goto on; int x = 42; on: r = x; x = 42; }",
    "passed by a goto from outside": "int i = 0, r; again: goto in; { int x = 1; in: r = x; x = 42; }"
    " if (i++ < 1) goto again;",
    "passed by a computed goto": "int i = 0, r; void *t = &&in; again: goto *t; { int x = 1; in: r = x; x = 42; }"
    " if (i++ < 1) goto again;",
    "passed by a switch": "int r = 0; for (int i = 0; i < 2; i++) switch (7) { int x; default: r = x; x = 42; }",
    "an array passed by a switch": "int r = 0; for (int i = 0; i < 2; i++) switch (i + 2) { int a[5]; case 2: case 3:"
    " r = a[1]; a[1] = 42; gp = a; }",
    "a large array passed by a goto": "int r = 0; for (int i = 0; i < 2; i++) { goto on; int a[1000]; on: r = a[3];"
    " a[3] = 42; gp = a; }",
    "padding of a struct": "struct P t; t.c = t.i = 1; gq[1] = 42; ps = t; int r = gq[1];",
    "padding of a struct that is copied within memory": "gq[1] = 42; pt.i = 1; ps = pt; int r = gq[1];",
    "padding of one that is initialised": "int r = 0; for (int i = 0; i < 2; i++) { struct P s = {1, 2};"
    " unsigned char *q = (void *)&s; r = q[1]; q[1] = 42; }",
    "padding copied from where it is not seen": "struct P s = {1, 2}, *q = &s; gq[1] = 42; memcpy(&ps, q, sizeof ps);"
    " int r = gq[1];",
    "padding of a struct in a union": "union { struct P s; unsigned char b[8]; } u; struct P t = {1, 2}; u.b[1] = 42;"
    " u.s = t; int r = u.b[1];",
    "padding of a long double": "long double d = g[0]; unsigned char *q = (void *)&d; q[11] = 42; d = g[1];"
    " int r = q[11];",
    "allocated": "int r = 0; for (int i = 0; i < 2; i++) { int *a = malloc(40); r = a[3]; a[3] = 42; free(a); }",
    "from alloca": "int r = 0; for (int i = 0; i < 2; i++) { int *a = alloca(40); r = a[3]; a[3] = 42; }",
    "behind a block that grew": "int *p = malloc(4); p[0] = 42; p = realloc(p, 800); int r = p[1];"
    " for (int i = 1; i < 200; i++) if (p[i] == 42) r = 42; free(p);",
}
CALLS = {
    "padding in a second call": "int f(void) { struct P s; unsigned char *q = (void *)&s; int r = q[1];"
    " memset(&s, 42, sizeof s); return r; }",
    "in a second call": "int f(void) { int a[1000]; int r = a[3]; a[3] = 42; gp = a; return r; }",
    "in a second call, small": "int f(void) { int a[100]; int r = a[3]; a[3] = 42; gp = a; return r; }",
    "in a recursive call": "int f(void) { int a[1000]; int r = a[3]; a[3] = 42; gp = g + (a - a);"
    " if (*gp) f(); return r; }",
    "passed by in a second call": "int f(void) { goto on; int x = 1; on:; int r = x; x = 42; return r; }",
    "a value that was not returned": "int f(void) { if (g[0] == 0) { g[0] = 1; return 42; } }",
}


def loaded(text: str, folder: Path, specification: Specification = DEFAULT, model: str = "LP64") -> Program:
    path = folder / "program.c"
    path.write_text(PRELUDE + text)
    return load_c([path], specification, COptions(model))


def result(program: Program, seed: int | None = None) -> int:
    outcome = Interpreter(program).run(seed=seed).outcome
    assert isinstance(outcome, Exited) and outcome.values is not None, outcome
    return int(outcome.values[0])


@pytest.mark.parametrize("specification", [DEFAULT, SAFETY], ids=["reachability", "safety"])
@pytest.mark.parametrize("name", [*STALE, *CALLS])
def test_new_memory_does_not_keep_old_contents(name: str, specification: Specification, tmp_path: Path) -> None:
    body = CALLS[name] + "int main(void) { f(); return f(); }" if name in CALLS else ""
    program = loaded(body or f"int main(void) {{ {STALE[name]} return r; }}", tmp_path, specification)
    for version in (program, inline(program).program):
        assert result(version) != 42
        assert len({result(version, seed) for seed in range(8)}) > 1, "it is the same in every run"


def test_pointers_survive_a_jump_over_their_array(tmp_path: Path) -> None:
    text = "int main(void) { int *p = 0, n = 0; again:; int a[1000]; gp = a; if (!p) { p = a; goto again; }"
    assert result(loaded(text + " p[2] = 7; return a[2]; }", tmp_path)) == 7


def test_a_jump_back_to_before_a_declaration_leaves_its_value(tmp_path: Path) -> None:
    """The block did not end, so the variable lives on (C11 6.2.4p6); gcc returns 42 as well."""
    text = "int main(void) { int n = 0; again: if (n++) goto on; int x; x = 42; goto again; on: return x; }"
    assert result(loaded(text, tmp_path)) == 42


def test_grown_blocks_keep_what_they_had(tmp_path: Path) -> None:
    text = "int main(void) { int *p = malloc(12); for (int i = 0; i < 3; i++) p[i] = i + 5; p = realloc(p, 400);"
    assert result(loaded(text + " int *q = realloc(p, 8); return q[0] * 10 + q[1]; }", tmp_path)) == 56


def test_comparisons_promise_their_sign_only(tmp_path: Path) -> None:
    text = 'int main(void) { char a[] = "pear", b[] = "plum"; return strcmp(b, a) > 0 ? strcmp(a, b) : 0; }'
    values = {result(loaded(text, tmp_path), seed) for seed in range(6)}
    assert len(values) > 1 and all(value >> 31 for value in values)


def outcomes(text: str, specification: Specification, folder: Path) -> set[str]:
    program = loaded(text, folder, specification)
    found = set()
    for seed in range(60):
        outcome = Interpreter(program).run(seed=seed, step_limit=20_000).outcome
        found.add(outcome.violated.name if isinstance(outcome, ReachedError) else type(outcome).__name__)
    return found


@pytest.mark.parametrize(
    ("statement", "size", "fits"),
    [
        ('sprintf(b, "%d", 5)', 12, True),
        ('sprintf(b, "%d", 5)', 11, False),
        ('sprintf(b, "<%3u%%>", 5u)', 14, True),
        ('sprintf(b, "<%3u%%>", 5u)', 13, False),
        ('sprintf(b, "%s", text)', 30, False),
        ('scanf("%s", b)', 30, False),
        ('scanf("%3s", b)', 4, True),
        ('scanf("%3s", b)', 3, False),
    ],
)
def test_a_text_longer_than_its_array_is_found(statement: str, size: int, fits: bool, tmp_path: Path) -> None:
    """The lengths are those that glibc prints at most; seeds choose small lengths often."""
    text = f"int main(void) {{ char *b = malloc({size}); {statement}; free(b); return 0; }}"
    assert ("valid-deref" in outcomes(text, SAFETY, tmp_path)) == (not fits)


def test_conversions_that_are_not_told_apart_have_any_length() -> None:
    assert lengths("%.0f%d", 64).least <= 2 and lengths("%.0f%d", 64).most is None
    assert lengths("%5%%d", 64).least <= 2


@pytest.mark.parametrize(
    ("statement", "size", "fits"),
    [
        ('sprintf(b, "%d", -5)', 3, True),
        ('sprintf(b, "%d", -5)', 2, False),
        ('sprintf(b, "<%3u%%>", 5u)', 7, True),
        ('sprintf(b, "<%3u%%>", 5u)', 6, False),
        ('char text[3] = "ab"; sprintf(b, "%s", text)', 3, True),
        ('char text[3] = "ab"; sprintf(b, "%s", text)', 2, False),
    ],
)
def test_texts_of_programs_without_inputs_are_exact(statement: str, size: int, fits: bool, tmp_path: Path) -> None:
    path = tmp_path / "exact.c"
    path.write_text(
        "extern void *malloc(__SIZE_TYPE__), free(void *); extern int sprintf(char *, const char *, ...);\n"
        f"int main(void) {{ char *b = malloc({size}); {statement}; free(b); return 0; }}\n"
    )
    outcome = Interpreter(load_c([path], SAFETY)).run().outcome
    assert isinstance(outcome, ReachedError) is not fits


def test_texts_change_what_was_there(tmp_path: Path) -> None:
    text = "int main(void) { text[0] = 42; %s; return text[0]; }"
    for statement in (
        'sprintf(text, "%x", 1)',
        'scanf("%s", text)',
        'scanf("%c", &text[0])',
        'sprintf(text, "%.1f", .5)',
    ):
        program = loaded(text % statement, tmp_path)
        runs = [Interpreter(program).run(seed=seed, step_limit=20_000).outcome for seed in range(60)]
        assert {run.values[0] for run in runs if isinstance(run, Exited) and run.values} - {42}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("int *h; int main(void) { h = malloc(4); malloc(4); return 0; }", "valid-memtrack"),
        ("int *h, *k; int main(void) { h = malloc(4); k = h; malloc(4); return 0; }", "valid-memtrack"),
        ("int *h, *k; int main(void) { h = malloc(4); k = malloc(4); return 0; }", "Exited"),
        ("int *h[3]; int main(void) { h[0] = malloc(4); h[2] = malloc(4); return 0; }", "Exited"),
        ("int *h[3]; int main(void) { h[0] = malloc(4); h[0] = malloc(4); return 0; }", "valid-memtrack"),
        ("int *h; int main(void) { int *p = malloc(8); h = p + 1; return 0; }", "Exited"),
        ("int main(void) { int n = 3; int a[n]; free(a); return 0; }", "valid-free"),
        ("int main(void) { int *a = alloca(8); free(a); return 0; }", "valid-free"),
        ("int f(int n) { int a[4]; if (n) free(a); return n ? 0 : f(1); } int main(void) { return f(0); }",
         "valid-free"),
        ("int main(void) { int *p; for (int n = 2; n < 4; n++) { int a[n]; if (n == 2) p = a; else *p = 1; } }",
         "valid-deref"),
        ("int main(void) { int *p = 0, n = 3; l: if (p) *p = 1; int a[n]; if (!p) { p = a; goto l; } }", "valid-deref"),
        ("int (*h)(void); int main(void) { return h ? 0 : h(); }", "valid-deref"),
    ],
)  # fmt: skip
def test_blocks_that_are_lost_and_stacks_that_are_freed(text: str, verdict: str, tmp_path: Path) -> None:
    assert outcomes(text, SAFETY, tmp_path) == {verdict}


@pytest.mark.parametrize(
    ("text", "assumption"),
    [
        ("extern int *p; int main(void) { return *p; }", "do not point to its own objects"),
        ("int main(void) { int *p = alloca(4); *p = 1; return 0; }", "alloca"),
        ('extern int printf(const char *, ...); int main(int c, char **v) { printf(v[0], "a", v); }', "no literals do"),
        ('extern int printf(const char *, ...); int main(int c, char **v) { printf(v[0], "a", v); }', "is readable"),
        ("struct F; int fclose(struct F *); int main(int c, char **v) { fclose((void *)v); }", "are closed"),
    ],
)
def test_what_is_not_modelled_is_an_assumption(text: str, assumption: str, tmp_path: Path) -> None:
    assert any(assumption in known for known in loaded(text, tmp_path, SAFETY).assumptions)


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        (
            "struct L { struct L *n; } *h; int main(void) { h = malloc(8); h->n = malloc(8); return 0; }",
            "only other allocated memory points to",
        ),
        ("int f(int a) { return a; } int (*p)() = (int (*)())f; int main(void) { return p(1, 2); }", "of another type"),
        ("extern void exit(int); int main(void) { int *p = malloc(4); exit(1); }", "where exit is called"),
        ("struct { int a[2], b; } s; int main(void) { return s.a[g[0]]; }", "beside an array"),
        (
            "struct { struct { int a[2]; } s[2]; int b; } t; int main(void) { return t.s[g[0]].a[1]; }",
            "beside an array",
        ),
        ("struct { int a[2][2], b; } s; int main(void) { return s.a[g[0]][1]; }", "beside an array"),
    ],
)
def test_what_is_not_modelled_is_a_location_of_its_own(text: str, construct: str, tmp_path: Path) -> None:
    found = [
        each.description for each in loaded(text, tmp_path, SAFETY).errors.values() if isinstance(each, Unmodelled)
    ]
    assert any(construct in each for each in found)


@pytest.mark.parametrize(
    ("expression", "is_modelled"),
    [("s.f << 3 == 0", False), ("-s.f == 0", False), ("s.f + 1 == 0", False), ("s.f == -1", True), ("s.f / 2", False)],
)
def test_overflow_of_bit_fields_wider_than_int_is_not_modelled(
    expression: str, is_modelled: bool, tmp_path: Path
) -> None:
    text = f"struct {{ long long f : 40; }} s; int main(void) {{ return {expression}; }}"
    found = loaded(text, tmp_path, Specification(overflow=True)).errors.values()
    unmodelled = [each.description for each in found if isinstance(each, Unmodelled)]
    assert any("wider than int" in each for each in unmodelled) is not is_modelled


def test_ordinary_programs_assume_only_what_memory_safety_proves(tmp_path: Path) -> None:
    text = "int sum(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); return __builtin_va_arg(a, int); }"
    text += 'int main(void) { char *s = "abc"; struct S s2 = gs; int *p = g; return sum(1, *p) + s[1] + s2.c; }'
    assert loaded(text, tmp_path).assumptions == ("accesses stay in their objects (--property memsafety proves it)",)


def test_what_is_not_zero_of_a_digit_is_told_by_the_compiler_or_by_a_table(tmp_path: Path) -> None:
    program = loaded("extern int isdigit(int); int main(void) { return isdigit('7') + isdigit('x'); }", tmp_path)
    assert {result(program, seed) for seed in range(32)} == {1, 2048}
