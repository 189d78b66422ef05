"""Gaps in which only memory is unknown do not matter where no error can be reached whatever memory holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.c_texts import loaded

HEAD = """
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
static int locked = 0; static int *shared; static void (*hook)(void);
static void clobber(int *p) {
  __asm__ volatile ("movl $1, %0" : "=r" (*p) : "r" (&shared) : "memory"); if (!p) *p = *shared; }
static void ask(int *p) { __asm__ volatile ("call *%1" : "=r" (*p) : "r" (hook) : "memory"); }
static void lock(void) { locked = 1; }
static void check(void) { if (locked) reach_error(); }
"""


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { int x; clobber(&x); return x; }",
        "int main(void) { int x; clobber(&x); check(); return x; }",
        "int main(void) { int x; check(); clobber(&x); locked = 0; check(); return x; }",
        "int a[4], b[4]; int main(void) { int *p = a + ((long)b - (long)a) / 4; check(); return *p; }",
        'int main(void) { int *p; __asm__ ("leaq 8, %0" : "=r" (p)); check(); return *p; }',
        "static void must(int c) { if (!c) reach_error(); }"
        "int main(void) { int x; clobber(&x); must(!locked); must(1); return x; }",
        "static int held(void) { if (locked == 2) return 1; return 0; }"
        "int main(void) { int x, h; clobber(&x); h = held(); if (h) reach_error(); return x; }",
        "extern int mblen(const char *, unsigned long); extern int wctomb(char *, int);"
        "int main(void) { char b[9]; int n = wctomb(b, 7); check(); return n; }",
        "static int f(int a) { return a; } int (*p)() = (int (*)())f; int main(void) { check(); return p(1, 2); }",
        'int main(void) { int x; clobber(&x); __asm__ volatile ("lock; check\\n\\tlock" : : : "memory"); check(); }',
        "extern int other; int main(void) { int x; other = 0; clobber(&x); if (other) reach_error(); return x; }",
        "int main(void) { int x; clobber(&x); hook = lock; check(); return x; }",  # whom nobody calls
        "static void fail(void) { reach_error(); } int main(void) { int x; clobber(&x); hook = fail; return x; }",
        "int main(void) { int x; clobber(&x); lock(); locked = 0; check(); return x; }",
        "static int try(void) { if (__VERIFIER_nondet_int()) return 0; lock(); return 1; }"
        "int main(void) { int x; clobber(&x); while (x) { check(); if (try()) locked = 0; } return x; }",
        "static void both(void) { lock(); locked = 0; }"
        "int main(void) { int x; clobber(&x); hook = both; hook(); ask(&x); check(); return x; }",
    ],
)
def test_what_memory_cannot_change_is_proved(text: str, tmp_path: Path) -> None:
    assert loaded(HEAD + text, tmp_path).gaps_are_harmless


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { int x; clobber(&x); lock(); check(); return x; }",  # another value is assigned
        "int main(void) { int x; ask(&x); hook = lock; check(); return x; }",  # by who may be called
        "int main(void) { int x; ask(&x); hook = reach_error; return x; }",  # the error may be called
        "int main(void) { int x; clobber(&x); hook = reach_error; return x; }",
        "static void fail(void) { reach_error(); } int main(void) { int x; ask(&x); hook = fail; return x; }",
        "static void unlock(void) { locked = 0; } static void (*hooks[2])(void);"
        "int main(void) { int x; clobber(&x); hooks[0] = unlock; hooks[1] = lock; hooks[0](); check(); return x; }",
        "static void unlock(void) { locked = 0; } int main(void) {"
        ' hook = unlock; __asm__ volatile ("movq %1, %0" : "=m" (hook) : "r" (lock)); hook(); check(); }',
        "extern int mblen(const char *, unsigned long); "
        "int main(void) { char b[9]; hook = lock; int n = mblen(b, 7); check(); return n; }",
        "int main(void) { int x; clobber(&x); shared = &locked; check(); return x; }",  # is in memory
        'int main(void) { __asm__ ("movl $1, locked" : : : "memory"); check(); return 0; }',
        'int main(void) { __asm__ ("call reach_error" : : : "memory"); return 0; }',
        "static void must(int c) { if (!c) reach_error(); }"
        "int main(void) { int x; clobber(&x); must(1); must(locked); return x; }",
        "static int held(int n) { if (n == 2) return 1; return 0; }"
        "int main(void) { int x, h; clobber(&x); h = held(x); if (h) reach_error(); return x; }",
        "#include <setjmp.h>\njmp_buf b; int main(void) { int x = 1;"
        " if (setjmp(b)) { if (x != 1) reach_error(); return 0; } x = 2; longjmp(b, 1); }",
        'int main(void) { __asm__ ("call lock" : : : "memory"); check(); return 0; }',
        "int main(void) { int x; clobber(&x); locked = __VERIFIER_nondet_int(); check(); return x; }",
        "extern int other; int main(void) { int x; clobber(&x); if (other) reach_error(); return x; }",
        "extern int other; int main(void) { int x, y = other; other = 0; clobber(&x); if (y) reach_error(); }",
        'int main(void) { __asm__ ("nop; jmp lock" : : : "memory"); check(); return 0; }',
        'int main(void) { __asm__ ("locked = 1" : : : "memory"); check(); return 0; }',
        "int main(void) { int x; clobber(&x); if (x) reach_error(); return x; }",
    ],
)
def test_what_it_may_change_is_not(text: str, tmp_path: Path) -> None:
    assert not loaded(HEAD + text, tmp_path).gaps_are_harmless


STRUCTS = """
struct a { int x; }; struct b { int y; }; struct b___0 { int y; };
static int of_a(struct a *p) { locked = 1; return 0; } static int (*table)(struct a *) = of_a, (*keep)(struct a *);
static int of_b(struct b *p) { return 0; } static int of_b_again(struct b___0 *p) { locked = 1; return 0; }
struct operations { int (*f)(struct b *); int (*any)(void *); };
"""


@pytest.mark.parametrize(
    ("operations", "body", "by_type"),
    [
        ("of_b", "clobber(&x); (&o)[x].f(&b); check();", True),
        ("of_b", "clobber(&x); (&o)[x].any(&x); check();", False),
        ("(int (*)(struct b *))of_b_again", "clobber(&x); (&o)[x].f(&b); check();", False),
        ("of_b", "ask(&x); (&o)[x].f(&b); check();", False),
        ("of_b", "clobber(&x); (&o)[x].f(&b); hook = lock; hook(); check();", False),
    ],
)
def test_functions_are_called_by_their_type_if_that_is_assumed(
    operations: str, body: str, by_type: bool, tmp_path: Path
) -> None:
    text = f"struct operations o = {{ {operations} }}; int main(void) {{ int x; struct b b; keep = table; {body} }}"
    program = loaded(HEAD + STRUCTS + text, tmp_path)
    assert not program.gaps_are_harmless
    assert program.gaps_are_harmless_by_type is by_type


def test_the_name_of_an_instruction_is_no_function(tmp_path: Path) -> None:
    text = 'static void outb(int v) { __asm__ volatile ("outb %b0, $80" : : "a" (v)); } int main(void) { outb(1); }'
    assert not loaded(HEAD + text, tmp_path).errors


def test_calls_through_pointers_that_fit_are_exact(tmp_path: Path) -> None:
    text = "static int f(int a) { return a; } int main(void) { int (*p)(int) = f; return p(1); }"
    assert loaded(HEAD + text, tmp_path).approximated == ()
