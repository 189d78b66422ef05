"""Cases of a question are the question: random formulas against all values of three bits."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from craton.evidence.cases import cases_by_conditions
from craton.logic import Term, bvadd, bvmul, eq, evaluate, ite, not_
from support import examples
from support.loops import VARIABLES, WIDTH, X, Y, atoms, sides

terms = st.recursive(
    st.one_of(st.sampled_from(VARIABLES), sides),
    lambda of: st.one_of(st.builds(bvadd, of, of), st.builds(bvmul, of, of), st.builds(ite, atoms, of, of)),
    max_leaves=6,
)
conditions = st.one_of(atoms, st.builds(eq, terms, terms), st.builds(lambda a, b: not_(eq(a, b)), terms, terms))
nested = st.builds(
    lambda a, b, c: not_(eq(bvmul(ite(c, a, b), X), bvadd(bvmul(a, b), ite(c, b, Y)))), terms, terms, conditions
)
rows = [dict(zip(VARIABLES, row, strict=True)) for row in product(range(1 << WIDTH), repeat=3)]


def test_one_case_holds_exactly_where_the_formulas_do() -> None:
    several = 0

    @examples(200)
    @given(st.lists(conditions, max_size=2), nested)
    def check(known: list[Term], goal: Term) -> None:
        nonlocal several
        cases = cases_by_conditions((*known, goal))
        several += len(cases) > 1
        for row in rows if cases else ():
            together = all(evaluate(part, row) for part in (*known, goal))
            assert together == any(all(evaluate(part, row) for part in case) for case in cases), row

    check()
    assert several >= 20
