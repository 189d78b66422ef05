"""Formulas of elements: contradictory if and only if the formulas of arrays are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from craton.logic import (
    Array,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvult,
    const_array,
    eq,
    forall,
    ite,
    not_,
    select,
    store,
    var,
)
from craton.logic.elements import without_arrays
from craton.logic.walk import free_variables
from craton.smt import make_solver

WORD = BitVec(2)
SORT = Array(WORD, WORD)
A, B = var("a", SORT), var("b", SORT)
K, X, Y = (var(name, WORD) for name in "kxy")

_numbers = st.recursive(
    st.sampled_from([X, Y, bv(0, 2), bv(1, 2)]),
    lambda inner: st.builds(bvadd, inner, inner) | st.builds(select, st.deferred(lambda: _arrays), inner),
    max_leaves=4,
)
_arrays: st.SearchStrategy[Term] = st.recursive(
    st.sampled_from([A, B, const_array(SORT, bv(2, 2))]),
    lambda inner: (
        st.builds(store, inner, st.sampled_from([X, Y, bv(1, 2)]), st.sampled_from([X, Y, bv(3, 2)]))
        | st.builds(lambda one, other: ite(eq(X, Y), one, other), inner, inner)
    ),
    max_leaves=3,
)
_atoms = st.builds(eq, _numbers, _numbers) | st.builds(bvult, _numbers, _numbers)
_formulas = st.lists(_atoms | st.builds(not_, _atoms), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(_formulas)
def test_neither_more_nor_less_is_contradictory(formulas: list[Term]) -> None:
    found = without_arrays(formulas)
    assert found is not None
    assert not any(isinstance(x.sort, Array) for formula in found for x in free_variables(formula))
    with make_solver("z3") as one, make_solver("z3") as other:
        one.add(and_(*formulas))
        other.add(and_(*found))
        assert type(one.check()) is type(other.check())


def test_what_is_said_of_whole_arrays_or_of_all_elements_stays() -> None:
    assert without_arrays([eq(A, store(B, X, Y))]) is None
    assert without_arrays([forall([K], eq(select(A, K), X))]) is None


def test_arrays_of_many_cases_are_read_once_and_those_of_many_writes_are_left_to_others() -> None:
    cases = A
    for _ in range(60):
        cases = ite(bvult(X, select(cases, Y)), store(cases, X, Y), store(cases, Y, X))
    assert without_arrays([eq(select(cases, X), Y)]) is not None
    writes = A
    for number in range(400):
        writes = store(writes, bvadd(select(writes, X), bv(number, 2)), Y)
    assert without_arrays([eq(select(writes, X), Y)]) is None
