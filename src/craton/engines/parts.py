"""In which parts of an array a fact about each position holds, told by what runs of a small copy have shown.

    ∀k. 0 ≤ k < i → a[k] = b[n - 1 - k]      what has been swapped
    ∀k. i ≤ k < n - i → a[k] = b[k]          what has not

Facts are what hints say of one position, whatever their ranges are; parts begin and end at the positions that elements
are read or written at, at what these are compared with, or one behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from craton.engines.small_copies import SmallCopy
from craton.engines.sortedness import MOST_ELEMENTS, POSITION, comparisons, ends_beside
from craton.logic import (
    INT,
    Model,
    Term,
    and_,
    evaluate,
    forall,
    free_variables,
    implies,
    int_,
    le,
    lt,
    ops,
    select,
    substitute,
)
from craton.logic.affine import affine
from craton.logic.evaluation import CannotEvaluate
from craton.logic.matching import together, unwrapped
from craton.logic.walk import post_order, replaced
from craton.program.transitions import Transition
from craton.views.cells.layout import roots

_MOST_FACTS, _MOST_PLACES = 10, 8
_MOST_LARGE, _MOST_PLAIN = 6, 6  # parts for one fact


class Parts:
    """Facts about single positions, and the places that parts may begin and end at."""

    def __init__(self, hints: Iterable[Term], steps: Sequence[Transition], small: SmallCopy) -> None:
        self._facts = list(dict.fromkeys(fact for hint in hints for fact in _facts(hint)))
        self._asked = comparisons(step.guard for step in steps)
        self._indices = dict.fromkeys(
            (array, node.args[1])
            for step in steps
            for node in post_order(step.guard, *step.updates.values())
            if node.op in (ops.SELECT, ops.STORE) and free_variables(node.args[1]).isdisjoint(step.inputs)
            for array in roots(node.args[0])
        )
        self._small = small

    def __bool__(self) -> bool:
        return bool(self._facts)

    def guesses(self, known: frozenset[Term], states: Sequence[Model]) -> Iterator[Term]:
        """Facts that speak of these variables; the states are those of the small copy."""
        spoken_of = [(bound, fact) for bound, fact in self._facts if free_variables(fact) <= known | {bound}]
        for bound, fact in spoken_of[:_MOST_FACTS]:
            places = self._places(bound, fact, known)
            ends = ends_beside([*places, *self._limits(places)], self._asked, known - {bound})
            yield from self._where(bound, fact, ends, states)

    def _places(self, bound: Term, fact: Term, known: frozenset[Term]) -> list[Term]:
        """Positions at which the program reads or writes the elements that the fact speaks of."""
        patterns = dict.fromkeys(node.args for node in post_order(fact) if node.op is ops.SELECT)
        places = (
            place
            for array, pattern in patterns
            for other, index in self._indices
            if other is array
            for (place,) in together(pattern, (bound,), index)
            if free_variables(place) <= known and not any(node.op is ops.SELECT for node in post_order(place))
        )
        return list(dict.fromkeys(places))[:_MOST_PLACES]

    def _limits(self, places: Sequence[Term]) -> Iterator[Term]:
        """What places are below of: n - 1, where i + 1 is compared with n."""
        for place, (one, other) in product(places, self._asked):
            for less, more in ((one, other), (other, one)):
                beyond = affine(less).minus(affine(place))
                if beyond.constant and not beyond.factors:
                    yield affine(more).plus(-beyond.constant).term

    def _where(self, bound: Term, fact: Term, ends: Sequence[Term], states: Sequence[Model]) -> Iterator[Term]:
        """The largest parts in which the fact was always true, and the largest with plain ends: what lies behind all
        elements is alike in runs, and parts that go too far are not what a loop keeps.
        """
        small = self._small.of(fact)
        rows = [[_holds(small, bound, at, state) for at in range(MOST_ELEMENTS)] for state in states]
        numbers = {}
        for end in ends:
            try:
                numbers[end] = [evaluate(self._small.of(end), state) for state in states]
            except CannotEvaluate:
                continue
        found: list[tuple[int, Term, Term]] = []
        for low, high in product(numbers, repeat=2):
            pairs = zip(rows, numbers[low], numbers[high], strict=True)
            cut = [row[max(0, begin) : max(0, end)] for row, begin, end in pairs]
            if low is not high and all(map(all, cut)) and any(cut):
                found.append((sum(map(len, cut)), low, high))
        found.sort(key=lambda one: -one[0])
        plain = [one for one in found if not _is_sum(one[1]) and not _is_sum(one[2])]
        for _, low, high in dict.fromkeys((*found[:_MOST_LARGE], *plain[:_MOST_PLAIN])):
            yield forall((bound,), implies(and_(le(int_(0), bound), le(low, bound), lt(bound, high)), fact))


def _facts(hint: Term) -> Iterator[tuple[Term, Term]]:
    """What a hint says of several elements that one position tells, but for the range."""
    if hint.op is not ops.FORALL or len(hint.payload) != 1 or hint.payload[0].sort is not INT:
        return
    (bound,), body = hint.payload, hint.args[0]
    while body.op is ops.IMPLIES:
        body = body.args[-1]
    reads = {node for node in post_order(body) if node.op is ops.SELECT and bound in free_variables(node.args[1])}
    if len(reads) > 1:
        body = replaced((body,), {read: select(read.args[0], unwrapped(read.args[1])) for read in reads})[0]
        yield POSITION, substitute(body, {bound: POSITION})


def _is_sum(end: Term) -> bool:
    return bool(end.args)


def _holds(fact: Term, bound: Term, at: int, state: Model) -> bool:
    try:
        return evaluate(fact, Model({**state.values, bound: at})) is True
    except CannotEvaluate:
        return False
