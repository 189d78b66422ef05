"""Lean assertions of trees: of what another refiner says at the nodes only what its proof needs (`traces.lean`).

From the root, each child keeps a minimal set of its conjuncts that, with its siblings' assertions, imply its parent's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from craton.logic import TRUE, Term, not_
from craton.traces.lean import Use
from craton.trees.tree import Tree, condition


def uses_of(tree: Tree) -> Iterator[Use]:
    """Where the assertions of a tree are used, parents first."""
    for number in reversed(range(len(tree))):
        for child, atom in zip(tree.nodes[number].children, tree.clause(number).body, strict=True):
            yield Use(child, partial(_goal, tree, number, child), atom.told)


def _goal(tree: Tree, number: int, child: int, assertions: Sequence[Term]) -> tuple[Term, ...]:
    """What the node's clause and the siblings of the child say, and that the node's assertion does not hold."""
    there = {number: assertions[number], **{other: assertions[other] for other in tree.nodes[number].children}}
    premise, conclusion = condition(tree, number, {**there, child: TRUE})
    return premise, not_(conclusion)
