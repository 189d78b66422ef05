"""Infeasible cores ([CN] 4): which parts of a trace make it infeasible, and the trace without the others.

A step outside the core becomes `assume true` or `havoc x`. Whole statements and the solver's core as it comes are IT of
[CN] Def. 4.5; cores of conjuncts or of halves of equations, which may keep a step in part, and smaller and late cores
are ours.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from craton.logic import TRUE, Term, and_, substitute, var
from craton.program.transitions import Transition
from craton.smt import (
    Sat,
    Solver,
    Undecided,
    Unsat,
    latest_core,
    minimal_core,
    split_equalities,
    unsat_core,
    unsigned_sorts,
)
from craton.traces.trace import Part, Problem, Trace


class Granularity(enum.Enum):
    """What a core is made of."""

    STATEMENT = "statement"
    CONJUNCT = "conjunct"  # of guards and of parallel updates
    HALF = "half"  # conjuncts, and of equalities of numbers or bit-vectors one of their two inequalities


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of a trace's or a tree's formula that is in the core."""

    part: Part
    formula: Term  # the part's, or the half of it that is kept

    @property
    def is_whole(self) -> bool:
        return self.formula is self.part.formula


@dataclass(frozen=True, slots=True)
class InfeasibleCore:
    """The steps in the core, and the abstract trace that keeps only them ([CN] Defs. 4.2, 4.3, 4.5)."""

    steps: tuple[Transition, ...]
    kept: frozenset[int]


def infeasible_core(
    trace: Trace,
    solver: Solver,
    granularity: Granularity | None,
    budget: float | None,
    time_limit: float | None,
    late: bool = False,
) -> InfeasibleCore | Sat | Undecided:
    """`budget` is the time to spend on making the core smaller; 0 takes the solver's core as it is. A `late` core
    avoids the beginning of the trace as far as possible. Without granularity the core is the whole trace.

    [CN] Def. 4.3; with whole statements, no budget and no `late` [CN] Def. 4.5.
    """
    found = kept_parts(trace, solver, granularity, budget, time_limit, late)
    if not isinstance(found, tuple):
        return found
    chosen: list[list[Kept]] = [[] for _ in trace.steps]
    for kept in found:
        chosen[kept.part.step].append(kept)
    return InfeasibleCore(tuple(_restricted(trace, i, chosen[i]) for i in range(len(trace))), steps_of(found))


def kept_parts(
    problem: Problem,
    solver: Solver,
    granularity: Granularity | None,
    budget: float | None,
    time_limit: float | None,
    late: bool = False,
) -> tuple[Kept, ...] | Sat | Undecided:
    """The parts of an infeasible core, in order, of anything that refiners can be asked about; all parts of what is
    infeasible, if there is no granularity. Compositions ask for the same core again, so it is remembered.
    """
    question = (kept_parts, solver.name, granularity, budget, late)
    known: tuple[Kept, ...] | None = problem.answers.get(question)
    if known is not None:
        return known
    if granularity is Granularity.HALF:
        whole = kept_parts(problem, solver, Granularity.CONJUNCT, budget, time_limit, late)
        kept = whole if not isinstance(whole, tuple) else _halved(problem, whole, solver, budget, time_limit, late)
        if isinstance(kept, tuple):
            problem.answers[question] = kept
        return kept
    members = _members(problem, granularity)
    formulas = [formula for formula, _ in members]
    if granularity is None:
        found = _all(formulas, solver)
    else:
        groups = [parts[0].part.step for _, parts in members]
        found = _chosen_core(formulas, groups, solver, budget, time_limit, late)
    if not isinstance(found, tuple):
        return found
    chosen = tuple(part for i in found for part in members[i][1])
    problem.answers[question] = chosen
    return chosen


def steps_of(core: Sequence[Kept]) -> frozenset[int]:
    return frozenset(kept.part.step for kept in core)


Pieces = Callable[[Part], Sequence[Term]]


