"""`craton cfa`: a program's control-flow automaton, as numbers, text or picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from craton.commands.loading import add_program_arguments, loaded
from craton.files import check_can_be_written, check_own_places, write_atomically

_EPILOG = """\
examples:
  craton cfa prog.c
  craton cfa prog.c --passes inline,dead,blocks --svg prog.svg
  craton cfa prog.c --dot | dot -Tpdf > prog.pdf

exit codes: 0 shown, 2 bad input, 3 not supported
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "cfa",
        help="show a program's control-flow automaton",
        description="Prints statistics of a program's automaton and the assumptions made, or the automaton itself.",
        epilog=_EPILOG,
    )
    add_program_arguments(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="every edge, one a line")
    form.add_argument("--dot", action="store_true", help="a graph for graphviz")
    form.add_argument("--svg", metavar="OUT", type=Path, help="a picture")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.program.picture import to_svg
    from craton.program.text import statistics, to_dot, to_text

    if args.svg is not None:
        check_can_be_written(args.svg)
        check_own_places([args.svg], map(Path, args.files))
    program = loaded(args)
    if args.text:
        sys.stdout.write(to_text(program))
    elif args.dot:
        sys.stdout.write(to_dot(program))
    elif args.svg is not None:
        write_atomically(args.svg, to_svg(program))
        print(f"wrote {args.svg}")
    else:
        for name, number in statistics(program).items():
            print(f"{name:12} {number}")
        for assumption in program.assumptions:
            print(f"assumed: {assumption}")
    return 0
