"""What an unrolled program's states are told to be: proofs where inputs are bounded away, and never more than is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.engines.state_formulas import StateFormulas
from craton.frontends.programs import Request
from craton.logic import (
    BOOL,
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
    bvslt,
    bvule,
    eq,
    evaluate,
    extract,
    implies,
    int_,
    ite,
    select,
    sign_extend,
    store,
    var,
)
from craton.logic.core import not_
from craton.verification import verify

HEAD = (
    "extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void); extern void reach_error(void);\n"
)
x, y, chosen, other = (var(name, INT) for name in ("x", "y", "x?1", "y?2"))
table = var("table", Array(INT, INT))
EVERYTHING = frozenset((x, y, table))


def told(values: dict[Term, Term], condition: Term = TRUE, wanted: frozenset[Term] = EVERYTHING) -> Term:
    return StateFormulas({}, EVERYTHING).formula(condition, values, wanted)


def test_a_variable_stands_for_what_it_holds() -> None:
    assert told({x: chosen, y: add(chosen, int_(1))}) is eq(y, add(x, int_(1)))


def test_a_choice_that_nobody_holds_is_not_told() -> None:
    assert told({x: add(chosen, other)}) is TRUE


def test_the_value_at_the_start_is_not_the_value_now() -> None:
    assert told({x: add(x, int_(1))}) is TRUE
    assert told({x: y}) is eq(x, y)


def test_a_cell_stands_for_what_it_holds() -> None:
    found = told({table: store(table, int_(3), chosen), y: add(chosen, int_(1))})
    assert found is eq(y, add(select(table, int_(3)), int_(1)))


def test_cells_that_change_places() -> None:
    swapped = store(store(table, int_(0), select(table, int_(1))), int_(1), select(table, int_(0)))
    found = told({table: swapped, x: select(table, int_(0)), y: select(table, int_(2))})
    assert found is and_(eq(x, select(table, int_(1))), eq(y, select(table, int_(2))))


def test_the_last_one_written_counts() -> None:
    twice = store(store(table, int_(0), int_(5)), int_(0), int_(7))
    found = told({table: twice})
    assert evaluate(found, {table: _contents({0: 7})})
    assert not evaluate(found, {table: _contents({0: 5})})


def _contents(cells: dict[int, int]) -> object:
    filled = var("filled", Array(INT, INT))
    written: Term = filled
    for index, number in cells.items():
        written = store(written, int_(index), int_(number))
    return evaluate(written, {})


def test_names_are_seen_through() -> None:
    name = var("t!1", INT)
    found = StateFormulas({name: add(chosen, int_(2))}, EVERYTHING).formula(TRUE, {x: chosen, y: name}, EVERYTHING)
    assert found is eq(y, add(x, int_(2)))


def test_an_extended_choice_is_a_part_of_its_holder() -> None:
    small, wide = var("c?1", BitVec(8)), var("w", BitVec(32))
    condition = not_(bvslt(small, bv(0, 8)))
    found = StateFormulas({}, frozenset((wide,))).formula(condition, {wide: sign_extend(24, small)}, frozenset((wide,)))
    part = extract(7, 0, wide)
    assert found is and_(not_(bvslt(part, bv(0, 8))), eq(wide, sign_extend(24, part)))


def test_where_ways_meet_rounds_are_known_way_by_way() -> None:
    """One way goes 5 rounds and then m, the other none: from x = n + 2·m alone nobody knows n."""

    def byte(number: int) -> Term:
        return bv(number, 8)

    held, n, m, taken = var("h", BitVec(8)), var("rounds 1?1", BitVec(8)), var("rounds 2?2", BitVec(8)), var("t", BOOL)
    condition = implies(taken, and_(bvule(byte(5), n), bvule(n, byte(5)), bvule(m, byte(3))))
    value = ite(taken, bvadd(n, bvmul(byte(2), m)), byte(1))
    found = StateFormulas({}, frozenset((held,))).formula(condition, {held: value}, frozenset((held,)))
    assert found is not TRUE
    assert {h for h in range(256) if evaluate(found, {held: h})} == {1, 5, 7, 9, 11}
    unbounded = StateFormulas({}, frozenset((held,))).formula(TRUE, {held: value}, frozenset((held,)))
    assert all(evaluate(unbounded, {held: h}) for h in (1, 5, 6, 200))


@pytest.mark.parametrize(
    "body",
    [
        """int a[4], s = 0, t = 0;
        for (int i = 0; i < 4; i++) a[i] = __VERIFIER_nondet_int();
        for (int i = 0; i < 4; i++) s += a[i] & 1;
        int first = a[0]; for (int i = 0; i < 3; i++) a[i] = a[i + 1]; a[3] = first;
        for (int i = 0; i < 4; i++) t += a[i] & 1;
        if (s != t) reach_error();""",
        """signed char x = __VERIFIER_nondet_char(), y = __VERIFIER_nondet_char();
        if (y <= 0 || x % y != 0) return 0;
        signed char a = x < 0 ? -x : x, b = y;
        while (b != 0) { signed char t = b; b = a % b; a = t; }
        if (a != y) reach_error();""",
    ],
    ids=["an array that is turned round", "a loop that ends for other reasons than counting"],
)
def test_proofs_of_programs_whose_paths_all_end(tmp_path: Path, body: str) -> None:
    file = tmp_path / "program.c"
    file.write_text(HEAD + "int main(void) {" + body + " return 0; }")
    assert str(verify(Request((str(file),)), [Stage("bounded")], 600, cpu=30).verdict) == "true"
