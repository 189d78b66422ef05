"""What is true of all objects that the pointers in an array point to: arrays of pointers to structs.

    ∀k. 0 ≤ k < i → a[k] < top                        they were all allocated before
    ∀k. 0 ≤ k < i → ¬(n[a[k] + 4] = 1 ∧ p[a[k]] = 0)  what leads into an error is not so of any of them

The first is what a new object needs to be none of the old ones. Ranges, and the runs that choose, are those of
`sortedness`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from craton.engines.small_copies import SmallCopy
from craton.engines.sortedness import MOST_ELEMENTS, Making, comparisons, ends_beside
from craton.logic import INT, Model, Term, and_, conjuncts, evaluate, free_variables, not_, ops, var
from craton.logic.affine import affine, cases_of_sum
from craton.logic.evaluation import CannotEvaluate
from craton.logic.walk import post_order, replaced
from craton.program.cfa import Edge, Program
from craton.program.transitions import Transition
from craton.views.cells.layout import roots

POSITION = var("k", INT)
TYPES = [(low, low + (1 << width) - 1) for width in (8, 16, 32, 64) for low in (0, -1 << (width - 1))]
_MOST_FACTS, _MOST_BOUNDS = 8, 4


class Pointed:
    """Facts of objects behind arrays of pointers. It is empty if no error depends on such objects."""

    def __init__(self, program: Program, steps: Mapping[Edge, Transition], small: SmallCopy) -> None:
        self._asked = comparisons(step.guard for step in steps.values())
        self._small = small
        self._facts: dict[tuple[Term, Term], None] = {}  # and the same again, where numbers are in the ranges of types
        self._elements: dict[Term, None] = {}
        for edge, step in steps.items():
            if edge.target in program.errors:
                self._look_at(step)
        self._places = dict.fromkeys(place for step in steps.values() for place in self._indices(step))

    def __bool__(self) -> bool:
        return bool(self._facts)

    def guesses(self, known: frozenset[Term], states: Sequence[Model]) -> Iterator[Term]:
        """Facts that speak of these variables; the states are those of the small copy."""
        ends = ends_beside(self._places, self._asked, known)
        positions = frozenset[Term]().union(*map(free_variables, ends))
        numbers = sorted((v for v in known if v.sort is INT and v not in positions), key=lambda v: v.serial)
        for element in self._elements:
            if free_variables(element) <= known | {POSITION}:
                made = Making(POSITION, element, ends, numbers[:_MOST_BOUNDS], self._small)
                yield from made.bounded(states)
                for part, facts in product(made.parts(states), self._facts):
                    within = part.holds(POSITION)
                    spoken_of = [fact for fact in facts if free_variables(fact) <= known | {POSITION}]
                    held = (fact for fact in spoken_of if self._held(within, fact, states))
                    yield from (made.of_each(part, fact) for fact in islice(held, 1))

    def _look_at(self, step: Transition) -> None:
        """At what leads into an error: with the position in the place of the index at which a pointer was read."""
        asked = [part for part in conjuncts(step.guard) if any(_pointers(part))]
        for pointer in dict.fromkeys(pointer for part in asked for pointer in _pointers(part)):
            index = min(cases_of_sum(pointer.args[1]), key=lambda case: abs(affine(case).constant))
            places = [part for part in affine(index).factors if part.is_variable and part.sort is INT]
            if len(places) == 1 and len(self._facts) < _MOST_FACTS:
                at_place = {pointer.args[1]: index}, {places[0]: POSITION}
                told: tuple[Term, ...] = not_(and_(*_without_types(asked))), not_(and_(*asked)), pointer
                for mapping in at_place:
                    told = replaced(told, mapping)
                self._facts[told[0], told[1]] = None
                self._elements[told[-1]] = None

    def _indices(self, step: Transition) -> Iterator[Term]:
        """Variables that tell where pointers are read or written."""
        arrays = {element.args[0] for element in self._elements}
        for node in post_order(step.guard, *step.updates.values()):
            if node.op in (ops.SELECT, ops.STORE) and not arrays.isdisjoint(roots(node.args[0])):
                yield from sorted(free_variables(node.args[1]), key=lambda v: v.serial)

    def _held(self, range_: Term, fact: Term, states: Sequence[Model]) -> bool:
        """Whether it was so wherever it was seen, and was seen."""
        range_, fact, seen = self._small.of(range_), self._small.of(fact), False
        for state in states:
            for at in range(MOST_ELEMENTS):
                here = Model({**state.values, POSITION: at})
                try:
                    if evaluate(range_, here) is True:
                        seen = True
                        if evaluate(fact, here) is not True:
                            return False
                except CannotEvaluate:
                    return False
        return seen


def _without_types(parts: Sequence[Term]) -> list[Term]:
    """Without what only says that numbers are in the range of a type: in bits they are, whichever type it is."""
    bounds: dict[Term, dict[int, Term]] = {}
    for part in parts:
        for number, end in (part.args, part.args[::-1]) if part.op is ops.LE else ():
            if end.op is ops.VALUE:
                bounds.setdefault(number, {})[end.payload] = part
    typed = {b[low] for b in bounds.values() for low, high in TYPES if low in b and high in b}
    typed |= {b[high] for b in bounds.values() for low, high in TYPES if low in b and high in b}
    return [part for part in parts if part not in typed]


def _pointers(formula: Term) -> Iterator[Term]:
    """Elements of arrays that are part of indices."""
    for node in post_order(formula):
        if node.op is ops.SELECT:
            for inner in post_order(node.args[1]):
                if inner.op is ops.SELECT and inner.args[0].is_variable and inner.sort is INT:
                    yield inner
