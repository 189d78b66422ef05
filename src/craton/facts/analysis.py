"""The fixed point: what is known of variables at the locations of a program.

Locations are visited in reverse post-order; at loop heads bounds that keep moving go on to the next constant of the
program (widening). Then two rounds without widening (narrowing). The result is returned only if it is stable: whatever
the operations do, states lead into states along every edge.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from craton.facts import floats
from craton.facts.floats import FloatRange
from craton.facts.ranges import Range, as_signed, widened
from craton.facts.states import Known, State, after, includes, joined
from craton.logic import BitVec, Float, Term, ops, post_order
from craton.processes.running_time import running_time
from craton.program.analysis.graphs import reverse_postorder
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Block, Statement

PATIENCE = 3  # visits of a loop head before bounds are widened
NARROWING = 2  # rounds

Thresholds = Mapping[int, Sequence[int]]  # by width
Steps = Mapping[Float, Sequence[float]]  # by format


def analyse(program: Program, seconds: float | None = None) -> dict[Location, State]:
    """States of the locations that can be reached, as far as ranges can tell; {} of all of them if time runs out."""
    found = _Analysis(program.main, seconds)
    return found.result()


class _Analysis:
    def __init__(self, main: Procedure, seconds: float | None) -> None:
        self.main = main
        self.end = float("inf") if seconds is None else running_time() + seconds
        self.order = reverse_postorder(main.entry, main.successors)
        self.number = {location: i for i, location in enumerate(self.order)}
        self.heads = {
            edge.target
            for edge in main.edges
            if edge.source in self.number and self.number[edge.target] <= self.number[edge.source]
        }
        self.thresholds = thresholds(main)
        self.steps = float_thresholds(main)

    def result(self) -> dict[Location, State]:
        nothing: dict[Location, State] = {location: {} for location in self.order}
        found = self._ascending()
        if found is None:
            return nothing
        narrowed = found
        for _ in range(NARROWING):
            better = self._again(narrowed)
            if better is None:
                break
            narrowed = better
        if self._stable(narrowed):
            return narrowed
        return found if self._stable(found) else nothing

    @property
    def _late(self) -> bool:
        return running_time() > self.end

    def _ascending(self) -> dict[Location, State] | None:
        found: dict[Location, State] = {self.main.entry: {}}
        visits: dict[Location, int] = {}
        waiting = [0]
        queued = {0}
        while waiting:
            if self._late:
                return None
            number = heapq.heappop(waiting)
            queued.discard(number)
            here = self.order[number]
            for edge in self.main.outgoing(here):
                state = after(edge.statement, found[here])
                if state is None:
                    continue
                old = found.get(edge.target)
                new = state if old is None else self._more(edge.target, old, state, visits)
                if new is not None:
                    found[edge.target] = new
                    target = self.number[edge.target]
                    if target not in queued:
                        queued.add(target)
                        heapq.heappush(waiting, target)
        return found

    def _more(self, location: Location, old: State, state: State, visits: dict[Location, int]) -> State | None:
        """The state with what arrives; None if that is nothing new."""
        if includes(old, state):
            return None
        new = joined(old, state)
        if location in self.heads:
            visits[location] = visits.get(location, 0) + 1
            if visits[location] > PATIENCE:
                new = {v: self._widened(old[v], known) for v, known in new.items()}
        return new

    def _widened(self, old: Known, new: Known) -> Known:
        if isinstance(new, Range):
            assert isinstance(old, Range)
            return widened(old, new, self.thresholds.get(new.width, ()))
        assert isinstance(old, FloatRange)
        return floats.widened(old, new, self.steps.get(new.sort, ()))

    def _again(self, states: Mapping[Location, State]) -> dict[Location, State] | None:
        """One round without widening: each state is the join of what its predecessors lead to now."""
        found: dict[Location, State] = dict(states)
        for location in self.order:
            if self._late:
                return None
            if location == self.main.entry or location not in found:
                continue
            arriving = [
                state
                for edge in self.main.incoming(location)
                if edge.source in found and (state := after(edge.statement, found[edge.source])) is not None
            ]
            if not arriving:
                del found[location]
                continue
            new = arriving[0]
            for other in arriving[1:]:
                new = joined(new, other)
            found[location] = new
        return found

    def _stable(self, states: Mapping[Location, State]) -> bool:
        return states.get(self.main.entry) == {} and all(
            self._leads(edge, states) for edge in self.main.edges if edge.source in states
        )

    def _leads(self, edge: Edge, states: Mapping[Location, State]) -> bool:
        state = after(edge.statement, states[edge.source])
        return state is None or (edge.target in states and includes(states[edge.target], state))


def thresholds(main: Procedure) -> dict[int, list[int]]:
    """The constants of assumptions and assigned values, and their neighbours, as unsigned and as signed numbers."""
    found: dict[int, set[int]] = {}
    for edge in main.edges:
        for node in post_order(*_terms(edge.statement)):
            if node.op is ops.VALUE and isinstance(node.sort, BitVec):
                width = node.sort.width
                for number in {node.payload, as_signed(node.payload, width)}:
                    found.setdefault(width, set()).update((number - 1, number, number + 1))
    return {width: sorted(numbers) for width, numbers in found.items()}


def float_thresholds(main: Procedure) -> dict[Float, list[float]]:
    """The numbers of assumptions and assigned values, in both formats and with both signs, and zero."""
    found: set[float] = {0.0}
    for edge in main.edges:
        for node in post_order(*_terms(edge.statement)):
            if node.op is ops.VALUE and isinstance(node.sort, Float) and floats.has_ranges(node.sort):
                known = floats.float_constant(node.sort, node.payload)
                if known.has_numbers:
                    found.update((known.low, -known.low))
    singles = {bound(floats.SINGLE, x) for x in found for bound in (floats.at_least, floats.at_most)}
    return {floats.DOUBLE: sorted(found), floats.SINGLE: sorted(singles)}


def _terms(statement: Statement) -> list[Term]:
    match statement:
        case Assume(condition):
            return [condition]
        case Assign(_, value):
            return [value]
        case Block():
            return [term for edge in statement.edges for term in _terms(edge.statement)]
    return []
