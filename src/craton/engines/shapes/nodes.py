"""What a node is: where memory that a program allocates begins, and which arrays hold its members.

Memory is a set of arrays, one for each member of a type as far as pointers can be told apart, whose indices are
addresses. A node is an address at which an allocated block begins. Which addresses those are the program itself
remembers: in the sizes of objects where memory safety is checked, otherwise in the address that comes next.

All of this is guessed from the shapes of indices and of what pointers are set to. Nothing depends on its being right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import gcd

from craton.logic import (
    BitVec,
    Sort,
    Term,
    and_,
    bv,
    bvadd,
    bvlshr,
    bvsub,
    bvule,
    bvult,
    bvurem,
    eq,
    extract,
    not_,
    ops,
    post_order,
    select,
)
from craton.logic.affine import affine, cases_of_sum
from craton.logic.sorts import Array
from craton.program.transitions import Transition
from craton.views.cells.layout import roots

MOST_FIELDS, MOST_KINDS, MOST_ADDRESSES = 8, 2, 4


@dataclass(frozen=True, slots=True)
class Field:
    """A member of nodes: the element of an array at the node's address and an offset."""

    array: Term
    offset: int
    points: bool  # whether it holds addresses of nodes

    @property
    def of_sort(self) -> Sort:
        """Of nodes that have it."""
        assert isinstance(self.array.sort, Array)
        return self.array.sort.index

    def of(self, node: Term) -> Term:
        assert isinstance(node.sort, BitVec)
        return select(self.array, bvadd(node, bv(self.offset, node.sort.width)) if self.offset else node)


@dataclass(frozen=True, slots=True)
class Sized:
    """Nodes are objects of a size, where sizes are remembered by the numbers of objects."""

    sizes: Term
    shift: int
    size: Term
    next: Term | None  # the number that the next object gets
    most: Term | None = None  # what the program compares that with: how many numbers there are
    first: Term | None = None  # the lowest number of a node, if others of that size are below it: a text may be as long

    @property
    def variables(self) -> frozenset[Term]:
        return frozenset((self.sizes,) if self.next is None else (self.sizes, self.next))

    @property
    def following(self) -> Term | None:
        """The number that the next object gets."""
        return self.next

    def number(self, node: Term) -> Term:
        """The how manieth object a node is."""
        assert isinstance(node.sort, BitVec)
        return bvlshr(node, bv(self.shift, node.sort.width))

    def begins(self, node: Term) -> Term:
        return eq(extract(self.shift - 1, 0, node), bv(0, self.shift))

    def living(self, node: Term) -> Term:
        """Whether an object with the node's number has not been freed, whatever its size."""
        assert isinstance(self.size.sort, BitVec)
        return not_(eq(select(self.sizes, self.number(node)), bv(0, self.size.sort.width)))

    @property
    def step(self) -> int:
        """How far from each other nodes are that are allocated one after another."""
        return 1 << self.shift

    def valid(self, node: Term) -> Term:
        allocated = () if self.first is None else (bvule(self.first, self.number(node)),)
        return and_(self.begins(node), eq(select(self.sizes, self.number(node)), self.size), *allocated)


@dataclass(frozen=True, slots=True)
class Stacked:
    """Nodes lie one behind the other, from a first address to the next that is free."""

    first: int
    next: Term
    step: int

    @property
    def variables(self) -> frozenset[Term]:
        return frozenset((self.next,))

    @property
    def following(self) -> Term | None:
        """How many nodes there may be before the next that is free; None if that is hard to compute."""
        return self.number(self.next) if self.step & (self.step - 1) == 0 else None

    def number(self, node: Term) -> Term:
        """How many may be before a node."""
        assert isinstance(node.sort, BitVec)
        width = node.sort.width
        return bvlshr(bvsub(node, bv(self.first, width)), bv(self.step.bit_length() - 1, width))

    def may_be(self, place: int) -> bool:
        """Whether a node may lie there, however many there are."""
        return place >= self.first and (place - self.first) % self.step == 0

    def valid(self, node: Term) -> Term:
        assert isinstance(node.sort, BitVec)
        width = node.sort.width
        between = and_(bvule(bv(self.first, width), node), bvult(node, self.next))
        if self.step & (self.step - 1) == 0:
            bits = self.step.bit_length() - 1
            return and_(between, eq(extract(bits - 1, 0, node), bv(self.first % self.step, bits))) if bits else between
        far = bvsub(node, bv(self.first, width))
        return and_(between, eq(bvurem(far, bv(self.step, width)), bv(0, width)))


