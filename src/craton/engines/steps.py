"""A step: an edge as engines use it, with facts about it that are computed once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from craton.logic import Term, free_variables, substitute
from craton.program.cfa import Edge
from craton.program.transitions import Transition, transition


@dataclass(eq=False, slots=True)
class Step:
    """An edge with its guarded update. Compared by identity, since edges with blocks are too large to compare often;
    hashed by its number, so that sets of steps have the same order in every run.
    """

    number: int
    edge: Edge
    update: Transition
    guarded: frozenset[Term]  # the variables of its guard
    _before: dict[Term, Term] = field(default_factory=dict, repr=False)

    def __hash__(self) -> int:
        return self.number

    def before(self, formula: Term) -> Term:
        """What must hold before the step for the formula to hold after it, if the step can be taken."""
        found = self._before.get(formula)
        if found is None:
            updates = self.update.updates
            concerned = {v: updates[v] for v in free_variables(formula) if v in updates}  # a block has many others
            found = self._before[formula] = substitute(formula, concerned)
        return found


def make_steps(edges: Iterable[Edge], first: int = 0) -> tuple[Step, ...]:
    made = []
    for number, edge in enumerate(edges, first):
        update = transition(edge.statement)
        made.append(Step(number, edge, update, free_variables(update.guard)))
    return tuple(made)
