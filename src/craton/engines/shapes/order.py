"""The order in which nodes were allocated, and how many there are.

Where memory safety is checked, objects have numbers, each the next one. A list to which nodes are appended, or before
which they are put, is in this order, or in the opposite one; so who frees it from one end knows how many are left: all
whose numbers are above, or below, that of the node which is next. This is what shows that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from craton.engines.shapes.nodes import Kind, Nodes, Sized, Stacked
from craton.engines.shapes.states import States
from craton.logic import (
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvsub,
    bvule,
    bvult,
    eq,
    extract,
    forall,
    free_variables,
    implies,
    not_,
    or_,
)

MOST_SENTINELS = 2  # nodes that end a list, as null does


class Order:
    """Guesses about the numbers of nodes."""

    def __init__(self, nodes: Nodes, node: Term) -> None:
        self.nodes = nodes
        self.node = node
        self.sentinels = nodes.addresses[:MOST_SENTINELS]

    def ends(self, kind: Kind, node: Term) -> Iterator[Term]:
        """That a node was allocated last, or first."""
        if isinstance(kind, Sized) and kind.next is not None and isinstance(node.sort, BitVec):
            one = bv(1, node.sort.width)
            yield eq(bvadd(kind.number(node), one), kind.next)
            yield eq(kind.number(node), one)
        elif isinstance(kind, Stacked) and isinstance(node.sort, BitVec):
            yield eq(node, bv(kind.first, node.sort.width))
            yield eq(bvadd(node, bv(kind.step, node.sort.width)), kind.next)

    def guesses(
        self, known: frozenset[Term], states: States, numbers: Sequence[Term], conditions: Sequence[Term]
    ) -> Iterator[Term]:
        """What may be true where these variables are known, and these states were seen."""
        pointers = [x for x in self.nodes.pointers if x in known and x not in self.nodes.variables]
        counters = [x for x in self.nodes.counters if x in known and _width(x) <= _width(self.node)]
        for kind in self.nodes.kinds:
            following = kind.following
            if isinstance(kind, Sized) and following is not None:
                yield from self._of_all(kind, following, pointers, states)
                yield from self._of_numbers(kind, following, pointers, counters, states)
            elif following is not None and counters:
                yield from self._of_numbers(kind, following, pointers, counters, states)
                limits = [x for x in numbers if x in known and x not in counters and _width(x) <= _width(self.node)]
                yield from self._of_limits(
                    following, limits, [c for c in conditions if free_variables(c) <= known], states
                )

    def _of_all(self, kind: Sized, following: Term, pointers: list[Term], states: States) -> Iterator[Term]:
        """Which numbers nodes have, and which one is the last."""
        k = self.node
        assert isinstance(k.sort, BitVec)
        null = bv(0, k.sort.width)
        valid, given = kind.valid(k), bvult(kind.number(k), following)
        is_last = eq(bvadd(kind.number(k), bv(1, k.sort.width)), following)
        facts = [given]
        where = states.where(valid, k)
        for x in pointers:
            for ordered in (bvule(x, k), bvule(k, x)):
                # That x is a node stands there, too, so that what holds of all nodes is asked of what x is set to.
                whole = and_(kind.valid(x), ordered)
                fact = ordered if where & ~states.where(whole, k) else whole
                facts += [fact, or_(eq(x, null), ordered)]
        for field in self.nodes.fields:
            if field.points:
                ends = [eq(field.of(k), other) for other in (null, *self.sentinels, *pointers)]
                for first in ends:
                    facts += [implies(first, is_last), implies(is_last, first)]
        for fact in facts:
            if not where & ~states.where(fact, k):
                yield forall([k], implies(valid, fact))
        everything = and_(kind.begins(k), given, not_(eq(k, null)))
        for lowest in (eq(null, null), *(bvule(x, k) for x in pointers)):
            for there in (valid, kind.living(k)):  # of one size, or of any
                claim = implies(and_(everything, lowest), there)
                if not ~states.where(claim, k) & states.all:
                    yield forall([k], claim)
                    break

    def _of_numbers(
        self, kind: Kind, following: Term, pointers: list[Term], counters: list[Term], states: States
    ) -> Iterator[Term]:
        """How counters, the number that comes next, and numbers of nodes differ."""
        null = bv(0, _width(following))
        if isinstance(kind, Sized) and kind.most is not None:
            yield bvule(following, kind.most)
        ends = (null, *self.sentinels)
        numbers = [(kind.number(x), not_(eq(x, end))) for x in pointers for end in (*ends, *pointers) if x is not end]
        behind = (field.of(end) for end in self.sentinels for field in self.nodes.fields if field.points)
        numbers += [(kind.number(there), not_(eq(there, null))) for there in behind]
        for one, other in combinations(pointers, 2):
            empty = and_(eq(one, null), eq(other, null))
            yield from (claim for counter in counters for claim in _constant(counter, empty, states))
            yield from _constant(bvsub(one, other), not_(or_(eq(one, null), eq(other, null))), states)
            for first, second in ((one, other), (other, one)):
                alone = and_(eq(second, null), not_(eq(first, null)))
                yield from _constant(first, alone, states)
                yield from _constant(bvsub(following, kind.number(first)), alone, states)
        for counter in counters:
            last = _narrowed(following, counter)
            yield from _constant(bvsub(last, counter), None, states)
            for number, there in numbers:
                yield from _constant(counter, not_(there), states)
                yield from _constant(bvsub(last, counter), not_(there), states)
                near = _narrowed(number, counter)
                yield from _constant(bvsub(counter, near), there, states)
                yield from _constant(bvsub(bvadd(counter, near), last), there, states)
        for number, there in numbers:
            yield from _constant(bvsub(following, number), there, states)

    def _of_limits(
        self, following: Term, limits: Sequence[Term], conditions: Sequence[Term], states: States
    ) -> Iterator[Term]:
        """How many nodes there are once as many as wanted were made: perhaps fewer than none are wanted."""
        for limit in limits:
            for condition in (None, *conditions):
                yield from _constant(bvsub(_narrowed(following, limit), limit), condition, states)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _narrowed(number: Term, counter: Term) -> Term:
    """A number as a counter with fewer bits has it."""
    return extract(_width(counter) - 1, 0, number)


def _constant(term: Term, condition: Term | None, states: States) -> Iterator[Term]:
    """That a term is what it was in all states in which a condition held."""
    values = states.values((term,), None, states.all if condition is None else states.where(condition))
    if len(values) == 1 and isinstance(term.sort, BitVec):
        ((held,),) = values
        claim = eq(term, bv(held, term.sort.width))
        yield claim if condition is None else implies(condition, claim)
