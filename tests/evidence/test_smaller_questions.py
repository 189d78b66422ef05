"""What is made smaller holds wherever the formula held."""

from __future__ import annotations

import random

from craton.evidence.smaller_questions import smaller
from craton.logic import (
    BOOL,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvule,
    eq,
    free_variables,
    ite,
    not_,
    or_,
    sign_extend,
    var,
    zero_extend,
)
from craton.smt import Unsat, make_solver

P = var("p", BOOL)
X = [var(f"x{i}", BitVec(3)) for i in range(6)]


def _formula(drawing: random.Random) -> Term:
    """With parts that are shared, also by what is negated."""
    parts: list[Term] = [bvule(x, bv(drawing.choice((1, 2)), 3)) for x in drawing.sample(X, 4)]
    parts += [
        eq(zero_extend(2, drawing.choice(X)), zero_extend(2, drawing.choice(X))),
        eq(sign_extend(2, X[0]), bv(31, 5)),
    ]
    parts.append(eq(sign_extend(2, X[1]), bv(4, 5)))  # no number of three bits
    for _ in range(drawing.randint(2, 8)):
        one, other = drawing.sample(parts, 2)
        made = drawing.choice((and_(one, other), or_(one, other), not_(one), or_(one, not_(other))))
        parts.append(made if made.is_value or drawing.random() < 0.9 else eq(ite(one, X[2], X[3]), X[4]))
    return and_(*drawing.sample(parts[-5:], 3))


def test_what_is_left_is_weaker() -> None:
    drawing, made = random.Random(3), 0
    with make_solver("bitwuzla") as solver:
        for _ in range(300):
            formula, kept = _formula(drawing), frozenset(drawing.sample(X, 2))
            left = smaller(formula, kept)
            made += free_variables(left) < free_variables(formula)
            assert isinstance(solver.check(formula, not_(left)), Unsat), (formula, left)
    assert made > 50


def test_ranges_are_left_out_where_they_only_weaken() -> None:
    small = bvule(X[0], bv(1, 3))
    other = eq(X[1], X[2])
    assert smaller(or_(small, eq(X[1], bv(1, 3))), frozenset()) is TRUE
    for formula in (
        and_(or_(eq(X[3], X[4]), or_(small, other)), or_(P, not_(or_(small, other)))),
        not_(small),
        or_(small, eq(X[0], X[1])),
        or_(eq(ite(small, X[1], X[2]), X[3]), other),
    ):
        assert smaller(formula, frozenset()) is formula
    assert smaller(or_(small, other), frozenset((X[0],))) == or_(small, other)
