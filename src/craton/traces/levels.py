"""The level at which a trace is refuted ([NR] 4.1): its own steps (BLOCK), or the statements inside its blocks (EDGE).

EDGE follows one path through the blocks. Where the blocks do not branch, the path is the trace itself, statement by
statement. Where they do, it is a path that the engine's abstraction cannot exclude: so only engines that say what they
track (`Trace.tracked`) are given a refutation of one path, and for others blocks that branch stay one step.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from craton.errors import MissingCapability
from craton.logic import (
    BOOL,
    INT,
    REAL,
    Model,
    Substitution,
    Term,
    and_,
    eq,
    free_variables,
    functions,
    iff,
    implies,
    substitute,
    var,
)
from craton.program.cfa import Edge
from craton.program.statements import Block
from craton.program.transitions import is_linear, transition
from craton.smt import Sat, Solver, Unsat, make_solver
from craton.traces.execution import Unread, path_in
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Along, Answer, Feasible, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace

Path = tuple[tuple[Edge, ...], tuple[int, ...]]  # the statements, and for each step of a trace where it ends


class Level(enum.Enum):
    EDGE = "edge"  # [NR] 4.1.1
    BLOCK = "block"  # [NR] 4.1.2


CHOOSING = "bitwuzla"  # the fastest at this; which path is refuted need not be anybody's word
FEW_WAYS = 4
MOST_PATHS = 12  # through the blocks of one trace that are refuted before the engine looks again


@dataclass(frozen=True, slots=True)
class Inside(Refiner):
    """R, asked about paths through the blocks of traces: the engine's own edge level, whatever R is. Where blocks
    branch, path after path is refuted, as long as some path is not excluded by what is tracked and learned.
    """

    word: ClassVar[str] = "inside"

    refiner: Refiner
    solver: str
    time_limit: float | None = 10.0

    @property
    def name(self) -> str:
        return self.refiner.name

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        if all(map(_has_few_ways, trace.edges)):
            return self.refiner.refute(trace, memory)
        paths = kept_paths(memory, (CHOOSING, self.solver), self.time_limit)
        first = at_edge_level(self.refiner, trace, memory, paths)
        if isinstance(first, GaveUp):
            return self.refiner.refute(trace, memory)
        if not isinstance(first, Refutation) or first.along is None:
            return first
        found = [first]
        while len(found) < MOST_PATHS:
            trace = _tracking(trace, found[-1])
            further = _along_a_path(self.refiner, trace, memory, paths)
            if not isinstance(further, Refutation):
                break
            found.append(further)
        return replace(first, others=tuple(found[1:]))


def _tracking(trace: Trace, refutation: Refutation) -> Trace:
    """The trace as it will be seen when the refutation's assertions are tracked, too."""
    assert trace.tracked is not None
    told = zip(trace.tracked, refutation.assertions, strict=True)
    return replace(trace, tracked=tuple((*known, new) for known, new in told))


def kept_paths(memory: RunMemory, solvers: tuple[str, ...], time_limit: float | None) -> Paths:
    """Those of the run."""
    return memory.kept((Paths, solvers, time_limit), lambda: Paths(solvers, time_limit))


def at_edge_level(refiner: Refiner, trace: Trace, memory: RunMemory, paths: Paths) -> Answer:
    """Refutes the trace, or a path through its blocks, statement by statement, and keeps the assertions at the ends of
    the trace's own steps. The refiner is one of block level.
    """
    if trace.tracked is not None and not all(map(is_straight, trace.edges)):
        along = _along_a_path(refiner, trace, memory, paths)
        if along is not None:
            return along
    edges, ends = unfolded(trace)
    if len(edges) == len(trace):
        return refiner.refute(trace, memory)
    answer = refiner.refute(Trace(edges, trace.program), memory)
    if isinstance(answer, Feasible):
        # The model uses the indices of the unfolded trace; the trace itself needs a model of its own.
        return refiner.refute(trace, memory)
    return at_ends(answer, ends) if isinstance(answer, Refutation) else answer


