"""k-induction: proofs that need several steps, counterexamples, and what the checker says of a smaller k."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Safe, Unknown, Unsafe
from craton.engines.kinduction import KInduction
from craton.evidence.certificates.checking import Accepted, check_certificate
from craton.evidence.certificates.format import Invariants
from craton.evidence.certificates.writing import make_certificate
from craton.evidence.checker import Confirmed, Flaw, check_annotation
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.preparation import prepare
from craton.verification import verify
from support.programs import BY_NAME

ROTATION = BY_NAME["control/rotation.c"]


def blocks_of(name: str) -> Program:
    return encode_blocks(prepare(BY_NAME[name].program).small.program).program


def test_several_steps_prove_what_one_does_not() -> None:
    program = blocks_of("control/rotation.c")
    found = KInduction(plain=True).run(program, Budget(60.0))
    assert isinstance(found, Safe)
    assert found.k > 2
    annotation = Annotation(program, found.invariants, k=found.k)
    assert isinstance(check_annotation(annotation, ("bitwuzla",)), Confirmed)
    assert isinstance(check_annotation(replace(annotation, k=found.k - 1), ("bitwuzla",)), Flaw), "k is the least"


def test_a_limit_of_k() -> None:
    answer = KInduction(plain=True, most=2).run(blocks_of("control/rotation.c"), Budget(60.0))
    assert isinstance(answer, Unknown)
    assert answer.reason.startswith("not 2-inductive")


@pytest.mark.parametrize("name", ["control/rotation_wrong.c", "loops/modulo_wrong.c", "bits/average_wrong.c"])
def test_errors_are_found_backwards(name: str) -> None:
    assert isinstance(KInduction(plain=True).run(blocks_of(name), Budget(60.0)), Unsafe)


@pytest.mark.parametrize("name", ["loops/together.c", "loops/even.c", "loops/apart.c"])
def test_conjectures_are_invariants_that_help(name: str) -> None:
    found = KInduction().run(blocks_of(name), Budget(60.0))
    assert isinstance(found, Safe if BY_NAME[name].safe else Unsafe)


def test_the_certificate_says_k() -> None:
    result = verify(ROTATION.request, [Stage("kinduction(plain)")], 60)
    assert result.is_true
    made = make_certificate(ROTATION.request, result)
    assert isinstance(made.proof, Invariants)
    assert made.proof.k > 2
    assert isinstance(check_certificate(made, ROTATION.request), Accepted)
    assert not isinstance(check_certificate(replace(made, proof=replace(made.proof, k=1)), ROTATION.request), Accepted)


EUCLID = """extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (!a || !b) return 0;
    unsigned x = a, y = b;
    while (y) { unsigned r = x % y; x = y; y = r; }
"""


@pytest.mark.parametrize(("wrong", "verdict"), [("!x || x > a || x > b", "true"), ("x == a", "false")])
def test_remainders_of_any_numbers(wrong: str, verdict: str, tmp_path: Path) -> None:
    """The smaller of the two is not above the inputs; and what is left is, where the other one has become zero."""
    file = tmp_path / "euclid.c"
    file.write_text(EUCLID + f"if ({wrong}) reach_error(); return 0; }}")
    result = verify(Request((str(file),)), [Stage("kinduction")], 300.0, cpu=30.0)
    assert str(result.verdict).startswith(verdict), result.reason
