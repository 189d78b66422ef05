"""States as terms over what no round changes: what is proved is a proof, and nothing wrong is proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown
from craton.engines.rounds import Rounds
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.format import Invariants
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.writing import as_data, make_certificate
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request, load_program
from craton.logic import and_, conjuncts, disjuncts, not_, ops, or_
from craton.program.blocks import CHAINS
from craton.program.cfa import Program
from craton.smt import Unsat, make_solver
from craton.verification import verify
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
    "truth values without a value": READ
    + "_Bool q; unsigned char x = a, y = b, t; q = a > b;"
    + "t = x; x = y > a ? y : a; y = t > b ? t : b; if (q) { r = 1; } else { r = 2; }" * 3
    + " while (1) { _Bool u; t = x; u = x > y; x = y; y = t; if (x != y || u) reach_error(); }",
    "what a function asked first": READ
    + "unsigned char c = a, x; int ok; if (a < b) ok = b < 200 ? 1 : 0; else ok = 0;"
    + " x = c; if (x > 7) r = 2; else r = 3; if (x > 8) r = 2; else r = 3;" * 2
    + " if (!ok) return 0; r = 0; c = b;"
    + " while (1) { x = x == a ? c : a; r ^= 1; if (r ? x <= a : x >= c) reach_error(); if (c > 199) reach_error(); }",
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
        "rounds read inputs|an error may be reached",
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


def test_certificates_are_of_the_parts_of_rounds(tmp_path: Path) -> None:
    """The checker finds the narrow places by itself; in blocks of another size the same invariants are no proof."""
    file = tmp_path / "p.c"
    file.write_text(f"{HEAD}int main(void) {{ {SAFE['a beginning in parts']} return 0; }}")
    request = Request((str(file),))
    written = as_data(make_certificate(request, verify(request, (Stage("rounds"),), 60.0)))
    assert written["proof"]["blocks"] == "parts"
    certificate = from_data(written)
    assert isinstance(check_certificate(certificate, request), Accepted)
    assert isinstance(certificate.proof, Invariants)
    for size in (None, CHAINS, 1):
        other = replace(certificate, proof=replace(certificate.proof, blocks=size))
        assert isinstance(check_certificate(other, request), Refused)


def _wrong_ones(annotation: Annotation) -> Iterator[Annotation]:
    """The same with one equation of one state wrong, or gone."""
    for location, invariant in annotation.invariants.items():
        first, *rest = disjuncts(invariant)
        parts = conjuncts(first)
        for number, part in enumerate(parts):
            if part.op is ops.EQ and any(x.is_variable for x in part.args):
                others = parts[:number] + parts[number + 1 :]
                for changed in (and_(*others, not_(part)), and_(*others)):
                    yield replace(annotation, invariants={**annotation.invariants, location: or_(changed, *rest)})


def _holds(annotation: Annotation) -> bool:
    """As the definition says it, and not state by state."""
    with make_solver("z3", time_limit=20.0) as solver:
        asked = (solver.check(*(term for _, term in one.formulas)) for one in annotation.conditions())
        return all(isinstance(answer, Unsat) for answer in asked)


def test_what_is_accepted_state_by_state_is_a_proof(tmp_path: Path) -> None:
    program = _program(tmp_path, SAFE["what the first step asks"])
    answer = _answer(program)
    assert isinstance(answer, Safe), answer
    annotation = Annotation(program, answer.invariants)
    assert _holds(annotation)
    refused = 0
    for wrong in _wrong_ones(annotation):
        if isinstance(check_annotation(wrong, ("z3",)), Confirmed):
            assert _holds(wrong)
        else:
            refused += 1
    assert refused > 3
