"""How much a refutation of a tree proves: of the tree alone, or of all derivations by its clauses ([CN] 7.1 for trees).

The clauses of the tree are a system of their own. A refutation is perfect if one of its assertions for each predicate
is a model of that system; proving, if the disjunctions of all for each predicate are; inductive, if they satisfy those
of its clauses that recur.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from craton.horn.clauses import Clause, Predicate
from craton.horn.models import Model
from craton.logic import Term, or_
from craton.processes.limits import least
from craton.processes.running_time import running_time
from craton.program.analysis.graphs import components
from craton.smt import Solver
from craton.traces.perfect import one_of_each
from craton.traces.refutation import Quality
from craton.trees.tree import Tree


def quality(
    tree: Tree, assertions: Sequence[Term], solver: Solver, time_limit: float | None, budget: float | None
) -> Quality:
    end = None if budget is None else running_time() + budget

    def holds(clause: Clause, model: Model) -> bool:
        left = None if end is None else end - running_time()
        limit = least(left, time_limit)
        return (limit is None or limit > 0) and solver.is_valid(model.condition(clause), limit) is True

    together = disjunctions(tree, assertions)
    failed = False
    recurrent = False
    clauses = [tree.system.clauses[number] for number in dict.fromkeys(node.clause for node in tree.nodes)]
    component = _components(clauses)
    for clause in clauses:
        head = None if clause.head is None else component[clause.head.predicate]
        recurs = any(component[atom.predicate] == head for atom in clause.body)
        recurrent = recurrent or recurs
        fulfilled = holds(clause, together)
        if not fulfilled and recurs:
            return Quality.TRACE
        failed = failed or not fulfilled
    if not failed:
        return Quality.PERFECT if _one_for_each(tree, assertions, clauses, holds) else Quality.PROVING
    return Quality.INDUCTIVE if recurrent else Quality.TRACE


def _components(clauses: Sequence[Clause]) -> dict[Predicate, int]:
    """Predicates that recur through each other have the same number."""
    graph: dict[Predicate, list[Predicate]] = {atom.predicate: [] for clause in clauses for atom in clause.atoms}
    for clause in clauses:
        if clause.head is not None:
            graph[clause.head.predicate] += [atom.predicate for atom in clause.body]
    return {predicate: number for number, part in enumerate(components(graph)) for predicate in part}


def _one_for_each(
    tree: Tree, assertions: Sequence[Term], clauses: Sequence[Clause], holds: Callable[[Clause, Model], bool]
) -> bool:
    """Whether one assertion for each predicate is enough."""
    candidates: dict[Predicate, list[int]] = {}
    for number in range(len(tree)):
        head = tree.clause(number).head
        if head is not None:
            candidates.setdefault(head.predicate, []).append(number)

    def fulfilled(clause: Clause, chosen: Mapping[Predicate, int]) -> bool:
        return holds(clause, Model({predicate: assertions[number] for predicate, number in chosen.items()}))

    def spoken_of(clause: Clause) -> tuple[Predicate, ...]:
        return (*(atom.predicate for atom in clause.body), *(() if clause.head is None else (clause.head.predicate,)))

    return one_of_each(candidates, [(spoken_of(clause), partial(fulfilled, clause)) for clause in clauses])


def disjunctions(tree: Tree, assertions: Sequence[Term]) -> Model:
    """For each predicate what some node of it asserts."""
    parts: dict[Predicate, list[Term]] = {}
    for number, assertion in enumerate(assertions):
        head = tree.clause(number).head
        if head is not None:
            parts.setdefault(head.predicate, []).append(assertion)
    return Model({predicate: or_(*found) for predicate, found in parts.items()})
