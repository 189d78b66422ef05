"""Hoare triples, the currency of engines: {P} step {q} for conjunctions P of predicates.

They are decided by data flow first (a step that writes none of q's variables keeps q; a q that shares no variable with
P and the guard does not follow from them), then from what is already known from a refiner or earlier answers, using
implication both ways (what follows from a part of P follows from P; what does not follow from more than P does not
follow from P), then by a solver. When a triple holds, the solver's core says which part of P was needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from craton.engines.contract import Statistics
from craton.engines.steps import Step
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    BitVec,
    Term,
    conjuncts,
    evaluate,
    free_variables,
    functions,
    implies,
    is_quantified,
    not_,
    substitute,
    var,
)
from craton.logic.semantics import Value
from craton.smt import Sat, Solver, Unsat, make_solver
from craton.traces.values import told_value

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
        self._values: dict[State, Mapping[Term, tuple[Term, Term]]] = {}

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
            seen = self._seen(state, step, open_questions)
            if seen is None:
                return BOTTOM
            followed, open_questions = seen
            holds += followed
        if open_questions:
            with self._statistics.spending("Hoare triples"):
                answered = self._asked(state, step, open_questions)
            if answered is None:
                return BOTTOM
            holds += answered
        return frozenset(holds)

    def _seen(
        self, state: State, step: Step, questions: Sequence[tuple[Term, Known]]
    ) -> tuple[list[Term], list[tuple[Term, Known]]] | None:
        """What can be seen without a solver: the formulas that follow, and those that are still open; None if the step
        cannot be taken. A formula is seen to follow from the values of its variables, or because it is said in so many
        words; what is seen to be false after some run, or said to be false, is not asked for.
        """
        values = self._values_in(state)
        said = _conjuncts(step.update.guard)
        follows: list[Term] = []
        open_: list[tuple[Term, Known]] = []
        for candidate, known in questions:
            if candidate is FALSE:
                needed = _contradiction(step.update.guard, said, state, values)
                if needed is not None:
                    known.sufficient.append(needed)
                    return None
                if _folded(step.update.guard, values) is not TRUE:
                    open_.append((candidate, known))
                continue
            before = step.before(candidate)
            folded = _folded(before, values)
            if before in state or before in said or folded is TRUE:
                follows.append(candidate)
                known.sufficient.append(_needed_for(before, state, said, values))
            elif folded is FALSE or not_(before) in state or not_(before) in said:
                known.insufficient.append(state)
            else:
                open_.append((candidate, known))
        return follows, open_

    def _values_in(self, state: State) -> Mapping[Term, tuple[Term, Term]]:
        """The variables whose values a state says, with the value and the fact that says it."""
        found = self._values.get(state)
        if found is None:
            told = ((fact, told_value(fact)) for fact in sorted(state, key=lambda t: t.serial))
            found = self._values[state] = {one[0]: (one[1], fact) for fact, one in told if one is not None}
        return found

    def _asked(self, state: State, step: Step, questions: Sequence[tuple[Term, Known]]) -> list[Term] | None:
        """The formulas that follow; None if the step cannot be taken. Facts have switches: z3 takes much longer if what
        it assumes is more than a literal.
        """
        facts = {_switch(fact): fact for fact in sorted(state, key=lambda t: t.serial)}
        found: list[Term] = []
        refuted: set[Term] = set()  # by a run that was seen
        befores = [step.before(candidate) for candidate, _ in questions]
        with self._solver.scope():
            self._solver.add(step.update.guard, *map(implies, facts.keys(), facts.values()))
            for number, (candidate, known) in enumerate(questions):
                if not_(candidate) in found:
                    continue  # the step can be taken, so it cannot follow, too
                others = [one for one in befores[number + 1 :] if one not in refuted]
                needed = None
                if befores[number] not in refuted:
                    needed = self._needed(not_(befores[number]), facts, others, refuted)
                if needed is None:
                    known.insufficient.append(state)
                    continue
                known.sufficient.append(needed)
                if candidate is FALSE:
                    return None
                found.append(candidate)
        return found

    def _needed(
        self, negated: Term, facts: Mapping[Term, Term], others: Sequence[Term], refuted: set[Term]
    ) -> State | None:
        """The facts that contradict a formula. If none do, there is a run: other formulas that are false in it are
        refuted, too.
        """
        with self._solver.scope():
            self._solver.add(negated)
            answer = self._solver.check(*facts)
            if isinstance(answer, Unsat):
                return frozenset(facts[s] for s in answer.core.assumptions)
            if isinstance(answer, Sat):
                values: dict[Term, Value] = {}
                for other in filter(is_scalar, others):
                    for v in free_variables(other) - values.keys():
                        values[v] = answer.value(v)
                    if not evaluate(other, values):
                        refuted.add(other)
            return None

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


@lru_cache(maxsize=10_000)
def is_scalar(formula: Term) -> bool:
    """Whether values of its variables, which are few and small, say if it holds."""
    scalar = all(v.sort is BOOL or isinstance(v.sort, BitVec) for v in free_variables(formula))
    return scalar and not is_quantified(formula) and not any(True for _ in functions(formula))


@lru_cache(maxsize=10_000)
def _conjuncts(guard: Term) -> frozenset[Term]:
    return frozenset(conjuncts(guard))


def _folded(formula: Term, values: Mapping[Term, tuple[Term, Term]]) -> Term:
    concerned = {v: values[v][0] for v in free_variables(formula) if v in values}
    return substitute(formula, concerned) if concerned else formula


def _contradiction(
    guard: Term, said: frozenset[Term], state: State, values: Mapping[Term, tuple[Term, Term]]
) -> State | None:
    """Facts of which it is easily seen that they exclude the guard."""
    for part in said:
        if not_(part) in state:
            return frozenset((not_(part),))
    return _facts_about(guard, values) if _folded(guard, values) is FALSE else None


def _needed_for(before: Term, state: State, said: frozenset[Term], values: Mapping[Term, tuple[Term, Term]]) -> State:
    """Facts from which a formula follows that was seen to follow."""
    if before in said:
        return frozenset()
    return frozenset((before,)) if before in state else _facts_about(before, values)


def _facts_about(formula: Term, values: Mapping[Term, tuple[Term, Term]]) -> State:
    return frozenset(values[v][1] for v in free_variables(formula) if v in values)
