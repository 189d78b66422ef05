"""Value analysis: explicit values of the variables that matter (Beyer, Löwe 2013; [RS] 3).

States are unwound with the values of the variables tracked so far. A path to an error goes to the refiner; from then on
the variables of a refutation's assertions are tracked at the assertions' locations, and the unwinding starts again.
Without CEGAR (`eager`) all variables are tracked from the start. Where the refiner has no answer, as one of values has
none to a path that values do not contradict, a solver says whether the path can be executed. When nothing is left to
unwind, the states at each location are its invariant.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown, Unsafe
from craton.engines.options import block_size
from craton.engines.refinement import Refinement, Returning
from craton.engines.steps import Step, make_steps
from craton.logic import TRUE, Array, Term, and_, eq, free_variables, or_
from craton.program.analysis.control_flow import dangerous_locations
from craton.program.blocks import CHAINS
from craton.program.cfa import Edge, Location, Program
from craton.registry import word_choice
from craton.traces.feasibility import feasible
from craton.traces.refutation import Feasible, Refiner, Refutation
from craton.traces.trace import Trace
from craton.traces.values import Values, after

ATTEMPTS = 4  # how often the refiner may refute the same trace without adding a tracked variable


class Tracking(enum.Enum):
    """Where a variable that an assertion mentions is tracked."""

    LOCATION = "location"
    GLOBAL = "global"


class Refining(enum.Enum):
    """What is tracked: what refutations mention, starting again after each; or everything ([RS] 7)."""

    RESTART = "restart"
    EAGER = "eager"


@dataclass(frozen=True, slots=True)
class ValueAnalysis(Engine):
    """Explicit values of the variables that refutations mention, or of all (eager); try it with --refine 'values'."""

    word: ClassVar[str] = "value"

    refiner: Refiner
    blocks: int | None = block_size(CHAINS)
    tracking: Tracking = word_choice(Tracking.LOCATION)
    refinement: Refining = word_choice(Refining.RESTART)

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            return _Unwinding(self, program, budget).run()
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")


@dataclass(eq=False, slots=True)
class _Node:
    location: Location
    known: Values
    parent: _Node | None = None
    edge: Edge | None = None  # from the parent

    @property
    def path(self) -> list[_Node]:
        """From the start."""
        found = [self]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]


class _States:
    """The states at a location, indexed by the set of variables they know: there are few such sets but many values."""

    def __init__(self) -> None:
        self._values: dict[tuple[Term, ...], dict[tuple[Term, ...], None]] = {}

    def add(self, known: Values) -> bool:
        """Whether the state is new: not covered by one that knows the same values or fewer of them."""
        for variables, values in self._values.items():
            if all(v in known for v in variables) and tuple(known[v] for v in variables) in values:
                return False
        variables = tuple(sorted(known, key=lambda v: v.serial))
        self._values.setdefault(variables, {})[tuple(known[v] for v in variables)] = None
        return True

    def formula(self) -> Term:
        return or_(*(and_(*map(eq, variables, one)) for variables, values in self._values.items() for one in values))


class _Unwinding:
    def __init__(self, engine: ValueAnalysis, program: Program, budget: Budget) -> None:
        self.engine = engine
        self.program = program
        self.main = program.main
        self.budget = budget
        self.dangerous = dangerous_locations(program)
        self.refinement = Refinement(engine.refiner, budget, Returning.POSSIBLE)
        self.steps: dict[Location, tuple[Step, ...]] = {}
        self.tracked: dict[Location | None, set[Term]] = {}  # None: everywhere

    def run(self) -> EngineAnswer:
        while True:
            reached = self._unwind()
            if not isinstance(reached, _Node):
                return Safe(self._invariants(reached), by=())
            verdict = self._refine(reached)
            if verdict is not None:
                return verdict

    # --- unwinding ---

    def _unwind(self) -> _Node | dict[Location, _States]:
        """A state at an error location; or, if there is none, the states at each location."""
        reached: dict[Location, _States] = {}
        self.budget.statistics.states = 0
        start = _Node(self.main.entry, {})
        waiting = deque([start] if self.main.entry in self.dangerous else [])
        while waiting:
            node = waiting.popleft()
            if not reached.setdefault(node.location, _States()).add(node.known):
                continue
            self.budget.statistics.states += 1
            for step in self._steps_from(node.location):
                self.budget.check()
                edge = step.edge
                known = after(node.known, step.update)
                if known is None:
                    continue
                child = _Node(edge.target, self._kept(known, edge.target), node, edge)
                if edge.target in self.program.errors:
                    return child
                waiting.append(child)
        return reached

    def _kept(self, known: Values, location: Location) -> Values:
        if self.engine.refinement is Refining.EAGER:
            return known
        tracked = self.tracked.get(self._scope(location), ())
        return {v: value for v, value in known.items() if v in tracked}

    def _steps_from(self, location: Location) -> tuple[Step, ...]:
        """The steps from which an error may be reached; no other steps need states."""
        found = self.steps.get(location)
        if found is None:
            useful = [edge for edge in self.main.outgoing(location) if edge.target in self.dangerous]
            found = self.steps[location] = make_steps(useful)
        return found

    def _scope(self, location: Location) -> Location | None:
        return location if self.engine.tracking is Tracking.LOCATION else None

    # --- refining ---

    def _refine(self, reached: _Node) -> EngineAnswer | None:
        """None if the error path is refuted and new variables are tracked."""
        nodes = reached.path
        trace = Trace(tuple(node.edge for node in nodes if node.edge is not None), self.main.edges)
        if self.engine.refinement is Refining.EAGER:
            return self._executed(trace) or Unknown(f"values do not refute an error trace of {len(trace)} steps")
        for _ in range(ATTEMPTS):
            answer = self.refinement.refute(trace)
            if isinstance(answer, Unknown):
                return self._executed(trace) or answer
            if not isinstance(answer, Refutation):
                return answer
            if self._track(nodes, answer.assertions):
                return None
        return Unknown(f"values cannot follow the refutations of an error trace of {len(trace)} steps")

    def _executed(self, trace: Trace) -> Unsafe | None:
        """The violation that an error path is, if it can be executed."""
        self.budget.check()
        with self.budget.statistics.spending("feasibility"):
            found = feasible(trace, self.budget.left)
        return Unsafe(trace, found.model) if isinstance(found, Feasible) else None

    def _track(self, nodes: Sequence[_Node], assertions: Sequence[Term]) -> bool:
        """Whether a variable is tracked that was not tracked before."""
        before = self._size()
        for node, assertion in zip(nodes, assertions, strict=True):
            wanted = {v for v in free_variables(assertion) if not isinstance(v.sort, Array)}
            self.tracked.setdefault(self._scope(node.location), set()).update(wanted)
        self.budget.statistics.predicates = self._size()
        return self._size() > before

    def _size(self) -> int:
        return sum(map(len, self.tracked.values()))

    # --- the proof ---

    def _invariants(self, reached: Mapping[Location, _States]) -> Mapping[Location, Term]:
        harmless = {location: TRUE for location in self.main.locations if location not in self.dangerous}
        return harmless | {location: states.formula() for location, states in reached.items()}
