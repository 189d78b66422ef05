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


Place = tuple[Predicate, int]  # an argument


def _needed(system: System) -> set[Place]:
    """The least set of arguments that is closed under being looked at."""
    needed: set[Place] = set()
    handed_on: dict[Place, list[Place]] = {}  # from bodies to this argument of a head
    new: list[Place] = []
    for clause in system.clauses:
        looked, handed = _looked_at(clause)
        new += looked
        for place, places in handed:
            handed_on.setdefault(place, []).extend(places)
    while new:
        place = new.pop()
        if place not in needed:
            needed.add(place)
            new += handed_on.get(place, ())
    return needed


def _looked_at(clause: Clause) -> tuple[list[Place], list[tuple[Place, list[Place]]]]:
    """The arguments of its body that a clause looks at, and those that it hands on to an argument of its head."""
    occurrences: Counter[Term] = Counter(free_variables(clause.constraint))
    for atom in clause.body:
        occurrences.update(term for term in atom.arguments if term.is_variable)
        for term in atom.arguments:
            if not term.is_variable:
                occurrences.update(free_variables(term))
    looked: list[Place] = []
    only_there: dict[Term, Place] = {}
    for atom in clause.body:
        for k, term in enumerate(atom.arguments):
            if term.is_variable and occurrences[term] == 1:
                only_there[term] = atom.predicate, k
            else:
                looked.append((atom.predicate, k))
    if clause.head is None:
        return looked, []
    handed: list[tuple[Place, list[Place]]] = []
    for k, term in enumerate(clause.head.arguments):
        places = [only_there[x] for x in ((term,) if term.is_variable else free_variables(term)) if x in only_there]
        if places:
            handed.append(((clause.head.predicate, k), places))
    return looked, handed