def said_by(answer: Answer, by: str) -> Answer:
    return replace(answer, by=by) if isinstance(answer, Refutation) else answer


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
    return _numbered([_inside(edge) if is_straight(edge) else (edge,) for edge in trace.edges])


def _numbered(by_step: Sequence[Sequence[Edge]]) -> Path:
    edges: list[Edge] = []
    ends: list[int] = []
    for inside in by_step:
        edges += inside
        ends.append(len(edges))
    return tuple(edges), tuple(ends)


def _inside(edge: Edge) -> Sequence[Edge]:
    return edge.statement.edges if isinstance(edge.statement, Block) else (edge,)


def is_straight(edge: Edge) -> bool:
    return not isinstance(edge.statement, Block) or is_linear(edge.statement)


@lru_cache(maxsize=10_000)
def _has_few_ways(edge: Edge) -> bool:
    """Whether the formula of a step is small enough to be refuted as it is: then no path need be chosen."""
    if is_straight(edge):
        return True
    assert isinstance(edge.statement, Block)
    ways = Counter({edge.source: 1})
    for inner in edge.statement.edges:  # in topological order
        ways[inner.target] += ways[inner.source]
    return ways[edge.target] <= FEW_WAYS


# --- one path through blocks that branch ------------------------------------------------------------------------------


def _along_a_path(refiner: Refiner, trace: Trace, memory: RunMemory, paths: Paths) -> Answer | None:
    """The refutation of one path through the blocks of a trace; None if there is no new path to refute."""
    chosen = paths.through(trace)
    if chosen is None:
        return None
    edges, ends = chosen
    path = Trace(edges, trace.program)
    if memory.recall((Level.EDGE, refiner), path) is not None:
        return None
    fine = refiner.refute(path, memory)
    if not isinstance(fine, Refutation):
        return None if isinstance(fine, Feasible) else fine
    memory.note((Level.EDGE, refiner), path, ends)
    return replace(at_ends(fine, ends), along=Along(path, fine.assertions, ends))


class Paths:
    """Paths through the blocks of traces. A block is asserted once for each place where it occurs in a trace, and stays
    in the solver; a question about a trace switches its blocks on. What one solver cannot speak of is for the next one.
    """

    def __init__(self, solvers: Sequence[str], time_limit: float | None) -> None:
        self._solvers = [make_solver(name, time_limit=time_limit) for name in dict.fromkeys(solvers)]
        self._switches: dict[tuple[Edge, int], Term] = {}
        self._changing: set[Term] = set()  # variables that had to change for some path

    def through(self, trace: Trace) -> Path | None:
        """A path through the blocks of a trace that the engine's abstraction cannot exclude.

        It is the path of a run that between any two steps may change into any state that the tracked predicates cannot
        tell from its own. If the assertions of a refuted path are tracked, no such run takes that path: it would
        satisfy each assertion, at last `false`. So a path that was refuted is not chosen again.
        """
        frames = _frames(trace)
        while self._solvers:
            try:
                return self._almost_executed(trace, frames, self._solvers[0])
            except MissingCapability:
                del self._solvers[0]
                self._switches.clear()
        return None

    def _almost_executed(self, trace: Trace, frames: Sequence[Frame], solver: Solver) -> Path | None:
        """The path of a run in which only few variables change between the steps: the predicates that refute it are
        about these, and not about whatever the solver could have chosen at will.
        """
        assert trace.tracked is not None
        kept = {var(f"{v.name} stays", BOOL): (v, links) for v, links in _equal(frames).items()}
        switches = self._switched_on(trace, frames, solver)
        with solver.scope():
            solver.add(*_indistinguishable(frames, trace.tracked[1:-1]))
            solver.add(*(implies(stays, and_(*links)) for stays, (_, links) in kept.items()))
            while True:
                staying = [stays for stays, (v, _) in kept.items() if v not in self._changing]
                answer = solver.check(*switches, *staying)
                if isinstance(answer, Sat):
                    return _taken(trace, frames, answer)
                needed = answer.core.assumptions if isinstance(answer, Unsat) else ()
                changing = {kept[stays][0] for stays in needed if stays in kept}
                if not changing:
                    return None
                self._changing |= changing

    def _switched_on(self, trace: Trace, frames: Sequence[Frame], solver: Solver) -> list[Term]:
        places = list(enumerate(trace.edges))
        for number, edge in places:
            if (edge, number) not in self._switches:
                switch = var(f"block {len(self._switches)}", BOOL)
                solver.add(implies(switch, frames[number].formula))
                self._switches[edge, number] = switch
        return [self._switches[edge, number] for number, edge in places]


