"""The level at which a trace is refuted ([NR] 4.1): its own steps (BLOCK), or the statements inside its blocks (EDGE).

EDGE follows one path through the blocks. Where the blocks do not branch, the path is the trace itself, statement by
statement. Where they do, it is a path that the engine's abstraction cannot exclude: so only engines that say what they
track (`Trace.tracked`) are given a refutation of one path, and for others blocks that branch stay one step.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from craton.errors import MissingCapability
from craton.logic import Model, Term, and_, eq, free_variables, iff, substitute, var
from craton.program.cfa import Edge
from craton.program.statements import Block
from craton.program.transitions import is_linear, transition
from craton.smt import Sat, Solver
from craton.traces.execution import path_in
from craton.traces.memory import RunMemory
from craton.traces.refutation import Along, Answer, Feasible, Refiner, Refutation
from craton.traces.trace import Trace

Path = tuple[tuple[Edge, ...], tuple[int, ...]]  # the statements, and for each step of a trace where it ends


class Level(enum.Enum):
    EDGE = "edge"  # [NR] 4.1.1
    BLOCK = "block"  # [NR] 4.1.2


def at_edge_level(refiner: Refiner, trace: Trace, memory: RunMemory, by: str, solver: Solver) -> Answer:
    """Refutes the trace, or a path through its blocks, statement by statement, and keeps the assertions at the ends of
    the trace's own steps. The refiner is one of block level.
    """
    if trace.tracked is not None and not all(map(_is_straight, trace.edges)):
        along = _along_a_path(refiner, trace, memory, solver)
        if along is not None:
            return replace(along, by=by) if isinstance(along, Refutation) else along
    edges, ends = unfolded(trace)
    if len(edges) == len(trace):
        answer = refiner.refute(trace, memory)
        return replace(answer, by=by) if isinstance(answer, Refutation) else answer
    answer = refiner.refute(Trace(edges, trace.program), memory)
    if isinstance(answer, Feasible):
        # The model uses the indices of the unfolded trace; the trace itself needs a model of its own.
        return refiner.refute(trace, memory)
    return replace(at_ends(answer, ends), by=by) if isinstance(answer, Refutation) else answer


def at_ends(fine: Refutation, ends: Sequence[int]) -> Refutation:
    """A refutation of the unfolded trace as one of the trace itself; whether it is perfect is no longer known."""
    positions = (0, *ends)
    core = live = None
    if fine.core is not None:
        core = frozenset(i for i, (a, b) in enumerate(pairwise(positions)) if not fine.core.isdisjoint(range(a, b)))
    if fine.live is not None:
        live = tuple(fine.live[i] for i in positions)
    assertions = tuple(fine.assertions[i] for i in positions)
    return replace(fine, assertions=assertions, core=core, live=live, quality=None)


def unfolded(trace: Trace) -> Path:
    """The trace statement by statement; blocks that branch stay one step."""
    return _numbered([_inside(edge) if _is_straight(edge) else (edge,) for edge in trace.edges])


def _numbered(by_step: Sequence[Sequence[Edge]]) -> Path:
    edges: list[Edge] = []
    ends: list[int] = []
    for inside in by_step:
        edges += inside
        ends.append(len(edges))
    return tuple(edges), tuple(ends)


def _inside(edge: Edge) -> Sequence[Edge]:
    return edge.statement.edges if isinstance(edge.statement, Block) else (edge,)


def _is_straight(edge: Edge) -> bool:
    return not isinstance(edge.statement, Block) or is_linear(edge.statement)


# --- one path through blocks that branch ------------------------------------------------------------------------------


def _along_a_path(refiner: Refiner, trace: Trace, memory: RunMemory, solver: Solver) -> Answer | None:
    """The refutation of one path through the blocks of an infeasible trace; None if there is no new path to refute."""
    frames = [framed(edge, number) for number, edge in enumerate(trace.edges)]
    if _model([*_formulas(frames), *_equal(frames)], solver) is not None:
        return None
    chosen = path_through(trace, frames, solver)
    if chosen is None:
        return None
    edges, ends = chosen
    path = Trace(edges, trace.program)
    if memory.recall(refiner, path) is not None:
        return None
    fine = refiner.refute(path, memory)
    if not isinstance(fine, Refutation):
        return None if isinstance(fine, Feasible) else fine
    memory.note(refiner, path, ends)
    return replace(at_ends(fine, ends), along=Along(path, fine.assertions, ends))


def path_through(trace: Trace, frames: Sequence[Frame], solver: Solver) -> Path | None:
    """A path through the blocks of a trace that the engine's abstraction cannot exclude.

    It is the path of a run that between any two steps may change into any state that the tracked predicates cannot tell
    from its own. If the assertions of a refuted path are tracked, no such run takes that path: it would satisfy each
    assertion, at last `false`. So a path that was refuted is not chosen again.
    """
    assert trace.tracked is not None
    model = _model([*_formulas(frames), *_indistinguishable(frames, trace.tracked[1:-1])], solver)
    if model is None:
        return None
    inside: list[Sequence[Edge]] = []
    for edge, frame in zip(trace.edges, frames, strict=True):
        values = {variable: model[indexed] for variable, indexed in frame.before.items()}
        inputs = {i: model[indexed] for i, indexed in frame.inputs.items()}
        taken = path_in(edge, values, inputs, model)
        if taken is None:
            return None
        inside.append(taken)
    return _numbered(inside)


@dataclass(frozen=True, slots=True)
class Frame:
    """A step over variables of its own, so that it is the same whatever comes before it."""

    formula: Term
    before: Mapping[Term, Term]
    after: Mapping[Term, Term]
    inputs: Mapping[Term, Term]


@lru_cache(maxsize=10_000)
def framed(edge: Edge, number: int) -> Frame:
    """The step as the one of this number. Engines ask about the same blocks at the same places again and again."""
    step = transition(edge.statement)
    before = {v: _variable(v, number, "before") for v in sorted(step.read | step.written, key=lambda v: v.serial)}
    inputs = {i: _variable(i, number, "input") for i in step.inputs}
    after = before | {v: _variable(v, number, "after") for v in step.updates}
    here = before | inputs
    new = (eq(after[v], substitute(value, here)) for v, value in step.updates.items())
    return Frame(and_(substitute(step.guard, here), *new), before, after, inputs)


def _variable(v: Term, number: int, when: str) -> Term:
    return var(f"{v.name}@{number} {when}", v.sort)


def _formulas(frames: Sequence[Frame]) -> list[Term]:
    return [frame.formula for frame in frames]


def _equal(frames: Sequence[Frame]) -> Iterator[Term]:
    """Nothing changes between the steps."""
    last: dict[Term, Term] = {}
    for frame in frames:
        yield from (eq(last[v], indexed) for v, indexed in frame.before.items() if v in last)
        last.update(frame.after)


def _indistinguishable(frames: Sequence[Frame], tracked: Sequence[Sequence[Term]]) -> Iterator[Term]:
    """Between the steps everything may change, but for the values of the predicates.

    A variable that a step does not speak of is not changed by it, so it may have changed before or behind it.
    """
    for number, ((first, second), predicates) in enumerate(zip(pairwise(frames), tracked, strict=True)):
        for predicate in predicates:
            end = {v: first.after.get(v) or _variable(v, number, "before") for v in free_variables(predicate)}
            begin = {v: second.before.get(v) or _variable(v, number + 1, "before") for v in free_variables(predicate)}
            yield iff(substitute(predicate, end), substitute(predicate, begin))


def _model(formulas: Sequence[Term], solver: Solver) -> Model | None:
    try:
        with solver.scope():
            solver.add(*formulas)
            answer = solver.check()
            return answer.model if isinstance(answer, Sat) else None
    except MissingCapability:
        return None
