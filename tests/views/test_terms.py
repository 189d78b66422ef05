"""Terms of a view have the values of the terms they stand for, or can have them where the view leaves values open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.logic import (
    BOOL,
    Array,
    BitVec,
    Model,
    Term,
    Theory,
    Unspecified,
    and_,
    bv,
    bvadd,
    bvand,
    bvashr,
    bvlshr,
    bvmul,
    bvnot,
    bvor,
    bvshl,
    bvslt,
    bvsrem,
    bvule,
    bvult,
    bvxor,
    concat,
    const_array,
    eq,
    evaluate,
    exists,
    extract,
    forall,
    free_variables,
    ite,
    not_,
    or_,
    rotate_left,
    select,
    sign_extend,
    store,
    var,
    zero_extend,
)
from craton.views.signs import Signs
from craton.views.terms import Floats, Translator
from support import examples
from support.terms import Universe, decode, decode_model, tapes
from views.numbers import equal_to, numbers, possible, program_of

BITS = Universe(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.ARRAYS)), depth=5)
SMALL = replace(BITS, widths=(1, 2, 3, 4), widest=8)
MIXED = Universe(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.CONVERSIONS, Theory.ARITHMETIC)))
QUANTIFIED = Universe(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.QUANTIFIERS)), widths=(1, 2, 3), widest=4)
FLOATS = Universe(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.FLOATS)), formats=((5, 11), (3, 5), (8, 24)))


def disagreement(term: Term, model: Model, signs: int, floats: Floats = "exact") -> str:
    """What is wrong with the view of a term for one model; "" if nothing."""
    variables = sorted(free_variables(term), key=lambda v: v.serial)
    signed = {v: bool(signs >> i & 1) for i, v in enumerate(variables) if isinstance(v.sort, BitVec)}
    target = var("the result", term.sort)
    formula = eq(target, term)
    translator = Translator(Signs(program_of(formula, {**signed, target: bool(signs & 1)})), floats)
    try:
        expected = evaluate(term, model, specified_only=True)
    except Unspecified:
        return ""
    state = {}
    for variable in variables:
        state.update(numbers(translator, variable, model[variable]))
    wanted = tuple(numbers(translator, target, expected).values())
    needs = translator.needs(term)
    parts = translator.parts(term, target)
    facts = tuple(needs.facts)
    if not needs.variables:
        if not all(evaluate(fact, state) is True for fact in facts):
            return f"facts of {term} fail in {state}"
        found = tuple(evaluate(part, state) for part in parts)
        return "" if found == wanted or possible(equal_to(parts, wanted), state, ()) else f"{found}, not {wanted}"
    verdict = possible(and_(*facts, equal_to(parts, wanted)), state, tuple(needs.variables))
    return "the view cannot have the value" if verdict is False else ""


@given(tapes(), tapes(32), st.integers(0, 255))
@examples(600)
def test_bits_are_their_numbers(tape: bytes, values: bytes, signs: int) -> None:
    term = decode(tape, None, BITS)
    assert disagreement(term, decode_model(values, term), signs) == ""


@given(tapes(), tapes(32), st.integers(0, 255))
@examples(600)
def test_small_bits_are_their_numbers(tape: bytes, values: bytes, signs: int) -> None:
    term = decode(tape, None, SMALL)
    assert disagreement(term, decode_model(values, term), signs) == ""


@given(tapes(), tapes(32), st.integers(0, 255))
@examples(300)
def test_integers_beside_bits(tape: bytes, values: bytes, signs: int) -> None:
    term = decode(tape, None, MIXED)
    assert disagreement(term, decode_model(values, term), signs) == ""


@given(tapes(), tapes(32), st.integers(0, 255), st.sampled_from(["exact", "real"]))
@examples(250)
def test_floats(tape: bytes, values: bytes, signs: int, floats: Floats) -> None:
    term = decode(tape, None, FLOATS)
    assert disagreement(term, decode_model(values, term), signs, floats) == ""


@given(tapes(), tapes(32), st.integers(0, 255))
@examples(150)
def test_quantified_bits(tape: bytes, values: bytes, signs: int) -> None:
    """Quantifiers over integers have no value to compute, so a solver compares."""
    formula = decode(tape, BOOL, QUANTIFIED)
    model = decode_model(values, formula)
    variables = sorted(free_variables(formula), key=lambda v: v.serial)
    signed = {v: bool(signs >> i & 1) for i, v in enumerate(variables) if isinstance(v.sort, BitVec)}
    translator = Translator(Signs(program_of(formula, signed)))
    needs = translator.needs(formula)
    state = {k: n for v in variables for k, n in numbers(translator, v, model[v]).items()}
    expected = evaluate(formula, model)
    number = translator.formula(formula)
    wanted = and_(*needs.facts, number if expected else not_(number))
    assert possible(wanted, state, (*needs.variables, var("ask a solver", BOOL))) is not False
    if needs.exact:
        unwanted = and_(*needs.facts, not_(number) if expected else number)
        assert possible(unwanted, state, (var("ask a solver", BOOL),)) is not True


X, Y = var("x", BitVec(32)), var("y", BitVec(32))
C = var("c", BitVec(8))
EXACT = [
    bvmul(X, bvadd(Y, X)),
    bvand(X, bv(0xFF00FF, 32)),
    bvor(zero_extend(24, C), concat(C, bv(0, 24))),
    bvor(X, bv(0x80000001, 32)),
    bvxor(X, bv(0xFF, 32)),
    bvnot(X),
    bvand(X, ite(bvult(X, Y), bv(1, 32), bv(0, 32))),
    bvshl(bv(1, 32), Y),
    bvshl(X, bvand(Y, bv(7, 32))),
    bvashr(X, bv(3, 32)),
    bvsrem(X, Y),
    rotate_left(5, X),
    select(store(const_array(Array(BitVec(32), BitVec(8)), bv(-1, 8)), X, C), Y),
]
OPEN = [bvand(X, Y), bvor(X, Y), bvxor(X, Y), bvshl(X, Y), bvlshr(X, Y), bvashr(X, Y)]


@pytest.mark.parametrize("term", EXACT, ids=str)
def test_what_integers_can_say(term: Term) -> None:
    assert Translator(Signs(program_of(eq(term, term), {X: True, Y: False, C: True}))).needs(term).exact


@pytest.mark.parametrize("term", OPEN, ids=str)
def test_what_integers_cannot_say_is_marked(term: Term) -> None:
    needs = Translator(Signs(program_of(eq(term, term), {X: True, Y: False}))).needs(term)
    assert not needs.exact
    assert needs.variables


def test_no_wrap_around_where_bounds_exclude_it() -> None:
    translator = Translator(Signs(program_of(eq(X, Y), {X: True, Y: False, C: True})))
    wide = bvadd(sign_extend(24, C), bv(1, 32))
    assert str(translator.formula(bvslt(wide, bv(100, 32)))) == "c < 99"
    assert str(translator.formula(bvult(zero_extend(8, extract(23, 0, Y)), Y))) == "y mod 16777216 < y"


def test_arrays_that_are_assigned_to_each_other_hold_numbers_of_one_kind() -> None:
    """Memory whose elements are compared as signed numbers, through a copy of it."""
    sort = Array(BitVec(32), BitVec(32))
    memory, copy = var("m", sort), var("n", sort)
    compared = bvslt(select(store(copy, X, bv(-1, 32)), Y), bv(0, 32))
    signs = Signs(program_of(and_(compared, eq(memory, store(copy, Y, X))), {X: True, Y: False}))
    assert signs.signed(copy)
    assert signs.signed(memory)


@pytest.mark.parametrize("signed", [False, True])
def test_quantifiers_range_over_the_values_of_the_width(signed: bool) -> None:
    x, y = var("x", BitVec(3)), var("y", BitVec(3))
    everywhere = forall([x], or_(bvult(x, y), bvule(y, x), eq(bvadd(x, bv(1, 3)), y)))
    bounded = forall([x], bvult(zero_extend(1, x), bv(8, 4)))
    beyond = exists([x], bvult(bv(7, 4), zero_extend(1, x)))
    for formula, expected in [(everywhere, True), (bounded, True), (beyond, False)]:
        assert evaluate(formula, {y: 5}) is expected
        translator = Translator(Signs(program_of(formula, {x: signed, y: False})))
        assert translator.needs(formula).exact
        number = translator.formula(formula)
        state = numbers(translator, y, 5)
        assert possible(number, state, (var("ask a solver", BOOL),)) is expected
