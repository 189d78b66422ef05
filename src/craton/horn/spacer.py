"""Clauses solved by z3's Spacer: a model, or the facts of which a derivation is made."""

from __future__ import annotations

from collections.abc import Sequence

from craton.horn.clauses import Atom, Clause
from craton.horn.clauses import Predicate as Unknown
from craton.horn.models import Model
from craton.logic import BOOL, TRUE, Function, Term, and_, apply, implies
from craton.smt import Undecided
from craton.smt.z3.horn import NoSolution, Predicate, Solution, failure, solve


def solved(clauses: Sequence[Clause], seconds: float | None, *, guided: bool = False) -> Model | NoSolution | Undecided:
    """A model of the clauses, checked by z3; that there is none; or why neither was found."""
    unknowns = tuple(dict.fromkeys(atom.predicate for clause in clauses for atom in clause.atoms))
    predicates = {unknown: _predicate(unknown) for unknown in unknowns}

    def applied(atom: Atom) -> Term:
        return apply(predicates[atom.predicate].function, *(atom.arguments or (TRUE,)))

    rules = [
        implies(
            and_(*map(applied, clause.body), clause.constraint),
            failure() if clause.head is None else applied(clause.head),
        )
        for clause in clauses
    ]
    found = solve(tuple(predicates.values()), rules, seconds, guided=guided)
    if not isinstance(found, Solution):
        return found
    return Model({unknown: found.meanings[predicate] for unknown, predicate in predicates.items()})


def _predicate(unknown: Unknown) -> Predicate:
    """Spacer's predicates have an argument at least: `true`, if nothing else."""
    sorts = unknown.sorts or (BOOL,)
    return Predicate(Function(f"p!{unknown.name}", sorts, BOOL), unknown.parameters or (TRUE,))
