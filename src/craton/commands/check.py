"""`craton check`: is a certificate a proof of this program? Asked without the engine that made it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.arguments.numbers import positive_number
from craton.arguments.sources import add_source_arguments, requested_of_one_file
from craton.errors import CratonError
from craton.words import counted

if TYPE_CHECKING:
    from craton.evidence.certificates.checking import Accepted, Refused
    from craton.processes.supervision import Report

_DESCRIPTION = """\
Checks a certificate that `craton verify --proof` has written. The program is built again from its text, and each
condition of the proof is shown by a solver that the engine did not use. The answer is

  ACCEPTED  the certificate proves that the program has the property,
  REFUSED   with the condition that does not hold,
  UNKNOWN   with the condition that could not be decided within the limits, or the kind of proof that this version
            of Craton can read but not check.
"""

_EPILOG = """\
examples:
  craton check proof.json prog.c
  craton check proof.json prog.c --property no-overflow.prp --data-model LP64 --solver cvc5
  craton check proof.json prog.c --paranoid --conditions conditions/

exit codes: 0 accepted, 1 refused, 2 bad input (also a certificate of something else), 3 not decided
"""

_WORDS = {"accepted": 0, "refused": 1, "unknown": 3}


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check",
        help="check a certificate without the engine that made it",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("certificate", metavar="CERTIFICATE", help="what verify --proof has written")
    add_source_arguments(parser)
    how = parser.add_argument_group("how")
    how.add_argument(
        "--solver", action="append", default=[], metavar="S", help="who is asked (may be repeated); see craton solvers"
    )
    how.add_argument("--paranoid", action="store_true", help="two different solvers must show each condition")
    how.add_argument("--conditions", metavar="DIR", help="write each condition as an .smt2 file, expected unsat")
    limits = parser.add_argument_group("limits")
    limits.add_argument("--time-limit", type=positive_number, default=300.0, metavar="SECONDS", help="wall time (300)")
    limits.add_argument("--memory-limit", type=positive_number, default=4096.0, metavar="MIB", help="memory (4096)")
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="one JSON object instead of text")
    output.add_argument("--quiet", action="store_true", help="the answer, and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.processes.limits import Limits
    from craton.processes.supervision import Done, Failed, supervise

    started = time.monotonic()
    request = requested_of_one_file(args)
    # The checker stops a little earlier by itself, to say which condition was too hard.
    limit = args.time_limit - 0.3 if args.time_limit > 1 else args.time_limit

    def work(report: Report) -> Accepted | Refused:
        from craton.evidence.certificates.checking import check_certificate
        from craton.evidence.certificates.reading import read_certificate

        certificate = read_certificate(Path(args.certificate))
        return check_certificate(
            certificate,
            request,
            solvers=args.solver,
            paranoid=args.paranoid,
            seconds=max(0.0, limit - (time.monotonic() - started)),
            conditions=None if args.conditions is None else Path(args.conditions),
        )

    # A file from anybody may drive a solver to anything: it is read in a process that can be ended.
    ending = supervise(work, Limits(args.time_limit, None, int(args.memory_limit * 2**20)), lambda _: None)
    match ending:
        case Failed(error, trace):
            if args.debug and not isinstance(error, CratonError):
                print(trace, file=sys.stderr)
            raise error
        case Done(value):
            told = _told(value)
        case _:
            told = {"answer": "unknown", "reason": ending.reason}
    told["seconds"] = round(time.monotonic() - started, 3)
    _print(told, as_json=args.json, quiet=args.quiet)
    return _WORDS[told["answer"]]


def _told(found: Accepted | Refused) -> dict[str, Any]:
    """The answer as plain data."""
    from craton.evidence.certificates.checking import Refused

    if isinstance(found, Refused):
        return {"answer": "refused" if found.decided else "unknown", "reason": found.problem}
    return {
        "answer": "accepted",
        "conditions": found.conditions,
        "cut_points": found.cut_points,
        "solvers": list(found.solvers),
        "assumptions": list(found.assumptions),
    }


def _print(told: dict[str, Any], *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return
    print(told["answer"].upper())
    if quiet:
        return
    if "reason" in told:
        print(f"  reason: {told['reason']}")
        return
    by = " and ".join(told["solvers"]) or "simplification alone"
    size = f"{counted(told['conditions'], 'condition')} for {counted(told['cut_points'], 'cut-point')}"
    print(f"  proof: {size}, shown by {by} in {told['seconds']:.2f} s")
    for assumption in told["assumptions"]:
        print(f"  assumed: {assumption}")
