"""Can a trace be executed? The first solver that supports the trace's theories decides."""

from __future__ import annotations

from craton.errors import MissingCapability
from craton.logic import Model
from craton.smt import Sat, make_solver
from craton.traces.trace import Trace

SOLVERS = ("bitwuzla", "z3")


def feasible(trace: Trace, seconds: float | None = None) -> Model | None:
    """A model of the trace's formula; None if none exists or none was found."""
    for name in SOLVERS:
        solver = make_solver(name, time_limit=seconds)
        try:
            solver.add(*trace.formula.by_step)
        except MissingCapability:
            continue
        answer = solver.check()
        return answer.model if isinstance(answer, Sat) else None
    return None
