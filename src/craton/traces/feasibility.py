"""Can a trace be executed, does a tree derive false? One solver after the other is asked, until one knows."""

from __future__ import annotations

from dataclasses import dataclass

from craton.errors import MissingCapability
from craton.processes.running_time import running_time
from craton.smt import Sat, Unsat, make_solver
from craton.traces.refutation import Feasible
from craton.traces.trace import Problem

SOLVERS = ("bitwuzla", "z3", "cvc5")

_FIRST = 2 / 3  # of the time that is left, for a solver that is not the last


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The formula has no model, as a solver says."""

    by: str


@dataclass(frozen=True, slots=True)
class NotDecided:
    """No solver knows, and why not."""

    reason: str


def feasible(problem: Problem, seconds: float | None = None) -> Feasible | Infeasible | NotDecided:
    """Whether the formula of a trace or of a tree has a model. What one solver cannot decide goes to the next."""
    deadline = None if seconds is None else running_time() + seconds
    reasons: list[str] = []
    for name in SOLVERS:
        left = None if deadline is None else deadline - running_time()
        if left is not None and left <= 0:
            reasons.append(f"no time was left for {name}")
            break
        share = left if left is None or name == SOLVERS[-1] else _FIRST * left
        solver = make_solver(name, time_limit=share)
        try:
            solver.add(*problem.formulas)
            answer = solver.check()
            if isinstance(answer, Sat):
                return Feasible(answer.model)
        except MissingCapability:
            continue
        if isinstance(answer, Unsat):
            return Infeasible(name)
        reasons.append(answer.reason)
    return NotDecided("; ".join(reasons) or "no solver can speak of it")
