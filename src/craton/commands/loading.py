"""What commands have in common: their arguments, and how a program is loaded."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from craton.errors import CratonError

if TYPE_CHECKING:
    from craton.frontends.programs import Request
    from craton.program.cfa import Program

PASSES = ("inline", "dead", "slice", "constants", "blocks")


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser)
    parser.add_argument("--passes", default="", metavar="P,P,…", help=f"passes to apply, in order: {', '.join(PASSES)}")


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="C files, one Boogie program, or one task (.yml)")
    parser.add_argument("--property", metavar="FILE", help="property file; the default is that no error is reached")
    parser.add_argument("--data-model", choices=("ILP32", "LP64"), help="default: the task's, or ILP32")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="where headers are")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="define a macro")


def positive_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a positive number, found {text!r}")
    return number


def requested(args: argparse.Namespace) -> Request:
    """What the arguments name."""
    from craton.frontends.programs import Request

    return Request(tuple(args.files), args.property, args.data_model, tuple(args.include), tuple(args.define))


def loaded(args: argparse.Namespace) -> Program:
    """The program that the arguments name, after the passes they ask for."""
    from craton.frontends.programs import load_program

    program = load_program(requested(args))
    for name in filter(None, args.passes.split(",")):
        program = _pass(name, program)
    return program


def _pass(name: str, program: Program) -> Program:
    from craton.program.blocks import encode_blocks
    from craton.program.constants import propagate_constants
    from craton.program.inlining import inline
    from craton.program.slicing import remove_dead_code, slice_for_errors

    functions = (inline, remove_dead_code, slice_for_errors, propagate_constants, encode_blocks)
    passes = dict(zip(PASSES, functions, strict=True))
    if name not in passes:
        raise CratonError(f"there is no pass {name!r}; known are {', '.join(PASSES)}")
    return passes[name](program).program
