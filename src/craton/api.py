"""What `import craton` can do: functions over the spine for programs in Python. The package's root names them.

The limits of a call are kept as those of a command are: the work is done in a process of its own, which is ended.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from craton.errors import CratonError
from craton.frontends.programs import Request, load_program, properties_asked

if TYPE_CHECKING:
    from craton.configuration.stages import Stage
    from craton.engines.contract import Engine, Progress, Statistics
    from craton.frontends.function_entry import FunctionProgram
    from craton.library.result import Result
    from craton.library.subject import Subject
    from craton.processes.limits import Limits
    from craton.program.cfa import Program
    from craton.report.verdict import Outcome
    from craton.traces.explanation import Explanation
    from craton.traces.refutation import Refiner
    from craton.trees.explanation import TreeExplanation
    from craton.verdicts import result as plain

File = str | os.PathLike[str]
DataModel = Literal["ILP32", "LP64"]
Language = Literal["c", "boogie"]
UnknownFunctions = Literal["pure", "arbitrary", "refuse"]

_USUAL_SECONDS = 300.0


def verify(
    *files: File,
    source: str | None = None,
    language: Language = "c",
    function: str | None = None,
    property: File | None = None,
    engine: str | Engine | None = None,
    refine: str | Refiner | None = None,
    encoding: Literal["bv", "int", "ideal"] | None = None,
    floats: Literal["exact", "real"] | None = None,
    arrays: Literal["exact", "cells", "all", "prefixes"] | None = None,
    loops: Literal["exact", "accelerated"] | None = None,
    solver: str | None = None,
    seed: int | None = None,
    data_model: DataModel | None = None,
    include: Sequence[File] = (),
    define: Sequence[str] = (),
    unknown_functions: UnknownFunctions | None = None,
    passes: str | None = None,
    time_limit: float | None = _USUAL_SECONDS,
    cpu_limit: float | None = None,
    memory_limit: float | None = None,
    jobs: int = 1,
    confirm: bool = True,
    watch: Callable[[Progress, Statistics], None] | None = None,
) -> Result:
    """Does the program have the property? `result.verdict` is `Proved`, `Violated` or `Unknown`, with its evidence.

    Files are C files, one Boogie program or one task definition; or `source` is the text of a program, in a `language`.
    `function` is called with arbitrary arguments and global variables instead of `main`.
    `property` is a property file, or names (`"overflow,memsafety"`). Engines and refiners are values
    (`craton.TraceAbstraction(craton.Newton())`) or what one writes on the command line. Without any of them several
    ways take turns, `jobs` of them at once. `passes` are those that run ("slicing,constants", "none"; all by default).
    Limits are seconds and MiB, of all processes. What is wrong with the input is raised as `craton.CratonError`.
    `watch` is called with the engine's progress now and then.
    """
    from craton.processes.limits import Limits
    from craton.program.passes import read_passes

    subject = _subject(files, source, language, property, data_model, include, define)
    request = replace(subject.request, unknown_functions=unknown_functions)
    if passes is not None:
        request = replace(request, passes=read_passes(passes))
    stages = _stages(engine, refine, encoding, floats, arrays, loops, solver, seed)
    several = dict.fromkeys(one.file for one in properties_asked(request))
    if len(several) > 1:
        raise CratonError(f"a result is of one property file, and the task has {', '.join(several)}: name one")
    for name, number in (("time_limit", time_limit), ("cpu_limit", cpu_limit), ("memory_limit", memory_limit)):
        if number is not None and not number > 0:
            raise CratonError(f"{name}={number}: expected a positive number")
    if jobs < 1:
        raise CratonError(f"jobs={jobs}: expected a whole number from 1 on")
    limits = Limits(time_limit, cpu_limit, None if memory_limit is None else int(memory_limit * 2**20))
    return _verified(replace(subject, request=request), function, stages, limits, confirm, jobs, watch)


def _verified(
    subject: Subject,
    function: str | None,
    stages: Sequence[Stage],
    limits: Limits,
    confirm: bool,
    jobs: int,
    watch: Callable[[Progress, Statistics], None] | None,
) -> Result:
    """In a process of its own within limits; what is told of the verdict is made there, where its files are."""
    from craton.library.result import Result
    from craton.library.subject import inside
    from craton.processes.supervision import Done, Failed, Report, supervise
    from craton.report.so_far import Reporting, SoFar
    from craton.report.verdict import outcome
    from craton.verdicts import result as plain
    from craton.verdicts.verdict import Unknown
    from craton.verification.beginning import verify
    from craton.verification.isolation import limit_reached
    from craton.verification.scheduling import own_limits

    own = own_limits(limits)
    so_far = SoFar()

    def work(request: Request, report: Report) -> tuple[plain.Result, Outcome]:
        reporting = Reporting(report, learned=True)
        found = verify(
            request,
            stages,
            own.wall,
            reporting.progress,
            confirm=confirm,
            jobs=jobs,
            cpu=own.cpu,
            memory=own.memory,
            loaded=reporting.loaded,
        )
        return found, outcome(found)

    def heard(told: object) -> None:
        progress = so_far.heard(told)
        if watch is not None and progress is not None:
            watch(*progress)

    begun = time.monotonic()
    with subject.at_hand() as folder, subject.calling(function, folder) as called:
        request = subject.request if called is None else called.request
        ending = supervise(lambda report: inside(folder, lambda: work(request, report)), limits, heard)
    match ending:
        case Done(value):
            found, told = value
        case Failed(error):
            raise error
        case _:
            limit = limit_reached(ending)
            found = plain.Result(Unknown(ending.reason, limit), seconds=time.monotonic() - begun)
            told = so_far.outcome(ending.reason, limit)
    return Result.of(found, told, subject) if called is None else _of_called(found, told, called)


def _of_called(found: plain.Result, told: Outcome, called: FunctionProgram) -> Result:
    """Of a function, in the words of the file that has it."""
    from craton.library.result import Result
    from craton.program.origin import SourceRange
    from craton.report.called import of_called
    from craton.verdicts.text import VerdictKind
    from craton.verdicts.verdict import Proved, Unknown, Violated

    told = of_called(told, called)
    match found.verdict:
        case Proved() if told.verdict.kind is VerdictKind.UNKNOWN:
            found = replace(found, verdict=Unknown(told.reason))
        case Violated(place=SourceRange(file=called.copy) as place) as violated:
            found = replace(found, verdict=replace(violated, place=replace(place, file=called.original)))
    return Result.of(found, told, None)


def load(
    *files: File,
    source: str | None = None,
    language: Language = "c",
    property: File | None = None,
    data_model: DataModel | None = None,
    include: Sequence[File] = (),
    define: Sequence[str] = (),
) -> Program:
    """The program that files of C or Boogie or a task definition stand for: procedures with automata."""
    subject = _subject(files, source, language, property, data_model, include, define)
    with subject.at_hand() as folder:
        request = subject.request
        if folder is not None:
            request = replace(request, files=tuple(str(folder / name) for name in request.files))
        return load_program(request)


def explain(
    *files: File,
    source: str | None = None,
    language: Language | Literal["clauses"] = "c",
    refine: Sequence[str | Refiner] | None = None,
    unroll: int = 2,
    property: File | None = None,
    data_model: DataModel | None = None,
    include: Sequence[File] = (),
    define: Sequence[str] = (),
    time_limit: float = 60.0,
) -> Explanation | TreeExplanation:
    """A spurious error path of the program, or a spurious derivation of false of a system of Horn clauses, and what
    each refiner learns from it. Loops and recursion are gone round `unroll` times at most. What is left of the time is
    divided among the refiners that are still to be asked.
    """
    from craton.library.explaining import explained

    subject = _subject(files, source, language, property, data_model, include, define)
    return explained(subject, refine, unroll, time_limit)


# --- from what users say to what the spine takes ----------------------------------------------------------------------


def _subject(
    files: Sequence[File],
    source: str | None,
    language: str,
    property: File | None,
    data_model: DataModel | None,
    include: Sequence[File],
    define: Sequence[str],
) -> Subject:
    from craton.library.subject import SUFFIXES, Subject

    if source is not None and files:
        raise CratonError("either files or the source of a program, not both")
    if source is None and not files:
        raise CratonError("name a program: C files, one Boogie program or one task definition")
    if language not in SUFFIXES:
        raise CratonError(f"{language!r} is no language: known are {', '.join(SUFFIXES)}")
    request = Request(
        tuple(os.fspath(file) for file in files),
        None if property is None else os.fspath(property),
        data_model,
        tuple(os.fspath(folder) for folder in include),
        tuple(define),
    )
    return Subject(request) if source is None else Subject.of_text(source, language, request)


def _stages(
    engine: str | Engine | None,
    refine: str | Refiner | None,
    encoding: str | None,
    floats: str | None,
    arrays: str | None,
    loops: str | None,
    solver: str | None,
    seed: int | None,
) -> Sequence[Stage]:
    """What is tried; an expression with a mistake is told before any work is done."""
    from craton.configuration.engines import check_stage
    from craton.configuration.stages import DEFAULT
    from craton.verification.stages import GivenEngine, chosen_stages

    if engine is not None and not isinstance(engine, str):
        if refine is not None or solver is not None:
            raise CratonError(f"{engine.name} has its refiner and its solver already: say them when you make it")
        return [GivenEngine.of(engine, encoding, floats, arrays, loops)]
    expression = refine if refine is None or isinstance(refine, str) else _expression(refine)
    stages = chosen_stages(
        engine, expression, encoding=encoding, floats=floats, arrays=arrays, loops=loops, solver=solver, seed=seed
    )
    if stages is not DEFAULT:
        for stage in stages:
            check_stage(stage)
    return stages


def _expression(value: Refiner) -> str:
    """The refiner as one writes it: stages are made of expressions."""
    from craton.configuration.refiners import refiner

    try:
        same = refiner(value.name) == value
    except CratonError:
        same = False
    if not same:
        raise CratonError(f"{value.name} has no expression: give it to an engine, as TraceAbstraction(refiner)")
    return value.name
