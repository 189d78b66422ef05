"""Derivations of false by a system's clauses, smallest first, and which of them are infeasible: the input of `craton
explain` for systems, as `traces.paths` is for programs.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from craton.horn.clauses import Predicate, System
from craton.horn.derivations import unfolded
from craton.traces.paths import Judged, judged
from craton.trees.tree import Node, Tree

_MOST_SHAPES = 50_000
_MOST_OF_A_PREDICATE = 500  # shapes, smallest first: combinations of them are many


def spurious_trees(system: System, unroll: int, count: int) -> Judged[Tree]:
    """Up to `count` infeasible derivations of false, and the answers for the others tried on the way."""
    return judged(derivations(system, unroll), rounds, unroll, count)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A derivation of a predicate, whatever its values: a clause, and shapes for the atoms of its body."""

    clause: int
    premises: tuple[_Shape, ...]
    size: int
    passed: Mapping[Predicate, int]  # how often a branch derives a predicate at most


def derivations(system: System, unroll: int) -> Iterator[Tree]:
    """Trees of clause instances that derive false, in which no branch derives a predicate more than `unroll` + 1 times.

    The search is by size. After a large number of shapes no more are made, since their number grows exponentially.
    """
    search = _Search(system, unroll)
    while (shape := search.next()) is not None:
        if system.clauses[shape.clause].head is None:
            yield Tree(system, tuple(Node(s.clause, below) for s, below in unfolded(shape, lambda s: s.premises)))
        else:
            search.use(shape)


class _Search:
    def __init__(self, system: System, unroll: int) -> None:
        self._clauses = system.clauses
        self._most_passed = unroll + 1
        self._useful = _useful(system)
        self._known: dict[Predicate, list[_Shape]] = {}
        self._waiting: list[tuple[int, int, _Shape]] = []
        self._made = 0
        self._users: dict[Predicate, list[tuple[int, int]]] = {}  # clause, and the place of the atom in its body
        for number, clause in enumerate(system.clauses):
            for place, atom in enumerate(clause.body):
                self._users.setdefault(atom.predicate, []).append((number, place))
            if not clause.body:
                self._push(number, ())

    def next(self) -> _Shape | None:
        """The smallest shape that was not looked at yet."""
        return heapq.heappop(self._waiting)[2] if self._waiting else None

    def use(self, shape: _Shape) -> None:
        """Makes the shapes that can be made with it and those before it."""
        head = self._clauses[shape.clause].head
        assert head is not None
        known = self._known.setdefault(head.predicate, [])
        if head.predicate in self._useful and len(known) < _MOST_OF_A_PREDICATE:
            known.append(shape)
            for number, place in self._users.get(head.predicate, ()):
                for premises in self._combinations(number, place, shape):
                    self._push(number, premises)

    def _push(self, clause: int, premises: tuple[_Shape, ...]) -> None:
        head = self._clauses[clause].head
        passed = _passed((p.passed for p in premises), None if head is None else head.predicate)
        if max(passed.values(), default=0) <= self._most_passed and self._made < _MOST_SHAPES:
            shape = _Shape(clause, premises, 1 + sum(premise.size for premise in premises), passed)
            heapq.heappush(self._waiting, (shape.size, self._made, shape))
            self._made += 1

    def _combinations(self, clause: int, place: int, new: _Shape) -> Iterator[tuple[_Shape, ...]]:
        """Premises of a clause, of which the one at a place is new, and the first that is."""
        choices = []
        for other, atom in enumerate(self._clauses[clause].body):
            known = self._known.get(atom.predicate, [])
            choices.append([new] if other == place else [s for s in known if s is not new] if other < place else known)
        return product(*choices)


def _passed(branches: Iterable[Mapping[Predicate, int]], derived: Predicate | None) -> dict[Predicate, int]:
    """How often a branch derives each predicate at most, with one more at its end."""
    found: dict[Predicate, int] = {}
    for branch in branches:
        for predicate, times in branch.items():
            found[predicate] = max(times, found.get(predicate, 0))
    if derived is not None:
        found[derived] = found.get(derived, 0) + 1
    return found


def _useful(system: System) -> frozenset[Predicate]:
    """The predicates from which false may follow."""
    found: set[Predicate] = set()
    waiting = list(system.queries)
    while waiting:
        for atom in system.clauses[waiting.pop()].body:
            if atom.predicate not in found:
                found.add(atom.predicate)
                waiting += system.defining(atom.predicate)
    return frozenset(found)


def rounds(tree: Tree) -> int:
    """How often a branch comes back to the predicate that it derives most often."""
    passed: list[dict[Predicate, int]] = []
    for number, node in enumerate(tree.nodes):
        head = tree.clause(number).head
        passed.append(_passed((passed[child] for child in node.children), None if head is None else head.predicate))
    return max(passed[-1].values(), default=1) - 1
