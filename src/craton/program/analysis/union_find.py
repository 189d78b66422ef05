"""Disjoint sets (union-find): equivalence classes, built pair by pair."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnionFind(Generic[T]):
    """A partition that only gets coarser. An item that was never joined is alone.

    Law: after `join(a, b)` everything in the sets of a and b has the representative that a had before: the caller
    decides on the representative, so that nothing depends on the order of a set.
    """

    def __init__(self) -> None:
        self._above: dict[T, T] = {}

    def find(self, item: T) -> T:
        """The representative of the item's set."""
        above = self._above
        while item in above:
            parent = above[item]
            if parent in above:
                above[item] = parent = above[parent]  # path halving, for later look-ups
            item = parent
        return item

    def join(self, a: T, b: T) -> None:
        first, second = self.find(a), self.find(b)
        if first != second:
            self._above[second] = first

    def groups(self, items: Iterable[T]) -> list[list[T]]:
        """The items grouped by set, in the order of each set's first item."""
        found: dict[T, list[T]] = {}
        for item in items:
            found.setdefault(self.find(item), []).append(item)
        return list(found.values())
