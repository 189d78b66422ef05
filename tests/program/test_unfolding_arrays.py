"""Unfolded runs: what is constant stays constant, in arrays, too; and elements are told one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from craton.frontends.programs import Request, load_program
from craton.logic import BOOL, Array, BitVec, Term, bv, bvadd, eq, free_variables, ite, select, substitute, var
from craton.logic.arrays import const_array, store
from craton.program.blocks import encode_blocks
from craton.program.preparation import prepare
from craton.program.unfolding import MOST_WRITTEN, MergedState, Order, Unfolding, WrittenArrays
from craton.smt import make_solver

SORT = Array(BitVec(4), BitVec(8))
A = var("a", SORT)
CONDITION = var("c", BOOL)
STARTS = (A, const_array(SORT, bv(3, 8)))


class Names:
    """What is not simple has a name."""

    def __init__(self) -> None:
        self.meanings: dict[Term, Term] = {}

    def named(self, term: Term) -> Term:
        if not term.args:
            return term
        name = var(f"t!{len(self.meanings)}", term.sort)
        self.meanings[name] = term
        return name

    def meaning(self, term: Term) -> Term:
        while (meant := substitute(term, self.meanings)) is not term:
            term = meant
        return term


def constant(rng: random.Random) -> Term:
    return bv(rng.randrange(256), 8)


def anything(rng: random.Random) -> Term:
    x = var(f"x{rng.randrange(3)}", BitVec(8))
    return rng.choice((constant(rng), x, bvadd(x, constant(rng)), select(A, bv(rng.randrange(4), 4))))


def written(rng: random.Random, start: Term, times: int, element: Callable[[random.Random], Term]) -> Term:
    term = start
    for _ in range(times):
        term = store(term, bv(rng.randrange(8), 4), element(rng))
    return term


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("element", [constant, anything])
def test_arrays_are_written_out_with_what_was_written_last(
    start: Term, element: Callable[[random.Random], Term]
) -> None:
    rng, names = random.Random(7), Names()
    arrays = WrittenArrays(names.named)
    with make_solver("z3") as solver:
        term = written(rng, start, 40, element)
        found = arrays.written_out(term)
        assert found is not None
        assert solver.is_valid(eq(names.meaning(found), term)) is True
        assert arrays.written_out(found) is found
        again = arrays.written_out(store(found, bv(2, 4), bv(3, 8)))
        assert again is not None and solver.is_valid(eq(again, store(found, bv(2, 4), bv(3, 8)))) is True
        stores, indices = 0, []
        while found is not start:
            indices.append(found.args[1])
            found, stores = found.args[0], stores + 1
        assert len(set(indices)) == stores <= 8
        assert indices == sorted(indices, key=lambda i: -i.serial)


@pytest.mark.parametrize("start", STARTS)
def test_one_or_the_other_is_told_by_elements(start: Term) -> None:
    rng, names = random.Random(3), Names()
    arrays = WrittenArrays(names.named)
    with make_solver("z3") as solver:
        for times in (0, 1, 3, 9):
            one, other = written(rng, start, times, anything), written(rng, start, 4, anything)
            found = arrays.either(CONDITION, one, other)
            assert found is not None
            assert solver.is_valid(eq(names.meaning(found), ite(CONDITION, one, other))) is True
            assert arrays.written_out(found) is found
            same = arrays.written_out(store(ite(CONDITION, one, other), bv(1, 4), bv(1, 8)))
            assert same is not None
            expected = store(ite(CONDITION, one, other), bv(1, 4), bv(1, 8))
            assert solver.is_valid(eq(names.meaning(same), expected)) is True
    assert arrays.either(CONDITION, A, STARTS[1]) is None


def test_others_are_not() -> None:
    x = var("x", BitVec(4))
    arrays = WrittenArrays(Names().named)
    for other in (
        store(A, x, bv(1, 8)),
        store(store(A, x, bv(1, 8)), bv(2, 4), bv(3, 8)),
        ite(CONDITION, A, var("b", SORT)),
        ite(CONDITION, A, store(A, x, bv(1, 8))),
    ):
        assert arrays.written_out(other) is None
        assert arrays.either(CONDITION, A, other) is None


def test_large_ones_are_not() -> None:
    wide = Array(BitVec(16), BitVec(8))
    arrays = WrittenArrays(Names().named)
    large: Term = var("b", wide)
    for index in range(MOST_WRITTEN):
        large = store(large, bv(index, 16), bv(index % 256, 8))
    assert arrays.written_out(large) is not None
    assert arrays.written_out(store(large, bv(5, 16), bv(9, 8))) is not None
    assert arrays.written_out(store(large, bv(MOST_WRITTEN, 16), bv(1, 8))) is None
    other = store(var("b", wide), bv(MOST_WRITTEN, 16), bv(1, 8))
    assert arrays.either(CONDITION, large, other) is None


def test_what_a_constant_array_holds_already_takes_no_room() -> None:
    arrays, start = WrittenArrays(Names().named), STARTS[1]
    for _ in range(3):
        found = arrays.written_out(store(store(start, bv(1, 4), bv(7, 8)), bv(1, 4), bv(3, 8)))
        assert found is start


_SORTING = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[4], i, j, t;
  for (i = 0; i < 4; i++) a[i] = __VERIFIER_nondet_int();
  for (i = 0; i < 4; i++)
    for (j = 0; j < 3 - i; j++)
      if (a[j] > a[j + 1]) { t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
  if (a[2] > a[3]) reach_error();
}
"""


def test_a_short_program_has_no_arrays_left(tmp_path: Path) -> None:
    """Where all indices are constants in the end, elements are variables among others, inputs or not."""
    file = tmp_path / "sorting.c"
    file.write_text(_SORTING, encoding="utf-8")
    program = encode_blocks(prepare(load_program(Request((str(file),)))).small.program).program
    unfolding = Unfolding(program, Order.LOOPS)
    state: MergedState | None = unfolding.first()
    while state is not None:
        if state.location not in program.errors:
            unfolding.follow(state)
        state = unfolding.next()
    assert len(unfolding.definitions) > 10
    assert not any(isinstance(term.sort, Array) for term in unfolding.definitions.values())
    told = (x for term in unfolding.definitions.values() for x in free_variables(term))
    assert not any(isinstance(x.sort, Array) for x in told)
