"""What is said of an index, said of the position that it is."""

from __future__ import annotations

import pytest

from craton.logic import (
    BitVec,
    Term,
    bv,
    bvadd,
    bvmul,
    bvsub,
    eq,
    evaluate,
    free_variables,
    sign_extend,
    substitute,
    var,
)
from craton.views.cells.positions import told_by, told_by_rows
from support.assertions import assert_valid

X, Y, K, C = (var(name, BitVec(32)) for name in "ijkc")
THREE = bvadd(bvmul(bv(3, 32), X), bv(-3, 32))
SHORT = sign_extend(16, var("s", BitVec(16)))
ROW = bvadd(bvmul(bv(1500, 32), X), Y)
TOLD: dict[str, tuple[Term, Term, Term]] = {
    "a variable": (X, bvmul(X, X), bvmul(K, K)),
    "the next one": (bvadd(X, bv(1, 32)), eq(C, X), eq(C, bvadd(K, bv(-1, 32)))),
    "from behind": (bvsub(bv(9, 32), X), X, bvadd(bvmul(bv(-1, 32), K), bv(9, 32))),
    "a multiple": (THREE, bvadd(bvmul(bv(6, 32), X), C), bvadd(bvmul(bv(2, 32), K), C, bv(6, 32))),
    "an address": (THREE, bvadd(bvmul(bv(4, 32), THREE), bv(65536, 32)), bvadd(bvmul(bv(4, 32), K), bv(65536, 32))),
    "a row and a column": (ROW, bvadd(bvmul(bv(6000, 32), X), bvmul(bv(4, 32), Y)), bvmul(bv(4, 32), K)),
    "what was extended": (SHORT, bvmul(bv(4, 32), SHORT), bvmul(bv(4, 32), K)),
}


@pytest.mark.parametrize("name", TOLD)
def test_terms_are_told_by_the_position(name: str) -> None:
    index, term, expected = TOLD[name]
    found = told_by(term, index, K)
    assert_valid(eq(found, expected))
    assert free_variables(found) == free_variables(expected)
    assert_valid(eq(substitute(found, {K: index}), term))


def test_what_is_no_multiple_stays() -> None:
    assert told_by(eq(C, X), THREE, K) is eq(C, X)


CUBE = bvadd(bvmul(bv(60, 32), X), bvmul(bv(12, 32), Y), C)


@pytest.mark.parametrize(("index", "sizes"), [(ROW, {X: 1500, Y: 1500}), (CUBE, {X: 9, Y: 5, C: 12})])
@pytest.mark.parametrize("term", [X, Y, eq(X, Y), bvadd(X, Y), bvadd(bvmul(bv(6000, 32), X), bvmul(bv(4, 32), Y))])
def test_rows_and_columns_are_told_by_the_position(index: Term, sizes: dict[Term, int], term: Term) -> None:
    """Wherever columns stay in their rows: on some of them, evaluated."""
    found = told_by_rows(term, index, K)
    assert not free_variables(found) & {X, Y}
    for at in range(0, 1500, 7):
        values = {variable: at * (place + 3) % size for place, (variable, size) in enumerate(sizes.items())}
        position = evaluate(index, {C: 0} | values)
        assert evaluate(found, {C: 0, K: position} | values) == evaluate(term, values)


def test_what_is_not_row_by_row_stays() -> None:
    backwards = bvadd(bvmul(bv(-1500, 32), X), bvmul(bv(-1, 32), Y))
    for index in (X, backwards, bvadd(bvmul(bv(7, 32), X), bvmul(bv(2, 32), Y))):
        assert told_by_rows(eq(C, X), index, K) is eq(C, X)
