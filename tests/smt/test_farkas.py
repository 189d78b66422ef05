"""Interpolation by Farkas's lemma: z3 judges points, multipliers and sequences."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.logic import (
    FALSE,
    INT,
    REAL,
    Sort,
    Term,
    add,
    and_,
    eq,
    free_variables,
    int_,
    ite,
    le,
    lt,
    mul,
    not_,
    or_,
    value,
    var,
)
from craton.smt import Sat, Satisfiable, Undecided, law_violation, make_solver, sequence_interpolants
from craton.smt.farkas.equations import consistent
from craton.smt.farkas.forms import Constraint, Form, Relation, constraint, formula, tightened
from craton.smt.farkas.simplex import Multipliers
from support import examples
from support.declarations import read

X, Y, Z = (var(name, REAL) for name in "xyz")
A, J, K = (var(name, INT) for name in "ajk")


def some_constraints(atoms: Sequence[Term]) -> st.SearchStrategy[list[Constraint]]:
    factors = st.dictionaries(st.sampled_from(atoms), st.integers(-4, 4).filter(bool), max_size=3)
    forms = st.builds(Form, factors, st.integers(-6, 6))
    return st.lists(st.builds(Constraint, forms, st.sampled_from(Relation), st.just(0)), min_size=1, max_size=8)


def said(one: Constraint) -> Term:
    return formula(one.form, one.relation)


@examples(300)
@given(some_constraints((X, Y, Z)))
def test_constraints_have_a_point_or_multipliers(constraints: list[Constraint]) -> None:
    found = consistent(constraints)
    feasible = isinstance(make_solver("z3").check(*map(said, constraints)), Sat)
    if not isinstance(found, Multipliers):
        assert feasible
        assert all(one.holds(found.values) for one in constraints)
        return
    assert not feasible
    total = Form({}, 0)
    for position, factor in found.of.items():
        assert factor > 0 or constraints[position].relation is Relation.EQUAL
        total = total.plus(constraints[position].form, factor)
    strict = any(constraints[position].relation is Relation.BELOW for position in found.of)
    assert not total.factors
    assert total.constant > 0 or (total.constant == 0 and strict)


@examples(100)
@given(some_constraints((X, Y, Z)))
def test_a_contradiction_is_irreducible(constraints: list[Constraint]) -> None:
    found = consistent(constraints)
    if isinstance(found, Multipliers):
        for left_out in found.of:
            rest = [constraints[position] for position in found.of if position != left_out]
            assert not isinstance(consistent(rest), Multipliers)


@examples(100)
@given(some_constraints((A, J, K)))
def test_tightening_integers_changes_nothing(constraints: list[Constraint]) -> None:
    for one in constraints:
        form, relation = tightened(one.form, one.relation)
        point = {A: 3, J: -5, K: 2}
        assert Constraint(form, relation, 0).holds(point) == one.holds(point)


def test_integers_are_tightened() -> None:
    one = constraint(Form({A: 2, J: -4}, 1), Relation.AT_MOST, 0)
    assert (dict(one.form.factors), one.form.constant) == ({A: 1, J: -2}, 1)
    assert formula(Form({A: 1}, 0), Relation.BELOW) is le(A, int_(-1))
    assert formula(Form({A: 2}, 1), Relation.EQUAL) is FALSE
    assert formula(Form({X: Fraction(1, 2)}, -1), Relation.AT_MOST) is le(X, value(Fraction(2), REAL))


# --- sequences --------------------------------------------------------------------------------------------------------


@st.composite
def formulas(draw: st.DrawFn, sort: Sort, depth: int = 2) -> Term:
    """Linear, with conditions inside."""
    kind = draw(st.sampled_from(("le", "lt", "eq", "ne", "and", "or", "ite")))
    if depth and kind in ("and", "or"):
        parts = draw(st.lists(formulas(sort, depth - 1), min_size=2, max_size=3))
        return and_(*parts) if kind == "and" else or_(*parts)
    a, b = draw(terms(sort)), draw(terms(sort))
    if depth and kind == "ite":
        a = ite(draw(formulas(sort, 0)), a, draw(terms(sort)))
    return {"le": le, "lt": lt, "ne": lambda a, b: not_(eq(a, b))}.get(kind, eq)(a, b)


@st.composite
def terms(draw: st.DrawFn, sort: Sort) -> Term:
    names = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=2))
    parts = [mul(value(draw(st.integers(-2, 2)), sort), var(name, sort)) for name in names]
    return add(*parts, value(draw(st.integers(-3, 3)), sort))


@examples(150)
@given(st.sampled_from((INT, REAL)).flatmap(lambda sort: st.lists(formulas(sort), min_size=2, max_size=5)))
def test_random_sequences(sequence: list[Term]) -> None:
    solver = make_solver("z3")
    found = sequence_interpolants(sequence, "farkas", 5.0)
    if isinstance(solver.check(*sequence), Sat):
        assert isinstance(found, Satisfiable | Undecided)
    elif isinstance(found, tuple):
        assert law_violation(sequence, found, solver) == ""
    else:
        assert isinstance(found, Undecided)
        assert any(v.sort is INT for one in sequence for v in free_variables(one)), "nothing but integers is hard"


@pytest.mark.parametrize(
    ("declarations", "text", "expected"),
    [
        ("a b c: Int", "(< a b)\n(< b c)\n(< c a)", ("true", "a + 1 ≤ b", "a + 2 ≤ c", "false")),
        ("x y z: Real", "(< x y)\n(<= y z)\n(<= z x)", ("true", "x < y", "x < z", "false")),
        ("x y: Int", "(or (= x 1) (= x 2))\n(= y x)\n(> y 2)", ("true", "x ≤ 2", "y ≤ 2", "false")),
        ("x y: Int", "(= y (mod x 3))\n(> y 2)", ("true", "y ≤ 2", "false")),
        ("p q: Bool", "(and p (= p q))\n(not q)", ("true", "q", "false")),
    ],
)
def test_sequences_are_simple(declarations: str, text: str, expected: tuple[str, ...]) -> None:
    found = sequence_interpolants(read(declarations, text), "farkas")
    assert isinstance(found, tuple)
    assert tuple(map(str, found)) == expected


def test_counting_together_is_found_for_any_length() -> None:
    """The sequence of a lockstep loop is its invariant at every cut."""
    rounds = 60
    names = [(var(f"x{i}", INT), var(f"y{i}", INT)) for i in range(rounds + 1)]
    start = and_(eq(names[0][0], int_(0)), eq(names[0][1], int_(0)))
    steps = [and_(eq(b[0], add(a[0], int_(1))), eq(b[1], add(a[1], int_(1)))) for a, b in pairwise(names)]
    found = sequence_interpolants([start, *steps, not_(eq(*names[-1]))], "farkas")
    assert isinstance(found, tuple)
    assert all(one in (eq(x, y), eq(y, x)) for one, (x, y) in zip(found[1:-1], names, strict=True))


def test_what_is_not_linear_is_given_up() -> None:
    assert sequence_interpolants(read("x y: Int", "(= y (* x x))\n(< y 0)"), "farkas") == Undecided(
        "farkas: the contradiction is not linear"
    )
    assert isinstance(
        sequence_interpolants(read("x y z: Int", "(= y (* 2 x))\n(= y (+ (* 2 z) 1))"), "farkas"), Undecided
    )
