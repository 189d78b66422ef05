"""`craton check`: accepted, refused and bad input, by exit code, text and data. Certificates themselves are tested in
`tests/evidence`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import command
from support.programs import BY_NAME

TOGETHER, LOCK = (str(BY_NAME[name].path) for name in ("loops/together.c", "control/lock.c"))


@pytest.fixture
def proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    file = tmp_path / "proof.json"
    assert command("verify", TOGETHER, "--engine", "horn", "--proof", file, "--quiet") == 0
    assert capsys.readouterr().out == "TRUE\n"
    return file


def test_a_proof_is_accepted(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("check", proof, TOGETHER) == 0
    assert capsys.readouterr().out.startswith("ACCEPTED\n  proof: ")
    assert command("check", proof, TOGETHER, "--quiet") == 0
    assert capsys.readouterr().out == "ACCEPTED\n"
    assert command("check", proof, TOGETHER, "--json") == 0
    assert json.loads(capsys.readouterr().out)["answer"] == "accepted"


def test_a_certificate_of_another_program_is_bad_input(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("check", proof, LOCK) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("craton: ")


@pytest.mark.parametrize("words", [("check", "proof.json"), ("validate", "witness.yml")])
def test_of_several_properties_one_is_named(
    words: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A certificate or a witness of one property says nothing about the task's others."""
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    for name, formula in (("a", "G ! overflow"), ("b", "G ! call(reach_error())")):
        (tmp_path / f"{name}.prp").write_text(f"CHECK( init(main()), LTL({formula}) )\n")
    (tmp_path / "task.yml").write_text(
        "format_version: '2.0'\ninput_files: p.c\nproperties:\n  - property_file: a.prp\n  - property_file: b.prp\n"
        "options: {language: C, data_model: LP64}\n"
    )
    assert command(words[0], tmp_path / words[1], tmp_path / "task.yml") == 2
    assert "say which with --property" in capsys.readouterr().err
