"""Matrices: what nested loops write to elements and ask of them, told by the counters of the loops (docs/arrays.md).

    for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i][j] = i + j;
    ∀r, c. 0 ≤ r < i ∧ 0 ≤ c < m → a[r][c] = r + c       the rows before this one
    ∀c. 0 ≤ c < j → a[i][c] = i + c                      this row as far as it is done

An element has as many numbers here as there are counters in its index, and the index stays as the program has it: that
`i·m + j` is one position needs products and quotients to be understood, that it is `r·m + c` for r = i and c = j does
not. Hints for engines, of which nothing is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product

from craton.logic import (
    BitVec,
    Term,
    and_,
    bvsle,
    bvslt,
    conjuncts,
    eq,
    forall,
    free_variables,
    implies,
    not_,
    ops,
    post_order,
    select,
    substitute,
)
from craton.logic.affine import affine
from craton.logic.core import fresh
from craton.logic.matching import together
from craton.logic.sorts import Array
from craton.logic.terms import value
from craton.logic.walk import atoms
from craton.program.analysis.nesting import nests
from craton.program.cfa import Location, Program, Symbol
from craton.program.transitions import Transition, transition
from craton.views.cells.layout import roots

_MOST_COUNTERS = 3  # of one index
_MOST_FACTS, _MOST_PLACES, _MOST_ENDS = 6, 4, 2  # of a program; of one fact; of one counter
_MOST_HINTS = 240
_STRICT = (ops.BVSLT, ops.BVULT)
_COMPARISONS = (*_STRICT, ops.BVSLE, ops.BVULE)


@dataclass(frozen=True, slots=True)
class Fact:
    """What may be so of the elements at an index that speaks of several bound variables."""

    bound: tuple[Term, ...]
    array: Term
    index: Term
    told: Term


def with_grid_hints(program: Program, blocks: Program) -> Program:
    """The program with hints of what may hold of all elements that have several counters for an index; `blocks` is the
    program in large blocks.
    """
    found = dict.fromkeys(islice(_Grids(blocks).hints(), _MOST_HINTS))
    if not found:
        return program
    hints = {
        x: tuple(dict.fromkeys((*(hint for hint in hints if not _divides_positions(hint)), *found)))
        for x, hints in program.hints.items()
    }
    bound = dict.fromkeys(v for hint in found if hint.op is ops.FORALL for v in hint.payload)
    symbols = {**program.symbols, **dict.fromkeys(bound, Symbol("", "", None, signed=True))}
    return replace(program, hints=hints, symbols=symbols)


@dataclass
class _Grids:
    blocks: Program
    counters: dict[Location, frozenset[Term]] = field(default_factory=dict)  # of each loop, by its head
    ends: dict[Term, dict[Term, None]] = field(default_factory=dict)  # of counters, one behind the last
    places: dict[tuple[Term, Term], None] = field(default_factory=dict)  # arrays and indices

    def __post_init__(self) -> None:
        self.nests = nests(self.blocks.main)
        self.steps = [(edge, transition(edge.statement)) for edge in self.blocks.main.edges]
        for edge, step in self.steps:
            moved = frozenset(v for v, new in step.updates.items() if _is_step(v, new))
            if edge.target in self.nests[edge.source].loops:
                self.counters[edge.target] = self.counters.get(edge.target, frozenset()) | moved
        every = frozenset[Term]().union(*self.counters.values())
        for _, step in self.steps:
            for node in post_order(step.guard, *step.updates.values()):
                if node.op in (ops.SELECT, ops.STORE):
                    self.places |= dict.fromkeys((root, node.args[1]) for root in roots(node.args[0]))
            for atom in atoms(step.guard):
                self._note_end(atom, every)
            for counter in every & step.updates.keys():
                start = step.updates[counter]
                if (
                    not _is_step(counter, start)
                    and not start.is_value
                    and free_variables(start).isdisjoint(step.inputs)
                ):
                    self.ends.setdefault(counter, {})[_plus(start, 1)] = None

    def _note_end(self, atom: Term, counters: frozenset[Term]) -> None:
        """What is compared with a counter is one behind its last value, or that."""
        if atom.op in _COMPARISONS:
            less, more = atom.args
            strict = atom.op in _STRICT
            for counter, end in ((less, _plus(more, not strict)), (more, _plus(less, strict))):
                if counter in counters and counter not in free_variables(end):
                    self.ends.setdefault(counter, {})[end] = None

    # --- facts ---

    def hints(self) -> Iterator[Term]:
        facts = list(islice(dict.fromkeys(self._facts()), _MOST_FACTS))
        if not facts:
            return
        yield from self._bounds()
        for width in sorted({v for fact in facts for v in free_variables(fact.index)}, key=lambda v: v.serial):
            yield from self._same(width)
        ranges = {fact: list(dict.fromkeys(self._ranges(fact))) for fact in facts if len(fact.bound) > 1}
        for fact, range_ in _in_turns(ranges):
            yield forall(fact.bound, implies(range_, fact.told))
        for fact in facts:
            if len(fact.bound) == 1:
                yield forall(fact.bound, fact.told)  # where, is told by runs

    def _bounds(self) -> Iterator[Term]:
        """Of counters."""
        for counter, ends in self.ends.items():
            yield bvsle(value(0, counter.sort), counter)
            for end in list(ends)[:_MOST_ENDS]:
                yield from (bvsle(counter, end), bvslt(counter, end))

    def _same(self, width: Term) -> Iterator[Term]:
        """What the length of rows was computed from: compilers have it as a variable of its own."""
        for _, step in self.steps:
            new = step.updates.get(width)
            if new is not None and isinstance(width.sort, BitVec):
                names = {told: v for v, told in step.updates.items() if told.is_variable}
                known = substitute(new, names)
                if known.args and free_variables(known).isdisjoint({width, *step.inputs}):
                    yield eq(width, known)

    def _facts(self) -> Iterator[Fact]:
        """What must not be where errors are, and what is written."""
        for wanted in (True, False):
            for edge, step in self.steps:
                around = [self.counters.get(head, frozenset()) for head in self.nests[edge.source].loops]
                if (edge.target in self.blocks.errors) is wanted:
                    for index, array, told in _asked(step) if wanted else _written(step):
                        yield from self._fact(around, array, index, told, step)

    def _fact(
        self, around: Sequence[frozenset[Term]], array: Term, index: Term, told: Term, step: Transition
    ) -> Iterator[Fact]:
        free = free_variables(index)
        found = [v for some in around for v in sorted(some & free, key=lambda v: v.serial)]
        if not 1 <= len(found) <= _MOST_COUNTERS or not free_variables(told).isdisjoint(step.inputs):
            return
        if len(found) == 1 and not _relates(told, found[0]):
            return  # one element, by its position, is what cells are for
        names, taken = {}, {*self.blocks.globals, *self.blocks.main.locals}
        for counter in found:
            names[counter] = fresh("k", counter.sort, taken)
            taken.add(names[counter])
        yield Fact(tuple(names.values()), array, substitute(index, names), substitute(told, names))

    # --- ranges ---

    def _ranges(self, fact: Fact) -> Iterator[Term]:
        """Where control is among the elements: those before, those behind, and all."""
        places = [
            values
            for array, index in self.places
            if array is fact.array
            for values in together(fact.index, fact.bound, index)
            if any(v in self.ends for value_ in values for v in free_variables(value_))
        ]
        places = list(dict.fromkeys(places))[:_MOST_PLACES]
        ends = [
            list(dict.fromkeys(end for place in places for end in self._ends(place[at])))
            for at in range(len(fact.bound))
        ]
        for last in islice(product(*(some[:_MOST_ENDS] for some in ends)), 4):
            within = [_between(value(0, k.sort), k, end) for k, end in zip(fact.bound, last, strict=True)]
            yield and_(*within)
            for place in places:
                yield from self._parts(fact.bound, place, last)

    def _parts(self, bound: Sequence[Term], place: Sequence[Term], last: Sequence[Term]) -> Iterator[Term]:
        """By lines, whichever is the order of the loops: those that are done and those that are not, and this one."""
        numbers = range(len(bound))
        for order in permutations(numbers) if len(bound) == 2 else (tuple(numbers),):
            for depth, at in enumerate(order):
                same = [eq(bound[outer], place[outer]) for outer in order[:depth]]
                whole = [_between(value(0, bound[i].sort), bound[i], last[i]) for i in order[depth + 1 :]]
                k, here = bound[at], place[at]
                zero, next_ = value(0, k.sort), _plus(here, 1)
                for low, high in ((zero, here), (here, last[at]), (next_, last[at]), (zero, next_)):
                    yield and_(*same, _between(low, k, high), *whole)

    def _ends(self, reached: Term) -> Iterator[Term]:
        for counter in sorted(free_variables(reached), key=lambda v: v.serial):
            yield from (end for end in self.ends.get(counter, ()) if end.sort is reached.sort and not _is_begin(end))


def _asked(step: Transition) -> Iterator[tuple[Term, Term, Term]]:
    """The elements that an error depends on, and what must not be so of them."""
    parts = conjuncts(step.guard)
    of_elements = [part for part in parts if _reads(part)]
    but_for_ends = [part for part in parts if part in of_elements or part.op not in _COMPARISONS]
    for node in post_order(*of_elements):
        if node.op is ops.SELECT and node.args[0].is_variable:
            for asked in dict.fromkeys((and_(*of_elements), and_(*but_for_ends))):
                yield node.args[1], node.args[0], not_(asked)


def _written(step: Transition) -> Iterator[tuple[Term, Term, Term]]:
    """Indices, arrays and what a step makes of the elements there, case by case."""
    for array, new in step.updates.items():
        waiting: list[tuple[Term, tuple[Term, ...]]] = [(new, ())]
        while waiting:
            node, cases = waiting.pop()
            if node.op is ops.ITE:
                condition, then, otherwise = node.args
                waiting += [(otherwise, (*cases, not_(condition))), (then, (*cases, condition))]
            elif node.op is ops.STORE:
                into, index, what = node.args
                waiting.append((into, cases))
                if not any(map(_reads, cases)):
                    for told in _said_of(what, array, step):
                        yield index, array, implies(and_(*cases), eq(select(array, index), told))


def _said_of(what: Term, array: Term, step: Transition) -> Iterator[Term]:
    """What is written; an input by the other elements that get it."""
    if what not in step.inputs:
        yield what
        return
    for other, new in step.updates.items():
        if isinstance(other.sort, Array) and other is not array and new.op is ops.STORE and new.args[2] is what:
            yield select(other, new.args[1])


def _relates(told: Term, counter: Term) -> bool:
    """Whether it speaks of several elements at places that the counter tells."""
    reads = {node for node in post_order(told) if node.op is ops.SELECT}
    return sum(counter in free_variables(node.args[1]) for node in reads) > 1


def _is_step(variable: Term, new: Term) -> bool:
    if not isinstance(variable.sort, BitVec):
        return False
    more = affine(new).minus(affine(variable))
    return not more.factors and abs(more.constant) == 1


def _reads(term: Term) -> bool:
    return any(node.op is ops.SELECT for node in post_order(term))


def _between(low: Term, k: Term, high: Term) -> Term:
    return and_(bvsle(low, k), bvslt(k, high))


def _plus(term: Term, number: int) -> Term:
    return affine(term).plus(number).term


def _in_turns(ranges: Mapping[Fact, Sequence[Term]]) -> Iterator[tuple[Fact, Term]]:
    for number in range(max(map(len, ranges.values()), default=0)):
        yield from ((fact, some[number]) for fact, some in ranges.items() if number < len(some))


def _divides_positions(hint: Term) -> bool:
    """Whether it tells row and column from one position, as a grid need not."""
    return hint.op is ops.FORALL and any(
        node.op in (ops.BVUDIV, ops.BVUREM) and not free_variables(node).isdisjoint(hint.payload)
        for node in post_order(hint.args[0])
    )


def _is_begin(end: Term) -> bool:
    return end.op is ops.VALUE and end.payload in (0, 1)
