"""Predicate analysis over large blocks, with Newton along one path through them ([NR] 4.1.1) or over whole blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, Safe, Unsafe
from craton.engines.predicate import PredicateAnalysis
from craton.engines.predicate.abstraction import Abstracting
from craton.frontends.programs import Request, load_program
from craton.program.blocks import encode_blocks
from craton.program.preparation import prepare
from craton.traces.levels import Level

SAFE = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int s = 0, t = 0, n = 0;
  while (__VERIFIER_nondet_int()) {
    if (s == 0) { if (__VERIFIER_nondet_int()) { s = 1; t = 1; } else s = 2; }
    else if (s == 1) { s = 3; if (t != 1) reach_error(); }
    else if (s == 2) { if (__VERIFIER_nondet_int()) s = 0; t = 0; }
    else { s = 0; t = 5; }
    n = n + 1;
  }
  return 0;
}
"""
UNSAFE = SAFE.replace("else s = 2;", "else { s = 2; t = 7; }").replace("s = 0; t = 0;", "s = 1; else t = 1;")


@pytest.mark.parametrize(
    ("engine", "expression"),
    [
        ("boolean", "newton(sp)"),
        ("boolean", "newton(it, sp, lv)"),
        ("boolean", "newton(it, wp, lv)"),
        ("boolean", "sliced(craig(z3))"),
        ("cartesian", "newton(it, sp, lv)"),
        ("cartesian", "newton(it, wp, lv)"),
    ],
)
@pytest.mark.parametrize(("text", "expected"), [(SAFE, Safe), (UNSAFE, Unsafe)], ids=["safe", "unsafe"])
def test_edge_level(expression: str, engine: str, text: str, expected: type, tmp_path: Path) -> None:
    file = tmp_path / "states.c"
    file.write_text(text)
    program = encode_blocks(prepare(load_program(Request((str(file),)))).small.program, None).program
    budget = Budget(30.0)
    edge = refiner(f"{expression[:-1]}, level=edge)")
    answer = PredicateAnalysis(edge, abstraction=Abstracting(engine), level=Level.BLOCK).run(program, budget)
    assert isinstance(answer, expected), answer
    if engine == "boolean":
        assert budget.statistics.returned == 0


@pytest.mark.parametrize("expression", ["newton(it, sp, lv)", "lean(newton(it, wp, lv))"])
@pytest.mark.parametrize(("text", "expected"), [(SAFE, Safe), (UNSAFE, Unsafe)], ids=["safe", "unsafe"])
def test_the_engine_looks_inside_of_blocks_with_any_refiner(
    expression: str, text: str, expected: type, tmp_path: Path
) -> None:
    """Path after path is refuted, none twice."""
    file = tmp_path / "states.c"
    file.write_text(text)
    program = encode_blocks(prepare(load_program(Request((str(file),)))).small.program, None).program
    budget = Budget(30.0)
    answer = PredicateAnalysis(refiner(expression)).run(program, budget)
    assert isinstance(answer, expected), answer
    assert budget.statistics.returned == 0


# [RS] Fig. 1: a flag and the counter of a loop, in blocks that branch.
FLAG = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int b = __VERIFIER_nondet_int(), i = 0;
  if (!b) return 0;
  while (i < 6) { if (__VERIFIER_nondet_int()) i++; else i += 2; }
  if (b == 0) reach_error();
  return 0;
}
"""


def test_sliced_at_edge_level_selects_inside_of_blocks(tmp_path: Path) -> None:
    """[RS] 8: a block is one step, whose assumptions are sliced together; the path through it has more prefixes."""
    file = tmp_path / "flag.c"
    file.write_text(FLAG)
    program = encode_blocks(prepare(load_program(Request((str(file),)))).small.program, None).program
    found = {}
    for expression in ("good, level=edge", "bad, level=edge", "good"):
        budget = Budget(30.0)
        selecting = refiner(f"sliced(newton(it, sp, lv), {expression})")
        answer = PredicateAnalysis(selecting, level=Level.BLOCK).run(program, budget)
        assert isinstance(answer, Safe), answer
        found[expression] = budget.statistics
    assert found["good, level=edge"].choices == [2] and found["good, level=edge"].iterations == 1
    assert found["bad, level=edge"].iterations > 3, "the counter unrolls the loop"
    assert set(found["good"].choices) == {1}
