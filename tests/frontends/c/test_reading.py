"""What gcc reads, we read: every program of `reading.txt` returns from `main` what it returns when gcc compiled it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.interpreter import Exited, Interpreter


def _read() -> dict[str, str]:
    text = Path(__file__).with_name("reading.txt").read_text(encoding="utf-8")
    pieces = (piece.partition("\n") for piece in re.split("^== ", text, flags=re.MULTILINE)[1:])
    return {name: body for name, _, body in pieces}


PROGRAMS = _read()


def returned(source: Path, *options: str) -> int:
    """What `main` returns, compiled by gcc."""
    binary = source.with_suffix("")
    subprocess.run(["gcc", "-O0", "-w", "-fwrapv", *options, str(source), "-o", str(binary), "-lm"], check=True)
    return subprocess.run([str(binary)], timeout=20).returncode


def computed(source: Path) -> int:
    """What `main` returns, as our interpreter runs it."""
    outcome = Interpreter(load_c([source], options=COptions("LP64"))).run().outcome
    assert isinstance(outcome, Exited) and outcome.values is not None, outcome
    return int(outcome.values[0]) & 255


@pytest.mark.skipif("gcc" not in oracle.compilers(), reason="no gcc")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_read_as_gcc_reads_it(name: str, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(PROGRAMS[name], encoding="utf-8")
    assert computed(source) == returned(source)
