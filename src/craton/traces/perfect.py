"""Path programs and perfect sequences ([CN] 7.1).

The path program of a trace consists of the edges that occur in it, with all the loops they form. A sequence is perfect
if it is inductive for the path program, too: then it contains a loop invariant for each loop. Where the trace visits a
location several times, one of the assertions made there must be the invariant.

Ours is finer. A sequence that is *proving* may need several assertions of a location, one for some rounds of a loop and
one for others; it proves the path program as well. Short of that are *inductive* sequences, with a loop invariant that
the start of the path does not establish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from craton.logic import FALSE, TRUE, Term, conjuncts, free_variables
from craton.processes.running_time import running_time
from craton.program.cfa import Edge, Location
from craton.program.transitions import Transition, transition
from craton.smt import Solver
from craton.traces.refutation import Quality, hoare_triple
from craton.traces.trace import Trace


def path_program(trace: Trace) -> tuple[Edge, ...]:
    """The edges of the trace, each once."""
    return tuple(dict.fromkeys(trace.edges))


def quality(
    trace: Trace,
    assertions: Sequence[Term],
    solver: Solver,
    time_limit: float | None = None,
    budget: float | None = None,
) -> Quality:
    """Undecided Hoare triples count as invalid: those that take longer than `time_limit` seconds, and all after
    `budget` seconds.
    """
    triples = _Triples(trace, assertions, solver, time_limit, budget)
    good = good_positions(triples)
    if 0 in good:
        return Quality.PERFECT if _one_for_each(triples, good) else Quality.PROVING
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
    """Is there an assertion for each location, among those of its visits, that together are inductive for the path
    program ([CN] 7.1)?
    """
    return quality(trace, assertions, solver, time_limit, budget) is Quality.PERFECT


class _Triples:
    """{A[i]} edge {A[j]} for a sequence of assertions and the edges of its path program."""

    def __init__(
        self,
        trace: Trace,
        assertions: Sequence[Term],
        solver: Solver,
        time_limit: float | None,
        budget: float | None,
    ) -> None:
        self.trace = trace
        self.assertions = assertions
        self.locations = trace.locations
        self.outgoing: dict[Location, list[Edge]] = {}
        self.positions: dict[Location, list[int]] = {}
        for edge in path_program(trace):
            self.outgoing.setdefault(edge.source, []).append(edge)
        for i, location in enumerate(self.locations):
            self.positions.setdefault(location, []).append(i)
        self._solver = solver
        self._time_limit = time_limit
        self._end = None if budget is None else running_time() + budget
        self._known: dict[tuple[Term, Edge, Term], bool] = {}

    def lead(self, i: int, edge: Edge, j: int) -> bool:
        if j == i + 1 and self.trace.edges[i] == edge:
            return True  # the sequence's own step
        key = (self.assertions[i], edge, self.assertions[j])
        if key not in self._known:
            left = None if self._end is None else self._end - running_time()
            limit = min((x for x in (left, self._time_limit) if x is not None), default=None)
            self._known[key] = _holds(key[0], transition(edge.statement), key[2], self._solver, limit)
        return self._known[key]


def good_positions(triples: _Triples) -> set[int]:
    """Positions of the trace from whose assertion the path program never reaches the error location.

    A position is good if each edge that leaves its location leads, as a Hoare triple, to a good position. The greatest
    set of good positions is computed by removing those that are not until none is left to remove.
    """
    locations, assertions = triples.locations, triples.assertions
    good = {i for i in range(len(locations)) if locations[i] != locations[-1] or assertions[i] is FALSE}
    changed = True
    while changed:
        changed = False
        for i in sorted(good):
            if assertions[i] is FALSE:
                continue  # no run gets here
            for edge in triples.outgoing.get(locations[i], ()):
                targets = triples.positions.get(edge.target, ())
                if not any(triples.lead(i, edge, j) for j in targets if j in good):
                    good.discard(i)
                    changed = True
                    break
    return good


def _one_for_each(triples: _Triples, good: set[int]) -> bool:
    """Whether the path program is proved by one assertion for each location. The first location's is `true`, as runs
    start in any state; of the others, the first visits' come first: they are the weakest where an assertion is a loop
    invariant and later ones imply it.
    """
    candidates = {
        location: [i for i in found if i in good] if location != triples.locations[0] else [0]
        for location, found in triples.positions.items()
    }

    def proves(edge: Edge, chosen: Mapping[Location, int]) -> bool:
        i = chosen[edge.source]
        return triples.assertions[i] is FALSE or triples.lead(i, edge, chosen[edge.target])

    edges = [edge for found in triples.outgoing.values() for edge in found]
    return one_of_each(candidates, [((edge.source, edge.target), partial(proves, edge)) for edge in edges])


K = TypeVar("K", bound=Hashable)
Constraint = tuple[tuple[K, ...], Callable[[Mapping[K, int]], bool]]  # about some keys, and whether a choice fulfils it


def one_of_each(candidates: Mapping[K, Sequence[int]], constraints: Sequence[Constraint[K]]) -> bool:
    """Whether one candidate for each key can be chosen so that all constraints hold. By backtracking."""
    keys = list(candidates)
    order = {key: number for number, key in enumerate(keys)}
    due: list[list[Callable[[Mapping[K, int]], bool]]] = [[] for _ in keys]
    for about, holds in constraints:
        if any(key not in order for key in about):
            return False
        due[max(order[key] for key in about)].append(holds)
    chosen: dict[K, int] = {}
    waiting = [iter(candidates[keys[0]])] if keys else []
    while waiting:
        depth = len(waiting) - 1
        for candidate in waiting[-1]:
            chosen[keys[depth]] = candidate
            if all(holds(chosen) for holds in due[depth]):
                break
        else:
            waiting.pop()
            continue
        if depth + 1 == len(keys):
            return True
        waiting.append(iter(candidates[keys[depth + 1]]))
    return not keys


def _holds(before: Term, step: Transition, after: Term, solver: Solver, time_limit: float | None) -> bool:
    if after is TRUE or before is FALSE or step.guard is FALSE:
        return True
    known = frozenset(conjuncts(before))
    if all(part in known and step.written.isdisjoint(free_variables(part)) for part in conjuncts(after)):
        return True  # by data flow
    if time_limit is not None and time_limit <= 0:
        return False
    return solver.is_valid(hoare_triple(before, step, after), time_limit) is True
