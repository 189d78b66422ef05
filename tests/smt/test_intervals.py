"""Intervals: every operation against all members of small formats, against the processor in four rounding modes, and
the solver against others.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.errors import MissingCapability
from craton.facts.ranges import Range, made, top
from craton.logic import (
    BOOL,
    REAL,
    ROUNDING_MODE,
    BitVec,
    Float,
    Model,
    Sort,
    Term,
    and_,
    bv,
    bvslt,
    bvult,
    constant,
    eq,
    evaluate,
    fp_add,
    fp_div,
    fp_eq,
    fp_from_bits,
    fp_from_fp,
    fp_is_nan,
    fp_le,
    fp_lt,
    fp_mul,
    fp_neg,
    fp_sub,
    fp_value,
    ite,
    lt,
    not_,
    ops,
    or_,
    real,
    satisfies,
    var,
)
from craton.logic.ieee import RoundingMode, Unspecified
from craton.logic.ops import Op
from craton.logic.semantics import compute
from craton.logic.terms import format_of, intern
from craton.smt import Undecided, Unsat, make_solver
from craton.smt.intervals.operations import Known, computed
from craton.smt.intervals.propagation import addend
from craton.smt.intervals.search import contradictory, without_definitions
from craton.smt.intervals.solver import IntervalSolver
from craton.smt.intervals.spans import Span, common, hull, none_but_nan, outermost, pattern, pieces, rank
from support import examples

TINY = Float(3, 3)
SMALLER, LARGER = Float(2, 3), Float(4, 4)
SINGLE, DOUBLE = Float(8, 24), Float(11, 53)
NEAREST = constant(RoundingMode.RNE, ROUNDING_MODE)
ANY_MODE = var("mode", ROUNDING_MODE)
MODES = [*(constant(mode, ROUNDING_MODE) for mode in RoundingMode), ANY_MODE]


@st.composite
def spans(draw: st.DrawFn, sort: Float = TINY) -> Span:
    low, high = sorted(draw(st.integers(*outermost(sort))) for _ in range(2))
    return draw(st.sampled_from([Span(sort, low, high, False), Span(sort, low, high, True), none_but_nan(sort)]))


@st.composite
def ranges(draw: st.DrawFn, width: int) -> Range:
    low, high = sorted(draw(st.integers(0, (1 << width) - 1)) for _ in range(2))
    return made(width, (low, high)) or top(width)


def members(known: Known) -> list[int]:
    width = known.sort.width if isinstance(known, Span) else known.width
    sort = known.sort if isinstance(known, Span) else None
    return [bits for bits in range(1 << width) if known.contains(bits) and (sort is None or _canonical(sort, bits))]


def _canonical(sort: Float, bits: int) -> bool:
    form = format_of(sort)
    return bits & form.magnitude_mask <= form.infinity or bits == form.nan


# --- the domain -------------------------------------------------------------------------------------------------------


def test_ranks_have_the_order_of_floats() -> None:
    form = format_of(TINY)
    numbers = [pattern(form, number) for number in range(outermost(TINY)[0], outermost(TINY)[1] + 1)]
    assert [rank(form, bits) for bits in numbers] == list(range(outermost(TINY)[0], outermost(TINY)[1] + 1))
    values = [compute(ops.FP_TO_REAL, [TINY], None, [bits]) for bits in numbers[1:-1]]
    assert values == sorted(values) and len(set(values)) == len(values) - 1, "there are two zeros"


@examples(60)
@given(spans(), spans())
def test_the_lattice(a: Span, b: Span) -> None:
    assert set(members(a)) | set(members(b)) <= set(members(hull(a, b)))
    shared = common(a, b)
    assert set(members(a)) & set(members(b)) == (set() if shared is None else set(members(shared)))
    cut = {bits for low, high in pieces(a) for bits in members(Span(TINY, low, high, False))}
    assert cut == set(members(a)) - {format_of(TINY).nan}


# --- operations -------------------------------------------------------------------------------------------------------

ROUNDED = {
    ops.FP_ADD: 2,
    ops.FP_SUB: 2,
    ops.FP_MUL: 2,
    ops.FP_DIV: 2,
    ops.FP_SQRT: 1,
    ops.FP_ROUND: 1,
}
EXACT = {
    ops.FP_NEG: 1,
    ops.FP_ABS: 1,
    ops.FP_MIN: 2,
    ops.FP_MAX: 2,
    ops.FP_LT: 2,
    ops.FP_LE: 2,
    ops.FP_EQ: 2,
    ops.EQ: 2,
    ops.FP_IS_NAN: 1,
    ops.FP_IS_ZERO: 1,
    ops.FP_IS_INFINITE: 1,
    ops.FP_IS_NORMAL: 1,
    ops.FP_IS_SUBNORMAL: 1,
    ops.FP_IS_NEGATIVE: 1,
    ops.FP_IS_POSITIVE: 1,
}
A, B, C = (var(name, TINY) for name in "abc")


def contains(known: Known | None, value: Any) -> bool:
    return known is None or known.contains(int(value))


def holds_for_all(node: Term, args: Sequence[Known | None], choices: list[list[Any]]) -> None:
    """The law, for all members; where the standard leaves the result open it may be any."""
    found = computed(node, args)
    sorts = [arg.sort for arg in node.args]
    for values in product(*choices):
        try:
            result = compute(node.op, sorts, node.payload, values)
        except Unspecified:
            assert node.op in (ops.FP_MIN, ops.FP_MAX) or found is None
            for either in values if found is not None else ():
                assert contains(found, either), "of two zeros, either"
            continue
        assert contains(found, result), (node.op, values, result, found)


def mode_choices(mode: Term) -> list[Any]:
    return list(RoundingMode) if mode is ANY_MODE else [mode.payload]


@pytest.mark.parametrize("op", ROUNDED, ids=str)
@examples(25)
@given(st.sampled_from(MODES), spans(), spans())
def test_rounded_operations(op: Op, mode: Term, a: Span, b: Span) -> None:
    known = [a, b][: ROUNDED[op]]
    node = intern(op, (mode, *(A, B)[: ROUNDED[op]]), TINY)
    holds_for_all(node, [None, *known], [mode_choices(mode), *map(members, known)])


@pytest.mark.parametrize("op", [ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV], ids=str)
@examples(25)
@given(st.sampled_from(MODES), spans())
def test_operations_on_one_term_and_itself(op: Op, mode: Term, a: Span) -> None:
    found = computed(intern(op, (mode, A, A), TINY), [None, a, a])
    apart = computed(intern(op, (mode, A, B), TINY), [None, a, a])
    assert isinstance(found, Span) and isinstance(apart, Span)
    for chosen, x in product(mode_choices(mode), members(a)):
        assert found.contains(compute(op, [ROUNDING_MODE, TINY, TINY], None, [chosen, x, x]))
    assert set(members(found)) <= set(members(apart))


def test_what_newlib_makes_of_a_bad_argument_is_not_a_number() -> None:
    nothing = fp_sub(NEAREST, A, A)
    assert contradictory([not_(fp_is_nan(fp_div(NEAREST, nothing, nothing)))], None)


@examples(15)
@given(st.sampled_from(MODES[:-1]), *[spans(Float(2, 3))] * 3)
def test_fused_operations(mode: Term, a: Span, b: Span, c: Span) -> None:
    node = intern(ops.FP_FMA, (mode, *(var(name, Float(2, 3)) for name in "xyz")), Float(2, 3))
    holds_for_all(node, [None, a, b, c], [mode_choices(mode), *map(members, (a, b, c))])


@pytest.mark.parametrize("op", EXACT, ids=str)
@examples(30)
@given(spans(), spans())
def test_exact_operations(op: Op, a: Span, b: Span) -> None:
    known = [a, b][: EXACT[op]]
    sort: Sort = TINY if op in (ops.FP_NEG, ops.FP_ABS, ops.FP_MIN, ops.FP_MAX) else BOOL
    node = intern(op, (A, B)[: EXACT[op]], sort)
    holds_for_all(node, known, [members(one) for one in known])


@pytest.mark.parametrize("target", [SMALLER, LARGER], ids=str)
@examples(30)
@given(st.sampled_from(MODES), spans())
def test_conversions_between_formats(target: Float, mode: Term, a: Span) -> None:
    payload = (target.exponent_bits, target.significand_bits)
    node = intern(ops.FP_FROM_FP, (mode, A), target, payload)
    holds_for_all(node, [None, a], [mode_choices(mode), members(a)])


@pytest.mark.parametrize("op", [ops.FP_FROM_SIGNED, ops.FP_FROM_UNSIGNED], ids=str)
@examples(30)
@given(st.sampled_from(MODES), ranges(5))
def test_conversions_from_integers(op: Op, mode: Term, a: Range) -> None:
    node = intern(op, (mode, var("i", BitVec(5))), TINY, (3, 3))
    holds_for_all(node, [None, a], [mode_choices(mode), members(a)])


@pytest.mark.parametrize("op", [ops.FP_TO_SBV, ops.FP_TO_UBV], ids=str)
@examples(30)
@given(st.sampled_from(MODES), spans())
def test_conversions_to_integers(op: Op, mode: Term, a: Span) -> None:
    node = intern(op, (mode, A), BitVec(5), (5,))
    holds_for_all(node, [None, a], [mode_choices(mode), members(a)])


@examples(50)
@given(ranges(6))
def test_patterns(a: Range) -> None:
    node = intern(ops.FP_FROM_BITS, (var("bits", BitVec(6)),), TINY, (3, 3))
    holds_for_all(node, [a], [members(a)])


@examples(60)
@given(st.sampled_from(MODES[:-1]), spans(), spans(), spans())
def test_addends(mode: Term, total: Span, a: Span, b: Span) -> None:
    """What sums say of their addends keeps all addends that there are."""
    found = addend(total, b)
    form = format_of(TINY)
    for x, y in product(members(a), members(b)):
        bits = compute(ops.FP_ADD, [ROUNDING_MODE, TINY, TINY], None, [mode.payload, x, y])
        if total.contains(bits):
            assert contains(found, x), (x, y, bits, form)


# --- the processor ----------------------------------------------------------------------------------------------------

PROCESSOR = """
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#define OPERATIONS(T, U, NAME) \\
static void NAME(unsigned long long p, unsigned long long q) { \\
    U u = p, v = q; volatile T a, b, r; memcpy((void *)&a, &u, sizeof u); memcpy((void *)&b, &v, sizeof v); \\
    for (int op = 0; op < 4; op++) { \\
        r = op == 0 ? a + b : op == 1 ? a - b : op == 2 ? a * b : a / b; \\
        memcpy(&u, (void *)&r, sizeof u); printf("%llu ", (unsigned long long)u); } }
