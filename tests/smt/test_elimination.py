"""Elimination: every method by itself and all together give something equivalent; dropping gives something implied."""

from __future__ import annotations

import time
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craton.logic import (
    FALSE,
    INT,
    TRUE,
    Array,
    BitVec,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    bvnot,
    bvsle,
    bvslt,
    bvsub,
    bvule,
    bvult,
    bvxor,
    concat,
    conjuncts,
    eq,
    evaluate,
    exists,
    extract,
    forall,
    free_variables,
    int_,
    is_quantified,
    ite,
    le,
    lt,
    mul,
    not_,
    or_,
    select,
    sign_extend,
    store,
    sub,
    var,
    zero_extend,
)
from craton.smt.elimination import (
    EXACT,
    SYNTACTIC,
    Eliminator,
    Method,
    destructive_equality_resolution,
    drop,
    literals,
    pulled_out,
    pushed_in,
    resolve_bounds,
    resolve_reads,
    unconnected_parameter_drop,
)
from craton.smt.elimination.equations import solve_for
from support.assertions import assert_equivalent, assert_implies, is_equivalent, is_implied
from support.catalogue import ELIMINATIONS, Elimination
from support.declarations import read, symbols_of

pytestmark = pytest.mark.large

TIME_LIMIT = 0.5
MOST_UNDECIDED = 6


def combinations() -> list[tuple[Method, ...]]:
    return [*((method,) for method in EXACT), EXACT]


def named(methods: tuple[Method, ...]) -> str:
    return "+".join(method.name for method in methods)


# --- the catalogue ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("methods", "solver"),
    [*((methods, "z3") for methods in combinations()), ((Method.UPD,), "cvc5"), ((Method.FULL,), "cvc5")],
    ids=lambda x: x if isinstance(x, str) else named(x),
)
def test_results_are_equivalent(methods: tuple[Method, ...], solver: str) -> None:
    """All of the catalogue at once, so that what solvers cannot judge is counted."""
    undecided, wrong = [], []
    for problem in ELIMINATIONS:
        eliminator = Eliminator(methods, solver, TIME_LIMIT)
        question = exists(problem.bound, problem.body)
        result = eliminator.exists(problem.bound, problem.body)
        if not free_variables(result) <= free_variables(question):
            wrong.append(f"{problem}: {result} is about variables that were not there")
        verdict = True if result is question else is_equivalent(result, question)
        if verdict is False:
            wrong.append(f"{problem}: {result}\n  is not {question}")
        elif verdict is None:
            undecided.append(str(problem))
        if not is_quantified(result):
            gone = len(set(problem.bound) & free_variables(problem.body))
            if eliminator.counts.total() < gone:
                wrong.append(f"{problem}: {gone} variables are gone, counted were {dict(eliminator.counts)}")
        if is_quantified(result) != (eliminator.achieved().get("none", 0) > 0):
            wrong.append(f"{problem}: {result}, but {eliminator.achieved()} is what is said to be achieved")
    print(f"\n{named(methods)} with {solver}: {len(undecided)} of {len(ELIMINATIONS)} undecided {undecided}")
    assert not wrong, "\n".join(wrong)
    assert len(undecided) <= MOST_UNDECIDED


@pytest.mark.parametrize("problem", ELIMINATIONS, ids=str)
def test_methods_succeed_where_they_should(problem: Elimination) -> None:
    for name in problem.solved_by:
        result = Eliminator((Method[name],), time_limit=20.0).exists(problem.bound, problem.body)
        assert not is_quantified(result), f"{name} left {result}"


@pytest.mark.parametrize("problem", ELIMINATIONS, ids=str)
def test_dropping_is_implied(problem: Elimination) -> None:
    eliminator = Eliminator((Method.DROP,))
    question = exists(problem.bound, problem.body)
    result = eliminator.exists(problem.bound, problem.body)
    assert not is_quantified(result)
    assert free_variables(result).isdisjoint(problem.bound)
    assert is_implied(question, result) is not False, f"{question}\ndoes not imply\n{result}"
    assert eliminator.counts[Method.DROP] == len(set(problem.bound) & free_variables(problem.body))


@pytest.mark.parametrize("problem", ELIMINATIONS, ids=str)
def test_universal_quantifiers_are_dual(problem: Elimination) -> None:
    question = forall(problem.bound, problem.body)
    exact = Eliminator(EXACT, time_limit=TIME_LIMIT).forall(problem.bound, problem.body)
    assert is_equivalent(exact, question) is not False, f"{exact}\nis not\n{question}"
    stronger = Eliminator((Method.DROP,)).forall(problem.bound, problem.body)
    assert not is_quantified(stronger)
    assert is_implied(stronger, question) is not False, f"{stronger}\ndoes not imply\n{question}"


