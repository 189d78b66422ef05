"""`craton completion`: what shells offer, and that bash can read its script."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from craton.cli import build_parser
from craton.commands.completion import SCRIPTS, completed
from support.commands import command


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("craton ver", ["verify"]),
        ("craton --v", ["--version"]),
        ("craton verify --eng", ["--engine"]),
        ("craton verify x.c --data-model I", ["ILP32"]),
        ("craton verify x.c --engine tr", ["trace-abstraction"]),
        ("craton verify x.c --engine test", ["testing"]),
        ("craton verify x.c --refine 'until-perfect(newton(it, sp", ["until-perfect(newton(it, sp"]),
        ('craton explain x.c --refine "newton(it, w', ["newton(it, wp"]),
        ("craton verify x.c --solver bitw", ["bitwuzla"]),
        ("craton verify x.c --property reach,mems", ["reach,memsafety"]),
        ("craton verify x.c", []),
        ("craton verify --proof p", []),
        ("craton nothing --eng", []),
        ("craton completion z", ["zsh"]),
    ],
)
def test_words(line: str, offered: list[str]) -> None:
    assert completed(line, build_parser()) == offered


def test_all_commands_are_offered() -> None:
    found = completed("craton ", build_parser())
    assert {"verify", "explain", "bench", "--version"} <= set(found)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("completion", shell) == 0
    assert "craton completion words" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(tmp_path: Path) -> None:
    """The function that bash calls, called as bash does, and a `craton` that is this one."""
    (tmp_path / "craton").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m craton "$@"\n')
    (tmp_path / "craton").chmod(0o755)
    line = "craton verify --engine pred"
    script = f"""
    PATH="{tmp_path}:$PATH"
    PYTHONPATH="{":".join(sys.path)}"; export PYTHONPATH
    compopt() {{ :; }}
    {SCRIPTS["bash"]}
    COMP_LINE="{line}"; COMP_POINT={len(line)}
    _craton; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "predicate\n"
