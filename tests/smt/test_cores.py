"""Cores: unsatisfiable as another solver sees it, minimal when there is time, and by position."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from craton.errors import MissingCapability
from craton.logic import (
    BOOL,
    FALSE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvule,
    bvult,
    eq,
    evaluate,
    implies,
    not_,
    or_,
    satisfies,
    var,
)
from craton.smt.contract import Capability, Sat, Solver, Undecided
from craton.smt.cores import CoreFinder, minimal_core, minimal_cores, split_equalities, unsat_core
from craton.smt.registry import LIBRARIES, capabilities, make_solver
from support.assertions import another_solver, assert_equivalent
from support.catalogue import CORES, HALVES, SATISFIABLE, UNSATISFIABLE, Cores, Sequence
from support.declarations import read

WITH_CORES = [name for name in LIBRARIES if Capability.CORES in capabilities(name)]


@pytest.fixture(params=WITH_CORES)
def solver(request: pytest.FixtureRequest) -> Iterator[Solver]:
    with make_solver(request.param, time_limit=60.0) as made:
        yield made


def contradicts(solver: Solver, formulas: list[Term]) -> bool:
    return another_solver(solver.name, formulas).is_valid(FALSE) is True


# Floats have their turn in the conformance suite: with them, a question for each member takes too long.
@pytest.mark.parametrize("problem", [p for p in UNSATISFIABLE if p.theory != "Float"], ids=str)
def test_cores_of_the_catalogue(solver: Solver, problem: Sequence) -> None:
    """By assumptions; the solver's own core and the minimised one. Minimal: nothing can be left out."""
    try:
        core = unsat_core(problem.formulas, solver)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    assert isinstance(core, tuple)
    assert contradicts(solver, [problem.formulas[i] for i in core])
    least = minimal_core(problem.formulas, solver)
    assert isinstance(least, tuple)
    assert contradicts(solver, [problem.formulas[i] for i in least])
    for left_out in least:
        rest = [problem.formulas[i] for i in least if i != left_out]
        assert another_solver(solver.name, rest).is_valid(FALSE) is False, f"{left_out} is not needed"
    assert solver.assertions == []


@pytest.mark.parametrize("problem", CORES, ids=str)
def test_known_cores(solver: Solver, problem: Cores) -> None:
    try:
        core = minimal_core(problem.formulas, solver)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    assert core in problem.minimal


@pytest.mark.parametrize("problem", HALVES, ids=str)
def test_half_of_an_equality(solver: Solver, problem: Cores) -> None:
    parts = tuple(chain.from_iterable(map(split_equalities, problem.formulas)))
    try:
        core = minimal_core(parts, solver)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    assert core in problem.minimal


@pytest.mark.parametrize("problem", SATISFIABLE, ids=str)
def test_what_has_no_core_has_a_model(solver: Solver, problem: Sequence) -> None:
    """And it can be read although the solver has gone on."""
    try:
        found = minimal_core(problem.formulas, solver)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    assert isinstance(found, Sat)
    solver.check()
    assert satisfies(found.model, and_(*problem.formulas))
    assert not any(v.name.startswith("in core") for v in found.model.values)


def test_split_equalities_mean_the_same() -> None:
    formulas = read(
        "x y: Int, r: Real, u: B8, p: Bool, a: Int => Int",
        "(and (= x y) (= r 2.5) (= u #x01) (= p (= x 3)) (= (select a x) y) (not (= x 7)))\n"
        "(= x 1)\n(or (= x 1) p)\ntrue",
    )
    counts = [len(split_equalities(formula)) for formula in formulas]
    assert counts == [10, 2, 1, 0]
    for formula in formulas:
        assert_equivalent(and_(*split_equalities(formula)), formula)


def test_cores_are_relative_to_what_is_asserted(solver: Solver) -> None:
    p, q, r = (var(name, BOOL) for name in "pqr")
    solver.add(p)
    assert unsat_core([q, not_(p), r], solver) == (1,)
    with solver.scope():
        solver.add(not_(p))
        assert minimal_core([q, r], solver) == ()
    assert isinstance(minimal_core([q, r], solver), Sat)


def test_no_formulas_have_no_core(solver: Solver) -> None:
    assert isinstance(unsat_core([], solver), Sat)
    solver.add(FALSE)
    assert minimal_core([], solver) == ()


def test_no_budget_still_gives_a_core(solver: Solver) -> None:
    formulas = read("x: B8", "\n".join(["(bvugt x #x05)", "(bvugt x #x06)", "(bvult x #x02)"] * 5))
    core = minimal_core(formulas, solver, budget=0.0)
    assert isinstance(core, tuple)
    assert contradicts(solver, [formulas[i] for i in core])