Kind = Sized | Stacked


@dataclass(frozen=True, slots=True)
class Nodes:
    """The members of nodes, what is known to be one, and the variables and constants that point to some."""

    fields: tuple[Field, ...]
    kinds: tuple[Kind, ...]
    pointers: tuple[Term, ...]
    addresses: tuple[Term, ...]
    counters: tuple[Term, ...]  # variables that are counted up and down

    @property
    def variables(self) -> frozenset[Term]:
        """That facts of nodes speak of, live or not."""
        arrays = frozenset(field.array for field in self.fields)
        return arrays.union(*(kind.variables for kind in self.kinds))


def nodes(steps: Sequence[Transition], *, without_texts: bool = False) -> Nodes | None:
    """The nodes of a program; None if it has none, or some that cannot be told. Objects of its text that are as large
    count as nodes, as heads of lists do, or do not, as strings.
    """
    found = _Finding(steps, without_texts)
    fields = tuple(islice(found.fields(), MOST_FIELDS))
    kinds = tuple(islice(found.kinds(), MOST_KINDS))
    sorts = {field.of_sort for field in fields}
    if not kinds or not any(field.points for field in fields) or len(sorts) > 1:
        return None
    numbers = {kind.next for kind in kinds if isinstance(kind, Sized)}
    pointers = tuple(x for x in found.pointers if x not in numbers)
    return Nodes(fields, kinds, pointers, found.addresses(), tuple(found.counters(kinds)))


def leaves(term: Term) -> Iterator[Term]:
    """What a term may be, case by case."""
    waiting, seen = [term], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is ops.ITE:
            waiting += node.args[1:]
        else:
            yield node


class _Finding:
    def __init__(self, steps: Sequence[Transition], without_texts: bool) -> None:
        self.steps, self.without_texts = steps, without_texts
        self.places = _places(steps)  # of arrays: what is added to which constants
        self.assigned = _assigned(steps)
        self.stored = _stored(steps)
        self.pointers: dict[Term, None] = {}
        self.holding: dict[Term, None] = {}  # arrays that hold pointers
        self.constants: dict[Term, None] = {}
        bases = [base for places in self.places.values() for base, _ in places if base is not None]
        self._point(bases)

    def _point(self, waiting: Iterable[Term]) -> None:
        """These terms are pointers, and so is what they come from."""
        todo = [leaf for term in waiting for leaf in leaves(term)]
        seen: set[Term] = set()
        while todo:
            term = todo.pop()
            if term in seen:
                continue
            seen.add(term)
            if term.op is ops.VALUE and term.payload:
                self.constants[term] = None
            elif term.is_variable and term in self.assigned:
                self.pointers[term] = None
                todo += () if self._only_grows(term) else self.assigned[term]
            elif term.op is ops.SELECT:
                for array in roots(term.args[0]):
                    if array not in self.holding:
                        self.holding[array] = None
                        todo += self.stored.get(array, ())

    def fields(self) -> Iterator[Field]:
        for array, places in self.places.items():
            offsets = sorted({self._within(base, offset) for base, offset in places if base is not None})
            if not self._shift(array) and isinstance(array.sort, Array) and isinstance(array.sort.index, BitVec):
                for offset in offsets if len(offsets) <= 2 else ():
                    yield Field(array, offset, array in self.holding and array.sort.element is array.sort.index)

    def _within(self, base: Term, offset: int) -> int:
        """The offset inside of a node; several nodes may be allocated in one step."""
        stacked = self._stacked(base) if base in self.pointers else None
        return offset if stacked is None else offset % stacked.step

    def _shift(self, array: Term) -> int:
        """By how much an array's indices are shifted, if it is one of numbers of objects."""
        shifts = (_shifted(base) for base, _ in self.places[array] if base is not None)
        return max(shifts, default=0)

    def kinds(self) -> Iterator[Kind]:
        sized = [kind for array in self.places for kind in self._sized(array)]
        yield from sized
        for variable in self.pointers if not sized else ():
            kind = self._stacked(variable)
            if kind is not None:
                yield kind

    def _sized(self, array: Term) -> Iterator[Sized]:
        if shift := self._shift(array):
            sizes = {leaf for leaf in self.stored.get(array, ()) if leaf.op is ops.VALUE and leaf.payload}
            following = self._next_number(array)
            most = None if following is None else self._most(following)
            for size in sorted(sizes, key=lambda term: -term.payload):
                first = self._first_of(array, size, following) if self.without_texts and following is not None else None
                yield Sized(array, shift, size, following, most, first)

    def _first_of(self, sizes: Term, size: Term, following: Term) -> Term | None:
        """The number that is given first, if the text has objects of its own with that size."""
        first = min((n for n in self.assigned[following] if n.op is ops.VALUE), key=lambda n: n.payload, default=None)
        made = [step.updates[sizes] for step in self.steps if sizes in step.updates]
        stores = (node.args for node in post_order(*made) if node.op is ops.STORE)
        return first if any(at.op is ops.VALUE and held is size for _, at, held in stores) else None

    def _next_number(self, sizes: Term) -> Term | None:
        """The variable whose value is the number of the next object."""
        growing = (base for base, offset in self.places[sizes] if base in self.assigned and not offset)
        return next((base for base in growing if base is not None and self._only_grows(base)), None)

    def _most(self, number: Term) -> Term | None:
        """The largest constant that a number is compared with."""
        found = set()
        for step in self.steps:
            for node in post_order(step.guard, *step.updates.values()):
                if node.op in (ops.BVULT, ops.BVULE) and number in node.args:
                    found |= {side for side in node.args if side.op is ops.VALUE}
        return max(found, key=lambda term: term.payload, default=None)

    def counters(self, kinds: Sequence[Kind]) -> Iterator[Term]:
        known = frozenset(self.pointers).union(*(kind.variables for kind in kinds))
        for variable, values in self.assigned.items():
            sums = [affine(leaf) for leaf in values]
            steps = [s.constant for s in sums if dict(s.factors) == {variable: 1}]
            if steps and variable not in known and all(dict(s.factors) in ({}, {variable: 1}) for s in sums):
                yield variable

    def _only_grows(self, variable: Term) -> bool:
        """Whether a variable is only set to constants, and incremented by others."""
        sums = [affine(leaf) for leaf in self.assigned[variable]]
        steps = [s.constant for s in sums if dict(s.factors) == {variable: 1}]
        return bool(steps) and min(steps) > 0 and all(dict(s.factors) in ({}, {variable: 1}) for s in sums)

    def _stacked(self, variable: Term) -> Stacked | None:
        """The variable as the next free address."""
        if not self._only_grows(variable):
            return None
        sums = [affine(leaf) for leaf in self.assigned[variable]]
        steps = [s.constant for s in sums if s.factors]
        constants = [s.constant for s in sums if not s.factors]
        first = min((*constants, *(c.payload for c in self.constants)), default=0)
        return Stacked(first, variable, gcd(*steps, *(c - first for c in constants))) if constants else None

    def addresses(self) -> tuple[Term, ...]:
        return tuple(sorted(self.constants, key=lambda term: term.payload)[:MOST_ADDRESSES])


