"""One suite over every solver in this process: what `contract` promises, each backend keeps.

A backend is skipped where it declares that it cannot: by capability or by fragment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from craton.errors import CratonError, IllSorted, MissingCapability, UnknownSolver
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    ROUNDING_MODE,
    TRUE,
    Array,
    BitVec,
    Float,
    Function,
    Term,
    and_,
    apply,
    bv,
    bvand,
    bvmul,
    bvult,
    const_array,
    distinct,
    eq,
    evaluate,
    exists,
    forall,
    ge,
    gt,
    int_,
    lt,
    not_,
    or_,
    satisfies,
    select,
    var,
)
from craton.smt.contract import Capability, Sat, Solver, StaleAnswer, Undecided, Unsat, conjunction_is_unsat
from craton.smt.querylog import QueryLog
from craton.smt.reading import parse_script
from craton.smt.registry import LIBRARIES, capabilities, make_solver, solvers_for, solvers_that_can, theories
from support.assertions import another_solver, described
from support.catalogue import SATISFIABLE, UNSATISFIABLE, Sequence
from support.declarations import read, symbols_of
from support.sampling import sample

B8 = BitVec(8)
P, Q, R = (var(name, BOOL) for name in "pqr")
U, V, W = (var(name, B8) for name in "uvw")
X, Y = (var(name, INT) for name in "xy")


@pytest.fixture(params=tuple(LIBRARIES))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if LIBRARIES[found].version() is None:
        pytest.skip(f"{found} is not installed")
    return found


@pytest.fixture
def solver(name: str) -> Iterator[Solver]:
    with make_solver(name, time_limit=60.0) as made:  # against hanging, also on a busy machine
        yield made


def add_or_skip(solver: Solver, *formulas: Term) -> None:
    try:
        solver.add(*formulas)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))


# --- scopes -----------------------------------------------------------------------------------------------------------


def test_scopes_nest(solver: Solver) -> None:
    solver.add(or_(P, Q))
    with solver.scope():
        solver.add(not_(P))
        with solver.scope():
            solver.add(not_(Q))
            assert isinstance(solver.check(), Unsat)
        answer = solver.check()
        assert isinstance(answer, Sat)
        assert answer.model[Q] is True
    assert solver.assertions == [("", or_(P, Q))]
    assert isinstance(solver.check(), Sat)


def test_a_scope_closes_when_an_error_passes(solver: Solver) -> None:
    def fail() -> None:
        with solver.scope():
            solver.add(FALSE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert isinstance(solver.check(), Sat)


def test_the_outermost_scope_stays(solver: Solver) -> None:
    with pytest.raises(CratonError, match="no scope to close"):
        solver.pop()


def test_names_are_free_again_after_their_scope(solver: Solver) -> None:
    for formula in (P, not_(P)):
        with solver.scope():
            solver.add(formula, name="fact")
            solver.add(not_(formula))
            answer = solver.check()
            assert isinstance(answer, Unsat)
            assert answer.core.names == ("fact",)
    assert isinstance(solver.check(), Sat)


def test_formulas_from_inner_scopes_can_be_used_again(solver: Solver) -> None:
    formula = bvult(bvmul(U, V), W)
    with solver.scope():
        solver.add(formula)
        assert isinstance(solver.check(), Sat)
    assert isinstance(solver.check(formula, not_(formula)), Unsat)
    solver.add(formula)
    assert isinstance(solver.check(), Sat)


# --- names and cores --------------------------------------------------------------------------------------------------


def test_a_core_names_what_contradicts(solver: Solver) -> None:
    solver.add(bvult(U, V), name="u < v")
    solver.add(eq(W, bv(1, 8)), name="w is one")
    solver.add(bvult(V, U), name="v < u")
    answer = solver.check()
    assert isinstance(answer, Unsat)
    assert set(answer.core.names) == {"u < v", "v < u"}
    assert answer.core.assumptions == ()


def test_unnamed_assertions_are_not_in_cores(solver: Solver) -> None:
    solver.add(P)
    solver.add(not_(P), name="not p")
    solver.add(Q, name="q")
    answer = solver.check()
    assert isinstance(answer, Unsat)
    assert answer.core.names == ("not p",)


def test_an_empty_core(solver: Solver) -> None:
    solver.add(P, not_(P))
    solver.add(Q, name="q")
    answer = solver.check(R)
    assert isinstance(answer, Unsat)
    assert not answer.core.assumptions


def test_the_same_formula_under_two_names(solver: Solver) -> None:
    solver.add(P, name="one")
    solver.add(P, name="two")
    solver.add(not_(P), name="three")
    answer = solver.check()
    assert isinstance(answer, Unsat)
    assert "three" in answer.core.names
    assert {"one", "two"} & set(answer.core.names)


@pytest.mark.parametrize("awkward", ["a name with spaces", "p", "|", "ünïcödé", "x!0", "(check-sat)", "a\\b", ""])
def test_names_may_be_anything(solver: Solver, awkward: str) -> None:
    solver.add(P, name=awkward)
    solver.add(not_(P), name="other")
    answer = solver.check()
    assert isinstance(answer, Unsat)
    assert set(answer.core.names) == {awkward, "other"}


def test_a_variable_may_be_called_like_a_named_assertion(solver: Solver) -> None:
    lookalike = var("assertion a", BOOL)
    solver.add(P, name="a")
    solver.add(not_(lookalike))
    answer = solver.check()
    assert isinstance(answer, Sat)
    assert answer.model[lookalike] is False
    answer = solver.check(lookalike)
    assert isinstance(answer, Unsat)
    assert answer.core.assumptions == (lookalike,)
    answer = solver.check(not_(P))
    assert isinstance(answer, Unsat)
    assert answer.core.names == ("a",)


def test_such_a_variable_keeps_its_value(solver: Solver) -> None:
    lookalike = var("assertion a", BOOL)
    solver.add(lookalike)
    answer = solver.check()
    assert isinstance(answer, Sat)
    assert answer.model[lookalike] is True


def test_a_name_is_used_once(solver: Solver) -> None:
    solver.add(P, name="fact")
    with pytest.raises(CratonError, match="'fact' is there already"):
        solver.add(Q, name="fact")
    with pytest.raises(CratonError, match="one name, one assertion"):
        solver.add(P, Q, name="both")
    assert [n for n, _ in solver.assertions] == ["fact"]


@pytest.mark.parametrize("problem", UNSATISFIABLE, ids=str)
def test_cores_are_unsatisfiable(solver: Solver, problem: Sequence) -> None:
    """By names here, by assumptions below; another solver agrees."""
    try:
        for i, formula in enumerate(problem.formulas):
            solver.add(formula, name=str(i))
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    answer = solver.check()
    assert isinstance(answer, Unsat), answer
    core = [problem.formulas[int(n)] for n in answer.core.names]
    assert another_solver(solver.name, core).is_valid(FALSE) is True


# --- assumptions ------------------------------------------------------------------------------------------------------


def test_assumptions_hold_for_one_question(solver: Solver) -> None:
    solver.add(or_(P, Q))
    answer = solver.check(not_(P), not_(Q))
    assert isinstance(answer, Unsat)
    assert set(answer.core.assumptions) == {not_(P), not_(Q)}
    answer = solver.check(not_(P))
    assert isinstance(answer, Sat)
    assert answer.model[Q] is True
    assert isinstance(solver.check(), Sat)


def test_assumptions_may_be_formulas(solver: Solver) -> None:
    below, above, other = bvult(U, bv(4, 8)), bvult(bv(9, 8), U), or_(eq(V, W), bvult(V, U))
    answer = solver.check(other, below, above)
    assert isinstance(answer, Unsat)
    assert set(answer.core.assumptions) == {below, above}
    assert isinstance(solver.check(other, below), Sat)
    assert isinstance(solver.check(other, above), Sat)


def test_repeated_assumptions(solver: Solver) -> None:
    answer = solver.check(P, bvult(U, V), P, bvult(U, V), not_(P), not_(P))
    assert isinstance(answer, Unsat)
    assert set(answer.core.assumptions) == {P, not_(P)}
    assert isinstance(solver.check(P, P), Sat)


def test_constant_assumptions(solver: Solver) -> None:
    assert isinstance(solver.check(TRUE, P), Sat)
    answer = solver.check(TRUE, P, FALSE)
    assert isinstance(answer, Unsat)
    assert FALSE in answer.core.assumptions
    assert isinstance(solver.check(TRUE), Sat)


def test_a_formula_and_its_negation_assumed(solver: Solver) -> None:
    formula = eq(bvand(U, V), W)
    answer = solver.check(formula, not_(formula))
    assert isinstance(answer, Unsat)
    assert set(answer.core.assumptions) == {formula, not_(formula)}


def test_names_and_assumptions_in_one_core(solver: Solver) -> None:
    solver.add(bvult(U, V), name="u < v")
    solver.add(Q, name="q")
    answer = solver.check(bvult(V, U), R)
    assert isinstance(answer, Unsat)
    assert answer.core.names == ("u < v",)
    assert answer.core.assumptions == (bvult(V, U),)


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", SATISFIABLE, ids=str)
def test_models_satisfy(solver: Solver, problem: Sequence) -> None:
    add_or_skip(solver, *problem.formulas)
    answer = solver.check()
    assert isinstance(answer, Sat), answer
    for formula in problem.formulas:
        assert satisfies(answer.model, formula), f"{formula}\nis false under\n{described(answer.model, [formula])}"


# What a model must get right besides values of variables: results that the standard leaves open, functions and arrays.
DEMANDING = {
    "quotients by zero": ("x y z: Int", "(= (div x z) 5)\n(= (div y z) 6)\n(= z 0)\n(= (mod x z) (mod y z))"),
    "a quotient by zero inside": ("x y: Int", "(= (+ (div (div 7 x) y) x y) 3)\n(= x 0)\n(= y 0)"),
    "literal zero": ("x: Int", "(= (div 1 0) 5)\n(= (div 2 0) 6)\n(= (mod 1 0) 7)\n(= x (div 3 0))"),
    "real quotients by zero": ("x y: Real", "(= (/ x y) 5.0)\n(= y 0.0)\n(= (/ (+ x 1.0) y) 6.0)"),
    "function tables": ("x y: Int, f: Int -> Int", "(= (f x) (+ (f y) 1))\n(= (f (f x)) y)\n(> (f 3) 9)"),
    "function of arrays": (
        "a b: Int => Int, f: Int -> Int",
        "(= (f (select a 0)) 1)\n(= (f (select b 0)) 2)\n(= (select a 1) (select b 1))",
    ),
    "predicates": ("u v: B8, P: B8 -> Bool", "(P u)\n(not (P v))\n(= v (bvadd u #x01))"),
    "array chains": (
        "a b c: Int => Int, i j: Int",
        "(= b (store a i 1))\n(= c (store b j 2))\n(= (select c i) 2)\n(not (= a c))",
    ),
    "arrays of bits": (
        "m n: B8 => B8, u: B8",
        "(= n (store (store m u #x01) (bvadd u #x01) #x02))\n(not (= n m))\n(= (select m #x80) #x81)",
    ),
    "two constant arrays": (
        "a b: Int => Int",
        "(= a ((as const (Array Int Int)) 1))\n(not (= a b))\n(= (select b 5) 1)",
    ),
    "arrays by truth": ("a b: Bool => B8, p: Bool", "(not (= a b))\n(= (select a p) (select b p))"),
    "arrays of truth": ("a: B8 => Bool, u v: B8", "(select a u)\n(not (select a v))"),
    "arrays of floats": ("a: B8 => F32, u: B8", "(fp.isNaN (select a u))\n(fp.isZero (select a (bvadd u #x01)))"),
    "arrays by floats": (
        "a: F32 => B8, x: F32",
        "(= (select a x) #x01)\n(fp.isNaN x)\n(= (select a (fp.abs (f32 1.0))) #x02)",
    ),
    "array of arrays": (
        "m: B4 => B4 => B4, u: B4",
        "(= (select (select m u) u) #x3)\n(not (= (select m u) (select m (bvadd u #x1))))",
    ),
    "floats": ("x y: F64", "(fp.isSubnormal x)\n(fp.isNegative x)\n(= y (fp.add RTP x (f64 1.0)))"),
    "infinities": ("x y: F32", "(fp.isInfinite x)\n(fp.isNaN (fp.add RNE x y))\n(not (fp.isNaN y))"),
    "rounding modes": ("m n: RM, x: F32", "(not (= m n))\n(not (= (fp.add m x (f32 0.1)) (fp.add n x (f32 0.1))))"),
    "out of range": ("x: F32, u: B8", "(fp.isNaN x)\n(= u ((_ fp.to_ubv 8) RNE x))"),
    "least of zeros": ("x y: F32", "(= x (fp.neg (f32 0.0)))\n(= y (fp.min x (f32 0.0)))"),
    "large numbers": ("x: Int, r: Real", "(> x 1000000000000000000000000000000)\n(= r (/ (to_real x) 3.0))"),
    "negative numbers": ("x: Int, r: Real", "(< x (- 5))\n(= r (/ (to_real x) (- 7.0)))\n(= (mod x (- 3)) 1)"),
    "bits and numbers": ("u: B8, x: Int", "(= x (bv2nat u))\n(> x 200)\n(= ((_ int2bv 8) (+ x 100)) #x3a)"),
}


@pytest.mark.parametrize("case", DEMANDING)
def test_models_are_complete(solver: Solver, case: str) -> None:
    formulas = read(*DEMANDING[case])
    add_or_skip(solver, *formulas)
    answer = solver.check()
    assert isinstance(answer, Sat), answer
    for formula in formulas:
        assert satisfies(answer.model, formula), f"{formula}\nis false under\n{described(answer.model, formulas)}"


def test_models_of_assumptions(solver: Solver) -> None:
    solver.add(bvult(U, V))
    answer = solver.check(eq(V, bv(1, 8)))
    assert isinstance(answer, Sat)
    assert (answer.model[U], answer.model[V]) == (0, 1)
    assert answer.model.term(V) is bv(1, 8)


def test_a_model_outlives_the_question(solver: Solver) -> None:
    solver.add(eq(U, bv(7, 8)))
    answer = solver.check()
    assert isinstance(answer, Sat)
    model = answer.model
    solver.add(FALSE)
    assert isinstance(solver.check(), Unsat)
    assert model[U] == 7
    assert answer.model is model


def test_no_formulas_have_a_model(solver: Solver) -> None:
    answer = solver.check()
    assert isinstance(answer, Sat)
    assert evaluate(P, answer.model) is False


@pytest.mark.parametrize("disturb", ["check", "add", "push", "pop"])
def test_stale_answers_are_refused(solver: Solver, disturb: str) -> None:
    solver.push()
    solver.add(P)
    sat, unsat = solver.check(), None
    assert isinstance(sat, Sat)
    unsat = solver.check(not_(P))
    assert isinstance(unsat, Unsat)
    with pytest.raises(StaleAnswer, match="model"):
        _ = sat.model
    actions: dict[str, Callable[[], object]] = {
        "check": solver.check,
        "add": lambda: solver.add(Q),
        "push": solver.push,
        "pop": solver.pop,
    }
    actions[disturb]()
    with pytest.raises(StaleAnswer, match="core"):
        _ = unsat.core


# --- questions --------------------------------------------------------------------------------------------------------


def test_validity(solver: Solver) -> None:
    solver.add(bvult(U, V))
    assert solver.is_valid(not_(eq(U, V))) is True
    assert solver.is_valid(eq(U, bv(0, 8))) is False
    assert solver.is_valid(TRUE) is True
    assert solver.is_valid(FALSE) is False


def test_contradictory_sets(solver: Solver) -> None:
    assert conjunction_is_unsat(solver, [P, not_(P)]) is True
    assert conjunction_is_unsat(solver, [P, Q]) is False
    assert solver.assertions == []


QUANTIFIED = {
    "least word": ("u: B8", "(forall ((z (_ BitVec 8))) (bvule u z))", True),
    "no largest integer": ("x: Int", "(forall ((z Int)) (<= z x))", False),
    "least natural number": ("x: Int", "(and (>= x 0) (forall ((z Int)) (=> (>= z 0) (<= x z))))", True),
    "halves of words": ("u: B8", "(and (= u #x03) (exists ((z (_ BitVec 8))) (= (bvadd z z) u)))", False),
    "between reals": ("r: Real", "(forall ((s Real)) (=> (< r s) (exists ((t Real)) (and (< r t) (< t s)))))", True),
    "hidden variables": ("p: Bool", "(and p (exists ((p Bool)) (not p)) (forall ((p Bool)) (or p (not p))))", True),
    "alternation": ("u: B4", "(forall ((v (_ BitVec 4))) (exists ((w (_ BitVec 4))) (= (bvadd v w) u)))", True),
    "alternation the other way": (
        "u: B4",
        "(exists ((w (_ BitVec 4))) (forall ((v (_ BitVec 4))) (= (bvadd v w) u)))",
        False,
    ),
}


@pytest.mark.parametrize("case", QUANTIFIED)
def test_quantifiers(solver: Solver, case: str) -> None:
    declarations, text, satisfiable = QUANTIFIED[case]
    (formula,) = read(declarations, text)
    add_or_skip(solver, formula)
    answer = solver.check()
    assert isinstance(answer, Sat if satisfiable else Unsat), answer


def test_quantified_variables_are_not_the_free_ones(solver: Solver) -> None:
    """∃u bound, u free, and u bound again in a part that is shared."""
    inner = exists([U], eq(U, bv(2, 8)))
    solver.add(eq(U, bv(1, 8)), inner, forall([V], or_(not_(eq(U, V)), inner)))
    answer = solver.check()
    assert isinstance(answer, Sat)
    assert answer.model[U] == 1


def test_variables_of_one_name_and_two_sorts(solver: Solver) -> None:
    as_word, as_truth = var("same", B8), var("same", BOOL)
    solver.add(eq(as_word, bv(3, 8)), not_(as_truth))
    answer = solver.check()
    assert isinstance(answer, Sat)
    assert (answer.model[as_word], answer.model[as_truth]) == (3, False)


def test_functions_of_one_name_and_two_signatures(solver: Solver) -> None:
    f, g = Function("h", (B8,), B8), Function("h", (B8,), BOOL)
    h = var("h", B8)
    solver.add(eq(apply(f, U), bv(1, 8)), not_(apply(g, U)), eq(h, bv(9, 8)))
    answer = solver.check()
    assert isinstance(answer, Sat)
    assert satisfies(answer.model, and_(eq(apply(f, U), h), TRUE)) is False
    assert satisfies(answer.model, eq(apply(f, U), bv(1, 8)))


TRANSCRIPT = """
from support.catalogue import SATISFIABLE, UNSATISFIABLE
from support.sampling import sample
from craton.errors import MissingCapability
from craton.smt.contract import Sat, Unsat
from craton.smt.registry import make_solver

