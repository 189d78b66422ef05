"""`craton verify`: does the property hold? With a proof, a failing input, or the reason why neither was found."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from craton.commands.loading import add_source_arguments, positive_number, requested
from craton.errors import CratonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from craton.configuration.stages import Stage
    from craton.engines.contract import Progress, Statistics
    from craton.evidence.files import EvidenceFiles
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
    add_source_arguments(parser)
    how = parser.add_argument_group("how", "without any of these, several ways are tried one after the other")
    how.add_argument("--engine", metavar="E", help="trace-abstraction, predicate, splitting; see craton engines")
    how.add_argument(
        "--stages", type=Path, metavar="FILE", help="the ways to try, as TOML; craton engines prints the default ones"
    )
    how.add_argument("--refine", metavar="R", help="a refinement expression; see craton refiners")
    how.add_argument(
        "--check-refutations", action="store_true", help="let other solvers check every sequence that a refiner finds"
    )
    how.add_argument("--encoding", choices=("bv", "int", "ideal"), help="bits, or integers with or without overflow")
    how.add_argument("--floats", choices=("exact", "real"), help="IEEE floats, or reals as a view of them")
    how.add_argument("--solver", metavar="S", help="the engine's solver; see craton solvers")
    how.add_argument(
        "--seed", type=_seed, help="of tests and runs on inputs that are drawn; the same seed, the same run"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument("--time-limit", type=positive_number, default=300.0, metavar="SECONDS", help="wall time (300)")
    limits.add_argument("--cpu-limit", type=positive_number, metavar="SECONDS", help="processor time of all processes")
    limits.add_argument("--memory-limit", type=positive_number, metavar="MIB", help="memory of all processes")
    evidence = parser.add_argument_group(
        "evidence", "files to keep it in; it is checked whether they are asked for or not"
    )
    evidence.add_argument("--proof", type=Path, metavar="FILE", help="certificate of TRUE; see craton check")
    evidence.add_argument("--harness", type=Path, metavar="DIR", help="failing run of FALSE, ready for a debugger")
    evidence.add_argument("--witness", type=Path, metavar="FILE", help="for other verifiers; see craton validate")
    evidence.add_argument(
        "--witness-format", choices=("yaml", "graphml"), help="default: by the name of the file, otherwise yaml"
    )
    evidence.add_argument("--no-confirm", action="store_true", help="believe the engine; the verdict says so")
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="one JSON object instead of text")
    output.add_argument("--stats", action="store_true", help="what the run did, and where the time went")
    output.add_argument("--quiet", action="store_true", help="the verdict, and nothing else")
    parser.set_defaults(run=run)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 31:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to {(1 << 31) - 1}, found {text!r}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.engines import check_stage
    from craton.configuration.stages import DEFAULT
    from craton.processes.limits import Limits
    from craton.processes.supervision import Done, Failed, supervise
    from craton.report.verdict import Outcome, exit_code, outcome, outcome_of_failure, print_outcome

    started = time.monotonic()
    request = requested(args)
    stages = stages_of(args)
    if stages is not DEFAULT:
        for stage in stages:
            check_stage(stage)
    files = _evidence_files(args)
    files.check()
    seconds = args.time_limit

    def work(report: Report) -> Outcome:
        from craton.evidence.files import write_evidence
        from craton.verify import verify

        limit = seconds - 0.3 if seconds > 1 else seconds
        result = verify(request, stages, limit, lambda *progress: report(progress), confirm=not args.no_confirm)
        told = outcome(result)
        if any((files.proof, files.harness, files.witness)):
            told.files = list(write_evidence(request, result, files))
        return told

    line = _ProgressLine(sys.stderr, silent=args.quiet or args.json)
    memory = None if args.memory_limit is None else int(args.memory_limit * 2**20)
    ending = supervise(work, Limits(seconds, args.cpu_limit, memory), line.show)
    line.clear()
    match ending:
        case Failed():
            final = outcome_of_failure(ending, debug=args.debug)
        case Done(value):
            final = value
        case _:
            final = Outcome("unknown", ending.reason, statistics=line.statistics)
    if not isinstance(ending, Failed):
        final.statistics["peak memory (MiB)"] = round(ending.usage.memory / 2**20)
        final.statistics["processor time (s)"] = round(ending.usage.cpu, 2)
    final.statistics["wall time (s)"] = round(time.monotonic() - started, 2)
    print_outcome(final, as_json=args.json, stats=args.stats, quiet=args.quiet)
    return exit_code(final)


def stages_of(args: argparse.Namespace) -> Sequence[Stage]:
    from dataclasses import replace

    from craton.configuration.stages import DEFAULT, Stage, read_stages

    names = ("engine", "refine", "encoding", "floats", "solver", "seed")
    said = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if args.stages is not None and args.engine is not None:
        raise CratonError("--stages and --engine exclude each other: a file of stages names its engines")
    given = DEFAULT if args.stages is None else read_stages(args.stages)
    if not said and not args.check_refutations:
        return given
    stages = (Stage(**said),) if "engine" in said else tuple(replace(stage, **said) for stage in given)
    if args.check_refutations:
        stages = tuple(replace(stage, refine=f"checked({stage.refine})") for stage in stages)
    return stages


def _evidence_files(args: argparse.Namespace) -> EvidenceFiles:
    from craton.evidence.files import EvidenceFiles

    graphml = args.witness is not None and args.witness.suffix == ".graphml"
    if args.witness_format is not None:
        graphml = args.witness_format == "graphml"
    return EvidenceFiles(args.proof, args.harness, args.witness, "graphml" if graphml else "yaml")


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
