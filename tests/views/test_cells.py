"""Arrays seen through one element of each: what is proved so is a proof of the program, checked by other solvers."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.engines.conjectures import Conjectures
from craton.engines.contract import Budget, EngineAnswer, Safe
from craton.engines.contract import Unknown as EngineUnknown
from craton.frontends.programs import Request, load_program
from craton.logic import (
    INT,
    Array,
    Term,
    add,
    eq,
    evaluate,
    forall,
    free_variables,
    ge,
    int_,
    lt,
    ops,
    or_,
    select,
    store,
    var,
)
from craton.logic.walk import is_quantified
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Statement
from craton.verdicts.verdict import Proved, Unknown, Violated
from craton.verification.run import verify, verify_program
from craton.verification.stage_programs import StagePrograms
from craton.views.cells import cells_view

CELLS = Stage("conjectures", arrays="cells")
CELLS_OVER_INTEGERS = Stage("conjectures", arrays="cells", encoding="ideal")
BEGIN = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n#define N 1000\n"
FILL = "int a[N], i; for (i = 0; i < N; i++) a[i] = i + 3;"
ARE_SEVEN = " for (i = 0; i < N; i++) if (a[i] != 7) reach_error();"
SAFE = {
    "fill and read all": FILL + "for (i = 0; i < N; i++) if (a[i] != i + 3) reach_error();",
    "fill and read any": FILL + "int j = __VERIFIER_nondet_int(); if (j >= 0 && j < N && a[j] != j + 3) reach_error();",
    "from behind": "int a[N], i; for (i = N - 1; i >= 0; i--) a[i] = 7;" + ARE_SEVEN,
    "copy": "int a[N], b[N], i; for (i = 0; i < N; i++) b[i] = a[i];"
    " for (i = 0; i < N; i++) if (a[i] != b[i]) reach_error();",
    "minimum": "int a[N], i, m = a[0]; for (i = 0; i < N; i++) if (a[i] < m) m = a[i];"
    " for (i = 0; i < N; i++) if (a[i] < m) reach_error();",
    "of another width": "unsigned char a[N]; long b[N]; int i; for (i = 0; i < N; i++) { a[i] = 1; b[i] = 2; }"
    " for (i = 0; i < N; i++) if (a[i] + b[i] != 3) reach_error();",
    "members of structs": "struct { int id, n; } a[N]; int i; for (i = 0; i < N; i++) { a[i].id = i; a[i].n = 0; }"
    " for (i = 0; i < N; i++) a[i].n++; for (i = 0; i < N; i++) if (a[i].id != i || a[i].n != 1) reach_error();",
    "in pairs": "int a[N], i; for (i = 1; i <= N / 2; i++) { a[2 * i - 2] = 4; a[2 * i - 1] = 5; }"
    " for (i = 0; i < N; i++) if (a[i] < 4 || a[i] > 5) reach_error();",
}
EASIER_FOR_BITWUZLA = ("in pairs",)
UNSAFE = {
    "a member of one struct is another": "struct { int id, n; } a[N]; int i; for (i = 0; i < N; i++) a[i].n = 1;"
    " a[7].n = 2; for (i = 0; i < N; i++) if (a[i].n != 1) reach_error();",
    "one is missing": "int a[N], i; for (i = 1; i < N; i++) a[i] = 7;" + ARE_SEVEN,
    "one is changed": FILL
    + "a[__VERIFIER_nondet_int() & 511] = 0; for (i = 0; i < N; i++) if (a[i] != i + 3) reach_error();",
    "every other one": "int a[N], i; for (i = 0; i < N; i += 2) a[i] = 7;" + ARE_SEVEN,
}


ROWS = (
    "int a[20][30], i, j, c = __VERIFIER_nondet_int(); for (i = 0; i < {}; i++) for (j = 0; j < 30; j++) a[i][j] = c;"
)
EACH = " for (i = 0; i < 20; i++) for (j = 0; j < 30; j++) if (a[i][j] != c) reach_error();"
ONE_OF_TWO = """
    int n = __VERIFIER_nondet_int(), i, m = __VERIFIER_nondet_int();
    if (n < 2 || n > 100000 || n % 2) return 0;
    int a[n];
    for (i = 1; i <= n / 2; i++) { a[2 * i - 2] = 3 > m ? 3 : m; a[2 * i - 1] = m; }
    for (i = 0; i < n; i++) if (a[i] < m) reach_error();"""
ANY = "int a[N], b[N], i; for (i = 0; i < N; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); } "
REVERSED = ANY + (
    "for (i = 0; i < N; i++) b[i] = a[N - i - 1]; for (i = 0; i < N; i++) if (a[i] != b[N - i - 1]) reach_error();"
)
PALINDROME = ANY + (
    "for (i = 0; i < N / 2; i++) a[i] = a[N - i - 1];"
    " for (i = 0; i < N / 2; i++) if (a[i] != a[N - i - 1]) reach_error();"
)
ALIKE = ANY + (
    "int same = 1; for (i = 0; i < N; i++) if (a[i] != b[i]) same = 0;"
    " if (same) for (i = 0; i < N; i++) if (a[i] != b[i]) reach_error();"
)
COMPUTED = (
    "int a[N], b[N], i; for (i = 0; i < N; i++) a[i] = 42; for (i = 0; i < N; i++) b[i] = a[i];"
    " for (i = 0; i < N; i++) b[i] = b[i] + i; for (i = 0; i < N; i++) if (b[i] != 42 + i) reach_error();"
)
DIAGONAL = (
    "int a[20][30], i, j; for (i = 0; i < 20; i++) for (j = 0; j < 30; j++) if (i == j) a[i][j] = 1; else a[i][j] = j;"
    " for (i = 0; i < 20; i++) for (j = 0; j < 30; j++) if (a[i][j] != (i == j ? 1 : j)) reach_error();"
)
PLANES = (
    "int a[9][8][7], i, j, l; for (i = 0; i < 9; i++) for (j = 0; j < {}; j++) for (l = 0; l < 7; l++) a[i][j][l] = 1;"
    " for (i = 0; i < 9; i++) for (j = 0; j < 8; j++) for (l = 0; l < 7; l++) if (a[i][j][l] != 1) reach_error();"
)
SWAPPED = ANY + (
    "int c[N], d[N], t; for (i = 0; i < N; i++) { c[N - i - 1] = a[i]; d[N - i - 1] = b[i]; }"
    " for (i = 0; i < N; i++) { t = a[i]; a[i] = b[i]; b[i] = t; }"
    " for (i = 0; i < N; i++) { if (b[i] != c[N - i - 1]) reach_error(); if (a[i] != d[N - i - 1]) reach_error(); }"
)
IN_TWOS = (
    "int a[N], i; for (i = N - 2; i >= -1; i--) { if (i >= 0) a[i] = 13; a[i + 1] = 17; }"
    " for (i = 0; i < N; i++) if (a[i] < 14) reach_error();"
)
TURNED = (
    "long m = 20, n = 30, i, j; int a[m][n], b[m][n];"
    " for (i = 0; i < m; i++) for (j = 0; j < n; j++) b[i][j] = a[m - i - 1][n - j - 1];"
    " for (i = 0; i < m; i++) for (j = 0; j < n; j++) if (a[m - i - 1][n - j - 1] != b[i][j]) reach_error();"
)
OVER_INTEGERS = {
    "planes": PLANES.format(8),
    "swapped after copies from behind": SWAPPED,
    "two in a round, from behind": IN_TWOS,
    "rows and columns from behind": TURNED,
    "reversed": REVERSED,
    "a palindrome": PALINDROME,
    "found to be the same": ALIKE,
    "computed from what was computed": COMPUTED,
    "told by row and column": DIAGONAL,
    "row by row": ROWS.format(20) + EACH,
    "pairs in an array of any size": ONE_OF_TWO,
    "every third": "int a[N], b[N], i = 1, j = 0; while (i < N) { a[j] = b[i]; i += 3; j++; }"
    " for (i = 1, j = 0; i < N; i += 3, j++) if (a[j] != b[3 * j + 1]) reach_error();",
}
WRONG_OVER_INTEGERS = {
    "planes without last rows": PLANES.format(7),
    "swapped, but for the last": SWAPPED.replace("t = a[i]; a[i]", "t = a[i]; a[i + (i < N - 1) - 1]"),
    "two in a round, but for the first": IN_TWOS.replace("i >= -1", "i >= 0"),
    "rows from behind, columns not": TURNED.replace("[n - j - 1] != b", "[j] != b"),
    "reversed, but for one": REVERSED.replace("b[i] = a[N - i - 1]", "b[i] = a[(N - i - 1) % (N - 1)]"),
    "a palindrome, but for the middle": PALINDROME.replace("i < N / 2", "i < N / 2 - 1", 1),
    "the same, but the last one was not looked at": ALIKE.replace("same = 0", "same = i == N - 1"),
    "computed, but for the last one": COMPUTED.replace("b[i] + i", "b[i] + i + (i == N - 1)"),
    "told by row and column, but for the corner": DIAGONAL.replace("= j;", "= j + (i + j == 48);"),
    "a row is missing": ROWS.format(19) + EACH,
    "one of a pair is smaller": ONE_OF_TWO.replace("a[2 * i - 1] = m", "a[2 * i - 1] = m - 1"),
    "every third, from another place": OVER_INTEGERS["every third"].replace("3 * j + 1", "3 * j + 2"),
}


def written(folder: Path, body: str) -> Request:
    (folder / "p.c").write_text(f"{BEGIN}int main(void) {{ {body} return 0; }}\n")
    return Request((str(folder / "p.c"),))


@pytest.mark.parametrize("name", SAFE)
def test_loops_over_arrays_are_proved(tmp_path: Path, name: str) -> None:
    stage = Stage("conjectures", arrays="cells", solver="bitwuzla") if name in EASIER_FOR_BITWUZLA else CELLS
    verdict = verify(written(tmp_path, SAFE[name]), (stage,), 120.0).verdict
    assert isinstance(verdict, Proved), verdict
    assert any(map(is_quantified, verdict.proof.invariants.values()))


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_wrong_is_not_proved(tmp_path: Path, name: str) -> None:
    verdict = verify(written(tmp_path, UNSAFE[name]), (CELLS,), 60.0).verdict
    assert not isinstance(verdict, Proved)


def answer_over_integers(folder: Path, body: str) -> EngineAnswer:
    """What the conjectures say of the view over integers: whether it is a proof in bits takes solvers longer."""
    programs = StagePrograms(prepare(load_program(written(folder, body))))
    return Conjectures().run(programs.blocks(CELLS_OVER_INTEGERS, None).program, Budget())


@pytest.mark.parametrize("name", OVER_INTEGERS)
def test_sums_of_indices_are_seen_over_integers(tmp_path: Path, name: str) -> None:
    assert isinstance(answer_over_integers(tmp_path, OVER_INTEGERS[name]), Safe)


@pytest.mark.parametrize("name", WRONG_OVER_INTEGERS)
def test_what_is_wrong_is_not_proved_over_integers(tmp_path: Path, name: str) -> None:
    assert not isinstance(answer_over_integers(tmp_path, WRONG_OVER_INTEGERS[name]), Safe)


def test_every_fifth_position_is_below_an_index_that_wraps(tmp_path: Path) -> None:
    """Behind the last round `5 * i - 2` may be no number any more, though all elements below it were written."""
    body = (
        "int n = __VERIFIER_nondet_int(); if (n < 1 || n % 5) return 0; int a[n];"
        " for (int i = 1; i <= n / 5; i++) a[5 * i - 2] = 7; if (a[3] != 7) reach_error();"
    )
    programs = StagePrograms(prepare(load_program(written(tmp_path, body))))
    assert programs.cells is not None
    hints = {hint for hints in programs.cells.program.hints.values() for hint in hints if "%u 5 = 3" in str(hint)}
    own = [hint for hint in hints if "::i" in str(hint)]
    assert own
    for hint in own:
        values = {v: 2**31 // 5 + 1 if v.name.endswith("::i") else 3 for v in free_variables(hint)}
        assert not evaluate(hint, values), hint  # the cell at position 3 holds 3, and not 7


def test_a_position_is_told_by_another_one_in_bits_too(tmp_path: Path) -> None:
    """Where k' is 3·k + 1 there may be several k if numbers wrap, so ranges have to be of k."""
    programs = StagePrograms(prepare(load_program(written(tmp_path, OVER_INTEGERS["every third"]))))
    assert programs.cells is not None
    hints = next(iter(programs.cells.program.hints.values()))
    related = [hint for hint in hints if hint.op is ops.IMPLIES and "= k!0" in str(hint.args[-1])]
    ranges = [{x.name for x in free_variables(hint.args[0])} for hint in related]
    assert {"k", "k!0"} <= set[str]().union(*ranges)
    assert not any("k!0" in names and "k" not in names for names in ranges)


