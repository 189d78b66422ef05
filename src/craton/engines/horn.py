"""The program as Horn clauses: one unknown invariant for each location, over the variables that still matter there.

    true ⇒ I(entry)          I(l)(x) ∧ guard ⇒ I(l')(updates)          I(l)(x) ∧ guard ⇒ false, into an error

Spacer looks for the invariants itself, so this engine needs no refiner. It is at its best in the integer view. Where it
finds that there are none, a trace to the error exists; finding that is left to others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from craton.engines.contract import Budget, Safe, Unknown, Verdict
from craton.logic import BOOL, FALSE, TRUE, Term, and_, free_variables, implies
from craton.logic.core import apply
from craton.logic.sorts import Function
from craton.logic.walk import functions
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, transition
from craton.smt import Undecided
from craton.smt.z3.horn import NoSolution, Predicate, failure, solve


@dataclass(slots=True)
class Horn:
    blocks: int | None = None

    @property
    def name(self) -> str:
        return "horn"

    def run(self, program: Program, budget: Budget) -> Verdict:
        main = program.main
        steps = {edge: transition(edge.statement) for edge in main.edges if edge.source not in program.errors}
        if any(functions(t) for step in steps.values() for t in (step.guard, *step.updates.values())):
            return Unknown("Horn clauses cannot share uninterpreted functions")
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
            found = solve(tuple(predicates.values()), clauses, budget.left, guided=True)
        if isinstance(found, Undecided):
            return Unknown(f"no invariants found: {found.reason}")
        if isinstance(found, NoSolution):
            return Unknown("an error can be reached, but the trace is not known")
        budget.statistics.predicates = len(predicates)
        return Safe({location: found.meanings[predicate] for location, predicate in predicates.items()}, ("z3",))


def _holds(predicate: Predicate, step: Transition | None = None) -> Term:
    """The predicate of its own variables, or of their values after a step."""
    updates = {} if step is None else step.updates
    return apply(predicate.function, *(updates.get(v, v) for v in predicate.arguments))


def live_variables(program: Program, steps: Mapping[Edge, Transition]) -> dict[Location, frozenset[Term]]:
    """At each location the variables whose value may still decide whether an error is reached."""
    main = program.main
    live: dict[Location, frozenset[Term]] = {location: frozenset() for location in main.locations}
    waiting = dict.fromkeys(reversed(main.locations))
    while waiting:
        location, _ = waiting.popitem()
        needed = live[location]
        for edge in main.outgoing(location):
            if edge in steps and steps[edge].guard is not FALSE:
                needed |= _needed(steps[edge], live[edge.target])
        if needed != live[location]:
            live[location] = needed
            waiting |= dict.fromkeys(edge.source for edge in main.incoming(location))
    return live


def _needed(step: Transition, after: frozenset[Term]) -> frozenset[Term]:
    """The variables that the guard reads, and those that the values needed afterwards are made of."""
    found = free_variables(step.guard) | (after - step.written)
    for variable in after & step.written:
        found |= free_variables(step.updates[variable])
    return found - frozenset(step.inputs)
