"""What may be true of histories (`program/histories`): that they are computed from elements round by round, and which
variables are what they say of a prefix. Hints for engines, of which nothing is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from craton.logic import (
    BitVec,
    Term,
    and_,
    bvadd,
    bvsle,
    bvsub,
    eq,
    forall,
    free_variables,
    implies,
    not_,
    ops,
    post_order,
    select,
    sign_extend,
    substitute,
)
from craton.logic.affine import affine, low_part
from craton.logic.core import fresh
from craton.logic.sorts import Array
from craton.logic.terms import value
from craton.logic.walk import atoms, replaced
from craton.program.cfa import Program
from craton.program.histories import History, rounds_at, step_of
from craton.program.transitions import Transition, transition

_COMPARISONS = (ops.BVSLT, ops.BVSLE, ops.BVULT, ops.BVULE, ops.EQ)
_MOST_LIMITS, _MOST_ENDS = 4, 8  # of one loop, of all


def suggested(program: Program, blocks: Program, found: Sequence[History]) -> Program:
    """The program, which has the histories, with hints about them. `blocks` is the program without them, in blocks."""
    walks = [_Walk(blocks, history, found) for history in found]
    ends = dict.fromkeys(end for walk in walks for end in walk.limits())
    told = [hint for walk in walks for hint in walk.hints(list(ends)[:_MOST_ENDS])]
    told += [hint for walk in walks for hint in walk.compared(walks)]
    heads = [x for x in blocks.main.locations if x != blocks.main.entry and x not in blocks.errors]
    sums = {x: [hint for walk in walks if walk.history.head == x for hint in walk.sums(walks)] for x in heads}
    hints = {x: tuple(dict.fromkeys((*program.hints.get(x, ()), *told, *sums[x]))) for x in heads}
    return replace(program, hints=hints)


@dataclass(eq=False)
class _Walk:
    """A loop by the index of a history."""

    blocks: Program
    history: History
    all: Sequence[History]

    def __post_init__(self) -> None:
        head, index = self.history.head, self.history.index
        self.rounds = rounds_at(self.blocks, head)
        step = step_of(self.rounds, index)
        assert step is not None
        self.step = step
        self.entering = [transition(e.statement) for e in self.blocks.main.incoming(head) if e.source != head]
        taken = {*self.blocks.globals, *self.blocks.main.locals}
        self.position = fresh("k", index.sort, taken)
        self.moved = frozenset(v for one in self.rounds for v in one.updates)

    # --- hints ---

    def hints(self, ends: Sequence[Term]) -> Iterator[Term]:
        """`ends` are where loops end, by index."""
        for range_ in self._ranges(ends):
            for fact in self._recurrences():
                yield forall((self.position,), implies(range_, fact))
        for start, first in self._beginnings():
            yield eq(select(self.history.array, start), first)
            yield self._in_order(start, self.history.index)
        yield from (self._in_order(self.history.index, end) for end in self.limits())

    def compared(self, others: Sequence[_Walk]) -> Iterator[Term]:
        """Which accumulators may be what the history says of a prefix."""
        array, sort = self.history.array, self.history.index.sort
        assert isinstance(array.sort, Array)
        told = [v for one in others for v in (one.history.value, *one.copies())]
        values = dict.fromkeys(v for v in told if v.sort is array.sort.element)
        points: dict[Term, None] = {}
        for other in others:
            if other.history.index.sort is sort:
                points[other._met_by(self.step)] = None
                points |= dict.fromkeys((*other.limits(), *other.starts))
        for point in points:
            yield from (eq(v, select(array, point)) for v in values)

    def sums(self, others: Sequence[_Walk]) -> Iterator[Term]:
        """How the accumulator may be told by several prefixes, or by one and how long it is, within the loop."""
        history, sort = self.history, self.history.value.sort
        if not isinstance(sort, BitVec):
            return
        alike = [
            one for one in others if one.history.value.sort is sort and one.history.index.sort is history.index.sort
        ]
        prefixes = {one: select(one.history.array, self._met_by(one.step)) for one in alike}
        wholes = {one: [select(one.history.array, x) for x in (*one.limits(), *one.starts)] for one in alike}
        pairs = [(a, b) for one, a in prefixes.items() for b in wholes[one]]
        pairs += [(a, b) for (a, b) in permutations(prefixes.values(), 2)]
        if history.index.sort.width <= sort.width:  # type: ignore[attr-defined]
            length = sign_extend(sort.width - history.index.sort.width, history.index)  # type: ignore[attr-defined]
            pairs += [pair for a in prefixes.values() for pair in ((a, length), (length, a))]
        for a, b in pairs:
            yield from (eq(history.value, told) for told in (bvadd(a, b), bvsub(a, b), bvsub(b, a)))

    def copies(self) -> Iterator[Term]:
        """Variables that get the accumulator's value behind the loop, such as the results of functions."""
        for edge in self.blocks.main.outgoing(self.history.head):
            if edge.target != edge.source:
                updates = transition(edge.statement).updates
                yield from (v for v, new in updates.items() if new is self.history.value)

    def _met_by(self, step: int) -> Term:
        """Where a history by this step is when this loop has as many elements behind it, or has left as many."""
        index = self.history.index
        return index if step == self.step else _plus(index, -self.step)

    def _recurrences(self) -> Iterator[Term]:
        """What each element of the history is, told by the one before and by elements of other arrays."""
        k, history = self.position, self.history
        here = [h for h in self.all if h.head == history.head and h.index is history.index]
        names = {history.index: k, **{h.value: select(h.array, k) for h in here}}
        for step in self.rounds:
            new = step.updates.get(history.value, history.value)
            for told in dict.fromkeys((new, replaced((new,), _written(step))[0])):
                if free_variables(told).isdisjoint(step.inputs) and self._is_known(told, names):
                    yield eq(select(history.array, _plus(k, self.step)), substitute(told, names))

    def _is_known(self, told: Term, names: Mapping[Term, Term]) -> bool:
        """Whether it speaks of nothing that changes from round to round but arrays and what histories tell."""
        changed = self.moved & free_variables(told)
        return all(v in names or isinstance(v.sort, Array) for v in changed)

    def _beginnings(self) -> Iterator[tuple[Term, Term]]:
        """With which index and which value control comes to the loop."""
        for step in self.entering:
            names = {new: v for v, new in step.updates.items() if new in step.inputs}
            chosen = frozenset(step.inputs)
            start, first = (substitute(step.updates.get(v, v), names) for v in (self.history.index, self.history.value))
            if not (free_variables(start) | free_variables(first)) & (chosen | {self.history.index}):
                yield start, first
                yield from ((start, constant) for constant in self._constants() if first.is_variable)

    def _constants(self) -> dict[Term, None]:
        """What the accumulator is set to anywhere."""
        steps = (transition(edge.statement) for edge in self.blocks.main.edges)
        new = (step.updates.get(self.history.value) for step in steps)
        return dict.fromkeys(value for value in new if value is not None and value.is_value)

    @property
    def starts(self) -> list[Term]:
        """Where the index may begin."""
        found = dict.fromkeys(start for start, _ in self._beginnings())
        return list(found) or ([_zero(self.position)] if self.step > 0 else [])

    def _ranges(self, ends: Sequence[Term]) -> Iterator[Term]:
        k, index = self.position, self.history.index
        for start in self.starts:
            for end in (index, *(end for end in ends if end.sort is k.sort)):
                yield and_(self._in_order(start, k), not_(self._in_order(end, k)))

    def _in_order(self, one: Term, other: Term) -> Term:
        """That the index is first the one, and then the other."""
        return bvsle(one, other) if self.step > 0 else bvsle(other, one)

    def limits(self) -> list[Term]:
        """Where the index may be behind the loop, by what it is compared with."""
        index = self.history.index
        found: dict[Term, None] = {}
        for edge in self.blocks.main.outgoing(self.history.head):
            for atom in atoms(transition(edge.statement).guard):
                for one, other in (atom.args, atom.args[::-1]) if atom.op in _COMPARISONS else ():
                    end = self._end(one, other)
                    if end is not None and free_variables(end).isdisjoint(self.moved | {index}):
                        found |= dict.fromkeys((end, _plus(end, self.step)))
        return list(found)[:_MOST_LIMITS]

    def _end(self, one: Term, other: Term) -> Term | None:
        """What the index is if two terms are equal of which the first is the index, or that and a number."""
        index = self.history.index
        if not isinstance(one.sort, BitVec) or one.sort.width < index.sort.width:  # type: ignore[attr-defined]
            return None
        if one.sort is not index.sort:
            one, other = (low_part(term, index.sort.width) for term in (one, other))  # type: ignore[attr-defined]
        more = affine(one).minus(affine(index))
        if more.factors or other.sort is not index.sort:
            return None
        return affine(other).plus(-more.constant).term


def _written(step: Transition) -> dict[Term, Term]:
    """What a round writes, as the elements that have it then."""
    found = {}
    for array, new in step.updates.items():
        if isinstance(array.sort, Array):
            for node in post_order(new):
                if node.op is ops.STORE and not node.args[2].is_value:
                    found[node.args[2]] = select(array, node.args[1])
    return found


def _plus(term: Term, number: int) -> Term:
    return affine(term).plus(number).term


def _zero(like: Term) -> Term:
    return value(0, like.sort)