WIDE = (
    "long long i; int n = __VERIFIER_nondet_int(); if (n < 1 || n > 99999) return 0; long long *a = malloc(8 * n);"
    " for (i = 0; i < n; i++) a[i] = i * i + 2; for (i = 0; i < n; i++) a[i] = a[i] - 2;"
    " for (i = 0; i < n; i++) if (a[i] != i * i{}) reach_error();"
)


@pytest.mark.parametrize(("more", "expected"), [("", Safe), (" + (i == 99998)", EngineUnknown)])
def test_counters_may_be_wider_than_addresses(tmp_path: Path, more: str, expected: type) -> None:
    written(tmp_path, WIDE.format(more))
    path = tmp_path / "p.c"
    path.write_text("extern void *malloc(unsigned);\n" + path.read_text())
    programs = StagePrograms(prepare(load_program(Request((str(path),), data_model="ILP32"))))
    answer = Conjectures().run(programs.blocks(CELLS_OVER_INTEGERS, None).program, Budget())
    assert isinstance(answer, expected)


def test_there_may_be_nothing_to_see(tmp_path: Path) -> None:
    verdict = verify(
        written(tmp_path, "int x = 0; while (x < 9) x++; if (x > 9) reach_error();"), (CELLS,), 60.0
    ).verdict
    assert isinstance(verdict, Unknown)
    assert "no arrays" in verdict.reason


