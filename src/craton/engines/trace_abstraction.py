"""Trace abstraction: refutations as automata, programs as languages (Heizmann, Hoenicke, Podelski).

The abstraction is an automaton over the program's edges that accepts its error traces not yet refuted. Each refutation
gives an interpolant automaton, whose states are conjunctions of the refutation's assertions and whose transitions are
Hoare triples, found only when the difference asks for them. When no error trace is left, the assertions collected on
the way annotate the program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from craton.engines.contract import Budget, OutOfTime, Safe, Unknown, Unsafe, Verdict
from craton.engines.hoare import BOTTOM, State, Triples
from craton.engines.refining import refute
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, or_
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.traces.refutation import Feasible, GaveUp, Refiner
from craton.traces.trace import Trace


@dataclass(slots=True)
class Abstraction:
    """An automaton: its states are numbers, each at a location and with what is known to hold there."""

    locations: list[Location] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)
    outgoing: list[list[tuple[Edge, int]]] = field(default_factory=list)

    def add(self, location: Location, facts: Term) -> int:
        self.locations.append(location)
        self.facts.append(facts)
        self.outgoing.append([])
        return len(self.locations) - 1

    def __len__(self) -> int:
        return len(self.locations)


@dataclass(slots=True)
class TraceAbstraction:
    refiner: Refiner
    solver: str = "z3"
    blocks: int | None = None

    @property
    def name(self) -> str:
        return f"trace-abstraction({self.refiner.name})"

    def run(self, program: Program, budget: Budget) -> Verdict:
        return _Run(self, program, budget).run()


class _Run:
    def __init__(self, engine: TraceAbstraction, program: Program, budget: Budget) -> None:
        self.refiner = engine.refiner
        self.errors = program.errors
        self.main = program.main
        self.budget = budget
        self.triples = Triples(engine.solver, budget.statistics)
        self.predicates: set[Term] = set()
        self.pruned: list[tuple[Location, Term]] = []  # states without a way to an error: still part of the proof

    def run(self) -> Verdict:
        abstraction = self._program_automaton(self.main)
        iteration = 0
        try:
            while True:
                self.budget.check()
                trace = self._shortest_error_trace(abstraction)
                if trace is None:
                    return Safe(self._annotation(abstraction))
                iteration += 1
                answer = refute(self.refiner, trace, self.budget)
                if isinstance(answer, Feasible):
                    return Unsafe(trace, answer.model)
                if isinstance(answer, GaveUp):
                    return Unknown(f"no refutation of an error trace of {len(trace)} steps: {answer.reason}")
                with self.budget.statistics.spending("difference"):
                    abstraction = self._difference(abstraction, answer.assertions)
                self.budget.statistics.predicates = len(self.predicates)
                self.budget.statistics.states = len(abstraction)
        except OutOfTime:
            return Unknown(f"out of time after {iteration} iterations")

    def _program_automaton(self, main: Procedure) -> Abstraction:
        automaton = Abstraction()
        numbers: dict[Location, int] = {}
        queue = deque([main.entry])
        numbers[main.entry] = automaton.add(main.entry, TRUE)
        while queue:
            location = queue.popleft()
            if location in self.errors:
                continue
            for edge in main.outgoing(location):
                if edge.target not in numbers:
                    numbers[edge.target] = automaton.add(edge.target, TRUE)
                    queue.append(edge.target)
                automaton.outgoing[numbers[location]].append((edge, numbers[edge.target]))
        return automaton

    def _shortest_error_trace(self, automaton: Abstraction) -> Trace | None:
        arrived: dict[int, tuple[int, Edge] | None] = {0: None}
        queue = deque([0] if len(automaton) else [])
        while queue:
            state = queue.popleft()
            if automaton.locations[state] in self.errors:
                edges: list[Edge] = []
                step = arrived[state]
                while step is not None:
                    edges.append(step[1])
                    step = arrived[step[0]]
                return Trace(tuple(reversed(edges)))
            for edge, target in automaton.outgoing[state]:
                if target not in arrived:
                    arrived[target] = (state, edge)
                    queue.append(target)
        return None

    def _difference(self, old: Abstraction, assertions: tuple[Term, ...]) -> Abstraction:
        """The product with the refutation's automaton, without the states where it knows `false`."""
        candidates = tuple(dict.fromkeys(c for a in assertions for c in conjuncts(a) if a is not FALSE))
        self.predicates.update(candidates)
        new = Abstraction()
        numbers: dict[tuple[int, State], int] = {}
        start: tuple[int, State] = (0, frozenset())
        numbers[start] = new.add(old.locations[0], old.facts[0])
        queue = deque([start])
        while queue:
            self.budget.check()
            here = queue.popleft()
            state, known = here
            for edge, target in old.outgoing[state]:
                after = self.triples.successors(known, edge, candidates)
                if after == BOTTOM:
                    continue
                there = (target, after)
                if there not in numbers:
                    facts = and_(old.facts[target], *sorted(after, key=lambda t: t.serial))
                    numbers[there] = new.add(old.locations[target], facts)
                    queue.append(there)
                new.outgoing[numbers[here]].append((edge, numbers[there]))
        return self._without_dead_ends(new)

    def _without_dead_ends(self, automaton: Abstraction) -> Abstraction:
        """Only states from which an error location can be reached; the others are kept for the proof."""
        incoming: list[list[int]] = [[] for _ in range(len(automaton))]
        for state, edges in enumerate(automaton.outgoing):
            for _, target in edges:
                incoming[target].append(state)
        alive = {s for s in range(len(automaton)) if automaton.locations[s] in self.errors}
        stack = list(alive)
        while stack:
            for state in incoming[stack.pop()]:
                if state not in alive:
                    alive.add(state)
                    stack.append(state)
        kept = Abstraction()
        numbers = {}
        for state in range(len(automaton)):
            if state in alive:
                numbers[state] = kept.add(automaton.locations[state], automaton.facts[state])
            else:
                self.pruned.append((automaton.locations[state], automaton.facts[state]))
        for state, number in numbers.items():
            kept.outgoing[number] = [(e, numbers[t]) for e, t in automaton.outgoing[state] if t in numbers]
        return kept

    def _annotation(self, automaton: Abstraction) -> Mapping[Location, Term]:
        """For every location, what is known of the states there: their disjunction."""
        found: dict[Location, list[Term]] = {}
        for location, facts in (*zip(automaton.locations, automaton.facts, strict=True), *self.pruned):
            found.setdefault(location, []).append(facts)
        return {location: or_(*facts) for location, facts in found.items()}
