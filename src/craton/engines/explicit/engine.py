"""All reachable states, one by one, as classes of values; for programs that go round and round a large `switch`.

A state is a location and the classes of the variables that are live there (`partition`). States are explored breadth
first. If an error is reached, states know from then on which part of their intervals is there, and if that does not
exclude it, the refiner is asked about the path: what it says of the values of variables with intervals cuts these
further. If no error is reached, the states of a location are its invariant, and can be checked one by one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from craton.engines.contract import (
    Budget,
    Engine,
    EngineAnswer,
    OutOfTime,
    Progress,
    Safe,
    Unknown,
    Unsafe,
    does_not_fit,
)
from craton.engines.explicit.partition import Class, Hull, Partition, State, partition
from craton.engines.explicit.steps import NotDecided, Steps, TooManyValues
from craton.engines.explicit.ways import Ways
from craton.engines.refinement import Refinement, Returning
from craton.errors import MissingCapability
from craton.facts.ranges import Range
from craton.logic import BOOL, TRUE, BitVec, Term, or_
from craton.program.analysis.control_flow import dangerous_locations
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.storage import MEMORY
from craton.program.transitions import NoTransition, transition
from craton.smt import make_solver
from craton.traces.refutation import Refiner, Refutation
from craton.traces.trace import Trace

MOST_VALUES = 60  # of a variable, before it gets intervals
MOST_GROWN = 12  # times that more of an interval is found to be there, before it is all of it
_TELLING = 50  # states between two reports

States = Mapping[Location, Mapping[State, Hull]]
_Place = tuple[Location, State, Term, Class]  # of an interval; without the state where all states share what is there


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
        except NotExplicit as problem:
            return does_not_fit(str(problem))
        except (NotDecided, NoTransition, MissingCapability) as problem:
            return Unknown(str(problem))


class NotExplicit(Exception):
    """There is a variable whose values are not enumerated."""


@dataclass(eq=False, slots=True)
class _Node:
    location: Location
    state: State
    hull: Hull = ()  # when it was followed last
    parent: _Node | None = None
    edge: Edge | None = None  # from the parent

    def trace(self, program: Program) -> Trace:
        edges: list[Edge] = []
        node: _Node | None = self
        while node is not None and node.edge is not None:
            edges.append(node.edge)
            node = node.parent
        return Trace(tuple(reversed(edges)), program.main.edges)


class Following(Enum):
    """Which part of an interval states know to be there."""

    WHOLE = "all of it"
    SHARED = "what is there in any state of the location"
    OWN = "what is there in that state"

    @property
    def finer(self) -> Following | None:
        return {Following.WHOLE: Following.SHARED, Following.SHARED: Following.OWN}.get(self)


class _Run:
    def __init__(self, engine: Explicit, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.program = program
        self.budget = budget
        self.steps = {edge: Ways(edge.statement) for edge in program.main.edges}
        self.dangerous = dangerous_locations(program)
        self.live = self._live()
        self.partition = partition(program)
        self.following = Following.WHOLE
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
                case _Node() if self.partition.intervals and self.following.finer is not None:
                    self.following = self.following.finer  # costs less than a refutation of many rounds
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
        if isinstance(answer, Unsafe):
            return answer
        finer: Partition | None = None
        if isinstance(answer, Refutation):
            finer = self.partition.finer(answer.assertions)
            answer = Unknown(f"classes of values do not follow the refutation of an error trace of {len(trace)} steps")
        if finer is None:
            return answer
        self.partition = finer
        return None

    def _invariants(self, states: States) -> dict[Location, Term]:
        found = {x: TRUE for x in self.program.main.locations if x not in self.dangerous}
        for location, there in states.items():
            live = self.live[location]
            found[location] = or_(*(self.partition.formula(live, state, hull) for state, hull in there.items()))
        return found


class _Exploration:
    """States are explored breadth first, and again when more of their intervals is found to be there. If that is the
    same in all states of a location, few different ranges make few different questions for whoever checks the states.
    """

    def __init__(self, run: _Run, steps: Steps) -> None:
        self.run = run
        self.steps = steps
        self.seen: dict[Location, dict[State, _Node]] = {}
        self.there: dict[_Place, Range] = {}
        self.grown: Counter[_Place] = Counter()
        self.values: dict[Term, Counter[object]] = {}

    def result(self) -> Term | _Node | States:
        """The states; or one at an error; or a variable with too many values."""
        try:
            return self._explored()
        except TooManyValues as problem:
            return problem.variable

    def _explored(self) -> Term | _Node | States:
        entry = self.run.program.main.entry
        first = _Node(entry, ())
        self.seen[entry] = {(): first}
        waiting = deque([first])
        while waiting:
            found = self._followed(waiting.popleft(), waiting)
            if found is not None:
                return found
            if not waiting:
                waiting.extend(node for there in self.seen.values() for node in there.values() if self._is_old(node))
        return {x: {state: node.hull for state, node in there.items()} for x, there in self.seen.items()}

    def _followed(self, node: _Node, waiting: deque[_Node]) -> Term | _Node | None:
        """One step from a state; what ends the exploration, if something does."""
        run = self.run
        before = run.live[node.location]
        node.hull = self._hull(node)
        for edge in run.program.main.outgoing(node.location):
            run.budget.check()
            target = edge.target
            if target in run.program.errors:
                if self.steps.is_possible(before, node.state, node.hull, run.steps[edge]):
                    return _Node(target, (), parent=node, edge=edge)
            elif target in run.dangerous:
                after = run.live[target]
                for state, hull in self.steps.successors(before, node.state, node.hull, run.steps[edge], after):
                    self._widen(target, state, hull)
                    if state not in self.seen.setdefault(target, {}):
                        self.seen[target][state] = reached = _Node(target, state, parent=node, edge=edge)
                        waiting.append(reached)
                        many = self._counted(after, state)
                        if many is not None:
                            return many
        return None

    def _hull(self, node: _Node) -> Hull:
        pairs = zip(self.run.live[node.location], node.state, strict=True)
        return tuple(self.there.get(self._place(node.location, node.state, x, one)) for x, one in pairs)

    def _place(self, location: Location, state: State, variable: Term, one: Class) -> _Place:
        return location, state if self.run.following is Following.OWN else (), variable, one

    def _is_old(self, node: _Node) -> bool:
        return self._hull(node) != node.hull

    def _widen(self, location: Location, state: State, hull: Hull) -> None:
        """More may be there than was known. Intervals that keep growing are taken as a whole."""
        partition = self.steps.partition
        for x, one, new in zip(self.run.live[location], state, hull, strict=True):
            if new is not None:
                key = self._place(location, state, x, one)
                known = self.there.get(key)
                both = new if known is None else partition.joined(x, known, new)
                if both != known:
                    self.grown[key] += 1
                    is_followed = self.run.following is not Following.WHOLE and self.grown[key] <= MOST_GROWN
                    self.there[key] = both if is_followed else partition.range(x, one)

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
