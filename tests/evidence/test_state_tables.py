"""What tables call contradictory has no model, and where numbers are only compared, all that has none is called so."""

from __future__ import annotations

import random

import pytest

from craton.evidence.state_tables import StateTables
from craton.logic import (
    BOOL,
    FALSE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvsle,
    bvslt,
    bvule,
    bvult,
    conjuncts,
    eq,
    extract,
    ite,
    not_,
    ops,
    or_,
    sign_extend,
    var,
    zero_extend,
)
from craton.smt import Unsat, make_solver

WIDTH = 3  # few enough that the constants leave no room for some orders
IDS = [var(name, BitVec(WIDTH)) for name in ("i", "j", "k", "l")]
P, Q = var("p", BOOL), var("q", BOOL)
SMALL = var("small", BitVec(WIDTH))
COMPARISONS = (bvsle, bvslt, bvule, bvult, eq)


class Drawn:
    """Formulas in which numbers are only compared; `extend` says how they are read."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.extend = self.random.choice((sign_extend, zero_extend))
        self.ids = self.random.sample(IDS, self.random.randint(1, len(IDS)))

    def number(self, depth: int) -> Term:
        if depth == 0 or self.random.random() < 0.3:
            is_constant = self.random.random() < 0.4
            return bv(self.random.randrange(1 << WIDTH), WIDTH) if is_constant else self.random.choice(self.ids)
        if self.random.random() < 0.2:
            return extract(WIDTH - 1, 0, self.extend(2, self.number(depth - 1)))
        return ite(self.condition(depth - 1), self.number(depth - 1), self.number(depth - 1))

    def condition(self, depth: int) -> Term:
        kind = self.random.random()
        if depth == 0 or kind < 0.4:
            return self.comparison(depth)
        if kind < 0.5:
            return self.random.choice((P, Q, eq(bvadd(SMALL, bv(3, WIDTH)), bv(self.random.randint(2, 5), WIDTH))))
        if kind < 0.6:
            return not_(self.condition(depth - 1))
        return self.random.choice((and_, or_))(self.condition(depth - 1), self.condition(depth - 1))

    def comparison(self, depth: int) -> Term:
        one, other = self.number(max(0, depth - 1)), self.number(max(0, depth - 1))
        if self.random.random() < 0.5:
            one, other = self.extend(2, one), self.extend(2, other)
            if self.random.random() < 0.3:  # a constant that no number reaches, perhaps
                other = bv(self.random.randrange(1 << (WIDTH + 2)), WIDTH + 2)
        return self.random.choice(COMPARISONS)(one, other)


def test_tables_and_a_solver_agree() -> None:
    shown = 0
    for seed in range(60):
        drawn = Drawn(seed)
        premise = and_(bvule(SMALL, bv(2, WIDTH)), *(drawn.condition(2) for _ in range(drawn.random.randint(0, 4))))
        tables = StateTables(premise)
        with make_solver("bitwuzla") as solver:
            for _ in range(4):
                formula = drawn.condition(4)
                answer = isinstance(solver.check(premise, formula), Unsat)
                assert tables.contradict(formula) <= answer, (seed, premise, formula)
                # What the premise says of others is left out: it may be that they have no values at all. And what is
                # known to be small is taken for a truth value.
                small = any(part.op is ops.BVULE and part.args[0] in IDS for part in conjuncts(premise))
                if not small and not isinstance(solver.check(premise), Unsat):
                    assert tables.contradict(formula) == answer, (seed, premise, formula)
                    shown += answer
    assert shown > 20


@pytest.mark.parametrize(
    "formula",
    [
        eq(bvadd(IDS[0], bv(1, WIDTH)), IDS[0]),
        and_(bvsle(sign_extend(2, IDS[0]), zero_extend(2, IDS[0])), not_(eq(IDS[0], IDS[0]))),
        eq(extract(1, 0, IDS[0]), ite(eq(extract(0, 0, IDS[0]), bv(1, 1)), bv(2, 2), bv(1, 2))),
        bvult(ite(P, IDS[0], bvadd(SMALL, SMALL)), bv(0, WIDTH)),
        and_(
            bvslt(sign_extend(2, IDS[0]), sign_extend(2, IDS[1])),
            bvslt(zero_extend(2, IDS[1]), zero_extend(2, IDS[0])),
            bvsle(bv(0, WIDTH), IDS[0]),
        ),
    ],
)
def test_nothing_is_said_where_numbers_are_computed_with(formula: Term) -> None:
    assert formula is FALSE or not StateTables(eq(P, P)).contradict(formula)


def test_between_constants_there_may_be_no_room() -> None:
    i, j, k, _ = IDS
    between = and_(*(and_(bvult(bv(2, WIDTH), x), bvult(x, bv(5, WIDTH))) for x in (i, j, k)))
    tables = StateTables(and_(between, not_(eq(i, j))))
    assert tables.contradict(and_(not_(eq(i, k)), not_(eq(j, k))))
    assert not tables.contradict(not_(eq(i, k)))
    assert not StateTables(not_(eq(i, j))).contradict(and_(not_(eq(i, k)), not_(eq(j, k))))
