"""The CEGAR loop over a reachability graph: lazy abstraction (Henzinger, Jhala, Majumdar, Sutre 2002), in any domain.

The graph is unwound with what is tracked so far. A path to an error goes to the refiner; what refutes it is tracked
from then on, and the graph is cut at the first state that lacked some of it, or unwound anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic

from craton.engines.contract import Budget, Unknown, Unsafe
from craton.engines.reachability.domain import Domain, Laziness, P, S, Search
from craton.engines.reachability.graph import Arg, Node
from craton.engines.steps import Step, make_steps
from craton.logic import FALSE, TRUE, Term, is_quantified
from craton.program.analysis.control_flow import error_distances
from craton.program.cfa import Location, Program
from craton.smt import make_solver
from craton.traces.refutation import Refutation, hoare_triple
from craton.traces.trace import Trace

ATTEMPTS = 4  # how often the refiner may refute the same trace without effect on the abstraction
QUERY_SECONDS = 2.0  # for each Hoare triple of a proof

Refuting = Callable[[Trace], Refutation | Unsafe | Unknown]


class Unwinding(Generic[S, P]):
    def __init__(
        self,
        domain: Domain[S, P],
        refute: Refuting,
        program: Program,
        budget: Budget,
        laziness: Laziness = Laziness.LAZY,
        search: Search = Search.BFS,
    ) -> None:
        self.domain = domain
        self.refute = refute
        self.program = program
        self.budget = budget
        self.laziness = laziness
        self.search = search
        self.distance = error_distances(program)
        self.steps: dict[Location, tuple[Step, ...]] = {}
        self.made = 0
        self.arg = self._new_arg()

    def run(self) -> Unsafe | Unknown | None:
        """None if no error is reached: then the uncovered states of each location are its invariant."""
        if self.program.main.entry not in self.distance:
            return None
        while True:
            reached = self._unwind()
            if reached is None:
                return None
            verdict = self._refine(reached)
            if verdict is not None:
                return verdict

    # --- unwinding ---

    def _new_arg(self) -> Arg[S, P]:
        return Arg(self.domain, self.program.main.entry, self.search, self.distance)

    def _unwind(self) -> Node[S, P] | None:
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
                precision = self.domain.precision(target)
                state = self.domain.successor(node.state, step, node.precision, precision)
                node.done.add(step)
                if state is None:
                    continue
                child = self.arg.grow(node, step, state, precision)
                self.budget.statistics.states = len(self.arg)
                self.budget.statistics.unwound += 1
                if target in self.program.errors:
                    self.arg.wait(node)  # its other successors are still to come
                    return child

    def _steps_from(self, location: Location) -> tuple[Step, ...]:
        """The steps from which an error may be reached; no other steps need states."""
        found = self.steps.get(location)
        if found is None:
            useful = [edge for edge in self.program.main.outgoing(location) if edge.target in self.distance]
            found = self.steps[location] = make_steps(useful, self.made)
            self.made += len(found)
        return found

    # --- refining ---

    def _refine(self, reached: Node[S, P]) -> Unsafe | Unknown | None:
        """None if the error path is refuted and the graph is cut accordingly."""
        nodes = reached.path
        trace = self._trace(nodes)
        for _ in range(ATTEMPTS):
            answer = self.refute(trace)
            if not isinstance(answer, Refutation):
                return answer
            pivots = [self._learn(nodes, one) for one in (answer, *answer.others)]
            self.budget.statistics.predicates = len(self.domain)
            lacking = [pivot for pivot in pivots if pivot is not None]
            if lacking:
                self._cut(nodes[min(lacking)])
                return None
        return Unknown(f"{self.domain.name} cannot follow the refutations of an error trace of {len(trace)} steps")

    def _learn(self, nodes: Sequence[Node[S, P]], refutation: Refutation) -> int | None:
        return self.domain.refine([n.location for n in nodes], [n.precision for n in nodes], refutation)

    def _trace(self, nodes: Sequence[Node[S, P]]) -> Trace:
        edges = tuple(node.step.edge for node in nodes if node.step is not None)
        tracked = [self.domain.tracked(node.state, node.precision) for node in nodes]
        known = tuple(one for one in tracked if one is not None)
        return Trace(edges, self.program.main.edges, known if len(known) == len(nodes) else None)

    def _cut(self, pivot: Node[S, P]) -> None:
        match self.laziness:
            case Laziness.LAZY:
                self.arg.cut(pivot)
            case Laziness.RESTART:
                self.arg = self._new_arg()

    # --- the proof ---

    def invariants(self, solver: str = "z3") -> Mapping[Location, Term]:
        """Of a complete graph. Where no error can be reached from, everything is allowed; what is hard for proof
        checkers is left out if the proof holds without it.
        """
        covers = {location: self.arg.uncovered(location) for location in self.distance}
        known = {location: cover.formula() for location, cover in covers.items() if location not in self.program.errors}
        if any(map(is_quantified, known.values())):
            weaker = {location: covers[location].unquantified() for location in known}
            if self._is_inductive(weaker, solver):
                known = weaker
        harmless = {location: TRUE for location in self.program.main.locations if location not in self.distance}
        return harmless | {location: formula for location, formula in known.items() if formula is not FALSE}

    def _is_inductive(self, invariants: Mapping[Location, Term], solver: str) -> bool:
        with self.budget.statistics.spending("proof"), make_solver(solver, time_limit=QUERY_SECONDS) as checker:
            for location, before in invariants.items():
                for step in self._steps_from(location) if before is not FALSE else ():
                    self.budget.check()
                    after = invariants.get(step.edge.target, FALSE)
                    if not checker.is_valid(hoare_triple(before, step.update, after)):
                        return False
        return True
