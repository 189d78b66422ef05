"""All reachable states, one by one, as classes of values; for programs that go round and round a large `switch`.

A state is a location and the classes of the variables that are live there (`partition`). States are explored breadth
first. If an error is reached, the refiner is asked about the path: what it says of the values of variables with
intervals cuts these further. If none is, the states of a location are its invariant, and can be checked one by one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Progress, Safe, Unknown
from craton.engines.explicit.partition import Partition, State, partition
from craton.engines.explicit.steps import NotDecided, Steps, TooManyValues
from craton.engines.refinement import Refinement, Returning
from craton.errors import MissingCapability
from craton.logic import BOOL, TRUE, BitVec, Term, or_
from craton.program.analysis.control_flow import dangerous_locations
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.storage import MEMORY
from craton.program.transitions import NoTransition, Transitions, transition
from craton.smt import make_solver
from craton.traces.refutation import Refiner, Refutation
from craton.traces.trace import Trace

MOST_VALUES = 60  # of a variable, before it gets intervals
_TELLING = 50  # states between two reports


@dataclass(frozen=True, slots=True)
class Explicit(Engine):
    """All reachable states, as values or classes of values of the live variables; for reactive systems."""

    word: ClassVar[str] = "explicit"

    refiner: Refiner
    solver: str = "z3"
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            return _Run(self, program, budget).result()
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.states} states")
        except (NotDecided, NoTransition, MissingCapability, NotExplicit) as problem:
            return Unknown(str(problem))


class NotExplicit(Exception):
    """There is a variable whose values are not enumerated."""


@dataclass(eq=False, slots=True)
class _Node:
    location: Location
    state: State
    parent: _Node | None = None
    edge: Edge | None = None  # from the parent

    def trace(self, program: Program) -> Trace:
        edges: list[Edge] = []
        node: _Node | None = self
        while node is not None and node.edge is not None:
            edges.append(node.edge)
            node = node.parent
        return Trace(tuple(reversed(edges)), program.main.edges)


class _Run:
    def __init__(self, engine: Explicit, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.program = program
        self.budget = budget
        self.steps = {edge: Transitions(edge.statement) for edge in program.main.edges}
        self.dangerous = dangerous_locations(program)
        self.live = self._live()
        self.partition = partition(program)
        self.refinement = Refinement(engine.refiner, budget, Returning.POSSIBLE)

    def _live(self) -> Mapping[Location, Sequence[Term]]:
        """The variables of states; at the entry all have any value."""
        live = live_variables(self.program, {edge: transition(edge.statement) for edge in self.program.main.edges})
        found = {x: tuple(sorted(live[x], key=lambda v: v.serial)) for x in self.program.main.locations}
        found[self.program.main.entry] = ()
        for x in (variable for variables in found.values() for variable in variables):
            if not isinstance(x.sort, BitVec) and x.sort is not BOOL:
                raise NotExplicit(
                    f"{x.name.removeprefix(MEMORY)} is neither a number of so many bits nor a truth value"
                )
        return found

    def result(self) -> EngineAnswer:
        while True:
            with make_solver(self.engine.solver, time_limit=self.budget.left) as solver:
                steps = Steps(self.partition, solver, MOST_VALUES)
                found = _Exploration(self, steps).result()
            match found:
                case Term():
                    self.partition = self.partition.with_intervals(found)
                case _Node():
                    answer = self._refined(found)
                    if answer is not None:
                        return answer
                case _:
                    return Safe(self._invariants(found), (self.engine.solver,) if steps.relied else ())

    def _refined(self, reached: _Node) -> EngineAnswer | None:
        """None if intervals were cut further."""
        trace = reached.trace(self.program)
        answer = self.refinement.refute(trace)
        if not isinstance(answer, Refutation):
            return answer
        finer: Partition | None = self.partition.finer(answer.assertions)
        if finer is None:
            return Unknown(f"classes of values do not follow the refutation of an error trace of {len(trace)} steps")
        self.partition = finer
        return None

    def _invariants(self, states: Mapping[Location, Sequence[State]]) -> dict[Location, Term]:
        found = {x: TRUE for x in self.program.main.locations if x not in self.dangerous}
        for location, there in states.items():
            found[location] = or_(*(self.partition.formula(self.live[location], state) for state in there))
        return found


class _Exploration:
    def __init__(self, run: _Run, steps: Steps) -> None:
        self.run = run
        self.steps = steps
        self.seen: dict[Location, dict[State, None]] = {}
        self.values: dict[Term, Counter[object]] = {}

    def result(self) -> Term | _Node | Mapping[Location, Sequence[State]]:
        """The states; or one at an error; or a variable with too many values."""
        try:
            return self._explored()
        except TooManyValues as problem:
            return problem.variable

    def _explored(self) -> Term | _Node | Mapping[Location, Sequence[State]]:
        run, main = self.run, self.run.program.main
        waiting = deque([_Node(main.entry, ())])
        self.seen[main.entry] = {(): None}
        while waiting:
            node = waiting.popleft()
            for edge in main.outgoing(node.location):
                run.budget.check()
                target = edge.target
                if target not in run.dangerous:
                    continue
                before, after = run.live[node.location], run.live[target]
                if target in run.program.errors:
                    if self.steps.is_possible(before, node.state, run.steps[edge]):
                        return _Node(target, (), node, edge)
                    continue
                for state in self.steps.successors(before, node.state, run.steps[edge], after):
                    reached = _Node(target, state, node, edge)
                    if state not in self.seen.setdefault(target, {}):
                        self.seen[target][state] = None
                        waiting.append(reached)
                        many = self._counted(after, state)
                        if many is not None:
                            return many
        return {location: tuple(states) for location, states in self.seen.items()}

    def _counted(self, variables: Sequence[Term], state: State) -> Term | None:
        statistics = self.run.budget.statistics
        statistics.states += 1
        if statistics.states % _TELLING == 0:
            self.run.budget.watch(Progress(statistics.iterations, 0, 0, statistics.states))
        for x, one in zip(variables, state, strict=True):
            if self.steps.partition.is_value(x) and isinstance(x.sort, BitVec):
                seen = self.values.setdefault(x, Counter())
                seen[one] += 1
                if len(seen) > MOST_VALUES:
                    return x
        return None
