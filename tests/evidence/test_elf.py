"""What is read of object files and programs, against what a compiler was told to make."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from craton.evidence.elf import Elf
from craton.processes.compilers import compilers
from support.machine import runs_32_bits

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

TEXT = """
extern int called(int), *variable, weak(void) __attribute__((weak)), pointed(void);
static int hidden(int x) { return called(x) + *variable; }
int shown(int x) { int (*f)(void) = pointed; return hidden(x) + f() + (weak ? weak() : 0); }
"""
MACHINES = ["-m64", *(["-m32"] if runs_32_bits() else [])]


def compiled(folder: Path, text: str, *flags: str) -> Path:
    (folder / "p.c").write_text(text)
    out = folder / "p.out"
    command = [compilers()[0], "-w", "-O0", "-fno-pie", *flags, str(folder / "p.c"), "-o", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out


@pytest.mark.parametrize("machine", MACHINES)
def test_names_that_are_defined_and_needed(machine: str, tmp_path: Path) -> None:
    elf = Elf.read(compiled(tmp_path, TEXT, machine, "-c"))
    defined = {symbol.name for symbol in elf.symbols if symbol.is_defined and symbol.is_function}
    needed = {symbol.name for symbol in elf.symbols if symbol.is_needed}
    assert defined == {"hidden", "shown"}
    assert {"called", "variable", "pointed"} <= needed
    assert "weak" not in needed
    assert "called" in elf.only_called()
    assert not {"variable", "pointed", "weak"} & elf.only_called()


def test_every_function_of_a_name_leads_to_another(tmp_path: Path) -> None:
    text = """
    static int one(void) { return 1; } int two(void) { return 2; } int target(void) { return 40; }
    int main(void) { return one() + two() + target(); }"""
    binary = compiled(tmp_path, text, "-no-pie")
    assert subprocess.run([str(binary)]).returncode == 43
    binary.write_bytes(Elf.read(binary).diverted(["one", "two", "absent"], "target"))
    assert subprocess.run([str(binary)]).returncode == 120


def test_other_files_are_refused() -> None:
    with pytest.raises(ValueError, match="ELF"):
        Elf(b"#!/bin/sh\n")
