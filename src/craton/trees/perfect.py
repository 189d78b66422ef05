"""How much a refutation of a tree proves: of the tree alone, or of all derivations by its clauses ([CN] 7.1 for trees).

The clauses of the tree are a system of their own. A refutation is perfect if the disjunctions of its assertions, one
for each predicate, are a model of that system; inductive, if they satisfy those of its clauses that recur.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.horn.clauses import Predicate
from craton.horn.models import Model
from craton.logic import Term, or_
from craton.processes.running_time import running_time
from craton.smt import Solver
from craton.traces.perfect import Quality
from craton.trees.tree import Tree


def quality(
    tree: Tree, assertions: Sequence[Term], solver: Solver, time_limit: float | None, budget: float | None
) -> Quality:
    end = None if budget is None else running_time() + budget
    model = disjunctions(tree, assertions)
    failed = False
    recurrent = False
    for number in dict.fromkeys(node.clause for node in tree.nodes):
        clause = tree.system.clauses[number]
        recurs = clause.head is not None and any(a.predicate == clause.head.predicate for a in clause.body)
        recurrent = recurrent or recurs
        left = None if end is None else end - running_time()
        limit = min((x for x in (left, time_limit) if x is not None), default=None)
        holds = (limit is None or limit > 0) and solver.is_valid(model.condition(clause), limit) is True
        if not holds and recurs:
            return Quality.TRACE
        failed = failed or not holds
    if not failed:
        return Quality.PERFECT
    return Quality.INDUCTIVE if recurrent else Quality.TRACE


def disjunctions(tree: Tree, assertions: Sequence[Term]) -> Model:
    """For each predicate what some node of it asserts."""
    parts: dict[Predicate, list[Term]] = {}
    for number, assertion in enumerate(assertions):
        head = tree.clause(number).head
        if head is not None:
            parts.setdefault(head.predicate, []).append(assertion)
    return Model({predicate: or_(*found) for predicate, found in parts.items()})