def _shifted(index: Term) -> int:
    return index.args[1].payload if index.op is ops.BVLSHR and index.args[1].op is ops.VALUE else 0


def _places(steps: Sequence[Transition]) -> dict[Term, dict[tuple[Term | None, int], None]]:
    """For each array, the bases and offsets of its indices; no base where an index is a constant."""
    found: dict[Term, dict[tuple[Term | None, int], None]] = {}
    for step in steps:
        for node in post_order(step.guard, *step.updates.values()):
            if node.op not in (ops.SELECT, ops.STORE) or not isinstance(node.args[1].sort, BitVec):
                continue
            sum_ = affine(node.args[1])
            if len(sum_.factors) <= 1 and all(factor == 1 for factor in sum_.factors.values()):
                base = next(iter(sum_.factors), None)
                for array in roots(node.args[0]):
                    found.setdefault(array, {})[base, sum_.constant] = None
    return found


def _assigned(steps: Sequence[Transition]) -> dict[Term, list[Term]]:
    """What variables are set to, case by case."""
    found: dict[Term, dict[Term, None]] = {}
    for step in steps:
        for x, set_to in step.updates.items():
            if isinstance(x.sort, BitVec):
                cases = (case for leaf in leaves(set_to) for case in cases_of_sum(leaf))
                found.setdefault(x, {}).update(dict.fromkeys(case for case in cases if case is not x))
    return {x: list(cases) for x, cases in found.items()}


def _stored(steps: Sequence[Transition]) -> dict[Term, list[Term]]:
    """What is stored in arrays, case by case."""
    found: dict[Term, dict[Term, None]] = {}
    for step in steps:
        for node in post_order(*step.updates.values()):
            if node.op is ops.STORE:
                for array in roots(node.args[0]):
                    found.setdefault(array, {}).update(dict.fromkeys(leaves(node.args[2])))
    return {array: list(terms) for array, terms in found.items()}
