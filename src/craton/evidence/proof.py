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
from craton.smt import Sat, Solver, Unsat, make_solver

# In the order they are tried; one that cannot speak of a condition is left out.
CHECKERS = ("bitwuzla", "cvc5 over integers", "cvc5", "z3")
_FIRST_TRY = 1.0  # seconds for each of them, before they get all the time there is


def others(solver: str) -> tuple[str, ...]:
    """The checkers of a proof that rests on the word of a solver."""
    return tuple(name for name in CHECKERS if name.partition(" ")[0] != solver)  # cvc5 over integers is cvc5 still


@dataclass(frozen=True, slots=True)
class Flaw:
    """A condition of the proof that does not hold, or could not be shown to."""

    edge: Edge | None
    problem: str

    def __str__(self) -> str:
        return self.problem


@dataclass(frozen=True, slots=True)
class Checked:
    """Every condition holds; with the solvers that said so, none if there was nothing to ask."""

    by: tuple[str, ...]


def find_flaw(
    program: Program, invariants: Mapping[Location, Term], checkers: tuple[str, ...], seconds: float | None = None
) -> Flaw | None:
    """The first flaw of the proof; None if it is one."""
    found = check_proof(program, invariants, checkers, seconds)
    return found if isinstance(found, Flaw) else None


def check_proof(
    program: Program, invariants: Mapping[Location, Term], checkers: tuple[str, ...], seconds: float | None = None
) -> Flaw | Checked:
    """Locations without an invariant are taken as not reachable."""
    main = program.main
    panel = _Panel(checkers, None if seconds is None else time.monotonic() + seconds)
    if not panel.valid(invariants.get(main.entry, FALSE)):
        return Flaw(None, "the invariant of the entry does not hold at the start")
    for location in program.errors:
        if not panel.valid(not_(invariants.get(location, FALSE))):
            return Flaw(None, f"the invariant of error location {location} is not false")
    for edge in main.edges:
        before = invariants.get(edge.source, FALSE)
        after = FALSE if edge.target in program.errors else invariants.get(edge.target, FALSE)
        if before is FALSE or after is TRUE:
            continue
        if panel.late:
            return Flaw(edge, "no time left to check the proof")
        step = transition(edge.statement)
        valid = panel.valid(not_(and_(before, step.guard, not_(substitute(after, step.updates)))))
        if not valid:
            word = "not inductive" if valid is False else "not shown to be inductive"
            return Flaw(edge, f"{word}: {edge.source} → {edge.target}")
    return Checked(tuple(panel.believed))


class _Panel:
    """Solvers that are asked one after the other: the first that decides a question answers it."""

    def __init__(self, members: tuple[str, ...], deadline: float | None) -> None:
        self.members = members
        self.deadline = deadline
        self.believed: dict[str, None] = {}

    @property
    def left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @property
    def late(self) -> bool:
        return self.left == 0.0

    def valid(self, condition: Term) -> bool | None:
        """None if nobody can tell."""
        if condition is TRUE:
            return True
        for limit in (_FIRST_TRY, None):
            for name in self.members:
                if self.late:
                    return None
                limits = [seconds for seconds in (limit, self.left) if seconds is not None]
                solver = make_checker(name, min(limits, default=None))
                try:
                    solver.add(not_(condition))
                except MissingCapability:
                    continue
                answer = solver.check()
                if isinstance(answer, Unsat):
                    self.believed[name] = None
                    return True
                if isinstance(answer, Sat):
                    return False
        return None


def make_checker(name: str, seconds: float | None) -> Solver:
    if name == "cvc5 over integers":
        from craton.smt.cvc5.solver import Cvc5Solver

        return Cvc5Solver(time_limit=seconds, bits_as_integers=True)
    return make_solver(name, time_limit=seconds)
