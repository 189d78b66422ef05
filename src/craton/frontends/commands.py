"""The commands `craton cfa` and `craton run`: a program's automaton, and a concrete run of it."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from craton.errors import CratonError
from craton.frontends.c.errors import Unsupported
from craton.frontends.programs import Request, load_program
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.constants import propagate_constants
from craton.program.inlining import inline
from craton.program.interpreter import Interpreter, Number, ReachedError, StepLimit
from craton.program.slicing import remove_dead_code, slice_for_errors
from craton.program.text import statistics, to_dot, to_text

FINE, ERROR_REACHED, BAD_INPUT, UNKNOWN = 0, 1, 2, 3
Subparsers = Any  # argparse does not export the type

PASSES = {
    "inline": inline,
    "dead": remove_dead_code,
    "slice": slice_for_errors,
    "constants": propagate_constants,
    "blocks": encode_blocks,
}


def add_cfa_command(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("cfa", help="show a program's control-flow automaton")
    _add_input(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="every edge, one a line")
    form.add_argument("--dot", action="store_true", help="a graph for graphviz")
    form.add_argument("--svg", metavar="FILE", help="a picture; needs graphviz")
    parser.set_defaults(run=_reporting(run_cfa))


def add_run_command(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("run", help="run a program on given inputs")
    _add_input(parser)
    values = parser.add_mutually_exclusive_group()
    values.add_argument("--inputs", metavar="3,-1,0", help="values of the nondet calls, in order")
    values.add_argument("--seed", type=int, help="draw the values from this seed")
    parser.add_argument("--steps", type=int, default=10_000_000, help="give up after so many steps")
    parser.set_defaults(run=_reporting(run_run))


def _add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="C files, or one task definition (.yml)")
    parser.add_argument("--property", metavar="FILE", help="property file; the default is that no error is reached")
    parser.add_argument("--data-model", choices=("ILP32", "LP64"), help="default: the task's, or ILP32")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="DIR")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument(
        "--passes", default="", metavar="inline,…", help=f"passes to apply, in order: {', '.join(PASSES)}"
    )


def _reporting(action: Any) -> Any:
    """Turns errors into one line and an exit code."""

    def run(args: argparse.Namespace) -> int:
        try:
            return int(action(args))
        except Unsupported as problem:
            print(f"UNKNOWN: {problem}", file=sys.stderr)
            return UNKNOWN
        except CratonError as problem:
            print(f"craton: {problem}", file=sys.stderr)
            return BAD_INPUT

    return run


def _loaded(args: argparse.Namespace) -> Program:
    request = Request(tuple(args.files), args.property, args.data_model, tuple(args.include), tuple(args.define))
    program = load_program(request)
    for name in filter(None, args.passes.split(",")):
        if name not in PASSES:
            raise CratonError(f"there is no pass {name}; known are {', '.join(PASSES)}")
        program = PASSES[name](program).program
    return program


def run_cfa(args: argparse.Namespace) -> int:
    program = _loaded(args)
    if args.text:
        sys.stdout.write(to_text(program))
    elif args.dot:
        sys.stdout.write(to_dot(program))
    elif args.svg:
        return _draw(program, Path(args.svg))
    else:
        for name, number in statistics(program).items():
            print(f"{name:12} {number}")
        for assumption in program.assumptions:
            print(f"assumed: {assumption}")
    return FINE


def _draw(program: Program, target: Path) -> int:
    dot = shutil.which("dot")
    if dot is None:
        raise CratonError("graphviz is not installed (Debian: `apt install graphviz`); --dot prints the graph itself")
    done = subprocess.run([dot, "-Tsvg", "-o", str(target)], input=to_dot(program), text=True, capture_output=True)
    if done.returncode != 0:
        raise CratonError(f"graphviz failed: {done.stderr.strip()}")
    print(f"wrote {target}")
    return FINE


def run_run(args: argparse.Namespace) -> int:
    inputs = parse_inputs(args.inputs or "")
    program = _loaded(args)
    result = Interpreter(program).run(inputs, seed=args.seed, step_limit=args.steps)
    for source, value in result.inputs:
        print(f"{source} = {value}")
    print(result.outcome)
    if isinstance(result.outcome, ReachedError):
        return ERROR_REACHED
    return UNKNOWN if isinstance(result.outcome, StepLimit) else FINE


def parse_inputs(text: str) -> list[Number]:
    """`3,-1,0x10,2.5`"""
    values: list[Number] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        try:
            values.append(int(word, 0))
        except ValueError:
            try:
                values.append(float(word) if "n" in word.lower() else Fraction(word))
            except ValueError:
                raise CratonError(f"`{word}` is no number") from None
    return values
