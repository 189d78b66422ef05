"""Concrete execution: outcomes, inputs, seeds, limits, recording."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craton.logic import FLOAT32, Array, BitVec, Term, bv, bvadd, bvslt, const_array, eq, not_, select, store, var
from craton.logic import evaluate as evaluate_term
from craton.logic.bitvectors import bvashr, bvmul, bvsdiv, bvshl, bvsrem, bvudiv, bvurem, bvxor
from craton.logic.semantics import ArrayValue
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program, Property
from craton.program.execution.interpreter import Interpreter, run
from craton.program.execution.open_values import as_value
from craton.program.execution.outcomes import Blocked, Exited, ReachedError, StepLimit
from craton.program.statements import Assign, Assume, Call, Havoc, Input, Return, Statement

X, Y = var("x", BitVec(8)), var("y", BitVec(8))
L = [Location(i) for i in range(10)]


def program(
    *edges: tuple[int, Statement, int],
    errors: dict[Location, Property] | None = None,
    returns: tuple[Term, ...] = (),
    others: tuple[Procedure, ...] = (),
) -> Program:
    main = Procedure("main", (), returns, L[0], L[9], tuple(Edge(L[a], s, L[b]) for a, s, b in edges), returns)
    procedures = {"main": main, **{p.name: p for p in others}}
    return Program("main", procedures, (X, Y), errors or {})


def test_a_program_that_counts() -> None:
    loop = program(
        (0, Assign(X, bv(0, 8)), 1),
        (1, Assume(bvslt(X, bv(10, 8))), 2),
        (2, Assign(X, bvadd(X, bv(3, 8))), 1),
        (1, Assume(not_(bvslt(X, bv(10, 8)))), 3),
        (3, Return(), 9),
    )
    result = run(loop)
    assert isinstance(result.outcome, Exited) and result.values[X] == 12


def test_outcomes() -> None:
    assert run(program((0, Assume(eq(X, bv(0, 8))), 1), errors={L[1]: UNREACH})).outcome == ReachedError(L[1], UNREACH)
    assert run(program((0, Assign(X, bv(1, 8)), 1))).outcome == Exited(None)
    blocked = run(program((0, Assume(eq(X, bv(1, 8))), 1))).outcome
    assert isinstance(blocked, Blocked) and blocked.location == L[0]
    forever = program((0, Assign(X, bvadd(X, bv(1, 8))), 0))
    assert run(forever, step_limit=5000).outcome == StepLimit(5000)


def test_inputs_are_read_in_order_and_wrap_around() -> None:
    source = Input("nondet", "unsigned char")
    twice = program((0, Havoc((X,), source), 1), (1, Havoc((Y,), source), 2), (2, Return(), 9))
    result = run(twice, [-1, 300])
    assert (result.values[X], result.values[Y]) == (255, 44)
    assert result.inputs == ((source, 255), (source, 44))
    assert run(twice, [7]).values[Y] == 0, "when inputs are used up, zeros follow"
    assert run(twice, seed=3).inputs == run(twice, seed=3).inputs


def test_numbers_as_values() -> None:
    assert as_value(0.1, FLOAT32) == 0x3DCCCCCD
    assert as_value(-2.9, BitVec(8)) == 254
    assert as_value(5, BitVec(8), "_Bool") == 1


def test_recursive_calls_have_their_own_locals() -> None:
    n, r = var("f::n", BitVec(8)), var("f::r", BitVec(8))
    t = var("f::t", BitVec(8))
    less = bvadd(n, bv(-1, 8))
    f = Procedure(
        "f",
        (n,),
        (r,),
        Location(20),
        Location(29),
        (
            Edge(Location(20), Assume(eq(n, bv(0, 8))), Location(21)),
            Edge(Location(21), Assign(r, bv(0, 8)), Location(22)),
            Edge(Location(22), Return(), Location(29)),
            Edge(Location(20), Assume(not_(eq(n, bv(0, 8)))), Location(23)),
            Edge(Location(23), Call("f", (less,), (t,)), Location(24)),
            Edge(Location(24), Assign(r, bvadd(n, t)), Location(25)),
            Edge(Location(25), Return(), Location(29)),
        ),
        (n, r, t),
    )
    sums = program((0, Call("f", (bv(10, 8),), (X,)), 1), (1, Return(), 9), others=(f,))
    assert run(sums).values[X] == 55


def test_memory_is_copied_when_it_is_assigned() -> None:
    sort = Array(BitVec(8), BitVec(8))
    a, b = var("a", sort), var("b", sort)
    edges = (
        (0, Assign(a, const_array(sort, bv(5, 8))), 1),
        (1, Assign(b, a), 2),
        (2, Assign(a, store(store(a, bv(1, 8), select(a, bv(2, 8))), bv(2, 8), bv(9, 8))), 3),
        (3, Assign(X, bvadd(select(a, bv(2, 8)), select(b, bv(2, 8)))), 4),
    )
    main = Procedure("main", (), (), L[0], L[9], tuple(Edge(L[s], t, L[e]) for s, t, e in edges))
    assert run(Program("main", {"main": main}, (X, a, b), {})).values[X] == 14


def test_the_edges_taken_can_be_recorded() -> None:
    small = program((0, Assign(X, bv(1, 8)), 1), (1, Assume(eq(X, bv(1, 8))), 2), (1, Assume(not_(eq(X, bv(1, 8)))), 3))
    taken = Interpreter(small, record=True).run().edges
    assert [edge.target for edge in taken] == [L[1], L[2]]


def test_many_cases_become_a_table() -> None:
    edges = [(0, Havoc((X,), Input("nondet", "unsigned char")), 1)]
    cases = [Edge(L[1], Assume(eq(X, bv(i, 8))), Location(100 + i)) for i in range(50)]
    moves = [Edge(Location(100 + i), Assign(Y, bv(2 * i, 8)), L[9]) for i in range(50)]
    main = Procedure("main", (), (), L[0], L[9], (*(Edge(L[a], s, L[b]) for a, s, b in edges), *cases, *moves))
    switch = Program("main", {"main": main}, (X, Y), {})
    assert run(switch, [41]).values[Y] == 82
    assert isinstance(run(switch, [60]).outcome, Blocked)


BINARY = [bvudiv, bvurem, bvsdiv, bvsrem, bvshl, bvashr, bvmul, bvxor, bvadd]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BINARY), st.integers(0, 255), st.integers(0, 255))
def test_generated_code_means_what_evaluation_means(make: object, a: int, b: int) -> None:
    term = make(X, Y)  # type: ignore[operator]
    z = var("z", BitVec(8))
    edges = ((0, Assign(X, bv(a, 8)), 1), (1, Assign(Y, bv(b, 8)), 2), (2, Assign(z, term), 3))
    main = Procedure("main", (), (), L[0], L[9], tuple(Edge(L[s], t, L[e]) for s, t, e in edges))
    found = run(Program("main", {"main": main}, (X, Y, z), {})).values[z]
    assert found == evaluate_term(term, {X: a, Y: b})


def test_deep_terms_are_no_problem() -> None:
    term: Term = X
    for _ in range(3000):
        term = bvxor(bvmul(term, Y), bvadd(term, Y))
    assert run(program((0, Assign(X, term), 1))).values[X] == evaluate_term(term, {X: 0, Y: 0})


def test_array_values_stay_what_they_are() -> None:
    assert ArrayValue(0, {1: 2}).get(1) == 2  # the interpreter's own arrays are compared with these elsewhere


@pytest.mark.parametrize("limit", [1, 100, 1500])
def test_a_limit_is_a_limit(limit: int) -> None:
    assert isinstance(run(program((0, Assign(X, X), 0)), step_limit=limit).outcome, StepLimit)
    counting = run(program((0, Assign(X, bvadd(X, bv(1, 8))), 0)), step_limit=limit)
    assert counting.steps == limit and counting.values[X] == limit % 256


A, B = var("a", Array(BitVec(8), BitVec(8))), var("main::b", Array(BitVec(8), BitVec(8)))


@pytest.mark.parametrize("seed", [None, 4])
def test_local_arrays_start_as_arrays(seed: int | None) -> None:
    write = Assign(B, store(B, bv(1, 8), bv(7, 8)))
    found = run(program((0, write, 1), (1, Assign(X, select(B, bv(1, 8))), 2), (2, Return(), 9)), seed=seed)
    assert found.values[X] == 7


def test_arrays_are_passed_by_value() -> None:
    inner = (Edge(L[5], Assign(A, store(A, bv(1, 8), bv(7, 8))), L[6]), Edge(L[6], Return(), L[7]))
    callee = Procedure("callee", (A,), (), L[5], L[7], inner, (A,))
    caller = program(
        (0, Assign(B, const_array(Array(BitVec(8), BitVec(8)), bv(3, 8))), 1),
        (1, Call("callee", (B,), ()), 2),
        (2, Assign(X, select(B, bv(1, 8))), 3),
        (3, Return(), 9),
        others=(callee,),
    )
    assert run(caller).values[X] == 3
