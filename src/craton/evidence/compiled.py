"""Counterexamples run for real: the program is compiled with a harness that hands out the inputs, and must reach the
error.

Where the program leaves a value open (an uninitialised variable, memory from malloc, what a library function wrote)
the compiled run has zero, as the interpreter has. If that does not reach the error, variables and memory are given the
counterexample's values (`unspecified_values`). A counterexample that needs an unspecified value which cannot be given
is told apart from a wrong one by the interpreter: it does not reach the error on zeros either.
"""

from __future__ import annotations

import re
import shlex
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from craton.errors import CratonError
from craton.evidence.building import (
    DIALECTS,
    FREESTANDING,
    GUARDS,
    GUARDS_TEXT,
    MODELS,
    MOST_SECONDS,
    Failed,
    Job,
    alone_flags,
    build,
    harness_flags,
    has_c_library,
    limits,
    link_flags,
    program_flags,
    zeroing_flags,
)
from craton.evidence.harness import (
    NOTHING_UNSPECIFIED,
    NoHarness,
    harness_text,
    has_own_main,
    marked_texts,
    open_declarations,
)
from craton.evidence.harness_frame import PROPERTIES, SANITIZED
from craton.evidence.surroundings import surrounded
from craton.evidence.unspecified_values import UnspecifiedValues, unspecified_values
from craton.files import CannotWrite, write_atomically
from craton.frontends.c.outline import Outline, outline_c
from craton.frontends.programs import CSource, Request, c_source
from craton.processes.compilers import compilers
from craton.processes.running_time import running_time
from craton.processes.sandbox import Ending, run_replay
from craton.program.cfa import ADDRESSES, DIVISION, OVERFLOW, UNREACH, Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.verdicts.counterexample import Compiled, NotCompiled, NotReached, Reached, ReadValue, Replay, as_number
from craton.words import counted

MEMORY = 1 << 30  # bytes that a run may use
_LIMITLESS = 60.0  # seconds for everything, where the caller sets no limit
_STEPS = 3_000_000  # of the interpreter, to find out whether open values matter
_OPENED = "values for what it leaves uninitialised"
_MEMORY_FOR_NULL = "memory for null pointers from outside"
_OF_VALUES = (UNREACH.name, OVERFLOW.name, DIVISION.name)  # which memory behind null pointers may decide
_REAL_HEAP = "blocks where the C library puts them"
_HARNESS, _OPEN = "harness.c", "open.h"


def run_compiled(
    request: Request, program: Program, replay: Replay, violated: str, seconds: float | None = None
) -> Compiled:
    """Compiles the program with the counterexample's inputs and runs it; with each compiler until one reaches the
    error: C leaves open in which order arguments are evaluated, and compilers differ.
    """
    begun = running_time()
    deadline = begun + (_LIMITLESS if seconds is None else seconds)
    problem = _no_use(request, violated)
    if problem:
        return NotCompiled(problem)
    found = compilers()
    if not found:
        return NotCompiled("there is no C compiler: none of cc, gcc and clang")
    source = c_source(request)
    try:
        outline = outline_of(source)
    except CratonError as trouble:
        return NotCompiled(str(trouble).partition("\n")[0])
    replay = surrounded(replay)
    attempt = _Attempt(source, outline, replay, violated, deadline, bool(program.approximated))
    first = result = attempt.result(found, NOTHING_UNSPECIFIED)
    if isinstance(first, NotReached) and first.late:
        return first
    given: list[str] = []
    opened = NOTHING_UNSPECIFIED
    if isinstance(result, NotReached):
        opened = unspecified_values(replay)
        if opened:
            given = [_OPENED]
            result = attempt.result(found, opened)
    if isinstance(result, NotReached) and violated in _OF_VALUES:
        if result.fault and any(map(_is_null, replay.inputs)):
            given = [*given, _MEMORY_FOR_NULL]
            result = attempt.result(found, opened, "-DCRATON_NO_NULL")
        if isinstance(result, NotReached) and ADDRESSES in program.approximated:
            given = [_REAL_HEAP]
            result = attempt.result(found, NOTHING_UNSPECIFIED, "-DCRATON_REAL_HEAP")
    if isinstance(result, Reached):
        return replace(result, seconds=running_time() - begun, given=tuple(given))
    if isinstance(first, NotReached) and replay.edges and _needs_open_values(program, replay):
        return NotReached("it depends on a value that the program leaves open, and no compiled run has it")
    return first


def _is_null(read: ReadValue) -> bool:
    return "*" in read.source.type and not read.value


