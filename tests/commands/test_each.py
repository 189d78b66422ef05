"""What was checked: properties by name, every check by its name, a verdict for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import command

PROGRAM = """\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y = 0;
  assert(x != 7);
  while (y < 5)
    y++;
  assert(y == 5);
  assert(x
         != 9);
  return 10 / (x - 8);
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "seven.c"
    file.write_text(PROGRAM)
    return file


def test_the_checks_are_listed(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--show-properties", "--property", "reach,div-by-zero") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["main.reach.1", "main.reach.2", "main.reach.3", "main.division.1"]
    assert [line[1] for line in lines] == [f"{program}:{number}" for number in (5, 8, 9, 11)]
    assert " ".join(lines[2][2:]) == 'unreach-call assertion "x != 9" fails'
    assert " ".join(lines[3][2:]) == "no-div-by-zero division by zero in `return 10 / (x - 8)`"
    assert command("verify", program, "--show-properties", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["checks"]) == 3


def test_each_has_its_verdict(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of a check is of runs on which nothing failed before, so a proof stands beside runs that fail another."""
    assert command("verify", program, "--each", "--json", "--time-limit", "60") == 1
    told = json.loads(capsys.readouterr().out)
    assert [entry["verdict"] for entry in told["checks"]] == ["false(unreach-call)", "true", "false(unreach-call)"]
    assert [entry["inputs"][0]["value"] for entry in told["checks"] if entry["inputs"]] == ["7", "9"]
    assert told["verdict"] == "false(unreach-call)"


def test_as_a_table(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--each", "--quiet", "--property", "div-by-zero,overflow") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "FALSE(no-div-by-zero)"
    verdicts = {line.split()[1]: line.split()[0] for line in lines[1:]}
    assert (verdicts["main.division.1"], verdicts["main.overflow.1"]) == ("FALSE", "TRUE")


def test_no_evidence_for_a_part_of_a_property(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--each", "--proof", program.parent / "proof.json") == 2
    assert "leave out --each" in capsys.readouterr().err


def test_a_verdict_says_what_was_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "nothing.c"
    file.write_text("int main(void) { return 0; }")
    assert command("verify", file, "--data-model", "ILP32") == 0
    told = capsys.readouterr().out
    assert "warning: there is nothing to check: what the property forbids (the error function is called" in told
    assert "checked: unreach-call (0 checks)" in told
    assert "data model: ILP32" in told


def test_an_unknown_name_is_told(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--property", "overflows") == 2
    assert "names of properties, of reach, memsafety, overflow, div-by-zero, memcleanup, all" in capsys.readouterr().err


def test_a_proof_of_a_named_property(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = tmp_path / "proof.json"
    assert command("verify", program, "--property", "memsafety", "--proof", proof) == 0
    assert command("check", proof, program, "--property", "memsafety") == 0
    assert command("check", proof, program, "--property", "overflow") == 2
    assert "of another property" in capsys.readouterr().err
