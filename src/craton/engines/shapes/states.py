"""States that runs have shown, arrays included, and at how many of them a formula of any node is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from craton.engines.shapes.columns import Columns
from craton.logic import BitVec, CannotEvaluate, Model, Term, free_variables
from craton.logic.evaluation import evaluate_all
from craton.logic.semantics import ArrayValue
from craton.logic.sorts import Array
from craton.program.execution.codegen import Cells

MOST_STATES, MOST_NODES = 16, 6  # at one place, of one state: half of them the first ones, half of them the last
MOST_ALIKE, MOST_APART = 5, 20  # states with the same conditions; more states, of which the first ones have too few
_VISITS = frozenset((1, 2, 3, 5, 8))  # of a run that are looked at


@dataclass
class States:
    """States at one place. Sets of them, each with one of its nodes, are numbers: bit i is for the i-th pair."""

    models: Sequence[Model]
    nodes: Sequence[Sequence[int]]  # of each state

    def __post_init__(self) -> None:
        self._pairs = [(model, node) for model, some in zip(self.models, self.nodes, strict=True) for node in some]
        self._columns: dict[Term | None, Columns] = {}
        self.all = (1 << len(self._pairs)) - 1

    def where(self, formula: Term, node: Term | None = None) -> int:
        """Where the formula is true, of each node if it speaks of one."""
        try:
            return self._seen(node).where(formula)
        except CannotEvaluate:
            return 0

    def _seen(self, node: Term | None) -> Columns:
        if node not in self._columns:
            self._columns[node] = Columns(self._pairs, node)
        return self._columns[node]

    def holds(self, formula: Term) -> bool:
        """Whether a formula was always true."""
        return not self.all & ~self.where(formula)

    def among(self, some: int) -> Iterator[tuple[Model, int]]:
        """The pairs of a set."""
        return (pair for number, pair in enumerate(self._pairs) if some >> number & 1)

    def values(self, terms: Sequence[Term], node: Term | None, among: int) -> set[tuple[Any, ...]]:
        """What these terms are together, of each node if they speak of one, at those of the pairs."""
        try:
            columns = [self._seen(node).values(term) for term in terms]
        except CannotEvaluate:
            return set()
        rows = zip(*columns, strict=True)
        return {row for number, row in enumerate(rows) if among >> number & 1}


class Observed:
    """Gathers states while programs run: the first ones, and some of each mode that the program is in. The conditions
    say which mode that is: without them, what is true in one mode only is not seen where most runs are in another.
    """

    def __init__(
        self,
        watched: Mapping[Any, tuple[Term, ...]],
        addresses: Callable[[Model], Sequence[int]],
        most: int = MOST_STATES,
        conditions: Sequence[Term] = (),
    ) -> None:
        self.watched = watched
        self.most = most  # states at one place
        self.addresses = addresses
        self._conditions = {
            location: tuple(c for c in conditions if free_variables(c) <= frozenset(variables))
            for location, variables in watched.items()
        }
        self._alike: Counter[tuple[Any, ...]] = Counter()  # states by their place and conditions
        self.seen: dict[Any, dict[tuple[Any, ...], None]] = {location: {} for location in watched}
        self._states: dict[Any, States] = {}
        self._visits: Counter[Any] = Counter()  # in this run

    def begin(self) -> None:
        """A new run."""
        self._visits.clear()

    def note(self, location: Any, values: tuple[Any, ...]) -> None:
        self._visits[location] += 1
        if self._visits[location] in _VISITS and self._is_wanted(location, values):
            variables = self.watched[location]
            scalars = hash(tuple(held for held in values if isinstance(held, int)))
            row = tuple(_held(x, held, scalars) for x, held in zip(variables, values, strict=True))
            self.seen[location][row] = None

    def _is_wanted(self, location: Any, values: tuple[Any, ...]) -> bool:
        """Whether there are few states yet, or few in which the same conditions hold."""
        number, conditions = len(self.seen[location]), self._conditions[location]
        if number >= (self.most + MOST_APART if conditions else self.most):
            return False
        mode = (location, *evaluate_all(conditions, Model(dict(zip(self.watched[location], values, strict=True)))))
        self._alike[mode] += 1
        return number < self.most or self._alike[mode] <= MOST_ALIKE

    def rows(self, location: Any, variables: Sequence[Term]) -> list[tuple[Any, ...]]:
        """The values of some of the variables."""
        columns = [self.watched[location].index(x) for x in variables]
        return list(dict.fromkeys(tuple(row[c] for c in columns) for row in self.seen[location]))

    def states(self, location: Any) -> States:
        if location not in self._states:
            self._states[location] = self._made(location)
        return self._states[location]

    def _made(self, location: Any) -> States:
        variables = self.watched[location]
        models = [Model(dict(zip(variables, row, strict=True))) for row in self.seen[location]]
        return States(models, [_some(self.addresses(model)) or [0] for model in models])


def _some(nodes: Sequence[int]) -> Sequence[int]:
    half = MOST_NODES // 2
    return nodes if len(nodes) <= MOST_NODES else [*nodes[:half], *nodes[-half:]]


def _held(variable: Term, held: Any, scalars: int) -> Any:
    """A value that does not change any more. What was never written or read of an array is any number, the same in the
    same state: what lies at null should suggest nothing.
    """
    if not isinstance(variable.sort, Array) or not isinstance(held, Cells):
        return held
    if held.unwritten.uniform:
        return ArrayValue(held.unwritten.draw(), dict(held))
    element = variable.sort.element
    any_number = hash((scalars, frozenset(held.items()))) % (1 << element.width) if isinstance(element, BitVec) else 0
    return ArrayValue(any_number, dict(held))
