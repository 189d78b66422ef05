"""Pointers that travel as bytes, words, doubles, bit-fields and other structs arrive where they were sent to.

Each line of `travels.txt` is a program; gcc says what it computes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited

HEAD = """
extern void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long), *malloc(unsigned long);
extern void __VERIFIER_checksum(unsigned long long);
struct W { long w; }; struct D { double d; }; struct P { int *p; }; struct IP { int i; int *p; };
struct B { unsigned char b[8]; }; struct H { unsigned lo, hi; }; union U { int *p; long l; double d; char c[8]; };
union SU { struct { int kind; int *target; } a; struct { int kind; char raw[16]; } b; };
unsigned long long result;
typedef __builtin_va_list va_list;
extern void *realloc(void *, unsigned long), *mempcpy(void *, const void *, unsigned long);
extern void *calloc(unsigned long, unsigned long), bcopy(const void *, void *, unsigned long);
static long gl; static double gd; static struct W gw; static char gb[32];
static double dpass(double d) { return d; }
static long lpass(long l) { return l; }
static struct W wpass(struct W w) { struct W r; r.w = w.w; return r; }
static struct D dspass(struct D d) { return d; }
static struct B bpass(struct B b) { struct B c; for (int i = 0; i < 8; i++) c.b[i] = b.b[i]; return c; }
static union U upass(union U u) { union U v; v.l = u.l; return v; }
static void store(void *to, const void *from, unsigned long n) { memcpy(to, from, n); }
static void keep(const void *a) { memcpy(gb, a, 8); }
static void give(void *a) { memcpy(a, gb, 8); }
static void out(long *l, double *d, int *q) { memcpy(l, &q, 8); memcpy(d, &q, 8); }
#define EXTRA(name, T) static T name(int n, ...) \\
    { va_list l; __builtin_va_start(l, n); T r = __builtin_va_arg(l, T); __builtin_va_end(l); return r; }
EXTRA(vl, long) EXTRA(vd, double) EXTRA(vw, struct W)
"""


def _read() -> dict[str, str]:
    lines = Path(__file__).with_name("travels.txt").read_text(encoding="utf-8").splitlines()[1:]
    return {name.strip(): body.strip() for name, _, body in (line.partition("|") for line in lines)}


TRAVELS = _read()


@pytest.mark.skipif(oracle.Model.LP64 not in oracle.models(), reason="no C compiler")
@pytest.mark.parametrize("name", TRAVELS)
def test_pointers_arrive(name: str, tmp_path: Path) -> None:
    end = "result = x; __VERIFIER_checksum(result); return 0;"
    source = f"{HEAD}int main(void) {{ int x = 5, *p = &x, *q; {TRAVELS[name]} {end} }}\n"
    file = tmp_path / "program.c"
    file.write_text(source)
    run = Interpreter(load_c([file], options=COptions("LP64"))).run()
    assert isinstance(run.outcome, Exited), run.outcome
    (found,) = (value for variable, value in run.values.items() if variable.name == "result")
    assert oracle.run(source, (), oracle.Model.LP64) == oracle.Checksum(found) == oracle.Checksum(9)
