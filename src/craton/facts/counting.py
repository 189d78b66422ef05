"""The fixed point of gauges, and what they say of the program's own variables.

Ranges of the simpler analysis hold at every location; gauges make them sharper. A loop's rates are what changed in its
first round; if later rounds change more, a rate is made wider once, and then given up.

Rounds are no variables of a program. Where counters tell them (i = 3 + 2·r), bounds with rates become inequalities
between variables: k ≥ 10·i + j. They need not be inductive without the rounds, so whoever uses them sorts them out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from craton.facts.analysis import analyse
from craton.facts.formulas import about, told
from craton.facts.gauges import (
    ANY_NUMBER,
    Gauges,
    Linear,
    Reading,
    Side,
    after,
    again,
    entered,
    first_rates,
    follows,
    hull,
    joined,
    reduced,
)
from craton.facts.ranges import Range, top
from craton.facts.states import State, both
from craton.facts.states import joined as joined_ranges
from craton.logic import TRUE, BitVec, Term, bv, bvadd, bvmul, bvsle, bvule, eq, extract, sign_extend, zero_extend
from craton.processes.running_time import running_time
from craton.program.analysis.control_flow import back_edge_targets
from craton.program.analysis.graphs import reverse_postorder
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import transition

PATIENCE = 2  # visits of a loop head before a rate is made wider, and again before it is given up
LAST = 12  # visits of a loop head
MOST_EDGES = 400  # of a program: larger ones have too many variables
NARROWING = 2


def counted(program: Program, seconds: float | None = None) -> dict[Location, tuple[Term, ...]]:
    """Facts, and what gauges say beyond them: bounds, and linear inequalities; at the locations that may be reached, of
    programs that have loops and are not too large.
    """
    if len(program.main.edges) > MOST_EDGES or not back_edge_targets(program.main):
        return {}
    end = float("inf") if seconds is None else running_time() + seconds
    plain = analyse(program, seconds)
    found: dict[Location, dict[Term, None]] = {}
    for reading in Reading:
        for location, state in _Counting(program, plain, reading, end).result().items():
            parts = found.setdefault(location, dict.fromkeys(told(plain[location])))
            parts |= dict.fromkeys(_bounds(state, plain[location]))
            parts |= dict.fromkeys(_relations(state))
    return {location: tuple(part for part in parts if part is not TRUE) for location, parts in found.items()}


class _Counting:
    def __init__(self, program: Program, plain: Mapping[Location, State], reading: Reading, end: float) -> None:
        self.main = program.main
        self.plain = plain
        self.reading = reading
        self.end = end
        self.order = reverse_postorder(self.main.entry, self.main.successors)
        self.number = {location: i for i, location in enumerate(self.order)}
        self.heads = {edge.target for edge in self.main.edges if edge.source in self.number and self._closes(edge)}
        loops = {head: self._inside(head) for head in self.heads}
        self.changed = {head: _changed(edges) for head, edges in loops.items()}
        self.nested = {head: self.heads & {edge.source for edge in edges} - {head} for head, edges in loops.items()}

    def result(self) -> dict[Location, Gauges]:
        found = self._ascending()
        for _ in range(NARROWING):
            if found is None:
                return {}
            found = self._again(found)
        return found if found is not None and self._stable(found) else {}

    def _closes(self, edge: Edge) -> bool:
        """Whether the edge ends a round of a loop."""
        return self.number[edge.target] <= self.number[edge.source]

    def _inside(self, head: Location) -> list[Edge]:
        """The edges of a loop."""
        found: dict[Edge, None] = dict.fromkeys(edge for edge in self.main.incoming(head) if self._closes(edge))
        waiting = list(found)
        while waiting:
            edge = waiting.pop()
            if edge.source != head:
                new = [other for other in self.main.incoming(edge.source) if other not in found]
                found |= dict.fromkeys(new)
                waiting += new
        return list(found)

    @property
    def _late(self) -> bool:
        return running_time() > self.end

    def _along(self, edge: Edge, state: Gauges) -> Gauges | None:
        """What an edge leads to."""
        if edge.target not in self.plain:
            return None
        found = after(edge.statement, state)
        if found is None:
            return None
        if edge.target in self.heads:
            found = again(edge.target, found) if self._closes(edge) else entered(edge.target, found)
        return self._sharper(edge.target, found)

    def _sharper(self, location: Location, state: Gauges) -> Gauges | None:
        """With the facts of a location."""
        ranges = dict(state.ranges)
        for x, known in self.plain[location].items():
            met = both(ranges[x], known) if x in ranges else known
            if met is None:
                return None
            ranges[x] = met
        return reduced(replace(state, ranges=ranges))

    def _ascending(self) -> dict[Location, Gauges] | None:
        """Locations in their order: what comes before them, loops included, is finished first."""
        found = {self.main.entry: Gauges(self.reading)}
        visits: dict[Location, int] = {}
        waiting = [self.number[edge.target] for edge in self.main.outgoing(self.main.entry)]
        heapq.heapify(waiting)
        while waiting:
            if self._late:
                return None
            number = heapq.heappop(waiting)
            while waiting and waiting[0] == number:
                heapq.heappop(waiting)
            here = self.order[number]
            arriving = self._arriving(here, found)
            old = found.get(here)
            if not arriving or (old is not None and all(self._contains(old, state) for state in arriving)):
                continue
            new = reduce(joined, arriving) if old is None or here not in self.heads else None
            found[here] = self._grown(here, found[here], arriving, visits) if new is None else new
            for edge in self.main.outgoing(here):
                heapq.heappush(waiting, self.number[edge.target])
        return found

    def _arriving(self, location: Location, found: Mapping[Location, Gauges]) -> list[Gauges]:
        return [
            state
            for edge in self.main.incoming(location)
            if edge.source in found and (state := self._along(edge, found[edge.source])) is not None
        ]

    def _grown(self, head: Location, old: Gauges, arriving: Sequence[Gauges], visits: dict[Location, int]) -> Gauges:
        """What is known at the head of a loop, with what arrives now."""
        count = visits[head] = visits.get(head, 0) + 1
        visits |= dict.fromkeys(self.nested[head], 0)  # what is new to them from outside is no fault of their rates
        new = old
        for state in arriving:
            if not self._contains(new, state):
                new = first_rates(new, state, head, self.changed[head])
        if count > 1:
            new = _widened(old, new, head, self.plain[head], count)
        return self._sharper(head, new) or new

    def _contains(self, old: Gauges, new: Gauges) -> bool:
        return follows(old, new) and all(
            (own := new.ranges.get(x)) is not None and both(own, known) == own for x, known in old.ranges.items()
        )

    def _again(self, states: Mapping[Location, Gauges]) -> dict[Location, Gauges] | None:
        """One round without widening."""
        found = dict(states)
        for location in self.order:
            if self._late:
                return None
            if location == self.main.entry or location not in found:
                continue
            arriving = self._arriving(location, found)
            if not arriving:
                del found[location]
                continue
            new = _narrowed(found[location], arriving)
            found[location] = self._sharper(location, new) or found[location]
        return found

    def _stable(self, states: Mapping[Location, Gauges]) -> bool:
        return not self._late and all(
            (state := self._along(edge, states[edge.source])) is None
            or (edge.target in states and self._contains(states[edge.target], state))
            for edge in self.main.edges
            if edge.source in states
        )


def _changed(edges: Iterable[Edge]) -> frozenset[Term]:
    """The variables that get a value."""
    return frozenset(x for edge in edges for x in transition(edge.statement).updates)


def _widened(old: Gauges, new: Gauges, head: Location, plain: State, count: int) -> Gauges:
    """Ranges that changed are those of the plain analysis again, and rounds that changed have no end."""
    if count > LAST:
        return Gauges(old.reading, plain)
    ranges = {x: known for x, known in new.ranges.items() if old.ranges.get(x) == known}
    ranges |= {x: known for x, known in plain.items() if x not in ranges}
    rounds = {h: one if old.rounds.get(h) == one else (min(one[0], 0), None) for h, one in new.rounds.items()}
    found = replace(new, ranges=ranges, rounds=rounds)
    known = head if head in rounds else None  # who comes round from a loop beside it knows no rounds of this one
    for side in Side:
        before = old.rated(side)
        rated = {x: one for x, bound in new.rated(side).items() if (one := _slower(before.get(x), bound, known, count))}
        found = found.with_rated(side, rated)
    return found


def _slower(before: Linear | None, now: Linear, head: Location | None, count: int) -> Linear | None:
    """A bound that still moves after some rounds: its rate is wrong by so much; later, or where the rounds of the loop
    are not counted, it has none.
    """
    if before == now or count <= PATIENCE:
        return now
    if before is None or head is None or before.rates != now.rates or count > 2 * PATIENCE:
        return None
    return before.plus(Linear(0, ((head, now.constant - before.constant),)))


def _narrowed(old: Gauges, arriving: Sequence[Gauges]) -> Gauges:
    """Ranges and rounds as they arrive; bounds with rates stay."""
    rounds = {head: reduce(hull, (state.rounds.get(head, ANY_NUMBER) for state in arriving)) for head in old.rounds}
    return replace(old, ranges=reduce(joined_ranges, (state.ranges for state in arriving)), rounds=rounds)


# --- formulas ---------------------------------------------------------------------------------------------------------


def _bounds(state: Gauges, plain: State) -> Iterator[Term]:
    """The ranges that gauges have made sharper."""
    for x, known in state.ranges.items():
        if isinstance(known, Range) and isinstance(x.sort, BitVec) and known != plain.get(x, top(x.sort.width)):
            yield from about(x, known)


def _relations(state: Gauges) -> Iterator[Term]:
    """Bounds with rates, told by counters instead of rounds."""
    at_most = bvsle if state.reading is Reading.SIGNED else bvule
    for side in Side:
        for x, bound in sorted(state.rated(side).items(), key=lambda pair: pair[0].serial):
            exact = state.bound(x, Side.LOWER) == state.bound(x, Side.UPPER)
            if exact and side is Side.UPPER:
                continue  # the equation is there already
            limit = _by_counters(x, bound, side, state, exact=exact)
            if limit is not None:
                yield eq(limit, x) if exact else at_most(limit, x) if side is Side.LOWER else at_most(x, limit)


def _by_counters(x: Term, bound: Linear, side: Side, state: Gauges, *, exact: bool) -> Term | None:
    """A bound of x as a sum of counters; None if there are not enough of them, or if the sum may wrap around, unless
    it is an equation.
    """
    assert isinstance(x.sort, BitVec)
    width, constant = x.sort.width, bound.constant
    summands: list[tuple[int, Term]] = []
    for head, rate in bound.rates:
        found = _counter(head, rate, x, side, state, exact=exact)
        if found is None:
            return None
        counter, factor, start = found
        constant -= factor * start
        summands.append((factor, counter))
    ends = [constant, constant]
    for factor, counter in summands:
        low, high = sorted(factor * end for end in state.reading.bounds(state.range_of(counter)))
        ends = [ends[0] + low, ends[1] + high]
    least, most = state.reading.bounds(top(width))
    if not exact and (ends[0] < least or ends[1] > most):
        return None
    multiples = (bvmul(bv(factor, width), _resized(counter, width, state.reading)) for factor, counter in summands)
    return bvadd(bv(constant, width), *multiples)


def _resized(x: Term, width: int, reading: Reading) -> Term:
    """The number that a variable is, modulo another width."""
    assert isinstance(x.sort, BitVec)
    if x.sort.width >= width:
        return extract(width - 1, 0, x)
    extended = sign_extend if reading is Reading.SIGNED else zero_extend
    return extended(width - x.sort.width, x)


def _counter(
    head: Location, rate: int, x: Term, side: Side, state: Gauges, *, exact: bool
) -> tuple[Term, int, int] | None:
    """A variable c, a factor and a start such that factor · (c − start) bounds rate · rounds from that side; exactly,
    where that is asked for, and always where there is such a counter.
    """
    found: tuple[Term, int, int] | None = None
    for c in sorted({*state.lower, *state.upper}, key=lambda variable: variable.serial):
        if c is x:
            continue
        for own in Side:
            bound = state.rated(own).get(c)
            if bound is None or len(bound.rates) != 1 or bound.rates[0][0] != head or rate % bound.rates[0][1]:
                continue
            factor = rate // bound.rates[0][1]
            if state.bound(c, own.other) == bound:
                return c, factor, bound.constant
            if not exact and found is None and (own is side.other) == (factor > 0):
                found = c, factor, bound.constant
    return found
