"""Formulas of a view go back to formulas over bits that hold for the same values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.errors import NotExpressible
from craton.logic import (
    BOOL,
    FLOAT16,
    INT,
    REAL,
    TRUE,
    Array,
    ArrayValue,
    BitVec,
    Term,
    Theory,
    Unspecified,
    Value,
    add,
    and_,
    div,
    eq,
    evaluate,
    exists,
    forall,
    free_variables,
    ge,
    implies,
    int_,
    is_quantified,
    le,
    lt,
    mod,
    mul,
    neg,
    not_,
    ops,
    or_,
    post_order,
    real,
    sbv_to_int,
    select,
    sub,
    var,
)
from craton.views import View, integer_view
from craton.views.terms import Floats
from support import examples
from support.terms import Tape, Universe, decode, decode_model, some_value, tapes
from views.numbers import numbers, program_of

BITS = Universe(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.ARRAYS)), widths=(8, 1, 3, 32), widest=40)
INTEGERS = replace(Universe(frozenset((Theory.CORE, Theory.ARITHMETIC))), depth=5)


def view_of(variables: dict[Term, bool], formula: Term = TRUE, floats: Floats = "exact") -> View:
    """Of a program with that formula; the variables are declared."""
    return integer_view(program_of(formula, variables), floats)


@given(tapes(), tapes(32), st.integers(0, 255))
@examples(400)
def test_there_and_back(tape: bytes, values: bytes, signs: int) -> None:
    formula = decode(tape, BOOL, BITS)
    variables = sorted(free_variables(formula), key=lambda v: v.serial)
    signed = {v: bool(signs >> i & 1) for i, v in enumerate(variables) if isinstance(v.sort, BitVec)}
    view = view_of(signed, formula)
    translator = view._translator
    if translator.needs(formula).variables:
        return
    number = translator.formula(formula)
    if any(node.op is ops.CONST_ARRAY for node in post_order(number)):
        return
    model = decode_model(values, formula)
    assert evaluate(view.to_bits(number), model) == evaluate(formula, model)


@given(tapes(), tapes(32), st.integers(0, 7), st.sampled_from([(8, 8, 8), (3, 32, 16), (1, 4, 64)]))
@examples(500)
def test_formulas_over_integers(tape: bytes, values: bytes, signs: int, widths: tuple[int, int, int]) -> None:
    """Formulas that no program wrote, as interpolants are."""
    formula = decode(tape, BOOL, INTEGERS)
    bits = {var(n, BitVec(w)): bool(signs >> i & 1) for i, (n, w) in enumerate(zip("xyz", widths, strict=True))}
    view = view_of(bits)
    source = Tape(values)
    model = {v: some_value(source, v.sort) for v in bits}
    state: dict[Term, Value] = {}
    for v in bits:
        state.update(numbers(view._translator, v, model[v]))
    if not free_variables(formula) <= state.keys():
        return
    try:
        expected = evaluate(formula, state, specified_only=True)
        found = view.to_bits(formula)
    except (Unspecified, NotExpressible):
        return
    assert evaluate(found, model) == expected


def test_most_formulas_over_integers_go_back() -> None:
    """The test above would not notice if nothing did."""
    x, y = var("x", INT), var("y", INT)
    view = view_of({var("x", BitVec(32)): True, var("y", BitVec(16)): False})
    for formula in [
        le(add(mul(int_(3), x), y), int_(7)),
        eq(mod(sub(x, y), int_(5)), int_(2)),
        lt(div(neg(x), int_(-4)), mul(x, y)),
        eq(div(x, y), mod(x, y)),
    ]:
        back = view.to_bits(formula)
        assert {v.sort for v in free_variables(back)} == {BitVec(32), BitVec(16)}


COMPARISONS = [eq, le, lt]


@given(st.sampled_from(COMPARISONS), st.fractions(-9, 9), st.fractions(-70000, 70000), tapes(16), st.booleans())
@examples(400)
def test_numbers_of_floats(compare: object, factor: Fraction, limit: Fraction, values: bytes, swapped: bool) -> None:
    assert callable(compare)
    f, g = var("f", FLOAT16), var("g", FLOAT16)
    view = view_of({f: False, g: False}, floats="real")
    x, y = var("f", REAL), var("g", REAL)
    tape = Tape(values)
    model = {f: some_value(tape, FLOAT16), g: some_value(tape, FLOAT16)}
    state = {**numbers(view._translator, f, model[f]), **numbers(view._translator, g, model[g])}
    pairs = [(mul(real(factor), x), real(limit)), (mul(real(factor), x), mul(real(factor), y))]
    for a, b in pairs:
        formula = compare(b, a) if swapped else compare(a, b)
        assert evaluate(view.to_bits(formula), model) == evaluate(formula, state)


def test_an_infinity_is_a_number_in_the_real_view() -> None:
    f = var("f", FLOAT16)
    view = view_of({f: False}, floats="real")
    formula = eq(var("f", REAL), real(65536))
    back = view.to_bits(formula)
    assert evaluate(back, {f: 0x7C00}) is True
    assert evaluate(back, {f: 0x7BFF}) is False


@given(st.integers(0, 15), st.integers(0, 15), st.lists(st.integers(0, 7), max_size=3), st.booleans())
@examples(100)
def test_quantified_indices(n: int, m: int, written: list[int], universal: bool) -> None:
    sort = Array(BitVec(4), BitVec(3))
    array, length, k = var("a", sort), var("n", BitVec(4)), var("m", BitVec(4))
    view = view_of({length: False, k: False}, eq(select(array, length), select(array, k)))
    i, a = var("i", INT), var("a", Array(INT, INT))
    guard = and_(ge(i, var("m", INT)), lt(i, var("n", INT)))
    small = le(select(a, i), int_(3))
    formula = forall([i], implies(guard, small)) if universal else exists([i], and_(guard, small))
    back = view.to_bits(formula)
    assert is_quantified(back)
    cells = ArrayValue(5, dict(enumerate(written)))
    expected = (all if universal else any)(cells.get(j) <= 3 for j in range(m, n))
    assert evaluate(back, {array: cells, length: n, k: m}) == expected


def test_what_has_no_counterpart_is_refused() -> None:
    array = var("a", Array(BitVec(4), BitVec(3)))
    view = integer_view(program_of(lt(int_(0), sbv_to_int(select(array, var("n", BitVec(4))))), {}))
    i, a = var("i", INT), var("a", Array(INT, INT))
    for formula in [
        le(var("never seen", INT), int_(0)),
        forall([i], le(select(a, i), int_(3))),  # says something of cells that bits do not have
        forall([i], le(i, int_(3))),
    ]:
        with pytest.raises(NotExpressible):
            view.to_bits(formula)


def test_what_bits_cannot_say_is_left_out() -> None:
    x, lost = le(var("x", INT), int_(3)), le(var("never seen", INT), int_(0))
    view = view_of({var("x", BitVec(8)): True})
    known = view.to_bits(x)
    assert view.weaker_in_bits(x) is known
    assert view.weaker_in_bits(lost) is TRUE
    assert view.weaker_in_bits(and_(x, lost)) is known
    assert view.weaker_in_bits(or_(x, lost)) is TRUE
    assert view.weaker_in_bits(and_(x, or_(lost, not_(x)))) is known
    assert view.weaker_in_bits(not_(and_(x, lost))) is TRUE, "a negation would make weaker parts a stronger whole"
    assert view.weaker_in_bits(or_(not_(x), and_(x, lost))) is or_(not_(known), known)


def test_what_the_view_left_as_it_was_comes_back_as_it_is() -> None:
    """Unbounded integers of the program itself, in formulas that speak of nothing else."""
    n, x = var("n", INT), var("x", BitVec(8))
    view = integer_view(program_of(and_(le(n, int_(0)), eq(x, x)), {n: True, x: False}))
    about_n = or_(eq(n, int_(2**70)), exists([var("k", INT)], eq(n, mul(int_(2), var("k", INT)))))
    assert view.to_bits(about_n) is about_n
    assert view.to_bits(and_(about_n, le(var("x", INT), int_(3)))).args[0] is about_n
    with pytest.raises(NotExpressible):
        view.to_bits(le(var("x", INT), n))
