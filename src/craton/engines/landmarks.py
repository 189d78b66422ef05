"""Landmarks: elements of arrays at the positions that a program's own text names, and how far its pointers are from
them (docs/strings.md).

`a[t] := v` makes `a[t] = v` true, and it stays true until something is written there: the size of an object that was
allocated with so many bytes, the zero at the end of a string. A loop that stops at such an element keeps its pointer
below t; two pointers that a loop moves in step, or a pointer and a counter, keep their distance. None of this needs a
quantifier: it is said of single elements. Everything here is a guess; Houdini keeps what is inductive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import gcd
from typing import TypeVar

from craton.logic import (
    BitVec,
    Sort,
    Term,
    bv,
    bvsle,
    eq,
    extract,
    fold,
    free_variables,
    not_,
    ops,
    post_order,
    rebuild,
    select,
    sign_extend,
    zero_extend,
)
from craton.logic.affine import Affine, affine, extended
from craton.logic.sorts import Array
from craton.logic.terms import value
from craton.logic.walk import atoms
from craton.program.analysis.graphs import components
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition

T = TypeVar("T")

MOST_ELEMENTS, MOST_CONDITIONS = 32, 24
MOST_POINTERS, MOST_DISTANCES, MOST_POSITIONS, MOST_SIZES = 6, 6, 6, 6


@dataclass(frozen=True, slots=True)
class Landmarks:
    """What a program's text suggests of single elements, and the numbers that are worth comparing for their sake."""

    facts: tuple[Term, ...] = ()  # that steps outside of loops leave behind: a[t] = v, and what they have asked
    numbers: tuple[Term, ...] = ()  # offsets of pointers, distances that loops keep, positions, sizes
    variables: frozenset[Term] = frozenset()  # that elements and their positions are told by, live or not


NO_LANDMARKS = Landmarks()


def landmarks(program: Program, steps: Mapping[Edge, Transition]) -> Landmarks:
    """The landmarks of a program without calls; none if it writes no element outside of its loops."""
    outside = frozenset(_outside_of_loops(program, steps))
    straight = [step for edge, step in steps.items() if edge in outside]
    named = frozenset(x for x, symbol in program.symbols.items() if symbol.name)
    changed = {x for edge, step in steps.items() if edge not in outside for x in step.updates}
    names = (named - changed, named)
    elements = _first(MOST_ELEMENTS, (x for step in straight for x in _written(step, names)))
    if not elements:
        return NO_LANDMARKS
    facts = [eq(element, value) for element, value in elements]
    facts += _first(MOST_CONDITIONS, (fact for step in straight for fact in _assigned(step, names)))
    facts += _first(MOST_CONDITIONS, (fact for step in straight for fact in _asked(step, names)))
    told = frozenset(x for pair in elements for part in pair for x in free_variables(part) if not _is_array(x))
    numbers = _Numbers(program, steps)
    terms = tuple(dict.fromkeys((*numbers.all(elements), *sorted(told, key=lambda x: x.serial)[:MOST_SIZES])))
    at_least_zero = [bvsle(value(0, term.sort), term) for term in terms if isinstance(term.sort, BitVec)]
    return Landmarks((*facts, *at_least_zero, *numbers.alignments()), terms, told)


def _first(number: int, things: Iterable[T]) -> list[T]:
    return list(islice(dict.fromkeys(things), number))


def _is_array(term: Term) -> bool:
    return isinstance(term.sort, Array)


def _outside_of_loops(program: Program, steps: Mapping[Edge, Transition]) -> Iterator[Edge]:
    main = program.main
    graph: dict[Location, list[Location]] = {x: [e.target for e in main.outgoing(x)] for x in main.locations}
    component = {x: number for number, part in enumerate(components(graph)) for x in part}
    for edge in steps:
        if edge.target not in program.errors and component[edge.source] != component[edge.target]:
            yield edge


# --- facts ------------------------------------------------------------------------------------------------------------


def _written(step: Transition, names: Sequence[frozenset[Term]]) -> Iterator[tuple[Term, Term]]:
    """The elements that the step writes, and what it writes to them last, if it is not told that they are the same."""
    for array, written in step.updates.items():
        later: set[Term] = set()
        while written.op is ops.STORE:
            written, at, new = written.args
            place, what = _afterwards(at, step, names), _afterwards(new, step, names)
            if place is not None and what is not None and at not in later:
                yield select(array, place), what
            later.add(at)


