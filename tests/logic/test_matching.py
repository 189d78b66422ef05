"""Where several variables tell an index: what comes out makes the pattern the index, for any numbers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from craton.logic import BitVec, Model, Term, bv, bvadd, bvmul, bvsub, evaluate, sign_extend, substitute, var
from craton.logic.matching import together

WIDTH = 32
ROW, COLUMN, R, C, N = (var(name, BitVec(WIDTH)) for name in ("i", "j", "r", "c", "n"))
M = var("m", BitVec(64))


def wide(term: Term) -> Term:
    return sign_extend(64 - WIDTH, term)


def number(value: int) -> Term:
    return bv(value, WIDTH)


def rows_of_variable_length(row: Term, column: Term) -> Term:
    return bvadd(bvmul(bv(4, 64), wide(row), M), bvmul(bv(4, 64), wide(column)), bv(65536, 64))


def rows_of_100(row: Term, column: Term) -> Term:
    return bvadd(bvmul(bv(400, 64), wide(row)), bvmul(bv(4, 64), wide(column)), bv(65536, 64))


def flat(row: Term, column: Term) -> Term:
    return bvadd(bvmul(bv(4, 64), wide(bvadd(bvmul(row, N), column))), bv(65536, 64))


LAYOUTS = (rows_of_variable_length, rows_of_100, flat)
PLACES = (
    (ROW, COLUMN),
    (bvadd(ROW, number(1)), COLUMN),
    (bvsub(ROW, number(1)), bvadd(COLUMN, number(1))),
    (ROW, ROW),
    (number(0), COLUMN),
    (ROW, number(0)),
    (COLUMN, ROW),
    (ROW, bvsub(N, bvadd(COLUMN, number(1)))),
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_rows_and_columns_are_found(layout: Callable[[Term, Term], Term], place: tuple[Term, Term]) -> None:
    pattern, index = layout(R, C), layout(*place)
    found = list(together(pattern, (R, C), index))
    assert found
    random = Random(str(pattern))
    for _ in range(20):  # small numbers, as nothing wraps then
        state = Model({v: random.randrange(20) for v in (ROW, COLUMN, N, M)})
        for values in found:
            if evaluate(place[0], state) < 1 << 31 and evaluate(place[1], state) < 1 << 31:
                again = substitute(pattern, dict(zip((R, C), values, strict=True)))
                assert evaluate(again, state) == evaluate(index, state), values


def test_what_the_program_says_comes_first() -> None:
    assert next(together(flat(R, C), (R, C), flat(ROW, COLUMN))) == (ROW, COLUMN)
    assert next(together(rows_of_variable_length(R, C), (R, C), rows_of_variable_length(ROW, COLUMN))) == (ROW, COLUMN)


def test_other_forms_are_left_alone() -> None:
    assert not list(together(flat(R, bvmul(R, C)), (R, C), flat(ROW, COLUMN)))
    assert not list(together(flat(R, C), (R, C), R))
