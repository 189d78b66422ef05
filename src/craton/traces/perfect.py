"""Path programs and perfect sequences ([CN] 7.1).

The path program of a trace consists of the edges that occur in it, with all the loops they form. A sequence is perfect
if it is inductive for the path program, too: then it contains a loop invariant for each loop. Where the trace visits a
location several times, one of the assertions made there must be the invariant.

Ours is finer. A sequence that is *proving* may need several assertions of a location, one for some rounds of a loop and
one for others; it proves the path program as well. Short of that are *inductive* sequences, with a loop invariant that
the start of the path does not establish.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from craton.logic import FALSE, TRUE, Term, conjuncts, free_variables
from craton.processes.limits import least
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
    locations = trace.locations
    passed = Counter(locations)
    inside = {i for i, x in enumerate(locations) if passed[x] > 1 and assertions[i] not in (TRUE, FALSE)}
    good = good_positions(triples, inside | {0})
    if 0 in good:
        return Quality.PERFECT if _one_for_each(triples, good) else Quality.PROVING
    return Quality.TRACE if inside.isdisjoint(good) else Quality.INDUCTIVE


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
        self.assertions = assertions
        self.locations = trace.locations
        self.outgoing: dict[Location, list[Edge]] = {}
        self.positions: dict[Location, list[int]] = {}
        same: dict[Edge, Edge] = {}  # the path program
        self._own = [same.setdefault(edge, edge) for edge in trace.edges]
        for edge in same:
            self.outgoing.setdefault(edge.source, []).append(edge)
        for i, location in enumerate(self.locations):
            self.positions.setdefault(location, []).append(i)
        self._solver = solver
        self._time_limit = time_limit
        self._end = None if budget is None else running_time() + budget
        # Edges by identity, here and in `_own`: comparing them takes longer.
        self._known: dict[tuple[Term, int, Term], bool] = {}

    def lead(self, i: int, edge: Edge, j: int) -> bool:
        if self._is_own_step(i, edge, j):
            return True
        key = (self.assertions[i], id(edge), self.assertions[j])
        known = self._known.get(key)
        if known is None:
            left = None if self._end is None else self._end - running_time()
            limit = least(left, self._time_limit)
            known = self._known[key] = _holds(key[0], transition(edge.statement), key[2], self._solver, limit)
        return known

    def led_by(self, i: int, edge: Edge, good: Collection[int]) -> int | None:
        """A good position to which an edge leads from a position, if there is one; the solver is asked last."""
        targets = [j for j in self.positions.get(edge.target, ()) if j in good]
        for j in targets:
            if self._is_free(i, edge, j):
                return j
        return next((j for j in targets if self.lead(i, edge, j)), None)

    def _is_own_step(self, i: int, edge: Edge, j: int) -> bool:
        return j == i + 1 and self._own[i] is edge

    def _is_free(self, i: int, edge: Edge, j: int) -> bool:
        """Whether it is known to hold."""
        after = self.assertions[j]
        known = self._known.get((self.assertions[i], id(edge), after), False)
        return known or after is TRUE or self._is_own_step(i, edge, j)


def good_positions(triples: _Triples, wanted: Collection[int]) -> set[int]:
    """Positions of the trace from whose assertion the path program never reaches the error location; all of them, or
    some others if none of those that are wanted is among them.

    A position is good if each edge that leaves its location leads, as a Hoare triple, to a good position. The greatest
    set of good positions is computed by removing those that are not until none is left to remove. Each remembers to
    which position its edges lead, and is looked at again when that one is removed.
    """
    locations, assertions = triples.locations, triples.assertions
    good = {i for i in range(len(locations)) if locations[i] != locations[-1] or assertions[i] is FALSE}
    wanted_left = len(good.intersection(wanted))
    led: dict[int, list[tuple[int, Edge]]] = {}  # the edges that are known to lead to a position
    open_ = sorted(i for i in good if assertions[i] is not FALSE)  # no run gets to the others
    waiting = deque((i, edge) for i in open_ for edge in triples.outgoing[locations[i]])
    while waiting and wanted_left:
        i, edge = waiting.popleft()
        if i not in good:
            continue
        target = triples.led_by(i, edge, good)
        if target is not None:
            led.setdefault(target, []).append((i, edge))
            continue
        good.discard(i)
        wanted_left -= i in wanted
        waiting.extend(led.pop(i, ()))
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
