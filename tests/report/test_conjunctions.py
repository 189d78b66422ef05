"""Invariants in C: what lies behind pointers has names, what C has no words for is left out."""

from __future__ import annotations

import pytest

from craton.errors import NotExpressible
from craton.logic import (
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    bvsle,
    bvslt,
    bvule,
    eq,
    forall,
    implies,
    not_,
    or_,
    select,
    sign_extend,
    var,
)
from craton.logic.sorts import Array
from craton.program.cfa import Location, Procedure, Program
from craton.program.storage import Elements, Members, Scalar, Storage, StoredObject
from craton.program.variables import at_entry
from craton.report.conjunctions import Said, in_c
from craton.report.pointers import Pointers

INT = Scalar("int", 4, True)
NODE = Members("struct node", 16, (("value", 0, INT), ("next", 8, Scalar("struct node *", 8, False, "struct node"))))
OBJECTS = (
    StoredObject("a", 40, Elements(INT, 10), 2000),
    StoredObject("first", 16, NODE, 3000),
    StoredObject("here", 8, Scalar("struct node *", 8, False, "struct node"), 4000),
)
PROGRAM = Program(
    "main",
    {"main": Procedure("main", (), (), Location(0), Location(0), ())},
    (),
    {},
    storage=Storage(OBJECTS, {"struct node": NODE, "int": INT}),
)

HEAD, TAIL, P = (var(name, BitVec(64)) for name in ("head", "tail", "p"))
OLD_HEAD = var("\\old(head)", BitVec(64))
X, K, TOP = var("x", BitVec(32)), var("k", BitVec(32)), var("heap top", BitVec(64))
VALUES = var("mem node.value", Array(BitVec(64), BitVec(32)))
NEXTS = var("mem node.next", Array(BitVec(64), BitVec(64)))
POINTEES = {HEAD: "struct node", TAIL: "struct node", OLD_HEAD: "struct node", P: "int"}


def name(variable: Term) -> tuple[str, bool]:
    if variable is TOP or isinstance(variable.sort, Array):
        raise NotExpressible("no name")
    return variable.name, variable is X


POINTERS = Pointers(PROGRAM.storage, name, lambda v: POINTEES.get(v, ""), frozenset((at_entry(VALUES),)))


def number(value: int) -> Term:
    return bv(value, 32)


def address(value: int) -> Term:
    return bv(value, 64)


def value(at: Term) -> Term:
    return select(VALUES, at)


def behind(at: Term) -> Term:
    """The pointer to the next node."""
    return select(NEXTS, bvadd(at, address(8)))


TWO = and_(  # a list of two nodes
    eq(TOP, address(65632)),
    eq(HEAD, address(65568)),
    eq(value(address(65568)), number(1)),
    eq(value(address(65536)), number(0)),
    eq(select(NEXTS, address(65576)), address(65536)),
    eq(select(NEXTS, address(65544)), address(0)),
)
TWO_TEXT = (
    "head->value == 1 && head->next->value == 0 && head != NULL && head->next != NULL && head->next->next == NULL"
)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (eq(HEAD, address(0)), "head == NULL"),
        (not_(eq(HEAD, address(0))), "head != NULL"),
        (bvule(address(1), HEAD), "head != NULL"),
        (eq(HEAD, TAIL), "head == tail"),
        (eq(HEAD, address(3000)), "head == &first"),
        (eq(P, address(2012)), "p == &a[3]"),
        (eq(P, bvadd(var("q", BitVec(64)), address(8))), None),
        (eq(HEAD, bvadd(TAIL, address(32))), "head == tail + 2"),
        (bvsle(value(HEAD), X), "head->value <= x"),
        (bvsle(value(behind(behind(HEAD))), X), "head->next->next->value <= x"),
        (bvsle(value(select(NEXTS, address(3008))), X), "first.next->value <= x"),
        (bvsle(value(select(NEXTS, address(4000))), X), "here->value <= x"),
        (eq(value(P), number(7)), "*p == 7"),
        (eq(value(bvadd(P, address(12))), number(7)), "p[3] == 7"),
        (eq(value(bvadd(P, bvmul(address(4), sign_extend(32, X)))), number(7)), "p[x] == 7"),
        (eq(select(at_entry(VALUES), OLD_HEAD), value(HEAD)), "\\old(head->value) == head->value"),
    ],
)
def test_names_behind_pointers(formula: Term, text: str | None) -> None:
    assert in_c(formula, POINTERS, PROGRAM) == (Said("1", complete=False) if text is None else Said(text))


