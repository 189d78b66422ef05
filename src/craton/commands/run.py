"""`craton run`: a concrete run of a program on given inputs."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from craton.arguments.numbers import whole_number
from craton.commands.loading import add_program_arguments, loaded
from craton.errors import CratonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from craton.program.execution.open_values import Number

_NUMBER = re.compile(r"[-+]?[\d.,]+")


_EPILOG = """\
examples:
  craton run prog.c --inputs 3,-1,0
  craton run prog.c --seed 7 --steps 1000

exit codes: 0 it ended, 1 an error was reached, 2 bad input, 3 not known: the step limit or what is not modelled was
reached, or an error in a program with functions that may have other results than in this run
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "run",
        help="run a program on given inputs",
        description="Runs the program on values for its nondet calls, and says how it ended.",
        epilog=_EPILOG,
    )
    add_program_arguments(parser)
    values = parser.add_mutually_exclusive_group()
    values.add_argument("--inputs", metavar="3,-1,0", help="values of the nondet calls, in order; then zeros")
    values.add_argument("--seed", type=whole_number(0), help="draw the values from this seed")
    parser.add_argument(
        "--steps", metavar="N", type=whole_number(1), default=10_000_000, help="give up after so many steps (10000000)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.program.cfa import VOLATILE_READ
    from craton.program.execution.interpreter import Interpreter
    from craton.program.execution.outcomes import ReachedError, ReachedUnmodelled, StepLimit

    inputs = parse_inputs(args.inputs or "")
    _refuse_numbers(args.files[1:])
    program = loaded(args)
    result = Interpreter(program).run(inputs, seed=args.seed, step_limit=args.steps)
    for source, value in result.inputs:
        print(f"{source} = {value}")
    loose = [name for name in (*program.approximated, *program.over_approximated) if name != VOLATILE_READ]
    if isinstance(result.outcome, ReachedError) and loose and args.inputs is None and args.seed is None:
        print(f"{result.outcome}, but {', '.join(loose[:3])} may have other results in C: not modelled exactly")
        return 3
    print(result.outcome)
    if isinstance(result.outcome, ReachedError):
        return 1
    return 3 if isinstance(result.outcome, StepLimit | ReachedUnmodelled) else 0


def _refuse_numbers(files: Sequence[str]) -> None:
    """Inputs are no files, though one may try."""
    numbers = [word for word in files if _NUMBER.fullmatch(word) and not Path(word).exists()]
    if numbers:
        raise CratonError(f"there is no file {numbers[0]}: inputs are given with --inputs {','.join(numbers)}")


def parse_inputs(text: str) -> list[Number]:
    """`3,-1,0x10,2.5`"""
    return [_number(word.strip()) for word in text.split(",") if word.strip()]


def _number(word: str) -> Number:
    for read in (lambda w: int(w, 0), lambda w: float(w) if "n" in w.lower() else Fraction(w)):
        try:
            return read(word)
        except ValueError:
            continue
    raise CratonError(f"`{word}` is no number: inputs are written like 3,-1,0x10,2.5")
