"""What commands have in common: their arguments, and how a program is loaded."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from craton.arguments.sources import add_source_arguments, requested
from craton.errors import CratonError

if TYPE_CHECKING:
    from collections.abc import Callable

    from craton.program.cfa import Program
    from craton.program.transformation import Transformed

__all__ = ["PASSES", "add_program_arguments", "add_source_arguments", "loaded", "requested"]

PASSES = ("inline", "dead", "slice", "constants", "blocks")


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser)
    parser.add_argument("--passes", default="", metavar="P,P,…", help=f"passes to apply, in order: {', '.join(PASSES)}")


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

    functions: tuple[Callable[[Program], Transformed], ...]
    functions = (inline, remove_dead_code, slice_for_errors, propagate_constants, encode_blocks)
    if name not in PASSES:
        raise CratonError(f"there is no pass {name!r}; known are {', '.join(PASSES)}")
    return functions[PASSES.index(name)](program).program
