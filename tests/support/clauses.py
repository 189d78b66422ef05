"""Random systems of Horn clauses over small domains, and their answer by counting: the oracle of everything that solves
systems.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.logic import (
    BOOL,
    INT,
    Array,
    BitVec,
    Sort,
    Term,
    Value,
    add,
    and_,
    bv,
    bvadd,
    bvule,
    bvult,
    eq,
    evaluate,
    int_,
    le,
    lt,
    not_,
    or_,
    select,
    store,
    sub,
    var,
)

WIDTH = 2
SORT = BitVec(WIDTH)
CELLS = Array(INT, INT)


@dataclass(frozen=True, slots=True)
class Theory:
    """What random clauses speak of: variables and terms of some sorts, and atoms over them."""

    sorts: tuple[Sort, ...]

    def variables(self, sort: Sort) -> list[Term]:
        names = {SORT: "xyz", INT: "ijk", CELLS: "ab", BOOL: "pq"}[sort]
        return [var(name, sort) for name in names]

    def term(self, rng: random.Random, sort: Sort) -> Term:
        kind, variable = rng.random(), rng.choice(self.variables(sort))
        if kind < 0.65:
            return variable
        if sort is SORT:
            return bvadd(variable, bv(1, WIDTH)) if kind < 0.85 else bv(rng.randrange(1 << WIDTH), WIDTH)
        if sort is INT:
            if kind < 0.72 and CELLS in self.sorts:
                return select(rng.choice(self.variables(CELLS)), variable)
            other = rng.choice(self.variables(INT))
            return add(variable, int_(rng.choice((-1, 1, 2)))) if kind < 0.85 else sub(variable, other)
        if sort is CELLS:
            return store(variable, rng.choice(self.variables(INT)), self.term(rng, INT))
        return not_(variable)

    def literal(self, rng: random.Random) -> Term:
        found = self._atom(rng)
        if rng.random() < 0.2:
            found = or_(found, self._atom(rng))
        return not_(found) if rng.random() < 0.25 else found

    def _atom(self, rng: random.Random) -> Term:
        sort = rng.choice(self.sorts)
        if sort is BOOL:
            return self.term(rng, BOOL)
        relations: tuple[Callable[[Term, Term], Term], ...] = (eq,)
        if sort is SORT:
            relations = (eq, eq, bvult, bvule)
        elif sort is INT:
            relations = (eq, eq, lt, le)
        return rng.choice(relations)(self.term(rng, sort), self.term(rng, sort))


BITS, INTEGERS = Theory((SORT,)), Theory((INT,))
ARRAYS, MIXED = Theory((INT, CELLS)), Theory((INT, SORT, BOOL, CELLS))


def random_system(seed: int, *, most_atoms: int = 2, theory: Theory = BITS) -> System:
    """A system of a few predicates and clauses; about half of those of bits are satisfiable."""
    rng = random.Random(seed)

    def atom() -> Atom:
        predicate = rng.choice(predicates)
        return predicate(*(theory.term(rng, sort) for sort in predicate.sorts))

    def constraint() -> Term:
        return and_(*(theory.literal(rng) for _ in range(rng.randint(0, 3))))

    def sorts() -> tuple[Sort, ...]:
        return tuple(rng.choice(theory.sorts) for _ in range(rng.randint(0, 2)))

    predicates = [Predicate(f"p{i}", sorts()) for i in range(rng.randint(1, 4))]
    clauses = [Clause(atom(), (), constraint())]
    for _ in range(rng.randint(2, 7)):
        body = tuple(atom() for _ in range(rng.randint(0 if rng.random() < 0.2 else 1, most_atoms)))
        clauses.append(Clause(atom(), body, constraint()))
    for _ in range(rng.randint(1, 2)):
        body = tuple(atom() for _ in range(rng.randint(1, most_atoms)))
        clauses.append(Clause(None, body, and_(constraint(), constraint())))
    return System(tuple(clauses))


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
