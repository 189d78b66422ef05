"""`craton verify`: does the property hold? With a proof, a failing input, or the reason why neither was found."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

from craton.arguments.sources import requested
from craton.arguments.verifying import add_verify_arguments, evidence_files_of, output_of, stages_of
from craton.errors import CratonError
from craton.files import CannotWrite, check_can_be_written, check_own_places
from craton.verdicts.text import VerdictKind
from craton.words import INTERRUPTED

if TYPE_CHECKING:
    from craton.configuration.stages import Stage
    from craton.frontends.function_entry import FunctionProgram
    from craton.frontends.programs import Asked, Request
    from craton.processes.limits import Limits
    from craton.processes.supervision import Ending, Report
    from craton.report.verdict import Outcome

T = TypeVar("T")
_INTERRUPTED = 130  # as every command ends then

_DESCRIPTION = """\
Verifies that no error can be reached: no call of reach_error or __VERIFIER_error, no failing assert, no label ERROR,
or what the property file says. The answer is

  TRUE            with an inductive proof that a second solver has checked,
  FALSE(property) with inputs on which the compiled program reaches the error,
  UNKNOWN         with the reason.

Of a system of Horn clauses (.smt2) it is sat, with a model that a second solver has checked clause by clause; unsat,
with a derivation of false that was evaluated; or unknown.

Of several properties (CHECK lines of a property file, or property files of a task) each has its own answer; the first
line, and the exit code, are of the worst: FALSE before UNKNOWN before TRUE.
"""

_EPILOG = """\
examples:
  craton verify prog.c
  craton verify prog.c --property overflow,memsafety --time-limit 60
  craton verify prog.c --property all --each
  craton verify prog.c --property no-overflow.prp --data-model LP64
  craton verify task.yml --engine trace-abstraction --refine 'newton(it, sp, lv)'
  craton verify lib.c --function parse --property memsafety
  craton verify -p build/ main.c util.c --format sarif
  craton verify prog.c --proof proof.json && craton check proof.json prog.c
  craton verify prog.c --harness failing/ --witness witness.yml
  craton verify prog.bpl --stats
  craton verify clauses.smt2 --proof model.smt2

exit codes: 0 true, 1 false, 2 bad input, 3 unknown
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "verify",
        help="prove a program correct, or find inputs that make it fail",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    add_verify_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.engines import check_stage
    from craton.configuration.stages import DEFAULT

    stages = stages_of(args)
    if stages is not DEFAULT:
        for stage in stages:
            check_stage(stage)
    files = evidence_files_of(args)
    files.check()
    if args.report is not None:
        check_can_be_written(args.report)
    read = [*args.files, *(one for one in (args.property, args.stages, args.config) if one is not None)]
    check_own_places([args.report, files.proof, files.witness], [Path(one) for one in read])
    with _request_of(args) as (request, called):
        return _verified(args, request, _Work(args, stages, called))


@contextmanager
def _request_of(args: argparse.Namespace) -> Iterator[tuple[Request, FunctionProgram | None]]:
    """What the arguments name, and how a function that is to be called is."""
    request = requested(args)
    if args.build is not None:
        from craton.frontends.compile_commands import read_compile_commands, with_compile_commands

        request = with_compile_commands(request, read_compile_commands(args.build))
    elif not request.files:
        raise CratonError("name a program: C files, one Boogie program or one task definition; or -p DIR")
    if args.function is None:
        yield request, None
        return
    from craton.frontends.function_entry import calling

    if args.proof is not None or args.witness is not None:
        raise CratonError("--proof and --witness are of whole programs: leave them out, or --function")
    with tempfile.TemporaryDirectory(prefix="craton", ignore_cleanup_errors=True) as folder:
        called = calling(request, args.function, Path(folder))
        yield called.request, called


