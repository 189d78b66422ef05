"""`craton run`: how a run ended, by its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.commands.run import parse_inputs
from support.commands import PROGRAM, command


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "x.c"
    path.write_text(PROGRAM)
    return str(path)


def test_run_reports_by_exit_code(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("run", source, "--inputs", "3") == 1
    assert "error reached: unreach-call" in capsys.readouterr().out
    assert command("run", source, "--inputs", "4") == 0
    assert command("run", source, "--inputs", "12", "--steps", "1000") == 3
    assert command("run", source, "--seed", "5") in (0, 1, 3)
    assert command("run", source, "--inputs", "three") == 2
    assert command("run", "nowhere.c") == 2
    capsys.readouterr()
    assert command("run", source, "3", "-1") == 2
    assert "--inputs 3" in capsys.readouterr().err


def test_inputs_on_the_command_line() -> None:
    assert parse_inputs("3,-1, 0x10,2.5") == [3, -1, 16, 2.5]


def test_an_error_after_an_arbitrary_result_is_not_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        "extern double pow(double, double); extern void reach_error(void);\n"
        "int main(void) { if (pow(2, 0.5) < 1) reach_error(); return 0; }\n"
    )
    assert command("run", str(path)) == 3
    assert "pow may have other results" in capsys.readouterr().out
