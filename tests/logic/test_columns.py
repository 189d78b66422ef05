"""Columns have in each row the value that the term has there."""

from __future__ import annotations

import random

from craton.logic import BOOL, BitVec, Term, and_, bv, bvadd, bvmul, bvsle, bvule, eq, evaluate, ite, not_, or_, var
from craton.logic.columns import MOST_VALUES, Columns, column, repeated

X, Y, P = var("x", BitVec(8)), var("y", BitVec(8)), var("p", BOOL)


def _term(drawing: random.Random, depth: int) -> Term:
    if depth == 0:
        return drawing.choice((X, Y, bv(drawing.randrange(256), 8)))
    one, other = _term(drawing, depth - 1), _term(drawing, depth - 1)
    kind = drawing.randrange(4)
    return (bvadd, bvmul)[kind](one, other) if kind < 2 else ite(_condition(drawing, depth - 1), one, other)


def _condition(drawing: random.Random, depth: int) -> Term:
    if depth == 0:
        return P
    one, other = _condition(drawing, depth - 1), _condition(drawing, depth - 1)
    comparison = drawing.choice((eq, bvsle, bvule))(_term(drawing, depth - 1), _term(drawing, depth - 1))
    return drawing.choice((and_(one, comparison), or_(one, other), not_(one), comparison, eq(one, other)))


def test_columns_have_the_values_of_terms() -> None:
    drawing = random.Random(5)
    rows = [
        {X: drawing.choice((0, 3, 200, 255)), Y: drawing.randrange(4), P: drawing.random() < 0.5} for _ in range(40)
    ]
    columns = Columns((1 << 40) - 1, {x: column([row[x] for row in rows]) for x in (X, Y, P)})
    for _ in range(150):
        for term in (_term(drawing, 3), _condition(drawing, 3)):
            found = columns.of(term)
            assert found is not None and sum(mask.bit_count() for mask in found.values()) == len(rows)
            for number, row in enumerate(rows):
                assert found[evaluate(term, row)] >> number & 1, term


def test_only_rows_that_count_have_values() -> None:
    columns = Columns(0b1010, {X: column([1, 2, 3, 4])})
    assert columns.of(bvadd(X, bv(1, 8))) == {3: 0b0010, 5: 0b1000}
    assert columns.where(bvule(X, bv(2, 8))) == 0b0010


def test_what_has_too_many_values_has_no_column() -> None:
    columns = Columns((1 << 64) - 1, {X: column(range(64)), P: column([True, False], 32)})
    assert columns.of(bvmul(X, Y)) is None
    assert columns.where(and_(P, eq(Y, X))) is None
    assert len(columns.of(X) or ()) > MOST_VALUES  # as it was given
    assert columns.of(bvadd(X, bv(1, 8))) is None
    assert columns.where(bvule(X, bv(5, 8))) == 0b111111


def test_rows_again_and_again() -> None:
    assert [repeated(0b01, 2, length) for length in (1, 2, 5)] == [0b1, 0b01, 0b10101]
    assert column([7, 9], 3) == {7: 0b000111, 9: 0b111000}
