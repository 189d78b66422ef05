"""The part of a model that is needed: from the queries backwards, conjuncts that some clause needs to derive others.

    Law: what is left is a model if the whole was one. Where a solver has no answer, all premises are kept.

A proof should be readable, and quick to check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from craton.engines.contract import Budget
from craton.engines.systems.linear import shown_by_sums
from craton.errors import MissingCapability
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.models import Model
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, not_, substitute
from craton.smt import Solver, Unsat, make_solver

QUERY_SECONDS, SECOND_SECONDS = 1.0, 4.0
SECOND = "bitwuzla"

_Part = tuple[Predicate, Term]


def lean(system: System, model: Model, solver: str, budget: Budget) -> tuple[Model, tuple[str, ...]]:
    """The model with fewer conjuncts, and the solvers that this relies on."""
    leaning = _Leaning(system, model, solver, budget)
    return leaning.result(), tuple(leaning.by)


class _Leaning:
    def __init__(self, system: System, model: Model, solver: str, budget: Budget) -> None:
        self.system = system
        self.parts = {p: [t for t in conjuncts(meaning) if t is not TRUE] for p, meaning in model.meanings.items()}
        self.budget = budget
        self.name = solver
        self.solvers: dict[int, Solver] = {}
        self.by: dict[str, None] = {solver: None}
        self.needed: dict[_Part, None] = {}
        self.waiting: list[_Part] = []

    def result(self) -> Model:
        for number in self.system.queries:
            self._need(number, FALSE)
        while self.waiting:
            predicate, part = self.waiting.pop()
            for number in self.system.defining(predicate):
                head = self.system.clauses[number].head
                assert head is not None
                told = dict(zip(predicate.parameters, head.arguments, strict=True))
                self._need(number, substitute(part, told))
        return Model(
            {p: and_(*(part for part in parts if (p, part) in self.needed)) for p, parts in self.parts.items()}
        )

    def _need(self, number: int, goal: Term) -> None:
        """Notes the premises by which a clause derives the goal."""
        if goal is TRUE:
            return
        self.budget.check()
        premises = self._premises(self.system.clauses[number])
        for instance in self._enough(number, premises, goal):
            for part in premises[instance]:
                if part not in self.needed:
                    self.needed[part] = None
                    self.waiting.append(part)

    def _premises(self, clause: Clause) -> dict[Term, list[_Part]]:
        """The instances of conjuncts about the atoms of the body, and which conjuncts they are of."""
        found: dict[Term, list[_Part]] = {}
        for atom in clause.body:
            told = dict(zip(atom.predicate.parameters, atom.arguments, strict=True))
            for part in self.parts.get(atom.predicate, (FALSE,)):
                found.setdefault(substitute(part, told), []).append((atom.predicate, part))
        return found

    def _enough(self, number: int, premises: Mapping[Term, Sequence[_Part]], goal: Term) -> list[Term]:
        """Premises that imply the goal, of those that are needed anyway if possible."""
        clause = self.system.clauses[number]
        anyway = [t for t, parts in premises.items() if all(part in self.needed for part in parts)]
        for some in dict.fromkeys((tuple(anyway), tuple(premises))):
            by_sums = shown_by_sums([clause.constraint], some, goal)
            if by_sums is not None:
                return list(by_sums)
            answer = self._solver(number).check(*some, not_(goal))
            if isinstance(answer, Unsat):
                return [t for t in answer.core.assumptions if t in premises]
        return self._by_second(number, premises, goal)

    def _by_second(self, number: int, premises: Mapping[Term, object], goal: Term) -> list[Term]:
        """From a solver that is better at adding bits; all premises if it has no answer either. With so few premises
        the first may be able to confirm it: one that others rely on less is one that can check the model.
        """
        try:
            with make_solver(SECOND, time_limit=SECOND_SECONDS) as second:
                second.add(self.system.clauses[number].constraint)
                answer = second.check(*premises, not_(goal))
                few = [t for t in answer.core.assumptions if t in premises] if isinstance(answer, Unsat) else None
        except MissingCapability:
            few = None
        if few is None:
            return list(premises)
        if not isinstance(self._solver(number).check(*few, not_(goal)), Unsat):
            self.by[SECOND] = None
        return few

    def _solver(self, number: int) -> Solver:
        if number not in self.solvers:
            self.solvers[number] = make_solver(self.name, time_limit=QUERY_SECONDS)
            self.solvers[number].add(self.system.clauses[number].constraint)
        return self.solvers[number]
