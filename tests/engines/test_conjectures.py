"""Conjectures from runs: what is found holds, and becomes a proof where it is enough."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.stages import Stage
from craton.engines.conjectures import bounds_beside
from craton.engines.guesses import congruent, multiples
from craton.engines.relations import Relation, relations
from craton.frontends.programs import Request
from craton.logic import INT, eq, evaluate, int_, le, lt, mod, mul, var
from craton.program.cfa import Location, Procedure, Program
from craton.verdicts.result import Result
from craton.verification import verify

HEAD = (
    "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);"
    " extern void reach_error(void);\n"
)


def result_of(tmp_path: Path, body: str) -> Result:
    file = tmp_path / "program.c"
    file.write_text(HEAD + "int main(void) {" + body + " return 0; }")
    return verify(Request((str(file),)), [Stage("conjectures")], 30)


PROVED = {
    "low bits": """
        unsigned x = 1, y = 1;
        while (__VERIFIER_nondet_int()) { x += 2 * __VERIFIER_nondet_uint(); y += 2 * __VERIFIER_nondet_uint(); }
        if (x + y == 1) reach_error();""",
    "a linear equation": """
        int n = __VERIFIER_nondet_int(), i = 0, s = 0;
        if (n > 1000) return 0;
        while (i < n) { i++; s += 2; }
        if (s != 2 * i) reach_error();""",
    "a quadratic equation": """
        int n = __VERIFIER_nondet_int(), s = 0, i = 1;
        if (n < 1 || n > 30) return 0;
        while (i <= n) { s += i; i++; }
        if (2 * s != n * (n + 1)) reach_error();""",
    "an equation where a bound is not negative": """
        int n = __VERIFIER_nondet_int(), i = 0, k = n, j;
        if (n > 1000000) return 0;
        while (i < n) { k--; i += 2; }
        for (j = 0; j < n / 2; j++) { if (k <= 0) reach_error(); k--; }""",
    "another number's remainder": """
        int n = __VERIFIER_nondet_int(), a = n;
        if (n < 0 || n > 60) return 0;
        while (a >= 6) a -= 6;
        if (a != n % 6) reach_error();""",
    "what is seldom drawn: digits and signs": """
        int total = 0, c = __VERIFIER_nondet_int();
        while (c == '+' || (c >= '0' && c <= '9')) {
            int v = 0;
            while (c >= '0' && c <= '9') {
                v = v * 10 + (c - '0');
                if (v > 1000) v = 1000;
                c = __VERIFIER_nondet_int();
            }
            total += v;
            if (total > 100000) total = 100000;
            if (c == '+') c = __VERIFIER_nondet_int();
        }
        if (total < 0 || total > 100000) reach_error();""",
    "an order": """
        int n = __VERIFIER_nondet_int(), i = 0;
        if (n < 0) return 0;
        while (i < n) i++;
        if (i > n) reach_error();""",
}


@pytest.mark.parametrize("body", PROVED.values(), ids=PROVED)
def test_proofs(tmp_path: Path, body: str) -> None:
    assert str(result_of(tmp_path, body).verdict) == "true"


def test_views_are_run_on_inputs_too(tmp_path: Path) -> None:
    """Sums of another width than the numbers are conjectured from numbers that are not zero in every run."""
    file = tmp_path / "program.c"
    file.write_text(
        HEAD
        + """int main(void) {
        unsigned n = __VERIFIER_nondet_uint();
        unsigned long long s = 0;
        if (n >= 1000) return 0;
        for (unsigned i = 1; i <= n; i++) s += i;
        if (2 * s != (unsigned long long)n * (n + 1)) reach_error();
        return 0; }"""
    )
    assert str(verify(Request((str(file),)), [Stage("conjectures", encoding="ideal")], 30).verdict) == "true"


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; while (i < 100000) i++; if (i == 100000) reach_error();",
        "int n = __VERIFIER_nondet_int(); while (n != 123456789) n++; reach_error();",
        "unsigned x = 1; while (x != 0) x *= 3; reach_error();",
    ],
    ids=["behind the last step of a run", "an input no run had", "nothing to say"],
)
def test_what_runs_do_not_show_is_not_proved(tmp_path: Path, body: str) -> None:
    found = result_of(tmp_path, body)
    assert str(found.verdict) == ("true" if "x *= 3" in body else "unknown")


def test_only_what_is_needed_is_told(tmp_path: Path) -> None:
    proof = result_of(tmp_path, PROVED["low bits"]).proof
    assert proof is not None
    (head,) = proof.program.loop_heads
    assert "main::x[0:0] = 1" in str(proof.invariants[head])
    assert "≤" not in str(proof.invariants[head])  # the bounds that runs showed


# --- equations --------------------------------------------------------------------------------------------------------

NUMBERS = st.integers(-50, 50)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=40), st.sampled_from((None, 8, 32)))
def test_every_equation_holds_on_all_rows(rows: list[tuple[int, int, int]], width: int | None) -> None:
    monomials = [(0,), (1,), (2,), (0, 0), (0, 1)]
    for found in relations(rows, monomials, width):
        assert found.terms
        for row in rows:
            total = sum(n * prod(row[c] for c in columns) for n, columns in found.terms)
            assert (total - found.constant) % (1 << (width or 200)) == 0


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_linear_equation_is_found(a: int, b: int, c: int) -> None:
    rows = [(x, y, a * x + b * y + c) for x in range(-3, 4) for y in range(-3, 4)]
    terms = {(0,): -a, (1,): -b, (2,): 1}
    (found,) = relations(rows, [(0,), (1,), (2,)], None)
    sign = 1 if {m: n for n, m in found.terms}[(2,)] > 0 else -1
    assert Relation(tuple((sign * n, m) for n, m in found.terms), sign * found.constant) == Relation(
        tuple((n, m) for m, n in terms.items() if n), c
    )


def test_too_few_rows_say_nothing() -> None:
    assert list(relations([(1, 2), (3, 4)], [(0,), (1,)], None)) == []


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_few_bits_have_few_small_numbers(width: int) -> None:
    """All of them may have wrapped around, but those that are zero."""
    rows = [(0, x % (1 << width)) for x in range(8)]
    assert all(relation.constant == 0 for relation in relations(rows, [(0,), (1,)], width))


@given(st.lists(st.tuples(*[st.integers(-40, 40)] * 2, st.integers(0, 9)), max_size=8), st.lists(st.integers(-9, 9)))
def test_every_multiple_bounds_on_all_rows(rows: list[tuple[int, int, int]], numbers: list[int]) -> None:
    variables = [var(name, INT) for name in "xyn"]
    for guess in multiples(variables, rows, numbers):
        assert all(evaluate(guess, dict(zip(variables, row, strict=True))) for row in rows)


def test_remainders_by_the_divisors_of_the_program() -> None:
    x, y, z = (var(name, INT) for name in "xyz")
    rows = [(1, 4, 2), (4, 10, 5), (5, 2, 8), (9, 0, 11)]
    asked = [mod(x, int_(3)), mod(y, z)]
    assert list(congruent(asked, (x, y, z), rows)) == [
        eq(mod(z, int_(3)), int_(2)),
        eq(mod(x, int_(3)), mod(y, int_(3))),
    ]
    assert list(congruent(asked, (x, y), [(1, 4), (1, 5)])) == []


def test_a_sum_is_between_multiples_of_how_many_there_are() -> None:
    total, number = var("s", INT), var("n", INT)
    found = set(multiples((total, number), [(0, 0), (4, 1), (8, 2), (17, 3)], (10, 2)))
    assert {le(total, mul(int_(10), number)), le(mul(int_(2), number), total)} <= found
    assert le(total, mul(int_(2), number)) not in found


def test_of_bounds_by_constants_the_tightest_stands_beside_a_proof() -> None:
    here, i, n = Location(1), var("i", INT), var("n", INT)
    tight = [lt(i, int_(20)), le(int_(0), i), le(i, n)]
    hints = (le(i, int_(20)), le(int_(-1), i), *tight, le(i, int_(21)), le(int_(-5), i))
    main = Procedure("main", (), (), Location(0), Location(2), (), (i, n))
    program = Program("main", {"main": main}, (), {}, hints={here: hints})
    assert set(bounds_beside(program, {here: list(hints)})[here]) == set(tight)
    assert bounds_beside(replace(program, hints={}), {here: list(hints)})[here] == []