def test_the_catalogue_is_large_enough() -> None:
    assert len(ELIMINATIONS) >= 40
    assert len({str(p) for p in ELIMINATIONS}) == len(ELIMINATIONS)
    assert {"DER", "UPD", "LIGHT", "FULL"} <= {method for p in ELIMINATIONS for method in p.solved_by}


# --- particular cases -------------------------------------------------------------------------------------------------


def formula(declarations: str, text: str) -> Term:
    (found,) = read(declarations, text)
    return found


def variables(declarations: str) -> list[Term]:
    return [v for v in symbols_of(declarations).values() if isinstance(v, Term)]


def test_what_der_makes_of_the_leak_check() -> None:
    """[CN] Figure 2: after freeing, the array is what it was."""
    symbols = "a0 a1 a2 b: Int => Bool, p: Int"
    a0, a1, _, _, p = variables(symbols)
    body = formula(symbols, "(and (= b a0) (not (select a0 p)) (= a1 (store a0 p true)) (= a2 (store a1 p false)))")
    result = Eliminator((Method.DER,)).exists([a0, a1], body)
    assert not is_quantified(result)
    assert_equivalent(result, formula(symbols, "(and (not (select b p)) (= a2 (store b p false)))"))
    assert_equivalent(exists([p], result), formula(symbols, "(and (= a2 b) (exists ((p Int)) (not (select b p))))"))


def test_functions_are_symbols_too() -> None:
    """∃x. f(x) = 3 says something of f, although x is connected with nothing."""
    symbols = "x y: Int, f: Int -> Int"
    x, _ = variables(symbols)
    body = formula(symbols, "(and (= (f x) 3) (> y 0))")
    assert unconnected_parameter_drop([x], body, lambda _: True) == ((x,), body)


@pytest.mark.parametrize("text", ["(= (div 5 x) 7)", "(= (mod 5 x) 9)"])
def test_open_results_are_symbols_too(text: str) -> None:
    """∃x. 5 div x = 7 says what division by zero is."""
    x, _ = variables("x y: Int")
    body = formula("x y: Int", f"(and {text} (> y 0))")
    assert unconnected_parameter_drop([x], body, lambda _: True) == ((x,), body)
    closed = formula("x y: Int", "(and (= (div x 5) 7) (> y 0))")
    assert unconnected_parameter_drop([x], closed, lambda _: True) == ((), formula("y: Int", "(> y 0)"))


def test_unconnected_parts_stay_unless_they_are_decided() -> None:
    x, _ = variables("x y: Int")
    body = formula("x y: Int", "(and (> x 3) (> y 0))")
    assert unconnected_parameter_drop([x], body, lambda _: None) == ((x,), body)
    assert unconnected_parameter_drop([x], body, lambda _: False) == ((), FALSE)


def test_nothing_else_is_eliminated() -> None:
    x, y = variables("x y: Int")
    body = formula("x y: Int", "(and (= x 1) (= y 2))")
    for method in EXACT:
        result = Eliminator((method,)).exists([x], body)
        assert y in free_variables(result)
        assert_equivalent(result, exists([x], body))
    assert Eliminator(EXACT).exists([], body) is body
    assert drop([x], body) == ((), eq(y, int_(2)))


def test_a_name_that_is_bound_inside_as_well() -> None:
    x, y = variables("x y: Int")
    body = and_(eq(x, add(y, int_(1))), exists([x], and_(lt(x, y), lt(int_(0), x))))
    for method in EXACT:
        assert is_equivalent(Eliminator((method,)).exists([x], body), exists([x], body)) is True


def test_no_capture() -> None:
    """x := y + 1 goes under a quantifier that binds y."""
    x, y = variables("x y: Int")
    body = and_(eq(x, add(y, int_(1))), forall([y], or_(le(y, x), lt(x, y))), exists([y], eq(add(y, y), x)))
    remaining, result = destructive_equality_resolution([x], body)
    assert remaining == ()
    assert_equivalent(result, exists([x], body))


