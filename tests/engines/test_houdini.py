"""Houdini: what is left of guesses is inductive, and is as much as can be."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations

import pytest

from craton.engines.contract import Budget, OutOfTime
from craton.engines.houdini import Guesses, bounds_by_constants, inductive, repaired
from craton.logic import (
    FALSE,
    INT,
    TRUE,
    BitVec,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvule,
    bvult,
    eq,
    ge,
    int_,
    le,
    lt,
    not_,
    substitute,
    var,
)
from craton.program.blocks import encode_blocks
from craton.program.cfa import Location, Program, Symbol
from craton.program.statements import Assign, Assume
from craton.program.transitions import transition
from craton.smt import make_solver
from craton.traces.refutation import hoare_triple
from support.automata import automaton

X, Y = var("x", INT), var("y", INT)
HEAD = Location(1)
COUNTERS = automaton(
    (0, Assign(X, int_(0)), 4),
    (4, Assign(Y, int_(0)), 1),
    (1, Assume(lt(X, int_(9))), 2),
    (2, Assign(X, add(X, int_(1))), 3),
    (3, Assign(Y, add(Y, int_(1))), 1),
)
GUESSES: list[Term] = [eq(X, Y), ge(X, int_(0)), ge(Y, int_(1)), le(X, int_(9)), le(X, int_(8)), eq(X, int_(0))]


def is_inductive(program: Program, guesses: Guesses) -> bool:
    solver = make_solver("z3")
    for edge in program.main.edges:
        if edge.source in guesses:
            after = and_(*guesses.get(edge.target, [FALSE]))
            triple = hoare_triple(and_(*guesses[edge.source]), transition(edge.statement), after)
            if solver.is_valid(triple) is not True:
                return False
    return True


def at_the_head(kept: tuple[Term, ...]) -> Guesses:
    """These at the head of the loop; elsewhere what they become on the way round it, where x is one ahead at last."""
    ahead = [substitute(guess, {X: add(X, int_(-1))}) for guess in kept]
    return {
        Location(0): [],
        Location(4): [eq(X, int_(0))],
        HEAD: list(kept),
        Location(2): [lt(X, int_(9)), *kept],
        Location(3): [le(X, int_(9)), *ahead],
    }


def test_what_is_left_is_the_largest_inductive_set() -> None:
    steps = {edge: transition(edge.statement) for edge in COUNTERS.main.edges}
    found = inductive(COUNTERS, steps, at_the_head(tuple(GUESSES)), make_solver("z3"), Budget(60.0))
    assert is_inductive(COUNTERS, found)
    assert set(found[HEAD]) == {eq(X, Y), ge(X, int_(0)), le(X, int_(9))}
    every = chain.from_iterable(combinations(GUESSES, size) for size in range(len(GUESSES) + 1))
    for subset in every:
        if is_inductive(COUNTERS, at_the_head(subset)):
            assert set(subset) <= set(found[HEAD])


def test_time_is_kept() -> None:
    steps = {edge: transition(edge.statement) for edge in COUNTERS.main.edges}
    with pytest.raises(OutOfTime):
        inductive(COUNTERS, steps, at_the_head(tuple(GUESSES)), make_solver("z3"), Budget(-1.0))


def test_what_is_known_supports_what_is_guessed() -> None:
    """y ≤ 9 follows from x ≤ 9 and x = y, and is not inductive alone."""
    steps = {edge: transition(edge.statement) for edge in COUNTERS.main.edges}
    guess, solver = le(Y, int_(9)), make_solver("z3")
    known = inductive(COUNTERS, steps, at_the_head((eq(X, Y), le(X, int_(9)))), solver, Budget(60.0))
    assert guess not in inductive(COUNTERS, steps, at_the_head((guess,)), solver, Budget(60.0))[HEAD]
    assert guess in inductive(COUNTERS, steps, at_the_head((guess,)), solver, Budget(60.0), known)[HEAD]


U = var("u", BitVec(8))
BITS = automaton(
    (0, Assign(U, bv(0, 8)), 1),
    (1, Assume(bvult(U, bv(100, 8))), 2),
    (2, Assign(U, bvadd(U, bv(1, 8))), 1),
    (1, Assume(not_(bvult(U, bv(100, 8)))), 3),
    (3, Assume(not_(eq(U, bv(100, 8)))), 5),
    errors=[5],
)


def test_bounds_by_the_constants_of_guards_repair_a_proof() -> None:
    """Nothing is given but `true`: that u stays at most 100 comes from the guard's constant."""
    declared = replace(BITS, symbols={U: Symbol("u", "unsigned char", None, signed=False)})
    program = encode_blocks(declared).program
    invariants = dict.fromkeys(program.main.locations, TRUE)
    found = repaired(program, invariants, Budget(60.0))
    for edge in program.main.edges:
        after = FALSE if edge.target in program.errors else found[edge.target]
        triple = hoare_triple(found[edge.source], transition(edge.statement), after)
        assert make_solver("z3").is_valid(triple) is True, edge


def test_only_constants_of_the_right_sort_and_sign_are_bounds() -> None:
    declared = replace(BITS, symbols={U: Symbol("u", "unsigned char", None, signed=False)})
    bounds = bounds_by_constants(declared, {edge: transition(edge.statement) for edge in BITS.main.edges})
    assert set(bounds[HEAD]) == {bvule(U, bv(100, 8)), bvule(bv(100, 8), U)}
    assert bounds[Location(0)] == [], "u is not live where it is about to be written"
