"""Predicates between what derives them and what uses them: interpolants of clauses.

A predicate whose clauses do not mention it in their bodies, and of whose companions a model is known, has a strongest
meaning (what its clauses derive) and a weakest one (what its uses allow). The strongest one is told where quantifiers
can be eliminated; otherwise Spacer looks for something in between.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.horn.clauses import Clause, Predicate
from craton.horn.models import Model
from craton.horn.spacer import solved
from craton.logic import Term, and_, eq, is_quantified, not_, or_
from craton.processes.running_time import running_time
from craton.smt.elimination import CHEAP, Eliminator

USUAL = 5.0  # seconds


def meaning_between(
    predicate: Predicate, defining: Sequence[Clause], using: Sequence[Clause], model: Model, seconds: float | None
) -> Term:
    """What the predicate may mean, so that with the model of all others these clauses are satisfied."""
    limit = USUAL if seconds is None else seconds
    eliminator = Eliminator(CHEAP, "z3", 1.0, running_time() + limit)
    strongest = or_(*(derived(predicate, clause, model, eliminator) for clause in defining))
    if not is_quantified(strongest):
        return strongest
    return _interpolated(predicate, defining, using, model, limit) or strongest


def derived(predicate: Predicate, clause: Clause, model: Model, eliminator: Eliminator) -> Term:
    """What a clause derives of its head: ∃ its variables. constraint ∧ body ∧ parameters = arguments."""
    assert clause.head is not None
    own = clause.renamed("'of clause")
    assert own.head is not None
    facts = and_(own.constraint, *map(model.of, own.body), *map(eq, predicate.parameters, own.head.arguments))
    return eliminator.exists(list(own.variables), facts)


def _interpolated(
    predicate: Predicate, defining: Sequence[Clause], using: Sequence[Clause], model: Model, seconds: float
) -> Term | None:
    """From Spacer, by clauses in which the predicate is the only unknown."""
    known: list[Clause] = []
    for clause in (*defining, *using):
        told = [clause.constraint, *(model.of(atom) for atom in clause.body if atom.predicate != predicate)]
        body = tuple(atom for atom in clause.body if atom.predicate == predicate)
        head = clause.head
        if head is not None and head.predicate != predicate:
            negated = and_(*told, not_(model.of(head)))
            known.append(Clause(None, body, negated))
        else:
            known.append(Clause(head, body, and_(*told)))
    found = solved(known, seconds)
    return found.meanings[predicate] if isinstance(found, Model) else None
