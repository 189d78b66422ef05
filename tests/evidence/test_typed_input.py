"""What a program reads from a text: the interpreter comes to the assertion where the compiled program does."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import pytest

from craton import load
from craton.evidence.typed_input import run_around
from craton.program.execution.outcomes import ReachedError
from craton.report.changes import told_changes
from craton.report.way import Rounds, way
from craton.verdicts.counterexample import Replay, Surroundings
from support.commands import command

HEAD = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\n"
CHARACTERS = (
    "int main(void) { int c, n = 0; while ((c = getchar()) != EOF) n = 10 * n + (c - '0');"
    " assert(n != 123); return 0; }"
)
LINES = (
    "int main(void) { char a[4]; int n = 0; while (fgets(a, sizeof a, stdin)) n = 10 * n + (int)strlen(a);"
    " assert(n != 332); return 0; }"
)
NUMBERS = (
    'int main(void) { int a = 0, b = 0; char c = 0; int n = scanf("%d , %x%c", &a, &b, &c);'
    " assert(n * 1000 + a + b + c != NUMBER); return 0; }"
)
MIXED = (
    'int main(void) { char a[9]; int n = 0; if (!fgets(a, 9, stdin)) return 1; if (scanf("%3d", &n) != 1) return 2;'
    " int c = getchar(); assert(a[0] != 'x' || n != 456 || c != '7'); return 0; }"
)
TEXTS = [
    (CHARACTERS, "123"),
    (CHARACTERS, "124"),
    (CHARACTERS, ""),
    (LINES, "abcdef\ngh"),  # "abc", "def", "\n" …
    (LINES, "abcdeg\n\n"),
    (LINES, "abcde\n\n"),
    (NUMBERS.replace("NUMBER", "3042 + 'z'"), " 10,\n20z"),
    (NUMBERS.replace("NUMBER", "2042"), "10 , 0x20"),
    (NUMBERS.replace("NUMBER", "1010"), "10 x"),
    (NUMBERS.replace("NUMBER", "-1000"), "  "),
    (NUMBERS.replace("NUMBER", "0"), "no"),
    (MIXED, "xyz\n 4567"),
    (MIXED, "xyzxyzxyz 4567"),
]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")
@pytest.mark.parametrize(("text", "typed"), TEXTS)
def test_the_interpreter_reads_what_the_compiled_program_reads(text: str, typed: str, tmp_path: Path) -> None:
    file, binary = tmp_path / "reads.c", tmp_path / "reads"
    file.write_text(HEAD + text)
    subprocess.run(["cc", "-w", "-o", str(binary), str(file)], check=True)
    fails = subprocess.run([str(binary)], input=typed.encode(), stderr=subprocess.DEVNULL, check=False).returncode < 0
    around = run_around(load(file), (), Surroundings(standard_input=typed.encode()), 100_000)
    assert isinstance(around.run.outcome, ReachedError) is fails


def test_some_of_these_texts_fail_and_some_do_not() -> None:
    """So the comparison says something."""
    programs = {text: load(source=HEAD + text) for text, _ in TEXTS}
    typed = [(programs[text], Surroundings(standard_input=one.encode())) for text, one in TEXTS]
    runs = [run_around(program, (), around, 100_000).run for program, around in typed]
    failing = sum(isinstance(run.outcome, ReachedError) for run in runs)
    assert 4 <= failing <= len(TEXTS) - 4


def test_the_way_of_a_run_on_a_text() -> None:
    program = load(source=HEAD + LINES.replace("int n", "\nint n").replace(" n = 10", "\n n = 10"))
    ((location, violated),) = program.errors.items()
    replay = Replay(location, (), (), surroundings=Surroundings(standard_input=b"abcde\n\x32\n"))
    steps = [step for step in way(replay, program, violated).steps if not isinstance(step, Rounds)]
    told = [one for step in steps for one in told_changes(asdict(step))]
    assert 'a = "abc" (input)' in told and "fgets(s = a, n = 4, f = stdin)" in told


def test_a_violation_that_was_found_on_a_drawn_text_has_a_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Short lines that others follow are no text: the counterexample is one of the runs of the compiled program."""
    file = tmp_path / "lines.c"
    file.write_text(
        HEAD + "int main(void) {\n  char line[32];\n  int count = 0;\n  while (fgets(line, sizeof line, stdin)) {\n"
        "    if (line[0] == '#') count++;\n    assert(count < 2);\n  }\n  return 0;\n}\n"
    )
    assert command("verify", file, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["way"][-1]["line"] == 9 and "standard input" in found["evidence"]


ARGUMENTS = (
    "int main(int argc, char **argv) { int n = argc; for (int i = 1; i < argc; i++) for (char *s = argv[i]; *s; s++)"
    " n = 10 * n + *s - '0'; assert(n != 3125 && argv[argc] == NULL); return 0; }"
)
COUNT = "int main(int argc, char *argv[]) { assert(argc != 3 || atoi(argv[2]) != 40); return 0; }"
ENVIRONMENT = (
    'int main(void) { char *home = getenv("HOME"), *user = getenv("USER"); if (!home) return 1;'
    ' assert(strcmp(home, "/x") || user); return 0; }'
)
FOUND = [
    (ARGUMENTS, ["12", "5"], {}),
    (ARGUMENTS, ["125"], {}),
    (ARGUMENTS, [], {}),
    (COUNT, ["", " 40x"], {}),
    (COUNT, ["40", ""], {}),
    (ENVIRONMENT, [], {"HOME": "/x"}),
    (ENVIRONMENT, [], {"HOME": "/x", "USER": ""}),
    (ENVIRONMENT, [], {"USER": "/x"}),
]


def found(arguments: list[str], environment: dict[str, str]) -> Surroundings:
    variables = tuple((name.encode(), value.encode()) for name, value in environment.items())
    return Surroundings((b"program", *(one.encode() for one in arguments)), variables)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")
@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize(("text", "arguments", "environment"), FOUND)
def test_the_interpreter_finds_what_the_compiled_program_finds(
    text: str, arguments: list[str], environment: dict[str, str], data_model: Literal["LP64", "ILP32"], tmp_path: Path
) -> None:
    """Pointers of either size; what is compared does not depend on it."""
    file, binary = tmp_path / "asks.c", tmp_path / "asks"
    file.write_text(HEAD + "#include <stdlib.h>\n" + text)
    subprocess.run(["cc", "-w", "-o", str(binary), str(file)], check=True)
    done = subprocess.run([str(binary), *arguments], env=environment, stderr=subprocess.DEVNULL, check=False)
    program = load(file, data_model=data_model)
    around = run_around(program, (), found(arguments, environment), 100_000)
    assert isinstance(around.run.outcome, ReachedError) is (done.returncode < 0)


def test_the_way_of_a_run_with_arguments_and_an_environment() -> None:
    text = """
int main(int argc, char **argv) {
  char *home = getenv("HOME");
  if (argc < 2 || !home) return 0;
  int n = atoi(argv[1]);
  char *end = strchr(home, '/');
  assert(n != 12 || *end != '/');
}
"""
    program = load(source=HEAD + "#include <stdlib.h>" + text)
    ((location, violated),) = program.errors.items()
    replay = Replay(location, (), (), surroundings=found(["12"], {"HOME": "x/y", "PATH": "z"}))
    steps = [step for step in way(replay, program, violated).steps if not isinstance(step, Rounds)]
    told = [list(told_changes(asdict(step))) for step in steps]
    assert told[0] == ["argc = 2 (input)", 'argv[1] = "12" (input)']
    assert told[1] == ['home = "x/y" (input)', 'getenv(name = "HOME")']
    assert told[3] == ["n = 12", "atoi(text = argv[1])"]  # and nothing of what atoi does
    assert told[4][0] == 'end = "x/y" + 1'
