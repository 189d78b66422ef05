"""Trees: their formulas say what counting says, and share results only."""

from __future__ import annotations

import random

import pytest

from craton.evidence.systems import check_derivation
from craton.horn.derivations import Derivation
from craton.horn.grounding import grounded
from craton.horn.preprocessing import preprocessed
from craton.logic import Model, free_variables
from craton.trees.feasibility import facts_of, feasible
from craton.trees.tree import Tree
from support.clauses import random_system
from support.trees import is_linked, random_tree


def trees(seeds: range) -> list[Tree]:
    found = []
    for seed in seeds:
        rng = random.Random(seed)
        tree = random_tree(random_system(seed), rng)
        if tree is not None:
            assert is_linked(tree)
            found.append(tree)
    return found


def test_a_node_shares_with_its_parent_nothing_but_its_result() -> None:
    for tree in trees(range(150)):
        for number, parent in enumerate(tree.parents):
            if parent is None:
                continue
            below = frozenset[object]().union(*(free_variables(tree.by_node[i]) for i in subtree(tree, number)))
            above = frozenset[object]().union(
                *(free_variables(f) for i, f in enumerate(tree.by_node) if i not in subtree(tree, number))
            )
            assert below & above <= frozenset(tree.results[number])


def subtree(tree: Tree, number: int) -> set[int]:
    return {number}.union(*(subtree(tree, child) for child in tree.nodes[number].children))


def test_feasible_trees_are_derivations() -> None:
    feasible_ones = 0
    for tree in trees(range(150)):
        model = feasible(tree)
        if isinstance(model, Model):
            feasible_ones += 1
            found = preprocessed(tree.system, inline=False)
            if found.system.clauses == tree.system.clauses:
                derivation = grounded(found, facts_of(tree, model))
                assert isinstance(derivation, Derivation)
                assert check_derivation(tree.system, derivation) == ""
    assert feasible_ones > 10


@pytest.mark.parametrize("seed", range(3))
def test_a_path_is_a_tree_without_branching(seed: int) -> None:
    linear = [t for s in range(60) if (t := random_tree(random_system(s, most_atoms=1), random.Random(seed)))]
    assert linear and all(tree.is_path for tree in linear)