def _asked(step: Transition, names: Sequence[frozenset[Term]]) -> Iterator[Term]:
    """What the step has asked of numbers, said of those it leaves behind; and the contrary."""
    for atom in atoms(step.guard):
        fact = _afterwards(atom, step, names)
        if fact is not None and free_variables(fact):
            yield fact
            yield not_(fact)


def _assigned(step: Transition, names: Sequence[frozenset[Term]]) -> Iterator[Term]:
    """That variables are what the step has set them to."""
    for x, set_to in step.updates.items():
        if x in names[-1] and set_to.op is not ops.VALUE and not _is_array(x):
            known = _afterwards(set_to, step, [some - {x} for some in names])
            if known is not None and x not in free_variables(known):
                yield eq(x, known)


class _Gone(Exception):
    """A term speaks of what a step forgets."""


def _afterwards(term: Term, step: Transition, names: Sequence[frozenset[Term]]) -> Term | None:
    """The term, whose value is that before a step, for the state after it; None if it speaks of arrays, or of what
    the step forgets. What is remembered is said by variables of the first of these sets by which it can be said.
    """
    for some in (*names, frozenset(step.updates)):
        found = _renamed(term, step, some)
        if found is not None:
            return found
    return None


def _renamed(term: Term, step: Transition, names: frozenset[Term]) -> Term | None:
    """The same, where only variables with these names remember anything."""
    remembered = {set_to: x for x, set_to in step.updates.items() if x in names and not _stays(set_to, step)}

    def visit(node: Term, args: list[Term]) -> Term:
        if _is_array(node) or node in step.inputs:
            raise _Gone
        if node in step.updates:
            return _before(node, step.updates[node])
        return rebuild(node, args) if args else node

    try:
        return fold(term, visit, remembered)
    except _Gone:
        return None


def _stays(term: Term, step: Transition) -> bool:
    """Whether a constant or a variable is after the step what it was before."""
    return term.op is ops.VALUE or (term.is_variable and term not in step.updates and term not in step.inputs)


def _before(variable: Term, value: Term) -> Term:
    """What the variable was before it got the value: x - c, if the value is x + c."""
    change = _increment(variable, value)
    if change is None:
        raise _Gone
    return Affine({variable: 1}, -change, variable.sort).term


def _increment(variable: Term, value: Term) -> int | None:
    """c, if the value is the variable's plus c."""
    if not isinstance(variable.sort, BitVec):
        return None
    sum_ = affine(value)
    return sum_.constant if dict(sum_.factors) == {variable: 1} else None


# --- numbers ----------------------------------------------------------------------------------------------------------


