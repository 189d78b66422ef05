"""Sums of equations: what is shown without a solver, a solver shows, too."""

from __future__ import annotations

import random
from functools import reduce

from craton.engines.systems.linear import shown_by_sums
from craton.logic import BitVec, Term, and_, bv, bvadd, bvmul, bvsle, eq, implies, int_, lt, sub, var
from craton.logic.sorts import INT
from craton.smt import make_solver

X, Y, Z = (var(name, BitVec(8)) for name in "xyz")
M, N = var("m", INT), var("n", INT)


def test_a_sum_of_equations() -> None:
    first, second = eq(bvadd(X, bv(1, 8)), Y), eq(bvadd(Y, Y), Z)
    goal = eq(bvadd(bvmul(bv(2, 8), X), bv(2, 8)), Z)
    assert shown_by_sums([], [first, second], goal) == frozenset({first, second})
    assert shown_by_sums([], [first], goal) is None
    assert shown_by_sums([first], [second], goal) == frozenset({second})


def test_premises_count_where_their_conditions_are_known() -> None:
    condition = bvsle(X, Y)
    premise = implies(condition, eq(X, Z))
    assert shown_by_sums([], [premise], eq(X, Z)) is None
    assert shown_by_sums([and_(condition, bvsle(Y, Z))], [premise], eq(X, Z)) == frozenset({premise})
    assert shown_by_sums([], [premise], implies(condition, eq(Z, X))) == frozenset({premise})


def test_integers() -> None:
    premise = implies(lt(M, N), eq(M, sub(N, int_(1))))
    assert shown_by_sums([lt(M, N)], [premise], eq(sub(N, M), int_(1))) == frozenset({premise})
    assert shown_by_sums([lt(M, N)], [premise], lt(M, N)) is None


def test_what_is_shown_is_true() -> None:
    draw = random.Random(5)
    judge = make_solver("bitwuzla")
    small = [var(f"small {name}", BitVec(4)) for name in "xyz"]

    def sum_() -> Term:
        parts = [bvmul(bv(draw.randrange(16), 4), v) for v in small if draw.random() < 0.7]
        return reduce(bvadd, parts, bv(draw.randrange(16), 4))

    shown = 0
    for _ in range(300):
        premises = [eq(sum_(), sum_()) for _ in range(draw.randint(1, 3))]
        goal = eq(sum_(), sum_())
        if draw.random() < 0.5:
            left, right = zip(*((p.args[0], p.args[1]) for p in premises if p.args), strict=True)
            goal = eq(reduce(bvadd, left), reduce(bvadd, right))
        if shown_by_sums([], premises, goal) is not None:
            shown += 1
            assert judge.is_valid(implies(and_(*premises), goal))
    assert shown > 50
