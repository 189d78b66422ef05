"""Predicate abstraction over the hypergraph of a system: abstract facts are derived until nothing new follows, or false
does. A derivation of false is a tree, which a refiner refutes or finds feasible; what it asserts becomes new literals.

Small derivations come first, so that errors are short and refinements are about what matters. A fact is not derived if
a known one of the same predicate says less (covers it). After a refinement the search begins again; what clauses answer
is remembered (`abstraction`), so that going over the same ground costs little.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from craton.engines.contract import Budget, OutOfTime, Progress, Unknown
from craton.engines.predicate.abstraction import Abstracting
from craton.engines.refinement import NoProgress
from craton.engines.systems.abstraction import State, SystemAbstraction
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.horn.clauses import Predicate, System
from craton.horn.derivations import unfolded
from craton.horn.models import Model
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, or_
from craton.traces.memory import RunMemory
from craton.traces.refutation import Feasible, GaveUp, Refiner
from craton.trees.feasibility import facts_of
from craton.trees.refiners import refute
from craton.trees.tree import Node, Tree

LARGEST_TREE = 3000  # nodes; derivations share facts, trees do not
_QUERY_LIMIT = 2.0  # seconds for one question to the solver


@dataclass(frozen=True, slots=True)
class PredicateAbstraction(SystemEngine):
    """Lazy derivation of abstract facts, refined by trees."""

    refiner: Refiner
    abstracting: Abstracting = Abstracting.CARTESIAN
    solver: str = "z3"

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        run = _Run(self, system, budget)
        try:
            return run.answer()
        except OutOfTime:
            return Unknown("out of time")


@dataclass(frozen=True, slots=True)
class _Fact:
    """An abstract fact and how it was derived first."""

    predicate: Predicate
    state: State
    clause: int
    premises: tuple[int, ...]
    size: int


@dataclass(slots=True)
class _Run:
    engine: PredicateAbstraction
    system: System
    budget: Budget
    abstraction: SystemAbstraction = field(init=False)
    precision: dict[Predicate, dict[Term, None]] = field(default_factory=dict)
    memory: RunMemory = field(default_factory=RunMemory)
    refuted: set[tuple[Node, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.abstraction = SystemAbstraction(self.system, self.engine.solver, _QUERY_LIMIT)

    def answer(self) -> SystemAnswer:
        while True:
            search = _Search(self)
            tree = search.tree()
            if tree is None:
                return Solved(search.model(), (self.engine.solver,))
            if isinstance(tree, Unknown):
                return tree
            found = self._refined(tree)
            if found is not None:
                return found

    def _refined(self, tree: Tree) -> SystemAnswer | None:
        """None if the tree was refuted. It cannot come back: its steps are known now, and literals are never lost."""
        if tree.nodes in self.refuted:
            raise NoProgress("a derivation that was refuted came back")
        self.refuted.add(tree.nodes)
        statistics = self.budget.statistics
        statistics.iterations += 1
        statistics.trace_lengths.append(len(tree))
        with statistics.spending("refinement"):
            answer = refute(self.engine.refiner, tree, self.memory)
        if isinstance(answer, Feasible):
            return Contradicted(facts_of(tree, answer.model))
        if isinstance(answer, GaveUp):
            return Unknown(f"a derivation could not be refuted: {answer.reason}")
        statistics.count(answer)
        self.abstraction.learn(tree, answer.assertions)
        new = 0
        for number, assertion in enumerate(answer.assertions):
            head = tree.clause(number).head
            if head is not None:
                known = self.precision.setdefault(head.predicate, {})
                for part in conjuncts(assertion):
                    if part not in known and part is not TRUE:
                        known[part] = None
                        new += 1
        statistics.predicates += new
        self.budget.watch(Progress(statistics.iterations, len(tree), statistics.predicates, statistics.states))
        return None


class _Search:
    """Abstract facts by the size of their derivations, until false is derived or nothing new follows."""

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.facts: list[_Fact] = []
        self.alive: dict[Predicate, list[int]] = {}  # facts that no other covers
        self.waiting: list[tuple[int, int, int, tuple[int, ...]]] = []
        self.pushed = 0
        self.users: dict[Predicate, list[tuple[int, int]]] = {}
        for number, clause in enumerate(run.system.clauses):
            for place, atom in enumerate(clause.body):
                self.users.setdefault(atom.predicate, []).append((number, place))
            if not clause.body:
                self._push(number, ())

    def tree(self) -> Tree | Unknown | None:
        """A tree that derives false abstractly; None if there is none."""
        run = self.run
        while self.waiting:
            run.budget.check()
            _, _, number, premises = heapq.heappop(self.waiting)
            if any(p not in self.alive[self.facts[p].predicate] for p in premises):
                continue  # covered meanwhile: what covers it has pushed its own
            head = run.system.clauses[number].head
            literals = () if head is None else tuple(run.precision.get(head.predicate, ()))
            states = [self.facts[p].state for p in premises]
            with run.budget.statistics.spending("abstraction"):
                found = run.abstraction.post(number, states, literals, run.engine.abstracting)
            if found is None:
                continue
            if head is None:
                return self._unfolded(number, premises)
            for state in found:
                self._add(head.predicate, state, number, premises)
        return None

    def _add(self, predicate: Predicate, state: State, clause: int, premises: tuple[int, ...]) -> None:
        known = self.alive.setdefault(predicate, [])
        if FALSE in state or any(self.facts[n].state <= state for n in known):
            return
        self.alive[predicate] = [n for n in known if not state <= self.facts[n].state]
        size = 1 + sum(self.facts[p].size for p in premises)
        self.facts.append(_Fact(predicate, state, clause, premises, size))
        new = len(self.facts) - 1
        self.alive[predicate].append(new)
        self.run.budget.statistics.states += 1
        for number, place in self.users.get(predicate, ()):
            for combination in self._combinations(number, place, new):
                self._push(number, combination)

    def _combinations(self, number: int, place: int, new: int) -> Iterator[tuple[int, ...]]:
        """Premises for a clause, of which the one at a place is the new fact, and the first that is."""
        choices: list[Sequence[int]] = []
        for i, atom in enumerate(self.run.system.clauses[number].body):
            known = self.alive.get(atom.predicate, [])
            choices.append((new,) if i == place else [n for n in known if n != new] if i < place else known)
        return product(*choices)

    def _push(self, number: int, premises: tuple[int, ...]) -> None:
        self.pushed += 1
        size = 1 + sum(self.facts[p].size for p in premises)
        heapq.heappush(self.waiting, (size, self.pushed, number, premises))

    def _unfolded(self, number: int, premises: tuple[int, ...]) -> Tree | Unknown:
        if sum(self.facts[p].size for p in premises) >= LARGEST_TREE:
            return Unknown(f"a derivation has more than {LARGEST_TREE} steps")

        def derived(step: tuple[int, tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
            return [(self.facts[p].clause, self.facts[p].premises) for p in step[1]]

        nodes = tuple(Node(clause, below) for (clause, _), below in unfolded((number, premises), derived))
        return Tree(self.run.system, nodes)

    def model(self) -> Model:
        """What the facts say of each predicate; it is inductive, since nothing new follows."""
        return Model(
            {
                predicate: or_(*(and_(*sorted(self.facts[n].state, key=lambda t: t.serial)) for n in alive))
                for predicate, alive in self.alive.items()
            }
        )
