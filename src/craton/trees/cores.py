"""Infeasible cores of trees: which parts of which nodes make a tree infeasible. IT of [CN] 4, for trees.

A part that is not in the core is dropped: a constraint is not assumed, an argument that is handed on may be anything.
With `core=half` an equation may be kept in half. Late is near the root: leaves come first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from craton.logic import Term
from craton.smt import Sat, Solver, Undecided
from craton.traces.cores import Granularity, kept_parts, steps_of
from craton.traces.trace import by_step
from craton.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class TreeCore:
    """What each node says in the core, `true` outside of it; and the nodes in the core."""

    formulas: tuple[Term, ...]
    kept: frozenset[int]


def infeasible_core(
    tree: Tree,
    solver: Solver,
    granularity: Granularity | None,
    budget: float | None,
    time_limit: float | None,
    late: bool = False,
) -> TreeCore | Sat | Undecided:
    """See `traces.cores.infeasible_core`."""
    found = kept_parts(tree, solver, granularity, budget, time_limit, late)
    if not isinstance(found, tuple):
        return found
    return TreeCore(by_step([replace(kept.part, formula=kept.formula) for kept in found], len(tree)), steps_of(found))
