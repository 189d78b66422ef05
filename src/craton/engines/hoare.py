"""Hoare triples, the currency of engines: {P} step {q} for conjunctions P of predicates.

Answered by data flow first (a step that writes none of q's variables keeps q; what shares no variable with P and the
guard does not follow from them), then from what is known already, be it from a refiner or from earlier answers, in both
directions of implication (what follows from a part of P follows from P; what does not follow from more than P does
not follow from P), then by a solver. When a triple holds, the solver's core says which part of P it needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.engines.contract import Statistics
from craton.logic import FALSE, TRUE, Term, conjuncts, free_variables, not_, substitute
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
    known: dict[Term, Known] = field(default_factory=dict)
    _before: dict[Term, Term] = field(default_factory=dict)

    def before(self, candidate: Term) -> Term:
        """What must hold before the step for the candidate to hold after it."""
        found = self._before.get(candidate)
        if found is None:
            found = self._before[candidate] = substitute(candidate, self.does.updates)
        return found

    def may_follow(self, candidate: Term, said: frozenset[Term]) -> bool:
        """What shares no variable with anything that is said of the state before follows from it only if it is valid,
        or if the step is impossible, which is a question of its own.
        """
        before = self.before(candidate)
        return before is TRUE or not said.isdisjoint(free_variables(before))


def make_step(edge: Edge) -> Step:
    does = transition(edge.statement)
    return Step(edge, does, free_variables(does.guard))


class Triples:
    def __init__(self, solver: str, statistics: Statistics, time_limit: float | None = 2.0) -> None:
        self._solver: Solver = make_solver(solver, time_limit=time_limit)
        self._statistics = statistics

    def learn(self, before: Term, step: Step, after: Term) -> None:
        """A refiner's word that {before} step {after} holds. Progress rests on it: what refutes a trace is known before
        anybody asks, so the trace is gone, whether or not the solver could find each triple again in time.
        """
        state = frozenset(conjuncts(before))
        for part in conjuncts(after):
            _about(step, part).sufficient.append(state)

    def successors(self, state: State, step: Step, candidates: Sequence[Term]) -> State:
        """Those of the candidates that hold after the step; BOTTOM if it cannot be taken.

        Undecided is not valid.
        """
        if FALSE in state or step.does.guard is FALSE:
            return BOTTOM
        known = _about(step, FALSE)
        impossible = known.answer(state)
        if impossible:
            return BOTTOM
        holds: list[Term] = []
        open_questions: list[tuple[Term, Known]] = []
        if impossible is None and step.guarded:
            open_questions.append((FALSE, known))
        said = step.guarded.union(*map(free_variables, state))  # all that the state and the guard speak of
        for candidate in candidates:
            if candidate in state and step.does.written.isdisjoint(free_variables(candidate)):
                holds.append(candidate)
                continue
            known = _about(step, candidate)
            answer = known.answer(state)
            if answer:
                holds.append(candidate)
            elif answer is None and step.may_follow(candidate, said):
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
                negated = not_(step.before(candidate))
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