def test_numbers_that_pointers_have_are_names() -> None:
    assert in_c(TWO, POINTERS, PROGRAM) == Said(TWO_TEXT, complete=False)  # the heap's end has no name
    empty = and_(eq(HEAD, address(0)), eq(X, number(0)))
    assert in_c(or_(empty, TWO), POINTERS, PROGRAM) == Said(
        f"((x == 0 && head == NULL) || ({TWO_TEXT}))", complete=False
    )


@pytest.mark.parametrize(
    "formula",
    [
        eq(value(address(65536)), number(0)),  # nobody points there
        eq(value(bvadd(HEAD, address(4))), number(0)),  # between two members
        eq(select(at_entry(VALUES), HEAD), number(0)),  # what the pointer of now pointed to then
        eq(bvadd(HEAD, TAIL), address(5)),
        bvule(HEAD, address(65600)),
        or_(eq(X, number(1)), eq(TOP, address(5))),
    ],
)
def test_what_c_cannot_say_is_left_out(formula: Term) -> None:
    assert in_c(formula, POINTERS, PROGRAM) == Said("1", complete=False)
    assert in_c(and_(formula, eq(X, number(3))), POINTERS, PROGRAM) == Said("x == 3", complete=False)


def test_one_name_means_one_thing() -> None:
    other = select(var("mem other.value", Array(BitVec(64), BitVec(32))), HEAD)
    said = in_c(and_(eq(value(HEAD), number(1)), eq(other, number(2))), POINTERS, PROGRAM)
    assert said == Said("head->value == 1", complete=False)


def test_of_all_elements() -> None:
    element = value(bvadd(address(2000), bvmul(address(4), sign_extend(32, K))))
    inside = and_(bvsle(number(0), K), bvslt(K, X))
    said = in_c(forall([K], implies(inside, eq(element, number(7)))), POINTERS, PROGRAM)
    assert said == Said("(\\forall int k; k >= 0 && k < x ==> a[k] == 7)")


def test_a_premise_is_not_made_weaker() -> None:
    inside = and_(bvsle(number(0), K), eq(TOP, address(1)))
    element = value(bvadd(address(2000), bvmul(address(4), sign_extend(32, K))))
    assert in_c(forall([K], implies(inside, eq(element, number(7)))), POINTERS, PROGRAM) == Said("1", complete=False)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (and_(bvsle(number(3), K), bvsle(K, number(9))), "k >= 3 && k <= 9"),
        (and_(not_(bvslt(K, number(3))), bvslt(K, number(9))), "k >= 3 && k <= 8"),
        (and_(bvsle(number(0), K), bvsle(K, number(9))), "k <= 9"),
        (bvsle(number(3), K), "(int)k >= 3"),  # not of large numbers
        (and_(bvsle(number(-3), K), bvsle(K, number(9))), "(int)k >= -3 && (int)k <= 9"),
    ],
)
def test_bounds_with_a_sign_of_what_has_none(formula: Term, text: str) -> None:
    assert in_c(formula, POINTERS, PROGRAM) == Said(text)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (eq(K, number(7)), "k == BUSY"),
        (not_(eq(K, number(7))), "k != BUSY"),
        (and_(bvule(number(7), K), bvule(K, number(7))), "k == BUSY"),
        (eq(K, number(8)), "k == 8"),
        (or_(eq(K, number(7)), eq(X, number(7))), "(k == BUSY || x == 7)"),
    ],
)
def test_constants_of_enumerations(formula: Term, text: str) -> None:
    storage = Storage((), {}, {"enum state": {3: "IDLE", 7: "BUSY"}})
    pointers = Pointers(storage, name, lambda v: "", type_of=lambda v: "enum state" if v is K else "int")
    assert in_c(formula, pointers, PROGRAM) == Said(text)