@pytest.mark.parametrize(("number", "seen"), [(10, True), (200, False)])
def test_too_many_arrays_are_not_looked_at(tmp_path: Path, number: int, seen: bool) -> None:
    """A view of hundreds of arrays would take minutes, and be in the way of all others."""
    arrays = " ".join(f"int a{i}[N];" for i in range(number))
    loop = " ".join(f"a{i}[j] += a{(i + 1) % number}[j];" for i in range(number))
    request = written(tmp_path, f"{arrays} for (int j = 0; j < N; j++) {{ {loop} }} if (a0[1] == a1[2]) reach_error();")
    small = prepare(load_program(request)).small.program
    assert (cells_view(encode_blocks(small).program) is not None) == seen


def test_an_error_of_the_view_is_none(tmp_path: Path) -> None:
    """The sum of two elements: the view knows one of them."""
    body = "int a[N]; a[1] = 1; a[2] = 2; if (a[1] + a[2] != 3) reach_error();"
    verdict = verify(written(tmp_path, body), (Stage("bounded", arrays="cells"),), 60.0).verdict
    assert not isinstance(verdict, Violated)


A, B = var("a", Array(INT, INT)), var("b", Array(INT, INT))
J, N = var("i", INT), var("n", INT)


def program(*edges: tuple[int, Statement, int]) -> Program:
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    main = Procedure("main", (), (), Location(0), Location(99), made, (A, B, J, N))
    return Program("main", {"main": main}, (), {Location(9): UNREACH}, {Location(1): None, Location(3): None})