@dataclass(frozen=True, slots=True)
class _Attempt:
    source: CSource
    outline: Outline
    replay: Replay
    violated: str
    deadline: float
    watched: bool  # by ourselves if nobody else does

    def result(self, found: tuple[str, ...], opened: UnspecifiedValues, *defines: str) -> Compiled:
        """With the first of the compilers whose program reaches the error."""
        with tempfile.TemporaryDirectory(prefix="craton", ignore_cleanup_errors=True) as folder:
            try:
                job = written_job(Path(folder), self.source, self.outline, self.replay, self.violated, opened)
            except (CratonError, OSError) as trouble:
                return NotCompiled(str(trouble).partition("\n")[0])
            job = replace(job, defines=("-DCRATON_SUPERVISED", *limits(job.data_model), *defines), watched=self.watched)
            ran: list[Compiled] = []
            failed: list[Compiled] = []
            for compiler in found:
                if running_time() < self.deadline:
                    result = self._with(compiler, job)
                    if isinstance(result, Reached):
                        return result
                    (failed if isinstance(result, NotCompiled) else ran).append(result)
        return (*ran, *failed, NotReached("no time left to compile the program", late=True))[0]

    def _with(self, compiler: str, job: Job) -> Compiled:
        binary = build(job, compiler, self.deadline)
        if isinstance(binary, Failed):
            return NotReached(binary.reason, late=True) if binary.late else NotCompiled(binary.reason)
        left = max(0.1, min(MOST_SECONDS, self.deadline - running_time()))
        ending, said = run_replay(binary, left, MEMORY)
        kinds = {line[:1] for line in said}
        if "R" in kinds:
            return Reached(compiler, len(self.replay.inputs), 0.0)
        if "U" in kinds:
            return NotCompiled(next(line[1:] for line in said if line.startswith("U")))
        if "S" in kinds:
            return NotCompiled("the compiled program cannot be confined: " + _told(ending, said))
        if job.violated in SANITIZED and not has_c_library(compiler, job.data_model):
            # What lies far away from all objects is not noticed, and functions are missing: this refutes nothing.
            return NotCompiled(f"{compiler} has no address sanitizer for {job.data_model}, and ours notices nothing")
        fault = ending.code == -signal.SIGSEGV
        told = f"the program compiled with {compiler} {_told(ending, said)}"
        return NotReached(told, fault, elsewhere="O" in kinds)


def write_harness(
    directory: Path, request: Request, program: Program, replay: Replay, violated: str, result: Compiled | None = None
) -> None:
    """The harness and the program, with a Makefile (`make run`, `make debug`) and a line on what this is. With the
    result of a run the kept program is given what that one was given.
    """
    problem = _no_use(request, violated)
    if problem:
        raise CratonError(f"no harness can be written: {problem}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        opened = unspecified_values(replay)
        source = c_source(request)
        job = written_job(directory, source, outline_of(source), surrounded(replay), violated, opened)
    except NoHarness as trouble:
        raise CratonError(f"no harness can be written: {trouble}") from None
    except OSError as trouble:
        raise CannotWrite(f"cannot write {directory}: {trouble.strerror}") from None
    if isinstance(result, Reached) and _MEMORY_FOR_NULL in result.given:
        job = replace(job, defines=("-DCRATON_NO_NULL",))
    if isinstance(result, Reached) and _REAL_HEAP in result.given:
        job = replace(job, defines=("-DCRATON_REAL_HEAP",))
    write_atomically(directory / "Makefile", _makefile(job, compilers()))
    names = ", ".join(request.files)
    count = counted(len(replay.inputs), "input")
    line = f"A run of {names} that violates {violated} on {count}: `make run` shows it, `make debug` stops there.\n"
    write_atomically(directory / "README", line)


def _no_use(request: Request, violated: str) -> str:
    """Why there is nothing to compile; "" if there is."""
    if any(name.endswith(".bpl") for name in request.files):
        return "Boogie programs are replayed by the interpreter"
    if violated not in PROPERTIES:
        return f"a compiled program does not show a violation of {violated}"
    return ""


# --- what is compiled -------------------------------------------------------------------------------------------------


def outline_of(source: CSource) -> Outline:
    return outline_c(source.files, source.specification, source.options)


def written_job(
    directory: Path, source: CSource, outline: Outline, replay: Replay, violated: str, opened: UnspecifiedValues
) -> Job:
    """Writes the program and its harness into a directory."""
    if source.options.data_model not in MODELS:
        raise NoHarness(f"there is no compiler for the data model {source.options.data_model}")
    text = harness_text(outline, source.specification, replay, violated, opened)
    write_atomically(directory / _HARNESS, text)
    headers = {GUARDS: GUARDS_TEXT} if violated in SANITIZED else {}
    if opened.locals or opened.objects:
        headers[_OPEN] = open_declarations(opened)
    for name, text in headers.items():
        write_atomically(directory / name, text)
    names = _copied(directory, source, outline, opened)
    beside = (*(path.parent for path in source.files), *map(Path, source.options.quoted))
    folders = dict.fromkeys(str(folder.resolve()) for folder in beside)
    options = [
        "-I.",  # headers in which an error is marked
        *(f"-iquote{folder}" for folder in folders),
        *(f"-I{Path(folder).resolve()}" for folder in source.options.include),
        *(f"-D{definition}" for definition in source.options.define),
    ]
    own_main = has_own_main(outline, source.specification, violated)
    return Job(
        directory,
        tuple(names),
        _HARNESS,
        source.options.data_model,
        violated,
        tuple(options),
        own_main,
        own_main and (outline.defines_main or source.specification.entry == "main"),
        tuple(headers),
    )


def _copied(directory: Path, source: CSource, outline: Outline, opened: UnspecifiedValues) -> Iterator[str]:
    """The program's files, and its headers if an error stands in one, with the errors marked."""
    marked = {Path(file).resolve(): text for file, text in marked_texts(outline, opened)}
    for number, path in enumerate(source.files):
        stem = re.sub(r"[^\w.]", "_", path.name)  # make knows no file with a space
        name = stem if len(source.files) == 1 and stem != _HARNESS else f"{number}_{stem}"
        text = marked.pop(path.resolve(), None)
        contents = path.read_bytes() if text is None else text.encode("latin-1")
        (directory / name).write_bytes(contents)
        yield name
    for file, text in marked.items():
        folder = next((p.parent.resolve() for p in source.files if file.is_relative_to(p.parent.resolve())), None)
        if folder is None:
            raise NoHarness(f"{file}: the error function stands in a header that is not beside the program")
        copy = directory / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text.encode("latin-1"))


