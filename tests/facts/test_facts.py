"""Facts: every operation, statement and program against runs, and facts of programs against solvers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.errors import CratonError
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation, Role
from craton.facts import analyse, backwards, facts
from craton.facts.formulas import about, told
from craton.facts.operations import BINARY, COMPARISONS, UNARY, extract, sign_extended, zero_extended
from craton.facts.ranges import Range, as_signed, join, made, meet, top, widened
from craton.facts.states import State, after, width_of
from craton.frontends.programs import Request, load_program
from craton.logic import BOOL, BitVec, Model, Term, and_, concat, ops, satisfies, var
from craton.logic.semantics import compute
from craton.logic.terms import intern
from craton.program.blocks import encode_blocks
from craton.program.cfa import Location, Program
from craton.program.execution.interpreter import Interpreter
from craton.program.preparation import prepare
from craton.program.statements import Statement
from support import examples
from support.executor import executions
from support.programs import EXAMPLES, Example
from support.sampling import has_turn
from support.statements import TINY, P, U, V, blocks, statements

WIDTH = 4


@st.composite
def ranges(draw: st.DrawFn, width: int = WIDTH) -> Range:
    half = 1 << (width - 1)
    low, high = sorted((draw(st.integers(0, 2 * half - 1)), draw(st.integers(0, 2 * half - 1))))
    least, most = sorted((draw(st.integers(-half, half - 1)), draw(st.integers(-half, half - 1))))
    modulus = draw(st.sampled_from([1, 1, 2, 3, 4, 8]))
    unsigned = draw(st.sampled_from([None, (low, high)]))
    signed = draw(st.sampled_from([None, (least, most)]))
    found = made(width, unsigned, signed, (modulus, draw(st.integers(0, modulus - 1))))
    return top(width) if found is None else found


def members(known: Range) -> list[int]:
    return [number for number in range(1 << known.width) if known.contains(number)]


# --- the domain -------------------------------------------------------------------------------------------------------


@examples(200)
@given(ranges(), ranges())
def test_the_lattice(a: Range, b: Range) -> None:
    both = join(a, b)
    assert both.includes(a) and both.includes(b)
    assert set(members(a)) | set(members(b)) <= set(members(both))
    common = meet(a, b)
    assert set(members(a)) & set(members(b)) <= (set() if common is None else set(members(common)))
    assert set(members(both)) <= set(members(widened(a, both, (-3, 0, 1, 5))))


@examples(200)
@given(ranges())
def test_parts_sharpen_each_other(known: Range) -> None:
    assert (
        made(known.width, (known.low, known.high), (known.least, known.most), (known.modulus, known.remainder))
        is not None
    )
    for number in members(known):
        assert known.low <= number <= known.high
        assert known.least <= as_signed(number, known.width) <= known.most


@examples(100)
@given(ranges())
def test_formulas_say_what_ranges_say(known: Range) -> None:
    x = var("x", BitVec(WIDTH))
    said = and_(*about(x, known))
    assert members(known) == [number for number in range(1 << WIDTH) if satisfies(Model({x: number}), said)]


@pytest.mark.parametrize("op", [*BINARY, *COMPARISONS], ids=str)
@examples(60)
@given(ranges(), ranges())
def test_operations_of_two(op: Any, a: Range, b: Range) -> None:
    sorts = [BitVec(WIDTH)] * 2
    for x in members(a):
        for y in members(b):
            result = compute(op, sorts, None, [x, y])
            if op in BINARY:
                assert BINARY[op](a, b).contains(result), (x, y)
            else:
                assert COMPARISONS[op](a, b) in (None, result), (x, y)


@examples(100)
@given(ranges(), st.integers(0, WIDTH - 1), st.integers(0, WIDTH - 1))
def test_operations_of_one(a: Range, first: int, second: int) -> None:
    low, high = sorted((first, second))
    sort = [BitVec(WIDTH)]
    for x in members(a):
        for op, operation in UNARY.items():
            assert operation(a).contains(compute(op, sort, None, [x]))
        assert extract(high, low, a).contains(compute(ops.EXTRACT, sort, (high, low), [x]))
        assert zero_extended(3, a).contains(compute(ops.ZERO_EXTEND, sort, (3,), [x]))
        assert sign_extended(3, a).contains(compute(ops.SIGN_EXTEND, sort, (3,), [x]))


@examples(100)
@given(ranges(), ranges(), ranges(), st.integers(0, WIDTH - 1), st.integers(0, WIDTH - 1))
def test_what_results_say_of_arguments(a: Range, b: Range, told: Range, first: int, second: int) -> None:
    low, high = sorted((first, second))
    x, y = var("x", BitVec(WIDTH)), var("y", BitVec(WIDTH))
    known = {x: a, y: b}
    slice_ = intern(ops.EXTRACT, (x,), BitVec(high - low + 1), (high, low))
    for node in (slice_, *(intern(op, (x, y), x.sort) for op in (ops.BVAND, ops.BVOR)), concat(x, y)):
        width = width_of(node.sort)
        part = made(width or 1, (told.low, told.high)) or top(width or 1)
        inside = list(backwards.inside(node, part, known.get))
        for values in product(members(a), members(b)):
            chosen = dict(zip((x, y), values, strict=True))
            result = compute(node.op, [arg.sort for arg in node.args], node.payload, [chosen[arg] for arg in node.args])
            if part.contains(result):
                assert all(one is None or one.contains(chosen[arg]) for arg, one in inside), (node, values)


@pytest.mark.parametrize("ones", [(1 << bits) - 1 for bits in range(1, WIDTH + 1)])
def test_what_results_say_below_a_mask(ones: int) -> None:
    """Also where more is told of the result than a mask leaves."""
    x, y = var("x", BitVec(WIDTH)), var("y", BitVec(WIDTH))
    mask, node = made(WIDTH, (ones, ones)), intern(ops.BVAND, (x, y), x.sort)
    numbers = range(1 << WIDTH)
    for low, high, most in product(numbers, numbers, numbers):
        whole, told = made(WIDTH, (min(low, high), max(low, high))), made(WIDTH, (0, most))
        assert whole is not None and told is not None
        for arg, one in backwards.inside(node, told, {x: whole, y: mask}.get):
            possible = [value for value in members(whole) if told.contains(value & ones)]
            assert arg is y or one is None or all(map(one.contains, possible))


# --- statements -------------------------------------------------------------------------------------------------------

VARIABLES = (U, V, P, *TINY[:2])


@st.composite
def states(draw: st.DrawFn) -> tuple[State, dict[Term, Any]]:
    """An abstract state, and a concrete one in it."""
    known: dict[Term, Range] = {}
    concrete: dict[Term, Any] = {}
    for variable in VARIABLES:
        width = width_of(variable.sort)
        assert width is not None
        chosen = draw(ranges(width))
        known[variable] = chosen
        number = draw(st.sampled_from(members(chosen) or [0]))
        if not members(chosen):
            known[variable] = top(width)
        concrete[variable] = bool(number) if variable.sort is BOOL else number
    return known, concrete


@examples(400)
@given(states(), st.one_of(statements(VARIABLES), blocks(VARIABLES)))
def test_statements(both: tuple[State, dict[Term, Any]], statement: Statement) -> None:
    known, concrete = both
    choices = {v: [False, True] if v.sort is BOOL else [0, 1, 3] for v in VARIABLES}
    found = after(statement, known)
    for later in executions(statement, concrete, choices):
        assert found is not None
        for variable, allowed in found.items():
            assert allowed.contains(int(later[variable])), variable


# --- programs ---------------------------------------------------------------------------------------------------------


def prepared(example: Example) -> Program | None:
    try:
        return prepare(example.program).small.program
    except CratonError:
        return None


@pytest.mark.parametrize("example", [e for e in EXAMPLES if has_turn(4, "runs stay inside of facts", e)], ids=str)
def test_runs_stay_inside_of_facts(example: Example) -> None:
    program = prepared(example)
    if program is None or len(program.procedures) > 1:
        pytest.skip("calls that are not inlined")
    found = analyse(program)
    watched = {location: tuple(state) for location, state in found.items() if location not in program.errors}

    def seen(location: Location, values: Sequence[Any]) -> None:
        for variable, number in zip(watched[location], values, strict=True):
            assert found[location][variable].contains(int(number)), (location, variable, number)

    interpreter = Interpreter(program, watched=watched, seen=seen)
    for seed in range(8):
        interpreter.run(seed=seed, step_limit=5000)


@pytest.mark.parametrize("size", [None, 0, 1])
@pytest.mark.parametrize("example", [e for e in EXAMPLES if has_turn(12, "facts are inductive", e)], ids=str)
def test_facts_are_inductive(example: Example, size: int | None) -> None:
    program = prepared(example)
    if program is None or len(program.procedures) > 1:
        pytest.skip("calls that are not inlined")
    blocks = encode_blocks(program, size).program
    lemma = {location: and_(*parts) for location, parts in facts(blocks).items()}
    assert isinstance(check_annotation(Annotation(blocks, lemma, Role.LEMMA), ("z3", "bitwuzla"), 60.0), Confirmed)


def facts_of(text: str, tmp_path: Any) -> tuple[Program, dict[Location, State]]:
    path = tmp_path / "program.c"
    path.write_text("extern int nondet(void); extern void reach_error(void);\n" + text)
    program = prepare(load_program(Request((str(path),)))).small.program
    return program, analyse(program)


def test_a_counter_is_bounded_by_its_loop(tmp_path: Any) -> None:
    program, found = facts_of(
        "int main(void) { int i = 0; while (i < 1000) i += 2; if (i != 1000) reach_error(); return 0; }", tmp_path
    )
    assert not set(program.errors) & set(found), "a counter in steps of two that is below 1000 ends at 1000"


def test_bounds_are_found_inside_of_nested_loops(tmp_path: Any) -> None:
    program, found = facts_of(
        "int main(void) { for (int i = 0; i < 50; i++) for (int j = i; j < 50; j++)"
        " if (i + j > 98 || j < 0) reach_error(); return 0; }",
        tmp_path,
    )
    assert not set(program.errors) & set(found)


def test_unsigned_numbers_wrap(tmp_path: Any) -> None:
    program, found = facts_of(
        "int main(void) { unsigned char c = 250; while (nondet()) c++; if (c == 3) reach_error(); return 0; }", tmp_path
    )
    assert set(program.errors) & set(found)


def test_no_time_no_facts(tmp_path: Any) -> None:
    program, _ = facts_of("int main(void) { int i = 0; while (i < 10) i++; if (i > 10) reach_error(); }", tmp_path)
    found = analyse(program, seconds=-1.0)
    assert not any(list(told(state)) for state in found.values())
    assert set(program.errors) <= set(found), "nothing is unreachable then"
