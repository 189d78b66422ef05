"""`craton validate`: is a witness right? It is tried as a hint, and the verdict has evidence of its own."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.arguments.numbers import positive_number
from craton.arguments.sources import add_source_arguments, requested_of_one_file

if TYPE_CHECKING:
    from craton.processes.supervision import Report
    from craton.report.verdict import Outcome

_DESCRIPTION = """\
Checks a witness (YAML 2.0 or GraphML 1.0) of a C program, made by whichever verifier. It is used as a hint and never
believed: the answer is

  TRUE            the property holds, with a proof that was checked; the line below says what the witness gave to it,
  FALSE(property) a run along the witness reaches the error,
  UNKNOWN         the witness is not confirmed, with the reason.
"""

_EPILOG = """\
examples:
  craton validate witness.yml prog.c
  craton validate witness.graphml prog.c --property unreach-call.prp --data-model LP64

exit codes: 0 true, 1 false, 2 bad input, 3 unknown or not confirmed
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "validate",
        help="check a witness of a verdict",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("witness", metavar="WITNESS", help="what a verifier wrote: YAML or GraphML")
    add_source_arguments(parser)
    limits = parser.add_argument_group("limits")
    limits.add_argument("--time-limit", type=positive_number, default=300.0, metavar="SECONDS", help="wall time (300)")
    limits.add_argument("--memory-limit", type=positive_number, metavar="MIB", help="memory of all processes")
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="one JSON object instead of text")
    output.add_argument("--quiet", action="store_true", help="the verdict, and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.evidence.witness.make import read_witness
    from craton.processes.limits import Limits
    from craton.processes.supervision import Done, Failed, supervise
    from craton.report.verdict import outcome_of_failure, outcome_without_result
    from craton.verification.isolation import limit_reached

    started = time.monotonic()
    request = requested_of_one_file(args)
    witness = read_witness(Path(args.witness))
    seconds = args.time_limit

    def work(report: Report) -> tuple[Outcome, str, tuple[str, ...]]:
        from craton.report.verdict import outcome
        from craton.validation.witness import validate_witness
        from craton.verification.scheduling import own_limit

        left = seconds - (time.monotonic() - started)
        validation = validate_witness(request, witness, own_limit(left))
        return outcome(validation.result), validation.role, validation.notes

    memory = None if args.memory_limit is None else int(args.memory_limit * 2**20)
    limits = Limits(seconds, None, memory)
    ending = supervise(work, limits, lambda content: None)
    role, notes = "the witness is not confirmed", ()
    match ending:
        case Failed():
            final = outcome_of_failure(ending, debug=args.debug)
        case Done(value):
            final, role, notes = value
        case _:
            final = outcome_without_result(ending.reason, limit_reached(ending))
    _print(final, role, notes, args)
    return final.verdict.kind.exit_code


def _print(final: Outcome, role: str, notes: tuple[str, ...], args: argparse.Namespace) -> None:
    if args.json:
        from craton.report.verdict import as_data

        told: dict[str, Any] = {**as_data(final), "witness": role, "notes": list(notes)}
        del told["statistics"]
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return
    from craton.report.verdict import Output, print_outcome

    print_outcome(final, Output(quiet=args.quiet))
    if not args.quiet:
        print(f"  witness: {role}")
        for note in notes:
            print(f"  note: {note}")
