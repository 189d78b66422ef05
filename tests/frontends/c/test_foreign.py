"""Memory that the program did not make does not begin as zeros, though pointers to it go where pointers to the
program's own objects go.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from craton.cli import main
from craton.evidence.typed_input import run_around
from craton.program.execution.outcomes import ReachedError
from craton.verdicts.counterexample import Surroundings
from support.c_texts import loaded

HEAD = """
#include <stdlib.h>
void reach_error(void) { abort(); }
static char buffer[8]; static char *names[2];
static int at(const char *s, int i) { return s[i]; }
static char *element(char **of, int i) { return of[i]; }
"""
ARGUMENTS = [
    "int main(int argc, char **argv) { if (at(buffer, 0)) return 0;"
    " if (argc > 1 && at(argv[1], 0) == 'Q' && at(argv[1], 1) == 'z') reach_error(); }",
    "int main(int argc, char **argv) { if (element(names, 0)) return 0;"
    " if (argc > 1 && element(argv, 1)) reach_error(); }",
    "int main(int argc, char **argv) { char own[5000] = {0}; if (at(own, 0)) return 0;"
    " if (argc > 1 && at(argv[1], 0) == 'Q') reach_error(); }",
    "int main(int argc, char **argv) { char *q = 0; if (argc < 2 || at(buffer, 0)) return 0;"
    " for (unsigned i = 0; i < sizeof q; i++) ((char *)&q)[i] = ((char *)&argv[1])[i];"
    " if (at(q, 0) == 'Q' && q[1] == 'z') reach_error(); }",
]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")
@pytest.mark.parametrize("text", ARGUMENTS)
def test_arguments_are_read_as_the_compiled_program_reads_them(text: str, tmp_path: Path) -> None:
    file, binary = tmp_path / "asks.c", tmp_path / "asks"
    file.write_text(HEAD + text)
    subprocess.run(["cc", "-w", "-o", str(binary), str(file)], check=True)
    program = loaded(HEAD + text, tmp_path)
    for argument in ("Qz", ""):
        done = subprocess.run([str(binary), argument], stderr=subprocess.DEVNULL, check=False)
        run = run_around(program, (), Surroundings((b"program", argument.encode())), 100_000).run
        assert isinstance(run.outcome, ReachedError) is (done.returncode < 0)


ELSEWHERE = [
    "extern char **environ; int main(void) { if (at(buffer, 0)) return 0;"
    " if (environ && environ[0] && at(environ[0], 0) == 'Q' && at(environ[0], 1) == 'z') reach_error(); }",
    "extern char *name; int main(void) { if (at(buffer, 0)) return 0;"
    " if (name && at(name, 0) == 'Q' && at(name, 1) == 'z') reach_error(); }",
    "struct item { char *name; struct item *next; }; extern struct item *find(void); static struct item none;"
    " static struct item *next(struct item *i) { return i->next; }"
    " int main(void) { if (at(buffer, 0) || next(&none)) return 0; struct item *i = find();"
    " if (i && i->next && at(i->next->name, 0) == 'Q' && i->next->next) reach_error(); }",
    "struct handle { unsigned long name; }; extern struct handle *handle; int main(void) { if (at(buffer, 0)) return 0;"
    " if (handle && at((char *)handle->name, 0) == 'Q') reach_error(); }",
    "extern unsigned long handle; int main(void) { char *p = (char *)handle;"
    " if (p && p != buffer && at(p, 0) == 'Q') reach_error(); return at(buffer, 0); }",
    "extern unsigned long handle; union u { unsigned long n; char *q; }; int main(void) { union u v; v.n = handle;"
    " if (at(buffer, 0)) return 0; if (v.q && at(v.q, 0) == 'Q') reach_error(); }",
    "extern unsigned long handle; static char *bytes(unsigned long n) { char *q = 0; for (int i = 0; i < sizeof q; i++)"
    " ((char *)&q)[i] = ((char *)&n)[i]; return q; }"
    " int main(void) { char *q = bytes(handle); if (at(buffer, 0)) return 0;"
    " if (q && at(q, 0) == 'Q') reach_error(); }",
]
FROM_NUMBERS = [
    "if (n != (unsigned long)other) return 0; if (p[0] == 5) reach_error();",
    "if (p == other && p[0] == 5) reach_error();",
    "if (p && p != (int *)buffer && p[0]) reach_error();",
]


@pytest.mark.parametrize("text", ELSEWHERE)
def test_what_lies_behind_pointers_from_elsewhere_is_not_proved_to_be_zero(text: str, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.c"
    file.write_text(HEAD + text)
    assert main(["verify", str(file), "--engine", "bounded", "--no-confirm", "--quiet"]) != 0


@pytest.mark.parametrize("text", FROM_NUMBERS)
def test_a_number_may_be_the_address_of_another_object(text: str, tmp_path: Path) -> None:
    """Though the pointer that it becomes may point to one that is known, too."""
    file = tmp_path / "numbers.c"
    begin = "extern unsigned long choose(void); static int other[8] = {5}; int main(void) { unsigned long n = choose();"
    file.write_text(f"{HEAD} {begin} int *p = choose() ? (int *)n : (int *)buffer; {text} }}")
    assert main(["verify", str(file), "--engine", "bounded", "--no-confirm", "--quiet"]) != 0
