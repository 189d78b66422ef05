"""Hoare triples, the currency of engines: {P} step {q} for conjunctions P of predicates.

Answered by data flow first (a step that touches none of q's variables keeps q), then from what is known already, in both
directions of implication (what follows from a part of P follows from P; what does not follow from more than P does not
follow from P), then by a solver. When a triple holds, the solver's core says which part of P it needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.engines.contract import Statistics
from craton.logic import FALSE, Term, free_variables, not_, substitute
from craton.program.cfa import Edge
from craton.program.transitions import Transition, transition
from craton.smt import Solver, Unsat, make_solver

State = frozenset[Term]  # a conjunction of predicates
BOTTOM: State = frozenset((FALSE,))


@dataclass(slots=True)
class _Known:
    """What is known of {P} step {q} for one step and one q."""

    sufficient: list[State] = field(default_factory=list)  # conjunctions from which q follows
    insufficient: list[State] = field(default_factory=list)  # conjunctions from which it does not, as far as we see

    def answer(self, state: State) -> bool | None:
        if any(part <= state for part in self.sufficient):
            return True
        if any(state <= whole for whole in self.insufficient):
            return False
        return None


class Triples:
    def __init__(self, solver: str, statistics: Statistics, time_limit: float | None = 2.0) -> None:
        self._solver: Solver = make_solver(solver, time_limit=time_limit)
        self._statistics = statistics
        self._steps: dict[Edge, Transition] = {}
        self._touched: dict[Edge, frozenset[Term]] = {}
        self._guarded: dict[Edge, frozenset[Term]] = {}
        self._known: dict[tuple[Edge, Term], _Known] = {}

    def step(self, edge: Edge) -> Transition:
        found = self._steps.get(edge)
        if found is None:
            found = self._steps[edge] = transition(edge.statement)
            self._guarded[edge] = free_variables(found.guard)
            self._touched[edge] = self._guarded[edge] | found.written
        return found

    def successors(self, state: State, edge: Edge, candidates: Sequence[Term]) -> State:
        """Those of the candidates that hold after the edge; BOTTOM if the edge cannot be taken.

        Undecided is not valid.
        """
        step = self.step(edge)
        if FALSE in state or step.guard is FALSE:
            return BOTTOM
        touched = self._touched[edge]
        holds: list[Term] = []
        open_questions: list[tuple[Term, _Known]] = []
        if self._guarded[edge]:
            known = self._about(edge, FALSE)
            impossible = known.answer(state)
            if impossible:
                return BOTTOM
            if impossible is None:
                open_questions.append((FALSE, known))
        for candidate in candidates:
            if touched.isdisjoint(free_variables(candidate)):
                if candidate in state:
                    holds.append(candidate)
                continue
            known = self._about(edge, candidate)
            answer = known.answer(state)
            if answer:
                holds.append(candidate)
            elif answer is None:
                open_questions.append((candidate, known))
        if open_questions:
            with self._statistics.spending("Hoare triples"):
                answered = self._asked(state, step, open_questions)
            if answered is None:
                return BOTTOM
            holds += answered
        return frozenset(holds)

    def _about(self, edge: Edge, candidate: Term) -> _Known:
        return self._known.setdefault((edge, candidate), _Known())

    def _asked(self, state: State, step: Transition, questions: Sequence[tuple[Term, _Known]]) -> list[Term] | None:
        """Those that follow; None if the step cannot be taken."""
        facts = sorted(state, key=lambda t: t.serial)
        found: list[Term] = []
        with self._solver.scope():
            self._solver.add(step.guard)
            for candidate, known in questions:
                negated = not_(substitute(candidate, step.updates))
                answer = self._solver.check(*facts, negated)
                if isinstance(answer, Unsat):
                    known.sufficient.append(frozenset(answer.core.assumptions) & state)
                    if candidate is FALSE:
                        return None
                    found.append(candidate)
                else:
                    known.insufficient.append(state)
        return found
