"""Exploring interpolants on trees ([EI]): a tree that forgets, where predicates recur, all but the values of terms.

Forgetting is a clause, p(y) ← p(x) ∧ t(x) = t(y) for the templates t, so a forgetful tree is a tree, and any refiner
can be guided. Templates belong to predicates, and the frontier is that of `traces.lattice`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from craton.horn.clauses import Clause, Predicate, System
from craton.logic import Term, and_, eq, substitute, var
from craton.smt import Sat, Solver, Undecided
from craton.traces.exploration import Frontier, Template, Templates, explored
from craton.traces.lattice import CHANGED_COST, COUNTER_COST, KEPT_COST, pairs
from craton.trees.tree import Node, Tree
from craton.trees.uses import Change, changes_of

COSTS = {Change.KEPT: KEPT_COST, Change.CHANGED: CHANGED_COST, Change.COUNTED: COUNTER_COST}


def points_of(tree: Tree) -> tuple[int, ...]:
    """The nodes where a tree can forget: those of predicates that it derives more than once, the root's aside."""
    passed = Counter(_predicate(tree, number) for number in range(len(tree)))
    found = []
    for number in range(len(tree)):
        predicate = _predicate(tree, number)
        if predicate is not None and predicate.sorts and passed[predicate] > 1:
            found.append(number)
    return tuple(found)


def _predicate(tree: Tree, number: int) -> Predicate | None:
    head = tree.clause(number).head
    return None if head is None else head.predicate


# --- templates --------------------------------------------------------------------------------------------------------


def templates_of(tree: Tree, points: Sequence[int]) -> Templates:
    """Every parameter, and sums and differences of those that recursion changes; cheapest first ([EI] VII-B)."""
    found: list[Template] = []
    clauses = [tree.system.clauses[number] for number in dict.fromkeys(node.clause for node in tree.nodes)]
    for predicate in dict.fromkeys(_predicate(tree, number) for number in points):
        assert predicate is not None
        changes = changes_of(clauses, predicate)
        for place, parameter in enumerate(predicate.parameters):
            cost = COSTS[changes[place]]
            found.append(Template(predicate, parameter, {parameter: 1}, cost))
        found += pairs(predicate, [p for place, p in enumerate(predicate.parameters) if changes[place]])
    return tuple(sorted(found, key=lambda template: template.cost))


# --- exploration ------------------------------------------------------------------------------------------------------


def frontier(
    tree: Tree, points: Sequence[int], templates: Templates, solver: Solver, seconds: float | None
) -> Frontier | Sat | Undecided:
    """The sets of templates whose values suffice to keep the tree infeasible: the frontier of [EI] VI-B."""
    again = {v: var(f"{v.name} again", v.sort) for number in points for v in tree.results[number]}
    kept: dict[Template, list[Term]] = {template: [] for template in templates}
    for number in range(len(tree)):
        inside = {v: again[v] for child in tree.nodes[number].children for v in tree.results[child] if v in again}
        solver.add(substitute(tree.formulas[number], inside))
    for number in points:
        for template in templates:
            if template.location == _predicate(tree, number):
                before = tree.indexed(number, template.term)
                kept[template].append(eq(before, substitute(before, again)))
    return explored(kept, solver, seconds)


# --- forgetful trees --------------------------------------------------------------------------------------------------


def forgetful(tree: Tree, points: Sequence[int], chosen: Templates) -> tuple[Tree, tuple[int, ...]]:
    """The tree that forgets twice at each point, and where the nodes of the original are in it: the assertion between
    the two speaks of the templates only.
    """
    clauses = list(tree.system.clauses)
    numbers: dict[Predicate, int] = {}
    for number in points:
        predicate = _predicate(tree, number)
        assert predicate is not None
        if predicate not in numbers:
            numbers[predicate] = len(clauses)
            clauses.append(_forgetting(predicate, [t.term for t in chosen if t.location == predicate]))
    nodes: list[Node] = []
    ends: list[int] = []  # of each node of the original: what its parent takes
    places: list[int] = []
    for number, node in enumerate(tree.nodes):
        nodes.append(Node(node.clause, tuple(ends[child] for child in node.children)))
        places.append(len(nodes) - 1)
        predicate = _predicate(tree, number)
        if number in points and predicate is not None:
            nodes += [Node(numbers[predicate], (len(nodes) - 1,)), Node(numbers[predicate], (len(nodes),))]
            places[-1] = len(nodes) - 2
        ends.append(len(nodes) - 1)
    system = System(tuple(clauses), tree.system.file)
    return Tree(system, tuple(nodes)), tuple(places)


def _forgetting(predicate: Predicate, remembered: Sequence[Term]) -> Clause:
    old = {p: var(f"{p.name} before", p.sort) for p in predicate.parameters}
    new: Mapping[Term, Term] = {p: var(f"{p.name} after", p.sort) for p in predicate.parameters}
    constraint = and_(*(eq(substitute(term, old), substitute(term, new)) for term in remembered))
    return Clause(predicate(*new.values()), (predicate(*old.values()),), constraint)
