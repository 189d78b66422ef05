"""What sorting makes of arrays: parts that are sorted, parts that lie above others, elements that bound a part.

    ∀k, l. 0 ≤ k < l < i → a[k] ≤ a[l]              the part below i is sorted
    ∀k, l. 0 ≤ k < i ≤ l < n → a[k] ≤ a[l]          what is below i is not above what is behind
    ∀k. i ≤ k < j → a[m] ≤ a[k]                     a[m] is the least from i to j

Where parts begin and end is what the program compares positions with, and one more. What runs have shown to be false is
not guessed, nor what they have not shown to be true of at least two elements that differ (runs of a copy of the
program in which large constants are small). Facts that hold only while a
variable has a certain value (`swapped = 0`) are guessed under this condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from craton.engines.small_copies import SmallCopy
from craton.logic import (
    INT,
    Model,
    Term,
    add,
    and_,
    evaluate,
    forall,
    free_variables,
    implies,
    int_,
    le,
    lt,
    not_,
    ops,
    post_order,
    select,
    substitute,
    var,
)
from craton.logic.core import fresh
from craton.logic.evaluation import CannotEvaluate
from craton.logic.matching import unwrapped
from craton.logic.walk import atoms
from craton.program.transitions import Transition
from craton.views.cells.positions import leaves

MOST_ENDS, MOST_BOUNDS = 14, 8  # of parts; numbers that may bound elements
MOST_FLAGS = 4  # conditions that facts may depend on
MOST_ELEMENTS = 10  # of an array in a state that are looked at
# A name that no hint has: what the program calls so has the width that it says, and positions have that of indices.
POSITION = var("at'", INT)
_LARGEST_CONSTANT = 1 << 20  # beyond it are the ends of types, not of parts

_SUMS = (ops.VARIABLE, ops.VALUE, ops.ADD, ops.SUB, ops.NEG, ops.MUL)

Numbers = tuple[int, ...]  # one for each state


@dataclass(frozen=True, slots=True)
class Part:
    """Positions from one end to another, and the elements there in each state."""

    low: Term
    high: Term
    contents: tuple[Numbers, ...]

    def holds(self, position: Term) -> Term:
        return and_(le(int_(0), position), le(self.low, position), lt(position, self.high))


class Sorting:
    """Facts of arrays whose elements a program compares."""

    def __init__(self, hints: Iterable[Term], steps: Sequence[Transition], small: SmallCopy) -> None:
        self._hints = [hint for hint in dict.fromkeys(hints) if hint.op is ops.FORALL]
        self._said = comparisons(hint.args[0] for hint in self._hints)
        self._asked = comparisons(step.guard for step in steps)
        self._flags = flags(steps)
        self._small = small

    def guesses(self, known: frozenset[Term], states: Sequence[Model]) -> Iterator[Term]:
        """Facts that speak of these variables; the states are those of the small copy."""
        conditions = [flag for flag in self._flags if free_variables(flag) <= known]
        for element in self._elements(known):
            ends = self._ends(known)
            positions = frozenset[Term]().union(*map(free_variables, ends))
            numbers = [v for v in known if v.sort is INT and v not in positions]
            bounds = [substitute(element, {POSITION: end}) for end in ends if end.is_variable]
            bounds += sorted(numbers, key=lambda v: v.serial)
            made = Making(POSITION, element, ends, bounds[:MOST_BOUNDS], self._small)
            general = dict.fromkeys(made.facts(states))
            yield from general
            for condition in conditions:
                some = [state for state in states if evaluate(condition, state) is True]
                if 1 < len(some) < len(states):
                    for fact in dict.fromkeys(made.facts(some)):
                        if fact not in general:
                            yield forall(fact.payload, implies(condition, fact.args[0]))

    def _elements(self, known: frozenset[Term]) -> list[Term]:
        """Those of each array that something is said of, at the position."""
        found: dict[Term, Term] = {}
        for hint in self._hints:
            for node in post_order(hint.args[0]) if hint.payload[0].sort is INT else ():
                if node.op is ops.SELECT and node.sort is INT and node.args[0] in known:
                    bound = [v for v in hint.payload if v in free_variables(node)]
                    if len(bound) == 1:
                        told = select(node.args[0], unwrapped(node.args[1]))
                        found.setdefault(node.args[0], substitute(told, {bound[0]: POSITION}))
        return list(found.values())

    def _ends(self, known: frozenset[Term]) -> list[Term]:
        """What hints compare positions with, and what the program compares that with."""
        bound = frozenset(v for hint in self._hints for v in hint.payload)
        found: dict[Term, None] = {}
        for one, other in self._said:
            if (one in bound) is not (other in bound):
                found[other if one in bound else one] = None
        return ends_beside(found, self._asked, known - bound)


def ends_beside(found: Iterable[Term], asked: Iterable[tuple[Term, Term]], known: frozenset[Term]) -> list[Term]:
    """Zero, what was found, what is compared with it, and one more; plain ones first."""
    every = dict.fromkeys((int_(0), *found))
    places = frozenset[Term]().union(*map(free_variables, every))
    for one, other in asked:
        if _may_be_end(one) and _may_be_end(other) and places & (free_variables(one) | free_variables(other)):
            every |= {one: None, other: None}
    ends = [end for end in every if free_variables(end) <= known and _may_be_end(end)]
    plain = [end for end in ends if not end.args]
    others = [end for end in ends if end.args]
    next_ = [[add(end, int_(1)) for end in some if end.op is not ops.VALUE] for some in (plain, others)]
    return list(dict.fromkeys((*plain, *next_[0], *others, *next_[1])))[:MOST_ENDS]


def _may_be_end(term: Term) -> bool:
    if term.op is ops.VALUE:
        return bool(0 <= term.payload < _LARGEST_CONSTANT)
    return all(node.op in _SUMS for node in post_order(term))


def comparisons(formulas: Iterable[Term]) -> dict[tuple[Term, Term], None]:
    """The sides of comparisons of numbers."""
    compared = (atom for formula in formulas for atom in atoms(formula) if atom.op in (ops.LE, ops.LT))
    return {(atom.args[0], atom.args[1]): None for atom in compared if atom.args[0].sort is INT}


def asks_for_order(steps: Iterable[Transition]) -> bool:
    """Whether it is somewhere asked which of two numbers is greater, one of which is an element. That it is in the
    range of a type is asked of every element.
    """
    asked = (atom for step in steps for atom in atoms(step.guard) if atom.op in (ops.LE, ops.LT))
    variable = (atom for atom in asked if not any(side.op is ops.VALUE for side in atom.args))
    return any(node.op is ops.SELECT for atom in variable for side in atom.args for node in post_order(side))


def flags(steps: Sequence[Transition]) -> list[Term]:
    """What variables that get nothing but numbers are asked for: `while (swapped)`."""
    given: dict[Term, bool] = {}
    for step in steps:
        for variable, new in step.updates.items():
            known = all(leaf.op is ops.VALUE or leaf is variable for leaf in leaves(new))
            given[variable] = known and given.get(variable, True)
    are_flags = frozenset(variable for variable, is_flag in given.items() if is_flag)
    asked = dict.fromkeys(atom for step in steps for atom in atoms(step.guard) if atom.op is ops.EQ)
    return [c for atom in asked if free_variables(atom) <= are_flags for c in (atom, not_(atom))][:MOST_FLAGS]


class Making:
    """Of facts about one array, `element` being the one at the position, from what states have shown."""

    def __init__(
        self, position: Term, element: Term, ends: Sequence[Term], bounds: Sequence[Term], small: SmallCopy
    ) -> None:
        self.position, self.element = position, element
        self.other = fresh(position.name, INT, {position})
        self.ends, self.bounds, self.small = ends, bounds, small

    def facts(self, states: Sequence[Model]) -> Iterator[Term]:
        parts = list(self.parts(states))
        bounds = self._values(self.bounds, states)
        for part in parts:
            yield from self._sorted(part)
            yield from self._bounded(part, bounds)
        for low, high in product(parts, parts):
            yield from self._apart(low, high)

    def bounded(self, states: Sequence[Model]) -> Iterator[Term]:
        bounds = self._values(self.bounds, states)
        for part in self.parts(states):
            yield from self._bounded(part, bounds)

    def _values(self, terms: Iterable[Term], states: Sequence[Model]) -> dict[Term, Numbers]:
        """What terms are in each state; those that some state cannot tell are left out."""
        found: dict[Term, Numbers] = {}
        for term in terms:
            try:
                found[term] = tuple(evaluate(self.small.of(term), state) for state in states)
            except CannotEvaluate:
                continue
        return found

    def parts(self, states: Sequence[Model]) -> Iterator[Part]:
        contents = [self._contents(state) for state in states]
        ends = self._values(self.ends, states)
        for (low, begins), (high, beyond) in product(ends.items(), repeat=2):
            if low is not high:
                cut = zip(contents, begins, beyond, strict=True)
                rows = tuple(row[max(0, begin) : max(0, end)] for row, begin, end in cut)
                if any(rows):
                    yield Part(low, high, rows)

    def _contents(self, state: Model) -> Numbers:
        return tuple(evaluate(self.element, Model({**state.values, self.position: at})) for at in range(MOST_ELEMENTS))

    def _sorted(self, part: Part) -> Iterator[Term]:
        pairs = [pair for row in part.contents for pair in pairwise(row)]
        if any(one != other for one, other in pairs):
            both = and_(part.holds(self.position), part.holds(self.other), lt(self.position, self.other))
            if all(one <= other for one, other in pairs):
                yield self._of_both(both, up=True)
            if all(one >= other for one, other in pairs):
                yield self._of_both(both, up=False)

    def _apart(self, low: Part, high: Part) -> Iterator[Term]:
        """Of two parts, one of which ends where the other begins, or one before."""
        if low.high is not high.low and add(low.high, int_(1)) is not high.low:
            return
        rows = [(one, other) for one, other in zip(low.contents, high.contents, strict=True) if one and other]
        if any({*one} != {*other} for one, other in rows):
            both = and_(low.holds(self.position), high.holds(self.other))
            if all(max(one) <= min(other) for one, other in rows):
                yield self._of_both(both, up=True)
            if all(min(one) >= max(other) for one, other in rows):
                yield self._of_both(both, up=False)

    def _of_both(self, range_: Term, *, up: bool) -> Term:
        second = substitute(self.element, {self.position: self.other})
        order = le(self.element, second) if up else le(second, self.element)
        return forall((self.position, self.other), implies(range_, order))

    def _bounded(self, part: Part, bounds: Mapping[Term, Numbers]) -> Iterator[Term]:
        """By a variable, or by an element at the place that a variable tells."""
        for bound, values in bounds.items():
            rows = [(row, value) for row, value in zip(part.contents, values, strict=True) if row]
            if all({*row} == {value} for row, value in rows):
                continue
            if all(max(row) <= value for row, value in rows):
                yield self.of_each(part, le(self.element, bound))
                if all(max(row) < value for row, value in rows):
                    yield self.of_each(part, lt(self.element, bound))
            if all(min(row) >= value for row, value in rows):
                yield self.of_each(part, le(bound, self.element))
                if all(min(row) > value for row, value in rows):
                    yield self.of_each(part, lt(bound, self.element))

    def of_each(self, part: Part, fact: Term) -> Term:
        return forall((self.position,), implies(part.holds(self.position), fact))
