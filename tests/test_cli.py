"""The command line: exit codes, and errors as one line."""

from __future__ import annotations

import argparse
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import craton
from craton import cli
from craton.errors import CratonError


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives `craton` one command, `fail`, which does."""

    def run(args: argparse.Namespace) -> int:
        raise error

    def add_to(subparsers: Any) -> None:
        subparsers.add_parser("fail").set_defaults(run=run)

    monkeypatch.setattr(cli, "_COMMANDS", ["fail"])
    monkeypatch.setitem(sys.modules, "craton.commands.fail", SimpleNamespace(add_to=add_to))


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


def test_python_runs_the_package() -> None:
    command = [sys.executable, "-m", "craton", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"craton {craton.__version__}\n"


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m craton refiners | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr == ""
