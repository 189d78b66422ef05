"""Newton: symbolic execution along an infeasible core ([CN] 3-6, [NR] 3-4).

The eight variants are three fields: direction (SP, WP), core (IT or not), live variables (LV or not). Every step is
followed by quantifier elimination, so that the next one starts small.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term, and_, eq, free_variables, implies, not_, substitute, var
from craton.processes.running_time import running_time
from craton.program.transitions import Transition
from craton.registry import flag, keyed_choice, keyed_seconds, word_choice
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.smt.elimination import CHEAP, EXACT, SYNTACTIC, Eliminator, Method
from craton.traces.cores import Granularity, InfeasibleCore, infeasible_core
from craton.traces.levels import Level, at_edge_level
from craton.traces.live import future_live, past_live
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import core_choice, solver_name
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace


class Direction(enum.Enum):
    SP = "sp"
    WP = "wp"


class Quantifiers(enum.Enum):
    """How hard the solver tries to eliminate quantifiers that syntactic elimination left ([NR] 4.2)."""

    NONE = "none"
    LIGHT = "light"
    FULL = "full"


METHODS = {Quantifiers.NONE: SYNTACTIC, Quantifiers.LIGHT: CHEAP, Quantifiers.FULL: EXACT}


# Seconds for one solver call to eliminate quantifiers: results that take longer are too large to be useful.
STEP_LIMIT = 1.0


@dataclass(frozen=True, slots=True)
class Newton(Refiner):
    """Symbolic execution, forwards (sp) or backwards (wp), along an infeasible core (it; late: near the error), with
    live variables only (lv).

    [CN] 6; the sequences of [CN] Def. 3.1 and Def. 4.6, over the abstract trace of [CN] Def. 4.5.
    """

    word: ClassVar[str] = "newton"

    core: Granularity | None = core_choice()  # IT; None executes the whole trace
    direction: Direction = word_choice(Direction.SP, always=True)
    live: bool = flag("lv")
    late: bool = flag("late")  # a core that avoids the beginning of the trace as far as possible
    drop: bool = flag("drop")  # drop what stays quantified, instead of keeping it
    quantifiers: Quantifiers = keyed_choice(Quantifiers.LIGHT, "quantifiers", Quantifiers)
    level: Level = keyed_choice(Level.BLOCK, "level", Level)
    solver: str = solver_name()
    time_limit: float | None = keyed_seconds(10.0)  # for a refutation; afterwards no solver is called
    core_budget: float | None = 1.0  # seconds to spend on a smaller core

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        if self.level is Level.EDGE:
            return at_edge_level(replace(self, level=Level.BLOCK), trace, memory, self.name)
        try:
            return _Execution(self, trace).refute()
        except MissingCapability as problem:
            return GaveUp(str(problem))


@dataclass(slots=True)
class _Execution:
    """The state of one refutation while it is computed."""

    newton: Newton
    trace: Trace
    eliminator: Eliminator = field(init=False)
    solver: Solver = field(init=False)
    started: float = field(default_factory=running_time)

    def __post_init__(self) -> None:
        methods = METHODS[self.newton.quantifiers] + ((Method.DROP,) if self.newton.drop else ())
        limit = self.newton.time_limit
        step = STEP_LIMIT if limit is None else min(STEP_LIMIT, limit)
        self.eliminator = Eliminator(methods, "z3", step, None if limit is None else self.started + limit)
        self.solver = make_solver(self.newton.solver, time_limit=limit)

    def refute(self) -> Answer:
        found = self._infeasible()
        if isinstance(found, Sat):
            return Feasible(found.model)
        if isinstance(found, Undecided):
            return GaveUp(found.reason)
        steps = found.steps
        if self.newton.direction is Direction.SP:
            assertions = self._forwards(steps)
        else:
            assertions = self._backwards(steps)
        if isinstance(assertions, GaveUp):
            return assertions
        return Refutation(
            tuple(assertions),
            self.newton.name,
            core=None if self.newton.core is None else found.kept,
            live=tuple(self._live(steps)) if self.newton.live else None,
            eliminated=self.eliminator.achieved(),
        )

    def _infeasible(self) -> InfeasibleCore | Sat | Undecided:
        newton, trace = self.newton, self.trace
        if newton.core is not None:
            budget, limit = newton.core_budget, newton.time_limit
            return infeasible_core(trace, self.solver, newton.core, budget, limit, newton.late)
        with self.solver.scope():
            self.solver.add(*trace.formula.by_step)
            answer = self.solver.check()
            if isinstance(answer, Unsat):
                return InfeasibleCore(trace.steps, frozenset(range(len(trace))))
            if isinstance(answer, Sat):
                _ = answer.model
            return answer

    def _live(self, steps: Sequence[Transition]) -> list[frozenset[Term]]:
        return (future_live if self.newton.direction is Direction.SP else past_live)(steps)

    def _forwards(self, steps: Sequence[Transition]) -> list[Term] | GaveUp:
        live = self._live(steps)
        assertion = TRUE
        found = [assertion]
        for i, step in enumerate(steps):
            dead = free_variables(assertion) - live[i] if self.newton.live and i else frozenset()
            assert not dead, "variables that are not live were projected away already"
            forget = (lambda x, alive=live[i + 1]: x not in alive) if self.newton.live else _nothing
            assertion = strongest_post(assertion, step, self.eliminator, forget)
            if i + 1 < len(steps) and assertion is FALSE:
                return found + [FALSE] * (len(steps) - i)
            found.append(assertion)
        return self._ends(found, -1, FALSE, assertion)

    def _backwards(self, steps: Sequence[Transition]) -> list[Term] | GaveUp:
        live = self._live(steps)
        assertion = FALSE
        found = [assertion]
        for i in reversed(range(len(steps))):
            forget = (lambda x, alive=live[i]: x not in alive) if self.newton.live else _nothing
            assertion = weakest_pre(steps[i], assertion, self.eliminator, forget)
            found.append(assertion)
        return self._ends(found[::-1], 0, TRUE, not_(assertion))

    def _ends(self, found: list[Term], position: int, expected: Term, contradiction: Term) -> list[Term] | GaveUp:
        """Checks that the last assertion means what the law demands; if it lost too much, there is no refutation."""
        if found[position] is not expected:
            answer = self.solver.check(contradiction)
            if isinstance(answer, Undecided):
                return GaveUp(f"cannot tell whether the sequence proves anything: {answer.reason}")
            if isinstance(answer, Sat):
                return GaveUp("the sequence lost too much to prove the trace infeasible")
            found[position] = expected
        return found


def _nothing(variable: Term) -> bool:
    return False


def strongest_post(
    before: Term, step: Transition, eliminator: Eliminator, forget: Callable[[Term], bool] = _nothing
) -> Term:
    """∃ old values, inputs and variables to forget. before ∧ guard ∧ x = update

    `post` of [CN] 3, [NR] Eqs. 3.7–3.10; forgetting is the existential projection of [CN] Def. 5.2.
    """
    old = {x: var(f"{x.name}!old", x.sort) for x in step.updates}
    facts = [substitute(and_(before, step.guard), old)]
    facts += [eq(x, substitute(value, old)) for x, value in step.updates.items()]
    body = and_(*facts)
    gone = [*old.values(), *step.inputs]
    forgotten = [x for x in _ordered(free_variables(body).difference(gone)) if forget(x)]
    return eliminator.exists([*gone, *forgotten], body)


def weakest_pre(
    step: Transition, after: Term, eliminator: Eliminator, forget: Callable[[Term], bool] = _nothing
) -> Term:
    """∀ inputs and variables to forget. guard ⇒ after[x ↦ update]

    `wp` of [CN] 4.2; forgetting is the universal projection of [CN] Def. 5.2.
    """
    body = implies(step.guard, substitute(after, step.updates))
    forgotten = [x for x in _ordered(free_variables(body) - frozenset(step.inputs)) if forget(x)]
    return eliminator.forall([*step.inputs, *forgotten], body)


def _ordered(variables: frozenset[Term]) -> list[Term]:
    return sorted(variables, key=lambda v: v.serial)
