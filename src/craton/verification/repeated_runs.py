"""Runs over accelerated loops, repeated on their inputs alone: no trace of all their rounds is ever made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from craton.program.cfa import Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError, StepLimit
from craton.program.statements import Havoc, Input
from craton.program.transformation import Transformed
from craton.traces.execution import Execution
from craton.verdicts.counterexample import ReadValue, Replay, as_number

_STEPS = 2_000_000  # of the interpreter


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    """Inputs that lead to an error, and whether the interpreter has gone all the way."""

    replay: Replay
    is_complete: bool


def repeated_run(whole: Program, run: Execution, back: Transformed) -> RepeatedRun | str:
    """The run on the whole program, or why it is none. Where passes have removed an input that the program reads, the
    inputs are not those of the run, and the error is not reached.
    """
    inputs = tuple(_inputs(run, back))
    location = back.original_location(run.steps[-1].edge.target)
    expected = Replay(location, inputs, ())
    try:
        again = Interpreter(whole).run([as_number(read) for read in inputs], step_limit=_STEPS, only_inputs=True)
    except (CannotRun, RecursionError):
        return RepeatedRun(expected, False)
    match again.outcome:
        case ReachedError(reached):
            read = tuple(ReadValue(*one, sort) for one, sort in zip(again.inputs, again.sorts, strict=True))
            return RepeatedRun(Replay(reached, read, ()), True)
        case StepLimit():
            return RepeatedRun(expected, False)
    return "its inputs do not lead there"


def _inputs(run: Execution, back: Transformed) -> Iterator[ReadValue]:
    """What the run has read, in order; accelerated rounds read nothing."""
    for step in run.steps:
        for edge in back.original_edges(step.edge):
            statement = edge.statement
            if isinstance(statement, Havoc) and isinstance(statement.source, Input):
                for variable in statement.variables:
                    if variable in step.chosen:
                        yield ReadValue(statement.source, step.chosen[variable], variable.sort)
