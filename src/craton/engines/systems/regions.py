"""Where a predicate is looked at: the conditions on its arguments under which clauses use it.

They are a good guess at how its meaning falls into cases: loops that go on or are over, calls of two programs with
equal arguments. A condition is a conjunction of literals over the predicate's parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    conjuncts,
    eq,
    free_variables,
    not_,
    ops,
    substitute,
)
from craton.logic.arithmetic import add
from craton.logic.terms import value

MOST_LITERALS = 10
MOST_REGIONS = 80
MOST_PAIRED = 6  # literals that are combined with each other

Region = tuple[Term, ...]  # literals over parameters; none: everywhere


def regions(system: System) -> dict[Predicate, list[Region]]:
    """For each predicate, conditions to tell cases apart by: none first, then those of its uses."""
    return {predicate: list(_of(system, predicate))[:MOST_REGIONS] for predicate in system.predicates}


def _of(system: System, predicate: Predicate) -> Iterator[Region]:
    uses = list(dict.fromkeys(use for use in _uses(system, predicate) if use))
    literals: dict[Term, None] = {}
    for use in uses:
        for literal in use:
            if not_(literal) not in literals:
                literals[literal] = None
    chosen = list(literals)[:MOST_LITERALS]
    found: dict[Region, None] = {(): None}
    found |= dict.fromkeys(uses)
    for literal in chosen:
        found |= {(literal,): None, (not_(literal),): None}
    for one, other in combinations(chosen[:MOST_PAIRED], 2):
        for pair in ((one, other), (one, not_(other)), (not_(one), other), (not_(one), not_(other))):
            if and_(*pair) is not FALSE:
                found[pair] = None
    yield from found


def _uses(system: System, predicate: Predicate) -> Iterator[Region]:
    for clause in system.clauses:
        for atom in clause.body:
            if atom.predicate == predicate:
                yield use(clause, atom)


def use(clause: Clause, atom: Atom) -> Region:
    """What a clause demands of the arguments of an atom in its body, as far as it can be told by its parameters."""
    named: dict[Term, Term] = {}
    for parameter, argument in zip(atom.predicate.parameters, atom.arguments, strict=True):
        found = _solved(argument, parameter)
        if found is not None:
            named.setdefault(*found)
    literals: dict[Term, None] = {}
    for parameter, argument in zip(atom.predicate.parameters, atom.arguments, strict=True):
        if free_variables(argument) <= named.keys():
            literals[eq(parameter, substitute(argument, named))] = None
    for part in conjuncts(clause.constraint):
        if free_variables(part) <= named.keys():
            literals[substitute(part, named)] = None
    return tuple(literal for literal in literals if literal not in (TRUE, FALSE))


def _solved(argument: Term, parameter: Term) -> tuple[Term, Term] | None:
    """The variable of an argument, and what it is by the parameter."""
    if argument.is_variable:
        return argument, parameter
    if argument.op not in (ops.ADD, ops.BVADD) or len(argument.args) != 2:
        return None
    variable = next((part for part in argument.args if part.is_variable), None)
    constant = next((part for part in argument.args if part.op is ops.VALUE), None)
    if variable is None or constant is None:
        return None
    if isinstance(argument.sort, BitVec):
        return variable, bvadd(parameter, bv(-constant.payload, argument.sort.width))
    return variable, add(parameter, value(-constant.payload, argument.sort))