def test_an_undecided_core_is_undecided(solver: Solver) -> None:
    a, b = var("a", BitVec(96)), var("b", BitVec(96))
    product_ = read("a b: B96", f"(= (bvmul a b) (_ bv{(10**12 + 39) * (10**12 - 11)} 96))")
    bounds = [bvult(v, bv(1 << 48, 96)) for v in (a, b)] + [bvult(bv(1, 96), v) for v in (a, b)]
    assert isinstance(unsat_core([*product_, *bounds], solver, time_limit=0.2), Undecided)
    assert isinstance(minimal_core([*product_, *bounds], solver, time_limit=0.2), Undecided)
    assert solver.assertions == []


def test_a_finder_inside_a_finder(solver: Solver) -> None:
    """Their switches are different variables, and so are variables of the formulas that look like switches."""
    p, q = var("p", BOOL), var("q", BOOL)
    with CoreFinder([p, not_(p), q], solver) as outer:
        assert unsat_core([q, not_(q)], solver) == (0, 1)
        assert outer.find([0, 1, 2], None) == (0, 1)
    switch = var("in core 0", BOOL)
    assert unsat_core([q, not_(switch), switch], solver) == (1, 2)


def test_a_refused_formula_leaves_the_solver_as_it_was() -> None:
    solver = make_solver("bitwuzla")
    with pytest.raises(MissingCapability):
        unsat_core(read("x: Int", "(> x 1)"), solver)
    solver.add(var("p", BOOL))
    with pytest.raises(Exception, match="no scope to close"):
        solver.pop()


# --- random ones ------------------------------------------------------------------------------------------------------

U, V = (var(name, BitVec(2)) for name in "uv")
ASSIGNMENTS = [{U: a, V: b} for a, b in product(range(4), repeat=2)]
_words = st.sampled_from([U, V, *(bv(n, 2) for n in range(4)), bvadd(U, V), bvand(U, V), bvadd(U, bv(1, 2))])
_atoms = st.builds(lambda relation, a, b: relation(a, b), st.sampled_from([eq, bvult, bvule]), _words, _words)
_literals = st.builds(lambda atom, negated: not_(atom) if negated else atom, _atoms, st.booleans())
_formulas = st.one_of(_literals, st.builds(or_, _literals, _literals), st.builds(implies, _atoms, _literals))


def satisfiable(formulas: list[Term]) -> bool:
    """By trying everything, without a solver."""
    return any(all(evaluate(f, values) for f in formulas) for values in ASSIGNMENTS)


@given(formulas=st.lists(_formulas, min_size=2, max_size=6), name=st.sampled_from(WITH_CORES))
@settings(max_examples=80)
def test_random_cores(formulas: list[Term], name: str) -> None:
    solver = make_solver(name)
    core = minimal_core(formulas, solver)
    if satisfiable(formulas):
        assert isinstance(core, Sat)
        assert all(satisfies(core.model, f) for f in formulas)
        return
    assert isinstance(core, tuple)
    members = [formulas[i] for i in core]
    assert not satisfiable(members)
    for i in range(len(members)):
        assert satisfiable(members[:i] + members[i + 1 :])


@given(formulas=st.lists(_formulas, min_size=2, max_size=7), name=st.sampled_from(WITH_CORES))
@settings(max_examples=80)
def test_all_minimal_cores_are_found(formulas: list[Term], name: str) -> None:
    found = minimal_cores(formulas, make_solver(name))
    if satisfiable(formulas):
        assert isinstance(found, Sat)
        return
    assert isinstance(found, list)
    positions = range(len(formulas))
    subsets = [frozenset(c) for size in range(len(formulas) + 1) for c in combinations(positions, size)]
    cores = [s for s in subsets if not satisfiable([formulas[i] for i in s])]
    minimal = {core for core in cores if not any(other < core for other in cores)}
    assert len(found) == len(minimal)
    assert {frozenset(core) for core in found} == minimal


@given(formulas=st.lists(_formulas, min_size=1, max_size=5))
@settings(max_examples=50)
def test_solvers_agree_with_trying_everything(formulas: list[Term]) -> None:
    assume(len(set(formulas)) == len(formulas))
    expected = satisfiable(formulas)
    for name in LIBRARIES:
        solver = make_solver(name)
        assert isinstance(solver.check(*formulas), Sat) is expected
