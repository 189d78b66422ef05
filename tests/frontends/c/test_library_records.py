"""Records of library functions: prototypes against the system's headers, bodies against the system's library, and what
records mean for verdicts.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from craton.frontends.c import COptions, load_c
from craton.frontends.c.library import functions
from craton.frontends.c.library.functions import Model, Record, records
from craton.frontends.c.library.linking import LinkedLibrary
from craton.frontends.c.library.table import is_modelled_by_handler
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.program.cfa import Program, Unmodelled
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
PRELUDE = """
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}
"""


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_record_has_its_model() -> None:
    for record in records().values():
        if record.model is Model.HANDLER:
            assert is_modelled_by_handler(record.name), record.name
        if record.model is Model.BODY:
            _, text = LinkedLibrary().text_of(record.name)
            assert re.search(rf"\b{record.name}\b *[(,)]", text), record.name


@pytest.mark.parametrize("data_model", ["ILP32", "LP64"])
@pytest.mark.large
def test_every_text_can_be_read(data_model: str, tmp_path: Path) -> None:
    """The address of each function is taken, so each text is parsed, and lowered."""
    known = [record for record in records().values() if record.result and record.name != "alloca"]
    prelude = (Path(functions.__file__).parent / "bodies" / "prelude.h").read_text(encoding="utf-8")
    declared = "\n".join([prelude, *(f"extern {record.prototype};" for record in known)])
    table = ", ".join(f"(void (*)()){record.name}" for record in known)
    source = tmp_path / "all.c"
    source.write_text(
        f"{declared}\nvoid (*table[])() = {{{table}}};\nint main(int n, char **v) {{ table[n](); return 0; }}\n"
    )
    program = load_c([source], options=COptions(data_model))
    assert len(program.procedures) > 1


def _declarations(header: str) -> list[Record]:
    return [r for r in records().values() if r.header == header and not r.own_declaration and r.name not in _MACROS]


# What a header defines as a macro, or what glibc 2.36 does not have yet.
_MACROS = {"alloca", "strlcpy", "strlcat", "gets", "pthread_create", "clock_gettime"}


@needs_gcc
@pytest.mark.parametrize("header", sorted({record.header for record in records().values()}))
def test_prototypes_agree_with_the_system(header: str, tmp_path: Path) -> None:
    """A second declaration must be compatible with the first."""
    if not any(Path(folder, header).exists() for folder in ("/usr/include", "/usr/include/x86_64-linux-gnu")):
        pytest.skip(f"there is no {header}")
    lines = ["#define _GNU_SOURCE", f"#include <{header}>", "#include <stdarg.h>", "#include <sys/types.h>"]
    for record in _declarations(header):
        lines += [f"#undef {record.name}", f"extern {record.prototype};"]
    source = tmp_path / "declarations.c"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["gcc", "-fsyntax-only", "-w", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- exact functions against the library of this machine --------------------------------------------------------------


@functools.cache
def pieces() -> dict[str, str]:
    text = Path(__file__).with_name("library.txt").read_text(encoding="utf-8")
    found = (piece.partition("\n") for piece in re.split("^== ", text, flags=re.MULTILINE)[1:])
    return {name: body.strip() for name, _, body in found}


@functools.cache
def compiled(folder: Path) -> tuple[int, ...]:
    """What gcc and glibc compute."""
    parts = ["#define _GNU_SOURCE", PRELUDE]
    parts += [f"static int piece_{i}(void) {{ {body} }}" for i, body in enumerate(pieces().values())]
    calls = "".join(f'printf("%d\\n", piece_{i}());' for i in range(len(pieces())))
    source = folder / "pieces.c"
    source.write_text("\n".join([*parts, f"int main(void) {{ {calls} return 0; }}"]) + "\n")
    subprocess.run(["gcc", "-O0", "-w", "-o", folder / "pieces", source, "-lm"], check=True, capture_output=True)
    output = subprocess.run([folder / "pieces"], capture_output=True, text=True, timeout=20, check=True).stdout
    return tuple(map(int, output.split()))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library")


@needs_gcc
@pytest.mark.parametrize("name", list(pieces()))
def test_bodies_do_what_the_library_does(name: str, shared: Path, tmp_path: Path) -> None:
    source = tmp_path / "piece.c"
    source.write_text(
        f"{PRELUDE}\nstatic int piece(void) {{ {pieces()[name]} }}\nint main(void) {{ return piece(); }}\n"
    )
    run = Interpreter(load_c([source], options=COptions("LP64"))).run()
    assert isinstance(run.outcome, Exited), run.outcome
    expected = compiled(shared)[list(pieces()).index(name)]
    assert run.outcome.values == (expected % (1 << 32),)


# --- what records mean ------------------------------------------------------------------------------------------------


def load(tmp_path: Path, text: str, unknown: UnknownFunctions = UnknownFunctions.PURE) -> Program:
    source = tmp_path / "program.c"
    source.write_text("void reach_error(void) {}\n" + text)
    return load_c([source], options=COptions("LP64", unknown_functions=unknown))


def unmodelled(program: Program) -> list[str]:
    return [error.description for error in program.errors.values() if isinstance(error, Unmodelled)]


def test_records_are_found_by_the_names_that_they_have() -> None:
    found = records()
    assert {name for name, record in found.items() if record.name != name} == set()
    assert {name for name, record in found.items() if record.is_input} == found.inputs
