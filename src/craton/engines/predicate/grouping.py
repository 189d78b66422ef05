"""Predicates that have to do with each other along a step: through common symbols, directly or by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.logic import Function, Term, free_variables, functions
from craton.program.analysis.union_find import UnionFind

Symbols = frozenset[Term | Function]


def symbols(formula: Term) -> Symbols:
    """Variables and functions: axioms relate formulas that have a function in common only."""
    return frozenset((*free_variables(formula), *functions(formula)))


@dataclass(frozen=True, slots=True)
class Group:
    """Predicates of the state before and of the state after, and the symbols they speak about (values before the step,
    and what it chooses).
    """

    before: frozenset[int]
    after: frozenset[int]
    symbols: Symbols


@dataclass(frozen=True, slots=True)
class Grouping:
    groups: tuple[Group, ...]  # which the step changes or learns about
    kept: frozenset[int]  # the predicates after the step that are what they were before


def group(guards: Sequence[Symbols], predicates: Sequence[Group], staying: frozenset[int]) -> Grouping:
    """Law: groups have no symbols in common, and neither a conjunct of the guard nor a predicate outside of `staying`
    has one with those that are kept.
    """
    conditions = [Group(frozenset(), frozenset(), condition) for condition in guards]
    active = frozenset[Term | Function]().union(*guards)
    groups = _components((*conditions, *predicates))
    changing = [g for g in groups if not g.symbols.isdisjoint(active) or not g.after <= staying]
    changed = frozenset[int]().union(*(g.after for g in changing))
    kept = frozenset[int]().union(*(g.after for g in groups)) - changed
    asking = [g for g in changing if g.after]
    # What no predicate of interest depends on still decides whether the step can be taken: one question for all of it.
    silent = [g for g in changing if not g.after]
    if silent:
        asking.append(_union(silent))
    return Grouping(tuple(asking), kept)


def _components(parts: Sequence[Group]) -> list[Group]:
    """In order of the first member."""
    first: dict[Term | Function, int] = {}  # symbol → number of the first part with it
    together = UnionFind[int]()
    for number, part in enumerate(parts):
        for symbol in part.symbols:
            together.join(first.setdefault(symbol, number), number)
    return [_union([parts[number] for number in group]) for group in together.groups(range(len(parts)))]


def _union(groups: Sequence[Group]) -> Group:
    return Group(
        frozenset[int]().union(*(g.before for g in groups)),
        frozenset[int]().union(*(g.after for g in groups)),
        frozenset[Term | Function]().union(*(g.symbols for g in groups)),
    )
