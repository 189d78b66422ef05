"""Gauges (Venet 2012): bounds of variables that are linear in the rounds of loops.

For each loop there is a number of *rounds* since it was entered, which no program has. Between them and a variable x
there is l + l1·r1 + … ≤ x ≤ u + u1·r1 + …: what x gains in one round is a rate. Where a condition bounds one counter,
the rounds are bounded, and so is everything that has a rate in them; that includes loops inside of loops, whose rounds
are what the outer loop's rate is made of.

Law: numbers are whole, without wrapping around. A sum keeps its gauge only where its value, as a whole number, is one
of the type; else nothing but its range is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from math import prod

from craton.facts.ranges import Range, as_signed, made, meet, top
from craton.facts.states import State, assumed, known_of, value
from craton.facts.states import joined as joined_ranges
from craton.logic import BitVec, Term, ops
from craton.logic.walk import fold
from craton.program.cfa import Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement

REDUCTIONS = 3  # of ranges by rounds, and of rounds by ranges, one after the other
MOST_WAYS = 8  # that lead to one place inside of a block, before they are joined
LARGEST_RATE = 1 << 40

Interval = tuple[int, int | None]  # of rounds; without an end, if None
ANY_NUMBER: Interval = (0, None)
Rates = tuple[tuple[Location, int], ...]  # by the loop's head, sorted, none of them zero


class Reading(Enum):
    """Which whole number a bit-vector is."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"

    def bounds(self, known: Range) -> tuple[int, int]:
        return (known.least, known.most) if self is Reading.SIGNED else (known.low, known.high)

    def within(self, width: int, low: int, high: int) -> Range | None:
        return made(width, None, (low, high)) if self is Reading.SIGNED else made(width, (low, high))


class Side(Enum):
    """Which of the two bounds: `sign` times a bound is one from below."""

    LOWER = 1
    UPPER = -1

    @property
    def other(self) -> Side:
        return Side.UPPER if self is Side.LOWER else Side.LOWER


@dataclass(frozen=True, slots=True)
class Linear:
    """constant + Σ rate · rounds."""

    constant: int
    rates: Rates = ()

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        rates = dict(self.rates)
        for head, rate in other.rates:
            rates[head] = rates.get(head, 0) + factor * rate
        return linear(self.constant + factor * other.constant, rates)

    def rate(self, head: Location) -> int:
        return dict(self.rates).get(head, 0)

    def extreme(self, side: Side, rounds: Mapping[Location, Interval]) -> int | None:
        """The least value (the largest, from above); None if there is none."""
        total = self.constant
        for head, rate in self.rates:
            low, high = rounds.get(head, ANY_NUMBER)
            end = low if (rate > 0) == (side is Side.LOWER) else high
            if end is None:
                return None
            total += rate * end
        return total


def linear(constant: int, rates: Mapping[Location, int]) -> Linear:
    return Linear(constant, tuple(sorted(((h, r) for h, r in rates.items() if r), key=lambda pair: pair[0].id)))


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is known at one point: ranges, rounds, and bounds with a rate; bounds without one are the ranges'."""

    reading: Reading
    ranges: State = field(default_factory=dict)
    rounds: Mapping[Location, Interval] = field(default_factory=dict)
    lower: Mapping[Term, Linear] = field(default_factory=dict)
    upper: Mapping[Term, Linear] = field(default_factory=dict)

    def rated(self, side: Side) -> Mapping[Term, Linear]:
        return self.lower if side is Side.LOWER else self.upper

    def range_of(self, variable: Term) -> Range:
        found = self.ranges.get(variable)
        assert isinstance(variable.sort, BitVec)
        return found if isinstance(found, Range) else top(variable.sort.width)

    def bound(self, variable: Term, side: Side) -> Linear:
        found = self.rated(side).get(variable)
        return Linear(self.reading.bounds(self.range_of(variable))[side is Side.UPPER]) if found is None else found

    def with_rated(self, side: Side, rated: Mapping[Term, Linear]) -> Gauges:
        return replace(self, lower=rated) if side is Side.LOWER else replace(self, upper=rated)


# --- rounds -----------------------------------------------------------------------------------------------------------


def entered(head: Location, state: Gauges) -> Gauges:
    """At the head of a loop, from outside: no round so far."""
    left = _without(head, state) if head in state.rounds else state
    return replace(left, rounds={**left.rounds, head: (0, 0)})


