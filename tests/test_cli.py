"""The command line: exit codes, and errors as one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

import craton
from craton import cli
from craton.errors import CratonError


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes `craton engines` fail in some way."""

    def add_to(subparsers: object) -> None:
        parser = subparsers.add_parser("fail")  # type: ignore[attr-defined]

        def run(args: object) -> int:
            raise error

        parser.set_defaults(run=run)

    class Failing:
        pass

    Failing.add_to = staticmethod(add_to)  # type: ignore[attr-defined]
    monkeypatch.setattr(cli, "_COMMANDS", (Failing,))


class Late(CratonError):
    exit_code = cli.UNKNOWN


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CratonError("program.c:3: what is this?"), 2, "craton: program.c:3: what is this?"),
        (Late("not supported yet"), 3, "craton: UNKNOWN: not supported yet"),
        (KeyboardInterrupt(), 130, "craton: interrupted"),
        (ZeroDivisionError("oh"), 3, "craton: internal error: ZeroDivisionError('oh'); this is a bug in Craton"),
    ],
    ids=["bad input", "unknown", "interrupted", "a bug"],
)
def test_errors_are_one_line_and_an_exit_code(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(error, monkeypatch)
    assert cli.main(["fail"]) == code
    err = capsys.readouterr().err
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert cli.main(["--debug", "fail"]) == code
    assert "Traceback" in capsys.readouterr().err


def test_without_a_command_help_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == cli.BAD_INPUT
    out = capsys.readouterr().out
    assert "exit codes:" in out
    assert "verify" in out


def test_python_runs_the_package() -> None:
    command = [sys.executable, "-m", "craton", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"craton {craton.__version__}\n"


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m craton refiners | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr == ""