class _Numbers:
    def __init__(self, program: Program, steps: Mapping[Edge, Transition]) -> None:
        self.program = program
        self.steps = steps
        found = dict.fromkeys(place for step in steps.values() for place in _indices(step))
        self.indices = list(dict.fromkeys(index for index, _ in found))
        self.shift = max((shift for _, shift in found), default=0)  # an address is an object's number and an offset
        self.increments = [dict(_increments(step)) for step in steps.values()]
        self.bases = self._bases()

    def all(self, elements: Iterable[tuple[Term, Term]]) -> Iterator[Term]:
        pointers = _first(MOST_POINTERS, self._pointers())
        yield from map(self._offset, pointers)
        yield from _first(MOST_DISTANCES, self._distances(pointers))
        yield from _first(MOST_POSITIONS, self._positions(pointers))
        yield from _first(MOST_SIZES, self._sizes(elements))

    def alignments(self) -> Iterator[Term]:
        """That pointers are moved by multiples of a power of two."""
        for pointer in dict.fromkeys(self._pointers()):
            step = gcd(*(changes.get(pointer, 0) for changes in self.increments))
            twos = (step & -step).bit_length() - 1
            if twos > 0:
                yield eq(extract(twos - 1, 0, self._offset(pointer)), bv(0, twos))

    def _pointers(self) -> Iterator[Term]:
        """The variables that loops move and elements are read or written at."""
        moved = {x for changes in self.increments for x in changes}
        for index in self.indices:
            for part, factor in affine(index).factors.items():
                if factor == 1 and part in moved:
                    yield part

    def _bases(self) -> dict[Term, frozenset[int]]:
        """The constants other than zero that variables are set to, also by way of others, and moved or not."""
        sources: dict[Term, set[Term]] = {}
        constants: dict[Term, set[int]] = {}
        for step in self.steps.values():
            for x, set_to in step.updates.items():
                if isinstance(x.sort, BitVec):
                    sum_ = affine(set_to)
                    if sum_.constant and not sum_.factors:
                        constants.setdefault(x, set()).add(sum_.constant)
                    elif list(sum_.factors.values()) == [1]:
                        sources.setdefault(x, set()).update(sum_.factors)
        found = {}
        for x in {*sources, *constants}:
            reached, waiting = {x}, [x]
            while waiting:
                new = sources.get(waiting.pop(), set()) - reached
                reached |= new
                waiting += new
            found[x] = frozenset(c for y in reached for c in constants.get(y, ()))
        return found

    def _offset(self, pointer: Term) -> Term:
        """The pointer, less the constant it is set to, if that is one."""
        bases = self.bases.get(pointer, frozenset())
        return Affine({pointer: 1}, -next(iter(bases)), pointer.sort).term if len(bases) == 1 else pointer

    def _distances(self, pointers: Iterable[Term]) -> Iterator[Term]:
        """What a loop leaves as it is when it moves a pointer by so much, and another variable by so much."""
        for changes in self.increments:
            moved = [x for x in pointers if x in changes]
            others = [x for x in changes if x not in moved]
            for x, y in (*combinations(moved, 2), *((x, y) for x in moved for y in others)):
                if (wide := self._as_wide(y, x.sort)) is not None and changes[x] and changes[y]:
                    common = gcd(changes[x], changes[y])
                    # changes[y] · x - changes[x] · y, with a positive factor of x
                    sign = 1 if changes[y] > 0 else -1
                    factors = {self._offset(x): sign * changes[y] // common, wide: -sign * changes[x] // common}
                    yield affine(Affine(factors, 0, x.sort).term).term

    def _as_wide(self, variable: Term, sort: Sort) -> Term | None:
        """The variable in so many bits; a pointer as an offset."""
        assert isinstance(variable.sort, BitVec) and isinstance(sort, BitVec)
        missing = sort.width - variable.sort.width
        if missing == 0:
            return self._offset(variable)
        symbol = self.program.symbols.get(variable)
        extend = sign_extend if symbol is None or symbol.signed else zero_extend
        return extend(missing, variable) if missing > 0 else None

    def _positions(self, pointers: Iterable[Term]) -> Iterator[Term]:
        """Indices that are not where a pointer points, as offsets."""
        for index in self.indices:
            sum_ = affine(index)
            if sum_.factors and all(_is_number(part) and part not in pointers for part in sum_.factors):
                yield Affine(sum_.factors, self._in_object(sum_.constant), index.sort).term

    def _in_object(self, address: int) -> int:
        """How far an address is from where the object begins that is nearest to it."""
        half = 1 << self.shift >> 1
        return (address + half) % (1 << self.shift) - half

    def _sizes(self, elements: Iterable[tuple[Term, Term]]) -> Iterator[Term]:
        """What is written to elements, up to a constant."""
        for _, written in elements:
            if isinstance(written.sort, BitVec) and (sum_ := affine(written)).factors:
                yield Affine(sum_.factors, 0, written.sort).term


def _is_number(part: Term) -> bool:
    """Whether a part of an index is a variable or an extended one: other operations look at bits of addresses."""
    inner = extended(part)
    return part.is_variable or (inner is not None and all(x.is_variable for x in affine(inner).factors))


def _indices(step: Transition) -> Iterator[tuple[Term, int]]:
    """Where the step reads or writes, and by how many bits that is shifted."""
    for node in post_order(step.guard, *step.updates.values()):
        if node.op in (ops.SELECT, ops.STORE):
            index, shift = node.args[1], 0
            if index.op is ops.BVLSHR and index.args[1].op is ops.VALUE:
                index, shift = index.args[0], index.args[1].payload
            free = free_variables(index)
            if isinstance(index.sort, BitVec) and free.isdisjoint(step.inputs) and not any(map(_is_array, free)):
                yield index, shift


def _increments(step: Transition) -> Iterator[tuple[Term, int]]:
    for x, set_to in step.updates.items():
        if (change := _increment(x, set_to)) is not None:
            yield x, change
