"""Ranges of floats: operations against exact arithmetic, facts and cases against runs and programs."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.engines.contract import Budget, Safe
from craton.engines.kinduction import KInduction
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.facts import floats
from craton.facts.cases import exclude_each_other, halves, speak_of_floats
from craton.facts.floats import DOUBLE, SINGLE, FloatRange
from craton.facts.formulas import about
from craton.facts.ranges import Range, made, top
from craton.facts.states import anything, assumed, known_of
from craton.frontends.programs import Request, load_program
from craton.logic import (
    ROUNDING_MODE,
    BitVec,
    Float,
    Model,
    Term,
    and_,
    constant,
    eq,
    fp_is_infinite,
    fp_is_nan,
    fp_le,
    fp_lt,
    fp_mul,
    fp_sub,
    fp_value,
    ieee,
    not_,
    ops,
    satisfies,
    var,
)
from craton.logic.ieee import RoundingMode
from craton.logic.ops import Op
from craton.logic.semantics import compute
from craton.logic.terms import format_of, intern
from craton.program.blocks import encode_blocks
from craton.program.preparation import prepare
from support import examples

SORTS = [SINGLE, DOUBLE]
MODES = list(RoundingMode)
SOME = [0.0, -0.0, 1.0, -1.0, 0.1, 1e-40, -5e-324, 3.4e38, 1.7e308, math.inf, -math.inf, math.nan, 16777217.0]


def patterns(sort: Float) -> st.SearchStrategy[int]:
    form = format_of(sort)
    drawn = st.integers(0, (1 << form.width) - 1).map(lambda bits: ieee.canonical(form, bits))
    return st.one_of(drawn, st.sampled_from([ieee.from_python(form, x) for x in SOME]))


@st.composite
def members(draw: st.DrawFn, sort: Float) -> tuple[FloatRange, int]:
    """A range, and one of its floats."""
    form = format_of(sort)
    chosen, *others = (draw(patterns(sort)) for _ in range(draw(st.integers(1, 3))))
    known = floats.float_constant(sort, chosen)
    for bits in others:
        known = floats.join(known, floats.float_constant(sort, bits))
    assert known.contains(chosen)
    return known, ieee.canonical(form, chosen)


def check(node: Term, known: list[Any], values: list[Any]) -> None:
    state = {arg: one for arg, one in zip(node.args, known, strict=True) if isinstance(one, (FloatRange, Range))}
    found = known_of(node, state)
    assert found is not None
    try:
        result = compute(node.op, [arg.sort for arg in node.args], node.payload, values)
    except ieee.Unspecified:
        return
    assert found.contains(int(result)), (node, known, values, result)


@pytest.mark.parametrize("op", [ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV], ids=str)
@examples(40)
@given(st.data(), st.sampled_from(SORTS), st.sampled_from(MODES))
def test_arithmetic(op: Op, data: st.DataObject, sort: Float, mode: RoundingMode) -> None:
    (a, x), (b, y) = data.draw(members(sort)), data.draw(members(sort))
    node = intern(op, (constant(mode, ROUNDING_MODE), var("a", sort), var("b", sort)), sort)
    check(node, [None, a, b], [mode, x, y])


@pytest.mark.parametrize("op", floats.ALIKE, ids=str)
@examples(40)
@given(st.data(), st.sampled_from(SORTS), st.sampled_from(MODES))
def test_arithmetic_of_one_term_and_itself(op: Op, data: st.DataObject, sort: Float, mode: RoundingMode) -> None:
    a, x = data.draw(members(sort))
    both = var("a", sort)
    check(intern(op, (constant(mode, ROUNDING_MODE), both, both), sort), [None, a, a], [mode, x, x])


@examples(60)
@given(st.data(), st.sampled_from(SORTS), st.sampled_from(MODES))
def test_addends(data: st.DataObject, sort: Float, mode: RoundingMode) -> None:
    (_, x), (b, y) = data.draw(members(sort)), data.draw(members(sort))
    total = floats.float_constant(sort, compute(ops.FP_ADD, [ROUNDING_MODE, sort, sort], None, [mode, x, y]))
    found = floats.addend(total, b)
    assert found is None or found.contains(x)


@pytest.mark.parametrize("op", [ops.FP_SQRT, ops.FP_ROUND], ids=str)
@examples(30)
@given(st.data(), st.sampled_from(SORTS), st.sampled_from(MODES))
def test_roots_and_whole_numbers(op: Op, data: st.DataObject, sort: Float, mode: RoundingMode) -> None:
    a, x = data.draw(members(sort))
    check(intern(op, (constant(mode, ROUNDING_MODE), var("a", sort)), sort), [None, a], [mode, x])


@pytest.mark.parametrize("op", [*floats.CHOICES, *floats.COMPARISONS], ids=str)
@examples(30)
@given(st.data(), st.sampled_from(SORTS))
def test_choices_and_comparisons(op: Op, data: st.DataObject, sort: Float) -> None:
    (a, x), (b, y) = data.draw(members(sort)), data.draw(members(sort))
    result = sort if op in floats.CHOICES else eq(var("a", sort), var("b", sort)).sort
    node = intern(op, (var("a", sort), var("b", sort)), result)
    check(node, [a, b], [x, y])
    if op in floats.COMPARISONS:
        holds = bool(compute(op, [sort, sort], None, [x, y]))
        state = assumed(node if holds else not_(node), {var("a", sort): a, var("b", sort): b})
        assert state is not None
        for variable, value in ((var("a", sort), x), (var("b", sort), y)):
            known = state.get(variable)
            assert known is None or known.contains(value)


@pytest.mark.parametrize("op", [*floats.SIGNS, *floats.CLASSES], ids=str)
@examples(40)
@given(st.data(), st.sampled_from(SORTS))
def test_signs_and_classes(op: Op, data: st.DataObject, sort: Float) -> None:
    a, x = data.draw(members(sort))
    check(intern(op, (var("a", sort),), sort if op in floats.SIGNS else fp_is_nan(var("a", sort)).sort), [a], [x])


@examples(40)
@given(st.data(), st.sampled_from(MODES), st.sampled_from([(SINGLE, DOUBLE), (DOUBLE, SINGLE)]))
def test_conversions(data: st.DataObject, mode: RoundingMode, sorts: tuple[Float, Float]) -> None:
    source, target = sorts
    a, x = data.draw(members(source))
    rounding, variable = constant(mode, ROUNDING_MODE), var("a", source)
    payload = target.exponent_bits, target.significand_bits
    check(intern(ops.FP_FROM_FP, (rounding, variable), target, payload), [None, a], [mode, x])
    for op in (ops.FP_TO_SBV, ops.FP_TO_UBV):
        check(intern(op, (rounding, variable), BitVec(32), (32,)), [None, a], [mode, x])


@examples(30)
@given(st.sampled_from(MODES), st.sampled_from(SORTS), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_conversions_of_integers(mode: RoundingMode, sort: Float, number: int, other: int) -> None:
    known = made(32, (min(number, other), max(number, other)))
    assert known is not None
    rounding, variable = constant(mode, ROUNDING_MODE), var("i", BitVec(32))
    for op in (ops.FP_FROM_SIGNED, ops.FP_FROM_UNSIGNED):
        node = intern(op, (rounding, variable), sort, (sort.exponent_bits, sort.significand_bits))
        check(node, [None, known], [mode, number])
    check(intern(ops.FP_FROM_BITS, (variable,), SINGLE, (8, 24)), [known], [number])


@examples(40)
@given(st.data(), st.sampled_from(SORTS))
def test_formulas_halves_and_bits(data: st.DataObject, sort: Float) -> None:
    known, bits = data.draw(members(sort))
    variable = var("a", sort)
    assert all(satisfies(Model({variable: bits}), part) for part in about(variable, known))
    assert any(part.contains(bits) for part in halves(known) if isinstance(part, FloatRange))
    patterns_of = floats.bits_of(known)
    assert patterns_of is None or patterns_of.contains(bits)
    assert all(known.includes(part) for part in halves(known) if isinstance(part, FloatRange))


def test_formulas_exclude_others() -> None:
    x = var("x", DOUBLE)
    said = and_(*about(x, FloatRange(DOUBLE, 0.5, 2.0, False)))
    for value, inside in ((0.5, True), (2.0, True), (0.25, False), (math.nextafter(2, 3), False), (math.nan, False)):
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        assert satisfies(Model({x: bits}), said) is inside
    assert tuple(about(x, floats.only_nan(DOUBLE))) == (fp_is_nan(x),)


def test_what_is_not_infinite_is_bounded() -> None:
    x = var("x", SINGLE)
    state = assumed(and_(not_(fp_is_infinite(x)), not_(fp_is_nan(x))), {})
    assert state == {x: FloatRange(SINGLE, -3.4028234663852886e38, 3.4028234663852886e38, False)}


def test_other_formats_are_not_followed() -> None:
    assert anything(Float(15, 113)) is None
    assert not speak_of_floats([eq(var("q", Float(15, 113)), var("r", Float(15, 113)))])
    assert anything(BitVec(8)) == top(8)


# --- cases and programs -----------------------------------------------------------------------------------------------


def test_cases_show_what_one_range_does_not() -> None:
    x, nearest = var("x", DOUBLE), constant(RoundingMode.RNE, ROUNDING_MODE)
    inside = and_(fp_le(fp_value(0.0, DOUBLE), x), fp_le(x, fp_value(1.0, DOUBLE)))
    too_large = fp_lt(fp_value(0.26, DOUBLE), fp_sub(nearest, x, fp_mul(nearest, x, x)))
    assert exclude_each_other([inside, too_large])
    assert not exclude_each_other([inside, fp_lt(fp_value(0.24, DOUBLE), too_large.args[1])])
    assert not exclude_each_other([inside, too_large], 0.0)


PROOFS = {
    "straight": "double x = in(); if (x >= 0 && x <= 10) { double y = x * x - x; check(y >= -10 && y <= 100); }",
    "cases": "float x = in(); if (x >= 0 && x <= 1) check(x - x * x <= 0.26f);",
    "loop": "double s = 0; while (in() > 0) { double x = in(); if (x >= 0 && x <= 1) s = 0.5 * s + x;"
    " if (s > 3) s = 3; check(s >= 0 && s <= 4); }",
    "words": "union { double d; struct { unsigned low, high; } word; } u; u.d = in(); double r = u.d;"
    " int ix = u.word.high & 0x7fffffff; if (r < -1 || r > 1) {"
    " if (ix < 0x3ff00000) while (r > 0.1) r = 0.5 * r;"
    " else if (((ix - 0x3ff00000) | u.word.low) != 0) r = (r - r) / (r - r); check(r != r); }",
    "integers": "int i = (int)in(); if (i > -100 && i < 100) { double r = i / 3.0; check(r > -34 && r < 34); }",
}
TEXT = """
extern double __VERIFIER_nondet_double(void); extern void __VERIFIER_error(void);
#define in() __VERIFIER_nondet_double()
#define check(c) if (!(c)) __VERIFIER_error()
int main(void) { %s return 0; }
"""


@pytest.mark.parametrize("name", PROOFS)
def test_proofs_by_ranges_are_shown_by_intervals(name: str, tmp_path: Any) -> None:
    (tmp_path / "p.c").write_text(TEXT % PROOFS[name])
    program = encode_blocks(prepare(load_program(Request((str(tmp_path / "p.c"),)))).small.program).program
    found = KInduction(plain=True, most=1).run(program, Budget(None))
    assert isinstance(found, Safe)
    checked = check_annotation(Annotation(program, found.invariants, k=found.k), ("intervals",))
    assert isinstance(checked, Confirmed), checked
