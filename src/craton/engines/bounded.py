"""Bounded model checking: all paths of the first k steps at once, for k = 1, 2, 3, …

It finds errors near the start quickly, where engines that refute one trace after another would first have to learn
about all shorter ones. Paths that meet at a location after the same number of steps are merged, so the formula grows
with the number of steps and not with the number of paths; constants stay constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Progress, Safe, Unknown, Unsafe
from craton.engines.state_formulas import StateFormulas
from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Model, Term, and_, evaluate, ite, ops, or_, substitute, var
from craton.logic.core import eq
from craton.processes.running_time import running_time
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import transition
from craton.registry import keyed_number
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.traces.trace import Trace

SOLVERS = ("bitwuzla", "z3")  # the first that supports the program's theories
LOOKING_SECONDS, LOOKING_SHARE = 0.5, 0.3  # for reachability queries: seconds for one, share for all


@dataclass(frozen=True, slots=True)
class Bounded(Engine):
    """All paths up to a length at once; finds errors, and proves only where all paths end; needs no refiner.

    `depth` is the maximal number of steps; None: as many as time allows.
    """

    word: ClassVar[str] = "bounded"

    depth: int | None = keyed_number(None, "depth")
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        reason = "no solver can speak of this program"
        for name in SOLVERS:
            try:
                return _Unrolling(program, make_solver(name), budget).run(self.depth)
            except MissingCapability:
                continue
            except _Undecided as problem:
                reason = str(problem)
            except OutOfTime:
                return Unknown("out of time, no error near the start")
        return Unknown(reason)


class _Undecided(Exception):
    """The solver has no answer to a query; another solver may have one."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    """One way into a state: from which state, along which edge, under which condition, and with which values."""

    source: _State
    edge: Edge
    inputs: Mapping[Term, Term]  # the step's inputs → fresh variables for this occurrence
    condition: Term
    values: Mapping[Term, Term]


@dataclass(slots=True)
class _State:
    """A location after a number of steps: the condition that control is there, and the values of the variables."""

    location: Location
    steps: int
    condition: Term = TRUE
    values: Mapping[Term, Term] = field(default_factory=dict)
    arrivals: Sequence[tuple[Term, _Arrival]] = ()  # each with its condition, as a variable or a constant


class _Unrolling:
    def __init__(self, program: Program, solver: Solver, budget: Budget) -> None:
        self.program = program
        self.main = program.main
        self.solver = solver
        self.budget = budget
        self.transitions = {edge: transition(edge.statement) for edge in self.main.edges}
        self.live = live_variables(program, self.transitions)
        self.seen: list[_State] = []
        self.definitions: dict[Term, Term] = {}  # what names stand for
        self.names = 0
        self.looking = 0.0  # seconds spent on reachability queries

    def run(self, depth: int | None) -> EngineAnswer:
        frontier = [_State(self.main.entry, 0)]
        self.seen += frontier
        steps = 0
        while frontier:
            if depth is not None and steps >= depth:
                return Unknown(f"no error within {depth} steps")
            self.budget.check()
            steps += 1
            self.budget.watch(Progress(steps, steps, 0, len(frontier)))
            with self.budget.statistics.spending("unrolling"):
                reached = self._next(frontier)
            frontier = []
            for state in reached:
                if state.location in self.program.errors:
                    found = self._checked(state)
                    if found is not None:
                        return found
                elif self._possible(state):
                    frontier.append(state)
            self.seen += frontier
        return self._proof()

    def _possible(self, state: _State) -> bool:
        """False if the state is known to be unreachable. The solver is asked as long as that costs little."""
        now = running_time()
        spent = now - self.budget.started
        if state.condition is TRUE or self.looking > LOOKING_SECONDS + LOOKING_SHARE * spent:
            return True
        with self.budget.statistics.spending("bounded queries"):
            answer = self.solver.check(state.condition, time_limit=_least(LOOKING_SECONDS, self.budget.left))
        self.looking += running_time() - now
        return not isinstance(answer, Unsat)

    def _proof(self) -> EngineAnswer:
        """All paths have ended: at each location, the disjunction of the states seen there is an invariant."""
        steps = self.transitions.values()
        variables = frozenset[Term]().union(*(step.read | step.written for step in steps))
        with self.budget.statistics.spending("unrolling"):
            told = StateFormulas(self.definitions, variables)
            invariants: dict[Location, dict[Term, None]] = {}
            for state in self.seen:
                self.budget.check()
                formula = told.formula(state.condition, state.values, self.live[state.location])
                invariants.setdefault(state.location, {})[formula] = None
        return Safe({location: or_(*formulas) for location, formulas in invariants.items()}, (self.solver.name,))

    def _next(self, frontier: Sequence[_State]) -> list[_State]:
        arrivals: dict[Location, list[_Arrival]] = {}
        for state in frontier:
            for edge in self.main.outgoing(state.location):
                arrival = self._arrival(state, edge)
                if arrival.condition is not FALSE:
                    arrivals.setdefault(edge.target, []).append(arrival)
        self.budget.check()
        return [self._merged(location, found) for location, found in arrivals.items()]

    def _arrival(self, state: _State, edge: Edge) -> _Arrival:
        step = self.transitions[edge]
        inputs = {i: self._fresh(i) for i in step.inputs}
        before = {**state.values, **inputs}
        condition = and_(state.condition, substitute(step.guard, before))
        if condition is FALSE:
            return _Arrival(state, edge, inputs, FALSE, {})
        new = {variable: substitute(value, before) for variable, value in step.updates.items()}
        return _Arrival(state, edge, inputs, condition, {**state.values, **new})

    def _merged(self, location: Location, arrivals: Sequence[_Arrival]) -> _State:
        """One state for all arrivals; if several conditions hold, the first arrival counts."""
        steps = arrivals[0].source.steps + 1
        conditions = [self._named(arrival.condition) for arrival in arrivals]
        values: dict[Term, Term] = {}
        for variable in dict.fromkeys(v for arrival in arrivals for v in arrival.values):
            merged = arrivals[-1].values.get(variable, variable)
            for arrival, condition in zip(arrivals[-2::-1], conditions[-2::-1], strict=True):
                merged = ite(condition, arrival.values.get(variable, variable), merged)
            values[variable] = self._named(merged)
        ways = tuple(zip(conditions, arrivals, strict=True))
        return _State(location, steps, self._named(or_(*conditions)), values, ways)

    def _named(self, term: Term) -> Term:
        """A variable that stands for the term, unless it is simple."""
        if term.op is ops.VALUE or term.op is ops.VARIABLE or (term.op is ops.NOT and not term.args[0].args):
            return term
        name = self._fresh(var("t", term.sort))
        self.definitions[name] = term
        self.solver.add(eq(name, term))
        return name

    def _fresh(self, like: Term) -> Term:
        self.names += 1
        return var(f"{like.name}!{self.names}", like.sort)

    def _checked(self, state: _State) -> EngineAnswer | None:
        self.budget.check()
        with self.budget.statistics.spending("bounded queries"):
            answer = self.solver.check(state.condition, time_limit=self.budget.left)
        match answer:
            case Sat():
                return self._counterexample(state, answer)
            case Undecided(reason):
                raise _Undecided(f"undecided after {state.steps} steps: {reason}")
        return None

    def _counterexample(self, state: _State, answer: Sat) -> EngineAnswer:
        """The path that the model takes, with its values recomputed from those that were chosen."""
        taken: list[_Arrival] = []
        while state.arrivals:
            arrival = next(way for condition, way in state.arrivals if self._holds(condition, answer))
            taken.append(arrival)
            state = arrival.source
        taken.reverse()
        trace = Trace(tuple(arrival.edge for arrival in taken))
        formula = trace.formula
        # bitwuzla has no functions; reading a whole model, with an array for every step, takes longer than the rest.
        functions = {} if self.solver.name == "bitwuzla" else answer.model.functions
        values = {indexed: answer.value(variable) for variable, indexed in formula.indices[0].items()}
        for position, arrival in enumerate(taken):
            step, before, after = trace.steps[position], formula.indices[position], formula.indices[position + 1]
            inputs = {i: answer.value(chosen) for i, chosen in arrival.inputs.items()}
            values |= {indexed: inputs[i] for i, indexed in formula.inputs[position].items()}
            here = Model({v: values[indexed] for v, indexed in before.items()} | inputs, functions)
            values |= {after[v]: evaluate(value, here) for v, value in step.updates.items()}
        return Unsafe(trace, Model(values, functions))

    @staticmethod
    def _holds(condition: Term, answer: Sat) -> bool:
        if condition.op is ops.NOT:
            return answer.value(condition.args[0]) is False
        return condition is TRUE or answer.value(condition) is True


def _least(seconds: float, left: float | None) -> float:
    return seconds if left is None else min(seconds, left)
