"""Infeasible sliced prefixes ([RS] 3, 4): a trace may be infeasible for several reasons; which one to learn from?

A sliced prefix ends early and omits some assumptions, so it is infeasible for fewer reasons than the trace. What
refutes the prefix refutes the trace: after its end `false` holds, and putting an omitted assumption back only
restricts the states that reach the next assertion.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term, and_
from craton.processes.running_time import running_time
from craton.program.cfa import Edge
from craton.program.statements import Assume, Block, Statement
from craton.program.transitions import Transition, transition
from craton.registry import keyed_choice, keyed_seconds, parts, several_words
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.traces.levels import Level, at_edge_level, kept_paths, said_by
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import solver_name
from craton.traces.refutation import USUAL_ALLOWANCE, Answer, Feasible, GaveUp, Refiner, Refutation, Selection
from craton.traces.scorers import NUMBERED, SCORERS, Candidate, Scorer
from craton.traces.trace import SSA, Trace


class Domain(Protocol):
    """What an abstract domain knows along a path ([RS] 4)."""

    def take(self, step: Transition) -> bool:
        """Takes a step; returns False, without taking it, if it contradicts what is known."""
        ...


def prefixes_in(domain: Domain, trace: Trace) -> list[Trace]:
    """[RS] Alg. 1: the infeasible sliced prefixes, shortest first.

    A step that contradicts the steps before it ends one prefix; the search goes on without the step's assumptions.
    """
    found: list[Trace] = []
    kept: list[Edge] = []  # feasible together, as far as the domain can tell
    for edge in trace.edges:
        if not domain.take(transition(edge.statement)):
            found.append(Trace((*kept, edge), trace.program))
            edge = replace(edge, statement=without_assumptions(edge.statement))
            taken = domain.take(transition(edge.statement))
            assert taken, "without assumptions nothing is contradicted"
        kept.append(edge)
    return found


def sliced_prefixes(trace: Trace, solver: Solver, time_limit: float | None = None) -> list[Trace] | Sat | Undecided:
    """The prefixes that a solver finds infeasible. A step it cannot decide counts as not contradicting."""
    found = prefixes_in(_Formulas(solver, time_limit), trace)
    if found:
        return found
    answer = solver.check(time_limit=time_limit)
    return answer if isinstance(answer, Sat) else Undecided(getattr(answer, "reason", "no step contradicts the others"))


class _Formulas:
    """The trace formula, asserted step by step."""

    def __init__(self, solver: Solver, time_limit: float | None) -> None:
        self._solver = solver
        self._end = None if time_limit is None else running_time() + time_limit
        self._indexing = SSA()

    def take(self, step: Transition) -> bool:
        said = and_(*(part.formula for part in self._indexing.parts(step)))
        if step.guard is not TRUE:
            left = None if self._end is None else max(0.001, self._end - running_time())
            if isinstance(self._solver.check(said, time_limit=left), Unsat):
                return False
        self._solver.add(said)
        self._indexing.take(step)
        return True


def without_assumptions(statement: Statement) -> Statement:
    match statement:
        case Assume():
            return Assume(TRUE)
        case Block(edges):
            without = tuple(replace(edge, statement=without_assumptions(edge.statement)) for edge in edges)
            return replace(statement, edges=without)
    return statement


@runtime_checkable
class OwnDomain(Protocol):
    """A refiner that detects other contradictions than a solver does, and so computes its own prefixes."""

    def sliced_prefixes(self, trace: Trace) -> list[Trace]: ...


@dataclass(frozen=True, slots=True)
class Sliced(Refiner):
    """The best of what R learns from each reason why a trace is infeasible: by the length of its prefix, the use of
    its variables (good: flags, not counters), the width or the depth of what is tracked.

    [RS] Alg. 2; several refiners compete on every prefix ([RS] 6). Among equals, the shortest prefix wins.
    """

    word: ClassVar[str] = "sliced"

    refiners: tuple[Refiner, ...] = parts(at_least=1)
    scorers: tuple[Scorer, ...] = several_words(
        (SCORERS["good"], SCORERS["narrow"]), lambda: SCORERS, lambda: NUMBERED, "scorer"
    )
    level: Level = keyed_choice(Level.BLOCK, "level", Level)
    solver: str = solver_name()
    time_limit: float | None = keyed_seconds(10.0)  # afterwards no further prefix is tried

    @property
    def allowance(self) -> float:
        return (self.time_limit or USUAL_ALLOWANCE) + max(refiner.allowance for refiner in self.refiners)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        if self.level is Level.EDGE:
            paths = kept_paths(memory, (self.solver,), self.time_limit)
            return said_by(at_edge_level(replace(self, level=Level.BLOCK), trace, memory, paths), self.name)
        return self.choosing(_TraceReasons(trace, memory))

    def choosing(self, reasons: Reasons[P]) -> Answer:
        """The best of what is learned from the reasons why anything is infeasible."""
        end = None if self.time_limit is None else running_time() + self.time_limit
        own = [reasons.own_prefixes(refiner) for refiner in self.refiners]
        shared: list[P] = []
        if not all(own):  # a refiner without a domain of its own, or one that finds no contradiction there
            found = self._shared(reasons)
            if not isinstance(found, list):
                return found
            shared = found
        choices = [
            (prefix, refiner)
            for refiner, prefixes in zip(self.refiners, own, strict=True)
            for prefix in (shared if prefixes is None else prefixes)
        ]
        first_is_best = not any(scorer.needs_assertions for scorer in self.scorers)
        if first_is_best:
            choices.sort(key=lambda choice: self._score(replace(reasons.candidate(choice[0]), by=choice[1].name)))
        return self._best(reasons, choices, first_is_best, end)

    def _shared(self, reasons: Reasons[P]) -> list[P] | Feasible | GaveUp:
        """The prefixes that a solver finds, for all refiners that have none of their own."""
        try:
            with make_solver(self.solver) as solver:
                found = reasons.prefixes(solver, self.time_limit)
                if isinstance(found, Sat):
                    return Feasible(found.model)
        except MissingCapability as problem:
            return GaveUp(str(problem))
        return [reasons.whole] if isinstance(found, Undecided) else found

    def _best(
        self, reasons: Reasons[P], choices: list[tuple[P, Refiner]], first_is_best: bool, end: float | None
    ) -> Answer:
        best: tuple[tuple[float, ...], Refutation] | None = None
        problems: dict[str, None] = {}
        for prefix, refiner in choices:
            if end is not None and running_time() > end and (best is not None or problems):
                problems["no time for all prefixes"] = None
                break
            answer = reasons.refuted(prefix, refiner)
            if isinstance(answer, Refutation):
                whole = reasons.extended(prefix, answer)
                score = self._score(replace(reasons.candidate(prefix, whole.assertions), by=refiner.name))
                if best is None or score < best[0]:
                    best = score, replace(whole, by=self.name, selection=Selection(len(prefix), len(choices)))
                if first_is_best:
                    break
            elif isinstance(answer, GaveUp):
                problems[f"{refiner.name}: {answer.reason}"] = None
            elif prefix is reasons.whole:
                return answer
            else:
                problems[f"{refiner.name}: finds an infeasible prefix feasible"] = None
        return GaveUp("; ".join(problems) or "no refiner finds a contradiction") if best is None else best[1]

    def _score(self, candidate: Candidate) -> tuple[float, ...]:
        return (*(scorer.score(candidate) for scorer in self.scorers), candidate.length)


# --- what it is asked about -------------------------------------------------------------------------------------------

P = TypeVar("P", bound=Sized)


class Reasons(Protocol[P]):
    """The reasons why a trace, or a tree of clause instances, is infeasible."""

    @property
    def whole(self) -> P: ...

    def prefixes(self, solver: Solver, time_limit: float | None) -> list[P] | Sat | Undecided: ...

    def own_prefixes(self, refiner: Refiner) -> list[P] | None:
        """Those of a refiner that detects other contradictions than a solver does."""
        ...

    def refuted(self, prefix: P, refiner: Refiner) -> Answer: ...

    def extended(self, prefix: P, answer: Refutation) -> Refutation:
        """The prefix's refutation as one of the whole, without what holds only for the prefix itself."""
        ...

    def candidate(self, prefix: P, assertions: tuple[Term, ...] = ()) -> Candidate:
        """What scorers see; `assertions` are those of the whole."""
        ...


@dataclass(frozen=True, slots=True)
class _TraceReasons:
    whole: Trace
    memory: RunMemory

    def prefixes(self, solver: Solver, time_limit: float | None) -> list[Trace] | Sat | Undecided:
        return sliced_prefixes(self.whole, solver, time_limit)

    def own_prefixes(self, refiner: Refiner) -> list[Trace] | None:
        return refiner.sliced_prefixes(self.whole) if isinstance(refiner, OwnDomain) else None

    def refuted(self, prefix: Trace, refiner: Refiner) -> Answer:
        return refiner.refute(prefix, self.memory)

    def extended(self, prefix: Trace, answer: Refutation) -> Refutation:
        whole = prefix.edges == self.whole.edges
        return replace(
            answer,
            assertions=(*answer.assertions, *[FALSE] * (len(self.whole) - len(prefix))),
            live=answer.live if whole else None,
            quality=answer.quality if whole else None,
        )

    def candidate(self, prefix: Trace, assertions: tuple[Term, ...] = ()) -> Candidate:
        types = partial(self.memory.domain_types, self.whole)
        return Candidate(len(self.whole), len(prefix), assertions, types, self.whole.locations)
