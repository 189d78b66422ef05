"""The contract of an abstract domain with a precision ([RS] 3): what its states are, and how refutations refine it.

A precision says what is tracked: predicates, variables, or both. It only ever grows; a node keeps the one that its
state was computed with.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol, TypeVar

from craton.engines.steps import Step
from craton.logic import Term
from craton.program.cfa import Location
from craton.traces.refutation import Refutation

S = TypeVar("S")  # states
P = TypeVar("P")  # precisions
_S = TypeVar("_S", contravariant=True)


class Search(enum.Enum):
    """Which state comes next: the oldest, the newest, or the one that may be on the shortest path to an error."""

    BFS = "bfs"
    DFS = "dfs"
    WEIGHTED = "weighted"


class Laziness(enum.Enum):
    """LAZY keeps the graph except for what is below the first node that lacked something; RESTART, as in [RS] 7, keeps
    only the precision.
    """

    LAZY = "lazy"
    RESTART = "restart"


class Cover(Protocol[_S]):
    """A set of states at a location, all of which have successors of their own."""

    def add(self, state: _S) -> None: ...

    def remove(self, state: _S) -> None: ...

    def covers(self, state: _S) -> bool:
        """Whether the state implies the disjunction of those in the set, as far as this is easily seen."""
        ...

    def is_redundant(self, state: _S) -> bool:
        """Whether a state in the set implies another one of it."""
        ...

    def formula(self) -> Term:
        """The disjunction of the states."""
        ...

    def unquantified(self) -> Term:
        """A formula that it implies, without quantified predicates: those are hard for proof checkers."""
        ...


class Domain(Protocol[S, P]):
    @property
    def name(self) -> str:
        """As the subject of a sentence."""
        ...

    @property
    def start(self) -> tuple[S, P]:
        """The state that knows nothing, and the precision that tracks nothing."""
        ...

    def __len__(self) -> int:
        """How much is tracked."""
        ...

    def cover(self) -> Cover[S]:
        """An empty set of states."""
        ...

    def precision(self, location: Location) -> P:
        """What is tracked there by now."""
        ...

    def successor(self, before: S, step: Step, tracked: P, precision: P) -> S | None:
        """The state after a step, over `precision`; None if there is none. `before` is over `tracked`."""
        ...

    def refine(self, locations: Sequence[Location], tracked: Sequence[P], refutation: Refutation) -> int | None:
        """Tracks what refutes a path. Returns its first position at which some of that was not `tracked`, if any."""
        ...

    def tracked(self, state: S, precision: P) -> tuple[Term, ...] | None:
        """What `Trace.tracked` says about a position; None if the domain cannot follow one path through blocks."""
        ...
