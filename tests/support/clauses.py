"""Random systems of Horn clauses over small domains, and their answer by counting: the oracle of everything that solves
systems.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.logic import BitVec, Term, Value, and_, bv, bvadd, bvule, bvult, eq, evaluate, not_, or_, var

WIDTH = 2
SORT = BitVec(WIDTH)
VARIABLES = [var(name, SORT) for name in "xyz"]


def random_system(seed: int, *, most_atoms: int = 2) -> System:
    """A system of a few predicates and clauses; about half of them are satisfiable."""
    rng = random.Random(seed)
    predicates = [Predicate(f"p{i}", (SORT,) * rng.randint(0, 2)) for i in range(rng.randint(1, 4))]
    clauses = [_fact(rng, rng.choice(predicates))]
    for _ in range(rng.randint(2, 7)):
        body = tuple(
            _atom(rng, rng.choice(predicates)) for _ in range(rng.randint(0 if rng.random() < 0.2 else 1, most_atoms))
        )
        clauses.append(Clause(_atom(rng, rng.choice(predicates)), body, _constraint(rng)))
    for _ in range(rng.randint(1, 2)):
        body = tuple(_atom(rng, rng.choice(predicates)) for _ in range(rng.randint(1, most_atoms)))
        clauses.append(Clause(None, body, and_(_constraint(rng), _constraint(rng))))
    return System(tuple(clauses))


def _fact(rng: random.Random, predicate: Predicate) -> Clause:
    return Clause(_atom(rng, predicate), (), _constraint(rng))


def _atom(rng: random.Random, predicate: Predicate) -> Atom:
    return predicate(*(_term(rng) for _ in predicate.sorts))


def _term(rng: random.Random) -> Term:
    kind = rng.random()
    if kind < 0.65:
        return rng.choice(VARIABLES)
    if kind < 0.85:
        return bvadd(rng.choice(VARIABLES), bv(1, WIDTH))
    return bv(rng.randrange(1 << WIDTH), WIDTH)


def _constraint(rng: random.Random) -> Term:
    return and_(*(_literal(rng) for _ in range(rng.randint(0, 3))))


def _literal(rng: random.Random) -> Term:
    relation = rng.choice((eq, eq, bvult, bvule))
    found: Term = relation(_term(rng), _term(rng))
    if rng.random() < 0.2:
        found = or_(found, relation(_term(rng), _term(rng)))
    return not_(found) if rng.random() < 0.25 else found


def derivable(system: System) -> frozenset[tuple[str, tuple[Value, ...]]]:
    """All facts that follow, and ("", ()) if false does: the least fixed point, by trying all values."""
    known: set[tuple[str, tuple[Value, ...]]] = set()
    instances = [instance for clause in system.clauses for instance in _instances(clause)]
    while True:
        new = {head for head, body in instances if head not in known and body <= known}
        if not new:
            return frozenset(known)
        known |= new


def is_satisfiable(system: System) -> bool:
    return ("", ()) not in derivable(system)


def _instances(
    clause: Clause,
) -> Iterator[tuple[tuple[str, tuple[Value, ...]], frozenset[tuple[str, tuple[Value, ...]]]]]:
    variables = clause.variables
    for values in itertools.product(range(1 << WIDTH), repeat=len(variables)):
        model = dict(zip(variables, values, strict=True))
        if evaluate(clause.constraint, model) is True:
            head = ("", ()) if clause.head is None else _ground(clause.head, model)
            yield head, frozenset(_ground(atom, model) for atom in clause.body)


def _ground(atom: Atom, model: dict[Term, Value]) -> tuple[str, tuple[Value, ...]]:
    return atom.predicate.name, tuple(evaluate(argument, model) for argument in atom.arguments)
