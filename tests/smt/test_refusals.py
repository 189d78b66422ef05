"""What solvers do not do, of every solver in this process: they end at their limits, and refuse what is outside of what
they declare, in words that name others.
"""

from __future__ import annotations

import re
import time

import pytest

from craton.errors import IllSorted, MissingCapability, UnknownSolver
from craton.logic import (
    BOOL,
    INT,
    TRUE,
    Array,
    BitVec,
    Float,
    Function,
    apply,
    bv,
    bvult,
    const_array,
    distinct,
    eq,
    exists,
    gt,
    int_,
    not_,
    select,
    var,
)
from craton.smt.contract import Capability, Sat, Solver, Undecided, Unsat
from craton.smt.registry import capabilities, make_solver, solvers_for, solvers_that_can, theories
from support.questions import add_or_skip, hard_question

B8 = BitVec(8)
P, Q, R = (var(name, BOOL) for name in "pqr")
U, V, W = (var(name, B8) for name in "uvw")
X, Y = (var(name, INT) for name in "xy")


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["for the question", "for the solver"])
def test_a_limit_ends_a_hard_question(name: str, how: str) -> None:
    limit = 0.5
    solver = make_solver(name, time_limit=limit if how == "for the solver" else None)
    solver.add(hard_question())
    start = time.monotonic()
    answer = solver.check(time_limit=limit if how == "for the question" else None)
    assert time.monotonic() - start < limit + 10
    assert isinstance(answer, Undecided), answer
    assert answer.reason.startswith(f"{name}: ")


def test_a_solver_is_usable_after_its_limit(solver: Solver) -> None:
    solver.add(bvult(U, V))
    with solver.scope():
        solver.add(hard_question())
        assert isinstance(solver.check(time_limit=0.3), Undecided)
        assert solver.is_valid(P, time_limit=0.3) is None
    answer = solver.check(eq(V, bv(1, 8)))
    assert isinstance(answer, Sat)
    assert answer.model[U] == 0
    answer = solver.check(bvult(V, U), time_limit=30.0)
    assert isinstance(answer, Unsat)
    assert answer.core.assumptions == (bvult(V, U),)


def test_a_limit_may_be_tiny_or_huge(solver: Solver) -> None:
    assert isinstance(solver.check(P, time_limit=1e-6), Sat | Undecided)
    assert isinstance(solver.check(P, time_limit=1e7), Sat)


# --- what a backend cannot do -----------------------------------------------------------------------------------------


def test_declared_fragments_are_enforced(name: str) -> None:
    samples = {
        "Arithmetic": gt(X, Y),
        "Quantifiers": exists([U], bvult(U, V)),
        "Arrays": select(var("a", Array(B8, BOOL)), U),
    }
    for theory in theories(name):
        assert name in solvers_for(theory)
    for word, formula in samples.items():
        solver = make_solver(name)
        if word in {theory.value for theory in theories(name)}:
            solver.add(formula)
        else:
            with pytest.raises(MissingCapability, match=re.escape(f"{name} does not know {word}")):
                solver.add(formula)


# Formulas whose operations belong to every solver, and whose sorts do not.
ONLY_SORTS = {
    "variables": eq(X, Y),
    "many different values": distinct(*(var(f"x{i}", INT) for i in range(7))),
    "constants": eq(X, int_(3)),
    "array indices": eq(var("a", Array(INT, B8)), var("b", Array(INT, B8))),
    "constant arrays": eq(const_array(Array(INT, B8), U), const_array(Array(INT, B8), V)),
    "functions": eq(apply(Function("f", (B8,), INT), U), apply(Function("f", (B8,), INT), V)),
    "bound variables": exists([X], eq(X, Y)),
}


