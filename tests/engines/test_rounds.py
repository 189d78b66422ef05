"""States as terms over what no round changes: what is proved is a proof, and nothing wrong is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown
from craton.engines.rounds import Rounds
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request, load_program
from craton.program.cfa import Program
from support.certificates import in_blocks

HEAD = "extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n"
READ = "unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(), r = 0;"
SAFE = {
    "the largest goes round": READ + "unsigned char x = a, y = b; while (1) { unsigned char t = x; x = y > a ? y : a;"
    " y = t > b ? t : b; if (r < 9) r++; if (r > 1 && x != y) reach_error(); }",
    "what the first step asks": READ + "if (a >= b) return 0; unsigned char x = a, y = b; while (1) {"
    " unsigned char t = x; x = y; y = t; r ^= 1; if (r ? x < y : x > y) reach_error(); }",
    "inputs that do not matter": READ + "unsigned char x = a, y = b, z = 0; while (1) {"
    " z = __VERIFIER_nondet_uchar(); if (z > 7) { x = y > a ? y : a; y = x; } else { x = y > a ? y : a; y = x; }"
    " if (r < 9) r++; if (r > 1 && (x != y || x < b)) reach_error(); }",
    "what counts without end": READ + "unsigned char x = a, y = b; while (1) { unsigned char t = x; x = y > a ? y : a;"
    " y = t > b ? t : b; if (r == 255) r = 4; r++; if (r > 1 && x != y) reach_error(); }",
    "a beginning in parts": READ
    + "unsigned char x = a, y = b, t; "
    + "t = x; x = y > a ? y : a; y = t > b ? t : b;" * 9
    + " while (1) { t = x; x = y; y = t; if (x != y) reach_error(); }",
    "what is chosen and asked to be the same": READ + "unsigned char x = __VERIFIER_nondet_uchar(), y = 0;"
    " if (x != a) return 0; while (1) { y = x; x = b; if (y != a && r == 0) reach_error(); r = 1; }",
}
UNSAFE = {
    "not after one round": (
        READ + "unsigned char c = __VERIFIER_nondet_uchar(), x = a, y = b, z = c; while (1) { unsigned char t = z;"
        " z = y > c ? y : c; y = x > b ? x : b; x = t > a ? t : a; if (x != y || y != z) reach_error(); }",
        "an error may be reached",
    ),
    "nothing is asked first": (SAFE["what the first step asks"].replace("a >= b", "0"), "an error may be reached"),
    "inputs": (
        READ + "unsigned char x = 0; while (1) { if (x > a) r = 1; x = __VERIFIER_nondet_uchar();"
        " if (r && a == b) reach_error(); }",
        "an error may be reached",
    ),
    "what counts comes back": (
        READ + "unsigned char x = a, y = b; while (1) { unsigned char t = x; x = y > a ? y : a; y = t > b ? t : b;"
        " if (r == 255) { r = 0; x = a; y = b; } else r++; if (r > 1 && x != y) reach_error();"
        " if (r == 0 && x != y) reach_error(); }",
        "an error may be reached",
    ),
    "too many": (
        READ + "unsigned x = a; while (1) { x = 5 * x + b; if (x == 12345u + r) reach_error(); }",
        "more than|may be reached",
    ),
}


def _program(folder: Path, body: str) -> Program:
    (folder / "p.c").write_text(f"{HEAD}int main(void) {{ {body} return 0; }}")
    return in_blocks(load_program(Request((str(folder / "p.c"),))), Rounds().blocks)


def _answer(program: Program) -> EngineAnswer:
    return Rounds(solver="bitwuzla").run(program, Budget(60))


@pytest.mark.parametrize("name", SAFE)
def test_proofs_are_proofs(name: str, tmp_path: Path) -> None:
    program = _program(tmp_path, SAFE[name])
    answer = _answer(program)
    assert isinstance(answer, Safe), answer
    assert isinstance(check_annotation(Annotation(program, answer.invariants), ("z3",)), Confirmed)


@pytest.mark.parametrize("name", UNSAFE)
def test_nothing_else_is_proved(name: str, tmp_path: Path) -> None:
    body, why = UNSAFE[name]
    answer = _answer(_program(tmp_path, body))
    assert isinstance(answer, Unknown)
    assert any(part in answer.reason for part in why.split("|")), answer.reason
