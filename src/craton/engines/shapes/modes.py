"""The modes of nodes: what tells them apart. A number in them is one of those that the program stores, or the address
of something that lies so far from the node: inside of it, or in the block that was allocated next.

What is true of a node may depend on its mode and on what variables say at once (the one before the last is red if the
next one is to be black), and so may the distance to the node that it points to, and how many blocks it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from craton.engines.shapes.nodes import Field, Kind, Nodes, Sized, Stacked
from craton.engines.shapes.states import States
from craton.logic import BitVec, Term, and_, bv, bvadd, bvsub, bvule, bvult, eq, forall, implies, not_, or_, substitute

MOST_DISTANCES, MOST_CONDITIONS, MOST_MODES = 2, 4, 8
_FAR = 4  # blocks; what lies farther away is no neighbour


class Modes:
    """What is guessed of nodes by their modes."""

    def __init__(
        self,
        nodes: Nodes,
        node: Term,
        stored: Mapping[Term, Sequence[Term]],
        asked: Sequence[Term],  # of numbers in the node
        seen: Iterable[States],
    ) -> None:
        self.nodes = nodes
        self.node = node
        self.stored = stored
        self.asked = asked
        assert isinstance(node.sort, BitVec)
        self.width = node.sort.width
        states = list(seen)
        self.distances = {f: self._distances(f, states) for f in nodes.fields if self._may_hold_addresses(f)}
        self.steps = {f: self._distances(f, states) for f in nodes.fields if f.points}  # where each stands for blocks

    def _may_hold_addresses(self, field: Field) -> bool:
        return not field.points and field.array.sort.element is self.node.sort  # type: ignore[attr-defined]

    def _distances(self, field: Field, seen: Iterable[States]) -> list[int]:
        """How far from their nodes lies what the member holds the address of: that of several nodes."""
        k, far = self.node, bvsub(field.of(self.node), self.node)
        nodes: dict[int, set[int]] = {}
        for states in seen:
            for kind in self.nodes.kinds:
                for distance, node in states.values((far, k), k, states.where(kind.valid(k), k)):
                    signed = distance - (1 << self.width) if distance >> (self.width - 1) else distance
                    if 0 < abs(signed) <= _FAR * kind.step:
                        nodes.setdefault(distance, set()).add(node)
        several = sorted((-len(some), distance) for distance, some in nodes.items() if len(some) > 1)
        return sorted(distance for _, distance in several[:MOST_DISTANCES])

    def equations(self, node: Term) -> Iterator[Term]:
        """What a member holds, of those that tell nodes apart."""
        for field in self.nodes.fields:
            if not field.points:
                yield from (eq(field.of(node), c) for c in self.stored[field.array])
        for field, distances in self.distances.items():
            yield from (eq(field.of(node), bvadd(node, bv(d, self.width))) for d in distances)
        yield from (substitute(atom, {self.node: node}) for atom in self.asked)

    def of(self, node: Term) -> list[Term]:
        """The modes that a node may have."""
        found = (mode for equation in self.equations(node) for mode in (equation, not_(equation)))
        return list(islice(dict.fromkeys(found), MOST_MODES))

    def facts(self, node: Term, others: Sequence[Term]) -> Iterator[Term]:
        """What else may be true of a node: which mode the next one does not have, and where its parts lie."""
        null = bv(0, self.width)
        for field in self.nodes.fields:
            if field.points:
                there = field.of(node)
                for equation in self.equations(there):
                    yield not_(equation)
                    yield from (or_(eq(there, end), not_(equation)) for end in (null, *others))
                for atom in self.asked:
                    yield or_(eq(there, null), substitute(atom, {self.node: there}))
        for field, distances in self.distances.items():
            apart = [eq(field.of(node), bvadd(node, bv(d, self.width))) for d in distances]
            yield from apart
            if len(apart) > 1:
                yield or_(*apart)
            yield from (kind.valid(field.of(node)) for kind in self.nodes.kinds if apart)

    def guards(self, others: Sequence[Term], conditions: Sequence[Term]) -> Iterator[Term]:
        """What has to be known of a node, several things at once."""
        k, modes = self.node, self.of(self.node)
        apart = [not_(eq(k, x)) for x in others]
        yield from modes
        yield from (and_(first, mode) for first in apart for mode in modes)
        yield from (and_(side, mode) for x in others for side in (bvult(k, x), bvult(x, k)) for mode in modes)
        for condition in islice(conditions, MOST_CONDITIONS):
            yield from (and_(condition, first) for first in apart)
            yield from (and_(condition, mode) for mode in modes)
            yield from (and_(condition, first, mode) for first in apart for mode in modes)

    def first_ones(self, others: Sequence[Term], states: States) -> Iterator[Term]:
        """The modes of nodes that are always at the same place, once a variable points elsewhere."""
        for place in self.nodes.addresses:
            for x in others:
                for mode in self.of(place):
                    claim = or_(eq(x, place), mode)
                    if states.holds(claim):
                        yield claim

    # --- where nodes lie one behind the other ---

    def lengths(self, others: Sequence[Term], conditions: Sequence[Term], states: States) -> Iterator[Term]:
        """Which node is the last one, and how many there are at least where the program is in a mode."""
        k = self.node
        for kind in self.nodes.kinds:
            if isinstance(kind, Stacked):
                step = bv(kind.step, self.width)
                valid, last = kind.valid(k), eq(bvadd(k, step), kind.next)
                where = states.where(valid, k)
                for field in (field for field in self.nodes.fields if field.points):
                    claims = (or_(last, eq(field.of(k), bvadd(k, step))), or_(last, kind.valid(field.of(k))))
                    fine = (claim for claim in claims if not where & ~states.where(claim, k))
                    yield from (forall([k], implies(valid, claim)) for claim in fine)
                null, first = bv(0, self.width), bv(kind.first, self.width)
                for x in others:
                    newest = eq(kind.next, bvadd(x, step))
                    claims = newest, or_(eq(x, null), newest)
                    yield from islice((claim for claim in claims if states.holds(claim)), 1)
                    yield from (c for c in (or_(not_(eq(x, null)), eq(kind.next, first)),) if states.holds(c))
                for condition in conditions:
                    least = min(states.values((kind.next,), None, states.where(condition)), default=None)
                    if least is not None:
                        yield implies(condition, bvule(bv(least[0], self.width), kind.next))
                        yield implies(condition, eq(bv(least[0], self.width), kind.next))

    # --- where nodes are numbered ---

    def order(self, pointers: Sequence[Term], counters: Sequence[Term], states: States) -> Iterator[Term]:
        """How far a node lies from the one that it points to, and how many blocks there are, by modes."""
        for kind in self.nodes.kinds:
            if isinstance(kind, Sized) and kind.next is not None:
                yield from self._far_away(kind, states)
                yield from self._counted(kind, kind.next, pointers, counters, states)

    def _far_away(self, kind: Kind, states: States) -> Iterator[Term]:
        k, null = self.node, bv(0, self.width)
        for field in self.nodes.fields:
            there = field.of(k)
            for mode in self.of(there) if field.points else ():
                here = and_(not_(eq(there, null)), mode)
                seen = states.values((bvsub(k, there),), k, states.where(and_(kind.valid(k), here), k))
                if len(seen) == 1:
                    ((far,),) = seen
                    yield forall([k], implies(and_(kind.valid(k), here), eq(k, bvadd(there, bv(far, self.width)))))

    def _counted(
        self, kind: Sized, following: Term, pointers: Sequence[Term], counters: Sequence[Term], states: States
    ) -> Iterator[Term]:
        for x in pointers:
            number = kind.number(x)
            for mode in self.of(x):
                here = and_(not_(eq(x, bv(0, self.width))), mode)
                for term in (bvsub(following, number), *(bvsub(counter, number) for counter in counters)):
                    seen = states.values((term,), None, states.where(here))
                    if len(seen) == 1:
                        ((held,),) = seen
                        yield implies(here, eq(term, bv(held, self.width)))
