"""The program as Horn clauses: one unknown invariant for each location, over the variables that are live there.

    true ⇒ I(entry)          I(l)(x) ∧ guard ⇒ I(l')(updates)          I(l)(x) ∧ guard ⇒ false, into an error

Spacer searches for the invariants itself, so this engine needs no refiner. It works best in the integer view. If it
finds that there are no invariants, a trace to the error exists; finding it is left to other engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, Safe, Unknown, does_not_fit
from craton.engines.options import block_size
from craton.logic import BOOL, TRUE, Term, and_, implies
from craton.logic.core import apply
from craton.logic.sorts import Function
from craton.logic.walk import functions
from craton.program.analysis.liveness import live_variables
from craton.program.blocks import BlockSize
from craton.program.cfa import Location, Program
from craton.program.transitions import Transition, transition
from craton.registry import flag
from craton.smt import Undecided
from craton.smt.z3.horn import NoSolution, Predicate, failure, solve


@dataclass(frozen=True, slots=True)
class Horn(Engine):
    """Invariants from z3's solver of Horn clauses (facts: with intervals known); proves, but shows no error; needs no
    refiner.
    """

    word: ClassVar[str] = "horn"

    blocks: BlockSize = block_size()
    unguided: bool = flag("unguided")  # Spacer without its global guidance
    facts: bool = flag("facts")  # on the program with its intervals and congruences

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        from craton.engines.strengthening import with_facts, with_news

        known = with_facts if self.facts else with_news
        return known(program, budget, lambda stronger: self._solved(stronger, budget))

    def _solved(self, program: Program, budget: Budget) -> EngineAnswer:
        main = program.main
        steps = {edge: transition(edge.statement) for edge in main.edges if edge.source not in program.errors}
        if any(functions(t) for step in steps.values() for t in (step.guard, *step.updates.values())):
            return does_not_fit("Horn clauses cannot share uninterpreted functions")
        live = live_variables(program, steps)
        predicates: dict[Location, Predicate] = {}
        for location in main.locations:
            if location not in program.errors:
                arguments = tuple(sorted(live[location], key=lambda v: v.serial)) or (TRUE,)
                symbol = Function(f"I{location.id}", tuple(a.sort for a in arguments), BOOL)
                predicates[location] = Predicate(symbol, arguments)
        clauses = [_holds(predicates[main.entry])]
        for edge, step in steps.items():
            body = and_(_holds(predicates[edge.source]), step.guard)
            head = failure() if edge.target in program.errors else _holds(predicates[edge.target], step)
            clauses.append(implies(body, head))
        with budget.statistics.spending("Horn clauses"):
            found = solve(tuple(predicates.values()), clauses, budget.left, guided=not self.unguided)
        if isinstance(found, Undecided):
            return Unknown(f"no invariants found: {found.reason}")
        if isinstance(found, NoSolution):
            return Unknown("an error can be reached, but the trace is not known")
        budget.statistics.predicates = len(predicates)
        return Safe({location: found.meanings[predicate] for location, predicate in predicates.items()}, ("z3",))


def _holds(predicate: Predicate, step: Transition | None = None) -> Term:
    """The predicate applied to its own variables, or to their values after a step."""
    updates = {} if step is None else step.updates
    return apply(predicate.function, *(updates.get(v, v) for v in predicate.arguments))
