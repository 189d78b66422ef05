"""The step that all CEGAR engines share ([NR] Fig. 2.1): an error trace goes to the refiner, and the answer into the
statistics.
"""

from __future__ import annotations

import enum

from craton.engines.contract import MOST_LOGGED, Budget, Progress, Refined, Unknown, Unsafe
from craton.logic import FALSE, TRUE
from craton.logic.walk import size
from craton.processes.running_time import running_time
from craton.program.cfa import Edge
from craton.program.origin import SourceRange
from craton.program.statements import Block
from craton.traces.feasibility import feasible
from craton.traces.memory import RunMemory
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace


class Returning(enum.Enum):
    """What it means if a refuted trace comes back."""

    POSSIBLE = "the abstraction may lose what was learned from it"
    IMPOSSIBLE = "what was learned excludes it, by construction"


class NoProgress(AssertionError):
    """A refuted trace came back to an engine whose construction excludes that: a bug in Craton."""


class Refinement:
    """The refiner of a run and its memory."""

    def __init__(self, refiner: Refiner, budget: Budget, returning: Returning) -> None:
        self._refiner = refiner
        self._budget = budget
        self._returning = returning
        self._memory = RunMemory()
        self._refuted: set[tuple[Edge, ...]] = set()

    def refute(self, trace: Trace) -> Refutation | Unsafe | Unknown:
        """A refutation, or the engine's verdict if there is none."""
        match self._asked(trace):
            case Refutation() as found:
                return found
            case Feasible(model):
                return Unsafe(trace, model)
            case GaveUp(reason):
                return Unknown(f"no refutation of an error trace of {len(trace)} steps: {reason}")

    def _asked(self, trace: Trace) -> Answer:
        self._budget.check()
        statistics = self._budget.statistics
        if self._returning is Returning.IMPOSSIBLE and trace.edges in self._refuted:
            raise NoProgress(f"a refuted trace of {len(trace)} steps came back")
        statistics.iterations += 1
        statistics.trace_lengths.append(len(trace))
        end = _place_of_error(trace)
        if end is not None:
            statistics.ends[end.file, end.line] += 1
        self._budget.watch(Progress(statistics.iterations, len(trace), statistics.predicates, statistics.states))
        begun = running_time()
        with statistics.spending("refinement"):
            answer = self._refiner.refute(trace, self._memory)
        if isinstance(answer, Refutation):
            for one in (answer, *answer.others):
                statistics.count(one)
                self._count_return(one.refuted(trace)[0])
            if len(statistics.log) < MOST_LOGGED:
                statistics.log.append(refined(trace, answer, running_time() - begun))
        return answer

    def _count_return(self, refuted: Trace) -> None:
        """A trace is known by its steps; a path through its blocks, if only that was refuted, by its own."""
        if refuted.edges in self._refuted:
            self._budget.statistics.returned += 1
        self._refuted.add(refuted.edges)


def _place_of_error(trace: Trace) -> SourceRange | None:
    """Where its last step is in the text: that of a block is the block's last one."""
    last = trace.edges[-1]
    while isinstance(last.statement, Block):
        last = last.statement.edges[-1]
    return last.origin


_MOST_LEARNED, _LARGEST = 4, 30  # assertions of one refinement that are written down, and their size


def refined(trace: Trace, answer: Refutation, seconds: float) -> Refined:
    """What is told of a refutation; formulas that are too large for people are left out."""
    lines = dict.fromkeys(edge.origin.line for edge in trace.edges if edge.origin is not None)
    found = dict.fromkeys(one for one in answer.assertions if one not in (TRUE, FALSE))
    small = [one for one in list(found)[:_MOST_LEARNED] if size(one, _LARGEST) <= _LARGEST]
    core = None if answer.core is None else len(answer.core)
    return Refined(len(trace), tuple(lines), answer.by, core, tuple(small), seconds)


def or_executed(answer: Refutation | Unsafe | Unknown, trace: Trace, budget: Budget) -> Refutation | Unsafe | Unknown:
    """What the refiner says; if it has no answer, as one of values has none to a path that values do not contradict, a
    solver says whether the path can be executed.
    """
    if not isinstance(answer, Unknown):
        return answer
    budget.check()
    with budget.statistics.spending("feasibility"):
        found = feasible(trace, budget.left)
    return Unsafe(trace, found.model) if isinstance(found, Feasible) else answer
