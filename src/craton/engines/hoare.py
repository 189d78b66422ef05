"""Hoare triples, the currency of engines: {P} step {q} for conjunctions P of predicates.

Answered by data flow first (a step that touches none of q's variables keeps q), then from what is known already, in
both directions of implication (what follows from a part of P follows from P; what does not follow from more than P does
not follow from P), then by a solver. When a triple holds, the solver's core says which part of P it needed.
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
class Known:
    """What is known of {P} step {q} for one step and one q."""

    sufficient: list[State] = field(default_factory=list)  # conjunctions from which q follows
    insufficient: list[State] = field(default_factory=list)  # conjunctions from which it does not, as far as we see

    def answer(self, state: State) -> bool | None:
        for part in self.sufficient:
            if part <= state:
                return True
        for whole in self.insufficient:
            if state <= whole:
                return False
        return None


@dataclass(slots=True, eq=False)
class Step:
    """An edge of the program, what it does, and what is known of it."""

    edge: Edge
    does: Transition
    guarded: frozenset[Term]  # the variables of its guard
    touched: frozenset[Term]  # those that it writes, too
    known: dict[Term, Known] = field(default_factory=dict)


def make_step(edge: Edge) -> Step:
    does = transition(edge.statement)
    guarded = free_variables(does.guard)
    return Step(edge, does, guarded, guarded | does.written)


class Triples:
    def __init__(self, solver: str, statistics: Statistics, time_limit: float | None = 2.0) -> None:
        self._solver: Solver = make_solver(solver, time_limit=time_limit)
        self._statistics = statistics

    def successors(self, state: State, step: Step, candidates: Sequence[Term]) -> State:
        """Those of the candidates that hold after the step; BOTTOM if it cannot be taken.

        Undecided is not valid.
        """
        if FALSE in state or step.does.guard is FALSE:
            return BOTTOM
        holds: list[Term] = []
        open_questions: list[tuple[Term, Known]] = []
        if step.guarded:
            known = _about(step, FALSE)
            impossible = known.answer(state)
            if impossible:
                return BOTTOM
            if impossible is None:
                open_questions.append((FALSE, known))
        for candidate in candidates:
            if step.touched.isdisjoint(free_variables(candidate)):
                if candidate in state:
                    holds.append(candidate)
                continue
            known = _about(step, candidate)
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

    def _asked(self, state: State, step: Step, questions: Sequence[tuple[Term, Known]]) -> list[Term] | None:
        """Those that follow; None if the step cannot be taken."""
        facts = sorted(state, key=lambda t: t.serial)
        found: list[Term] = []
        with self._solver.scope():
            self._solver.add(step.does.guard)
            for candidate, known in questions:
                negated = not_(substitute(candidate, step.does.updates))
                answer = self._solver.check(*facts, negated)
                if isinstance(answer, Unsat):
                    known.sufficient.append(frozenset(answer.core.assumptions) & state)
                    if candidate is FALSE:
                        return None
                    found.append(candidate)
                else:
                    known.insufficient.append(state)
        return found


def _about(step: Step, candidate: Term) -> Known:
    known = step.known.get(candidate)
    if known is None:
        known = step.known[candidate] = Known()
    return known
