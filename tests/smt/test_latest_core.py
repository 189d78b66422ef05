"""Late cores: unsatisfiable, and with as little of the beginning as possible."""

from __future__ import annotations

import random

import pytest

from craton.logic import INT, eq, ge, int_, le, lt, var
from craton.smt import Sat, latest_core, make_solver

X = [var(f"x{i}", INT) for i in range(4)]


def test_the_beginning_is_left_out_where_it_is_not_needed() -> None:
    formulas = [eq(X[0], int_(0)), lt(X[0], int_(100)), eq(X[1], X[0]), ge(X[1], int_(100))]
    found = latest_core(formulas, range(len(formulas)), make_solver("z3"))
    assert found == (1, 2, 3), "x = 0 would do as well as x < 100, but it stands earlier"


def test_a_satisfiable_list_has_a_model() -> None:
    assert isinstance(latest_core([ge(X[0], int_(1))], [0], make_solver("z3")), Sat)


@pytest.mark.parametrize("seed", range(30))
def test_no_core_starts_later(seed: int) -> None:
    draw = random.Random(seed)
    formulas = [
        draw.choice((le, ge, eq))(
            draw.choice(X), draw.choice([*X, int_(draw.randint(-2, 2)), int_(draw.randint(-2, 2))])
        )
        for _ in range(10)
    ]
    groups = sorted(draw.randint(0, 5) for _ in formulas)
    solver = make_solver("z3")
    found = latest_core(formulas, groups, solver)
    if isinstance(found, Sat):
        return
    assert isinstance(found, tuple)
    checker = make_solver("cvc5")

    def unsat(positions: list[int]) -> bool:
        with checker.scope():
            checker.add(*(formulas[i] for i in positions))
            return not isinstance(checker.check(), Sat)

    assert unsat(list(found))
    assert not unsat([i for i in range(len(formulas)) if groups[i] > groups[found[0]]])
    assert not any(unsat([j for j in found if j != i]) for i in found), "minimal"
