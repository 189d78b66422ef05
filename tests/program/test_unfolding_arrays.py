"""Unfolded runs: what is constant stays constant, in arrays, too."""

from __future__ import annotations

import random

from craton.logic import Array, BitVec, Term, bv, eq, select, var
from craton.logic.arrays import const_array, store
from craton.program.unfolding import MOST_WRITTEN, written_out
from craton.smt import make_solver

SORT = Array(BitVec(4), BitVec(8))
A = var("a", SORT)


def test_arrays_of_constants_are_written_out_with_what_was_written_last() -> None:
    rng = random.Random(7)
    with make_solver("z3") as solver:
        for start in (A, const_array(SORT, bv(3, 8))):
            term: Term = start
            for _ in range(40):
                term = store(term, bv(rng.randrange(8), 4), bv(rng.randrange(256), 8))
            found = written_out(term)
            assert found is not None
            assert solver.is_valid(eq(found, term)) is True
            assert written_out(found) is found
            stores = 0
            while found is not start:
                found, stores = found.args[0], stores + 1
            assert stores == 8


def test_others_are_not() -> None:
    x = var("x", BitVec(4))
    for other in (
        A,
        store(A, x, bv(1, 8)),
        store(A, bv(1, 4), select(A, bv(2, 4))),
        store(store(A, x, bv(1, 8)), bv(2, 4), bv(3, 8)),
    ):
        assert written_out(other) is None
    wide = Array(BitVec(16), BitVec(8))
    large: Term = var("b", wide)
    for index in range(MOST_WRITTEN + 1):
        large = store(large, bv(index, 16), bv(index % 256, 8))
    assert written_out(large) is None
