"""States that runs have shown, arrays included, and at how many of them a formula of any node is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from craton.engines.shapes.columns import Columns
from craton.logic import CannotEvaluate, Model, Term
from craton.logic.semantics import ArrayValue
from craton.logic.sorts import Array
from craton.program.execution.codegen import Cells

MOST_STATES, MOST_NODES = 16, 6  # at one place, of one state: half of them the first ones, half of them the last
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
    """Gathers states while programs run."""

    def __init__(
        self,
        watched: Mapping[Any, tuple[Term, ...]],
        addresses: Callable[[Model], Sequence[int]],
        most: int = MOST_STATES,
    ) -> None:
        self.watched = watched
        self.most = most  # states at one place
        self.addresses = addresses
        self.seen: dict[Any, dict[tuple[Any, ...], None]] = {location: {} for location in watched}
        self._states: dict[Any, States] = {}
        self._visits: Counter[Any] = Counter()  # in this run

    def begin(self) -> None:
        """A new run."""
        self._visits.clear()

    def note(self, location: Any, values: tuple[Any, ...]) -> None:
        self._visits[location] += 1
        if self._visits[location] in _VISITS and len(self.seen[location]) < self.most:
            variables = self.watched[location]
            row = tuple(_held(x, held) for x, held in zip(variables, values, strict=True))
            self.seen[location][row] = None

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


def _held(variable: Term, held: Any) -> Any:
    """A value that does not change any more; what was never written or read of an array is taken for zero."""
    if not isinstance(variable.sort, Array) or not isinstance(held, Cells):
        return held
    unwritten = held.unwritten.draw() if held.unwritten.uniform else 0
    return ArrayValue(unwritten, dict(held))