solver = make_solver({name!r})
for problem in (*SATISFIABLE, *sample(UNSATISFIABLE, 4, "transcripts")):
    with solver.scope():
        try:
            solver.add(*problem.formulas[:-1])
            answer = solver.check(problem.formulas[-1], time_limit=60.0)
        except MissingCapability:
            continue
        print(answer)
        if isinstance(answer, Sat):
            print(sorted((v.name, str(x)) for v, x in answer.model.values.items()))
        elif isinstance(answer, Unsat):
            print(answer.core.assumptions)
"""


def test_answers_repeat(name: str) -> None:
    """The same questions in the same order have the same answers, models and cores in every run."""
    transcripts = [
        subprocess.run(
            [sys.executable, "-c", TRANSCRIPT.format(name=name)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert transcripts[0].count("at") > 10
    assert transcripts[0] == transcripts[1]


# --- limits -----------------------------------------------------------------------------------------------------------


def hard_question() -> Term:
    """Which two numbers of 48 bits have this product of two primes? Too much for half a second."""
    width = 96
    a, b = var("factor a", BitVec(width)), var("factor b", BitVec(width))
    bound, one = bv(1 << (width // 2), width), bv(1, width)
    product = (10**12 + 39) * (10**12 - 11)
    return and_(eq(bvmul(a, b), bv(product, width)), bvult(a, bound), bvult(b, bound), bvult(one, a), bvult(one, b))


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


# --- the query log ----------------------------------------------------------------------------------------------------


def logged(name: str, folder: Path) -> list[Path]:
    """Asks all sorts of questions of one solver, and returns the log."""
    log = QueryLog(folder)
    solver = make_solver(name, time_limit=60.0, log=log)
    for problem in (*SATISFIABLE, *sample(UNSATISFIABLE, 3, "querylog")):
        with solver.scope():
            try:
                *most, last = problem.formulas
                for i, formula in enumerate(most):
                    solver.add(formula, name=f"part {i}")
                solver.check(last)
            except MissingCapability:
                continue
    awkward = [var(text, BOOL) for text in ("a b", "let", "|", "\\", "true", "ü", "", "42", "part 0")]
    with solver.scope():
        solver.add(and_(*awkward), name="awkward | name")
        solver.add(eq(var("a b", B8), bv(1, 8)))
        solver.check()
    return sorted(folder.glob("*.smt2"))


def test_logged_queries_can_be_asked_again(name: str, tmp_path: Path) -> None:
    files = logged(name, tmp_path / "log")
    assert len(files) > 15
    for file in files:
        text = file.read_text(encoding="utf-8")
        status = re.search(r"\(set-info :status (\w+)\)", text)
        assert status is not None
        assert file.stem.endswith(f"{name}-{status[1]}")
        assert status[1] in ("sat", "unsat"), text
        answer = another_solver(name, parse_script(text)).check()
        assert repr(answer).lower() == status[1], f"{file.name}\n{answer}\n{text}"


@pytest.mark.parametrize("program", ["z3", "cvc5"])
def test_logged_queries_can_be_run_by_programs(name: str, program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"the program {program} is not installed")
    for file in logged(name, tmp_path / "log")[::4]:
        command = {
            "z3": ["z3", "-T:60", str(file)],
            "cvc5": ["cvc5", "--tlimit=60000", "--arrays-exp", "--fp-exp", str(file)],
        }
        done = subprocess.run(command[program], capture_output=True, text=True, timeout=120, check=False)
        expected = "unsat" if file.stem.endswith("unsat") else "sat"
        assert done.stdout.split()[:1] == [expected], f"{file.name}: {done.stdout}{done.stderr}\n{file.read_text()}"


def test_a_log_goes_on_where_it_stopped(tmp_path: Path) -> None:
    for _ in range(2):
        solver = make_solver("z3", log=QueryLog(tmp_path))
        solver.check(P)
        solver.check(P, not_(P))
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["000001-z3-sat.smt2", "000002-z3-unsat.smt2", "000003-z3-sat.smt2", "000004-z3-unsat.smt2"]


def test_undecided_queries_are_logged(tmp_path: Path) -> None:
    solver = make_solver("z3", time_limit=0.2, log=QueryLog(tmp_path))
    solver.add(hard_question())
    assert isinstance(solver.check(), Undecided)
    (file,) = tmp_path.iterdir()
    assert file.name == "000001-z3-unknown.smt2"
    assert parse_script(file.read_text()) == [hard_question()]


# --- together ---------------------------------------------------------------------------------------------------------


def test_solvers_of_one_process_do_not_mix() -> None:
    solvers = [make_solver(name) for name in LIBRARIES for _ in range(2)]
    for i, solver in enumerate(solvers):
        solver.add(eq(U, bv(i, 8)))
    for i, solver in enumerate(solvers):
        answer = solver.check()
        assert isinstance(answer, Sat)
        assert answer.model[U] == i


def test_rounding_modes_are_five(solver: Solver) -> None:
    modes = [var(f"mode {i}", ROUNDING_MODE) for i in range(6)]
    add_or_skip(solver, distinct(*modes[:5]))
    assert isinstance(solver.check(), Sat)
    assert isinstance(solver.check(distinct(*modes)), Unsat)


def test_wide_terms_and_deep_terms(solver: Solver) -> None:
    """cvc5 recurses, and overflows the machine's stack some 20,000 levels down."""
    deep: Term = P
    for i in range(1_000 if solver.name == "cvc5" else 8_000):
        deep = or_(and_(deep, var(f"d{i}", BOOL)), Q) if i % 2 else and_(or_(deep, R), var(f"d{i}", BOOL))
    solver.add(deep, or_(*(var(f"w{i}", BOOL) for i in range(5_000))))
    assert isinstance(solver.check(), Sat)


def test_comparisons_of_numbers(solver: Solver) -> None:
    add_or_skip(solver, lt(X, Y), ge(X, int_(0)))
    assert solver.is_valid(gt(Y, int_(0))) is True


def test_declarations_are_read() -> None:
    assert symbols_of("a: Int => Bool, f: Int Int -> B8, x y: F32")["a"] is var("a", Array(INT, BOOL))


def test_cvc5_gets_no_constant_arrays_of_arrays() -> None:
    """It answers sat wrongly on them (docs/solvers.md)."""
    nested = Array(INT, Array(INT, BOOL))
    everywhere = const_array(nested, const_array(Array(INT, BOOL), TRUE))
    with pytest.raises(MissingCapability, match="constant arrays of arrays; z3 is"):
        make_solver("cvc5").add(eq(var("nested", nested), everywhere))
