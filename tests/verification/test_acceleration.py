"""Errors behind more rounds than anybody would go one by one, and proofs of loops as single steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.verdicts.counterexample import Reached
from craton.verdicts.verdict import Proved, Unknown, Violated
from craton.verification.run import verify

STAGE = Stage("bounded", loops="accelerated")
HEAD = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
"""


def verdict(tmp_path: Path, body: str, *, stage: Stage = STAGE) -> object:
    path = tmp_path / "loop.c"
    path.write_text(HEAD + body + "\nreturn 0; }")
    return verify(Request((str(path),)), [stage], 20).verdict


FAILING = {
    "deep counter": "unsigned x = 0; while (x < 30000000) x += 1; if (x == 30000000) reach_error();",
    "the input decides": "unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0; if (n > 20000000) return 0;"
    " while (i < n) { i++; s += 2; } if (s == 39999998) reach_error();",
    "one loop after the other": "int n = __VERIFIER_nondet_int(), a = 0, b = 7; if (n < 0 || n > 9000000) return 0;"
    " for (int i = 0; i < n; i++) a += 3; for (int i = a; i > 0; i--) b++; if (b == 15000007) reach_error();",
    "nested": "unsigned n = 0; for (int i = 0; i < 5000; i++) for (int j = 0; j < 4000; j++) n++;"
    " if (n == 20000000) reach_error();",
    "triangle": "unsigned n = 0; for (unsigned i = 0; i < 6000; i++) for (unsigned j = i; j < 6000; j++) n++;"
    " if (n == 18003000) reach_error();",
    "phases": "int x = 0, y = 50; while (x < 20000000) { if (x >= 10000000) y += 2; x++; }"
    " if (y == 20000050) reach_error();",
    "around": "unsigned char c = 1; unsigned n = 0; while (c != 0) { c += 2; n++; if (n > 9000000) reach_error(); }",
    "narrow": "unsigned short c = 1; unsigned n = 0; while (c != 9) { c += 2; n++; if (n > 3) reach_error(); }",
    "signs": "int x = 1, i = 0; while (i < 9000001) { x = -x; i++; } if (x == -1) reach_error();",
}


@pytest.mark.parametrize("body", FAILING.values(), ids=FAILING)
def test_the_error_is_reached_by_the_compiled_program(body: str, tmp_path: Path) -> None:
    found = verdict(tmp_path, body)
    assert isinstance(found, Violated), found
    assert isinstance(found.compiled, Reached)
    assert len(found.replay.edges) == 0


PROVED = {
    "by two": "unsigned x = 0; while (x < 268435455) x += 2; if (x % 2) reach_error();",
    "by three": "int x = 1, i = 0; while (i < 100000000) { x += 3; i++; } if (x != 300000001) reach_error();",
    "bound from outside": "int n = __VERIFIER_nondet_int(), i, k = 0; if (n < 0) return 0;"
    " for (i = 0; i < n; i++) k++; if (k != n) reach_error();",
    "one after the other": "unsigned a = 0, b = 0; while (a < 1000000) a++; while (b < a) b++;"
    " if (b != 1000000) reach_error();",
    "phases, one number held": "unsigned x = 0; while (x < 100000000) { if (x < 10000000) x++; else x += 2; }"
    " if (x != 100000000) reach_error();",
    "phases, there and back": "unsigned x = 0, y = 0; while (x < 1000000) { if (x < 500000) y++; else y--; x++; }"
    " if (y != 0) reach_error();",
    "phases that a sum tells apart": "unsigned a = 0, b = 0, c = 0;"
    " while (a < 100000) { a++; b += 2; if (b > 150000) c++; } if (b != 200000 || c != 25000) reach_error();",
    "phases that an input bounds": "int n = __VERIFIER_nondet_int(), x = 0, y = n; if (n < 0 || n > 1000000) return 0;"
    " while (x < 2 * n) { if (x >= n) y++; x++; } if (y != 2 * n) reach_error();",
}


@pytest.mark.parametrize("body", PROVED.values(), ids=PROVED)
def test_what_is_proved_is_inductive_for_single_rounds(body: str, tmp_path: Path) -> None:
    found = verdict(tmp_path, body)
    assert isinstance(found, Proved), found
    assert found.confirmed


def test_nothing_to_accelerate(tmp_path: Path) -> None:
    found = verdict(tmp_path, "unsigned x = 1; while (x < 1000) x *= 3; if (x == 0) reach_error();")
    assert isinstance(found, Unknown)
    assert "closed form" in found.reason


def test_an_input_that_the_error_does_not_need(tmp_path: Path) -> None:
    """It is sliced away, but the program reads it."""
    body = "int a = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(), i = 0;"
    body += " if (n < 3000000 || n > 3000001) return 0; while (i < n) i++; if (i == 3000001) reach_error();"
    found = verdict(tmp_path, body)
    assert not isinstance(found, Proved), found