def test_the_old_element_has_a_new_name() -> None:
    """DER of a written array invents a variable; one of that name may be there."""
    symbols = "a b: Int => Int, i j: Int, a.old: Int"
    a, *_ = variables(symbols)
    body = formula(symbols, "(and (= b (store a i 1)) (= (select a j) a.old) (> (select a i) a.old))")
    remaining, result = destructive_equality_resolution([a], body)
    assert [v.name for v in remaining] != ["a.old"]
    assert_equivalent(exists(remaining, result), exists([a], body))


def test_counts() -> None:
    x, y, z, w = variables("x y z w: Int")
    body = formula("x y z w: Int", "(and (= x (+ w 1)) (> y 3) (< w (* 2 z)) (< (* 3 z) x))")
    eliminator = Eliminator((Method.DER, Method.UPD, Method.FULL))
    result = eliminator.exists([x, y, z], body)
    assert free_variables(result) <= {w}
    assert eliminator.counts == Counter({Method.DER: 1, Method.UPD: 1, Method.FULL: 1})
    assert set(eliminator.seconds) == {Method.DER, Method.UPD, Method.FULL}
    eliminator.exists([x], eq(x, w))
    assert eliminator.counts[Method.DER] == 2


def test_absent_and_repeated_variables_count_once() -> None:
    x, y = variables("x y: Int")
    eliminator = Eliminator((Method.DER,))
    assert eliminator.exists([x, x, y], eq(x, int_(1))) is TRUE
    assert eliminator.counts[Method.DER] == 1


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_time_limits_are_kept(solver: str) -> None:
    """A question that takes long: the result is the question, and soon."""
    names = [f"x{i}" for i in range(6)]
    constraints = [
        f"(or (< (+ (* {3 + i} {a}) (* {7 + i} {b})) (* {5 + i} {c})) (= (* {2 + i} {b}) (+ {a} {c})))"
        for i, (a, b, c) in enumerate(product(names[:2], names[2:4], ["y", *names[4:]]))
    ]
    symbols = " ".join(names) + " y: Int"
    body = formula(symbols, f"(and {' '.join(constraints)})")
    bound = variables(symbols)[:-1]
    start = time.monotonic()
    result = Eliminator((Method.FULL,), solver, time_limit=0.3).exists(bound, body)
    assert time.monotonic() - start < 15
    assert free_variables(result) <= {var("y", INT)}


def test_no_solver_is_asked_after_the_deadline() -> None:
    x, _ = variables("x y: Int")
    body = formula("x y: Int", "(and (= (* 2 x) y) (= (* 3 y) 7))")
    late = Eliminator((Method.UPD, Method.LIGHT, Method.FULL), deadline=time.monotonic() - 1)
    assert is_quantified(late.exists([x], body))
    assert late.counts.total() == 0
    assert not is_quantified(Eliminator((Method.FULL,), deadline=time.monotonic() + 60).exists([x], body))


def test_literals() -> None:
    p, q, r = read("p q r: Bool", "p\nq\nr")
    assert literals(and_(p, not_(or_(q, r)))) == (p, not_(q), not_(r))
    assert literals(TRUE) == ()
    assert literals(FALSE) == (FALSE,)


# --- equations --------------------------------------------------------------------------------------------------------

A, B, C = (var(name, BitVec(3)) for name in "abc")
NARROW = var("n", BitVec(2))
HOLDERS = {
    "sum": bvadd(A, B, C),
    "difference": bvsub(B, A),
    "difference the other way": bvsub(A, C),
    "complement": bvnot(A),
    "xor": bvxor(B, A),
    "odd product": bvmul(bv(5, 3), A),
    "nested": bvxor(bvsub(B, bvmul(bv(3, 3), bvnot(A))), C),
}


@pytest.mark.parametrize("case", HOLDERS)
def test_equations_are_solved(case: str) -> None:
    check_solution(A, eq(HOLDERS[case], var("t", BitVec(3))))


def test_extensions_are_solved() -> None:
    wide = var("t", BitVec(4))
    for holder in (zero_extend(2, NARROW), sign_extend(2, NARROW), concat(NARROW, extract(1, 0, A))):
        check_solution(NARROW, eq(holder, wide))
    check_solution(NARROW, eq(concat(bv(1, 1), NARROW, extract(0, 0, A)), wide))


def check_solution(variable: Term, equation: Term) -> None:
    """literal ⟺ variable = solution ∧ side, for all values."""
    solved = solve_for(variable, equation)
    assert solved is not None
    solution, side = solved
    assert variable not in free_variables(solution) | free_variables(side)
    claim = and_(eq(variable, solution), side)
    for values in assignments(equation):
        assert evaluate(equation, values) == evaluate(claim, values)


