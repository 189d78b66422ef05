"""Groups of predicates that are related along a step: by common symbols, directly or through other predicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.logic import Function, Term, free_variables, functions
from craton.program.analysis.union_find import UnionFind

Symbols = frozenset[Term | Function]


def symbols(formula: Term) -> Symbols:
    """Variables and functions: through axioms, formulas can be related by a common function alone."""
    return frozenset((*free_variables(formula), *functions(formula)))


@dataclass(frozen=True, slots=True)
class Group:
    """Predicates of the state before and of the state after, and the symbols they mention (values before the step,
    and the step's inputs).
    """

    before: frozenset[int]
    after: frozenset[int]
    symbols: Symbols


@dataclass(frozen=True, slots=True)
class Grouping:
    groups: tuple[Group, ...]  # those that the step changes or constrains
    kept: frozenset[int]  # the predicates that the step leaves unchanged


def group(guards: Sequence[Symbols], predicates: Sequence[Group], staying: frozenset[int]) -> Grouping:
    """Law: groups have no symbols in common, and neither a conjunct of the guard nor a predicate outside `staying`
    shares a symbol with the kept predicates.
    """
    conditions = [Group(frozenset(), frozenset(), condition) for condition in guards]
    active = frozenset[Term | Function]().union(*guards)
    groups = _components((*conditions, *predicates))
    changing = [g for g in groups if not g.symbols.isdisjoint(active) or not g.after <= staying]
    changed = frozenset[int]().union(*(g.after for g in changing))
    kept = frozenset[int]().union(*(g.after for g in groups)) - changed
    asking = [g for g in changing if g.after]
    # Guards that no predicate depends on still decide whether the step can be taken: one query for all of them.
    silent = [g for g in changing if not g.after]
    if silent:
        asking.append(_union(silent))
    return Grouping(tuple(asking), kept)


def _components(parts: Sequence[Group]) -> list[Group]:
    """Connected components, in order of their first member."""
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
