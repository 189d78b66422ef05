"""Gauges and conditions: random programs against all states that they reach, proofs of loops against another solver."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.engines.conjectures import Conjectures
from craton.engines.contract import Budget, Safe, Unknown
from craton.engines.phases import Phases, phases
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.facts.conditions import conditions
from craton.facts.counting import counted
from craton.frontends.programs import Request, load_program
from craton.logic import bv, bvadd, bvsle, bvslt, bvult, evaluate, free_variables, not_
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH, Procedure, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Havoc
from craton.program.transitions import transition
from craton.smt import make_solver
from support import examples
from support.loops import (
    ENTRY,
    ERROR,
    EXIT,
    HEAD,
    INNER,
    VARIABLES,
    WIDTH,
    Making,
    Z,
    numbers,
    programs,
    reached,
)

small = st.integers(-1, 2).map(lambda value: bv(value, WIDTH))
orders = st.sampled_from((bvslt, bvsle, bvult))


@st.composite
def counting(draw: st.DrawFn) -> Program:
    """A loop with a counter and what it counts, or one around an inner loop that does."""
    made = Making()
    first, second = draw(st.permutations(VARIABLES))[:2]
    going_on = draw(orders)(first, draw(st.one_of(numbers, st.sampled_from(VARIABLES))))
    others = [x for x in VARIABLES if x is not first and x is not second]
    other = [Assign(x, bvadd(x, draw(small))) for x in draw(st.lists(st.sampled_from(others), min_size=1, max_size=2))]
    onward = Assign(first, bvadd(first, draw(st.sampled_from((bv(1, WIDTH), bv(1, WIDTH), bv(2, WIDTH))))))
    start = [Assign(x, draw(numbers)) if draw(st.booleans()) else Havoc((x,)) for x in (second, *others)]
    made.chain(ENTRY, [*start, Assign(first, bv(-4, WIDTH))], HEAD)
    if draw(st.booleans()):
        more = draw(orders)(second, draw(numbers))
        made.chain(HEAD, [Assume(going_on), Assign(second, draw(numbers))], INNER)
        made.chain(INNER, [Assume(more), Assign(second, bvadd(second, bv(1, WIDTH))), *other], INNER)
        made.chain(INNER, [Assume(not_(more)), onward], HEAD)
    else:
        made.chain(HEAD, [Assume(going_on), *other, onward], HEAD)
    made.chain(HEAD, [Assume(not_(going_on))], EXIT)
    made.chain(EXIT, [Assume(bvslt(Z, draw(numbers)))], ERROR)
    main = Procedure("main", (), (), ENTRY, EXIT, tuple(made.edges), VARIABLES)
    return Program("main", {"main": main}, (), {ERROR: UNREACH}, {HEAD: None, INNER: None})


def test_all_states_that_are_reached_are_inside() -> None:
    relations = 0

    @examples(80)
    @given(st.one_of(programs(), counting()))
    def check(program: Program) -> None:
        nonlocal relations
        states = reached(program)
        for version in (program, encode_blocks(program).program):
            steps = {edge: transition(edge.statement) for edge in version.main.edges}
            told, still = counted(version), conditions(version, steps)
            assert told and (ERROR in told or ERROR not in states)
            for location, parts in told.items():
                relations += sum(len(free_variables(part)) > 1 for part in parts)
                for state in states.get(location, ()) if location != ENTRY else ():
                    values = dict(zip(VARIABLES, state, strict=True))
                    assert all(evaluate(part, values) for part in (*parts, *still[location])), (location, values)

    check()
    assert relations >= 20


SEQUENCE = """
    int n0 = nondet(), n1 = nondet(), k = 0;
    if (n0 < -LIMIT || n0 >= LIMIT || n1 < -LIMIT || n1 >= LIMIT) return 0;
    int i = 0, j = 0, l = 0;
    for (; i < n0; i++) k++;
    for (; j < n1; j++) k++;
    for (; l < n0 + n1; l++, k--) if (k < LEAST) reach_error();
"""
NESTED = """
    int n = nondet(), m = nondet(), k = 0;
    if (n < 10 || n > LIMIT || m < 10 || m > LIMIT) return 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) k++;
    if (k < LEAST) reach_error();
"""
STEPS = """
    unsigned n = nondet(), x = 0, y = 7;
    for (unsigned i = 0; i < n && i < LIMIT; i++) { x += nondet() ? 3 : 5; y += 2; }
    if (x > 5u * LIMIT || y != 7 && x < LEAST) reach_error();
"""
EITHER = """
    int n = nondet(), a = 0, b = 0, i = 0;
    if (n < 0 || n > LIMIT) return 0;
    for (; i < n; i++) { if (nondet()) { a++; b += 2; } else { a += 2; b++; } }
    if (a + b != LEAST * n) reach_error();
"""
HALF = """
    int k = nondet(), i = 0, n = 0;
    if (k > LIMIT || k < -LIMIT) return 0;
    for (; i < LEAST * k; i++) if (i % 2 == 0) n++;
    if (k >= 0 && n != k) reach_error();