@pytest.mark.parametrize("case", [bvmul(bv(2, 3), A), bvadd(A, A, A), bvmul(A, B)], ids=str)
def test_what_has_no_one_solution_is_not_solved(case: Term) -> None:
    assert solve_for(A, eq(case, B)) is None


# --- nested quantifiers, cases, reads ---------------------------------------------------------------------------------


def test_inner_quantifiers_come_out_under_names_of_their_own() -> None:
    """Both inner k are different from each other, from the outer one and from the free one."""
    k, m, n = (var(name, INT) for name in "kmn")
    body = and_(lt(k, m), exists([k], eq(k, n)), not_(forall([k], lt(k, m))))
    variables, inside = pulled_out([m], body)
    assert not is_quantified(inside)
    assert len(set(variables)) == 3 and k not in variables
    assert_equivalent(exists(variables, inside), exists([m], body))


def test_what_an_inner_quantifier_hides_is_resolved() -> None:
    k, m, n = (var(name, INT) for name in "kmn")
    hidden = exists([k], and_(eq(m, add(k, int_(1))), lt(int_(0), mul(k, k))))
    result = Eliminator((Method.DER,)).exists([n], and_(eq(n, add(m, int_(2))), hidden, lt(n, int_(9))))
    assert not is_quantified(result)


def test_names_do_not_grow_with_the_trace() -> None:
    k = var("k", INT)
    formula = TRUE
    for _ in range(20):
        variables, inside = pulled_out([k], and_(lt(mul(k, k), int_(9)), formula))
        formula = exists(variables, inside)
    assert max(len(v.name) for v in formula.payload) <= len("k!19")


def test_several_writes_are_undone() -> None:
    a, b = (var(name, Array(INT, INT)) for name in "ab")
    i, j = var("i", INT), var("j", INT)
    twice = store(store(a, i, int_(1)), j, add(select(a, j), int_(1)))
    result = Eliminator((Method.DER, Method.CASES)).exists([a], eq(b, ite(lt(i, j), twice, store(a, i, int_(2)))))
    # Nothing is known of b at j, since nothing was of a.
    assert_equivalent(result, eq(select(b, i), ite(lt(i, j), int_(1), int_(2))))


def test_arrays_that_are_only_read_become_elements() -> None:
    a = var("a", Array(INT, INT))
    i, j = var("i", INT), var("j", INT)
    body = and_(lt(select(a, i), select(a, j)), lt(select(store(a, i, int_(3)), j), int_(3)))
    variables, inside = resolve_reads([a], body)
    assert a not in variables and len(variables) == 2
    assert_equivalent(exists(variables, inside), exists([a], body))


def test_quantifiers_are_pushed_in() -> None:
    k, m, n = (var(name, INT) for name in "kmn")
    apart = pushed_in([k, m], and_(lt(n, int_(5)), eq(mul(k, k), n), eq(mul(m, m), add(n, int_(1)))))
    assert set(conjuncts(apart)) == {
        lt(n, int_(5)),
        exists([k], eq(mul(k, k), n)),
        exists([m], eq(mul(m, m), add(n, int_(1)))),
    }


def test_excluded_values_do_not_matter_where_there_is_room() -> None:
    k, m = var("k", INT), var("m", INT)
    assert resolve_bounds([k], and_(lt(m, k), not_(eq(k, add(m, int_(7)))))) == ((), TRUE)
    between = and_(lt(m, k), lt(k, add(m, int_(2))), not_(eq(k, add(m, int_(1)))))
    assert resolve_bounds([k], between)[0] == (k,)
    full = and_(*(not_(eq(X, bvadd(Y, bv(n, 2)))) for n in range(4)))
    assert resolve_bounds([X], full)[0] == (X,)


# --- random ones ------------------------------------------------------------------------------------------------------


def assignments(*terms: Term) -> list[dict[Term, int]]:
    """All values of all variables: the terms are over few bits."""
    found = sorted(frozenset[Term]().union(*map(free_variables, terms)), key=lambda v: v.name)
    domains = [range(1 << v.sort.width) for v in found if isinstance(v.sort, BitVec)]
    return [dict(zip(found, values, strict=True)) for values in product(*domains)]


