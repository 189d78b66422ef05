"""Is an annotation of a program with invariants a proof? Asked of a solver that the engine did not use.

Inductive: what holds at the source of an edge leads to what holds at its target; at the entry all holds. Safe: no edge
can be taken to an error location.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term, and_, not_, substitute
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import transition
from craton.smt import Unsat, make_solver

CHECKERS = (
    "bitwuzla",
    "cvc5",
    "z3",
)  # in the order they are tried; one that cannot speak of a condition is passed over


@dataclass(frozen=True, slots=True)
class Flaw:
    """A condition of the proof that does not hold, or could not be shown to."""

    edge: Edge | None
    problem: str

    def __str__(self) -> str:
        return self.problem


def find_flaw(
    program: Program, invariants: Mapping[Location, Term], checkers: tuple[str, ...], seconds: float | None = None
) -> Flaw | None:
    """The first flaw of the proof; None if it is one. Locations without an invariant are taken as not reachable."""
    main = program.main
    deadline = None if seconds is None else time.monotonic() + seconds
    if invariants.get(main.entry, FALSE) is not TRUE and not _valid(invariants.get(main.entry, FALSE), checkers, 5.0):
        return Flaw(None, "the invariant of the entry does not hold at the start")
    for location in program.errors:
        if invariants.get(location, FALSE) is not FALSE and not _valid(not_(invariants[location]), checkers, 5.0):
            return Flaw(None, f"the invariant of error location {location} is not false")
    for edge in main.edges:
        before = invariants.get(edge.source, FALSE)
        after = FALSE if edge.target in program.errors else invariants.get(edge.target, FALSE)
        if before is FALSE or after is TRUE:
            continue
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return Flaw(edge, "no time left to check the proof")
        step = transition(edge.statement)
        condition = not_(and_(before, step.guard, not_(substitute(after, step.updates))))
        if not _valid(condition, checkers, left):
            return Flaw(edge, f"not shown to be inductive: {edge.source} → {edge.target}")
    return None


def _valid(condition: Term, checkers: tuple[str, ...], seconds: float | None) -> bool:
    if condition is TRUE:
        return True
    for name in checkers:
        solver = make_solver(name, time_limit=seconds)
        try:
            solver.add(not_(condition))
        except MissingCapability:
            continue
        answer = solver.check()
        if isinstance(answer, Unsat):
            return True
        if not hasattr(answer, "reason"):
            return False
    return False
