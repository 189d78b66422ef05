"""`craton explain`: spurious error paths of a program, and what refiners learn from them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from craton.arguments.sources import add_passes, add_source_arguments, positive_number, requested
from craton.errors import CratonError
from craton.words import counted

if TYPE_CHECKING:
    from craton.frontends.programs import Request
    from craton.processes.supervision import Ended
    from craton.program.passes import Passes
    from craton.traces.explanation import Column, Explained
    from craton.traces.refutation import Refiner
    from craton.traces.trace import Trace
    from craton.trees.explanation import Spurious
    from craton.trees.tree import Tree

T = TypeVar("T")

_USUAL = ("newton(sp)", "newton(it, sp)", "newton(it, sp, lv)", "craig(z3)")
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


class NotDecided(CratonError):
    """Whether there is anything to explain was not found out."""

    exit_code = 3


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="show what refiners learn from a spurious error path of a program",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_source_arguments(parser)
    paths = parser.add_argument_group("which paths")
    paths.add_argument(
        "--unroll", metavar="K", type=int, default=2, help="go round each loop at most K times (default: 2)"
    )
    paths.add_argument("--paths", metavar="N", type=int, default=1, help="how many spurious paths to show (default: 1)")
    how = parser.add_argument_group("how")
    how.add_argument(
        "--refine",
        metavar="E",
        action="append",
        default=[],
        help=f"a refinement expression, see `craton refiners`; may be repeated (default: {', '.join(_USUAL)})",
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

    clock, request = _Clock(args.time_limit), requested(args)
    expressions = [*args.refine, *(_ALL_NEWTON if args.all_newton else ())] or list(_USUAL)
    refiners = [refiner(expression) for expression in expressions]
    passes = (Pass.DEAD_CODE,) if args.switched_passes is None else request.passes
    found = _spurious(request, args.unroll, args.paths, passes, clock)
    explained = list(_explanations(found, refiners, clock))
    if args.html is not None:
        _write_page(args.html, explained, args.files[0])
    if args.json:
        print(json.dumps([as_data(explanation) for _, explanation in explained], indent=2, ensure_ascii=False))
    elif args.html is None:
        _print(explained)
    else:
        print(f"wrote {args.html}")
    return 0


# --- within the limits ------------------------------------------------------------------------------------------------


class _Clock:
    """Work in processes of its own, which are ended when their share of the time is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def within(self, work: Callable[[], T], share: float = 1.0) -> T | Ended:
        """What the work returns; an interrupt is one here too, an error is raised here."""
        from craton.processes.limits import Limits
        from craton.processes.supervision import Done, Failed, Interrupted, supervise

        seconds = round(max(0.0, self._end - time.monotonic()) * share, 2)
        ending = supervise(lambda report: work(), Limits(seconds), lambda content: None)
        match ending:
            case Done(value):
                found: T = value
                return found
            case Failed(error, trace):
                error.add_note(trace)  # where it happened: seen with --debug
                raise error
        if isinstance(ending.cause, Interrupted):
            raise KeyboardInterrupt
        return ending


def _spurious(request: Request, unroll: int, count: int, passes: Passes, clock: _Clock) -> Spurious:
    """What to explain. What else was found is an error if there is nothing, and a note on stderr if need be."""
    from craton.frontends.programs import is_horn
    from craton.trees.explanation import Kind, Spurious

    def work() -> Spurious:
        from craton.frontends.programs import load_program, load_system
        from craton.trees.explanation import spurious_of_program, spurious_of_system

        if is_horn(request):
            return spurious_of_system(load_system(request), unroll, count)
        return spurious_of_program(load_program(request), unroll, count, passes)

    found = clock.within(work)
    if not isinstance(found, Spurious):
        kind = Kind.DERIVATION if is_horn(request) else Kind.ERROR_PATH
        raise NotDecided(f"no spurious {kind.one} was found: {found.reason} (try a smaller --unroll)")
    if not found.problems:
        raise _nothing(found, unroll)
    if len(found.problems) < count and found.judged.undecided:
        print(f"craton: {_undecided(found)}: {_reasons(found)}", file=sys.stderr)
    return found


def _nothing(found: Spurious, unroll: int) -> CratonError:
    kind, judged = found.kind, found.judged
    if judged.undecided:
        others = f", the others {kind.are_possible}" if judged.feasible else ""
        return NotDecided(
            f"no spurious {kind.one} found up to {unroll} rounds: {_undecided(found)}{others}: {_reasons(found)}"
        )
    if judged.feasible:
        return CratonError(
            f"no spurious {kind.one} up to {unroll} rounds: the {kind.several} found {kind.are_possible}"
        )
    return CratonError(f"no {kind.one} up to {unroll} rounds of each loop: nothing to explain (try a larger --unroll)")


def _undecided(found: Spurious) -> str:
    number = len(found.judged.undecided)
    return f"{number} {found.kind.one if number == 1 else found.kind.several} not decided"


def _reasons(found: Spurious) -> str:
    return ", ".join(dict.fromkeys(found.judged.undecided))


def _explanations(found: Spurious, refiners: Sequence[Refiner], clock: _Clock) -> Iterator[tuple[str, Explained]]:
    """With titles."""
    left = len(found.problems) * len(refiners)
    for number, problem in enumerate(found.problems, 1):
        columns: list[Column] = []
        for refiner in refiners:
            columns.append(_column(found, problem, refiner, clock, 1 / left))
            left -= 1
        explanation = found.explanation(problem, columns)
        yield f"Spurious {found.kind.one} {number}: {counted(len(problem), explanation.step)}", explanation


def _column(found: Spurious, problem: Trace | Tree, refiner: Refiner, clock: _Clock, share: float) -> Column:
    from craton.traces.explanation import Column
    from craton.traces.refutation import GaveUp

    begun = time.perf_counter()
    made = clock.within(lambda: found.column(problem, refiner), share)
    if isinstance(made, Column):
        return made
    return Column(refiner.name, GaveUp(made.reason), time.perf_counter() - begun, None)


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


def _write_page(path: Path, explained: Sequence[tuple[str, Explained]], source: str) -> None:
    from craton.files import write_atomically
    from craton.report.page import page

    try:
        write_atomically(path, page(explained, Path(source).name))
    except OSError as problem:
        raise CratonError(f"cannot write {path}: {problem.strerror or problem}") from problem
