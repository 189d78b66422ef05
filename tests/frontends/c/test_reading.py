"""What gcc reads, we read: every program of `reading.txt` returns from `main` what it returns when gcc compiled it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited


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


HEADERS = """
    assert ctype errno fcntl float inttypes limits locale math pthread setjmp signal stdarg stdbool stddef stdint
    stdio stdlib string strings sys/stat sys/time sys/types time unistd wchar wctype fenv getopt sys/socket
    netinet/in dirent poll regex semaphore sys/mman sys/wait threads stdatomic stdalign tgmath uchar malloc err
    sys/select termios grp pwd netdb
""".split()


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("step", [1, -1])
def test_headers_of_ours_and_of_the_system_go_together(step: int, model: str, tmp_path: Path) -> None:
    """In either order, also for 32 bits on a machine that has the headers for 64 only."""
    lines = [f"#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif" for name in HEADERS[::step]]
    path = tmp_path / "headers.c"
    path.write_text("\n".join([*lines, "int main(void) { return sizeof(FILE *) - sizeof(void *); }"]))
    assert load_c([path], options=COptions(model)).main.name == "main"


def test_functions_by_the_type_of_their_arguments(tmp_path: Path) -> None:
    path = tmp_path / "generic.c"
    path.write_text(
        "#include <tgmath.h>\nint main(void) { return sizeof(sqrt(1.0f)) == 4 && sizeof(sqrt(1)) == 8 "
        "&& sizeof(pow(1.0f, 2)) == 8 && sizeof(fmax(1.0f, 2.0f)) == 4 && floor(2.5f) == 2 "
        "&& sizeof(fma(1, 2, 3.0L)) == 16; }"
    )
    assert Interpreter(load_c([path], options=COptions("LP64"))).run().outcome == Exited((1,))
