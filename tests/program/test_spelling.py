"""Formulas as C says them; what is written in another way means the same."""

from __future__ import annotations

import pytest

from craton.errors import NotExpressible
from craton.evidence.witness.invariants import implies
from craton.logic import (
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    bvsle,
    bvslt,
    bvsub,
    bvule,
    bvult,
    eq,
    extract,
    not_,
    or_,
    select,
    sign_extend,
    var,
    zero_extend,
)
from craton.logic.sorts import Array
from craton.program.cfa import Location, Procedure, Program
from craton.program.spelling import plain, spelled
from craton.program.storage import Elements, Members, Scalar, Storage, StoredObject
from craton.report.linear import comparison, merged

X, Y = var("x", BitVec(32)), var("y", BitVec(32))
MEMORY = var("mem a", Array(BitVec(64), BitVec(32)))
INT = Scalar("int", 4, True)
PAIR = Members("struct pair", 8, (("left", 0, INT), ("right", 4, Scalar("unsigned int", 4))))
OBJECTS = (StoredObject("p", 8, PAIR, 1000), StoredObject("a", 80, Elements(PAIR, 10), 2000))
MAIN = Procedure("main", (), (), Location(0), Location(0), ())
PROGRAM = Program("main", {"main": MAIN}, (), {}, storage=Storage(OBJECTS))


def named(variable: Term) -> tuple[str, bool]:
    if variable is MEMORY:
        raise NotExpressible("memory")
    return variable.name, variable is X


def at(address: Term) -> Term:
    return select(MEMORY, address)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (bvule(at(bv(1004, 64)), bv(8, 32)), "p.right <= 8U"),
        (bvsle(at(bv(2008, 64)), X), "a[1].left <= x"),
        (eq(at(bvadd(bv(2004, 64), bvmul(bv(8, 64), sign_extend(32, X)))), bv(3, 32)), "a[x].right == 3U"),
    ],
)
def test_memory_has_names(formula: Term, text: str) -> None:
    assert spelled(formula, PROGRAM, named) == text


def test_what_has_no_name_is_not_said() -> None:
    with pytest.raises(NotExpressible):
        spelled(eq(at(bv(5000, 64)), X), PROGRAM, named)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (and_(eq(extract(31, 4, Y), bv(0, 28)), bvule(extract(3, 0, Y), bv(8, 4))), "y <= 8U"),
        (and_(eq(extract(31, 4, Y), bv(0, 28)), not_(eq(extract(3, 3, Y), bv(1, 1)))), "y <= 7U"),
        (eq(extract(31, 31, X), bv(1, 1)), "x < 0"),
        (bvule(zero_extend(1, Y), bv(9, 33)), "y <= 9U"),
        (
            or_(bvslt(zero_extend(2, Y), bv(0, 34)), bvslt(bv(2**32 - 1, 34), zero_extend(2, Y)), eq(X, bv(1, 32))),
            "x == 1",
        ),
        (
            and_(bvsle(bv(-(2**31), 34), sign_extend(2, X)), bvsle(bv(0, 34), zero_extend(2, Y)), eq(X, bv(1, 32))),
            "x == 1",
        ),
        (
            or_(
                bvslt(sign_extend(2, X), bv(-(2**31), 34)),
                bvslt(bv(2**31 - 1, 34), sign_extend(2, X)),
                eq(X, bv(1, 32)),
            ),
            "x == 1",
        ),
        (bvsle(bv(-1, 34), sign_extend(2, X)), "x >= -1"),
        (bvsle(sign_extend(2, X), bv(2**31 - 2, 34)), "x <= 2147483646"),
        (not_(and_(eq(X, bv(1, 32)), not_(eq(Y, bv(2, 32))))), "x != 1 || y == 2U"),
        (not_(or_(eq(X, bv(1, 32)), and_(eq(Y, bv(2, 32)), eq(X, bv(3, 32))))), "x != 1 && (y != 2U || x != 3)"),
    ],
)
def test_numbers_instead_of_bits(formula: Term, text: str) -> None:
    again = plain(formula)
    assert implies(formula, again) and implies(again, formula)
    assert spelled(again, PROGRAM, named) == text


def wide(term: Term) -> Term:
    return sign_extend(2, term) if term is X else zero_extend(2, term)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (bvslt(bv(-1, 34), bvsub(wide(X), wide(Y))), "x >= y"),
        (bvsle(bvadd(wide(X), bvmul(bv(2, 34), wide(Y))), bv(7, 34)), None),  # 2 · y may need all bits
        (bvsle(bvadd(wide(X), wide(Y)), bv(7, 34)), "x + y <= 7"),
        (bvsle(bvadd(X, Y), bv(7, 32)), None),  # may wrap
        (bvult(Y, bv(8, 32)), "y <= 7"),
        (bvult(X, bv(8, 32)), None),  # x has a sign
        (not_(eq(X, bv(0, 32))), "x != 0"),
    ],
)
def test_sums_that_cannot_wrap(formula: Term, text: str | None) -> None:
    found = comparison(formula, named)
    assert (None if found is None else str(found)) == text


def test_two_bounds_are_an_equation() -> None:
    parts = [bvsle(wide(X), wide(Y)), bvsle(wide(Y), wide(X))]
    found = [one for part in parts if (one := comparison(part, named)) is not None]
    assert list(map(str, merged(found))) == ["x == y"]
