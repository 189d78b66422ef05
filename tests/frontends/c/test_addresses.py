"""Where objects lie is not known: what tells has any result, what does not is exact, and names are the user's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from craton.cli import main
from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.verdicts.result import Result
from craton.verification.run import verify

HEAD = """
extern void *malloc(unsigned long); extern void free(void *); extern void reach_error(void);
extern void *memcpy(void *, const void *, unsigned long); extern int __VERIFIER_nondet_int(void);
"""


def verdict(body: str, tmp_path: Path, before: str = "") -> Result:
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}{before}\nint main(void) {{ {body} return 0; }}\n")
    return verify(Request((str(file),), data_model="LP64"), [Stage("bounded")], 60.0)


@pytest.mark.parametrize(
    "body",
    [
        "int a; int *p = &a; unsigned long n = (unsigned long)p; int *q = (int *)n; *q = 3; if (a != 3) reach_error();",
        "int a, *p = &a, *q; memcpy(&q, &p, sizeof p); *q = 3; if (a != 3) reach_error();",
        "union { int *p; unsigned long n; } u, v; int a; u.p = &a; v.n = u.n; *v.p = 3; if (a != 3) reach_error();",
        "int a, b; if (&a == &b) reach_error();",
        "int a[4]; if (&a[3] - &a[1] != 2 || &a[1] > &a[3]) reach_error();",
        "int *p = malloc(4); if (p != 0 && (unsigned long)p == 0) reach_error();",
    ],
    ids=["an integer and back", "bytes", "a union", "different objects", "one object", "null"],
)
def test_what_does_not_tell_is_exact(body: str, tmp_path: Path) -> None:
    assert verdict(body, tmp_path).is_true


@pytest.mark.parametrize(
    "body",
    [
        "int a, b; if ((unsigned long)&a < (unsigned long)&b) reach_error();",
        "int a, b; if ((unsigned long)&a > (unsigned long)&b) reach_error();",
        "int a; if (((unsigned long)&a >> 4) % 3 == 1) reach_error();",
        "int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) reach_error();",
        "int *p = malloc(4); free(p); int *q = malloc(4); if (p != q) reach_error();",
    ],
    ids=["order", "the other order", "a hash", "a block again", "another block"],
)
def test_what_tells_is_never_proved(body: str, tmp_path: Path) -> None:
    assert not verdict(body, tmp_path).is_true


@pytest.mark.parametrize(
    "test",
    [
        "(long)&x < 0",
        "(int)&x > -4096",
        "(long long)(void *)&x < 0",
        "(long long)k != (unsigned)k",
    ],
)
def test_addresses_of_32_bits_have_either_sign(test: str, tmp_path: Path) -> None:
    """Stacks are in the upper half, where they are negative as numbers with a sign, and gcc extends it."""
    file = tmp_path / "sign.c"
    file.write_text(f"{HEAD} int main(void) {{ int x, k = (int)&x; if ({test}) reach_error(); }}")
    assert main(["verify", str(file), "--data-model", "ILP32", "--engine", "bounded", "--no-confirm", "--quiet"]) == 1


@pytest.mark.parametrize(
    ("test", "model"),
    [
        ("(long)&x <= 0", "LP64"),
        ("*(int *)(unsigned long)(unsigned long long)(unsigned long)&x != 3", "ILP32"),
        ("!k || (unsigned long)k < 10 || (unsigned long)&x >= (unsigned long)-4095", "ILP32"),
    ],
)
def test_what_is_so_of_all_addresses_is_exact(test: str, model: str, tmp_path: Path) -> None:
    file = tmp_path / "sign.c"
    file.write_text(f"{HEAD} int main(void) {{ int x = 3; long k = (long)&x; if ({test}) reach_error(); }}")
    assert main(["verify", str(file), "--data-model", model, "--engine", "bounded", "--no-confirm", "--quiet"]) == 0


@pytest.mark.parametrize("name", ["heap", "live", "sizes", "top", "mem"])
def test_names_of_the_model_are_not_those_of_the_user(name: str, tmp_path: Path) -> None:
    body = f"int *p = malloc(4); *p = 1; free(p); if ({name} == 5) reach_error();"
    assert verdict(body, tmp_path, f"unsigned long {name} = 5;").is_false
    assert verdict(body.replace("==", "!="), tmp_path, f"unsigned long {name} = 5;").is_true


# Drawn inputs do not get there, so that no run helps the model.
HIDDEN = "if (__VERIFIER_nondet_int() != 123456789) return 0; "
LOCALS = """
int *f(void) { int a = 3; int *p = &a; return p; }
int *g(void) { int b = 4; int *p = &b; return p; }
int *deep(void) { int c[40]; c[3] = 1; return f(); }
char *on_stack(void) { char *p = __builtin_alloca(8); return p; }
extern long read(int, void *, unsigned long); extern int sscanf(const char *, const char *, ...);
int x, y; struct B { int k; int m[4]; };
"""


@pytest.mark.parametrize(
    "body",
    [
        "int *p = f(), *q = g(); if (p == q) reach_error();",
        "int *p = f(), *q = deep(); if (p != q) reach_error();",
        "int *p, *q; { int a = 3; p = &a; } { int b = 4; q = &b; } if (p == q) reach_error();",
        "char *p = on_stack(), *q = on_stack(); if (p == q) reach_error();",
        "char *p = malloc(32), *m = p + 16; free(p); char *q = malloc(32); if (q + 16 == m) reach_error();",
        "struct B *p = malloc(20); int *m = p->m; free(p); p = malloc(20); if (p->m == m) reach_error();",
        "int *p = 0, n = 3, i = 0; l:; int a[n]; if (p == a) reach_error(); p = a; if (i++ < 1) goto l;",
        "int *p = &x, *q = &y; if (read(0, &q, 8) == 8) { *q = 5; if (x == 5) reach_error(); }",
        'int *p = &x; void *q = &y; sscanf("8", "%p", &q); *(int *)q = 5; if (x == 5) reach_error();',
        "int *p = &x, *q = &y; ((int *)&q)[0] = __VERIFIER_nondet_int(); *q = 5; if (x == 5) reach_error();",
    ],
    ids="calls depths blocks alloca inside member array read scanf bytes".split(),
)
def test_pointers_that_outlive_or_come_from_outside_prove_nothing(body: str, tmp_path: Path) -> None:
    assert not verdict(HIDDEN + body, tmp_path, LOCALS).is_true


@pytest.mark.parametrize(
    "body",
    [
        "int a, b, *p = &a; swap(&a, &b); if (p == &b) reach_error();",
        "struct V v; v.tag = __VERIFIER_nondet_int() != 0; if (v.tag) v.u.p = &x; else v.u.n = __VERIFIER_nondet_int();"
        "if (v.tag) { *v.u.p = 5; if (x != 5) reach_error(); }",
    ],
    ids=["arguments", "tagged"],
)
def test_pointers_to_what_lives_stay_exact(body: str, tmp_path: Path) -> None:
    before = "void swap(int *a, int *b) { if (a == b) reach_error(); } int x;"
    before += "struct V { int tag; union { long n; int *p; } u; };"
    assert verdict(body, tmp_path, before).is_true


REUSED = {  # whether some allocator gives a freed block again before two pointers are compared
    "both were there when one was freed": ("int *p = malloc(4), *q = malloc(4); free(p); {}", False),
    "both are freed": ("int *p = malloc(4), *q = malloc(4); free(p); free(q); {}", False),
    "another is given, which is not compared": ("int *p = malloc(4), *q = malloc(4); free(p); malloc(4); {}", None),
    "given afterwards": ("int *p = malloc(4); free(p); int *q = malloc(4); {}", True),
    "given in the next round": (
        "int *p = 0, *q = 0; for (int i = 0; i < 2; i++) {{ q = malloc(4); if (i) {{ {} }} p = q; free(p); }}",
        True,
    ),
    "by a function": ("int *p = malloc(4); give_back(p); int *q = give(); {}", True),
}


@pytest.mark.parametrize("safety", [False, True])
@pytest.mark.parametrize("name", REUSED)
def test_a_freed_block_lies_apart_from_those_that_were_there_with_it(name: str, safety: bool, tmp_path: Path) -> None:
    """The oracle is the allocator: where it gave a block again, that they differ is not proved."""
    body, again = REUSED[name]
    helpers = "static void give_back(int *p) { free(p); } static int *give(void) { return malloc(4); }"
    wrong = "((int *)0)[0] = 1;" if safety else "reach_error();"
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}{helpers}\nint main(void) {{ {body.format(f'if (p == q) {wrong}')} return 0; }}\n")
    (tmp_path / "deref.prp").write_text("CHECK( init(main()), LTL(G valid-deref) )")
    request = Request((str(file),), str(tmp_path / "deref.prp") if safety else None, "LP64")
    assert verify(request, [Stage("bounded")], 60.0).is_true == (again is False)
    run = tmp_path / "run.c"
    run.write_text(f"{HEAD}{helpers}\nint main(void) {{ {body.format('if (p == q) return 7;')} return 0; }}\n")
    subprocess.run(["cc", "-w", "-O0", "-fno-builtin", str(run), "-o", str(tmp_path / "run")], check=True)
    assert (subprocess.run([tmp_path / "run"]).returncode == 7) == bool(again)
