"""Passes that are switched off: the same verdicts, with proofs that the checker accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from craton.cli import main
from craton.configuration.stages import Stage
from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, check_certificate
from craton.evidence.certificates.format import BadCertificate
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.task import described
from craton.evidence.certificates.writing import as_data
from craton.evidence.files import EvidenceFiles, write_evidence
from craton.frontends.programs import Request, load_program
from craton.logic import Term
from craton.program.passes import ALL, FIRST, Pass, Passes, read_passes, told
from craton.program.preparation import prepare
from craton.program.statements import Assign
from craton.verification import verify
from support.certificates import certificate
from support.programs import BY_NAME

CHOICES: dict[str, Passes] = {
    "none": (),
    "slicing": (Pass.SLICING,),
    "constants,slicing": (Pass.SLICING, Pass.CONSTANTS),
    " dead-code , constants": (Pass.DEAD_CODE, Pass.CONSTANTS),
    "dead-code,slicing,constants": FIRST,
    "dead-code,slicing,constants,elements,waiting": ALL,
}
FIGURE_1 = """
procedure example1() {
  var a, b: [int]bool;
  var p, x: int;
  b := a;
  x := 0;
  while (*) {
    havoc p;
    assume !a[p];
    a[p] := true;
    x := x + 1;
    a[p] := false;
  }
  assert a == b;
}
"""


FIGURE_1_IN_C = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) {
    char *p = malloc(1);
    x = x + 1;
    free(p);
  }
  return 0;
}
"""
CLEANUP = "CHECK( init(main()), LTL(G valid-memcleanup) )\n"


@pytest.mark.parametrize("text", CHOICES)
def test_reading(text: str) -> None:
    assert read_passes(text) == CHOICES[text]
    assert read_passes(told(CHOICES[text])) == CHOICES[text]


@pytest.mark.parametrize("text", ["", "all", "none,slicing", "slicing,,constants"])
def test_mistakes(text: str) -> None:
    with pytest.raises(CratonError, match="there is no pass"):
        read_passes(text)


def test_without_passes_the_program_is_whole() -> None:
    program = next(iter(BY_NAME.values())).program
    prepared = prepare(program, ())
    assert prepared.small.program is prepared.whole
    assert len(prepare(program).small.program.main.edges) <= len(prepared.whole.main.edges)


SAMPLE = sorted(name for name in BY_NAME if name.startswith(("loops/", "control/", "bits/")))[::4]
TEXTS = ("none", "slicing", "constants")


@pytest.mark.parametrize(("name", "text"), list(zip(SAMPLE, cycle(TEXTS), strict=False)))
def test_verdicts_stay(name: str, text: str, tmp_path: Path) -> None:
    example = BY_NAME[name]
    request = replace(example.request, passes=read_passes(text))
    result = verify(request, [Stage("bounded(depth=12)"), Stage("trace-abstraction")], 4.0)
    assert str(result.verdict) in (example.expected, "unknown")
    assert result.passes == request.passes
    if result.is_true:
        proof = tmp_path / "proof.json"
        write_evidence(request, result, EvidenceFiles(proof, None, None, "yaml"))
        said = json.loads(proof.read_text())
        assert said["program"].get("passes") == [one.value for one in request.passes]
        read = from_data(said)
        assert as_data(read) == said
        assert isinstance(check_certificate(read, example.request, seconds=60), Accepted)


def test_passes_of_a_certificate_are_read_with_suspicion() -> None:
    said = certificate("loops/even.c")
    example = next(iter(BY_NAME.values()))
    assert described(example.request).passes == ALL
    request = replace(example.request, passes=(Pass.SLICING,))
    assert described(request).passes == (Pass.SLICING,)
    with pytest.raises(BadCertificate, match="there is no pass 'believe-me'"):
        from_data({**said, "program": {**said["program"], "passes": ["believe-me"]}})


@pytest.mark.parametrize("variant", ["newton(it, sp, lv)", "newton(it, wp, lv)"])
def test_figure_1_without_slicing(variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """[CN] Fig. 1: x is still there, and the infeasible core leaves it out."""
    file = tmp_path / "figure1.bpl"
    file.write_text(FIGURE_1)
    whole = prepare(load_program(Request((str(file),))), ()).small.program
    assert any("x" in variable.name for edge in whole.main.edges for variable in _written(edge.statement))
    options = ["--engine", "trace-abstraction(sbe)", "--refine", variant, "--passes", "none", "--json"]
    assert main(["verify", str(file), *options, "--time-limit", "60"]) == 0
    assert json.loads(capsys.readouterr().out)["passes"] == "none"


@pytest.mark.parametrize("variant", ["newton(it, sp, lv)", "newton(it, wp, lv)"])
def test_figure_1_in_c(variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """[CN] Fig. 1 as the C program that it condenses: no memory leaks, by arrays that are equal (Sect. 7)."""
    file, cleanup = tmp_path / "figure1.c", tmp_path / "valid-memcleanup.prp"
    file.write_text(FIGURE_1_IN_C)
    cleanup.write_text(CLEANUP)
    options = ["--engine", "trace-abstraction(sbe)", "--refine", variant, "--passes", "none", "--json"]
    assert main(["verify", str(file), "--property", str(cleanup), *options, "--cpu-limit", "60"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "true" and told["statistics"]["iterations"] <= 4


def _written(statement: object) -> tuple[Term, ...]:
    return (statement.variable,) if isinstance(statement, Assign) else ()
