"""Bounded unrolling: errors at their depth, proofs where all paths end, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.verdicts.verdict import Violated
from craton.verification.run import verify
from support.patience import Group, record

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"


def result_of(tmp_path: Path, body: str, engine: str = "bounded") -> str:
    file = tmp_path / "program.c"
    file.write_text(HEAD + "int main(void) {" + body + " return 0; }")
    result = verify(Request((str(file),)), [Stage(engine)], 20)
    record(Group.VERDICTS, f"{engine} on {body}", result.reason)
    return str(result.verdict)


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("int x = 0, y = 50; while (x < 100) { if (x >= 50) y++; x++; } if (y != 100) reach_error();", "true"),
        ("int x = 0, y = 50; while (x < 100) { if (x >= 50) y++; x++; } if (y == 100) reach_error();", "false"),
        ("int a[6]; for (int i = 0; i < 6; i++) a[i] = i * i; if (a[5] != 25) reach_error();", "true"),
        ("int n = __VERIFIER_nondet_int(), i = 0; while (i < 7) i++; if (n == 3 && i == 7) reach_error();", "false"),
    ],
    ids=["all paths end", "the last step fails", "an array", "inputs"],
)
def test_verdicts(tmp_path: Path, body: str, verdict: str) -> None:
    found = result_of(tmp_path, body)
    assert found.startswith(verdict) or (found == "unknown" and verdict == "true")


def test_a_program_without_inputs_is_proved_by_running_it(tmp_path: Path) -> None:
    body = "unsigned x = 1; for (int i = 0; i < 200; i++) x = x * 1664525u + 1013904223u; if (x == 7) reach_error();"
    assert result_of(tmp_path, body) == "true"


SORTING = """unsigned a[6], s = 7, i, j;
for (i = 0; i < 6; i++) { s = s * 1103515245u + 12345u; a[i] = (s >> 16) & 7; }
for (i = 0; i < 6; i++) for (j = 0; j + 1 < 6; j++) if (a[j] > a[j + 1]) { s = a[j]; a[j] = a[j + 1]; a[j + 1] = s; }
"""


@pytest.mark.parametrize(("comparison", "verdict"), [(">", "true"), (">=", "false(unreach-call)")])
def test_what_is_computed_in_arrays_stays_constant(tmp_path: Path, comparison: str, verdict: str) -> None:
    body = SORTING + f"for (i = 0; i + 1 < 6; i++) if (a[i] {comparison} a[i + 1]) reach_error();"
    file = tmp_path / "program.c"
    file.write_text(HEAD + "int main(void) {" + body + " return 0; }")
    result = verify(Request((str(file),)), [Stage("bounded")], 300.0, cpu=30.0)
    assert str(result.verdict) == verdict, result.reason


def test_the_depth_is_a_limit(tmp_path: Path) -> None:
    body = "int i = 0; while (i < 9) i++; if (i == 9) reach_error();"
    assert result_of(tmp_path, body, "bounded(depth=3)") == "unknown"
    assert result_of(tmp_path, body, "bounded(depth=30)").startswith("false")


def test_errors_that_need_no_doubt_come_first(tmp_path: Path) -> None:
    """Where an object lies may make the program fail at once, as far as the model knows; later an input does, which no
    test hits upon.
    """
    body = "int x = 0, n; unsigned long where = (unsigned long)&x * 3; if (where == 7) reach_error();"
    later = "for (int i = 0; i < 4; i++) { n = __VERIFIER_nondet_int(); if (i == 2 && n * 77 == 1234) reach_error(); }"
    for engine in ("bounded", "bounded(loops)"):
        assert result_of(tmp_path, body + later, engine) == "false(unreach-call)"
        assert result_of(tmp_path, body, engine) == "unknown"


def test_what_is_left_open_is_zero_where_that_will_do(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(HEAD + "int main(void) { int x, y; if (x < 5 && y == __VERIFIER_nondet_int()) reach_error(); }")
    result = verify(Request((str(file),)), [Stage("bounded")], 20)
    assert isinstance(result.verdict, Violated) and result.verdict.replay.background is not None
    assert result.verdict.replay.background.opened == (0, 0)


EUCLID = """int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
if (a < 1 || a > 14 || b < 1 || b > 14) return 0;
int x = a, y = b; while (y) { int r = x % y; x = y; y = r; }
"""


@pytest.mark.parametrize(("wrong", "verdict"), [("a % x || b % x", "true"), ("x == 6", "false(unreach-call)")])
def test_small_numbers(wrong: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked in few bits at once: unrolling ends, what it shows is checked, and a counterexample has all its values."""
    monkeypatch.setattr("craton.engines.small_numbers.SECONDS", 0.0)
    assert result_of(tmp_path, EUCLID + f"if ({wrong}) reach_error();", "bounded(loops)") == verdict
