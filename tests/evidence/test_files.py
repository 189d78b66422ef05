"""Evidence as the user sees it: lines under the verdict, files where they are asked for, and nothing without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from craton.cli import main
from craton.evidence import compiled
from craton.evidence.checker import Flaw
from craton.evidence.witness import read_witness, validate_witness_text
from craton.evidence.witness.model import CorrectnessWitness, ViolationWitness
from craton.verdicts.counterexample import NotCompiled, NotReached
from craton.verification import confirmation

SAFE = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 0) return 0;
  while (i < n) i++;
  if (i != n) reach_error();
  return 0;
}
"""
UNSAFE = SAFE.replace("i != n", "i == 4")


@pytest.fixture
def safe(tmp_path: Path) -> str:
    (tmp_path / "safe.c").write_text(SAFE)
    return str(tmp_path / "safe.c")


@pytest.fixture
def unsafe(tmp_path: Path) -> str:
    (tmp_path / "unsafe.c").write_text(UNSAFE)
    return str(tmp_path / "unsafe.c")


def verify(*arguments: str | Path) -> int:
    return main(["verify", "--data-model", "LP64", "--time-limit", "60", *map(str, arguments)])


def test_a_kept_proof_is_accepted(safe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = tmp_path / "proof.json"
    assert verify(safe, "--proof", proof) == 0
    assert f"proof written to {proof}" in capsys.readouterr().out
    assert main(["check", str(proof), safe, "--data-model", "LP64"]) == 0


def test_a_kept_witness_is_one(safe: str, unsafe: str, tmp_path: Path) -> None:
    correct, violation = tmp_path / "correct.yml", tmp_path / "violation.graphml"
    assert verify(safe, "--witness", correct) == 0
    assert verify(unsafe, "--witness", violation) == 1
    for path in (correct, violation):
        validate_witness_text(path.read_text())
    assert violation.read_text().lstrip().startswith("<")
    assert isinstance(read_witness(correct), CorrectnessWitness)
    assert isinstance(read_witness(violation), ViolationWitness)


def test_the_format_of_a_witness_may_be_named(safe: str, tmp_path: Path) -> None:
    assert verify(safe, "--witness", tmp_path / "w", "--witness-format", "graphml") == 0
    assert (tmp_path / "w").read_text().lstrip().startswith("<")


def test_a_kept_harness_can_be_made(unsafe: str, tmp_path: Path) -> None:
    assert verify(unsafe, "--harness", tmp_path / "failing") == 1
    assert {"Makefile", "README", "harness.c", "unsafe.c"} <= {p.name for p in (tmp_path / "failing").iterdir()}


def test_what_there_is_no_evidence_for_is_told(unsafe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(unsafe, "--proof", tmp_path / "proof.json") == 1
    assert "no proof written: " in capsys.readouterr().out
    assert not (tmp_path / "proof.json").exists()


@pytest.mark.parametrize("option", ["--proof", "--witness"])
def test_a_place_that_cannot_be_written_to_is_told_at_once(
    option: str, safe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(safe, option, tmp_path / "nowhere" / "file") == 2
    assert "there is no directory" in capsys.readouterr().err
    assert verify(safe, option, tmp_path) == 2
    assert "it is a directory" in capsys.readouterr().err


def test_unconfirmed_verdicts_say_so(safe: str, unsafe: str, capsys: pytest.CaptureFixture[str]) -> None:
    # With an engine: what acceleration finds is checked in any case, and which stage is first depends on the machine.
    assert verify(safe, "--no-confirm", "--engine", "horn") == 0
    assert capsys.readouterr().out.startswith("TRUE (unconfirmed)\n")
    assert verify(unsafe, "--no-confirm", "--json") == 1
    assert json.loads(capsys.readouterr().out)["confirmed"] is False


# --- no unproved word -------------------------------------------------------------------------------------------------


def test_a_proof_that_nobody_had_time_to_check_is_no_proof(
    safe: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    late = Flaw(None, "no time left to check the proof", decided=False)
    monkeypatch.setattr(confirmation, "check_annotation", lambda *arguments, **options: late)
    assert verify(safe, "--engine", "horn") == 3
    assert "evidence incomplete: a proof was found, but no time left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (NotReached("no time left to compile the program", late=True), "evidence incomplete: "),
        (NotReached("the program compiled with cc ends without an error"), "a counterexample was found, but "),
    ],
)
def test_a_run_that_the_compiled_program_does_not_repeat_is_no_counterexample(
    answer: NotReached,
    told: str,
    unsafe: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(compiled, "run_compiled", lambda *arguments: answer)
    assert verify(unsafe, "--engine", "bounded") == 3
    assert told + ("the interpreter" if answer.late else "the program") in capsys.readouterr().out


def test_without_a_compiler_the_interpreter_counts_and_is_named(
    unsafe: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiled, "run_compiled", lambda *arguments: NotCompiled("there is no C compiler"))
    assert verify(unsafe, "--engine", "bounded") == 1
    out = capsys.readouterr().out
    assert "replay: error reached by the interpreter after " in out
    assert "not in a compiled program: there is no C compiler" in out


# Functions of the C library that are not modelled have any result in proofs, and their own in counterexamples.
LIBRARY = """
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); char text[9]; %s return 0; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "if (sin(x) > 2.0) reach_error();",
        'if (atoi("17") == 18) reach_error();',
        'sprintf(text, "%d", 5); if (text[0] == 120) reach_error();',
    ],
)
def test_what_the_c_library_never_does_is_no_counterexample(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program.c").write_text(LIBRARY.replace("%s", body))
    allowed = (0, 3)  # proved where the record of the function is good enough for that
    assert verify(tmp_path / "program.c", "--engine", "bounded(depth=30)") in allowed
    monkeypatch.setenv("PATH", str(tmp_path))  # where there is no compiler
    assert verify(tmp_path / "program.c", "--engine", "bounded(depth=30)") in allowed


def test_what_the_c_library_does_may_be_a_counterexample(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(LIBRARY.replace("%s", 'if (atoi("17") == 17 && x == 3) reach_error();'))
    assert verify(tmp_path / "program.c", "--engine", "bounded(depth=30)") == 1
