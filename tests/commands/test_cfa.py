"""`craton cfa`: a program as numbers, text and graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import PROGRAM, command


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "x.c"
    path.write_text(PROGRAM)
    return str(path)


def test_cfa_shows_numbers_text_and_graph(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("cfa", source) == 0
    assert "loops        1" in capsys.readouterr().out
    assert command("cfa", source, "--text", "--passes", "inline,dead,blocks") == 0
    assert "error L" in capsys.readouterr().out
    assert command("cfa", source, "--dot") == 0
    assert capsys.readouterr().out.startswith("digraph")
    assert command("cfa", source, "--passes", "polish") == 2


def test_unsupported_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.c"
    path.write_text("int main(void) { _Complex float z; return 0; }")
    assert command("run", str(path)) == 3
    assert "x.c:1:18" in capsys.readouterr().out


def test_a_picture_needs_no_other_program(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command("cfa", source, "--svg", tmp_path / "x.svg") == 0
    assert (tmp_path / "x.svg").read_text().startswith("<svg ")
    assert command("cfa", source, "--svg", tmp_path / "none" / "x.svg") == 2
    assert "cannot write" in capsys.readouterr().err
