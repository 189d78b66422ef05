"""Where there is no C library, the harness prints: to nobody, but with the results and texts that glibc's functions
have. The oracle is the machine's C library.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import craton.evidence
from craton.processes.compilers import compilers

OURS = Path(craton.evidence.__file__).parent / "output.c"


@pytest.mark.skipif(not compilers(), reason="there is no C compiler")
def test_texts_and_lengths_are_those_of_the_c_library(tmp_path: Path) -> None:
    source, made = Path(__file__).parent / "output.c", tmp_path / "output"
    command = [compilers()[0], "-w", "-O1", f'-DOURS="{OURS}"', str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    told = subprocess.run([str(made)], check=True, capture_output=True, text=True).stdout
    assert told == "0 of 100000 differ\n"


def test_no_name_means_two_things() -> None:
    """Both files are one text, parts of which are left out for some properties."""
    names = [
        set(re.findall(r"^(?:static|struct)\b[^;={(]*?\b(craton_\w+)", path.read_text(), re.MULTILINE))
        for path in (OURS, OURS.parent / "harness.c")
    ]
    assert all(names)
    assert not names[0] & names[1]
