"""Path programs and perfect sequences ([CN] 7.1).

The path program of a trace consists of the edges that occur in it, with all the loops they form. A sequence of
assertions is perfect if it proves the whole path program, not only the one trace: then it contains loop invariants.
Short of perfect are sequences with a loop invariant that the start of the path does not establish.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence

from craton.logic import FALSE, TRUE, Term, conjuncts, free_variables
from craton.processes.running_time import running_time
from craton.program.cfa import Edge, Location
from craton.program.transitions import Transition, transition
from craton.smt import Solver
from craton.traces.refutation import hoare_triple
from craton.traces.trace import Trace


def path_program(trace: Trace) -> tuple[Edge, ...]:
    """The edges of the trace, each once."""
    return tuple(dict.fromkeys(trace.edges))


class Quality(enum.IntEnum):
    """How much of the path program a sequence proves."""

    TRACE = 0  # the one trace only
    INDUCTIVE = 1  # every run of the path program that at some point satisfies an assertion inside a loop
    PERFECT = 2  # all runs


def quality(
    trace: Trace,
    assertions: Sequence[Term],
    solver: Solver,
    time_limit: float | None = None,
    budget: float | None = None,
) -> Quality:
    good = good_positions(trace, assertions, solver, time_limit, budget)
    if 0 in good:
        return Quality.PERFECT
    locations = trace.locations
    passed = Counter(locations)
    inside = (i for i in sorted(good) if passed[locations[i]] > 1 and assertions[i] not in (TRUE, FALSE))
    return Quality.INDUCTIVE if any(inside) else Quality.TRACE


def is_perfect(
    trace: Trace,
    assertions: Sequence[Term],
    solver: Solver,
    time_limit: float | None = None,
    budget: float | None = None,
) -> bool:
    """Does every run of the path program stay within the assertions of the trace and never reach the error?"""
    return 0 in good_positions(trace, assertions, solver, time_limit, budget)


def good_positions(
    trace: Trace,
    assertions: Sequence[Term],
    solver: Solver,
    time_limit: float | None = None,
    budget: float | None = None,
) -> set[int]:
    """Positions of the trace from whose assertion the path program never reaches the error location.

    A position is good if each edge that leaves its location leads, as a Hoare triple, to a good position. The greatest
    set of good positions is computed by removing those that are not until none is left to remove. Undecided triples
    count as invalid: those that take longer than `time_limit` seconds, and all after `budget` seconds.
    """
    end = None if budget is None else running_time() + budget
    locations = trace.locations
    outgoing: dict[Location, list[tuple[Edge, Transition]]] = {}
    for edge in path_program(trace):
        outgoing.setdefault(edge.source, []).append((edge, transition(edge.statement)))
    positions: dict[Location, list[int]] = {}
    for i, location in enumerate(locations):
        positions.setdefault(location, []).append(i)
    cache: dict[tuple[Term, Edge, Term], bool] = {}

    def leads(i: int, edge: Edge, step: Transition, j: int) -> bool:
        if j == i + 1 and trace.edges[i] == edge:
            return True  # the sequence's own step
        key = (assertions[i], edge, assertions[j])
        if key not in cache:
            left = None if end is None else end - running_time()
            limit = min((x for x in (left, time_limit) if x is not None), default=None)
            cache[key] = _holds(assertions[i], step, assertions[j], solver, limit)
        return cache[key]

    good = {i for i in range(len(locations)) if locations[i] != locations[-1] or assertions[i] is FALSE}
    changed = True
    while changed:
        changed = False
        for i in sorted(good):
            if assertions[i] is FALSE:
                continue  # no run gets here
            for edge, step in outgoing.get(locations[i], ()):
                if not any(leads(i, edge, step, j) for j in positions.get(edge.target, ()) if j in good):
                    good.discard(i)
                    changed = True
                    break
    return good


def _holds(before: Term, step: Transition, after: Term, solver: Solver, time_limit: float | None) -> bool:
    if after is TRUE or before is FALSE or step.guard is FALSE:
        return True
    known = frozenset(conjuncts(before))
    if all(part in known and step.written.isdisjoint(free_variables(part)) for part in conjuncts(after)):
        return True  # by data flow
    if time_limit is not None and time_limit <= 0:
        return False
    return solver.is_valid(hoare_triple(before, step, after), time_limit) is True
