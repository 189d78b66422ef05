"""The law of trees: what a refutation of a tree of clause instances has to satisfy.

A refutation has one assertion for each node, in the tree's order, over the parameters of the node's predicate:
constraint ∧ A[children] ⇒ A[node], and A[root] = false. It is a `Refutation` as of traces.
"""

from __future__ import annotations

from craton.logic import FALSE, free_variables, implies
from craton.smt import Solver
from craton.traces.refutation import Answer, Feasible, GaveUp, Refutation
from craton.trees.tree import Tree, condition

__all__ = ["Answer", "Feasible", "GaveUp", "Refutation", "form_violation", "law_violation"]


def form_violation(tree: Tree, refutation: Refutation) -> str:
    """What is wrong with the form of a refutation; "" if nothing is."""
    assertions = refutation.assertions
    if len(assertions) != len(tree):
        return f"{len(assertions)} assertions for {len(tree)} nodes"
    if assertions[-1] is not FALSE:
        return "the root's assertion is not false"
    for number, assertion in enumerate(assertions):
        head = tree.clause(number).head
        foreign = free_variables(assertion).difference(() if head is None else head.predicate.parameters)
        if foreign:
            return f"the assertion of node {number + 1} speaks of {next(iter(foreign))}"
    return ""


def law_violation(tree: Tree, refutation: Refutation, checker: Solver, time_limit: float | None = None) -> str:
    """What `checker` finds wrong with a refutation of a tree; "" if nothing."""
    problem = form_violation(tree, refutation)
    if problem:
        return problem
    for number in range(len(tree)):
        premise, conclusion = condition(tree, number, refutation.assertions)
        valid = checker.is_valid(implies(premise, conclusion), time_limit)
        if valid is not True:
            found = "does not hold" if valid is False else "is undecided"
            return f"node {number + 1} {found}: {premise} ⇒ {conclusion}"
    return ""
