"""Infeasible cores of trees: which parts of which nodes make a tree infeasible. IT of [CN] 4, for trees.

A part that is not in the core is dropped: a constraint is not assumed, an argument that is handed on may be anything.
With conjunct-level cores an equation of numbers may be kept in half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.smt import Sat, Solver, Undecided, split_equalities
from craton.traces.cores import Granularity, chosen_core
from craton.trees.tree import Part, Tree


@dataclass(frozen=True, slots=True)
class TreeCore:
    """The parts that are kept, and the nodes they belong to."""

    parts: tuple[Part, ...]
    kept: frozenset[int]


def whole(tree: Tree) -> TreeCore:
    return TreeCore(tree.parts, frozenset(range(len(tree))))


def infeasible_core(
    tree: Tree,
    solver: Solver,
    granularity: Granularity,
    budget: float | None,
    time_limit: float | None,
    late: bool = False,
) -> TreeCore | Sat | Undecided:
    """See `traces.cores.infeasible_core`. Late is near the root: leaves come first in the tree's order."""
    question = (infeasible_core, solver.name, granularity, budget, late)
    known: TreeCore | None = tree.answers.get(question)
    if known is not None:
        return known
    members = _members(tree, granularity)
    candidates = [half.formula for half, _ in members]
    groups = [half.node for half, _ in members]
    found = chosen_core(candidates, groups, solver, budget, time_limit, late)
    if not isinstance(found, tuple):
        return found
    core = _core(tree, [members[i] for i in found], granularity)
    tree.answers[question] = core
    return core


def _members(tree: Tree, granularity: Granularity) -> list[tuple[Part, Part | None]]:
    """What the core is chosen from; halves of equations with the part that they are of."""
    if granularity is Granularity.STATEMENT:
        return [(Part(number, formula), None) for number, formula in enumerate(tree.by_node)]
    return [(Part(part.node, half), part) for part in tree.parts for half in split_equalities(part.formula)]


def _core(tree: Tree, chosen: Sequence[tuple[Part, Part | None]], granularity: Granularity) -> TreeCore:
    kept = frozenset(half.node for half, _ in chosen)
    if granularity is Granularity.STATEMENT:
        return TreeCore(tuple(part for part in tree.parts if part.node in kept), kept)
    parts: dict[Part, None] = {}
    for half, part in chosen:
        assert part is not None
        all_chosen = sum(other is part for _, other in chosen) == len(split_equalities(part.formula))
        parts[part if all_chosen else half] = None
    return TreeCore(tuple(sorted(parts, key=lambda p: p.node)), kept)
