"""Disjoint sets (union-find): what belongs together, as it becomes known pair by pair."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnionFind(Generic[T]):
    """A partition that only ever gets coarser. An item that was never joined is alone.

    Law: after `join(a, b)` all that was with a or with b has the representative that a had before: the caller decides
    who speaks for both, so that nothing depends on the order of a set.
    """

    def __init__(self) -> None:
        self._above: dict[T, T] = {}

    def find(self, item: T) -> T:
        """The representative of the item's set."""
        above = self._above
        while item in above:
            parent = above[item]
            if parent in above:
                above[item] = parent = above[parent]  # half the way for those who come later
            item = parent
        return item

    def join(self, a: T, b: T) -> None:
        first, second = self.find(a), self.find(b)
        if first != second:
            self._above[second] = first

    def groups(self, items: Iterable[T]) -> list[list[T]]:
        """The items by set, in the order of each set's first one."""
        found: dict[T, list[T]] = {}
        for item in items:
            found.setdefault(self.find(item), []).append(item)
        return list(found.values())
