"""C compilers, and what they have to be told so that a program means what it meant when it was verified."""

from __future__ import annotations

import functools
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import craton.frontends.c
from craton.evidence.elf import Elf
from craton.evidence.harness_frame import PROGRAM_MAIN, SANITIZED
from craton.processes.running_time import running_time
from craton.processes.sandbox import Ending, Tool, run_tool
from craton.program.cfa import DIVISION, OVERFLOW

MEMORY = 2 << 30  # bytes for a compiler
MOST_SECONDS = 10.0  # for one run of a replay …
_ADDRESSES = {"ILP32": (4 << 30) - 4096, "LP64": 8 << 30}  # … and bytes that it may reserve
_PROBE_SECONDS = 10.0
MODELS = {"ILP32": ("-m32", "-msse2", "-mfpmath=sse"), "LP64": ("-m64",)}
# Newer compilers refuse by default what older ones only warned of.
_LENIENT = (
    "-w -Wno-implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-return-type "
    "-Wno-incompatible-pointer-types -Wno-incompatible-function-pointer-types"
).split()
# -frounding-math: without it gcc folds `0.0 - (double)i` to `-(double)i`, which is -0.0 for i = 0.
_MEANING = (
    "-O0 -g -pipe -fno-strict-aliasing -ffp-contract=off -frounding-math -fno-stack-protector -fcf-protection=none "
    "-fno-pie -fcommon"
).split()
# Every function with a body gets code, whichever dialect's rules for inline it was written for.
_BODIES = ("-Dinline=", "-D__inline=", "-D__inline__=")
# -ftrapv: without it gcc takes `n + 1 > 0` for `n >= 0` before the checks are put in; what it leaves unchecked then
# calls functions that the harness has.
_OVERFLOW = (
    "-ftrapv -fsanitize=signed-integer-overflow,shift-base -fno-builtin-abs -fno-builtin-labs -fno-builtin-llabs"
).split()
_DIVISION = ("-fsanitize=integer-divide-by-zero", "-fwrapv")
ADDRESS = ("-fsanitize=address", "-fno-omit-frame-pointer")
# Besides memory, what C leaves undefined without a word of this kind of property; a trap ends the run.
UNDEFINED = (
    *ADDRESS,
    "-fsanitize=shift-exponent,integer-divide-by-zero,unreachable,return,vla-bound,bounds",
    "-fsanitize-undefined-trap-on-error",
)
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
# The harness has these, where the address sanitizer has the functions themselves.
_WRAPPED = ("-Wl,--wrap=free,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup",)
DIALECTS = ("-std=gnu11", "-std=gnu89")
_ZEROING = ("-ftrivial-auto-var-init=zero",)  # of today's compilers
# Where there is no C library for the data model: Craton's headers, and the harness alone.
_HEADERS = Path(craton.frontends.c.__file__).parent / "headers"
FREESTANDING = "-DCRATON_FREESTANDING"
_OWN_HEADERS = ("-nostdinc", f"-isystem{_HEADERS}")
_ALONE = (
    "-static",
    "-nostdlib",
    "-Wl,--defsym=__data_start=ADDR(.data)",
    "-Wl,-z,noexecstack",
    "-Wl,--allow-multiple-definition",
)
_MISSING, _STREAMS = "missing.c", ("stdin", "stdout", "stderr")


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
    sanitizers: tuple[str, ...] = ()  # that watch over the program besides
    watched: bool = False  # by ourselves (`watch.c`) where there is no address sanitizer to link with


@dataclass(frozen=True, slots=True)
class Failed:
    """The first thing that a compiler did not like; or there was no time to hear it."""

    reason: str
    late: bool = False


def build(job: Job, compiler: str, deadline: float) -> Path | Failed:
    """The program as a compiler makes it, in the first dialect that it accepts."""
    if (job.violated in SANITIZED or job.sanitizers) and not has_c_library(compiler, job.data_model):
        if job.sanitizers or not job.watched:
            return Failed(f"{compiler} has no address sanitizer for {job.data_model}")
    first: Failed | None = None
    with Tool(_harness_command(job, compiler), job.directory, _seconds(deadline), MEMORY) as harness:
        for dialect in DIALECTS:
            problem = _built(job, compiler, dialect, harness, deadline)
            if problem is None:
                return job.directory / "replay"
            if problem.late:
                return problem
            first = first or problem
    assert first is not None
    return first


def _built(job: Job, compiler: str, dialect: str, harness: Tool, deadline: float) -> Failed | None:
    """In one dialect, while the harness, which is the longer text mostly, is compiled beside."""
    problem = _tried(_compilations(job, compiler, dialect, _ZEROING), job.directory, compiler, deadline)
    # What a compiler accepts takes as long to find out as a small program takes to compile: only where that failed.
    if problem is not None and not problem.late and (flags := zeroing_flags(compiler)) != _ZEROING:
        problem = _tried(_compilations(job, compiler, dialect, flags), job.directory, compiler, deadline)
    problem = problem or _problem(*harness.result(), compiler, deadline)
    return problem or _tried(_links(job, compiler), job.directory, compiler, deadline)


def _tried(steps: Iterator[tuple[str, ...]], directory: Path, compiler: str, deadline: float) -> Failed | None:
    for step in steps:
        problem = tried(step, directory, compiler, deadline)
        if problem is not None:
            return problem
    return None


def tried(step: tuple[str, ...], directory: Path, compiler: str, deadline: float) -> Failed | None:
    """Calls a compiler; None if it likes what it sees."""
    return _problem(*run_tool(step, directory, _seconds(deadline), MEMORY), compiler, deadline)


def _seconds(deadline: float) -> float:
    return max(0.1, deadline - running_time())