def _verified(args: argparse.Namespace, request: Request, work: _Work) -> int:
    from craton.frontends.programs import properties_asked
    from craton.processes.supervision import Ended, Interrupted, end_as_asked
    from craton.report.verdict import print_outcome, print_outcomes

    asked, output = properties_asked(request), output_of(args)
    if args.show_properties:
        return work.show_properties(asked)
    ending: Ending | None
    if args.each:
        final, ending = work.each_verified(asked)
    elif len(asked) == 1:
        final, ending = work.verified(request, args.time_limit, args.cpu_limit)
        print_outcome(final, output)
    else:
        told, ending = work.all_verified(asked)
        final = print_outcomes(told, output)
    if args.report is not None:
        _write_report(args, request, work.stages, final)
    sys.stdout.flush()
    if ending is not None:
        end_as_asked(ending)
        if isinstance(ending, Ended) and isinstance(ending.cause, Interrupted):
            return _INTERRUPTED
    if final.unwritten:
        print(f"craton: {final.unwritten}", file=sys.stderr)
        return CannotWrite.exit_code
    return final.verdict.kind.exit_code


def _write_report(args: argparse.Namespace, request: Request, stages: Sequence[Stage], final: Outcome) -> None:
    from craton.files import write_atomically
    from craton.report.checks import SourceTexts
    from craton.report.html import About, report

    if not final.sources:  # of a run that did not live to tell
        texts = SourceTexts()
        final.sources = {name: "\n".join(texts.lines(name)) for name in request.files}
    configuration = {
        "property": request.property_file or "reach (the default)",
        "ways": ", ".join(stage.name for stage in stages),
        "passes": final.passes,
        "limits": f"{args.time_limit:g} s"
        + ("" if args.cpu_limit is None else f", {args.cpu_limit:g} s of processor time"),
    }
    about = About(final.picture, configuration, _command(args))
    write_atomically(args.report, report(final, about))


def _command(args: argparse.Namespace) -> str:
    """The command line that was given, for those who want to do it again."""
    given: Sequence[str] = getattr(args, "words", ())
    return "craton " + shlex.join(given) if given else ""


