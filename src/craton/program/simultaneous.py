"""Updates that happen at once, as assignments one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from craton.logic import Term, free_variables, substitute, var
from craton.program.statements import Assign


def one_by_one(updates: Mapping[Term, Term]) -> Iterator[Assign]:
    """Who is read by others comes after them, or is kept for a while, in a variable that is none of those updated."""
    waiting = {x: t for x, t in updates.items() if x is not t}
    while waiting:
        for variable, value in waiting.items():
            if not any(variable in free_variables(t) for x, t in waiting.items() if x is not variable):
                yield Assign(variable, value)
                del waiting[variable]
                break
        else:
            variable = next(iter(waiting))
            old = var(f"{variable.name} before", variable.sort)
            yield Assign(old, variable)
            waiting = {x: t if x is variable else substitute(t, {variable: old}) for x, t in waiting.items()}
