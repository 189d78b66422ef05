"""Second opinions: what a solver says about the value of a term."""

from __future__ import annotations

from craton.errors import MissingCapability
from craton.logic import (
    BOOL,
    Array,
    Model,
    Term,
    Value,
    and_,
    apply,
    constant,
    eq,
    evaluate,
    not_,
    ops,
    or_,
    post_order,
    select,
    substitute,
    zero,
)
from craton.smt import Answer, make_solver
from support.patience import Group, record
from support.terms import node


def pinned(term: Term, model: Model) -> tuple[Term, list[Term]]:
    """The term, and facts that leave its variables and functions only what the model says of them.

    Arrays are put in their places instead: not every solver takes equalities with constant arrays.
    """
    arrays = {v: constant(x, v.sort) for v, x in model.values.items() if isinstance(v.sort, Array)}
    term = substitute(term, arrays)
    facts = [eq(v, constant(x, v.sort)) for v, x in model.values.items() if v not in arrays]
    for part in post_order(term):
        if part.op is ops.APPLY:
            arguments = [constant(evaluate(a, model), a.sort) for a in part.args]
            facts.append(eq(apply(part.payload, *arguments), constant(evaluate(part, model), part.sort)))
    return term, facts


def differs(term: Term, expected: Value) -> Term:
    """The term has another value; an array, at one of the places where it might."""
    if isinstance(term.sort, Array):
        indices = [*expected.entries, zero(term.sort.index)]
        reads = [(select(term, constant(i, term.sort.index)), expected.get(i)) for i in indices]
        return or_(*(differs(read, element) for read, element in reads))
    # Unsimplified: the solver is to judge, not the constructors.
    return node(ops.NOT, (node(ops.EQ, (term, constant(expected, term.sort)), BOOL),), BOOL)


def verdict(solver: str, term: Term, model: Model, expected: Value, time_limit: float = 2.0) -> Answer | None:
    """Can the term have another value than expected under the model? None if the solver does not take the question."""
    term, facts = pinned(term, model)
    return ask(solver, *facts, differs(term, expected), time_limit=time_limit)


def counterexample(solver: str, left: Term, right: Term, time_limit: float = 2.0) -> Answer | None:
    """Can two terms differ?"""
    if left.sort is BOOL:
        difference = or_(and_(left, not_(right)), and_(not_(left), right))
    else:
        difference = node(ops.NOT, (node(ops.EQ, (left, right), BOOL),), BOOL)
    return ask(solver, difference, time_limit=time_limit)


def ask(solver: str, *formulas: Term, time_limit: float = 2.0) -> Answer | None:
    with make_solver(solver, time_limit=time_limit) as fresh:
        try:
            fresh.add(*formulas)
        except MissingCapability:
            return None
        answer = fresh.check()
    record(Group.MEANINGS, formulas[-1], answer)
    return answer
