"""Many programs in one compilation: starting compiler, assembler and linker takes longer than their work on one.

Each program gets a tag before its names, so that all fit into one unit (and their second units into another); each
runs in a process of its own, on its own inputs. What is compared is the checksum at the end, wherever the program ends.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cfuzz.oracle import (
    FLAGS,
    MODEL_FLAGS,
    NONDETS,
    PLAIN,
    UNIT,
    Checksum,
    CompileError,
    Crash,
    Model,
    Outcome,
    Timeout,
    Value,
    default_compiler,
    harness,
    token,
)

# Names that every program has. They stay what they are in the program's text, and are renamed by the preprocessor.
_COMMON = "main mix sign mix_float mix_double float_to_int checksum_globals __checksum node".split()
_TOKENS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\b\d[\w.]*|\b((?!u8")[A-Za-z]\w*\d\w*)')
_ALARM = 14

_HARNESS = (
    r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char *rest;
static int next_input(char *kind, unsigned long long *bits) {
    int used = 0;
    if (sscanf(rest, " %c%llx%n", kind, bits, &used) != 2) return 0;
    rest += used;
    return 1;
}
"""
    + NONDETS
    + r"""
void __VERIFIER_checksum(unsigned long long value) {}
static void report(int code, void *sum) {
    printf("%d %llx\n", code, *(unsigned long long *)sum);
    fflush(stdout);
    _exit(0);
}
void run_program(int program(void), unsigned long long *sum, unsigned seconds) {
    static char *line;
    static size_t room;
    int status;
    if (getline(&line, &room, stdin) < 0) exit(2);
    rest = line;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) exit(2);
    if (!child) {
        alarm(seconds);
        on_exit(report, sum);
        exit(program());
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
}
"""
)


def tagged(source: str, tag: int) -> str:
    """The program with `p<tag>_` before all of its names that end in numbers, that is, all but the common ones."""
    return _TOKENS.sub(lambda found: f"p{tag}_{found[0]}" if found[1] else found[0], source)


def outcomes(
    sources: Sequence[str], values: Sequence[Sequence[Value]], model: Model, *, seconds: int = 5
) -> list[Outcome]:
    """What tagged programs compute, each on its inputs; raises CompileError."""
    with tempfile.TemporaryDirectory(prefix="cfuzz") as name:
        folder = Path(name)
        for number, text in enumerate(_units(sources, seconds)):
            (folder / f"unit{number}.c").write_text(text)
        files = sorted(map(str, folder.glob("unit*.c")))
        compiler = default_compiler()
        command = [
            compiler,
            *FLAGS,
            *MODEL_FLAGS[model],
            *PLAIN,
            *files,
            str(harness(compiler, model, _HARNESS)),
            "-lm",
        ]
        result = subprocess.run([*command, "-o", f"{name}/programs"], capture_output=True, text=True)
        if result.returncode:
            raise CompileError(result.stderr)
        text = "".join(" ".join(map(token, line)) + "\n" for line in values)
        ran = subprocess.run([f"{name}/programs"], input=text, capture_output=True, text=True, check=True)
    found = list(map(_outcome, ran.stdout.splitlines()))
    assert len(found) == len(sources), ran
    return found


def _outcome(line: str) -> Outcome:
    first, second = line.split()
    if first != "signal":
        return Checksum(int(second, 16))
    return Timeout() if int(second) == _ALARM else Crash(f"signal {second}")


def _units(sources: Sequence[str], seconds: int) -> list[str]:
    """All first units, and all second ones."""
    first, second = ["extern void run_program(int (void), unsigned long long *, unsigned);"], []
    for number, source in enumerate(sources):
        text, *others = source.split(UNIT)
        first += [f"#define {name} {name}_{number}" for name in _COMMON]
        first += [text, *(f"#undef {name}" for name in _COMMON)]
        second += others
    runs = "".join(f"    run_program(main_{n}, &__checksum_{n}, {seconds});\n" for n in range(len(sources)))
    first.append(f"int main(void) {{\n{runs}    return 0;\n}}\n")
    return ["\n".join(first), *(["\n".join(second)] if second else [])]
