"""Arguments that matter: an argument that no clause looks at is dropped (redundant argument filtering).

An argument of a body's atom is looked at if it is no variable, or one that occurs in the constraint, elsewhere in the
body, or in an argument of the head that is looked at. The others are handed on at most, so every value will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.models import Model
from craton.logic import Term, free_variables, substitute


@dataclass(frozen=True)
class Filtered:
    """The system with fewer arguments; its clauses have the same numbers."""

    system: System
    originals: Mapping[Predicate, Predicate]
    places: Mapping[Predicate, tuple[int, ...]]  # of the new arguments among the old ones

    def model(self, found: Model) -> Model:
        return Model({self.originals.get(p, p): self._meaning(p, meaning) for p, meaning in found.meanings.items()})

    def _meaning(self, predicate: Predicate, meaning: Term) -> Term:
        if predicate not in self.originals:
            return meaning
        old = self.originals[predicate].parameters
        new = (old[place] for place in self.places[predicate])
        return substitute(meaning, dict(zip(predicate.parameters, new, strict=True)))


def filtered(system: System) -> Filtered:
    needed = _needed(system)
    places = {
        predicate: tuple(k for k in range(len(predicate.sorts)) if (predicate, k) in needed)
        for predicate in system.predicates
    }
    made = {p: Predicate(p.name, tuple(p.sorts[k] for k in kept)) for p, kept in places.items()}

    def atom(one: Atom) -> Atom:
        return Atom(made[one.predicate], tuple(one.arguments[k] for k in places[one.predicate]))

    clauses = tuple(
        replace(c, head=None if c.head is None else atom(c.head), body=tuple(map(atom, c.body))) for c in system.clauses
    )
    return Filtered(
        System(clauses, system.file, system.status),
        {new: old for old, new in made.items()},
        {made[p]: kept for p, kept in places.items()},
    )


def _needed(system: System) -> set[tuple[Predicate, int]]:
    """The least set of arguments that is closed under being looked at."""
    needed: set[tuple[Predicate, int]] = set()
    looked = [_Looks(clause) for clause in system.clauses]
    changed = True
    while changed:
        before = len(needed)
        for one in looked:
            one.add_to(needed)
        changed = len(needed) > before
    return needed


class _Looks:
    """What a clause looks at, given which arguments of heads matter."""

    def __init__(self, clause: Clause) -> None:
        self.clause = clause
        occurrences: Counter[Term] = Counter(free_variables(clause.constraint))
        for atom in clause.body:
            for term in atom.arguments:
                occurrences.update(free_variables(term))
        self.shared = {variable for variable, times in occurrences.items() if times > 1}

    def add_to(self, needed: set[tuple[Predicate, int]]) -> None:
        head = self.clause.head
        wanted: set[Term] = set(self.shared)
        if head is not None:
            for k, term in enumerate(head.arguments):
                if (head.predicate, k) in needed:
                    wanted |= free_variables(term)
        for atom in self.clause.body:
            for k, term in enumerate(atom.arguments):
                if not term.is_variable or term in wanted:
                    needed.add((atom.predicate, k))
