"""Trace abstraction: refutations as automata, programs as languages (Heizmann, Hoenicke, Podelski 2009; [CN] 7).

The abstraction is an automaton over the program's edges that accepts the error traces not yet refuted. Each refutation
gives an interpolant automaton, whose states are conjunctions of the refutation's assertions and whose transitions are
Hoare triples, checked only when the difference needs them. States that are on no error trace any more are removed;
states that accept the same traces are merged. Hints in the program are treated like a first refutation. When no error
trace is left, the collected assertions annotate the program.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown
from craton.engines.hoare import BOTTOM, State, Triples
from craton.engines.options import block_size
from craton.engines.refinement import Refinement, Returning
from craton.engines.steps import Step, make_steps
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, or_
from craton.processes.running_time import running_time
from craton.program.analysis.control_flow import back_edge_targets, error_distances
from craton.program.blocks import BlockSize
from craton.program.cfa import Edge, Location, Program
from craton.registry import flag
from craton.traces.refutation import Refiner, Refutation
from craton.traces.trace import Trace

MINIMISE_ABOVE = 500  # states; smaller automata are not worth it
MINIMISE_SECONDS = 1.0  # for one automaton
MOST_NEWS = 40  # formulas that others have shown, at a time; more would be too many triples
MINIMISE_SHARE = 0.1  # of the time of the run


@dataclass(frozen=True, slots=True)
class TraceAbstraction(Engine):
    """Refutations as automata; subtracts refuted traces from the program (facts: with intervals known) until none is
    left.
    """

    word: ClassVar[str] = "trace-abstraction"

    refiner: Refiner
    solver: str = "z3"
    blocks: BlockSize = block_size()
    facts: bool = flag("facts")  # on the program with its intervals and congruences

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        if not self.facts:
            return _Subtraction(self, program, budget).run()
        from craton.engines.strengthening import with_facts

        return with_facts(program, budget, lambda stronger: _Subtraction(self, stronger, budget).run())


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known in a state: a conjunction of assertions, and the facts of one of the states it comes from.

    A graph, since merged states are split again: written out, the alternatives would double each time.
    """

    state: State = frozenset()
    alternatives: tuple[Facts, ...] = ()


@dataclass(slots=True)
class Automaton:
    """States are numbers; 0 is the initial state. Each belongs to a location, where its facts hold."""

    locations: list[Location] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    outgoing: list[list[tuple[Step, int]]] = field(default_factory=list)

    def add(self, location: Location, facts: Facts) -> int:
        self.locations.append(location)
        self.facts.append(facts)
        self.outgoing.append([])
        return len(self.locations) - 1

    def __len__(self) -> int:
        return len(self.locations)


