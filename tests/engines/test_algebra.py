"""Equations that follow by algebra: against all values of three bits, and in loops whose sums are products."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.engines.algebra import needed_equations
from craton.engines.conjectures import Conjectures
from craton.engines.contract import Budget, Safe
from craton.evidence.checker import Confirmed, check_annotation, others
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request, load_program
from craton.logic import FALSE, Term, and_, bv, bvadd, bvmul, bvneg, bvsle, bvule, eq, evaluate, ite, not_
from craton.program.blocks import encode_blocks
from craton.program.preparation import prepare
from support import examples
from support.loops import VARIABLES, WIDTH, X, Y, Z, atoms

numbers = st.integers(-3, 3).map(lambda value: bv(value, WIDTH))
factors = st.one_of(st.sampled_from(VARIABLES), numbers)
sums = st.recursive(
    factors,
    lambda of: st.one_of(st.builds(bvadd, of, of), st.builds(bvmul, of, of), st.builds(bvneg, of)),
    max_leaves=5,
)
equations = st.builds(eq, sums, sums)
bounds = st.builds(lambda order, a, b: order(a, b), st.sampled_from((bvsle, bvule)), factors, factors)
values = [dict(zip(VARIABLES, row, strict=True)) for row in product(range(1 << WIDTH), repeat=3)]


def test_what_follows_holds_wherever_it_was_taken_from_does() -> None:
    seen = 0

    @examples(300)
    @given(
        st.lists(st.one_of(equations, bounds), max_size=4),
        st.lists(st.one_of(atoms, equations), max_size=2),
        equations,
        st.one_of(st.none(), factors),
        atoms,
    )
    def check(known: list[Term], asked: list[Term], goal: Term, factor: Term | None, condition: Term) -> None:
        nonlocal seen
        if known and factor is not None and known[0].args:  # what is likely to follow
            goal = eq(*(bvadd(bvmul(side, factor), X) for side in known[0].args))
        if goal.args:
            goal = eq(goal.args[0], ite(condition, *goal.args))
        needed = needed_equations(known, and_(*asked), goal)
        if needed is None:
            return
        assert set(needed) <= set(known)
        seen += bool(needed)
        for row in values:
            if all(evaluate(part, row) for part in (*needed, *asked)):
                assert evaluate(goal, row), row

    check()
    assert seen >= 10


@pytest.mark.parametrize("order", [bvsle, bvule])
def test_bounds_that_are_met_are_equations(order: Callable[[Term, Term], Term]) -> None:
    goal = eq(bvmul(X, Y), bvmul(Z, Y))
    beyond = bvadd(Z, bv(1, WIDTH))
    assert needed_equations([order(X, Z)], order(Z, X), goal) == [order(X, Z)]
    assert needed_equations([order(X, Z)], order(Z, Y), goal) is None
    after = eq(bvmul(X, Y), bvadd(bvmul(Z, Y), Y))
    assert needed_equations([order(X, beyond)], not_(order(X, Z)), after) == [order(X, beyond)]
    assert needed_equations([order(X, beyond)], and_(not_(order(X, Z)), not_(after)), FALSE) == [order(X, beyond)]


BEGIN = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {"
RECTANGLE = """int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), c = 0;
  if (n < 0 || n > 1000 || m < 0 || m > 1000) return 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c++;
  if (c != n * m) reach_error();
"""
DIVISION = """int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), q = 0, r = 0, left = a;
  if (a < 0 || a > 10000 || b < 1 || b > 1000) return 0;
  while (left) { if (r + 1 == b) { q++; r = 0; } else r++; left--; }
  if (q * b + r != a) reach_error();
"""


@pytest.mark.parametrize("text", [RECTANGLE, DIVISION])
def test_products_of_variables(text: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{BEGIN} {text} }}")
    program = encode_blocks(prepare(load_program(Request((str(path),)))).small.program).program
    found = Conjectures().run(program, Budget())
    assert isinstance(found, Safe)
    assert isinstance(check_annotation(Annotation(program, found.invariants), others(found.by)), Confirmed)
