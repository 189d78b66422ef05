"""All runs of a program again, one path behind the other: the second opinion on proofs by all runs.

It knows nothing of merged states, of names for what is shared, of arrays that are written out and of time, which is
where unfolding may go wrong: a path has the values of its variables, and a solver says which edges it can take. So it
is slow where paths are many, and says nothing when it has looked at a thousand states. What it has to say is either
that all paths end and none at an error, which is a proof by itself; or that one comes to an error, and then the proof
that it was asked about is none. Where it gives up, the paths it has seen were at least a test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from craton.errors import CratonError
from craton.evidence.checker import make_checker
from craton.logic import FALSE, TRUE, Term, substitute, var
from craton.processes.running_time import running_time
from craton.program.cfa import Location, Program
from craton.program.transitions import transition
from craton.smt import Solver, Undecided, Unsat

MOST_STATES = 1000
SECONDS = 0.5

_State = tuple[Location, Mapping[Term, Term]]


def error_on_some_path(program: Program, solver: str, seconds: float = SECONDS) -> Location | bool | None:
    """The error that a path comes to; False if all paths end elsewhere; None if they are too many, or too hard."""
    try:
        with make_checker(solver, seconds) as asked:
            return _Walk(program, asked, running_time() + seconds).result()
    except (_GivenUp, CratonError):
        return None


class _GivenUp(Exception):
    """Too many states, no time left, or a question that the solver does not answer."""


class _Walk:
    """A walk in depth; the solver's scopes are the guards of the path that leads to the state at hand."""

    def __init__(self, program: Program, solver: Solver, deadline: float) -> None:
        self._program = program
        self._solver = solver
        self._deadline = deadline
        self._numbers = count()

    def result(self) -> Location | bool:
        waiting = [self._after(self._program.main.entry, {})]
        seen = 0
        while waiting:
            state = next(waiting[-1], None)
            if state is None:
                waiting.pop()
                continue
            location, values = state
            if location in self._program.errors:
                return location
            seen += 1
            if seen > MOST_STATES or running_time() > self._deadline:
                raise _GivenUp
            waiting.append(self._after(location, values))
        return False

    def _after(self, location: Location, values: Mapping[Term, Term]) -> Iterator[_State]:
        """The states one step behind one that a path comes to."""
        for edge in self._program.main.outgoing(location):
            step = transition(edge.statement)
            before = {**values, **{i: var(f"{i.name} on a path {next(self._numbers)}", i.sort) for i in step.inputs}}
            guard = substitute(step.guard, before)
            if guard is FALSE:
                continue
            self._solver.push()
            self._solver.add(guard)
            if guard is TRUE or self._can_go():
                yield edge.target, {**values, **{v: substitute(new, before) for v, new in step.updates.items()}}
            self._solver.pop()

    def _can_go(self) -> bool:
        left = self._deadline - running_time()
        answer = self._solver.check(time_limit=left) if left > 0 else None
        if answer is None or isinstance(answer, Undecided):
            raise _GivenUp
        return not isinstance(answer, Unsat)
