"""Standard input, arguments and environment are what the counterexample says, and the compiled program finds them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.evidence.compiled import write_harness
from craton.evidence.surroundings import surroundings
from craton.frontends.programs import Request
from craton.logic import FLOAT64, BitVec, Sort
from craton.logic.ieee import from_python
from craton.logic.terms import format_of
from craton.processes.compilers import compilers
from craton.program.cfa import Location
from craton.program.statements import Input
from craton.verdicts.counterexample import ReadValue, Replay
from craton.verdicts.verdict import Violated
from craton.verification.run import verify

HEAD = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
PROGRAMS = {
    "getchar": ("int main(void) { assert(getchar() != 'x'); return 0; }", "standard_input", b"x"),
    "scanf": (
        "int main(void) { int x; char c;"
        " if (scanf(\"%d,%c\", &x, &c) == 2) assert(x != -42777 || c != 'k'); return 0; }",
        "standard_input",
        b" -42777,k",
    ),
    "fgets": (
        'int main(void) { char b[9]; if (fgets(b, 9, stdin)) assert(strcmp(b, "zy\\n")); return 0; }',
        "standard_input",
        b"zy\n",
    ),
    "argument": (
        'int main(int c, char **v) { if (c == 3) assert(strcmp(v[2], "zq")); return 0; }',
        "arguments",
        (b"program", b"a", b"zq"),
    ),
    "option": (
        "int main(int c, char **v) { if (c == 2 && v[1][0] == '-') assert(v[1][1] != 'q'); return 0; }",
        "arguments",
        (b"program", b"-q"),
    ),
    "environment": (
        "int main(void) { char *s = getenv(\"MODE\"); if (s) assert(s[0] != 'q'); return 0; }",
        "answers",
        (b"q",),
    ),
}


@pytest.mark.skipif(not compilers(), reason="there is no C compiler")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_compiled_program_finds_what_the_counterexample_says(name: str, tmp_path: Path) -> None:
    text, part, expected = PROGRAMS[name]
    (tmp_path / "p.c").write_text(HEAD + text)
    request = Request((str(tmp_path / "p.c"),), data_model="LP64")
    result = verify(request, [Stage("bounded")], 60)
    assert isinstance(result.verdict, Violated), result
    found = result.verdict.replay
    assert getattr(found.surroundings, part) == expected
    assert result.program is not None
    write_harness(tmp_path / "kept", request, result.program, found, "unreach-call", result.verdict.compiled)
    run = subprocess.run(["make", "-s", "run"], cwd=tmp_path / "kept", capture_output=True, text=True, check=False)
    assert "unreach-call" in run.stdout + run.stderr


def read(function: str, value: int, sort: Sort) -> ReadValue:
    return ReadValue(Input(function, ""), value, sort)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([read("getchar", 65, BitVec(32)), read("getchar", 2**32 - 1, BitVec(32)), read("getc", 66, BitVec(32))], b"A"),
        ([read("fgets", 10, BitVec(8)), read("read", 255, BitVec(8))], b"\n\xff"),
        ([read("fgets", 113, BitVec(8)), read("scanf(%d)", 42, BitVec(32))], b"q\n 42"),
        ([read("scanf(%d)", 2**32 - 5, BitVec(32)), read("scanf(: %x)", 255, BitVec(32))], b" -5: ff"),
        ([read("scanf(%lu)", 2**64 - 1, BitVec(64)), read("scanf(%o)", 8, BitVec(32))], b" 18446744073709551615 10"),
        ([read("scanf(%lf)", from_python(format_of(FLOAT64), -0.5), FLOAT64)], b" -0.5"),
        ([read("__VERIFIER_nondet_int", 7, BitVec(32))], b""),
    ],
)
def test_what_is_typed(inputs: list[ReadValue], expected: bytes) -> None:
    assert surroundings(Replay(Location(0), tuple(inputs), ())).standard_input == expected


def test_boogie_programs_have_no_arguments(tmp_path: Path) -> None:
    (tmp_path / "p.bpl").write_text("procedure main(a: int, b: int) { assert a + b != 7; }")
    result = verify(Request((str(tmp_path / "p.bpl"),)), [Stage("bounded")], 60)
    assert isinstance(result.verdict, Violated), result
    assert not result.verdict.replay.surroundings
