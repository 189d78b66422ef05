"""What follows from abstract facts by a clause, as far as predicates can tell.

An abstract fact of a predicate is a conjunction of literals over its parameters. Answers are remembered as the solver's
cores: which literals of the premises were needed to contradict a clause, or to derive a literal of its head; and which
premises did not suffice. So exploring again after a refinement asks only what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.engines.predicate.abstraction import Abstracting
from craton.horn.clauses import Clause, System
from craton.logic import FALSE, TRUE, Model, Term, and_, conjuncts, evaluate, not_
from craton.logic.evaluation import CannotEvaluate
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.trees.tree import Tree

State = frozenset[Term]  # literals over the parameters of a predicate
MOST_CUBES = 64


@dataclass(slots=True)
class _Known:
    """What is remembered of a question: premises that suffice, and some that do not."""

    enough: list[frozenset[Term]] = field(default_factory=list)
    too_little: list[frozenset[Term]] = field(default_factory=list)

    def answer(self, premise: frozenset[Term]) -> bool | None:
        if any(core <= premise for core in self.enough):
            return True
        return False if any(premise <= tried for tried in self.too_little) else None


class ClauseAbstraction:
    """The abstract meaning of one clause. Its solver has the constraint; premises are assumptions."""

    def __init__(self, clause: Clause, solver: str, time_limit: float | None) -> None:
        self.clause = clause
        self.solver: Solver = make_solver(solver, time_limit=time_limit)
        self.solver.add(clause.constraint)
        self._contradictory = _Known()
        self._derived: dict[Term, _Known] = {}
        self._models: list[Model] = []

    def post(self, states: Sequence[State], literals: Sequence[Term], how: Abstracting) -> list[State] | None:
        """The abstract facts that follow from these; None if none does. A query has the fact without literals."""
        premise = self._premise(states)
        if self._contradicts(premise):
            return None
        if self.clause.head is None:
            return [frozenset()]
        goals = {literal: self.clause.head.told(literal) for literal in literals}
        held = frozenset(literal for literal, goal in goals.items() if self._follows(premise, goal))
        if how is Abstracting.CARTESIAN:
            return [held]
        return self._cubes(premise, held, {t: goal for t, goal in goals.items() if t not in held})

    def learn(self, states: Sequence[State], assertion: State) -> None:
        """What a refutation says of this clause: the assertions of its premises imply that of its head."""
        premise = self._premise(states)
        if self.clause.head is None or FALSE in assertion:
            self._contradictory.enough.append(premise)
            return
        for literal in assertion:
            self._derived.setdefault(self.clause.head.told(literal), _Known()).enough.append(premise)

    def _premise(self, states: Sequence[State]) -> frozenset[Term]:
        return frozenset(
            atom.told(literal) for atom, state in zip(self.clause.body, states, strict=True) for literal in state
        )

    def _contradicts(self, premise: frozenset[Term]) -> bool:
        known = self._contradictory.answer(premise)
        if known is None:
            answer = self.solver.check(*premise)
            known = isinstance(answer, Unsat)
            self._learn(self._contradictory, premise, answer)
        return known

    def _follows(self, premise: frozenset[Term], goal: Term) -> bool:
        memory = self._derived.setdefault(goal, _Known())
        known = memory.answer(premise)
        if known is not None:
            return known
        if any(_refutes(model, premise, goal) for model in self._models[-4:]):
            memory.too_little.append(premise)
            return False
        answer = self.solver.check(*premise, not_(goal))
        if isinstance(answer, Unsat):
            memory.enough.append(frozenset(answer.core.assumptions) & premise)
            return True
        self._learn(memory, premise, answer)
        return False

    def _learn(self, memory: _Known, premise: frozenset[Term], answer: Sat | Unsat | Undecided) -> None:
        if isinstance(answer, Unsat):
            memory.enough.append(frozenset(answer.core.assumptions))
        else:
            memory.too_little.append(premise)
            if isinstance(answer, Sat):
                self._models.append(answer.model)

    def _cubes(self, premise: frozenset[Term], held: State, goals: dict[Term, Term]) -> list[State]:
        """All combinations of the other literals that are possible; what always holds alone, if there are too many."""
        found: list[State] = []
        with self.solver.scope():
            while len(found) <= MOST_CUBES:
                answer = self.solver.check(*premise)
                if isinstance(answer, Unsat):
                    return found
                if not isinstance(answer, Sat):
                    break
                try:
                    truth = {literal: evaluate(goal, answer.model) is True for literal, goal in goals.items()}
                except CannotEvaluate:
                    break
                found.append(held | {literal if true else not_(literal) for literal, true in truth.items()})
                same = [goals[literal] if true else not_(goals[literal]) for literal, true in truth.items()]
                self.solver.add(not_(and_(*same)))
        return [held]


def _refutes(model: Model, premise: frozenset[Term], goal: Term) -> bool:
    """Whether a model of the constraint satisfies the premise and not the goal."""
    try:
        return evaluate(goal, model) is False and all(evaluate(part, model) is True for part in premise)
    except CannotEvaluate:
        return False


class SystemAbstraction:
    """One abstraction for each clause, shared by all derivations that use it."""

    def __init__(self, system: System, solver: str, time_limit: float | None) -> None:
        self._clauses = [ClauseAbstraction(clause, solver, time_limit) for clause in system.clauses]

    def post(
        self, clause: int, states: Sequence[State], literals: Sequence[Term], how: Abstracting
    ) -> list[State] | None:
        return self._clauses[clause].post(states, literals, how)

    def learn(self, tree: Tree, assertions: Sequence[Term]) -> None:
        """The steps of a refuted tree, as the refuter has shown them: so that it is gone even if the solver decides
        nothing.
        """
        states = [frozenset(part for part in conjuncts(assertion) if part is not TRUE) for assertion in assertions]
        for node, state in zip(tree.nodes, states, strict=True):
            self._clauses[node.clause].learn([states[child] for child in node.children], state)
