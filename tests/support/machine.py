"""What the machine has that tests run on."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

from craton.processes.compilers import compilers


@functools.cache
def runs_32_bits() -> bool:
    """Whether its first C compiler makes programs of 32 bits that need no library, and the kernel runs them."""
    if not compilers():
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text('void _start(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(7)); }\n')
        command = [compilers()[0], "-m32", "-nostdlib", "-static", str(source), "-o", str(source.with_suffix(""))]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return False
        return subprocess.run([str(source.with_suffix(""))]).returncode == 7


@functools.cache
def has_32_bits() -> bool:
    """Whether its first C compiler makes programs of 32 bits; the libraries for that are often not there."""
    if not compilers():
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text("#include <stdlib.h>\nint main(void) { return abs(0); }\n")
        command = [compilers()[0], "-m32", str(source), "-o", str(source.with_suffix(""))]
        return subprocess.run(command, capture_output=True).returncode == 0
