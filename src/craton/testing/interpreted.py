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
OPEN_RUNS = 24  # of a program that reads no inputs, but may leave values open
_EACH = 4  # of so many runs draws what the program leaves open, too


def failing_run(
    program: Program, seconds: float | None, first: int = 0, *, with_path: bool = False, opened: bool = False
) -> Run | None:
    """A run that reaches an error, if wanted with its path; None if none was found. The first one is on zeros. If
    `opened`, some runs also draw what the program leaves open, such as what stands in new memory; these have a path.
    """
    deadline = None if seconds is None else running_time() + seconds
    try:
        interpreter = Interpreter(program)
        for number in count():
            if number >= MOST_RUNS or (deadline is not None and running_time() > deadline):
                return None
            seed = None if number == 0 else first * MOST_RUNS + number
            inputs = not opened or number % _EACH != 1
            run = interpreter.run(seed=seed, step_limit=MOST_STEPS, only_inputs=inputs)
            if isinstance(run.outcome, ReachedError):
                if with_path or not inputs:
                    run = Interpreter(program, record=True).run(seed=seed, step_limit=MOST_STEPS, only_inputs=inputs)
                return replace(run, values={}, only_inputs=inputs)  # memory does not travel between processes
            if not run.inputs and not isinstance(run.outcome, StepLimit) and (not opened or number >= OPEN_RUNS):
                return None  # every run is like this one
    except CannotRun:
        return None
    return None