def again(head: Location, state: Gauges) -> Gauges:
    """At the head of a loop, after one more round."""
    if head not in state.rounds:
        return state
    low, high = state.rounds[head]

    def shifted(rated: Mapping[Term, Linear]) -> dict[Term, Linear]:
        return {x: replace(bound, constant=bound.constant - bound.rate(head)) for x, bound in rated.items()}

    rounds = {**state.rounds, head: (low + 1, None if high is None else high + 1)}
    return replace(state, rounds=rounds, lower=shifted(state.lower), upper=shifted(state.upper))


def _without(head: Location, state: Gauges) -> Gauges:
    """The rounds of a loop are forgotten."""
    rest = {other: interval for other, interval in state.rounds.items() if other != head}
    for side in Side:
        kept: dict[Term, Linear] = {}
        for x, bound in state.rated(side).items():
            rate = bound.rate(head)
            own = Linear(0, ((head, rate),) if rate else ()).extreme(side, state.rounds)
            others = {h: r for h, r in bound.rates if h != head}
            if own is not None and others:
                kept[x] = linear(bound.constant + own, others)
        state = state.with_rated(side, kept)
    return replace(state, rounds=rest)


def reduced(state: Gauges) -> Gauges | None:
    """Ranges and rounds, each as sharp as the other makes it; None if they exclude each other."""
    for _ in range(REDUCTIONS):
        before = state
        for side in Side:
            for x, bound in state.rated(side).items():
                found = _reduced_by(x, bound, side, state)
                if found is None:
                    return None
                state = found
        if state is before:
            break
    return state


