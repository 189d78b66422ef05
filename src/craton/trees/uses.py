"""What predicates use their arguments for: how recursion changes them, and their domain types ([RS] 5)."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

from craton.horn.clauses import Clause, Predicate, System
from craton.logic import Term, eq, free_variables, ops, var
from craton.program.analysis.domain_types import DomainType, types_by_use


class Change(enum.IntEnum):
    """What recursion does to an argument."""

    KEPT = 0
    CHANGED = 1
    COUNTED = 2  # x ± c


def changes_of(clauses: Iterable[Clause], predicate: Predicate) -> list[Change]:
    """For each argument of a predicate the greatest change by one of the clauses."""
    found = [Change.KEPT] * len(predicate.sorts)
    for clause in clauses:
        if clause.head is None or clause.head.predicate != predicate:
            continue
        for atom in clause.body:
            if atom.predicate == predicate:
                for place, (new, old) in enumerate(zip(clause.head.arguments, atom.arguments, strict=True)):
                    found[place] = max(found[place], _change(new, old))
    return found


def _change(new: Term, old: Term) -> Change:
    if new is old:
        return Change.KEPT
    for whole, part in ((new, old), (old, new)):
        if whole.op in (ops.ADD, ops.BVADD) and part in whole.args:
            if all(a is part or a.op is ops.VALUE for a in whole.args):
                return Change.COUNTED
    return Change.CHANGED


def shared_parameters(predicate: Predicate) -> tuple[Term, ...]:
    """Parameters that predicates share by position and sort, as clauses hand most of their arguments on in place."""
    return tuple(var(f"argument {place}", sort) for place, sort in enumerate(predicate.sorts))


def domain_types(system: System) -> Mapping[Term, DomainType]:
    """The domain types of shared parameters; those that are counted and asked about are counters."""
    conditions: list[Term] = []
    asked: set[Term] = set()
    for number, clause in enumerate(system.clauses):
        own = clause.renamed(f" of {number}")
        tested = free_variables(own.constraint)
        conditions.append(own.constraint)
        for atom in own.atoms:
            shared = shared_parameters(atom.predicate)
            conditions += map(eq, shared, atom.arguments)
            asked.update(p for p, a in zip(shared, atom.arguments, strict=True) if free_variables(a) & tested)
    types = types_by_use(conditions)
    for predicate in system.predicates:
        for parameter, change in zip(shared_parameters(predicate), changes_of(system.clauses, predicate), strict=True):
            if change is Change.COUNTED and parameter in asked:
                types[parameter] = DomainType.COUNTER
    return types
