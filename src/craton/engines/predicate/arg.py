"""The abstract reachability graph: a tree of abstract states, some of which are covered by others.

A state is covered if it implies the disjunction of the uncovered states at its location: then it needs no successors.
Law, when no state is waiting: at every location, the disjunction of the uncovered states is an invariant.
"""

from __future__ import annotations

import enum
import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field

from craton.engines.predicate.bdd import NO, YES, Bdd, Bdds
from craton.engines.steps import Step
from craton.program.cfa import Location


class Search(enum.Enum):
    """Which state comes next: the oldest, the newest, or the one that may be on the shortest path to an error."""

    BFS = "bfs"
    DFS = "dfs"
    WEIGHTED = "weighted"


@dataclass(eq=False, slots=True)
class Node:
    number: int
    location: Location
    state: Bdd
    precision: frozenset[int]  # the predicates that were tracked when the state was computed
    parent: Node | None = None
    step: Step | None = None  # from the parent
    depth: int = 0
    children: dict[Step, Node] = field(default_factory=dict)
    done: set[Step] = field(default_factory=set)  # steps whose successor is in the graph, or is known not to exist
    covered: bool = False
    waiting: bool = False
    removed: bool = False


class Arg:
    def __init__(self, bdds: Bdds, entry: Location, search: Search, distance: Mapping[Location, int]) -> None:
        self._bdds = bdds
        self._search = search
        self._distance = distance
        self._uncovered: dict[Location, dict[Node, None]] = {}
        self._covered: dict[Location, dict[Node, None]] = {}
        self._known: dict[Location, Bdd] = {}  # the disjunction of the uncovered states, unless out of date
        self._queue: list[tuple[int, int, Node]] = []
        self._made = 0
        self._size = 0
        self.root = self._add(Node(0, entry, YES, frozenset()))

    def __len__(self) -> int:
        return self._size

    def next(self) -> Node | None:
        """A state whose successors are to be computed; None when there is none left."""
        while self._queue:
            node = heapq.heappop(self._queue)[-1]
            if node.removed or not node.waiting:
                continue
            node.waiting = False
            # Later states may cover it by now; a state with successors stays, since they depend on it.
            if not node.children and self._is_covered_by_another(node):
                self._cover(node)
            else:
                return node
        return None

    def grow(self, parent: Node, step: Step, state: Bdd, precision: frozenset[int]) -> Node:
        self._made += 1
        node = Node(self._made, step.edge.target, state, precision, parent, step, parent.depth + 1)
        parent.children[step] = node
        return self._add(node)

    def wait(self, node: Node) -> None:
        """Queues the node, for `next` to return it."""
        if not node.waiting:
            node.waiting = True
            heapq.heappush(self._queue, (self._weight(node), node.number, node))

    def cut(self, pivot: Node) -> None:
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
                del self._uncovered[node.location][node]
                self._known.pop(node.location, None)
                uncovering[node.location] = None
        for location in uncovering:
            self._uncover(location)

    def invariant(self, location: Location) -> Bdd:
        """The disjunction of the uncovered states at the location."""
        found = self._known.get(location)
        if found is None:
            found = NO
            for node in self._uncovered.get(location, ()):
                found = self._bdds.disjunction(found, node.state)
            self._known[location] = found
        return found

    def path(self, node: Node) -> list[Node]:
        """From the root."""
        found = [node]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]

    # --- covering ---

    def _add(self, node: Node) -> Node:
        self._size += 1
        if self._bdds.implies(node.state, self.invariant(node.location)):
            node.covered = True
            self._covered.setdefault(node.location, {})[node] = None
        else:
            self._insert(node)
        return node

    def _insert(self, node: Node) -> None:
        self._known[node.location] = self._bdds.disjunction(self.invariant(node.location), node.state)
        self._uncovered.setdefault(node.location, {})[node] = None
        self.wait(node)

    def _is_covered_by_another(self, node: Node) -> bool:
        others = self._uncovered[node.location]
        return any(other is not node and self._bdds.implies(node.state, other.state) for other in others)

    def _cover(self, node: Node) -> None:
        node.covered = True
        del self._uncovered[node.location][node]
        self._covered.setdefault(node.location, {})[node] = None

    def _uncover(self, location: Location) -> None:
        """Queues the nodes that are no longer covered."""
        for node in list(self._covered.get(location, ())):
            if not self._bdds.implies(node.state, self.invariant(location)):
                del self._covered[location][node]
                node.covered = False
                self._insert(node)

    def _weight(self, node: Node) -> int:
        match self._search:
            case Search.BFS:
                return node.depth
            case Search.DFS:
                return -node.depth
            case Search.WEIGHTED:
                return node.depth + self._distance[node.location]