def _problem(ending: Ending, said: str, compiler: str, deadline: float) -> Failed | None:
    if ending.code == 0:
        return None
    if running_time() > deadline:
        return Failed(f"no time left to compile the program: {compiler} {ending}", late=True)
    return Failed(f"{compiler} {ending}" if ending.code is None else _complaint(said, compiler))


def _compilations(job: Job, compiler: str, dialect: str, zeroing: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What to call for the files of the program, in the directory of the job."""
    flags = (*MODELS[job.data_model], *program_flags(job, compiler, zeroing), dialect)
    for source in job.sources:
        yield (compiler, *flags, "-x", "c", "-c", source, "-o", f"{source}.o")


def _harness_command(job: Job, compiler: str) -> tuple[str, ...]:
    alone = () if has_c_library(compiler, job.data_model) else (FREESTANDING,)
    flags = (*MODELS[job.data_model], *harness_flags(job), *alone)
    return (compiler, *flags, "-c", job.harness, "-o", f"{job.harness}.o")


def _links(job: Job, compiler: str) -> Iterator[tuple[str, ...]]:
    machine = MODELS[job.data_model]
    objects = [f"{name}.o" for name in (*job.sources, job.harness)]
    if has_c_library(compiler, job.data_model):
        yield (compiler, *machine, *link_flags(job), *objects, "-lm", "-o", "replay")
    else:
        yield from linked_alone(job.directory, compiler, machine, objects)


def linked_alone(
    directory: Path, compiler: str, machine: Sequence[str], objects: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Without a C library: a run that calls a function which nobody defines says so."""
    files = [Elf.read(directory / name) for name in objects]
    defined = {symbol.name for file in files for symbol in file.symbols if symbol.is_defined}
    needed = sorted({symbol.name for file in files for symbol in file.symbols if symbol.is_needed} - defined)
    lines = ["void __craton_missing(const char *);\n"]
    lines += [f"void *{name} = &{name};\n" for name in needed if name in _STREAMS]
    called = frozenset[str]().union(*(file.only_called() for file in files))
    # What is not only called may be a variable: then there is nothing to link with.
    functions = [name for name in needed if name in called]
    lines += [f'__attribute__((weak)) void {name}(void) {{ __craton_missing("{name}"); }}\n' for name in functions]
    (directory / _MISSING).write_text("".join(lines))
    yield (compiler, *machine, "-w", "-O0", "-fno-builtin", "-fno-pie", "-c", _MISSING, "-o", f"{_MISSING}.o")
    yield (compiler, *machine, *_ALONE, *objects, f"{_MISSING}.o", "-o", "replay")


@functools.cache
def has_c_library(compiler: str, data_model: str) -> bool:
    """Whether programs can be linked with a C library here; for ILP32 many machines have none."""
    if data_model == "LP64":
        return True
    with tempfile.TemporaryDirectory(prefix="craton") as folder:
        command = (compiler, *MODELS[data_model], "-print-file-name=crt1.o")
        ending, said = run_tool(command, Path(folder), _PROBE_SECONDS, MEMORY)
    return ending.code == 0 and os.path.isabs(said.strip())


def header_flags(compiler: str, data_model: str) -> tuple[str, ...]:
    """Where the C library's headers are, if they are ours."""
    return () if has_c_library(compiler, data_model) else _OWN_HEADERS


def program_flags(job: Job, compiler: str, zeroing: Sequence[str]) -> tuple[str, ...]:
    flags = [*_MEANING, *_LENIENT, *_BODIES, *zeroing, *job.options]
    flags += header_flags(compiler, job.data_model)
    # The usual flag would switch the checks for overflow off.
    flags += {OVERFLOW.name: _OVERFLOW, DIVISION.name: _DIVISION}.get(job.violated, ["-fwrapv"])
    if job.violated in SANITIZED:
        flags += (*ADDRESS, "-fno-common", *ordering_flags(compiler))
    flags += job.sanitizers
    if job.own_main and job.other_main:
        flags.append(f"-Dmain={PROGRAM_MAIN}")
    flags += [word for header in job.included for word in ("-include", header)]
    return tuple(flags)


def harness_flags(job: Job) -> tuple[str, ...]:
    return ("-O0", "-w", "-pipe", "-std=gnu11", "-fno-builtin", "-fno-pie", "-fcf-protection=none", *job.defines)


def alone_flags() -> tuple[str, ...]:
    """To link a program by hand where there is no C library: what is missing must not be called."""
    return (*_ALONE, "-Wl,--unresolved-symbols=ignore-all")


def limits(data_model: str) -> tuple[str, ...]:
    """What the harness has to be told so that a run keeps its limits by itself."""
    return f"-DCRATON_SECONDS={ceil(MOST_SECONDS) + 1}u", f"-DCRATON_BYTES={_ADDRESSES[data_model]}ul"


def link_flags(job: Job) -> tuple[str, ...]:
    watched = (*ADDRESS, *_WRAPPED) if job.violated in SANITIZED else ()
    return (*_LINK, *watched, *job.sanitizers)


@functools.cache
def zeroing_flags(compiler: str) -> tuple[str, ...]:
    """What makes locals without a value zero; nothing if the compiler cannot do it."""
    for flags in (_ZEROING, (*_ZEROING, "-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang")):
        if accepts(compiler, flags):
            return flags
    return ()


@functools.cache
def ordering_flags(compiler: str) -> tuple[str, ...]:
    """What makes variables stand in memory as they do in the text; clang does so by itself."""
    flags = ("-fno-toplevel-reorder",)
    return flags if accepts(compiler, flags) else ()


def accepts(compiler: str, flags: Sequence[str]) -> bool:
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
