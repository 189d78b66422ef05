"""Sums that are the same whatever is added first: all runs at once see it without a solver."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.logic import BitVec, Term, bv, bvadd, bvmul, bvsub, eq, ite, not_, sign_extend, var
from craton.program.sums import NamedSums
from craton.verdicts.verdict import Proved, Violated
from craton.verification.run import verify
from support.assertions import assert_valid

X, Y, Z = (var(name, BitVec(32)) for name in "xyz")
C = eq(X, Y)
ONE, TWO = bv(1, 32), bv(2, 32)
SAME: dict[str, tuple[Term, Term]] = {
    "another order": (bvadd(X, Y, Z), bvadd(Z, X, Y)),
    "factors": (bvadd(bvmul(TWO, X), Y), bvadd(X, Y, X)),
    "differences": (bvsub(bvadd(X, Y), Y), bvadd(X, ONE, bv(-1, 32))),
    "what a condition adds": (ite(C, bvadd(X, ONE), bvsub(X, ONE)), bvadd(ite(C, TWO, bv(0, 32)), X, bv(-1, 32))),
    "its denial": (ite(C, X, bvadd(X, ONE)), ite(not_(C), bvadd(X, ONE), X)),
    "a choice of the same": (ite(C, bvadd(X, Y), bvadd(Y, X)), bvadd(Y, X)),
    "parts that are no sums": (
        bvadd(sign_extend(32, X), sign_extend(32, Y)),
        bvadd(*(sign_extend(32, v) for v in (Y, X))),
    ),
}
DIFFERENT: dict[str, tuple[Term, Term]] = {
    "a part": (bvadd(X, Y), bvadd(X, Z)),
    "a constant": (bvadd(X, Y), bvadd(X, Y, ONE)),
    "a condition": (ite(C, bvadd(X, ONE), X), ite(eq(X, Z), bvadd(X, ONE), X)),
    "both ways of a condition": (ite(C, bvadd(X, ONE), X), ite(C, X, bvadd(X, ONE))),
    "a width": (sign_extend(32, bvadd(X, Y)), bvadd(sign_extend(32, X), sign_extend(32, Y))),
}


def found_by(first: Term, second: Term) -> Term | None:
    """What is known of the second term when the first one has a name."""
    sums, name = NamedSums(), var("first", first.sort)
    assert sums.known(first) in (None, X)
    sums.note(name, first)
    return sums.known(second)


@pytest.mark.parametrize("name", SAME)
def test_names_of_the_same_sum(name: str) -> None:
    first, second = SAME[name]
    assert_valid(eq(first, second))
    assert found_by(first, second) is var("first", first.sort)


@pytest.mark.parametrize("name", DIFFERENT)
def test_other_sums_are_not_known(name: str) -> None:
    assert found_by(*DIFFERENT[name]) is None


def test_names_stand_for_what_they_are_made_of() -> None:
    sums = NamedSums()
    t, u = var("t", X.sort), var("u", X.sort)
    sums.note(t, bvadd(X, Y))
    sums.note(u, bvadd(t, Z))
    assert sums.known(bvadd(Z, Y, X)) is u
    assert sums.known(bvsub(u, bvadd(X, Y, Z))) is bv(0, 32)


BEGIN = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
REDUCED = """
int main(void) {
    int x[N], i, t;
    for (i = 0; i < N; i++) x[i] = __VERIFIER_nondet_int();
    int one = f(x);
    t = x[0]; for (i = 0; i < N - 1; i++) x[i] = x[i + 1]; x[N - 1] = t;
    if (f(x) != one) reach_error();
}
"""
REDUCERS = {
    "sum": ("long long s = 0; for (int i = 0; i < N; i++) s += x[i]; return s;", True),
    "count": ("int s = 0; for (int i = 0; i < N; i++) if (x[i] % 2) s++; else s -= 3; return s;", True),
    "all but the last": ("long long s = 0; for (int i = 0; i < N - 1; i++) s += x[i]; return s;", False),
    "each at its place": ("unsigned s = 0; for (int i = 0; i < N; i++) s += i * (unsigned)x[i]; return s;", False),
}


@pytest.mark.parametrize("name", REDUCERS)
def test_reducers(tmp_path: Path, name: str) -> None:
    body, holds = REDUCERS[name]
    (tmp_path / "p.c").write_text(f"{BEGIN}#define N 30\nint f(int *x) {{ {body} }}\n{REDUCED}")
    verdict = verify(Request((str(tmp_path / "p.c"),)), (Stage("bounded(loops)"),), 60.0).verdict
    assert isinstance(verdict, Proved if holds else Violated), verdict
