"""The facts of a tree that derives false: a model of its formula gives every node its own."""

from __future__ import annotations

from craton.horn.derivations import Fact
from craton.horn.grounding import Inference
from craton.logic import Model
from craton.traces.feasibility import Infeasible, NotDecided, feasible
from craton.trees.tree import Tree


def inferences_of(tree: Tree, seconds: float | None = None) -> tuple[Inference, ...] | str:
    """The facts of a tree that derives false; or why there are none."""
    found = feasible(tree, seconds)
    if isinstance(found, NotDecided):
        return f"whether the tree derives false is not decided: {found.reason}"
    return "the tree does not derive false" if isinstance(found, Infeasible) else facts_of(tree, found.model)


def facts_of(tree: Tree, model: Model) -> tuple[Inference, ...]:
    """What the nodes derive under a model of the tree's formula. Nodes that derive the same of the same are one."""
    made: list[Inference] = []
    known: dict[object, int] = {}
    numbers: list[int] = []
    for number, node in enumerate(tree.nodes):
        head = tree.clause(number).head
        fact = None if head is None else Fact(head.predicate, tuple(model[v] for v in tree.results[number]))
        inference = Inference(fact, tuple(numbers[child] for child in node.children), node.clause)
        key = (str(fact), inference.premises, inference.clause)
        if key not in known:
            known[key] = len(made)
            made.append(inference)
        numbers.append(known[key])
    return tuple(made)
