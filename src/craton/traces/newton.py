"""Newton: symbolic execution along an infeasible core ([CN] 3-6, [NR] 3-4).

The eight variants are three fields: direction (SP, WP), core (IT or not), live variables (LV or not). Every step is
followed by quantifier elimination, so that the next one starts small.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Substitution, Term, and_, eq, free_variables, implies, not_, substitute, var
from craton.processes.running_time import running_time
from craton.program.transitions import Transition
from craton.registry import flag, keyed_choice, keyed_seconds, switch, word_choice
from craton.smt import Sat, Solver, Undecided, make_solver
from craton.smt.elimination import CHEAP, EXACT, SYNTACTIC, Eliminator, Method
from craton.traces.cores import Granularity, InfeasibleCore, infeasible_core
from craton.traces.levels import Level, at_edge_level, kept_paths, said_by
from craton.traces.live import future_live, past_live
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import core_choice, core_minimisation, eliminating_solver, solver_name
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation, hoare_triple
from craton.traces.trace import Trace


class Direction(enum.Enum):
    SP = "sp"
    WP = "wp"


class Quantifiers(enum.Enum):
    """How hard the solver tries to eliminate quantifiers that syntactic elimination left ([NR] 4.2)."""

    NONE = "none"
    LIGHT = "light"
    FULL = "full"


OURS = (Method.READS, Method.BOUNDS, Method.CASES)
METHODS = {Quantifiers.NONE: SYNTACTIC, Quantifiers.LIGHT: CHEAP, Quantifiers.FULL: EXACT}


# Seconds for one solver call to eliminate quantifiers: results that take longer are too large to be useful.
STEP_LIMIT = 1.0


@dataclass(frozen=True, slots=True)
class Newton(Refiner):
    """Symbolic execution, forwards (sp) or backwards (wp), along an infeasible core of whole statements (it), with live
    variables only (lv). Finer cores (core=conjunct, core=half), smaller ones (minimise) and those near the error (late)
    are not the paper's.

    [CN] 6; the sequences of [CN] Def. 3.1 and Def. 4.6, over the abstract trace of [CN] Def. 4.5.
    """

    word: ClassVar[str] = "newton"

    core: Granularity | None = core_choice()  # IT: whole statements; None executes the whole trace
    direction: Direction = word_choice(Direction.SP, always=True)
    live: bool = flag("lv")
    late: bool = flag("late")  # a core that avoids the beginning of the trace as far as possible
    drop: bool = flag("drop")  # drop what stays quantified, instead of keeping it
    quantifiers: Quantifiers = keyed_choice(Quantifiers.LIGHT, "quantifiers", Quantifiers)
    level: Level = keyed_choice(Level.BLOCK, "level", Level)
    solver: str = solver_name()
    time_limit: float | None = keyed_seconds(10.0)  # for a refutation; afterwards no solver is called
    minimise: float | None = core_minimisation()
    der: bool = switch("der")  # destructive equality resolution
    upd: bool = switch("upd")  # unconnected parameter drop
    extra: bool = switch("extra")  # syntactic elimination that is ours: elements of arrays, bounds, cases
    eliminator: str = eliminating_solver()  # for `quantifiers`, and for what UPD asks

    @property
    def methods(self) -> tuple[Method, ...]:
        """How quantifiers are eliminated, in this order."""
        wanted = {Method.DER: self.der, Method.UPD: self.upd, **dict.fromkeys(OURS, self.extra)}
        chosen = tuple(method for method in METHODS[self.quantifiers] if wanted.get(method, True))
        return (*chosen, Method.DROP) if self.drop else chosen

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        if self.level is Level.EDGE:
            paths = kept_paths(memory, (self.solver,), self.time_limit)
            return said_by(at_edge_level(replace(self, level=Level.BLOCK), trace, memory, paths), self.name)
        return self.executing(lambda solver: self._steps(trace, solver))

    def _steps(self, trace: Trace, solver: Solver) -> Steps | Sat | Undecided:
        found = infeasible_core(trace, solver, self.core, self.minimise, self.time_limit, self.late)
        if not isinstance(found, InfeasibleCore):
            return found
        live = (future_live if self.direction is Direction.SP else past_live)(found.steps) if self.live else None
        return _TraceSteps(found, None if live is None else tuple(live))

    def executing(self, core: Callable[[Solver], Steps | Sat | Undecided]) -> Answer:
        """The refutation of anything whose infeasible core has steps."""
        try:
            execution = _Execution(self)
            steps = core(execution.solver)
            if isinstance(steps, Sat):
                return Feasible(steps.model)
            return GaveUp(steps.reason) if isinstance(steps, Undecided) else execution.refute(steps)
        except MissingCapability as problem:
            return GaveUp(str(problem))


class Steps(Protocol):
    """The steps of an infeasible core, each behind those that it follows, with an assertion after each; the last one
    leads to the error.

    A step of a trace follows the one before it, a node of a tree of clause instances follows its children. Where
    nothing branches, "those that it follows" is one step, or none for the first.
    """

    @property
    def kept(self) -> frozenset[int]:
        """The steps in the core; the others are abstract."""
        ...

    @property
    def live_at(self) -> tuple[frozenset[Term], ...] | None:
        """The live variables where assertions are, if they are known."""
        ...

    def __len__(self) -> int: ...

    def followed(self, step: int) -> Sequence[int]:
        """Those that a step follows."""
        ...

    def strongest(self, step: int, before: Sequence[Term], eliminator: Eliminator) -> Term:
        """What holds after a step, where `before` holds after those that it follows."""
        ...

    def weakest(self, step: int, place: int, others: Sequence[Term], after: Term, eliminator: Eliminator) -> Term:
        """What must hold after the one that a step follows at this place, so that `after` holds after the step, where
        `others` hold after the others that it follows.
        """
        ...

    def violation(self, first: int, after: Term) -> Term:
        """Satisfiable iff a step that follows none need not lead to `after`."""
        ...

    def assertions(self, found: Sequence[Term]) -> tuple[Term, ...]:
        """The assertions of the refutation, from those after each step."""
        ...


@dataclass(slots=True)
class _Execution:
    """The state of one refutation while it is computed."""

    newton: Newton
    eliminator: Eliminator = field(init=False)
    solver: Solver = field(init=False)

    def __post_init__(self) -> None:
        newton, limit = self.newton, self.newton.time_limit
        step = STEP_LIMIT if limit is None else min(STEP_LIMIT, limit)
        self.eliminator = Eliminator(
            newton.methods, newton.eliminator, step, None if limit is None else running_time() + limit
        )
        self.solver = make_solver(self.newton.solver, time_limit=limit)

    def refute(self, steps: Steps) -> Answer:
        found = self._forwards(steps) if self.newton.direction is Direction.SP else self._backwards(steps)
        if isinstance(found, GaveUp):
            return found
        return Refutation(
            steps.assertions(found),
            self.newton.name,
            core=None if self.newton.core is None else steps.kept,
            live=steps.live_at,
            eliminated=self.eliminator.achieved(),
        )

    def _forwards(self, steps: Steps) -> list[Term] | GaveUp:
        found = self._strongest(steps)
        problem = self._problem(found[-1])
        return [*found[:-1], FALSE] if problem is None else problem

    def _strongest(self, steps: Steps) -> list[Term]:
        found: list[Term] = []
        for step in range(len(steps)):
            before = [found[earlier] for earlier in steps.followed(step)]
            found.append(FALSE if FALSE in before else steps.strongest(step, before, self.eliminator))
        return found

    def _backwards(self, steps: Steps) -> list[Term] | GaveUp:
        """Given the assertions chosen for those followed before a place, and the strongest of those behind it, the law
        holds whatever the order of the places.
        """
        branches = any(len(steps.followed(step)) > 1 for step in range(len(steps)))
        strongest = self._strongest(steps) if branches else []
        found = [FALSE] * len(steps)
        for step in reversed(range(len(steps))):
            followed = steps.followed(step)
            for place, earlier in enumerate(followed):
                others = [found[i] for i in followed[:place]] + [strongest[i] for i in followed[place + 1 :]]
                found[earlier] = steps.weakest(step, place, others, found[step], self.eliminator)
            problem = None if followed else self._problem(steps.violation(step, found[step]))
            if problem is not None:
                return problem
        return found

    def _problem(self, contradiction: Term) -> GaveUp | None:
        """What must be a contradiction is none, if the assertions lost too much."""
        if contradiction is FALSE:
            return None
        answer = self.solver.check(contradiction)
        if isinstance(answer, Undecided):
            return GaveUp(f"cannot tell whether the assertions prove anything: {answer.reason}")
        return GaveUp("the assertions lost too much to prove infeasibility") if isinstance(answer, Sat) else None


@dataclass(frozen=True, slots=True)
class _TraceSteps:
    """The abstract trace that keeps only a core."""

    core: InfeasibleCore
    live_at: tuple[frozenset[Term], ...] | None  # for each of the n + 1 positions

    @property
    def kept(self) -> frozenset[int]:
        return self.core.kept

    def __len__(self) -> int:
        return len(self.core.steps)

    def followed(self, step: int) -> Sequence[int]:
        return (step - 1,) if step else ()

    def strongest(self, step: int, before: Sequence[Term], eliminator: Eliminator) -> Term:
        return strongest_post(and_(*before), self.core.steps[step], eliminator, self._forget(step + 1))

    def weakest(self, step: int, place: int, others: Sequence[Term], after: Term, eliminator: Eliminator) -> Term:
        return weakest_pre(self.core.steps[step], after, eliminator, self._forget(step))

    def violation(self, first: int, after: Term) -> Term:
        return not_(hoare_triple(TRUE, self.core.steps[first], after))

    def assertions(self, found: Sequence[Term]) -> tuple[Term, ...]:
        return (TRUE, *found)

    def _forget(self, position: int) -> Callable[[Term], bool]:
        if self.live_at is None:
            return _nothing
        alive = self.live_at[position]
        return lambda variable: variable not in alive


def _nothing(variable: Term) -> bool:
    return False


def strongest_post(
    before: Term, step: Transition, eliminator: Eliminator, forget: Callable[[Term], bool] = _nothing
) -> Term:
    """∃ old values, inputs and variables to forget. before ∧ guard ∧ x = update

    `post` of [CN] 3, [NR] Eqs. 3.7–3.10; forgetting is the existential projection of [CN] Def. 5.2.
    """
    old = {x: var(f"{x.name}!old", x.sort) for x in step.updates}
    as_old = Substitution(old)
    facts = [as_old(and_(before, step.guard)), *(eq(x, as_old(value)) for x, value in step.updates.items())]
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
