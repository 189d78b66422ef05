"""Facts one by one: the least model of a system, where it is finite. What programs without inputs compute is such.

From known facts and a clause, the solver is asked for the arguments of the head, until there are no others. If nothing
new follows, the facts are a model; if false does, they are its derivation. Where a clause leaves a value open there are
too many facts, and the engine gives up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from craton.engines.contract import Budget, OutOfTime, Unknown
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.engines.systems.facts import KnownFacts, applies
from craton.horn.clauses import Clause, System
from craton.horn.derivations import Fact
from craton.horn.grounding import Inference
from craton.horn.models import Model
from craton.logic import Term, Value, and_, constant, eq, evaluate, not_, or_
from craton.logic.evaluation import CannotEvaluate
from craton.smt import Sat, Solver, Unsat, make_solver

MOST_SOLUTIONS = 24  # of one clause from the same facts
MOST_FACTS = 5000


@dataclass(frozen=True, slots=True)
class Explicit(SystemEngine):
    """The facts of a system, all of them."""

    solver: str = "z3"

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        try:
            return _Run(system, budget, self.solver, KnownFacts(system)).answer()
        except (_TooMany, CannotEvaluate) as problem:
            return Unknown(str(problem))
        except OutOfTime:
            return Unknown("out of time")


class _TooMany(Exception):
    """The facts cannot be listed."""


@dataclass(slots=True)
class _Run:
    system: System
    budget: Budget
    solver: str
    facts: KnownFacts
    solvers: dict[int, Solver] = field(default_factory=dict)

    def answer(self) -> SystemAnswer:
        waiting: deque[tuple[int, tuple[int, ...]]] = deque(
            (number, ()) for number, clause in enumerate(self.system.clauses) if not clause.body
        )
        while waiting:
            self.budget.check()
            number, premises = waiting.popleft()
            clause = self.system.clauses[number]
            for values in self._solutions(number, clause, premises):
                if clause.head is None:
                    return Contradicted((*self.facts.inferences, Inference(None, premises, number)))
                new = self._added(Fact(clause.head.predicate, values), premises, number)
                if new is not None:
                    waiting.extend(self.facts.users(new))
        return Solved(self._model(), (self.solver,))

    def _solutions(self, number: int, clause: Clause, premises: Sequence[int]) -> Iterator[tuple[Value, ...]]:
        """The arguments that the head can have: by evaluation where the premises determine them, else from a solver."""
        arguments = () if clause.head is None else clause.head.arguments
        bound = self.facts.binding(clause, premises)
        applicable = False if bound is None else applies(clause, bound)
        if bound is not None and applicable:
            yield tuple(evaluate(a, bound) for a in arguments)
        if applicable is None:
            yield from self._solved(number, clause, premises, arguments)

    def _solved(
        self, number: int, clause: Clause, premises: Sequence[int], arguments: Sequence[Term]
    ) -> Iterator[tuple[Value, ...]]:
        if number not in self.solvers:
            self.solvers[number] = make_solver(self.solver, time_limit=5.0)
            self.solvers[number].add(clause.constraint)
        solver = self.solvers[number]
        with solver.scope():
            for atom, premise in zip(clause.body, premises, strict=True):
                values = self.facts.fact(premise).values
                solver.add(*(eq(a, constant(v, a.sort)) for a, v in zip(atom.arguments, values, strict=True)))
            for _ in range(MOST_SOLUTIONS):
                answer = solver.check()
                if isinstance(answer, Unsat):
                    return
                if not isinstance(answer, Sat):
                    raise _TooMany(f"whether a clause has an instance is not decided: {answer.reason}")
                model = answer.model
                values = tuple(evaluate(a, model) for a in arguments)
                yield values
                if not arguments:
                    return
                solver.add(not_(and_(*(eq(a, constant(v, a.sort)) for a, v in zip(arguments, values, strict=True)))))
        raise _TooMany("there are too many facts to list them")

    def _added(self, fact: Fact, premises: tuple[int, ...], clause: int) -> int | None:
        if len(self.facts) >= MOST_FACTS:
            raise _TooMany(f"there are more than {MOST_FACTS} facts")
        new = self.facts.add(fact, premises, clause)
        self.budget.statistics.states = len(self.facts)
        return new

    def _model(self) -> Model:
        return Model({predicate: or_(*map(self._point, numbers)) for predicate, numbers in self.facts.of.items()})

    def _point(self, number: int) -> Term:
        fact = self.facts.fact(number)
        parameters = fact.predicate.parameters
        return and_(*(eq(p, constant(v, p.sort)) for p, v in zip(parameters, fact.values, strict=True)))