@dataclass(frozen=True, slots=True)
class _Work:
    """Verifies what is asked for, as the arguments say."""

    args: argparse.Namespace
    stages: Sequence[Stage]
    called: FunctionProgram | None = None

    def show_properties(self, asked: Sequence[Asked]) -> int:
        from craton.commands.each import print_checks

        form = output_of(self.args).format
        if form not in ("text", "json"):
            raise CratonError(f"--show-properties prints text or JSON: {form} is for verdicts")
        print_checks(self._checks(asked), as_json=form == "json")
        return 0

    def _checks(self, asked: Sequence[Asked]) -> list[dict[str, Any]]:
        from craton.commands.each import listed_checks

        return self._renamed(listed_checks(asked))

    def _renamed(self, content: T) -> T:
        """In the user's words."""
        return content if self.called is None else cast(T, self.called.renamed(content))

    def _told(self, found: Outcome) -> Outcome:
        from craton.report.called import of_called

        return found if self.called is None else of_called(found, self.called)

    def verified(self, request: Request, seconds: float, cpu_seconds: float | None) -> tuple[Outcome, Ending]:
        """One property, in a process of its own within limits."""
        from craton.frontends.programs import is_horn
        from craton.processes.limits import Limits
        from craton.processes.supervision import Failed, supervise

        args, started = self.args, time.monotonic()
        line = _ProgressLine(sys.stderr, silent=args.quiet or output_of(args).format != "text")
        limits = Limits(seconds, cpu_seconds, _bytes(args.memory_limit))
        outside = limits.of_counted_work if args.deterministic else limits
        ending = supervise(lambda report: self._work(request, limits, report), outside, line.show, last_words=True)
        line.clear()
        final = _outcome_of(ending, line, debug=args.debug)
        if is_horn(request) and not final.answer:
            final.answer = final.verdict.kind.value
        if not isinstance(ending, Failed):
            final.statistics["peak memory (MiB)"] = round(ending.usage.memory / 2**20)
            final.statistics["processor time (s)"] = round(ending.usage.cpu, 2)
        if not final.sources:
            final.sources = _texts(request.files)
        final.warnings += _left_out(args, self.stages)
        final.statistics["wall time (s)"] = round(time.monotonic() - started, 2)
        return self._told(final), ending

    def _work(self, request: Request, limits: Limits, report: Report) -> Outcome:
        """In the worker."""
        from craton.evidence.files import write_evidence
        from craton.frontends.programs import is_horn
        from craton.report.so_far import Reporting
        from craton.report.verdict import outcome
        from craton.verification.beginning import verify
        from craton.verification.scheduling import own_limits

        args, files = self.args, evidence_files_of(self.args)
        own = own_limits(limits)
        if is_horn(request):
            return self._of_system(request, own, report)
        reporting = Reporting(report, learned=args.report is not None)
        result = verify(
            request,
            self.stages,
            own.wall,
            reporting.progress,
            confirm=not args.no_confirm,
            jobs=args.jobs,
            cpu=own.cpu,
            memory=own.memory,
            deterministic=args.deterministic,
            loaded=reporting.loaded,
        )
        told = outcome(result)
        if (args.report is not None or args.picture) and result.program is not None:
            from craton.program.picture import to_svg

            told.picture = to_svg(result.program)
        if any((files.proof, files.harness, files.witness)):
            told.files, told.unwritten = write_evidence(request, result, files)
        return told

    def _of_system(self, request: Request, limits: Limits, report: Report) -> Outcome:
        """Of Horn clauses: an answer in the words of that world."""
        from craton.configuration.stages import DEFAULT
        from craton.evidence.system_files import write_system_evidence
        from craton.frontends.programs import load_system
        from craton.report.system import outcome_of_system
        from craton.verification.systems import verify_system
        from craton.verification.template_names import check_stages

        if self.args.without:
            raise CratonError("--without is for programs: Horn clauses have stages of their own; see --stages")
        system, stages = load_system(request), None if self.stages is DEFAULT else self.stages
        check_stages(stages or (), system)
        result = verify_system(
            system,
            stages,
            limits.wall,
            lambda *progress: report(progress),
            confirm=not self.args.no_confirm,
            jobs=self.args.jobs,
            cpu=limits.cpu,
            memory=limits.memory,
            deterministic=self.args.deterministic,
        )
        told = outcome_of_system(result.answer, result.system, result.stage, result.statistics)
        files = evidence_files_of(self.args)
        if any((files.proof, files.harness, files.witness)):
            told.files, told.unwritten = write_system_evidence(
                request, result.answer, result.system, files, result.stage
            )
        return told

    def _refuse_evidence(self, why: str) -> None:
        files = evidence_files_of(self.args)
        if any((files.proof, files.harness, files.witness)):
            raise CratonError(why)

    def each_verified(self, asked: Sequence[Asked]) -> tuple[Outcome, Ending | None]:
        """Each check of each property, within the limits of time."""
        from craton.commands.each import EachCheck, print_each
        from craton.processes.supervision import Ended, Interrupted
        from craton.report.verdict import outcome_without_result

        self._refuse_evidence("evidence is of a whole property: leave out --each")
        ending: Ending | None = None
        deadline, cpu_left = time.monotonic() + self.args.time_limit, self.args.cpu_limit

        def verified(request: Request, seconds: float) -> Outcome:
            nonlocal ending, cpu_left
            if isinstance(ending, Ended) and isinstance(ending.cause, Interrupted):
                return outcome_without_result(INTERRUPTED)
            found, ending = self.verified(request, seconds, cpu_left)
            cpu_left = _less(cpu_left, found)
            return found

        told: list[tuple[dict[str, Any], Outcome]] = []
        for number, one in enumerate(asked):
            entries = [entry for entry in self._checks([one]) if entry["check"]]
            left = deadline - time.monotonic()
            work = EachCheck(one.request, verified, time.monotonic() + left / (len(asked) - number))
            work.find([entry["check"] for entry in entries])
            told += [(entry, work.outcomes[entry["check"]]) for entry in entries]
        return print_each(told, output_of(self.args)), ending

    def all_verified(self, asked: Sequence[Asked]) -> tuple[list[tuple[Asked, Outcome]], Ending | None]:
        """Each property apart from the others, with an equal part of what is left of the limits."""
        from craton.processes.supervision import Ended, Interrupted
        from craton.report.verdict import outcome_without_result
        from craton.verification.scheduling import equal_part

        self._refuse_evidence(
            f"evidence is of one property, and here are {len(asked)}: name one with --property"
            f" ({', '.join(one.formula for one in asked)})"
        )
        deadline, cpu_left = time.monotonic() + self.args.time_limit, self.args.cpu_limit
        told: list[tuple[Asked, Outcome]] = []
        ending: Ending | None = None
        for number, one in enumerate(asked):
            interrupted = isinstance(ending, Ended) and isinstance(ending.cause, Interrupted)
            if one.unsupported or interrupted:
                told.append((one, outcome_without_result(one.unsupported or INTERRUPTED)))
                continue
            rest = sum(not later.unsupported for later in asked[number:])
            seconds = max(0.1, (deadline - time.monotonic()) / rest)
            try:
                found, ending = self.verified(one.request, seconds, equal_part(cpu_left, rest))
            except CratonError as problem:
                if problem.exit_code != VerdictKind.UNKNOWN.exit_code:
                    raise
                found = outcome_without_result(str(problem))
            cpu_left = _less(cpu_left, found)
            told.append((one, found))
        return told, ending