# --- what it did ------------------------------------------------------------------------------------------------------


def _told(ending: Ending, said: list[str]) -> str:
    """What happened instead of the error: in the words of the harness if it has some, else how the process ended."""
    spoken = {line[:1]: line[1:] for line in said}
    if "O" in spoken:
        return f"comes to {spoken['O']} first"
    told = next((spoken[kind] for kind in "SEDAM" if kind in spoken), None)
    if told is not None:
        return told
    if "N" in spoken and ending.code == 0:
        return "ends without an error"
    return str(ending)


def _needs_open_values(program: Program, replay: Replay) -> bool:
    """Whether the inputs alone, with zeros for all that the program leaves open, do not lead the interpreter to the
    error: then the counterexample needs a value that only the interpreter can give.
    """
    try:
        outcome = Interpreter(program).run([as_number(read) for read in replay.inputs], step_limit=_STEPS).outcome
    except (CannotRun, RecursionError):
        return False
    return not isinstance(outcome, ReachedError)


# --- the directory for people -----------------------------------------------------------------------------------------


def _makefile(job: Job, found: tuple[str, ...]) -> str:
    """With the first compiler that there is; `make CC=clang` takes another, as far as it knows the flags."""
    compiler = found[0] if found else "cc"
    machine = MODELS[job.data_model]
    alone = not has_c_library(compiler, job.data_model)
    link = alone_flags() if alone else link_flags(job)
    objects = [f"{name}.o" for name in (*job.sources, job.harness)]
    lines = [
        f"CC = {compiler}",
        _variable("PROGRAM", (*machine, DIALECTS[0], *program_flags(job, compiler, zeroing_flags(compiler)))),
        _variable("HARNESS", (*machine, *harness_flags(job), *((FREESTANDING,) if alone else ()))),
        _variable("LINK", (*machine, *link)),
        "",
        f"replay: {' '.join((*job.sources, job.harness))}",
        *(f"\t$(CC) $(PROGRAM) -x c -c {source} -o {source}.o" for source in job.sources),
        f"\t$(CC) $(HARNESS) -c {job.harness} -o {job.harness}.o",
        f"\t$(CC) $(LINK) {' '.join(objects)}{'' if alone else ' -lm'} -o replay",
        "",
        ".PHONY: run debug clean",
        "run: replay",
        "\t./replay",
        "debug: replay",
        "\tgdb -ex \"break craton_stop if kind == 'R'\" -ex run ./replay",
        "clean:",
        f"\trm -f replay {' '.join(objects)}",
    ]
    return "\n".join(lines) + "\n"


def _variable(name: str, flags: tuple[str, ...]) -> str:
    return f"{name} = " + " ".join(map(_quoted, flags))


def _quoted(word: str) -> str:
    return shlex.quote(word).replace("$", "$$").replace("#", "\\#")
