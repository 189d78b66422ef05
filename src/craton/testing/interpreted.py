"""Testing by the interpreter, where the program cannot be compiled or memory is watched over."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from craton.processes.running_time import running_time
from craton.program.cfa import Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError, Run, StepLimit

MOST_STEPS = 3_000_000  # of one run
MOST_RUNS = 2_000


def failing_run(program: Program, seconds: float | None, first: int = 0, *, with_path: bool = False) -> Run | None:
    """A run that reaches an error, if wanted with its path; None if none was found. The first one is on zeros."""
    deadline = None if seconds is None else running_time() + seconds
    try:
        interpreter = Interpreter(program)
        for number in count():
            if number >= MOST_RUNS or (deadline is not None and running_time() > deadline):
                return None
            seed = None if number == 0 else first * MOST_RUNS + number
            run = interpreter.run(seed=seed, step_limit=MOST_STEPS, only_inputs=True)
            if isinstance(run.outcome, ReachedError):
                if with_path:
                    run = Interpreter(program, record=True).run(seed=seed, step_limit=MOST_STEPS, only_inputs=True)
                return replace(run, values={})  # memory does not travel between processes
            if not run.inputs and not isinstance(run.outcome, StepLimit):
                return None  # every run is like this one
    except CannotRun:
        return None
    return None