class _Subtraction:
    def __init__(self, engine: TraceAbstraction, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.refinement = Refinement(engine.refiner, budget, Returning.IMPOSSIBLE)
        self.errors = program.errors
        self.main = program.main
        self.hints = tuple(dict.fromkeys(hint for hints in program.hints.values() for hint in hints))
        self.budget = budget
        self.triples = Triples(engine.solver, budget.statistics)
        self.steps = {step.edge: step for step in make_steps(self.main.edges)}
        self.distance = error_distances(program)  # guides the search
        self.heads = frozenset(back_edge_targets(self.main))
        self.predicates: set[Term] = set()
        self.pruned: dict[Location, list[Facts]] = {}  # of states from which no error is reachable: part of the proof

    def run(self) -> EngineAnswer:
        statistics = self.budget.statistics
        try:
            automaton = self._without_dead_ends(self._program_automaton())
            if self.hints:
                with statistics.spending("difference"):
                    automaton = self._without_dead_ends(self._difference(automaton, self.hints))
            while True:
                self.budget.check()
                automaton = self._with_news(automaton)
                trace = self._shortest_error_trace(automaton)
                if trace is None:
                    return Safe(self._annotation(automaton), (self.engine.solver,))
                answer = self.refinement.refute(trace)
                if not isinstance(answer, Refutation):
                    return answer
                self._learn(trace, answer.assertions)
                with statistics.spending("difference"):
                    automaton = self._without_dead_ends(self._difference(automaton, answer.assertions))
                if len(automaton) > MINIMISE_ABOVE and self._may_minimise():
                    with statistics.spending("minimisation"):
                        automaton = self._minimised(automaton)
                statistics.predicates = len(self.predicates)
                statistics.states = len(automaton)
        except OutOfTime:
            return Unknown(f"out of time after {statistics.iterations} iterations")

    def _with_news(self, automaton: Automaton) -> Automaton:
        """What others have shown of loops is treated like hints: its Hoare triples are checked here."""
        told = [claim for lemma in self.budget.news() for x, claim in lemma.invariants.items() if x in self.heads]
        new = [t for t in dict.fromkeys(t for claim in told for t in conjuncts(claim)) if t not in self.predicates]
        if not new or len(new) > MOST_NEWS:
            return automaton
        with self.budget.statistics.spending("difference"):
            return self._without_dead_ends(self._difference(automaton, new))

    def _learn(self, trace: Trace, assertions: Sequence[Term]) -> None:
        """Progress by construction: along the trace the difference finds all assertions, up to the final `false`."""
        for edge, (before, after) in zip(trace.edges, pairwise(assertions), strict=True):
            self.triples.learn(before, self.steps[edge], after)

    # --- traces -------------------------------------------------------------------------------------------------------

    def _shortest_error_trace(self, automaton: Automaton) -> Trace | None:
        """A*: the distance in the program never overestimates the remaining distance."""
        if not len(automaton):
            return None
        arrived: dict[int, tuple[int, Step] | None] = {0: None}
        waiting = [(self.distance[automaton.locations[0]], 0, 0)]  # estimated length, minus the steps so far, state
        done: set[int] = set()
        while waiting:
            _, passed, state = heapq.heappop(waiting)
            if state in done:
                continue
            done.add(state)
            if automaton.locations[state] in self.errors:
                return Trace(_edges(arrived, state), self.main.edges)
            for step, target in automaton.outgoing[state]:
                if target not in arrived:
                    arrived[target] = (state, step)
                    length = 1 - passed + self.distance[automaton.locations[target]]
                    heapq.heappush(waiting, (length, passed - 1, target))
        return None

    # --- automata -----------------------------------------------------------------------------------------------------

    def _program_automaton(self) -> Automaton:
        automaton = Automaton()
        nothing = Facts()
        numbers = {self.main.entry: automaton.add(self.main.entry, nothing)}
        queue = deque(numbers)
        while queue:
            location = queue.popleft()
            if location in self.errors:
                continue
            for edge in self.main.outgoing(location):
                if edge.target not in numbers:
                    numbers[edge.target] = automaton.add(edge.target, nothing)
                    queue.append(edge.target)
                automaton.outgoing[numbers[location]].append((self.steps[edge], numbers[edge.target]))
        return automaton

    def _difference(self, old: Automaton, assertions: Sequence[Term]) -> Automaton:
        """The product with the refutation's automaton, without the states in which `false` holds."""
        candidates = tuple(dict.fromkeys(c for a in assertions if a is not FALSE for c in conjuncts(a)))
        self.predicates.update(candidates)
        new = Automaton()
        start: tuple[int, State] = (0, frozenset())
        numbers = {start: new.add(old.locations[0], old.facts[0])}
        after: dict[tuple[State, Step], State] = {}
        queue = deque([start])
        while queue:
            self.budget.check()
            here = queue.popleft()
            state, known = here
            outgoing = new.outgoing[numbers[here]]
            for step, target in old.outgoing[state]:
                follows = after.get((known, step))
                if follows is None:
                    follows = after[known, step] = self.triples.successors(known, step, candidates)
                if follows == BOTTOM:
                    continue
                there = (target, follows)
                number = numbers.get(there)
                if number is None:
                    facts = Facts(follows, (old.facts[target],)) if follows else old.facts[target]
                    number = numbers[there] = new.add(old.locations[target], facts)
                    queue.append(there)
                outgoing.append((step, number))
        return new

    def _without_dead_ends(self, automaton: Automaton) -> Automaton:
        """Only states from which an error location can be reached; the facts of the others are kept for the proof."""
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
        kept = Automaton()
        numbers = {}
        for state in range(len(automaton)):
            if state in alive:
                numbers[state] = kept.add(automaton.locations[state], automaton.facts[state])
            else:
                self.pruned.setdefault(automaton.locations[state], []).append(automaton.facts[state])
        for state, number in numbers.items():
            kept.outgoing[number] = [(e, numbers[t]) for e, t in automaton.outgoing[state] if t in numbers]
        return kept

    def _may_minimise(self) -> bool:
        spent = self.budget.statistics.purposes.get("minimisation")
        return spent is None or spent.seconds < MINIMISE_SHARE * (running_time() - self.budget.started)

    def _minimised(self, automaton: Automaton) -> Automaton:
        """Merges states that accept the same traces; the merged state has the facts of one or the other. Computes the
        coarsest partition by refinement; if time runs out, the automaton stays as it is.
        """
        deadline = running_time() + MINIMISE_SECONDS
        classes = _numbered(automaton.locations)
        count = 0
        while count < (count := max(classes) + 1):
            if running_time() > deadline:
                return automaton
            signatures = [
                (classes[state], tuple((id(step), classes[target]) for step, target in automaton.outgoing[state]))
                for state in range(len(automaton))
            ]
            classes = _numbered(signatures)
        if count == len(automaton):
            return automaton
        members: list[list[int]] = [[] for _ in range(count)]
        for state, number in enumerate(classes):
            members[number].append(state)
        merged = Automaton()
        for group in members:
            facts = [automaton.facts[state] for state in group]
            number = merged.add(
                automaton.locations[group[0]], facts[0] if len(facts) == 1 else Facts(alternatives=tuple(facts))
            )
            merged.outgoing[number] = [(step, classes[target]) for step, target in automaton.outgoing[group[0]]]
        return merged

    # --- the proof ----------------------------------------------------------------------------------------------------

    def _annotation(self, automaton: Automaton) -> Mapping[Location, Term]:
        """For every location, the disjunction of what is known in its states."""
        found = {location: list(facts) for location, facts in self.pruned.items()}
        for location, facts in zip(automaton.locations, automaton.facts, strict=True):
            found.setdefault(location, []).append(facts)
        meaning: dict[Facts, Term] = {}
        return {location: or_(*dict.fromkeys(_term(f, meaning) for f in facts)) for location, facts in found.items()}


def _edges(arrived: Mapping[int, tuple[int, Step] | None], state: int) -> tuple[Edge, ...]:
    edges = []
    came = arrived[state]
    while came is not None:
        edges.append(came[1].edge)
        came = arrived[came[0]]
    return tuple(reversed(edges))


def _numbered(keys: Sequence[object]) -> list[int]:
    """Equal keys get equal numbers, in order of their first occurrence."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _term(facts: Facts, done: dict[Facts, Term]) -> Term:
    """Facts as a formula; bottom up, since the graph is as deep as the run was long."""
    stack = [facts]
    while stack:
        here = stack[-1]
        open_ = [below for below in here.alternatives if below not in done]
        if open_:
            stack += open_
            continue
        stack.pop()
        before = or_(*dict.fromkeys(done[below] for below in here.alternatives)) if here.alternatives else TRUE
        done[here] = and_(before, *sorted(here.state, key=lambda t: t.serial))
    return done[facts]
