"""Random trees of clause instances."""

from __future__ import annotations

import random

from craton.horn.clauses import Predicate, System
from craton.trees.tree import Node, Tree


def random_tree(system: System, rng: random.Random, most: int = 12) -> Tree | None:
    """A tree of the system's clauses with at most so many nodes; None if the dice do not find one."""
    queries = system.queries
    if not queries:
        return None
    nodes: list[Node] = []

    def derive(number: int, room: int) -> int | None:
        """Post-order: the node of this clause, with trees for its body within so many nodes."""
        clause = system.clauses[number]
        room -= 1
        children: list[int] = []
        for atom in clause.body:
            choices = list(system.defining(atom.predicate))
            rng.shuffle(choices)
            before = len(nodes)
            choices.sort(key=lambda c: len(system.clauses[c].body) * rng.random() * (3 if room < 4 else 1))
            made = None if room <= 0 or not choices else derive(choices[0], max(room // len(clause.body), 1))
            if made is None:
                return None
            room -= len(nodes) - before
            children.append(made)
        nodes.append(Node(number, tuple(children)))
        return len(nodes) - 1

    found = derive(rng.choice(queries), most)
    return None if found is None else Tree(system, tuple(nodes))


def is_linked(tree: Tree) -> bool:
    """Whether it is a tree: each node but the last is the child of one later node, and predicates fit."""
    used = [child for node in tree.nodes for child in node.children]
    fits = all(
        _head(tree, child) == atom.predicate and child < number
        for number, node in enumerate(tree.nodes)
        for child, atom in zip(node.children, tree.clause(number).body, strict=True)
    )
    return sorted(used) == list(range(len(tree) - 1)) and fits and tree.clause(len(tree) - 1).is_query


def _head(tree: Tree, number: int) -> Predicate | None:
    head = tree.clause(number).head
    return None if head is None else head.predicate
