"""Memory of programs of 32 bits is watched over by ourselves where there is no library of the address sanitizer. The
oracle is that sanitizer: it sees the same faults, and no others, in the same program compiled for 64 bits.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from craton.evidence.building import build, has_c_library
from craton.evidence.compiled import outline_of, written_job
from craton.evidence.harness import NOTHING_UNSPECIFIED
from craton.frontends.programs import Request, c_source
from craton.processes.compilers import compilers
from craton.processes.running_time import running_time
from craton.program.cfa import Location
from craton.verdicts.counterexample import Replay
from support.machine import runs_32_bits

FAULTS = {  # each with a neighbour that is none, and what stands before
    "a[n + 3] = 1": ("a[n + 2] = 1", "int a[3]; a[0] = 0;"),
    "p[-1 - n] = 1": ("p[n] = 1", "char *p = malloc(5);"),
    "p[n + 5] = 1": ("p[n + 4] = 1", "char *p = malloc(5);"),
    "c = *q": ("q = p", "char *p = malloc(5), *q = p, c; free(p);"),
    "c = global[n + 7]": ("c = global[n + 6]", "char c;"),
    "c = *(&global[n] - 1)": ("c = *&global[n]", "char c;"),
    "c = *kept()": ("kept()", "char c;"),
    "c = *q ": ("c = p", "int *q, c, p = n; { int inner[4]; inner[1] = 3; q = &inner[n]; }"),
    "c = *(int *)0": ("c = (int)(long)(int *)0", "int c;"),
    "memcpy(p, global, n + 6)": ("memcpy(p, global, n + 5)", "char *p = malloc(5);"),
    "n = strlen(p)": ("n = strlen(global)", "char *p = malloc(3); memset(p, 1, 3);"),
    "s.t[n + 2] = 1": ("s.t[n + 1] = 1", "struct { char t[2]; } s; struct { char t[2]; } *q = (void *)&s;"),
    "*(whole = pair, whole + n + 1) = pair[0]": ("*whole = pair[0]", "struct twelve pair[1], *whole = pair;"),
    "v[n + size] = 1": ("v[n + size - 1] = 1", "int size = n + 5; char v[size];"),
}
PROGRAM = """
typedef __SIZE_TYPE__ size; void *malloc(size); void free(void *); void *memcpy(void *, const void *, size);
void *memset(void *, int, size); size strlen(const char *); void exit(int);
char guard[64] = {{1}}; char global[7] = "seven"; struct twelve {{ int a[3]; }};
int *escaped; int *kept(void) {{ int local[2]; escaped = local; local[0] = 1; return escaped; }}
int many(int depth) {{ int here[40]; here[depth % 40] = depth; return depth ? many(depth - 1) + here[depth % 40] : 0; }}
volatile int which = 0x13572468;
int main() {{ int n = 0; int i; for (i = 0; i < 50; i++) n += many(i) & 0; switch (which) {{ {cases} }} return 0; }}
"""
OF_BLOCKS = {  # what is said of them where frees are looked at
    "free(p), free(p)": "error reached: valid-free",
    "free(p + 1)": "error reached: valid-free",
    "free(&n)": "error reached: valid-free",
    "free(p), *p = 1": "another fault",
    "free(p), free(0)": "",
}

pytestmark = pytest.mark.skipif(
    not runs_32_bits() or has_c_library(compilers()[0], "ILP32"), reason="there is a sanitizer, or nothing runs"
)


def _program(folder: Path, cases: list[tuple[str, str]]) -> Path:
    text = " ".join(f"case {i}: {{ {before} {what}; return 0; }}" for i, (before, what) in enumerate(cases))
    file = folder / "program.c"
    file.write_text(PROGRAM.format(cases=text), encoding="utf-8")
    return file


def _ours(folder: Path, file: Path, violated: str) -> Path:
    """The program under our watch."""
    source = c_source(Request((str(file),), violated, "ILP32"))
    nothing = Replay(Location(0), (), ())
    job = written_job(folder, source, outline_of(source), nothing, violated, NOTHING_UNSPECIFIED)
    binary = build(replace(job, watched=True), compilers()[0], running_time() + 60)
    assert isinstance(binary, Path), binary
    return binary


def _sanitized(folder: Path, file: Path) -> Path:
    flags = ["-fsanitize=address", "-fno-toplevel-reorder", "-w", "-O0", "-fno-stack-protector"]
    subprocess.run([compilers()[0], *flags, "-o", str(folder / "oracle"), str(file)], check=True)
    return folder / "oracle"


def _said(binary: Path, number: int) -> str:
    """What is said of one of the cases, whose number is put into the program."""
    case = binary.with_name(f"{binary.name}-{number}")
    held = binary.read_bytes()
    assert held.count(b"\x68\x24\x57\x13") == 1
    case.write_bytes(held.replace(b"\x68\x24\x57\x13", number.to_bytes(4, "little")))
    case.chmod(0o755)
    surroundings = {"ASAN_OPTIONS": "detect_stack_use_after_return=1:detect_leaks=0:symbolize=0"}
    ran = subprocess.run([str(case)], capture_output=True, text=True, env=surroundings, check=False, timeout=60)
    case.unlink()
    return ran.stdout + ran.stderr


def test_the_watch_sees_what_the_sanitizer_sees(tmp_path: Path) -> None:
    cases = [(before, text) for fault, (fine, before) in FAULTS.items() for text in (fault, fine)]
    file = _program(tmp_path, cases)
    ours, oracle = _ours(tmp_path, file, "valid-deref"), _sanitized(tmp_path, file)
    for number, (_, what) in enumerate(cases):
        said, expected = _said(ours, number), number % 2 == 0
        assert ("error reached: valid-deref" in said) is expected, (what, said)
        assert ("AddressSanitizer" in _said(oracle, number)) is expected, what


def test_the_watch_sees_what_is_freed(tmp_path: Path) -> None:
    file = _program(tmp_path, [("char *p = malloc(5);", what) for what in OF_BLOCKS])
    ours = _ours(tmp_path, file, "valid-free")
    for number, expected in enumerate(OF_BLOCKS.values()):
        said = _said(ours, number)
        assert expected in said if expected else "fault" not in said and "error" not in said, said


def test_memory_of_the_program_is_no_place_to_note_what_is_watched(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("char large[1u << 29]; int main() { int n[2]; large[(1u << 29) - 1] = n[1] = 1; return 0; }")
    said = subprocess.run([str(_ours(tmp_path, file, "valid-deref"))], capture_output=True, text=True, check=False)
    assert "there is no room to watch over memory" in said.stderr, said
