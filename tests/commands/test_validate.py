"""`craton validate`: a witness that `craton verify` has written. Those of others are tested in `tests/validation`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import command
from support.programs import BY_NAME


def test_our_own_witness_is_confirmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, witness = BY_NAME["loops/together.c"].path, tmp_path / "witness.yml"
    assert command("verify", program, "--engine", "horn", "--witness", witness, "--quiet") == 0
    assert capsys.readouterr().out.startswith("TRUE\n")
    assert command("validate", witness, program) == 0
    out = capsys.readouterr().out
    assert out.startswith("TRUE\n") and "\n  witness: the witness's invariants are inductive and suffice\n" in out
    assert command("validate", witness, program, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["limit"], told["violated"]) == ("true", None, None)
    assert "statistics" not in told


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("validate", tmp_path / "none.yml", BY_NAME["loops/together.c"].path) == 2
    assert "cannot read" in capsys.readouterr().err
