"""The abstract reachability graph: a tree of abstract states, some of which are covered by others.

A state is covered if it implies the disjunction of the uncovered states at its location: then it needs no successors.
Law, when no state is waiting: at every location, the disjunction of the uncovered states is an invariant.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic

from craton.engines.reachability.domain import Cover, Domain, P, S, Search
from craton.engines.steps import Step
from craton.program.cfa import Location


@dataclass(eq=False, slots=True)
class Node(Generic[S, P]):
    number: int
    location: Location
    state: S
    precision: P  # what was tracked when the state was computed
    parent: Node[S, P] | None = None
    step: Step | None = None  # from the parent
    depth: int = 0
    children: dict[Step, Node[S, P]] = field(default_factory=dict)
    done: set[Step] = field(default_factory=set)  # steps whose successor is in the graph, or is known not to exist
    covered: bool = False
    waiting: bool = False
    removed: bool = False

    @property
    def path(self) -> list[Node[S, P]]:
        """From the root."""
        found = [self]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]


class Arg(Generic[S, P]):
    def __init__(self, domain: Domain[S, P], entry: Location, search: Search, distance: Mapping[Location, int]) -> None:
        self._domain = domain
        self._search = search
        self._distance = distance
        self._uncovered: dict[Location, Cover[S]] = {}
        self._covered: dict[Location, dict[Node[S, P], None]] = {}
        self._queue: list[tuple[int, int, Node[S, P]]] = []
        self._made = 0
        self._size = 0
        self._add(Node(0, entry, *domain.start))

    def __len__(self) -> int:
        return self._size

    def next(self) -> Node[S, P] | None:
        """A state whose successors are to be computed; None when there is none left."""
        while self._queue:
            node = heapq.heappop(self._queue)[-1]
            if node.removed or not node.waiting:
                continue
            node.waiting = False
            # Later states may cover it by now; a state with successors stays, since they depend on it.
            if not node.children and self.uncovered(node.location).is_redundant(node.state):
                self._cover(node)
            else:
                return node
        return None

    def grow(self, parent: Node[S, P], step: Step, state: S, precision: P) -> Node[S, P]:
        self._made += 1
        node = Node(self._made, step.edge.target, state, precision, parent, step, parent.depth + 1)
        parent.children[step] = node
        return self._add(node)

    def wait(self, node: Node[S, P]) -> None:
        """Queues the node, for `next` to return it."""
        if not node.waiting:
            node.waiting = True
            heapq.heappush(self._queue, (self._weight(node), node.number, node))

    def cut(self, pivot: Node[S, P]) -> None:
        """Removes a node and everything below it. What they covered is no longer covered, and the parent's successor
        has to be computed again.
        """
        parent, step = pivot.parent, pivot.step
        assert parent is not None, "the root is never cut"
        assert step is not None
        del parent.children[step]
        parent.done.discard(step)
        self.wait(parent)
        uncovering: dict[Location, None] = {}
        stack = [pivot]
        while stack:
            node = stack.pop()
            node.removed = True
            self._size -= 1
            stack.extend(node.children.values())
            if node.covered:
                del self._covered[node.location][node]
            else:
                self.uncovered(node.location).remove(node.state)
                uncovering[node.location] = None
        for location in uncovering:
            self._uncover(location)

    def uncovered(self, location: Location) -> Cover[S]:
        """The uncovered states at the location."""
        found = self._uncovered.get(location)
        if found is None:
            found = self._uncovered[location] = self._domain.cover()
        return found

    # --- covering ---

    def _add(self, node: Node[S, P]) -> Node[S, P]:
        self._size += 1
        if self.uncovered(node.location).covers(node.state):
            node.covered = True
            self._covered.setdefault(node.location, {})[node] = None
        else:
            self._insert(node)
        return node

    def _insert(self, node: Node[S, P]) -> None:
        self.uncovered(node.location).add(node.state)
        self.wait(node)

    def _cover(self, node: Node[S, P]) -> None:
        node.covered = True
        self.uncovered(node.location).remove(node.state)
        self._covered.setdefault(node.location, {})[node] = None

    def _uncover(self, location: Location) -> None:
        """Queues the nodes that are no longer covered."""
        for node in list(self._covered.get(location, ())):
            if not self.uncovered(location).covers(node.state):
                del self._covered[location][node]
                node.covered = False
                self._insert(node)

    def _weight(self, node: Node[S, P]) -> int:
        match self._search:
            case Search.BFS:
                return node.depth
            case Search.DFS:
                return -node.depth
            case Search.WEIGHTED:
                return node.depth + self._distance.get(node.location, 0)  # only the entry may be far from all errors
