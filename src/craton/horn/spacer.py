"""Clauses solved by z3's Spacer: a model, or the facts of which a derivation is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.horn.clauses import Atom, Clause
from craton.horn.clauses import Predicate as Unknown
from craton.horn.derivations import Fact
from craton.horn.models import Model
from craton.logic import BOOL, TRUE, Function, Term, and_, apply, evaluate, implies
from craton.smt import Undecided
from craton.smt.z3.horn import NoSolution, Predicate, failure, solve


@dataclass(frozen=True, slots=True)
class Facts:
    """The clauses have no model: facts, premises first, of which the last is false. Empty if Spacer does not tell."""

    facts: tuple[Fact | None, ...] = ()
    premises: tuple[tuple[int, ...], ...] = ()


def solved(
    clauses: Sequence[Clause], seconds: float | None, *, guided: bool = False, derive: bool = False
) -> Model | Facts | Undecided:
    """A model of the clauses, checked by z3; that there is none, with facts if `derive`; or why neither was found."""
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
    found = solve(tuple(predicates.values()), rules, seconds, guided=guided, derive=derive)
    if isinstance(found, NoSolution):
        return _told(found, {predicate.function: unknown for unknown, predicate in predicates.items()})
    if isinstance(found, Undecided):
        return found
    return Model({unknown: found.meanings[predicate] for unknown, predicate in predicates.items()})


def _told(found: NoSolution, unknowns: Mapping[Function, Unknown]) -> Facts:
    facts: list[Fact | None] = []
    for one in found.facts:
        unknown = None if one.function is None else unknowns[one.function]
        values = tuple(evaluate(a, {}) for a in one.arguments) if unknown is not None and unknown.sorts else ()
        facts.append(None if unknown is None else Fact(unknown, values))
    return Facts(tuple(facts), tuple(one.premises for one in found.facts))


def _predicate(unknown: Unknown) -> Predicate:
    """Spacer's predicates have an argument at least: `true`, if nothing else."""
    sorts = unknown.sorts or (BOOL,)
    return Predicate(Function(f"p!{unknown.name}", sorts, BOOL), unknown.parameters or (TRUE,))
