"""Infeasible cores ([CN] 4): which parts of a trace make it infeasible, and the trace without the others.

A step outside the core becomes `assume true` or `havoc x`; with conjunct-level cores a step may be kept in part.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from craton.logic import TRUE, Term, and_, substitute, var
from craton.program.transitions import Transition
from craton.smt import Sat, Solver, Undecided, latest_core, minimal_core, split_equalities, unsat_core
from craton.traces.trace import Part, Trace, TraceFormula


class Granularity(enum.Enum):
    """What a core is made of."""

    STATEMENT = "statement"
    CONJUNCT = "conjunct"  # of guards and of parallel updates; equalities of numbers may keep one half


@dataclass(frozen=True, slots=True)
class InfeasibleCore:
    """The steps in the core, and the abstract trace that keeps only them ([CN] Defs. 4.2, 4.3, 4.5)."""

    steps: tuple[Transition, ...]
    kept: frozenset[int]


def infeasible_core(
    trace: Trace,
    solver: Solver,
    granularity: Granularity,
    budget: float | None,
    time_limit: float | None,
    late: bool = False,
) -> InfeasibleCore | Sat | Undecided:
    """`budget` is the time to spend on making the core smaller; 0 takes the solver's core as it is. A `late` core
    avoids the beginning of the trace as far as possible.

    [CN] Def. 4.3. Whole statements and the solver's core as it is are [CN] Def. 4.5; the rest is ours.
    """
    question = (infeasible_core, solver.name, granularity, budget, late)
    known: InfeasibleCore | None = trace.answers.get(question)
    if known is not None:
        return known
    found = _infeasible_core(trace, solver, granularity, budget, time_limit, late)
    if isinstance(found, InfeasibleCore):
        trace.answers[question] = found
    return found


def _infeasible_core(
    trace: Trace,
    solver: Solver,
    granularity: Granularity,
    budget: float | None,
    time_limit: float | None,
    late: bool,
) -> InfeasibleCore | Sat | Undecided:
    formula = trace.formula
    members: list[tuple[int, Term, Part | None]]
    if granularity is Granularity.STATEMENT:
        members = [(step, f, None) for step, f in enumerate(formula.by_step)]
    else:
        members = [(p.step, half, p) for p in formula.parts for half in _halves(p)]
    candidates = [f for _, f, _ in members]
    found = chosen_core(candidates, [step for step, _, _ in members], solver, budget, time_limit, late)
    if not isinstance(found, tuple):
        return found
    chosen = [members[i] for i in found]
    kept = frozenset(step for step, _, _ in chosen)
    if granularity is Granularity.STATEMENT:
        steps = [step if i in kept else abstract(step) for i, step in enumerate(trace.steps)]
    else:
        steps = []
        for i, step in enumerate(trace.steps):
            halves = [(f, p) for s, f, p in chosen if s == i and p is not None]
            steps.append(_restricted(step, halves, formula, i))
    return InfeasibleCore(tuple(steps), kept)


def chosen_core(
    candidates: Sequence[Term],
    groups: Sequence[int],
    solver: Solver,
    budget: float | None,
    time_limit: float | None,
    late: bool,
) -> tuple[int, ...] | Sat | Undecided:
    """The core that a refiner asks for: of the latest groups, a small one, or the solver's own."""
    if late:
        return latest_core(candidates, groups, solver, budget, time_limit)
    if budget != 0:
        return minimal_core(candidates, solver, budget, time_limit)
    return unsat_core(candidates, solver, time_limit)


def abstract(step: Transition) -> Transition:
    """The step reduced to a havoc of the variables it writes ([CN] Def. 4.1)."""
    return _forgetting(step, TRUE, step.written)


def _forgetting(step: Transition, guard: Term, forgotten: frozenset[Term]) -> Transition:
    fresh = {v: var(f"{v.name}?any", v.sort) for v in step.updates if v in forgotten}
    updates = {v: fresh.get(v, value) for v, value in step.updates.items()}
    return Transition(guard, updates, (*step.inputs, *fresh.values()))


def _halves(part: Part) -> Sequence[Term]:
    return split_equalities(part.formula)


def _restricted(
    step: Transition, chosen: Sequence[tuple[Term, Part]], formula: TraceFormula, number: int
) -> Transition:
    """The step with only the chosen halves of its parts.

    If only one half of an update is kept, the variable is havocked and then constrained by that half.
    """
    back = {indexed: v for v, indexed in formula.indices[number].items()}
    back |= {indexed: i for i, indexed in formula.inputs[number].items()}
    guard: list[Term] = []
    whole: set[Term] = set()
    constrained: list[tuple[Term, Term]] = []
    for half, part in chosen:
        if part.written is None:
            guard.append(substitute(half, back))
        elif half is part.formula or sum(p is part for _, p in chosen) == len(_halves(part)):
            whole.add(part.written)
        else:
            constrained.append((part.written, half))
    forgotten = step.written - whole
    for variable, half in constrained:
        after = formula.indices[number + 1][variable]
        guard.append(substitute(half, {**back, after: var(f"{variable.name}?any", variable.sort)}))
    return _forgetting(step, and_(*guard), forgotten)