def _reduced_by(x: Term, bound: Linear, side: Side, state: Gauges) -> Gauges | None:
    known = state.range_of(x)
    low, high = state.reading.bounds(known)
    extreme = bound.extreme(side, state.rounds)
    if extreme is not None and (extreme > low if side is Side.LOWER else extreme < high):
        told = state.reading.within(known.width, *((extreme, high) if side is Side.LOWER else (low, extreme)))
        sharper = None if told is None else meet(known, told)
        if sharper is None:
            return None
        state = replace(state, ranges={**state.ranges, x: sharper})
    # sign · bound ≤ sign · x ≤ sign · limit: so much is left for each of its summands
    sign, limit = side.value, high if side is Side.LOWER else low
    for head, rate in bound.rates:
        others = linear(bound.constant, {h: r for h, r in bound.rates if h != head}).extreme(side, state.rounds)
        if others is None:
            continue
        left, slope = sign * (limit - others), sign * rate  # slope · rounds ≤ left
        least, most = state.rounds[head]
        if slope > 0:
            most = left // slope if most is None else min(most, left // slope)
        else:
            least = max(least, -(left // -slope))
        if most is not None and least > most:
            return None
        if (least, most) != state.rounds[head]:
            state = replace(state, rounds={**state.rounds, head: (least, most)})
    return state


# --- statements -------------------------------------------------------------------------------------------------------


def after(statement: Statement, state: Gauges) -> Gauges | None:
    """What holds after a statement; None if no run gets through."""
    match statement:
        case Assume(condition):
            ranges = assumed(condition, state.ranges)
            return None if ranges is None else reduced(replace(state, ranges=ranges))
        case Assign(variable, term):
            return _assigned(variable, term, state)
        case Havoc(variables):
            return _forgotten(variables, state)
        case Block():
            return _after_block(statement, state)
    return Gauges(state.reading, rounds=state.rounds)  # it may write anything


def _forgotten(variables: Iterable[Term], state: Gauges) -> Gauges:
    gone = frozenset(variables)

    ranges = {x: known for x, known in state.ranges.items() if x not in gone}
    lower, upper = ({x: one for x, one in state.rated(side).items() if x not in gone} for side in Side)
    return replace(state, ranges=ranges, lower=lower, upper=upper)


def _assigned(variable: Term, term: Term, state: Gauges) -> Gauges | None:
    known = known_of(term, state.ranges)
    rest = _forgotten((variable,), state)
    if known is None:
        return rest
    if not isinstance(known, Range) or not isinstance(variable.sort, BitVec):
        return replace(rest, ranges={**rest.ranges, variable: known})
    summed = sum_of(term, state)
    bounds = {side: _bound(summed, side, state) for side in Side}
    ends = [bounds[side].extreme(side, state.rounds) for side in Side]
    by_ranges = [_by_ranges(summed, side, state) for side in Side]
    low = max(end for end in (ends[0], by_ranges[0]) if end is not None)
    high = min(end for end in (ends[1], by_ranges[1]) if end is not None)
    if low > high:
        return None
    least, most = state.reading.bounds(top(known.width))
    if low < least or high > most:
        return replace(rest, ranges={**rest.ranges, variable: known})
    told = state.reading.within(known.width, low, high)
    sharper = None if told is None else meet(known, told)
    if sharper is None:
        return None
    found = replace(rest, ranges={**rest.ranges, variable: sharper})
    for side in Side:
        if bounds[side].rates and all(abs(rate) <= LARGEST_RATE for _, rate in bounds[side].rates):
            found = found.with_rated(side, {**found.rated(side), variable: bounds[side]})
    return found


@dataclass(frozen=True, slots=True)
class Sum:
    """A whole number between two, and multiples of variables; it is the term's value but for wrapping around."""

    low: int
    high: int
    multiples: Mapping[Term, int]

    def plus(self, other: Sum) -> Sum:
        both = dict(self.multiples)
        for x, factor in other.multiples.items():
            both[x] = both.get(x, 0) + factor
        return Sum(self.low + other.low, self.high + other.high, {x: f for x, f in both.items() if f})

    def times(self, factor: int) -> Sum:
        ends = sorted((factor * self.low, factor * self.high))
        return Sum(ends[0], ends[1], {x: factor * f for x, f in self.multiples.items()} if factor else {})


def sum_of(term: Term, state: Gauges) -> Sum:
    """A term as a sum of variables, modulo its width; what is no sum is a number in its range."""
    return fold(term, lambda node, args: _summed(node, args, state))


def _summed(node: Term, args: list[Sum], state: Gauges) -> Sum:
    op = node.op
    if op is ops.VARIABLE and isinstance(node.sort, BitVec):
        return Sum(0, 0, {node: 1})
    if op is ops.BVADD:
        return reduce(Sum.plus, args)
    if op is ops.BVSUB:
        return args[0].plus(args[1].times(-1))
    if op is ops.BVNEG:
        return args[0].times(-1)
    if op is ops.BVMUL and sum(arg.op is not ops.VALUE for arg in node.args) == 1:
        return _multiple(node.args, args)
    if op is ops.EXTRACT and node.payload[1] == 0:
        return args[0]
    if op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND) and _is_unwrapped(args[0], node, state):
        return args[0]
    known = value(node, state.ranges)
    low, high = (0, 0) if known is None else state.reading.bounds(known)  # of other sorts sums are never asked for
    return Sum(low, high, {})


def _multiple(factors: Sequence[Term], sums: Sequence[Sum]) -> Sum:
    """Constants as signed numbers, whatever the reading: modulo the width that is the same, and -1 is small."""
    values = [(t.payload, t.sort) for t in factors if t.op is ops.VALUE]
    constants = [as_signed(number, sort.width) for number, sort in values if isinstance(sort, BitVec)]
    (open_,) = (one for one, t in zip(sums, factors, strict=True) if t.op is not ops.VALUE)
    return open_.times(prod(constants))


def _is_unwrapped(inner: Sum, node: Term, state: Gauges) -> bool:
    """Whether an extended sum is a number of its own type, signed or not, as it is extended."""
    sort = node.args[0].sort
    assert isinstance(sort, BitVec)
    signs = Reading.SIGNED if node.op is ops.SIGN_EXTEND else Reading.UNSIGNED
    least, most = signs.bounds(top(sort.width))
    return least <= _by_ranges(inner, Side.LOWER, state) and _by_ranges(inner, Side.UPPER, state) <= most


def _bound(summed: Sum, side: Side, state: Gauges) -> Linear:
    total = Linear(summed.low if side is Side.LOWER else summed.high)
    for x, factor in summed.multiples.items():
        total = total.plus(state.bound(x, side if factor > 0 else side.other), factor)
    return total


def _by_ranges(summed: Sum, side: Side, state: Gauges) -> int:
    total = summed.low if side is Side.LOWER else summed.high
    for x, factor in summed.multiples.items():
        total += factor * state.reading.bounds(state.range_of(x))[(side if factor > 0 else side.other) is Side.UPPER]
    return total


def _after_block(block: Block, state: Gauges) -> Gauges | None:
    """Blocks are free of loops, and their edges in order: what arrives is complete when it is needed."""
    arriving: dict[Location, list[Gauges]] = {block.begin: [state]}
    ends: list[Gauges] = []  # apart from the others: a block around a loop ends where it begins
    for edge in block.edges:
        found = [then for here in arriving.get(edge.source, ()) if (then := after(edge.statement, here)) is not None]
        where = ends if edge.target == block.end else arriving.setdefault(edge.target, [])
        where += [one for one in found if one not in where]
        if len(where) > MOST_WAYS:
            where[:] = [reduce(joined, where)]
    return reduce(joined, ends) if ends else None


# --- lattice ----------------------------------------------------------------------------------------------------------


def joined(a: Gauges, b: Gauges) -> Gauges:
    """What both know; of two rates that fit, those of the first."""
    a, b = _of_both(a, b), _of_both(b, a)
    rounds = {head: hull(interval, b.rounds[head]) for head, interval in a.rounds.items()}
    found = Gauges(a.reading, joined_ranges(a.ranges, b.ranges), rounds)
    for side in Side:
        rated: dict[Term, Linear] = {}
        for x in dict.fromkeys((*a.rated(side), *b.rated(side))):
            one, other = a.bound(x, side), b.bound(x, side)
            candidates = (_either(one, other, a, b), one.rates, *_slopes(one, other, a, b), other.rates)
            fits = (_fitted(rates, x, side, (a, b)) for rates in candidates if rates)
            best = next((bound for bound in fits if bound is not None), None)
            if best is not None:
                rated[x] = best
        found = found.with_rated(side, rated)
    return found


def first_rates(before: Gauges, then: Gauges, head: Location, changed: Collection[Term]) -> Gauges:
    """The join of what is known when a loop is entered and after its first round: what changed is a rate."""
    before, then = _of_both(before, then), _of_both(then, before)
    found = joined(before, then)
    variables = [x for x in changed if x in before.ranges and x in then.ranges and isinstance(x.sort, BitVec)]
    for side in Side:
        rated = dict(found.rated(side))
        for x in variables:
            one, other = before.bound(x, side), then.bound(x, side)
            for rates in _slopes(one, other, before, then):
                bound = _fitted(rates, x, side, (before, then))
                if bound is not None and bound.rate(head):
                    rated[x] = bound
        found = found.with_rated(side, rated)
    return found


def _slopes(one: Linear, other: Linear, a: Gauges, b: Gauges) -> Iterator[Rates]:
    """The rates at which the first bound becomes the second, where the rounds of one loop are single numbers that are
    different, and what else they depend on is the same.
    """
    for head, (low, high) in a.rounds.items():
        then, end = b.rounds[head]
        if low != high or then != end or then == low:
            continue
        here, there = dict(one.rates), dict(other.rates)
        before = one.constant + here.pop(head, 0) * low
        after_ = other.constant + there.pop(head, 0) * then
        if here == there and (after_ - before) % (then - low) == 0:
            yield linear(0, {**here, head: (after_ - before) // (then - low)}).rates


def _either(one: Linear, other: Linear, a: Gauges, b: Gauges) -> Rates:
    """Rates of both bounds: where the rounds of a loop are a single number, a bound can have any rate in them."""
    here, there = dict(one.rates), dict(other.rates)
    chosen = {head: (there if low == high else here).get(head, 0) for head, (low, high) in a.rounds.items()}
    return linear(0, chosen).rates


def _of_both(a: Gauges, b: Gauges) -> Gauges:
    """Without the rounds that only the first knows."""
    for head in [head for head in a.rounds if head not in b.rounds]:
        a = _without(head, a)
    return a


def _fitted(rates: Rates, x: Term, side: Side, states: Iterable[Gauges]) -> Linear | None:
    """The sharpest bound of x with these rates that holds in all states; None if there is none."""
    ends: list[int] = []
    for state in states:
        own = state.bound(x, side).plus(Linear(0, rates), -1).extreme(side, state.rounds)
        known = Linear(state.reading.bounds(state.range_of(x))[side is Side.UPPER])
        plain = known.plus(Linear(0, rates), -1).extreme(side, state.rounds)
        found = [end for end in (own, plain) if end is not None]
        if not found:
            return None
        ends.append(max(found) if side is Side.LOWER else min(found))
    return Linear(min(ends) if side is Side.LOWER else max(ends), rates)


def hull(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), None if a[1] is None or b[1] is None else max(a[1], b[1])


def follows(claim: Gauges, state: Gauges) -> bool:
    """Whether all rounds and bounds with rates that are claimed hold in a state; ranges are compared by others."""
    for head, (low, high) in claim.rounds.items():
        least, most = state.rounds.get(head, ANY_NUMBER)
        if least < low or (high is not None and (most is None or most > high)):
            return False
    return all(
        (own := _fitted(bound.rates, x, side, (state,))) is not None
        and (own.constant >= bound.constant if side is Side.LOWER else own.constant <= bound.constant)
        for side in Side
        for x, bound in claim.rated(side).items()
    )
