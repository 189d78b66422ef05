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
from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.derivations import Fact
from craton.horn.grounding import Inference
from craton.horn.models import Model
from craton.logic import Term, Unspecified, Value, and_, constant, eq, evaluate, free_variables, not_, or_
from craton.logic.evaluation import CannotEvaluate
from craton.logic.semantics import same
from craton.smt import Sat, Solver, Unsat, make_solver

MOST_SOLUTIONS = 24  # of one clause from the same facts
MOST_FACTS = 5000


@dataclass(frozen=True, slots=True)
class Explicit(SystemEngine):
    """The facts of a system, all of them."""

    solver: str = "z3"

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        try:
            return _Run(system, budget, self.solver).answer()
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
    facts: list[Inference] = field(default_factory=list)
    known: set[tuple[Predicate, tuple[object, ...]]] = field(default_factory=set)
    of: dict[Predicate, list[int]] = field(default_factory=dict)
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
                    return Contradicted((*self.facts, Inference(None, premises, number)))
                new = self._added(Fact(clause.head.predicate, values), premises, number)
                if new is not None:
                    waiting.extend(self._users(new))
        return Solved(self._model(), (self.solver,))

    def _solutions(self, number: int, clause: Clause, premises: Sequence[int]) -> Iterator[tuple[Value, ...]]:
        """The arguments that the head can have."""
        if number not in self.solvers:
            self.solvers[number] = make_solver(self.solver, time_limit=5.0)
            self.solvers[number].add(clause.constraint)
        solver = self.solvers[number]
        arguments = () if clause.head is None else clause.head.arguments
        with solver.scope():
            for atom, premise in zip(clause.body, premises, strict=True):
                fact = self.facts[premise].fact
                assert fact is not None
                solver.add(*(eq(a, constant(v, a.sort)) for a, v in zip(atom.arguments, fact.values, strict=True)))
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
        key = (fact.predicate, tuple(map(str, fact.values)))
        if key in self.known:
            return None
        if len(self.facts) >= MOST_FACTS:
            raise _TooMany(f"there are more than {MOST_FACTS} facts")
        self.known.add(key)
        self.facts.append(Inference(fact, premises, clause))
        self.of.setdefault(fact.predicate, []).append(len(self.facts) - 1)
        self.budget.statistics.states += 1
        return len(self.facts) - 1

    def _users(self, new: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Clauses and premises of which the new fact is one, the others being known."""
        fact = self.facts[new].fact
        assert fact is not None
        for number, clause in enumerate(self.system.clauses):
            for place, atom in enumerate(clause.body):
                if atom.predicate != fact.predicate:
                    continue
                for premises in self._joined(clause, place, new):
                    yield number, premises

    def _joined(self, clause: Clause, place: int, new: int) -> Iterator[tuple[int, ...]]:
        """Premises for the clause that can be true together, as far as it can be told without a solver."""
        order = [place, *(i for i in range(len(clause.body)) if i != place)]
        waiting: list[tuple[dict[int, int], dict[Term, Value]]] = [({}, {})]
        for i in order:
            found: list[tuple[dict[int, int], dict[Term, Value]]] = []
            known = [new] if i == place else self.of.get(clause.body[i].predicate, [])
            for chosen, bound in waiting:
                for number in known:
                    if i < place and number == new:
                        continue  # counted when this place is the first of the new fact
                    more = self._bound(clause.body[i], number, bound)
                    if more is not None:
                        found.append(({**chosen, i: number}, more))
            waiting = found
        for chosen, _ in waiting:
            yield tuple(chosen[i] for i in range(len(clause.body)))

    def _bound(self, atom: Atom, number: int, bound: dict[Term, Value]) -> dict[Term, Value] | None:
        """The values of variables if the atom is this fact; None if it cannot be."""
        fact = self.facts[number].fact
        assert fact is not None
        found = dict(bound)
        for argument, value in zip(atom.arguments, fact.values, strict=True):
            if argument.is_variable and argument not in found:
                found[argument] = value
        for argument, value in zip(atom.arguments, fact.values, strict=True):
            if free_variables(argument) <= found.keys() and not _same(argument, value, found):
                return None
        return found

    def _model(self) -> Model:
        return Model({predicate: or_(*map(self._point, numbers)) for predicate, numbers in self.of.items()})

    def _point(self, number: int) -> Term:
        fact = self.facts[number].fact
        assert fact is not None
        parameters = fact.predicate.parameters
        return and_(*(eq(p, constant(v, p.sort)) for p, v in zip(parameters, fact.values, strict=True)))


def _same(argument: Term, value: Value, bound: dict[Term, Value]) -> bool:
    try:
        return same(argument.sort, evaluate(argument, bound, specified_only=True), value)
    except Unspecified:
        return True  # left to the solver
