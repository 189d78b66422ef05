"""`craton explain`: spurious error paths of a program, and what refiners learn from them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from craton.arguments.numbers import positive_number, whole_number
from craton.arguments.sources import add_passes, add_source_arguments, requested
from craton.errors import CratonError
from craton.files import check_can_be_written, check_own_places

if TYPE_CHECKING:
    from craton.traces.explanation import Explained

_USUAL = "newton(sp), newton(it, sp), newton(it, sp, lv), craig(z3)"
_ALL_NEWTON = tuple(f"newton({it}{way}{lv})" for way in ("sp", "wp") for it in ("", "it, ") for lv in ("", ", lv"))

_DESCRIPTION = """\
Takes error paths of a program that nobody can execute, and prints what each refiner learns from them: one assertion
between each two statements, from true to false. Statements in the infeasible core are marked.

Of a system of Horn clauses (.smt2) it takes trees of clauses that derive nothing, and of a program with recursion error
paths in which calls have a tree of their own: an assertion is about what the clause above it derives.
"""

_EPILOG = """\
examples:
  craton explain loop.c --unroll 2 --refine 'newton(it, sp)' --refine 'craig(z3)'
  craton explain clauses.smt2 --refine 'newton(it, wp)' --refine 'sliced(craig(z3))' --html tree.html
  craton explain prog.c -I include -D N=3 --property no-overflow.prp --time-limit 20 --html page.html

exit codes: 0 explained, 2 bad input or nothing to explain, 3 not decided within the limits
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="show what refiners learn from a spurious error path of a program",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    add_source_arguments(parser)
    paths = parser.add_argument_group("which paths")
    paths.add_argument(
        "--unroll", metavar="K", type=whole_number(0), default=2, help="go round each loop at most K times (default: 2)"
    )
    paths.add_argument(
        "--paths", metavar="N", type=whole_number(1), default=1, help="how many spurious paths to show (default: 1)"
    )
    how = parser.add_argument_group("how")
    how.add_argument(
        "--refine",
        metavar="E",
        action="append",
        default=[],
        help=f"a refinement expression, see `craton refiners`; may be repeated (default: {_USUAL})",
    )
    add_passes(how, "dead-code", "paths are looked for")
    how.add_argument("--all-newton", action="store_true", help="show the eight variants of Newton")
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--time-limit",
        type=positive_number,
        default=60.0,
        metavar="SECONDS",
        help="wall time (60); what is left of it is divided among the refiners that are still to be asked",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--html", metavar="OUT", type=Path, help="write a self-contained page")
    output.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.refiners import refiner
    from craton.program.passes import Pass
    from craton.report.data import as_data
    from craton.verification.explaining import USUAL, Clock, Wanted, explanations, missing, spurious

    if args.html is not None:
        check_can_be_written(args.html)
        check_own_places([args.html], map(Path, args.files))
    clock, request = Clock(args.time_limit), requested(args)
    expressions = [*args.refine, *(_ALL_NEWTON if args.all_newton else ())] or list(USUAL)
    refiners = [refiner(expression) for expression in expressions]
    passes = (Pass.DEAD_CODE,) if args.switched_passes is None else request.passes
    wanted = Wanted(args.unroll, args.paths, passes)
    found = spurious(request, wanted, clock, refiners)
    if undecided := missing(found, wanted):
        print(f"craton: {undecided}", file=sys.stderr)
    explained = list(explanations(found, refiners, clock))
    if args.html is not None:
        _write_page(args.html, explained, args.files)
    if args.json:
        print(json.dumps([as_data(explanation) for _, explanation in explained], indent=2, ensure_ascii=False))
    elif args.html is None:
        _print(explained)
    else:
        print(f"wrote {args.html}")
    return 0


# --- output -----------------------------------------------------------------------------------------------------------


def _print(explained: Sequence[tuple[str, Explained]]) -> None:
    from rich.console import Console

    from craton.report.terminal import print_explanation

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    for title, explanation in explained:
        print_explanation(explanation, title, console)
        console.print()


def _write_page(path: Path, explained: Sequence[tuple[str, Explained]], files: Sequence[str]) -> None:
    from craton.files import write_atomically
    from craton.report.checks import SourceTexts
    from craton.report.page import page

    try:
        texts = SourceTexts()
        shown = {name: "\n".join(texts.lines(name)) for name in files}
        write_atomically(path, page(explained, Path(files[0]).name, shown))
    except OSError as problem:
        raise CratonError(f"cannot write {path}: {problem.strerror or problem}") from problem
