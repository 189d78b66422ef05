"""Predicate analysis: lazy abstraction over an abstract reachability graph (Henzinger, Jhala, Majumdar, Sutre 2002;
Beyer, Keremoglu, Wendler 2010).

The graph is unwound with the predicates tracked so far. A path to an error goes to the refiner; a refutation's
assertions become predicates at their locations, and the graph is cut at the first state that lacked one of them. When
nothing is left to unwind, the states at each location are its invariant.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown
from craton.engines.options import block_size
from craton.engines.predicate.abstraction import QUERY_SECONDS, Abstracting, Abstractor
from craton.engines.predicate.arg import Arg, Node, Search
from craton.engines.predicate.bdd import NO, Bdd, Bdds
from craton.engines.predicate.precision import Kind, Precision, Predicates, Sharing
from craton.engines.refinement import Refinement, Returning
from craton.engines.steps import Step, make_steps
from craton.logic import TRUE, Term, is_quantified
from craton.program.analysis.control_flow import error_distances
from craton.program.cfa import Edge, Location, Program
from craton.registry import word_choice
from craton.smt import make_solver
from craton.traces.refutation import Refiner, Refutation, hoare_triple
from craton.traces.trace import Trace

ATTEMPTS = 4  # how often the refiner may refute the same trace without effect on the abstraction


class Laziness(enum.Enum):
    """LAZY keeps the graph except for what is below the first new predicate; RESTART, as in [RS] 7, keeps only the
    predicates.
    """

    LAZY = "lazy"
    RESTART = "restart"


@dataclass(frozen=True, slots=True)
class PredicateAnalysis(Engine):
    """Predicate abstraction on a reachability graph, refined lazily."""

    word: ClassVar[str] = "predicate"

    refiner: Refiner
    solver: str = "z3"
    blocks: int | None = block_size()
    abstraction: Abstracting = word_choice(Abstracting.BOOLEAN)
    sharing: Sharing = word_choice(Sharing.LOCATION)
    refinement: Laziness = word_choice(Laziness.LAZY)
    predicates: Kind = word_choice(Kind.ATOMS)
    search: Search = word_choice(Search.BFS)

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            return _Unwinding(self, program, budget).run()
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")


class _Unwinding:
    def __init__(self, engine: PredicateAnalysis, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.program = program
        self.budget = budget
        self.main = program.main
        self.distance = error_distances(program)
        self.bdds = Bdds()
        self.predicates = Predicates(self.bdds)
        self.precision = Precision(program, engine.sharing)
        self.abstractor = Abstractor(engine.solver, engine.abstraction, self.predicates, self.bdds, budget)
        self.steps: dict[Location, tuple[Step, ...]] = {}
        self.made = 0
        self.refinement = Refinement(engine.refiner, budget, Returning.POSSIBLE)
        self.arg = self._new_arg()

    def run(self) -> EngineAnswer:
        if self.main.entry not in self.distance:
            return Safe(self._invariants(), (self.engine.solver,))
        while True:
            reached = self._unwind()
            if reached is None:
                return Safe(self._invariants(), (self.engine.solver,))
            verdict = self._refine(reached)
            if verdict is not None:
                return verdict

    # --- unwinding ---

    def _new_arg(self) -> Arg:
        return Arg(self.bdds, self.main.entry, self.engine.search, self.distance)

    def _unwind(self) -> Node | None:
        """Grows the graph until it has a node at an error location; None if it is complete without one."""
        while True:
            node = self.arg.next()
            if node is None:
                return None
            for step in self._steps_from(node.location):
                if step in node.done:
                    continue
                self.budget.check()
                target = step.edge.target
                precision = self.precision.at(target)
                state = self.abstractor.successor(node.state, step, node.precision, precision)
                if state == NO:
                    node.done.add(step)
                    continue
                child = self.arg.grow(node, step, state, precision)
                self.budget.statistics.states = len(self.arg)
                node.done.add(step)
                if target in self.program.errors:
                    self.arg.wait(node)  # its other successors are still to come
                    return child

    def _steps_from(self, location: Location) -> tuple[Step, ...]:
        """The steps from which an error may be reached; no other steps need states."""
        found = self.steps.get(location)
        if found is None:
            useful = [edge for edge in self.main.outgoing(location) if edge.target in self.distance]
            found = self.steps[location] = make_steps(useful, self.made)
            self.made += len(found)
        return found

    # --- refining ---

    def _refine(self, reached: Node) -> EngineAnswer | None:
        """None if the error path is refuted and the graph is cut accordingly."""
        nodes = self.arg.path(reached)
        trace = Trace(_edges(nodes), self.main.edges, tuple(map(self._tracked, nodes)))
        for _ in range(ATTEMPTS):
            answer = self.refinement.refute(trace)
            if not isinstance(answer, Refutation):
                return answer
            pivot = self._pivot(nodes, answer.assertions)
            if pivot is not None:
                self._cut(pivot)
                return None
        return Unknown(f"the abstraction cannot follow the refutations of an error trace of {len(trace)} steps")

    def _pivot(self, nodes: Sequence[Node], assertions: Sequence[Term]) -> Node | None:
        """Tracks the assertions and returns the first node whose precision this changes. Atoms may be too weak (a
        Cartesian abstraction loses their disjunctions, and a solver may decide a whole formula but not its parts), so
        if they change nothing, the assertions themselves are tracked.
        """
        for kind in (self.engine.predicates, Kind.WHOLE, Kind.SINGLE):
            changed = [
                node for node, assertion in zip(nodes, assertions, strict=True) if self._track(node, assertion, kind)
            ]
            self.budget.statistics.predicates = len(self.predicates)
            if changed:
                return changed[0]
        return None

    def _tracked(self, node: Node) -> tuple[Term, ...]:
        return tuple(self.predicates.term(level) for level in sorted(node.precision))

    def _track(self, node: Node, assertion: Term, kind: Kind) -> bool:
        levels = self.predicates.levels(assertion, kind)
        if levels:
            self.precision.add(node.location, levels)
        return not levels <= node.precision

    def _cut(self, pivot: Node) -> None:
        match self.engine.refinement:
            case Laziness.LAZY:
                self.arg.cut(pivot)
            case Laziness.RESTART:
                self.arg = self._new_arg()

    # --- the proof ---

    def _invariants(self) -> Mapping[Location, Term]:
        """The invariants of the graph. Quantified predicates are hard for proof checkers, so they are left out if the
        proof holds without them.
        """
        known = {location: self.arg.invariant(location) for location in self.main.locations if self._matters(location)}
        used = frozenset[int]().union(*map(self.bdds.support, known.values()))
        quantified = [level for level in used if is_quantified(self.predicates.term(level))]
        if quantified:
            weaker = {location: self.bdds.without(state, quantified) for location, state in known.items()}
            if self._is_inductive(weaker):
                known = weaker
        proof = {location: self.predicates.formula(state) for location, state in known.items() if state != NO}
        return proof | {location: TRUE for location in self.main.locations if location not in self.distance}

    def _matters(self, location: Location) -> bool:
        return location in self.distance and location not in self.program.errors

    def _is_inductive(self, states: Mapping[Location, Bdd]) -> bool:
        with (
            self.budget.statistics.spending("proof"),
            make_solver(self.engine.solver, time_limit=QUERY_SECONDS) as solver,
        ):
            for location, state in states.items():
                for step in self._steps_from(location) if state != NO else ():
                    self.budget.check()
                    after = self.predicates.formula(states.get(step.edge.target, NO))
                    if not solver.is_valid(hoare_triple(self.predicates.formula(state), step.update, after)):
                        return False
        return True


def _edges(nodes: Sequence[Node]) -> tuple[Edge, ...]:
    return tuple(node.step.edge for node in nodes if node.step is not None)
