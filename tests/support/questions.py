"""Questions for solvers, and how they are asked of one that may refuse."""

from __future__ import annotations

import pytest

from craton.errors import MissingCapability
from craton.logic import BitVec, Term, and_, bv, bvmul, bvult, eq, var
from craton.smt.contract import Solver


def add_or_skip(solver: Solver, *formulas: Term) -> None:
    try:
        solver.add(*formulas)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))


def hard_question() -> Term:
    """Which two numbers of 48 bits have this product of two primes? Too much for half a second."""
    width = 96
    a, b = var("factor a", BitVec(width)), var("factor b", BitVec(width))
    bound, one = bv(1 << (width // 2), width), bv(1, width)
    product = (10**12 + 39) * (10**12 - 11)
    return and_(eq(bvmul(a, b), bv(product, width)), bvult(a, bound), bvult(b, bound), bvult(one, a), bvult(one, b))
