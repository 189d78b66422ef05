"""Hoare triples, the currency of engines: {P} step {q} for conjunctions P of predicates.

Answered by data flow first (a step that touches none of q's variables keeps q), then from a cache, then by a solver
that keeps the precondition and the step asserted while all candidate postconditions are asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.logic import FALSE, Term, free_variables, not_, substitute
from craton.program.cfa import Edge
from craton.program.transitions import Transition, transition
from craton.smt import Solver, Unsat, make_solver

State = frozenset[Term]  # a conjunction of predicates
BOTTOM: State = frozenset((FALSE,))


@dataclass(slots=True)
class Triples:
    solver_name: str = "z3"
    time_limit: float | None = 2.0
    questions: int = 0
    _solver: Solver = field(init=False, repr=False)
    _steps: dict[Edge, Transition] = field(default_factory=dict, repr=False)
    _cache: dict[tuple[State, Edge, tuple[Term, ...]], State] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._solver = make_solver(self.solver_name, time_limit=self.time_limit)

    def step(self, edge: Edge) -> Transition:
        found = self._steps.get(edge)
        if found is None:
            found = self._steps[edge] = transition(edge.statement)
        return found

    def successors(self, state: State, edge: Edge, candidates: Sequence[Term]) -> State:
        """Those of the candidates that hold after the edge; BOTTOM if the edge cannot be taken.

        Undecided is not valid.
        """
        key = (state, edge, tuple(candidates))
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._computed(state, edge, candidates)
        return found

    def _computed(self, state: State, edge: Edge, candidates: Sequence[Term]) -> State:
        step = self.step(edge)
        if FALSE in state or step.guard is FALSE:
            return BOTTOM
        guarded = free_variables(step.guard)
        touched = guarded | step.written
        holds: list[Term] = []
        open_questions: list[Term] = []
        for candidate in candidates:
            if candidate is FALSE:
                continue
            if touched.isdisjoint(free_variables(candidate)):
                if candidate in state:
                    holds.append(candidate)
            else:
                open_questions.append(candidate)
        with self._solver.scope():
            self._solver.add(*sorted(state, key=lambda t: t.serial), step.guard)
            if guarded and self._is_unsat():
                return BOTTOM
            holds += [c for c in open_questions if self._is_unsat(not_(substitute(c, step.updates)))]
        return frozenset(holds)

    def _is_unsat(self, *assumptions: Term) -> bool:
        self.questions += 1
        return isinstance(self._solver.check(*assumptions), Unsat)
