"""`craton` itself: version, help, and what happens to errors."""

from __future__ import annotations

import subprocess
import sys

import pytest

import craton
from craton import cli
from support.commands import command

COMMANDS = (
    "verify bench reproduce check validate explain cfa run tables compare tune engines refiners solvers serve"
    " completion manual"
).split()


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--version") == 0
    assert capsys.readouterr().out == f"craton {craton.__version__}\n"
    assert command() == 2  # nothing was asked for
    shown = capsys.readouterr().out
    assert all(f"\n    {name}" in shown for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(name, "--help") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: craton {name} ") and f"craton {name}" in shown.partition("\nexamples:\n")[2]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for examples and tables."""
    monkeypatch.setenv("COLUMNS", str(columns))
    for name in COMMANDS:
        assert command(name, "--help") == 0
        lines = capsys.readouterr().out.splitlines()
        assert not [line for line in lines if len(line) > columns and not line.startswith("  ")]
    assert command("verify", "--help") == 0
    assert "\n  TRUE            with an inductive proof" in capsys.readouterr().out


def test_a_mistake_of_ours_is_told_as_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> tuple[str, ...]:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("craton.commands.solvers._known", broken)
    assert command("solvers") == cli.UNKNOWN
    told = capsys.readouterr().err
    assert "internal error: ZeroDivisionError('of ours')" in told and "Traceback" not in told
    assert command("--debug", "solvers") == cli.UNKNOWN
    assert "Traceback" in capsys.readouterr().err


def test_help_imports_nothing_that_takes_time() -> None:
    """Solvers, parsers and tables are imported by the command that needs them."""
    script = (
        "import sys\nfrom craton.cli import build_parser\nbuild_parser()\n"
        "print(*{'z3', 'cvc5', 'bitwuzla', 'clang', 'lark', 'rich', 'yaml', 'craton.logic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
