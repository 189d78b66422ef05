"""Moving quantifiers: out of conjunctions before elimination, and back in as far as possible afterwards.

The other methods only look at conjuncts, so those below an inner ∃ must be pulled out first. What remains quantified in
the end is kept small: a conjunct that does not mention a variable stays outside its quantifier.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from craton.logic import ops
from craton.logic.core import and_, exists, fresh, not_
from craton.logic.terms import Term
from craton.logic.walk import free_variables, substitute
from craton.smt.elimination.syntactic import Quantified, components, literals, occurring


def pulled_out(variables: Sequence[Term], body: Term) -> Quantified:
    """(∃x. φ) ∧ ψ is ∃x. φ ∧ ψ if ψ does not mention x: inner variables are renamed to ensure this."""
    taken = free_variables(body).union(variables)
    found = list(variables)
    parts: list[Term] = []
    stack = list(reversed(literals(body)))
    while stack:
        part = stack.pop()
        inner = _existential(part)
        if inner is None:
            parts.append(part)
            continue
        bound, inside = inner
        names: dict[Term, Term] = {}
        for variable in bound:
            names[variable] = fresh(_stem(variable.name), variable.sort, taken)
            taken |= {names[variable]}
        found += names.values()
        stack.extend(reversed(literals(substitute(inside, names))))
    if len(found) == len(variables):
        return tuple(variables), body
    body = and_(*parts)
    return tuple(occurring(found, body)), body


def _existential(part: Term) -> Quantified | None:
    if part.op is ops.EXISTS:
        return part.payload, part.args[0]
    if part.op is ops.NOT and part.args[0].op is ops.FORALL:
        return part.args[0].payload, not_(part.args[0].args[0])
    return None


def _stem(name: str) -> str:
    """The name without the number of an earlier renaming, so that names do not grow with every step of a trace."""
    return re.sub(r"(![0-9]+)+$", "", name)


def pushed_in(variables: Sequence[Term], body: Term) -> Term:
    """∃ variables. body as a conjunction of quantified formulas that share none of the variables."""
    quantified = frozenset(variables)
    groups = components(literals(body), quantified)
    return and_(*(exists(occurring(variables, part), part) for part in (and_(*group) for group in groups)))