X, Y, Z = (var(name, BitVec(2)) for name in "xyz")
_leaves = st.sampled_from([X, Y, Z, *(bv(n, 2) for n in range(4))])
_operations = st.sampled_from([bvadd, bvsub, bvxor, bvmul])
_words = st.one_of(
    _leaves, st.builds(lambda f, a, b: f(a, b), _operations, _leaves, _leaves), st.builds(bvnot, _leaves)
)
_atoms = st.builds(lambda f, a, b: f(a, b), st.sampled_from([eq, eq, bvult, bvule, bvslt, bvsle]), _words, _words)
_literals = st.builds(lambda a, negated: not_(a) if negated else a, _atoms, st.booleans())
_conjunctions = st.lists(st.one_of(_literals, _literals, st.builds(or_, _literals, _literals)), min_size=1, max_size=4)


@pytest.mark.parametrize("methods", combinations(), ids=named)
@given(parts=_conjunctions)
@settings(max_examples=120)
def test_random_words(methods: tuple[Method, ...], parts: list[Term]) -> None:
    """Against trying all values, without a solver."""
    body = and_(*parts)
    result = Eliminator(methods).exists([X, Y], body)
    assert free_variables(result) <= {Z}
    for z in range(4):
        expected = any(evaluate(body, {X: x, Y: y, Z: z}) for x, y in product(range(4), repeat=2))
        assert evaluate(result, {Z: z}) is expected, f"∃x y. {body}\nbecame\n{result}"
    dropped = Eliminator((Method.DER, Method.DROP)).exists([X, Y], body)
    for x, y, z in product(range(4), repeat=3):
        assert not evaluate(body, {X: x, Y: y, Z: z}) or evaluate(dropped, {Z: z})


K, L, M = (var(name, INT) for name in "klm")
_numbers = st.one_of(
    st.sampled_from([K, L, M, int_(0), int_(1), int_(-2)]),
    st.builds(lambda f, a, b: f(a, b), st.sampled_from([add, sub]), st.sampled_from([K, L]), st.sampled_from([L, M])),
    st.builds(lambda n, a: mul(int_(n), a), st.integers(-3, 3), st.sampled_from([K, L, M])),
)
_comparisons = st.builds(lambda f, a, b: f(a, b), st.sampled_from([eq, le, lt]), _numbers, _numbers)
_facts = st.builds(lambda a, negated: not_(a) if negated else a, _comparisons, st.booleans())


@pytest.mark.parametrize("methods", combinations(), ids=named)
@given(parts=st.lists(_facts, min_size=1, max_size=4))
@settings(max_examples=40)
def test_random_numbers(methods: tuple[Method, ...], parts: list[Term]) -> None:
    body = and_(*parts)
    result = Eliminator(methods).exists([K, L], body)
    assert free_variables(result) <= {M}
    assert is_equivalent(result, exists([K, L], body), "cvc5", "z3") is not False
    assert_implies(body, Eliminator((Method.DROP,)).exists([K, L], body))


WORDS = Array(BitVec(2), BitVec(2))
A1, A2 = (var(name, WORDS) for name in ("a", "b"))
_places = st.sampled_from([X, Y, Z, bv(0, 2), bv(1, 2)])
_arrays = st.one_of(
    st.just(A1),
    st.just(A1),
    st.builds(store, st.just(A1), _places, _places),
    st.builds(lambda c, i, e: ite(c, store(A1, i, e), A1), st.builds(bvult, _places, _places), _places, _places),
    st.just(A2),
)
_cells = st.one_of(_places, st.builds(select, _arrays, _places), st.builds(select, _arrays, _places))
_cell_atoms = st.builds(lambda f, a, b: f(a, b), st.sampled_from([eq, bvult]), _cells, _cells)
_cell_literals = st.builds(lambda a, negated: not_(a) if negated else a, _cell_atoms, st.booleans())
_equations = st.builds(lambda a, i, e: eq(A2, store(a, i, e)), _arrays, _places, _cells)
_cell_facts = st.one_of(_cell_literals, st.builds(or_, _cell_literals, _cell_literals), _equations)


@pytest.mark.parametrize("methods", [(Method.READS,), (Method.CASES,), SYNTACTIC], ids=named)
@given(parts=st.lists(_cell_facts, min_size=1, max_size=3))
@settings(max_examples=30)
def test_random_reads(methods: tuple[Method, ...], parts: list[Term]) -> None:
    body = and_(*parts)
    result = Eliminator(methods).exists([A1, X], body)
    assert free_variables(result) <= {A2, Y, Z}
    assert is_equivalent(result, exists([A1, X], body), "z3", "cvc5") is not False, f"{body}\nbecame\n{result}"
