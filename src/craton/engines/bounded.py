"""Bounded model checking: all paths of the first k steps at once, for k = 1, 2, 3, …; or each loop to its end.

It finds errors near the start quickly, where engines that refute one trace after another would first have to learn
about all shorter ones; and where all paths end, that is a proof (`program/unfolding` says how they are merged).

Of the runs to an error one is told that the compiled program is most likely to have: with zeros for all that C leaves
open, or else without doubts (`statements.Doubt`). While all that are known need a doubt others are looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Progress, Safe, Unknown, Unsafe
from craton.engines.small_numbers import SmallNumbers
from craton.engines.state_formulas import StateFormulas
from craton.errors import MissingCapability
from craton.logic import TRUE, BitVec, Model, Term, and_, bv, eq, evaluate, ops, or_
from craton.processes.limits import least
from craton.processes.running_time import running_time
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Location, Program
from craton.program.statements import Doubt, Input, Proposed
from craton.program.transitions import sources
from craton.program.unfolding import AllRuns, Arrival, MergedState, Order, Time, Unfolding
from craton.registry import flag, keyed_number
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.traces.trace import Trace

SOLVERS = ("bitwuzla", "z3")  # the first that supports the program's theories
LOOKING_SECONDS, LOOKING_SHARE = 0.5, 0.3  # for reachability queries: seconds for one, share for all
ROUND_SECONDS = 2.0  # for whether a loop goes on, where it has to end before anything else is seen
LIKELY_SECONDS = 2.0  # for a counterexample that is likelier than the first
WAY_SECONDS = 0.1  # for whether there is a way where several meet, when all paths have ended
MOST_ROUNDS = 2000  # of one loop, before what comes behind it is seen


@dataclass(frozen=True, slots=True)
class Bounded(Engine):
    """All paths up to a length at once; finds errors, and proves only where all paths end; needs no refiner.

    `depth` is the maximal number of steps; None: as many as time allows. `loops`: not step by step, but each loop to
    its end before what comes behind it; runs that have left it are together again, however many rounds they took.
    `depth` is the maximal number of rounds then.
    """

    word: ClassVar[str] = "bounded"

    loops: bool = flag("loops")
    depth: int | None = keyed_number(None, "depth")
    blocks: int | None = None

    @property
    def asks_first(self) -> str:
        return SOLVERS[0]

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        reason = "no solver can speak of this program"
        for name in SOLVERS:
            try:
                if self.loops:
                    return _Unrolling(program, make_solver(name), budget, Order.LOOPS).run(self.depth or MOST_ROUNDS)
                return _Unrolling(program, make_solver(name), budget, Order.STEPS).run(self.depth)
            except MissingCapability:
                continue
            except _Undecided as problem:
                reason = str(problem)
            except OutOfTime:
                return Unknown("out of time, no error near the start")
        return Unknown(reason)


class _Undecided(Exception):
    """The solver has no answer to a query; another solver may have one."""


class _Unrolling:
    def __init__(self, program: Program, solver: Solver, budget: Budget, order: Order) -> None:
        self.program = program
        self.solver = solver
        self.budget = budget
        self.order = order
        self.unfolding = Unfolding(program, order)
        self.asked = SmallNumbers(solver, self.unfolding.definitions)
        self.live = live_variables(program, self.unfolding.transitions)
        self.followed: list[MergedState] = []
        self.unreached: set[tuple[Time, Location]] = set()
        self.looking = 0.0  # seconds spent on reachability queries
        self.sources = {edge: sources(edge.statement) for edge in program.main.edges}
        self.zero: dict[Term, None] = {}  # that no doubt is needed, for what was passed
        self.plain: dict[Term, None] = {}  # that what is left open besides is zero
        self.doubtful: Unsafe | None = None  # a counterexample that needs a doubt
        self.patience = 0.0  # until when it is kept back

    def run(self, depth: int | None) -> EngineAnswer:
        try:
            found = self._run(depth)
        except (OutOfTime, _Undecided):
            if self.doubtful is None:
                raise
            return self.doubtful
        return found if isinstance(found, Unsafe) else self.doubtful or found

    def _run(self, depth: int | None) -> EngineAnswer:
        state: MergedState | None = self.unfolding.first()
        count = 0
        while state is not None:
            self.budget.check()
            count += 1
            if depth is not None and self._age(state) > depth:
                return Unknown(f"no error within {depth} {'rounds' if self.order is Order.LOOPS else 'steps'}")
            self.budget.watch(Progress(count, self._age(state), 0, len(self.followed)))
            if self.doubtful is not None and running_time() > self.patience:
                return self.doubtful
            self._note_open(state)
            if state.location in self.program.errors:
                found = self._checked(state)
                if found is not None:
                    return found
            elif self._possible(state):
                self._follow(state)
            else:
                self.unreached.add((state.time, state.location))
            with self.budget.statistics.spending("unrolling"):
                state = self.unfolding.next()
                self.solver.add(*self.unfolding.new_definitions())
        runs = AllRuns(self.order, count, frozenset(self.unreached))
        return Safe(self._invariants(), (self.solver.name,), runs=runs)

    def _age(self, state: MergedState) -> int:
        """The number of steps, or of the most rounds of a loop."""
        return state.time[0] if self.order is Order.STEPS else max(state.rounds, default=0)

    def _note_open(self, state: MergedState) -> None:
        """Which of the values chosen on the way here are doubts, or left open."""
        for _, arrival in state.arrivals:
            for given, name in arrival.inputs.items():
                source = self.sources[arrival.edge].get(given)
                if isinstance(name.sort, BitVec) and not isinstance(source, Input | Proposed):
                    noted = self.zero if isinstance(source, Doubt) else self.plain
                    noted[eq(name, bv(0, name.sort.width))] = None

    def _follow(self, state: MergedState) -> None:
        self.followed.append(state)
        with self.budget.statistics.spending("unrolling"):
            self.unfolding.follow(state)

    def _possible(self, state: MergedState) -> bool:
        """False if the state is known to be unreachable. The solver is asked as long as that costs little; and in each
        round of a loop, where the end of loops is what everything depends on.
        """
        if state.condition is TRUE:
            return True
        now = running_time()
        limit = LOOKING_SECONDS
        if self.order is Order.LOOPS:
            if state.location not in self.program.loop_heads:
                return True
            limit = ROUND_SECONDS
        elif self.looking > LOOKING_SECONDS + LOOKING_SHARE * (now - self.budget.started):
            return True
        with self.budget.statistics.spending("bounded queries"):
            answer = self.asked.check(state.condition, time_limit=least(limit, self.budget.left))
        self.looking += running_time() - now
        return not isinstance(answer, Unsat)

    def _invariants(self) -> dict[Location, Term]:
        """All paths have ended: at each location, the disjunction of the states seen there is an invariant. Often only
        in parts, since inputs that no variable holds any more cannot be spoken of; and none if there is no time.
        """
        steps = self.unfolding.transitions.values()
        variables = frozenset[Term]().union(*(step.read | step.written for step in steps))
        with self.budget.statistics.spending("unrolling"):
            told = StateFormulas(self.unfolding.definitions, variables, self._is_possible)
            invariants: dict[Location, dict[Term, None]] = {}
            for state in self.followed:
                if self.budget.is_used_up:
                    return {}
                formula = told.formula(state.condition, state.values, self.live[state.location])
                invariants.setdefault(state.location, {})[formula] = None
        return {location: or_(*formulas) for location, formulas in invariants.items()}

    def _is_possible(self, condition: Term) -> bool:
        answer = self.solver.check(condition, time_limit=least(WAY_SECONDS, self.budget.left))
        return not isinstance(answer, Unsat)

    def _checked(self, state: MergedState) -> EngineAnswer | None:
        self.budget.check()
        with self.budget.statistics.spending("bounded queries"):
            answer = self.asked.check(state.condition, time_limit=self.budget.left)
        match answer:
            case Sat():
                return self._likeliest(state, self._counterexample(state, answer))
            case Undecided(reason):
                raise _Undecided(f"undecided after {len(self.followed)} states: {reason}")
        return None

    def _likeliest(self, state: MergedState, found: Unsafe) -> Unsafe | None:
        """The counterexample that needs least of what C leaves open; None if all here need a doubt."""
        without_doubt, with_zeros = and_(*self.zero), and_(*self.zero, *self.plain)
        for wanted in dict.fromkeys((with_zeros, without_doubt)):
            if wanted is TRUE:
                return found
            with self.budget.statistics.spending("bounded queries"):
                answer = self.asked.check(state.condition, wanted, time_limit=least(LIKELY_SECONDS, self.budget.left))
            if isinstance(answer, Sat):
                return self._counterexample(state, answer)
        if not self.zero or not isinstance(answer, Unsat):
            return found
        if self.doubtful is None:
            self.doubtful = found
            now = running_time()
            self.patience = now + LIKELY_SECONDS + now - self.budget.started
        return None

    def _counterexample(self, state: MergedState, answer: Sat) -> Unsafe:
        """The path that the model takes, with its values recomputed from those that were chosen."""
        taken: list[Arrival] = []
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