"""
DIVISORS = """
    signed char x = nondet(), y = nondet(), a = x, b = y, t;
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) { t = b; b = a % b; a = t; }
    if (y > LIMIT && a > y - LEAST || x > LIMIT && a > x - LEAST) reach_error();
"""
DOWN_AND_UP = """
    int x = -50, y = nondet();
    if (y <= -LIMIT || y >= LIMIT) return 0;
    while (x < 0) { x += y; y++; }
    if (y < LEAST) reach_error();
"""
IN_TWO_STEPS = """
    unsigned x = 0;
    while (x < 10 * LIMIT) { if (x < LIMIT) x++; else x += 2; }
    if (x != 10 * LIMIT + LEAST) reach_error();
"""
IN_TURN = """
    unsigned x = 0, y = LIMIT;
    while (x < 2 * LIMIT) { if (x < LIMIT) x++; else { x++; y++; } }
    if (x != y + LEAST) reach_error();
"""
NARROW = """
    short s = 0; signed char c = 0;
    while (c < LIMIT) { c++; s += 100; }
    if (s != LEAST) reach_error();
"""


def blocks(text: str, limit: int, least: int, tmp_path: Any) -> Program:
    path = tmp_path / "program.c"
    told = text.replace("LIMIT", str(limit)).replace("LEAST", str(least))
    path.write_text(f"extern int nondet(void); extern void reach_error(void); int main(void) {{ {told} return 0; }}")
    return encode_blocks(prepare(load_program(Request((str(path),)))).small.program).program


def answer(program: Program) -> Safe | Unknown:
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    engine = Conjectures(gauges=True, solver="bitwuzla")
    with make_solver(engine.solver, time_limit=60.0) as solver:
        found = engine.kept(program, steps, solver, Budget(None))
        return Unknown("a run fails") if found is None else engine.verdict(program, steps, found, solver)


@pytest.mark.parametrize(
    ("text", "limit", "least"),
    [
        (SEQUENCE, 1000000, 1),
        (NESTED, 10000, 100),
        (STEPS, 1000, 3),
        (NARROW, 100, 10000),
        (EITHER, 1000, 3),
        (HALF, 1000000, 2),
        (DIVISORS, 0, 0),
    ],
    ids=["sequence", "nested", "steps", "narrow", "either", "half", "divisors"],
)
def test_counting_loops_are_proved(text: str, limit: int, least: int, tmp_path: Any) -> None:
    program = blocks(text, limit, least, tmp_path)
    found = answer(program)
    assert isinstance(found, Safe)
    assert isinstance(check_annotation(Annotation(program, found.invariants), ("cvc5 over integers",), 60.0), Confirmed)


@pytest.mark.parametrize(
    ("text", "limit", "least"),
    [
        (SEQUENCE, 1000000, 2),
        (SEQUENCE, 1100000000, 1),  # n0 + n1 wraps around
        (NESTED, 10000, 101),
        (NESTED, 100000, 100),  # k wraps around
        (STEPS, 1000, 4),
        (NARROW, 101, 10000),
        (NARROW, 127, 12600),
        (EITHER, 1000, 2),
        (DIVISORS, 100, 1),
        (HALF, 1000, 4),
        (HALF, 1500000000, 2),  # 2 * k wraps around
    ],
)
def test_what_is_wrong_is_not_proved(text: str, limit: int, least: int, tmp_path: Any) -> None:
    assert not isinstance(answer(blocks(text, limit, least, tmp_path)), Safe)


@pytest.mark.parametrize(("limit", "least", "proved"), [(1000, 1, True), (1000, 12, False), (100000, 1, False)])
def test_phases(limit: int, least: int, proved: bool, tmp_path: Any) -> None:
    """From y = 1 on, y is 11 in the end. From y = -99999 on, x may wrap around while y is negative."""
    program = blocks(DOWN_AND_UP, limit, least, tmp_path)
    (split,) = phases(program, {edge: transition(edge.statement) for edge in program.main.edges})
    assert _proved(program, split) is proved


@pytest.mark.parametrize(("least", "proved"), [(0, True), (1, False)])
def test_phases_that_the_rounds_ask_for(least: int, proved: bool, tmp_path: Any) -> None:
    program = blocks(IN_TWO_STEPS, 500000, least, tmp_path)
    found = phases(program, {edge: transition(edge.statement) for edge in program.main.edges})
    assert any(_proved(program, split) for split in found) is proved


def test_a_phase_does_not_count_the_rounds_of_the_other(tmp_path: Any) -> None:
    program = blocks(IN_TURN, 500000, 0, tmp_path)
    for split in phases(program, {edge: transition(edge.statement) for edge in program.main.edges}):
        assert counted(split.program).keys() >= {split.head, split.twin}


def _proved(program: Program, split: Phases) -> bool:
    found = answer(split.program)
    if isinstance(found, Safe):
        claimed = Annotation(program, split.joined(found.invariants))
        assert isinstance(check_annotation(claimed, ("z3", "cvc5 over integers"), 60.0), Confirmed)
    return isinstance(found, Safe)
