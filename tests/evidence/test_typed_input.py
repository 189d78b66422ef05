"""What a program reads from a text: the interpreter comes to the assertion where the compiled program does."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from craton import load
from craton.evidence.typed_input import run_on_text
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
    run, _ = run_on_text(load(file), (), typed.encode(), 100_000)
    assert isinstance(run.outcome, ReachedError) is fails


def test_some_of_these_texts_fail_and_some_do_not() -> None:
    """So the comparison says something."""
    programs = {text: load(source=HEAD + text) for text, _ in TEXTS}
    outcomes = [run_on_text(programs[text], (), typed.encode(), 100_000)[0].outcome for text, typed in TEXTS]
    failing = sum(isinstance(outcome, ReachedError) for outcome in outcomes)
    assert 4 <= failing <= len(TEXTS) - 4


def test_the_way_of_a_run_on_a_text() -> None:
    program = load(source=HEAD + LINES.replace("int n", "\nint n").replace(" n = 10", "\n n = 10"))
    ((location, violated),) = program.errors.items()
    replay = Replay(location, (), (), surroundings=Surroundings(standard_input=b"abcde\n\x32\n"))
    steps = [step for step in way(replay, program, violated.check) if not isinstance(step, Rounds)]
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