def _taken(trace: Trace, frames: Sequence[Frame], answer: Sat) -> Path | None:
    """The path that a model takes; only what it needs is read."""
    model = Model({}) if all(frame.is_plain for frame in frames) else answer.model
    inside: list[Sequence[Edge]] = []
    for edge, frame in zip(trace.edges, frames, strict=True):
        taken = path_in(edge, Unread(frame.before, answer.value), Unread(frame.inputs, answer.value), model)
        if taken is None:
            return None
        inside.append(taken)
    return _numbered(inside)


@dataclass(frozen=True, slots=True)
class Frame:
    """A step over variables of its own, so that it is the same whatever comes before it."""

    formula: Term
    read: frozenset[Term]
    before: Mapping[Term, Term]
    after: Mapping[Term, Term]
    inputs: Mapping[Term, Term]
    is_plain: bool  # values of variables are all that a model says of it


@lru_cache(maxsize=10_000)
def framed(edge: Edge, number: int) -> Frame:
    """The step as the one of this number. Engines ask about the same blocks at the same places again and again."""
    step = transition(edge.statement)
    before = {v: _variable(v, number, "before") for v in sorted(step.read | step.written, key=lambda v: v.serial)}
    inputs = {i: _variable(i, number, "input") for i in step.inputs}
    after = before | {v: _variable(v, number, "after") for v in step.updates}
    told = Substitution(before | inputs)
    new = [eq(after[v], told(value)) for v, value in step.updates.items()]
    formula = and_(told(step.guard), *new)
    is_plain = not functions(formula) and not any(v.sort in (INT, REAL) for v in free_variables(formula))
    return Frame(formula, step.read, before, after, inputs, is_plain)


def _variable(v: Term, number: int, when: str) -> Term:
    return var(f"{v.name}@{number} {when}", v.sort)


def _frames(trace: Trace) -> list[Frame]:
    return [framed(edge, number) for number, edge in enumerate(trace.edges)]


def _equal(frames: Sequence[Frame]) -> dict[Term, list[Term]]:
    """For each variable, that it does not change between the steps."""
    last: dict[Term, Term] = {}
    found: dict[Term, list[Term]] = {}
    for frame in frames:
        for v, indexed in frame.before.items():
            if v in last and v in frame.read:
                found.setdefault(v, []).append(eq(last[v], indexed))
        last.update(frame.after)
    return found


def _indistinguishable(frames: Sequence[Frame], tracked: Sequence[Sequence[Term]]) -> Iterator[Term]:
    """Between the steps everything may change, but for the values of the predicates.

    A variable that a step does not speak of is not changed by it, so it may have changed before or behind it.
    """
    for number, ((first, second), predicates) in enumerate(zip(pairwise(frames), tracked, strict=True)):
        for predicate in predicates:
            end = {v: first.after.get(v) or _variable(v, number, "before") for v in free_variables(predicate)}
            begin = {v: second.before.get(v) or _variable(v, number + 1, "before") for v in free_variables(predicate)}
            yield iff(substitute(predicate, end), substitute(predicate, begin))
