"""Live variables: those whose value may still matter, at locations. (For positions of a trace see `traces.live`.)

Both analyses are least solutions of equations that go backwards along edges: a variable is live before an edge if the
edge reads it, or if it is live after the edge and the edge does not write it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, Self, TypeVar

from craton.logic import FALSE, Term, free_variables
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Call
from craton.program.transitions import Transition
from craton.program.variables import reads, writes


def live_variables(program: Program, steps: Mapping[Edge, Transition]) -> dict[Location, frozenset[Term]]:
    """At each location of the entry procedure, the variables whose value may still decide whether an error is reached.

    A value makes its operands live only if it is itself needed (*strongly* live variables): a counter that is never
    tested is not live. Edges without a step are ignored.
    """
    nothing: frozenset[Term] = frozenset()

    def before(edge: Edge, after: frozenset[Term]) -> frozenset[Term]:
        step = steps.get(edge)
        return nothing if step is None or step.guard is FALSE else _needed(step, after)

    return _least_solution(program.main, dict.fromkeys(program.main.locations, nothing), before)


def live_at_entry(procedure: Procedure, candidates: Iterable[Term], shared: Iterable[Term] = ()) -> list[Term]:
    """The candidates that may be read before they are written, in the given order.

    Leaving the procedure reads its results; a call reads all shared variables.
    """
    return list(live_at((procedure.entry,), procedure, candidates, shared)[procedure.entry])


def live_at(
    locations: Iterable[Location], procedure: Procedure, candidates: Iterable[Term], shared: Iterable[Term] = ()
) -> dict[Location, tuple[Term, ...]]:
    """The candidates that may be read after each location before they are written."""
    number = {variable: i for i, variable in enumerate(dict.fromkeys(candidates))}

    def mask(variables: Iterable[Term]) -> int:  # sets as numbers: some programs have thousands of variables
        return sum(1 << number[variable] for variable in frozenset(variables) if variable in number)

    by_calls = mask(shared)
    effects = {
        edge: (
            mask(reads(edge.statement)) | (by_calls if isinstance(edge.statement, Call) else 0),
            ~mask(writes(edge.statement)),
        )
        for edge in procedure.edges
    }

    def before(edge: Edge, after: int) -> int:
        read, kept = effects[edge]
        return read | after & kept

    start = dict.fromkeys(procedure.locations, 0) | {procedure.exit: mask(procedure.returns)}
    live = _least_solution(procedure, start, before)
    return {x: tuple(variable for variable, i in number.items() if live[x] >> i & 1) for x in locations}


def _needed(step: Transition, after: frozenset[Term]) -> frozenset[Term]:
    """The variables that the guard reads, and those from which the values needed afterwards are computed."""
    found = free_variables(step.guard) | (after - step.written)
    for variable in after & step.written:
        found |= free_variables(step.updates[variable])
    return found - frozenset(step.inputs)


# --- fixed points -----------------------------------------------------------------------------------------------------


class _Joined(Protocol):
    """Sets of any kind, with their union."""

    def __or__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=_Joined)


def _least_solution(
    procedure: Procedure, start: Mapping[Location, S], before: Callable[[Edge, S], S]
) -> dict[Location, S]:
    """The least sets that contain the initial ones and, at the source of each edge, the result of applying `before` to
    the set at its target. `before` must be monotone.
    """
    found = dict(start)
    waiting = dict.fromkeys(reversed(procedure.locations))
    while waiting:
        location, _ = waiting.popitem()
        here = found[location]
        for edge in procedure.outgoing(location):
            here = here | before(edge, found[edge.target])
        if here != found[location]:
            found[location] = here
            waiting |= dict.fromkeys(procedure.predecessors(location))
    return found
