"""Some facts of a system, of as many kinds as possible in a little time: small numbers first, and a few at the ends of
their range.

Where the premises determine everything, a step is an evaluation. Otherwise the open variables get drawn values, as far
as the constraint allows them, from a solver.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from craton.engines.contract import Budget
from craton.engines.systems.contract import Contradicted
from craton.engines.systems.facts import Binding, KnownFacts, applies
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.derivations import Fact
from craton.horn.grounding import Inference
from craton.logic import BOOL, INT, BitVec, Sort, Term, Unspecified, Value, constant, eq, evaluate
from craton.logic.evaluation import Model as Values
from craton.processes.running_time import running_time
from craton.smt import Sat, Solver, Unsat, make_solver

SOLVER = "z3"
MOST_FACTS = 150  # of one predicate
MOST_WAITING = 3000
DRAWN_AT_FIRST, DRAWN_LATER = 30, 2  # values for the variables of a clause without body, and of others
SMALLEST, LARGEST = -3, 9
AT_THE_ENDS = 0.12  # the probability of a number at the ends of its range


def sampled(system: System, seconds: float, budget: Budget, seed: int = 0) -> KnownFacts | Contradicted:
    """Facts that the system derives; false, if that came up."""
    return _Sampling(system, budget, running_time() + seconds, random.Random(seed)).result()


@dataclass(slots=True)
class _Sampling:
    system: System
    budget: Budget
    deadline: float
    draw: random.Random
    known: KnownFacts = field(init=False)
    waiting: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    solvers: dict[int, Solver] = field(default_factory=dict)
    full: set[Predicate] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.known = KnownFacts(self.system)

    def result(self) -> KnownFacts | Contradicted:
        self.waiting += [(number, ()) for number, clause in enumerate(self.system.clauses) if not clause.body]
        while self.waiting and running_time() < self.deadline:
            self.budget.check()
            number, premises = self._next()
            clause = self.system.clauses[number]
            if clause.head is not None and clause.head.predicate in self.full:
                continue
            for values in self._instances(number, clause, premises):
                if clause.head is None:
                    return Contradicted((*self.known.inferences, Inference(None, premises, number)))
                self._note(clause.head.predicate, clause.head.arguments, values, premises, number)
        return self.known

    def _next(self) -> tuple[int, tuple[int, ...]]:
        """Old ones and new ones in turn: long derivations are seen, and none is forgotten."""
        place = self.draw.choice((0, -1, self.draw.randrange(len(self.waiting))))
        return self.waiting.pop(place)

    def _note(
        self,
        predicate: Predicate,
        arguments: Sequence[Term],
        values: Binding | Values,
        premises: tuple[int, ...],
        clause: int,
    ) -> None:
        try:
            fact = Fact(predicate, tuple(evaluate(a, values, specified_only=True) for a in arguments))
        except Unspecified:
            return
        new = self.known.add(fact, premises, clause)
        if new is None:
            return
        if len(self.known.of[predicate]) >= MOST_FACTS:
            self.full.add(predicate)
        for use in self.known.users(new):
            if len(self.waiting) >= MOST_WAITING:
                break
            self.waiting.append(use)

    def _instances(self, number: int, clause: Clause, premises: tuple[int, ...]) -> Iterator[Binding | Values]:
        """Values for all variables of the clause under which it applies to the premises."""
        bound = self.known.binding(clause, premises)
        if bound is None:
            return
        applicable = applies(clause, bound)
        if applicable is not None:
            if applicable:
                yield bound
            return
        open_ = [v for v in clause.variables if v not in bound]
        solver = self._solver(number, clause)
        with solver.scope():
            for atom, premise in zip(clause.body, premises, strict=True):
                values = self.known.fact(premise).values
                solver.add(*(eq(a, constant(v, a.sort)) for a, v in zip(atom.arguments, values, strict=True)))
            for _ in range(DRAWN_LATER if premises else DRAWN_AT_FIRST):
                found = self._drawn(solver, open_)
                if found is None or running_time() > self.deadline:
                    return
                yield found

    def _solver(self, number: int, clause: Clause) -> Solver:
        if number not in self.solvers:
            self.solvers[number] = make_solver(SOLVER, time_limit=1.0)
            self.solvers[number].add(clause.constraint)
        return self.solvers[number]

    def _drawn(self, solver: Solver, variables: Sequence[Term]) -> Values | None:
        """A model with drawn values for most variables; None if there is no model."""
        wanted = [eq(v, constant(self._value(v.sort), v.sort)) for v in variables if _can_be_drawn(v.sort)]
        self.draw.shuffle(wanted)
        while True:
            answer = solver.check(*wanted)
            if isinstance(answer, Sat):
                return answer.model
            if not isinstance(answer, Unsat) or not wanted:
                return None
            dropped = next((w for w in wanted if w in answer.core.assumptions), wanted[0])
            wanted.remove(dropped)

    def _value(self, sort: Sort) -> Value:
        if sort is BOOL:
            return self.draw.random() < 0.5
        number = self.draw.randint(SMALLEST, LARGEST)
        if not isinstance(sort, BitVec):
            return number
        if self.draw.random() < AT_THE_ENDS:
            number += self.draw.choice((0, 1 << (sort.width - 1)))
        return number % (1 << sort.width)


def _can_be_drawn(sort: Sort) -> bool:
    return sort in (BOOL, INT) or isinstance(sort, BitVec)