def test_over_integers() -> None:
    filled = program(
        (0, Assign(J, int_(0)), 1),
        (1, Assume(lt(J, N)), 2),
        (2, Assign(A, store(A, J, add(J, int_(5)))), 5),
        (5, Assign(J, add(J, int_(1))), 1),
        (1, Assume(ge(J, N)), 6),
        (6, Assign(J, int_(0)), 3),
        (3, Assume(lt(J, N)), 4),
        (4, Assume(lt(select(A, J), J)), 9),
        (4, Assign(J, add(J, int_(1))), 3),
    )
    verdict = verify_program(filled, (CELLS,), 60.0).verdict
    assert isinstance(verdict, Proved), verdict


def test_what_is_true_of_every_cell_is_true_of_all_elements() -> None:
    loop = program((0, Assign(A, store(A, int_(0), int_(1))), 1), (1, Assume(eq(select(A, J), int_(0))), 9))
    view = cells_view(encode_blocks(loop).program)
    assert view is not None
    assert not any(isinstance(x.sort, Array) for edge in view.program.main.edges for x in _variables(edge))
    (k,) = (x for x in view.program.main.locals if x.name == "k")
    (cell,) = (x for x in view.program.main.locals if x.name == "a cell 0")
    either = or_(eq(k, int_(7)), eq(cell, int_(3)))
    lifted = view.lifted({Location(1): either})[Location(1)]
    assert lifted is forall((k,), or_(eq(k, int_(7)), eq(select(A, k), int_(3))))


def _variables(edge: Edge) -> frozenset[Term]:
    from craton.program.variables import reads, writes

    return frozenset((*reads(edge.statement), *writes(edge.statement)))


def test_two_elements_have_two_cells(tmp_path: Path) -> None:
    request = written(
        tmp_path, FILL + "int j = __VERIFIER_nondet_int(); if (j > 0 && j < N && a[j - 1] > a[j]) reach_error();"
    )
    small = prepare(load_program(request)).small.program
    view = cells_view(encode_blocks(small).program)
    assert view is not None
    assert sum(" cell " in x.name for x in view.program.main.locals) == 2


def test_two_positions_may_be_related(tmp_path: Path) -> None:
    """Found in the view; that it holds of all elements is shown, too, but takes long."""
    body = "int a[N], b[N], i, j = 0; for (i = 1; i < N; i += 3) { a[j] = b[i]; j++; }"
    body += " j = 0; for (i = 1; i < N; i += 3) { if (a[j] != b[3 * j + 1]) reach_error(); j++; }"
    small = prepare(load_program(written(tmp_path, body))).small.program
    view = cells_view(encode_blocks(small).program)
    assert view is not None
    answer = Conjectures(solver="bitwuzla").run(encode_blocks(view.program).program, Budget(60.0))
    assert isinstance(answer, Safe), answer
