"""What shows `sat`: a meaning for each predicate that satisfies every clause.

Law: for each clause, constraint and the meanings of the body's atoms imply the meaning of the head (or false).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.logic import FALSE, Term, and_, free_variables, implies, substitute, var
from craton.logic.smtlib import Symbols, quoted, to_smtlib


@dataclass(frozen=True, slots=True)
class Model:
    """Formulas over the predicates' parameters. A predicate without a formula holds of nothing."""

    meanings: Mapping[Predicate, Term]

    def __post_init__(self) -> None:
        for predicate, meaning in self.meanings.items():
            foreign = free_variables(meaning).difference(predicate.parameters)
            assert not foreign, f"the meaning of {predicate} speaks of {next(iter(foreign))}"

    def of(self, atom: Atom) -> Term:
        """What the model says of an atom."""
        return atom.told(self.meanings.get(atom.predicate, FALSE))

    def condition(self, clause: Clause) -> Term:
        """A formula that is valid iff the model satisfies the clause."""
        head = FALSE if clause.head is None else self.of(clause.head)
        return implies(and_(clause.constraint, *map(self.of, clause.body)), head)

    def conditions(self, system: System) -> tuple[Term, ...]:
        return tuple(map(self.condition, system.clauses))

    def together_with(self, more: Mapping[Predicate, Term]) -> Model:
        return Model({**self.meanings, **more})


EMPTY = Model({})


def definitions(model: Model, predicates: Sequence[Predicate]) -> str:
    """The model as `define-fun`s, one a line, that any solver can read before the clauses."""
    return "".join(definition(predicate, model.meanings.get(predicate, FALSE)) + "\n" for predicate in predicates)


def definition(predicate: Predicate, meaning: Term) -> str:
    short = {p: var(f"x{i}", p.sort) for i, p in enumerate(predicate.parameters)}
    symbols = Symbols()
    listed = " ".join(f"({symbols.of(v)} {v.sort})" for v in short.values())
    body = to_smtlib(substitute(meaning, short), symbols=symbols)
    return f"(define-fun {quoted(predicate.name)} ({listed}) Bool {body})"
