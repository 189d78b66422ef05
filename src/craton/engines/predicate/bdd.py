"""Reduced ordered binary decision diagrams (Bryant 1986): Boolean functions of predicates, each stored once.

A diagram is a number, so equality is equality of numbers and implication needs no solver. Why not the package `dd`: the
abstractions of this engine are small and made one at a time, but importing `dd` took 0.27 s, half the time of a whole
run on a small program, most of it for a graph library that it needs for drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import TypeVar

R = TypeVar("R")
Bdd = int  # the number of a diagram in its table

NO: Bdd = 0
YES: Bdd = 1
_LEAF = 1 << 60  # the level of leaves, below all variables


class Bdds:
    """A table of diagrams over variables 0, 1, 2, …, in this order from the root. Nothing recurses on a diagram."""

    def __init__(self) -> None:
        self._level = [_LEAF, _LEAF]
        self._low = [NO, YES]  # where the variable is false
        self._high = [NO, YES]
        self._numbers: dict[tuple[int, Bdd, Bdd], Bdd] = {}
        self._choices: dict[tuple[Bdd, Bdd, Bdd], Bdd] = {}
        self._supports: dict[Bdd, frozenset[int]] = {}
        self._forced: dict[Bdd, Mapping[int, bool]] = {}
        self._cubes: dict[Bdd, bool] = {}

    def __len__(self) -> int:
        return len(self._level)

    def variable(self, level: int) -> Bdd:
        return self._node(level, NO, YES)

    def literal(self, level: int, positive: bool) -> Bdd:
        return self._node(level, NO, YES) if positive else self._node(level, YES, NO)

    def cube(self, literals: Mapping[int, bool]) -> Bdd:
        """The conjunction of literals."""
        made = YES
        for level in sorted(literals, reverse=True):
            made = self._node(level, NO, made) if literals[level] else self._node(level, made, NO)
        return made

    def disjunction_of(self, cubes: Iterable[Mapping[int, bool]]) -> Bdd:
        return reduce(self.disjunction, map(self.cube, cubes), NO)

    def negation(self, f: Bdd) -> Bdd:
        return self.choice(f, NO, YES)

    def conjunction(self, f: Bdd, g: Bdd) -> Bdd:
        return self.choice(f, g, NO) if f < g else self.choice(g, f, NO)

    def disjunction(self, f: Bdd, g: Bdd) -> Bdd:
        return self.choice(f, YES, g) if f < g else self.choice(g, YES, f)

    def implies(self, f: Bdd, g: Bdd) -> bool:
        return f in (NO, g) or g == YES or self.choice(f, g, YES) == YES

    def choice(self, f: Bdd, g: Bdd, h: Bdd) -> Bdd:
        """If f then g else h."""
        choices = self._choices
        levels, lows, highs = self._level, self._low, self._high
        root = (f, g, h)
        found = _obvious(f, g, h)
        if found is None:
            found = choices.get(root)
        if found is not None:
            return found
        stack = [root]
        while stack:
            key = stack[-1]
            if key in choices:
                stack.pop()
                continue
            f, g, h = key
            level = min(levels[f], levels[g], levels[h])
            f0, f1 = (lows[f], highs[f]) if levels[f] == level else (f, f)
            g0, g1 = (lows[g], highs[g]) if levels[g] == level else (g, g)
            h0, h1 = (lows[h], highs[h]) if levels[h] == level else (h, h)
            low = _obvious(f0, g0, h0)
            if low is None:
                low = choices.get((f0, g0, h0))
                if low is None:
                    stack.append((f0, g0, h0))
            high = _obvious(f1, g1, h1)
            if high is None:
                high = choices.get((f1, g1, h1))
                if high is None:
                    stack.append((f1, g1, h1))
            if low is not None and high is not None:
                stack.pop()
                choices[key] = self._node(level, low, high)
        return choices[root]

    def without(self, f: Bdd, levels: Iterable[int]) -> Bdd:
        """∃ these variables. f"""
        gone = frozenset(levels)

        def visit(level: int, low: Bdd, high: Bdd) -> Bdd:
            return self.disjunction(low, high) if level in gone else self._node(level, low, high)

        # Quantified nodes are only below nodes of smaller level, so rebuilding keeps the order.
        return self.fold(f, NO, YES, visit)

    def fold(self, f: Bdd, no: R, yes: R, visit: Callable[[int, R, R], R], memo: dict[Bdd, R] | None = None) -> R:
        """Bottom-up: `visit(level, result of low, result of high)`. Pass a `memo` to keep results across calls."""
        memo = {} if memo is None else memo
        memo[NO], memo[YES] = no, yes
        stack = [f]
        while stack:
            node = stack[-1]
            if node in memo:
                stack.pop()
                continue
            low, high = self._low[node], self._high[node]
            missing = [part for part in (high, low) if part not in memo]
            if missing:
                stack.extend(missing)
            else:
                stack.pop()
                memo[node] = visit(self._level[node], memo[low], memo[high])
        return memo[f]

    def support(self, f: Bdd) -> frozenset[int]:
        """The variables on which f depends."""
        known = self._supports.get(f)
        if known is not None:
            return known
        found: set[int] = set()
        seen = {NO, YES}
        stack = [f]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                found.add(self._level[node])
                stack += (self._low[node], self._high[node])
        self._supports[f] = frozenset(found)
        return self._supports[f]

    def holds(self, f: Bdd, value: Callable[[int], bool | None]) -> bool:
        """Whether f is true for these values of its variables; not if one of them that matters is unknown."""
        while f > YES:
            known = value(self._level[f])
            if known is None:
                return False
            f = self._high[f] if known else self._low[f]
        return f == YES

    def forced(self, f: Bdd) -> Mapping[int, bool]:
        """The literals that f implies, for f other than NO."""
        found = self._forced.get(f)
        if found is None:
            found = self._literals(f)
        if found is None:
            found = {
                level: self.implies(f, self.variable(level))
                for level in self.support(f)
                if self.implies(f, self.literal(level, True)) or self.implies(f, self.literal(level, False))
            }
        self._forced[f] = found
        return found

    def is_cube(self, f: Bdd) -> bool:
        """Whether f is a conjunction of literals."""
        found = self._cubes.get(f)
        if found is None:
            found = self._cubes[f] = self._literals(f) is not None
        return found

    def _literals(self, f: Bdd) -> Mapping[int, bool] | None:
        """The literals of a cube; None for what is none."""
        found = {}
        while f > YES:
            low, high = self._low[f], self._high[f]
            if NO not in (low, high):
                return None
            found[self._level[f]] = low == NO
            f = high if low == NO else low
        return found if f == YES else None

    def _node(self, level: int, low: Bdd, high: Bdd) -> Bdd:
        if low == high:
            return low
        key = (level, low, high)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._level)
            self._level.append(level)
            self._low.append(low)
            self._high.append(high)
        return number


def _obvious(f: Bdd, g: Bdd, h: Bdd) -> Bdd | None:
    if f == YES or g == h:
        return g
    if f == NO:
        return h
    if g == YES and h == NO:
        return f
    return None
