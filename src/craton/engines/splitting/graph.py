"""The graph that is split: each node stands for those states at a location that satisfy its cube.

The nodes of a location always cover all its states. A node that leaves the search keeps the reason for the proof: a
node without incoming links has no reachable states; a node from which no error can be reached may have some, and so may
its successors, which leave with it or left before.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise

from craton.engines.contract import Budget
from craton.engines.splitting.slicing import NOTHING, Cube, Slicer, affirms, denies, literals
from craton.engines.steps import Step, make_steps
from craton.logic import FALSE, TRUE, Term, ite, not_
from craton.program.analysis.graphs import distances
from craton.program.cfa import Location, Program
from craton.traces.refutation import Quality, Refutation
from craton.traces.trace import Trace


class Fate(enum.Enum):
    SEARCHED = "may be on a path to an error"
    SPLIT = "replaced by its two parts"
    UNREACHABLE = "no link leads to it"
    HARMLESS = "no error can be reached from it"


@dataclass(eq=False, slots=True)
class Link:
    """A step from the states of one node to those of another; sliced once it is found infeasible."""

    source: Node
    step: Step
    target: Node
    checked: bool = False
    sliced: bool = False


@dataclass(eq=False, slots=True)
class Node:
    location: Location
    cube: Cube
    outgoing: dict[Link, None] = field(default_factory=dict)
    incoming: dict[Link, None] = field(default_factory=dict)
    fate: Fate = Fate.SEARCHED
    parts: tuple[Term, Node, Node] | None = None  # the assertion, where it holds, where it does not


class Graph:
    def __init__(self, program: Program, slicer: Slicer, budget: Budget) -> None:
        self._slicer = slicer
        self._budget = budget
        self._errors = program.errors
        self._program = program.main.edges
        self._made: list[Node] = []  # in order of creation: parts come after the node they replace
        self._searched: dict[Node, None] = {}
        self._distance: dict[Node, int] = {}  # lower bound on the number of links to an error
        self._whole: dict[Location, Node] = {}  # the initial node of each location
        self._start = self._unfold(program)
        self._prune()

    def _unfold(self, program: Program) -> Node:
        """One node for each location that control may reach; nothing follows an error."""
        main = program.main
        steps = {step.edge: step for step in make_steps(main.edges)}
        start = self._whole[main.entry] = self._node(main.entry, NOTHING)
        queue = deque([start])
        while queue:
            source = queue.popleft()
            if source.location in self._errors:
                continue
            for edge in main.outgoing(source.location):
                target = self._whole.get(edge.target)
                if target is None:
                    target = self._whole[edge.target] = self._node(edge.target, NOTHING)
                    queue.append(target)
                self._link(source, steps[edge], target)
        return start

    # --- searching ---

    def error_path(self) -> list[Link] | None:
        """A shortest path to an error on which every single link is feasible; None if there is none.

        Links are checked only when the search wants to follow them: most never are.
        """
        self._prune()
        if self._start not in self._distance:
            return None
        arrived: dict[Node, Link] = {}
        waiting: list[tuple[int, int, int, Link]] = []  # lower bound on path length, links so far, tie-breaker
        found = 0
        node, depth = self._start, 0
        while node.location not in self._errors:
            for link in node.outgoing:
                if link.target in self._distance:
                    found += 1
                    heappush(waiting, (depth + 1 + self._distance[link.target], -depth - 1, found, link))
            while True:
                self._budget.check()
                if not waiting:
                    self._prune()
                    return None
                _, so_far, _, link = heappop(waiting)
                if link.target is not self._start and link.target not in arrived and self._is_feasible(link):
                    break
            arrived[link.target] = link
            node, depth = link.target, -so_far
        return _path(node, arrived)

    def _is_feasible(self, link: Link) -> bool:
        if not link.checked:
            link.checked = True
            with self._budget.statistics.spending("slicing"):
                feasible = self._slicer.is_feasible(link.source.cube, link.step, link.target.cube)
            if not feasible:
                self._slice(link)
        return not link.sliced

    def trace(self, path: Sequence[Link]) -> Trace:
        return Trace(tuple(link.step.edge for link in path), self._program)

    # --- splitting ---

    def refute(self, path: Sequence[Link], refutation: Refutation) -> bool:
        """Splits all nodes that the trace of a path can reach by the assertions. False if the trace is still possible:
        then the assertions break their law.

        Progress by construction: no link of the trace leads from a node where one assertion holds to a node where the
        next does not (`learn`); the trace starts where `true` holds and would have to end where `false` holds. So the
        trace is gone, through all nodes and all parts they are later split into. A proving sequence also proves the
        loops of the path if all nodes of a location are split by all assertions made there.
        """
        steps = [link.step for link in path]
        assertions = refutation.assertions
        for step, (before, after) in zip(steps, pairwise(assertions), strict=True):
            self._slicer.learn(before, step, after)
        asserted: dict[Location, list[Term]] = {}
        if (refutation.quality or Quality.TRACE) >= Quality.PROVING:
            for step, assertion in zip(steps, assertions[1:], strict=True):
                asserted.setdefault(step.edge.target, []).append(assertion)
        here = [self._start]  # nodes that the trace may have reached and where the assertion holds
        for step, assertion in zip(steps, assertions[1:], strict=True):
            for node in dict.fromkeys(link.target for source in here for link in source.outgoing if link.step is step):
                self._split(node, (assertion, *asserted.get(step.edge.target, ())))
            here = self._after(here, step)
        return not here

    def _after(self, nodes: Iterable[Node], step: Step) -> list[Node]:
        """The nodes that the step may lead to, as far as is known without asking the solver."""
        found: dict[Node, None] = {}
        for node in _unsplit(nodes):
            for link in [link for link in node.outgoing if link.step is step]:
                if self._slicer.is_known_infeasible(link.source.cube, step, link.target.cube):
                    self._slice(link)
                else:
                    found[link.target] = None
        return list(found)

    def _split(self, node: Node, assertions: Sequence[Term]) -> None:
        parts = [node]
        for assertion in assertions:
            parts = [part for whole in parts for part in self._parts(whole, assertion)]

    def _parts(self, node: Node, assertion: Term) -> tuple[Node, ...]:
        """Replaces the node by a part where the assertion holds and a part where it does not."""
        if affirms(node.cube, assertion) or denies(node.cube, assertion):
            return (node,)
        cubes = node.cube | literals(assertion), node.cube | literals(not_(assertion))
        for cube, other in (cubes, cubes[::-1]):
            if not self._slicer.is_satisfiable(cube):
                node.cube = other  # the same states, described more precisely
                return (node,)
        holds, fails = (self._node(node.location, cube) for cube in cubes)
        node.parts = assertion, holds, fails
        for link in list(node.incoming):
            if link.source is not node:
                for part in (holds, fails):
                    self._link(link.source, link.step, part)
        for link in list(node.outgoing):
            for part in (holds, fails):
                for target in (holds, fails) if link.target is node else (link.target,):
                    self._link(part, link.step, target)
        self._leave(node, Fate.SPLIT)
        return holds, fails

    # --- nodes and links ---

    def _node(self, location: Location, cube: Cube) -> Node:
        node = Node(location, cube)
        self._made.append(node)
        self._searched[node] = None
        return node

    def _link(self, source: Node, step: Step, target: Node) -> None:
        if not self._slicer.is_known_infeasible(source.cube, step, target.cube):
            link = Link(source, step, target)
            source.outgoing[link] = None
            target.incoming[link] = None

    def _slice(self, link: Link) -> None:
        link.sliced = True
        del link.source.outgoing[link]
        del link.target.incoming[link]

    def _leave(self, node: Node, fate: Fate) -> None:
        node.fate = fate
        del self._searched[node]
        for link in {**node.outgoing, **node.incoming}:
            self._slice(link)

    def _prune(self) -> None:
        """Removes unreachable nodes, and nodes from which no error can be reached, from the search."""
        reachable = distances([self._start], lambda node: (link.target for link in node.outgoing))
        errors = [node for node in reachable if node.location in self._errors]
        self._distance = distances(errors, lambda node: (link.source for link in node.incoming))
        for node in list(self._searched):
            if node not in reachable:
                self._leave(node, Fate.UNREACHABLE)
            elif node not in self._distance:
                self._leave(node, Fate.HARMLESS)
        self._budget.statistics.states = len(self._searched)

    # --- the proof ---

    def invariants(self) -> Mapping[Location, Term]:
        """For each location, a formula for the states that may be reachable there."""
        formulas: dict[Node, Term] = {}
        for node in reversed(self._made):
            if node.parts is not None:
                assertion, holds, fails = node.parts
                formulas[node] = ite(assertion, formulas.pop(holds), formulas.pop(fails))
            else:
                formulas[node] = FALSE if node.fate is Fate.UNREACHABLE else TRUE
        found = {location: formulas[node] for location, node in self._whole.items()}
        return {location: formula for location, formula in found.items() if formula is not FALSE}


def _path(node: Node, arrived: Mapping[Node, Link]) -> list[Link]:
    links: list[Link] = []
    while node in arrived:
        links.append(arrived[node])
        node = links[-1].source
    return links[::-1]


def _unsplit(nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes, or the parts that replaced them."""
    waiting = list(nodes)[::-1]
    while waiting:
        node = waiting.pop()
        if node.parts is None:
            yield node
        else:
            _, holds, fails = node.parts
            waiting += (fails, holds)