def _halved(
    problem: Problem,
    whole: Sequence[Kept],
    solver: Solver,
    budget: float | None,
    time_limit: float | None,
    late: bool,
) -> tuple[Kept, ...]:
    """A core of whole parts, of whose equations one half is kept where that is enough.

    Equations are split in the core only: in bits, solvers are slow without them.
    """
    unsigned = unsigned_sorts(problem.formulas)

    def pieces(part: Part) -> Sequence[Term]:
        return split_equalities(part.formula, unsigned)

    members = [Kept(kept.part, piece) for kept in whole for piece in pieces(kept.part)]
    if len(members) == len(whole):
        return tuple(whole)
    if late:  # what is tried first is kept last
        members.reverse()
    formulas = [kept.formula for kept in members]
    found = (
        minimal_core(formulas, solver, budget, time_limit) if budget != 0 else unsat_core(formulas, solver, time_limit)
    )
    if not isinstance(found, tuple):
        return tuple(whole)
    chosen = sorted((members[i] for i in found), key=lambda kept: kept.part.step)
    return tuple(_rejoined(chosen, pieces))


def _members(problem: Problem, granularity: Granularity | None) -> list[tuple[Term, Sequence[Kept]]]:
    """What a core is chosen from, and what is kept with each."""
    if granularity is Granularity.CONJUNCT:
        return [(part.formula, (Kept(part, part.formula),)) for part in problem.parts]
    steps: dict[int, list[Kept]] = {}
    for part in problem.parts:
        steps.setdefault(part.step, []).append(Kept(part, part.formula))
    return [(problem.formulas[step], kept) for step, kept in steps.items()]


def _all(formulas: Sequence[Term], solver: Solver) -> tuple[int, ...] | Sat | Undecided:
    with solver.scope():
        solver.add(*formulas)
        answer = solver.check()
        if isinstance(answer, Sat):
            _ = answer.model  # read now, before the scope is closed
        return tuple(range(len(formulas))) if isinstance(answer, Unsat) else answer


def _rejoined(chosen: Sequence[Kept], pieces: Pieces) -> Iterator[Kept]:
    """All pieces of a part are the part."""
    halves: dict[Part, list[Kept]] = {}
    for kept in chosen:
        halves.setdefault(kept.part, []).append(kept)
    for part, found in halves.items():
        if len(found) == len(pieces(part)):
            yield Kept(part, part.formula)
        else:
            yield from found


def _chosen_core(
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
    fresh = {v: _anything(v) for v in step.updates if v in forgotten}
    updates = {v: fresh.get(v, value) for v, value in step.updates.items()}
    return Transition(guard, updates, (*step.inputs, *fresh.values()))


def _anything(variable: Term) -> Term:
    """What is chosen for a variable that is forgotten. No variable of a program is called so: names have no spaces."""
    return var(f"{variable.name} any", variable.sort)


def _restricted(trace: Trace, number: int, chosen: Sequence[Kept]) -> Transition:
    """The step with only the chosen parts.

    If only one half of an update is kept, the variable is havocked and then constrained by that half.
    """
    step, formula = trace.steps[number], trace.formula
    if not chosen:
        return abstract(step)
    back: dict[Term, Term] = {}
    if not all(kept.is_whole for kept in chosen):
        back = {indexed: v for v, indexed in formula.indices[number].items()}
        back |= {indexed: i for i, indexed in formula.inputs[number].items()}
    guard: list[Term] = []
    whole: set[Term] = set()
    for kept in chosen:
        variable = kept.part.written
        if variable is None:
            guard.append(kept.part.conjunct if kept.is_whole else substitute(kept.formula, back))
        elif kept.is_whole:
            whole.add(variable)
        else:
            after = formula.indices[number + 1][variable]
            guard.append(substitute(kept.formula, {**back, after: _anything(variable)}))
    together, forgotten = and_(*guard), step.written - whole
    return step if together is step.guard and not forgotten else _forgetting(step, together, forgotten)
