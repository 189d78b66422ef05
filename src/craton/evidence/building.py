"""C compilers, and what they have to be told so that a program means what it meant when it was verified."""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from craton.evidence.harness import PROGRAM_MAIN, SANITIZED
from craton.processes.sandbox import run_tool
from craton.program.cfa import OVERFLOW

MEMORY = 2 << 30  # bytes for a compiler
_PROBE_SECONDS = 10.0
MODELS = {"ILP32": ("-m32", "-msse2", "-mfpmath=sse"), "LP64": ("-m64",)}
# Newer compilers refuse by default what older ones only warned of.
_LENIENT = (
    "-w -Wno-implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-return-type "
    "-Wno-incompatible-pointer-types -Wno-incompatible-function-pointer-types"
).split()
# -frounding-math: without it gcc folds `0.0 - (double)i` to `-(double)i`, which is -0.0 for i = 0.
_MEANING = (
    "-O0 -g -fno-strict-aliasing -ffp-contract=off -frounding-math -fno-stack-protector -fcf-protection=none -fno-pie "
    "-fcommon"
).split()
# Every function with a body gets code, whichever dialect's rules for inline it was written for.
_BODIES = ("-Dinline=", "-D__inline=", "-D__inline__=")
_OVERFLOW = (
    "-fsanitize=signed-integer-overflow,shift-base -fno-builtin-abs -fno-builtin-labs -fno-builtin-llabs".split()
)
_ADDRESS = ("-fsanitize=address", "-fno-omit-frame-pointer")
# The sanitizer notices what goes beyond the end of a variable: before the first one there must be another.
GUARDS, GUARDS_TEXT = (
    "guards.h",
    """\
__attribute__((used)) static char __craton_guard_zero[65536];
__attribute__((used)) static char __craton_guard_data[65536] = {1};
__attribute__((used)) static const char __craton_guard_constant[65536] = {1};
""",
)
# What cannot be reached may use what nobody defines.
_LINK = ("-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-Wl,--allow-multiple-definition", "-Wl,-z,noexecstack")
DIALECTS = ("-std=gnu11", "-std=gnu89")


@dataclass(frozen=True, slots=True)
class Job:
    """Files to be compiled and linked with a harness, in the directory they are in."""

    directory: Path
    sources: tuple[str, ...]
    harness: str
    data_model: str
    violated: str
    options: tuple[str, ...]  # of the program: where it finds its headers, what it has defined
    own_main: bool
    other_main: bool
    included: tuple[str, ...] = ()  # headers of ours, before each file of the program
    defines: tuple[str, ...] = field(default=())  # of the harness


@dataclass(frozen=True, slots=True)
class Failed:
    """The first thing that a compiler did not like; or there was no time to hear it."""

    reason: str
    late: bool = False


def compilers() -> tuple[str, ...]:
    """The C compilers of this machine, each once, whatever it is called."""
    found: dict[str, str] = {}
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path is not None:
            found.setdefault(os.path.realpath(path), name)
    return tuple(found.values())


def build(job: Job, compiler: str, deadline: float) -> Path | Failed:
    """The program as a compiler makes it, in the first dialect that it accepts."""
    first: Failed | None = None
    for dialect in DIALECTS:
        problem = None
        for step in commands(job, compiler, dialect):
            ending, said = run_tool(step, job.directory, max(0.1, deadline - time.monotonic()), MEMORY)
            if ending.code != 0:
                if time.monotonic() > deadline:
                    return Failed(f"no time left to compile the program: {compiler} {ending}", late=True)
                problem = Failed(f"{compiler} {ending}" if ending.code is None else _complaint(said, compiler))
                break
        if problem is None:
            return job.directory / "replay"
        first = first or problem
    assert first is not None
    return first


def commands(job: Job, compiler: str, dialect: str) -> Iterator[tuple[str, ...]]:
    """What to call, one after the other, in the directory of the job."""
    machine = MODELS[job.data_model]
    objects = []
    for source in job.sources:
        objects.append(f"{source}.o")
        yield (compiler, *machine, *program_flags(job, compiler), dialect, "-x", "c", "-c", source, "-o", objects[-1])
    objects.append(f"{job.harness}.o")
    yield (compiler, *machine, *harness_flags(job), "-c", job.harness, "-o", objects[-1])
    yield (compiler, *machine, *link_flags(job), *objects, "-lm", "-o", "replay")


def program_flags(job: Job, compiler: str) -> tuple[str, ...]:
    flags = [*_MEANING, *_LENIENT, *_BODIES, *zeroing_flags(compiler), *job.options]
    flags += _OVERFLOW if job.violated == OVERFLOW.name else ["-fwrapv"]  # which would switch those checks off
    if job.violated in SANITIZED:
        flags += (*_ADDRESS, "-fno-common", *ordering_flags(compiler))
    if job.own_main and job.other_main:
        flags.append(f"-Dmain={PROGRAM_MAIN}")
    flags += [word for header in job.included for word in ("-include", header)]
    return tuple(flags)


def harness_flags(job: Job) -> tuple[str, ...]:
    return ("-O0", "-g", "-w", "-std=gnu11", "-fno-builtin", "-fno-pie", "-fcf-protection=none", *job.defines)


def link_flags(job: Job) -> tuple[str, ...]:
    return (*_LINK, *(_ADDRESS if job.violated in SANITIZED else ()))


@functools.cache
def zeroing_flags(compiler: str) -> tuple[str, ...]:
    """What makes locals without a value zero; nothing if the compiler cannot do it."""
    usual = "-ftrivial-auto-var-init=zero"
    for flags in ((usual,), (usual, "-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang")):
        if _accepts(compiler, flags):
            return flags
    return ()


@functools.cache
def ordering_flags(compiler: str) -> tuple[str, ...]:
    """What makes variables stand in memory as they do in the text; clang does so by itself."""
    flags = ("-fno-toplevel-reorder",)
    return flags if _accepts(compiler, flags) else ()


def _accepts(compiler: str, flags: Sequence[str]) -> bool:
    with tempfile.TemporaryDirectory(prefix="craton") as folder:
        directory = Path(folder)
        (directory / "probe.c").write_text("int probe;\n")
        ending, _ = run_tool((compiler, *flags, "-fsyntax-only", "probe.c"), directory, _PROBE_SECONDS, MEMORY)
    return ending.code == 0


def _complaint(said: str, compiler: str) -> str:
    """The first error of a compiler or linker in one line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    pattern = re.compile(r"\berror:|cannot find|undefined|multiple definition", re.IGNORECASE)
    found = next(filter(pattern.search, lines), lines[0] if lines else "it failed without a word")
    return f"{compiler}: {found[:200]}"
