"""Hoare triples, the currency of engines: {P} step {q} for conjunctions P of predicates.

They are decided by data flow first (a step that writes none of q's variables keeps q; a q that shares no variable with
P and the guard does not follow from them), then from what is already known from a refiner or earlier answers, using
implication both ways (what follows from a part of P follows from P; what does not follow from more than P does not
follow from P), then by a solver. When a triple holds, the solver's core says which part of P was needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from craton.engines.contract import Statistics
from craton.engines.steps import Step
from craton.logic import BOOL, FALSE, TRUE, Term, conjuncts, free_variables, implies, not_, var
from craton.smt import Solver, Unsat, make_solver

State = frozenset[Term]  # a conjunction of predicates
BOTTOM: State = frozenset((FALSE,))


@dataclass(slots=True)
class Known:
    """What is known about {P} step {q} for one step and one q."""

    sufficient: list[State] = field(default_factory=list)  # conjunctions from which q follows
    insufficient: list[State] = field(default_factory=list)  # conjunctions from which it does not, as far as we know

    def answer(self, state: State) -> bool | None:
        for part in self.sufficient:
            if part <= state:
                return True
        for whole in self.insufficient:
            if state <= whole:
                return False
        return None


def may_follow(candidate: Term, step: Step, said: frozenset[Term]) -> bool:
    """A formula that shares no variable with what is known before the step follows only if it is valid, or if the step
    is impossible, which is checked separately.
    """
    before = step.before(candidate)
    return before is TRUE or not said.isdisjoint(free_variables(before))


class Triples:
    def __init__(self, solver: str, statistics: Statistics, time_limit: float | None = 2.0) -> None:
        self._solver: Solver = make_solver(solver, time_limit=time_limit)
        self._statistics = statistics
        self._known: dict[Step, dict[Term, Known]] = {}

    def learn(self, before: Term, step: Step, after: Term) -> None:
        """Records a refiner's claim that {before} step {after} holds. Progress depends on it: the triples that refute a
        trace are known before they are asked for, so the trace is gone even if the solver could not decide each triple
        again in time.
        """
        state = frozenset(conjuncts(before))
        for part in conjuncts(after):
            self._about(step, part).sufficient.append(state)

    def successors(self, state: State, step: Step, candidates: Sequence[Term]) -> State:
        """The candidates that hold after the step; BOTTOM if it cannot be taken.

        Undecided counts as not valid.
        """
        if FALSE in state or step.update.guard is FALSE:
            return BOTTOM
        known = self._about(step, FALSE)
        impossible = known.answer(state)
        if impossible:
            return BOTTOM
        holds: list[Term] = []
        open_questions: list[tuple[Term, Known]] = []
        if impossible is None and step.guarded:
            open_questions.append((FALSE, known))
        said = step.guarded.union(*map(free_variables, state))  # all variables of the state and the guard
        for candidate in candidates:
            if candidate in state and step.update.written.isdisjoint(free_variables(candidate)):
                holds.append(candidate)
                continue
            known = self._about(step, candidate)
            answer = known.answer(state)
            if answer:
                holds.append(candidate)
            elif answer is None and may_follow(candidate, step, said):
                open_questions.append((candidate, known))
        if open_questions:
            with self._statistics.spending("Hoare triples"):
                answered = self._asked(state, step, open_questions)
            if answered is None:
                return BOTTOM
            holds += answered
        return frozenset(holds)

    def _asked(self, state: State, step: Step, questions: Sequence[tuple[Term, Known]]) -> list[Term] | None:
        """The formulas that follow; None if the step cannot be taken. Facts have switches: z3 takes much longer if what
        it assumes is more than a literal.
        """
        facts = {_switch(fact): fact for fact in sorted(state, key=lambda t: t.serial)}
        found: list[Term] = []
        with self._solver.scope():
            self._solver.add(step.update.guard, *map(implies, facts.keys(), facts.values()))
            for candidate, known in questions:
                needed = self._needed(not_(step.before(candidate)), facts)
                if needed is None:
                    known.insufficient.append(state)
                    continue
                known.sufficient.append(needed)
                if candidate is FALSE:
                    return None
                found.append(candidate)
        return found

    def _needed(self, negated: Term, facts: Mapping[Term, Term]) -> State | None:
        """The facts that contradict a formula."""
        with self._solver.scope():
            self._solver.add(negated)
            answer = self._solver.check(*facts)
            return frozenset(facts[s] for s in answer.core.assumptions) if isinstance(answer, Unsat) else None

    def _about(self, step: Step, candidate: Term) -> Known:
        of_step = self._known.get(step)
        if of_step is None:
            of_step = self._known[step] = {}
        known = of_step.get(candidate)
        if known is None:
            known = of_step[candidate] = Known()
        return known


@cache
def _switch(fact: Term) -> Term:
    """What is assumed for the fact to count."""
    return var(f"known {fact.serial}", BOOL)