OPERATIONS(float, unsigned, singles)
OPERATIONS(double, unsigned long long, doubles)
int main(void) {
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    unsigned long long p, q; int is_double;
    while (scanf("%d %llu %llu", &is_double, &p, &q) == 3)
        for (int m = 0; m < 4; m++) {
            fesetround(modes[m]);
            if (is_double) doubles(p, q); else singles(p, q);
        }
    return 0;
}
"""
FOUR = (RoundingMode.RNE, RoundingMode.RTP, RoundingMode.RTN, RoundingMode.RTZ)


@pytest.fixture(scope="module")
def processor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    folder = tmp_path_factory.mktemp("processor")
    (folder / "p.c").write_text(PROCESSOR)
    subprocess.run(["gcc", "-O1", "-frounding-math", "-o", folder / "p", folder / "p.c", "-lm"], check=True)
    return folder / "p"


def corner_cases(sort: Float) -> list[int]:
    form = format_of(sort)
    some = [0.0, 1.0, 1.5, 0.1, 1e-3, 3.25e7, 6.0e-39]
    bits = [evaluate(fp_value(x, sort), Model({})) for x in some]
    bits += [form.infinity, form.largest, form.smallest_normal, form.smallest_subnormal, form.nan]
    return [*bits, *(one | form.sign_mask for one in bits if one != form.nan)]


@pytest.mark.parametrize("sort", [SINGLE, DOUBLE], ids=["float", "double"])
def test_bounds_contain_what_the_processor_computes(sort: Float, processor: Path) -> None:
    operands = list(product(corner_cases(sort), repeat=2))
    text = "\n".join(f"{int(sort is DOUBLE)} {a} {b}" for a, b in operands)
    printed = subprocess.run([processor], input=text, capture_output=True, text=True, check=True).stdout.split()
    results = iter(map(int, printed))
    a, b = var("x", sort), var("y", sort)
    for p, q in operands:
        wide = [_around(sort, p), _around(sort, q)]
        for mode in FOUR:
            for op in (ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV):
                node = intern(op, (constant(mode, ROUNDING_MODE), a, b), sort)
                found = computed(node, [None, *wide])
                assert found is not None and found.contains(next(results)), (mode, op, hex(p), hex(q))


def _around(sort: Float, bits: int) -> Span:
    """The float and its neighbours."""
    form = format_of(sort)
    if bits == form.nan:
        return none_but_nan(sort)
    low, high = outermost(sort)
    return Span(sort, max(low, rank(form, bits) - 1), min(high, rank(form, bits) + 1), False)


# --- the solver -------------------------------------------------------------------------------------------------------

X, Y = var("x", SINGLE), var("y", SINGLE)


def number(value: float, sort: Float = SINGLE) -> Term:
    return fp_value(value, sort)


def between(low: float, x: Term, high: float) -> Term:
    return and_(fp_le(number(low), x), fp_le(x, number(high)))


def shown(*formulas: Term, seconds: float | None = None) -> bool:
    with IntervalSolver(time_limit=seconds) as solver:
        solver.add(*formulas)
        answer = solver.check()
        assert isinstance(answer, (Unsat, Undecided))
        return isinstance(answer, Unsat)


def times(a: Term, b: Term) -> Term:
    return fp_mul(NEAREST, a, b)


CONTRADICTIONS = {
    "a square": [between(0, X, 10), not_(fp_le(times(X, X), number(100.0)))],
    "cases": [between(0, X, 1), not_(between(-0.01, fp_sub(NEAREST, X, times(X, X)), 0.26))],
    "not a number": [between(-1, X, 1), fp_is_nan(fp_div(NEAREST, X, number(3.0)))],
    "a choice": [
        between(0, X, 1),
        eq(Y, ite(fp_lt(X, number(0.5)), number(1.0), fp_add(NEAREST, X, X))),
        not_(between(1, Y, 2)),
    ],
    "negated": [between(1, X, 2), fp_lt(number(-0.5), fp_neg(X))],
    "zeros": [fp_eq(X, number(0.0)), not_(between(-0.0, X, 0.0))],
    "bits": [
        eq(X, fp_from_bits(SINGLE, var("b", BitVec(32)))),
        between(1, X, 2),
        bvult(var("b", BitVec(32)), bv(0x3F800000, 32)),
    ],
    "formats": [
        fp_le(number(0.1, DOUBLE), fp_from_fp(DOUBLE, NEAREST, X)),
        fp_lt(X, number(0.1)),
    ],
    "disjunction": [or_(between(1, X, 2), between(3, X, 4)), not_(between(1, X, 4))],
    "defined": [eq(Y, times(X, X)), between(-3, X, 3), fp_lt(Y, number(-0.0))],
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_are_shown(name: str) -> None:
    assert shown(*CONTRADICTIONS[name])


@pytest.mark.parametrize("name", ["a choice", "bits", "zeros", "disjunction", "negated"])
def test_another_solver_agrees(name: str) -> None:
    with make_solver("bitwuzla") as solver:
        solver.add(*CONTRADICTIONS[name])
        assert isinstance(solver.check(), Unsat)


def test_what_has_a_model_is_not_shown() -> None:
    assert not shown(between(0, X, 1), fp_lt(times(X, X), number(0.5)), seconds=0.1)
    assert not shown(fp_is_nan(X), seconds=0.1)
    assert not shown(eq(X, number(-0.0)), fp_eq(X, number(0.0)), seconds=0.1)
    assert not shown(not_(eq(X, Y)), fp_eq(X, Y), seconds=0.1), "there are two zeros"
    assert not shown(between(0, X, 1), seconds=0.0)


def test_without_floats_others_are_better() -> None:
    i = var("i", BitVec(8))
    with IntervalSolver() as solver:
        solver.add(bvslt(i, i))
        solver.add(not_(eq(i, i)))
        assert isinstance(solver.check(), Undecided)


def test_sorts_that_are_not_followed_are_refused() -> None:
    with IntervalSolver() as solver, pytest.raises(MissingCapability):
        solver.add(lt(var("r", REAL), real(1)))


def test_definitions_are_replaced() -> None:
    z = var("z", SINGLE)
    parts = without_definitions([eq(Y, times(X, X)), eq(z, fp_neg(Y)), fp_lt(z, Y)])
    assert parts == [fp_lt(fp_neg(times(X, X)), times(X, X))]
    assert without_definitions([eq(X, times(X, X))]) == [eq(X, times(X, X))], "it is not defined by itself"


# Random formulas over a small format: what is shown to be contradictory has no model among all values.

P, Q = var("p", TINY), var("q", TINY)
NUMBERS = [constant(bits, TINY) for bits in range(1 << 6) if _canonical(TINY, bits)]


@st.composite
def terms(draw: st.DrawFn, depth: int = 2) -> Term:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([P, Q, P, Q, draw(st.sampled_from(NUMBERS))]))
    mode = draw(st.sampled_from(MODES[:-1]))
    a, b = draw(terms(depth - 1)), draw(terms(depth - 1))
    made_by = draw(st.sampled_from([fp_add, fp_sub, fp_mul, fp_div]))
    choice = draw(st.integers(0, 5))
    return fp_neg(a) if choice == 0 else ite(fp_lt(a, b), a, b) if choice == 1 else made_by(mode, a, b)


@st.composite
def conditions(draw: st.DrawFn) -> Term:
    a, b = draw(terms()), draw(terms())
    found = draw(st.sampled_from([fp_lt, fp_le, fp_eq, eq]))(a, b)
    if draw(st.integers(0, 4)) == 0:
        found = or_(found, fp_is_nan(draw(terms(1))))
    return not_(found) if draw(st.booleans()) else found


@examples(25)
@given(st.lists(conditions(), min_size=1, max_size=4))
def test_random_formulas(formulas: list[Term]) -> None:
    if not contradictory(formulas, None):
        return
    whole = and_(*formulas)
    for p, q in product(NUMBERS, repeat=2):
        assert not satisfies(Model({P: p.payload, Q: q.payload}), whole), (p, q)
