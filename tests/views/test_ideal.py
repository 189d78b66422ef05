"""Integers that never overflow: what is found there is said only if it holds in bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.logic import BitVec, Term, bv, bvadd, bvslt, var
from craton.program.statements import Assume
from craton.smt import Sat, Unsat, make_solver
from craton.smt.contract import Answer, Solver
from craton.verification.run import verify
from craton.views import IdealView, SoundView, View, ideal_view, integer_view
from views.numbers import program_of

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"

TOGETHER = (
    HEAD
    + """
int main(void) {
    int x = 0, y = 0;
    while (__VERIFIER_nondet_int()) { x++; y++; }
    if (x != y) reach_error();
    return 0;
}
"""
)
WRAPS = (
    HEAD
    + """
int main(void) {
    int x = 0;
    while (__VERIFIER_nondet_int()) x++;
    if (x < 0) reach_error();
    return 0;
}
"""
)
FAILS_ONLY_IDEALLY = (
    HEAD
    + """
int main(void) {
    unsigned char x = __VERIFIER_nondet_int() & 255;
    unsigned y = (unsigned) x * 16777216u;
    if (y / 16777216u != x) return 0;
    int z = x; z = z * 65536; z = z * 65536;
    if (z != 0) reach_error();
    return 0;
}
"""
)


@pytest.mark.parametrize(
    ("text", "engine", "allowed"),
    [
        (TOGETHER, "horn", ("true",)),
        (WRAPS, "horn", ("unknown",)),  # true of ideal integers; the error is 2^31 steps away
        (FAILS_ONLY_IDEALLY, "bounded", ("unknown",)),  # z is 0 in bits
    ],
    ids=["holds in both", "holds ideally", "fails ideally"],
)
def test_ideal_findings_are_confirmed_in_bits(tmp_path: Path, text: str, engine: str, allowed: tuple[str, ...]) -> None:
    file = tmp_path / "program.c"
    file.write_text(text)
    result = verify(Request((str(file),)), [Stage(engine, encoding="ideal")], 15)
    assert str(result.verdict) in allowed, result.reason
    if result.is_unknown:
        assert "proof was found" in result.reason or "counterexample of the view" in result.reason


def test_an_ideal_view_promises_less_and_leaves_other_views_alone() -> None:
    x = var("x", BitVec(8))
    program = program_of(bvslt(bvadd(x, bv(1, 8)), x), {x: True})
    before, ideal, after = integer_view(program), ideal_view(program), integer_view(program)
    assert isinstance(before, SoundView)
    assert isinstance(ideal, IdealView)
    assert not issubclass(IdealView, SoundView)
    assert conditions(before) == conditions(after)
    solver = make_solver("z3")
    assert isinstance(satisfiable(solver, conditions(before)), Sat)
    assert isinstance(satisfiable(solver, conditions(ideal)), Unsat), "no number is less than itself"


def conditions(view: View) -> list[Term]:
    return [edge.statement.condition for edge in view.program.edges() if isinstance(edge.statement, Assume)]


def satisfiable(solver: Solver, formulas: list[Term]) -> Answer:
    with solver.scope():
        solver.add(*formulas)
        return solver.check()
