"""`craton verify`: does the property hold? With a proof, a failing input, or the reason why neither was found."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from craton.arguments.sources import requested
from craton.arguments.verifying import add_verify_arguments, evidence_files_of, stages_of
from craton.files import CannotWrite

if TYPE_CHECKING:
    from craton.engines.contract import Progress, Statistics
    from craton.processes.supervision import Report

_DESCRIPTION = """\
Verifies that no error can be reached: no call of reach_error or __VERIFIER_error, no failing assert, no label ERROR,
or what the property file says. The answer is

  TRUE            with an inductive proof that a second solver has checked,
  FALSE(property) with inputs on which the compiled program reaches the error,
  UNKNOWN         with the reason.
"""

_EPILOG = """\
examples:
  craton verify prog.c
  craton verify prog.c --property no-overflow.prp --data-model LP64 --time-limit 60
  craton verify task.yml --engine trace-abstraction --refine 'newton(it, sp, lv)'
  craton verify prog.c --proof proof.json && craton check proof.json prog.c
  craton verify prog.c --harness failing/ --witness witness.yml
  craton verify prog.bpl --stats

exit codes: 0 true, 1 false, 2 bad input, 3 unknown
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "verify",
        help="prove a program correct, or find inputs that make it fail",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_verify_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.engines import check_stage
    from craton.configuration.stages import DEFAULT
    from craton.processes.limits import Limits
    from craton.processes.supervision import Done, Failed, end_as_asked, supervise
    from craton.report.verdict import (
        Outcome,
        outcome,
        outcome_of_failure,
        outcome_without_result,
        print_outcome,
    )
    from craton.verification.isolation import limit_reached

    started = time.monotonic()
    request = requested(args)
    stages = stages_of(args)
    if stages is not DEFAULT:
        for stage in stages:
            check_stage(stage)
    files = evidence_files_of(args)
    files.check()
    seconds = args.time_limit

    def work(report: Report) -> Outcome:
        from craton.evidence.files import write_evidence
        from craton.verification.run import verify
        from craton.verification.scheduling import own_limit

        limit = own_limit(seconds)
        result = verify(request, stages, limit, lambda *progress: report(progress), confirm=not args.no_confirm)
        told = outcome(result)
        if any((files.proof, files.harness, files.witness)):
            told.files, told.unwritten = write_evidence(request, result, files)
        return told

    line = _ProgressLine(sys.stderr, silent=args.quiet or args.json)
    memory = None if args.memory_limit is None else int(args.memory_limit * 2**20)
    limits = Limits(seconds, args.cpu_limit, memory)
    ending = supervise(work, limits, line.show, last_words=True)
    line.clear()
    match ending:
        case Failed():
            final = outcome_of_failure(ending, debug=args.debug)
        case Done(value):
            final = value
        case _:
            final = outcome_without_result(ending.reason, limit_reached(ending))
            final.statistics = line.statistics
    if not isinstance(ending, Failed):
        final.statistics["peak memory (MiB)"] = round(ending.usage.memory / 2**20)
        final.statistics["processor time (s)"] = round(ending.usage.cpu, 2)
    final.statistics["wall time (s)"] = round(time.monotonic() - started, 2)
    print_outcome(final, as_json=args.json, stats=args.stats, quiet=args.quiet)
    sys.stdout.flush()
    end_as_asked(ending)
    if final.unwritten:
        print(f"craton: {final.unwritten}", file=sys.stderr)
        return CannotWrite.exit_code
    return final.verdict.kind.exit_code


class _ProgressLine:
    """One line that is written over on a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO, silent: bool) -> None:
        self.stream = stream
        self.silent = silent
        self.started = time.monotonic()
        self.printed = self.started
        self.live = stream.isatty()
        self.shown = False
        self.statistics: dict[str, Any] = {}

    def show(self, content: Any) -> None:
        from craton.report.verdict import figures

        progress: Progress = content[0]
        statistics: Statistics = content[1]
        self.statistics = figures(statistics)
        now = time.monotonic()
        if self.silent or (not self.live and now - self.printed < 2.0):
            return
        self.printed = now
        parts = sorted(statistics.purposes.items(), key=lambda item: -item[1].seconds)[:3]
        text = (
            f"{now - self.started:6.1f} s  iteration {progress.iteration}, trace {progress.trace_length},"
            f" predicates {progress.predicates}, states {progress.states}"
            f"  ({', '.join(f'{name} {tally.seconds:.1f} s' for name, tally in parts)})"
        )
        if self.live:
            self.stream.write(f"\r\x1b[2K{text}"[:200])
            self.shown = True
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def clear(self) -> None:
        if self.shown:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