def _texts(files: Sequence[str]) -> dict[str, str]:
    """Of programs of which a run that was ended has told nothing."""
    from craton.report.checks import SourceTexts

    texts = SourceTexts()
    return {file: "\n".join(texts.lines(file)) for file in files if file.endswith((".c", ".i", ".bpl", ".smt2"))}


def _left_out(args: argparse.Namespace, stages: Sequence[Stage]) -> list[str]:
    """What a user who compares refiners should know."""
    from craton.configuration.engines import refines

    if args.refine is None:
        return []
    if args.engine is not None:
        return [] if refines(args.engine) else [f"--refine has no effect: {args.engine} does not refine"]
    names = ", ".join(dict.fromkeys(stage.engine for stage in stages))
    return [f"--refine without --engine: only the ways that refine are used ({names})"]


def _less(cpu_left: float | None, used: Outcome) -> float | None:
    """What a run has left of the processor time."""
    return None if cpu_left is None else max(0.1, cpu_left - used.statistics.get("processor time (s)", 0.0))


def _bytes(mebibytes: float | None) -> int | None:
    return None if mebibytes is None else int(mebibytes * 2**20)


def _outcome_of(ending: Ending, line: _ProgressLine, *, debug: bool) -> Outcome:
    from craton.processes.supervision import Done, Failed
    from craton.report.verdict import outcome_of_failure
    from craton.verification.isolation import limit_reached

    match ending:
        case Failed():
            return outcome_of_failure(ending, debug=debug)
        case Done(value):
            done: Outcome = value
            return done
        case _:
            return line.so_far.outcome(ending.reason, limit_reached(ending))


class _ProgressLine:
    """One line that is written over on a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO, silent: bool) -> None:
        from craton.report.so_far import SoFar

        self.so_far = SoFar()
        self.stream = stream
        self.silent = silent
        self.started = time.monotonic()
        self.printed = self.started
        self.live = stream.isatty()
        self.shown = False

    def show(self, content: Any) -> None:
        told = self.so_far.heard(content)
        if told is None:
            return
        progress, statistics = told
        now = time.monotonic()
        seldom = max(2.0, (self.printed - self.started) / 2)  # where lines stay: ever more seldom
        if self.silent or (not self.live and now - self.printed < seldom):
            return
        self.printed = now
        who = f"  {progress.by}:" if progress.by else ""
        parts = sorted(statistics.purposes.items(), key=lambda item: -item[1].seconds)[:3]
        text = (
            f"{now - self.started:6.1f} s{who}  iteration {progress.iteration}, trace {progress.trace_length},"
            f" predicates {progress.predicates}, states {progress.states}"
            f"  ({', '.join(f'{name} {tally.seconds:.1f} s' for name, tally in parts)})"
        )
        if self.live:
            self.stream.write(f"\r\x1b[2K{text[: get_terminal_size().columns - 1]}")
            self.shown = True
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def clear(self) -> None:
        if self.shown:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
