"""What the machine has that tests run on."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

from craton.evidence.building import compilers


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
