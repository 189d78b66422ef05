"""Pointers that travel as bytes, words, doubles, bit-fields and other structs arrive where they were sent to.

Each line of `travels.txt` is a program; gcc says what it computes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.interpreter import Exited, Interpreter

HEAD = """
extern void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long), *malloc(unsigned long);
extern void __VERIFIER_checksum(unsigned long long);
struct W { long w; }; struct D { double d; }; struct P { int *p; }; struct IP { int i; int *p; };
struct B { unsigned char b[8]; }; struct H { unsigned lo, hi; }; union U { int *p; long l; double d; char c[8]; };
union SU { struct { int kind; int *target; } a; struct { int kind; char raw[16]; } b; };
unsigned long long result;
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
