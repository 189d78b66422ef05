"""Truth tables: gates against the meaning of each operation, on all values; the solver against all assignments."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given

from craton.evidence.checker import ALL_CASES, Confirmed, Question, check_questions, others
from craton.logic import (
    BOOL,
    BitVec,
    Model,
    Sort,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvsdiv,
    bvsle,
    bvslt,
    bvsrem,
    bvsub,
    bvudiv,
    bvule,
    bvult,
    bvurem,
    constant,
    eq,
    evaluate,
    ite,
    not_,
    ops,
    or_,
    var,
)
from craton.logic.ops import Op
from craton.logic.semantics import compute
from craton.smt import Answer, Undecided, Unsat
from craton.smt.tables.cases import Cases
from craton.smt.tables.gates import Bits, Gates
from craton.smt.tables.solver import TableSolver
from support.terms import BITVECTORS, decode, decode_model, tapes

BINARY = (
    ops.BVAND, ops.BVOR, ops.BVXOR, ops.BVADD, ops.BVSUB, ops.BVMUL, ops.BVUDIV, ops.BVUREM, ops.BVSDIV, ops.BVSREM,
    ops.BVSMOD, ops.BVSHL, ops.BVLSHR, ops.BVASHR, ops.BVULT, ops.BVULE, ops.BVSLT, ops.BVSLE, ops.EQ, ops.DISTINCT,
    ops.CONCAT,
)  # fmt: skip
INDEXED = ((ops.EXTRACT, (1, 1)), (ops.EXTRACT, (2, 0)), (ops.ZERO_EXTEND, (2,)), (ops.SIGN_EXTEND, (2,)))


def told(bits: Bits, row: int) -> int:
    return sum((bit >> row & 1) << place for place, bit in enumerate(bits))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("op", BINARY, ids=str)
def test_gates_of_two_numbers(op: Op, width: int) -> None:
    gates, numbers = Gates(1 << (2 * width)), list(product(range(1 << width), repeat=2))
    columns = [
        tuple(sum((pair[at] >> place & 1) << row for row, pair in enumerate(numbers)) for place in range(width))
        for at in (0, 1)
    ]
    found = gates.computed(op, (), columns)
    for row, pair in enumerate(numbers):
        assert told(found, row) == compute(op, [BitVec(width)] * 2, (), pair), pair


@pytest.mark.parametrize(("op", "payload"), [*INDEXED, (ops.BVNEG, ()), (ops.BVNOT, ())], ids=str)
def test_gates_of_one_number(op: Op, payload: tuple[int, ...]) -> None:
    gates = Gates(8)
    column = tuple(sum((number >> place & 1) << number for number in range(8)) for place in range(3))
    found = gates.computed(op, payload, [column])
    assert [told(found, number) for number in range(8)] == [compute(op, [BitVec(3)], payload, (n,)) for n in range(8)]


def asked(*formulas: Term) -> Answer:
    with TableSolver() as solver:
        solver.add(*formulas)
        return solver.check()


@given(tapes(), tapes())
def test_whatever_bits_mean(tape: bytes, other: bytes) -> None:
    """A formula is false on given values of its variables if it is so by evaluation, and only then."""
    formula = decode(tape, BOOL, BITVECTORS)
    model = decode_model(other, formula)
    fixed = [eq(v, constant(value, v.sort)) for v, value in model.values.items()]
    answer = asked(formula, *fixed)
    holds = evaluate(formula, model)
    assert isinstance(answer, Undecided) if holds else isinstance(answer, Unsat) or "do not know" in str(answer)


X, Y, Z, B = (*(var(name, BitVec(4)) for name in "xyz"), var("b", BOOL))


def _models(formulas: list[Term]) -> bool:
    """Whether there is one among all assignments."""
    values = product(range(16), range(16), range(16), (False, True))
    return any(
        all(evaluate(formula, Model({X: x, Y: y, Z: z, B: b})) is True for formula in formulas) for x, y, z, b in values
    )


def _conjunction(random: Random) -> list[Term]:
    def number(depth: int = 2) -> Term:
        if not depth or random.random() < 0.3:
            return random.choice([X, Y, bv(random.randrange(16), 4)])
        make = random.choice((bvadd, bvsub, bvmul, bvudiv, bvurem, bvsdiv, bvsrem))
        return ite(B, number(0), number(0)) if random.random() < 0.2 else make(number(depth - 1), number(depth - 1))

    def compared() -> Term:
        made = random.choice((bvule, bvult, bvsle, bvslt, eq))(number(1), number())
        return not_(made) if random.random() < 0.4 else made

    bounds = [
        random.choice((bvule, bvult, bvsle, bvslt))(*random.sample([v, bv(random.randrange(16), 4)], 2))
        for v in (X, Y, X)
    ]
    bounds = [not_(one) if random.random() < 0.4 else one for one in bounds]
    defined = [eq(Z, number())] if random.random() < 0.5 else []
    ways = or_(and_(B, compared(), bounds[0]), and_(not_(B), compared(), bounds[0]))
    return [*bounds[1:], ways, *defined, not_(or_(compared(), compared())), eq(Z, number(1))]


@pytest.mark.parametrize("seed", range(60))
def test_contradictions_are_those_of_all_assignments(seed: int) -> None:
    formulas = _conjunction(Random(seed))
    shown = isinstance(asked(*formulas), Unsat)
    assert not (shown and _models(formulas))
    if seed < 20 and not shown:  # it misses only what has a remainder of which nothing else is known
        assert _models(formulas) or any(op in str(formulas) for op in ("%", "rem"))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_so_somewhere_is_never_a_contradiction(seed: int) -> None:
    """Names that stand for each other in circles, and those that the solver would make itself."""
    random, holds = Random(seed), list[Term]()
    divided, made = var("divided", BitVec(4)), var("divided in bvurem", BitVec(4))
    model: dict[Term, Any] = {v: random.randrange(16) for v in (X, Y, Z, divided, made)} | {B: random.random() < 0.5}
    rest = bvurem(divided, bv(random.randrange(2, 8), 4))
    other = bvurem(divided, bv(random.choice((3, 9)), 4))
    for first, second in ((X, Y), (Y, Z), (Z, X), (rest, made), (made, Z), (Y, other)):
        differs = random.choice((bvadd, bvsub))(second, bv(random.randrange(16), 4))
        by = constant(evaluate(bvsub(first, differs), Model(model)), BitVec(4))
        equation, bound = eq(first, bvadd(differs, by)), random.choice((bvule, bvslt))(first, by)
        holds += [equation] if random.random() < 0.7 else []
        holds += [bound if evaluate(bound, Model(model)) is True else not_(bound)]
    holds += [one if evaluate(one, Model(model)) is True else not_(one) for one in _conjunction(random)]
    assert all(evaluate(one, Model(model)) is True for one in holds)
    assert isinstance(asked(*random.sample(holds, len(holds))), Undecided)


def test_no_case_is_left_out() -> None:
    """Of all numbers between two bounds, however these are said."""
    random, narrowed = Random(5), 0
    for _ in range(1500):
        parts = []
        for _ in range(2):
            compared = random.choice((bvule, bvult, bvsle, bvslt))
            part = compared(*random.sample([X, bv(random.randrange(16), 4)], 2))
            parts.append(not_(part) if random.random() < 0.5 else part)
        cases = Cases.of(parts)
        looked_at = {(one.low + n) % 16 for one in cases.inputs for n in range(1 << one.bits)}
        narrowed += bool(cases.inputs) and len(looked_at) < 16
        missed = set(range(16)) - looked_at if cases.inputs else ()
        assert not any(all(evaluate(part, Model({X: x})) for part in parts) for x in missed), parts
    assert narrowed > 300


DAY, OTHER = var("day", BitVec(32)), var("other", BitVec(32))


def number(value: int) -> Term:
    return bv(value, 32)


def _years(before: Term) -> Term:
    """Days before a year of our calendar."""
    parts = [bvsdiv(before, number(divisor)) for divisor in (4, 100, 400)]
    return bvadd(bvmul(number(365), before), bvsub(bvadd(parts[0], parts[2]), parts[1]))


def _is_leap(year: Term) -> Term:
    zero = [eq(bvsrem(year, number(divisor)), number(0)) for divisor in (4, 100, 400)]
    return or_(and_(zero[0], not_(zero[1])), zero[2])


CALENDAR: tuple[Term, ...] = (
    not_(or_(bvslt(DAY, number(1)), bvslt(number(9999), DAY))),
    not_(eq(bvsub(_years(DAY), _years(bvsub(DAY, number(1)))), ite(_is_leap(DAY), number(366), number(365)))),
)


def test_what_gates_are_too_many_for() -> None:
    question = Question(CALENDAR, "no", "not known")
    found = check_questions([question], others(("bitwuzla",)), 20.0)
    assert isinstance(found, Confirmed)
    assert not isinstance(check_questions([question], (ALL_CASES,), 5.0, opinions=2), Confirmed)  # it is no solver's
    assert isinstance(asked(*CALENDAR), Unsat) and isinstance(asked(CALENDAR[1]), Undecided)


@pytest.mark.parametrize(
    ("formulas", "expected"),
    [
        ((bvule(number(100), bvurem(DAY, number(100))),), Unsat),
        ((bvsle(number(100), bvsrem(DAY, number(100))),), Unsat),
        ((bvsle(bvsrem(DAY, number(100)), number(-100)),), Unsat),
        ((bvule(number(100), bvurem(DAY, number(100))), eq(DAY, OTHER)), Unsat),  # nothing else is said of the other
        ((bvule(number(99), bvurem(DAY, number(100))), bvule(DAY, bvmul(OTHER, OTHER))), Undecided),  # too many cases
        ((bvule(bvurem(DAY, number(100)), number(5)), bvule(bvurem(DAY, number(100)), number(7))), Undecided),
        ((eq(bvurem(DAY, number(0)), DAY),), Undecided),
        *(((eq(bvsrem(DAY, number(100)), number(rest)),), Undecided) for rest in (-99, 0, 99)),
        *(((eq(bvurem(DAY, number(100)), number(rest)),), Undecided) for rest in (0, 99)),
        *(((eq(bvand(DAY, number(9)), number(rest)),), Undecided) for rest in (0, 9)),
        ((eq(bvsrem(DAY, number(100)), number(100)),), Unsat),
    ],
)
def test_only_a_remainder_is_used(formulas: tuple[Term, ...], expected: Any) -> None:
    assert isinstance(asked(*formulas), expected)


@pytest.mark.parametrize("sort", [BitVec(32), BitVec(23)])
def test_too_many_cases(sort: Sort) -> None:
    assert "more than 2^22 cases" in str(
        asked(eq(var("v", sort), var("w", sort)), not_(eq(var("w", sort), bv(0, 23 if sort == BitVec(23) else 32))))
    )
