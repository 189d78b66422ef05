"""`craton explain`: spurious error paths of a program, and what refiners learn from them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from craton.errors import CratonError

if TYPE_CHECKING:
    from craton.logic import Term
    from craton.program.cfa import Program
    from craton.report.explanation import Explanation
    from craton.traces.trace import Trace

_USUAL = ("newton(sp)", "newton(it, sp)", "newton(it, sp, lv)", "craig(z3)")
_ALL_NEWTON = tuple(f"newton({it}{way}{lv})" for way in ("sp", "wp") for it in ("", "it, ") for lv in ("", ", lv"))


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="show what refiners learn from a spurious error path of a program",
        description="Takes error paths of a program that nobody can execute, and prints what each refiner learns from"
        " them: one assertion between each two statements, from true to false. Statements in the infeasible core are"
        " marked.",
        epilog="example: craton explain loop.c --unroll 2 --refine 'newton(it, sp)' --refine 'craig(z3)'",
    )
    parser.add_argument(
        "file", metavar="FILE", help="a C program (.c, .i), a Boogie program (.bpl) or a task definition (.yml)"
    )
    parser.add_argument(
        "--unroll", metavar="K", type=int, default=2, help="go round each loop at most K times (default: 2)"
    )
    parser.add_argument(
        "--paths", metavar="N", type=int, default=1, help="how many spurious paths to show (default: 1)"
    )
    parser.add_argument(
        "--refine",
        metavar="E",
        action="append",
        default=[],
        help=f"a refinement expression, see `craton refiners`; may be repeated (default: {', '.join(_USUAL)})",
    )
    parser.add_argument("--all-newton", action="store_true", help="show the eight variants of Newton")
    parser.add_argument("--html", metavar="OUT", type=Path, help="write a self-contained page")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument(
        "--data-model", choices=("ILP32", "LP64"), help="for C programs (default: the task's, or ILP32)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.refiners import refiner
    from craton.frontends.programs import Request, load_program
    from craton.program.inlining import inline
    from craton.program.slicing import remove_dead_code
    from craton.report.explanation import as_data, explain

    expressions = [*args.refine, *(_ALL_NEWTON if args.all_newton else ())] or list(_USUAL)
    refiners = [refiner(expression) for expression in expressions]
    loaded = load_program(Request((args.file,), data_model=args.data_model))
    program = with_short_names(remove_dead_code(inline(loaded).program).program)
    found = spurious_paths(program, args.unroll, args.paths)
    explained = [(_title(i, trace), explain(trace, refiners)) for i, trace in enumerate(found, 1)]
    if args.html is not None:
        _write_page(args.html, explained, args.file)
    if args.json:
        print(json.dumps([as_data(explanation) for _, explanation in explained], indent=2, ensure_ascii=False))
    elif args.html is None:
        _print(explained)
    else:
        print(f"wrote {args.html}")
    return 0


def with_short_names(program: Program) -> Program:
    """Variables without the function they belong to, where that leaves them apart: `main::x` as `x`."""
    from collections import Counter
    from dataclasses import replace

    from craton.logic import var
    from craton.program.variables import reads, renamed, writes

    main = program.main
    every = {
        v: None for edge in main.edges for v in sorted(reads(edge.statement) | writes(edge.statement), key=_serial)
    }
    short = {v: v.name.rpartition("::")[2] for v in every}
    taken = Counter(short.values())
    renaming = {v: var(name, v.sort) for v, name in short.items() if name and taken[name] == 1}
    edges = tuple(replace(edge, statement=renamed(edge.statement, renaming)) for edge in main.edges)
    return program.with_procedures({**program.procedures, program.entry: main.with_edges(edges)})


def _serial(variable: Term) -> int:
    return variable.serial


def spurious_paths(program: Program, unroll: int, count: int) -> list[Trace]:
    """Infeasible error paths; those that go round a loop as often as they may come first: they have most to teach."""
    from craton.smt import Unsat, make_solver
    from craton.traces.paths import error_paths, rounds

    solver = make_solver("z3", time_limit=10)
    infeasible: list[Trace] = []
    feasible = 0
    for trace in error_paths(program, unroll):
        with solver.scope():
            solver.add(*trace.formula.by_step)
            if isinstance(solver.check(), Unsat):
                infeasible.append(trace)
            else:
                feasible += 1
        if sum(rounds(t) >= unroll for t in infeasible) >= count or len(infeasible) + feasible >= 50:
            break
    if not infeasible:
        if feasible:
            raise CratonError(f"no spurious error path up to {unroll} rounds: the error paths found can be executed")
        raise CratonError(
            f"no error path up to {unroll} rounds of each loop: nothing to explain (try a larger --unroll)"
        )
    infeasible.sort(key=rounds, reverse=True)
    return infeasible[:count]


def _title(number: int, trace: Trace) -> str:
    return f"Spurious error path {number}: {len(trace)} statements"


def _print(explained: Sequence[tuple[str, Explanation]]) -> None:
    from rich.console import Console

    from craton.report.terminal import print_explanation

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    for title, explanation in explained:
        print_explanation(explanation, title, console)
        console.print()


def _write_page(path: Path, explained: Sequence[tuple[str, Explanation]], source: str) -> None:
    from craton.files import write_atomically
    from craton.report.page import page

    try:
        write_atomically(path, page(explained, Path(source).name))
    except OSError as problem:
        raise CratonError(f"cannot write {path}: {problem.strerror or problem}") from problem