@pytest.mark.parametrize("case", ONLY_SORTS)
def test_sorts_count_as_theory(name: str, case: str) -> None:
    """bitwuzla, which has no Ints, once took them for rounding modes, and found seven different ones contradictory."""
    solver = make_solver(name, time_limit=60.0)
    if name in solvers_for(gt(X, Y).op.theory):
        add_or_skip(solver, ONLY_SORTS[case])
        assert isinstance(solver.check(), Sat)
    else:
        with pytest.raises(MissingCapability, match=r"does not know Arithmetic .*solvers that do: z3"):
            solver.add(ONLY_SORTS[case])
        with pytest.raises(MissingCapability):
            solver.check(ONLY_SORTS[case])


def test_float_formats_count(name: str) -> None:
    solver = make_solver(name, time_limit=60.0)
    formula = not_(eq(var("x", Float(3, 5)), var("y", Float(3, 5))))
    if solver.fragment.formats is None:
        solver.add(formula)
        assert isinstance(solver.check(), Sat)
    else:
        with pytest.raises(MissingCapability, match="z3 is"):
            solver.add(formula)
        hidden = var("a", Array(B8, Float(3, 5)))
        with pytest.raises(MissingCapability, match="z3 is"):
            solver.add(eq(hidden, var("b", hidden.sort)))


def test_a_refused_formula_leaves_no_trace() -> None:
    solver = make_solver("bitwuzla")
    with pytest.raises(MissingCapability):
        solver.add(gt(X, Y), name="fact")
    with pytest.raises(MissingCapability):
        solver.add(P, gt(X, Y), not_(P))
    assert solver.assertions == []
    solver.add(Q, name="fact")
    assert isinstance(solver.check(), Sat)


def test_what_cvc5_refuses_itself_is_a_missing_capability() -> None:
    """Its constant arrays hold constants only."""
    formula = eq(const_array(Array(B8, B8), U), const_array(Array(B8, B8), V))
    solver = make_solver("cvc5")
    with pytest.raises(MissingCapability, match="cvc5 cannot take this formula"):
        solver.add(formula)
    with pytest.raises(MissingCapability, match="cvc5 cannot take this formula"):
        solver.check(formula)
    assert isinstance(solver.check(), Sat)


def test_only_formulas_are_asserted(solver: Solver) -> None:
    with pytest.raises(IllSorted):
        solver.add(U)
    with pytest.raises(IllSorted):
        solver.check(U)


@pytest.mark.parametrize("capability", Capability)
def test_missing_capabilities_name_those_who_can(name: str, capability: Capability) -> None:
    solver = make_solver(name)
    if capability in capabilities(name):
        solver.need(capability)
    else:
        with pytest.raises(MissingCapability) as refusal:
            solver.need(capability)
        assert all(other in str(refusal.value) for other in solvers_that_can(capability))
        assert f"{name} has no {capability.value}" in str(refusal.value)


def test_a_backend_without_cores_says_so() -> None:
    class Modest(type(make_solver("z3"))):  # type: ignore[misc]
        name = "modest"
        can = frozenset((Capability.MODELS,))

    solver = Modest()
    with pytest.raises(MissingCapability, match="modest has no cores; solvers that do: z3, bitwuzla, cvc5"):
        solver.add(P, name="p")
    solver.add(P, not_(P))
    answer = solver.check()
    assert isinstance(answer, Unsat)
    with pytest.raises(MissingCapability, match="no cores"):
        _ = answer.core


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownSolver, match="did you mean cvc5"):
        make_solver("cvc")
    with pytest.raises(UnknownSolver, match="did you mean bitwuzla"):
        make_solver("bitwusla")
    with pytest.raises(UnknownSolver, match="known: z3, bitwuzla, cvc5"):
        make_solver("nothing-like-it")


def test_cvc5_gets_no_constant_arrays_of_arrays() -> None:
    """It answers sat wrongly on them (docs/solvers.md)."""
    nested = Array(INT, Array(INT, BOOL))
    everywhere = const_array(nested, const_array(Array(INT, BOOL), TRUE))
    with pytest.raises(MissingCapability, match="constant arrays of arrays; z3 is"):
        make_solver("cvc5").add(eq(var("nested", nested), everywhere))
