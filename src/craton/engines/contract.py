"""The contract of engines: `run(program, budget) -> Safe | Unsafe | Unknown`. CEGAR engines take any refiner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from craton.processes.running_time import running_time, spend
from craton.registry import written
from craton.words import DOES_NOT_FIT

if TYPE_CHECKING:  # callers that only need a budget or an answer should not load craton.traces
    from craton.logic import Model, Term
    from craton.program.blocks import BlockSize
    from craton.program.cfa import Location, Program
    from craton.program.features import Features
    from craton.program.unfolding import AllRuns
    from craton.traces.refutation import Refutation
    from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Safe:
    """No error location can be reached. The proof is one invariant for each reachable location; together they are
    inductive, or k-inductive over the edges of the program as the engine saw it. Or it is that all `runs` end.

    `by` names the solvers that this relies on: a different solver has to check the proof.
    """

    invariants: Mapping[Location, Term]
    by: tuple[str, ...]
    k: int = 1
    runs: AllRuns | None = None


@dataclass(frozen=True, slots=True)
class Lemma:
    """Invariants that are inductive in bits, though they may prove nothing by themselves; and on whose word.

    For others they are candidates: who uses them makes them part of the proof, and the checker sees the conjunction. So
    one that is wrong can cost a proof, never make one.
    """

    invariants: Mapping[Location, Term]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsafe:
    """A trace to an error location, and a model of its formula."""

    trace: Trace
    model: Model


@dataclass(frozen=True, slots=True)
class Unknown:
    reason: str


EngineAnswer = Safe | Unsafe | Unknown


def does_not_fit(why: str) -> Unknown:
    """Of an engine that is not meant for such a program: for users the least of reasons."""
    return Unknown(DOES_NOT_FIT + why)


@dataclass(frozen=True, slots=True)
class Progress:
    """What an engine is doing, for progress displays."""

    iteration: int
    trace_length: int
    predicates: int
    states: int
    by: str = ""  # which stage, where several take turns


MOST_LOGGED = 100  # refinements that are written down


@dataclass(frozen=True, slots=True)
class Refined:
    """A refinement, for people: the trace's steps and lines, who refuted it, and what was learned."""

    steps: int
    lines: tuple[int, ...]
    by: str
    core: int | None
    learned: tuple[Term, ...]
    seconds: float
    stage: str = ""


@dataclass(slots=True)
class Tally:
    calls: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Statistics:
    """What a run did. Engines count as they go, so that an aborted run has its figures too."""

    iterations: int = 0
    returned: int = 0  # refuted traces that came back: the abstraction lost what was learned
    refutations: Counter[str] = field(default_factory=Counter)  # by the refiner that answered
    analyses: Counter[str] = field(default_factory=Counter)  # refutations by the analysis that can follow them ([RS] 6)
    perfect: int = 0  # refutations that prove their whole path program …
    tested: int = 0  # … of those that were tested
    eliminated: Counter[str] = field(default_factory=Counter)  # variables per quantifier elimination method
    choices: list[int] = field(default_factory=list)  # number of refinements to choose from, per selection ([RS])
    frontiers: list[int] = field(default_factory=list)  # number of template sets to choose from ([EI])
    remembered: Counter[str] = field(default_factory=Counter)  # the sets of templates that were chosen
    unexplored: int = 0  # frontiers that were found in part, for lack of time
    trace_lengths: list[int] = field(default_factory=list)
    ends: Counter[tuple[str, int]] = field(default_factory=Counter)  # refuted traces by the place of their error
    predicates: int = 0
    states: int = 0
    unwound: int = 0  # states of reachability graphs, with those that were cut again
    purposes: dict[str, Tally] = field(default_factory=dict)  # what the time went into
    log: list[Refined] = field(default_factory=list)  # the first refinements
    features: Features | None = None  # of the program that was looked at
    schedule: str = ""  # that was chosen for it
    turns: dict[str, float] = field(default_factory=dict)  # seconds of each stage, all its turns together

    def count(self, refutation: Refutation) -> None:
        self.refutations[refutation.by] += 1
        self.analyses[refutation.analysis.value] += 1
        self.eliminated.update(refutation.eliminated)
        if refutation.perfect is not None:
            self.tested += 1
            self.perfect += refutation.perfect
        if refutation.selection is not None:
            self.choices.append(refutation.selection.choices)
        if refutation.abstraction is not None:
            self.frontiers.append(refutation.abstraction.frontier)
            self.remembered[str(refutation.abstraction.chosen)] += 1
            self.unexplored += not refutation.abstraction.complete

    @classmethod
    def sum(cls, parts: Iterable[Statistics]) -> Statistics:
        """What several have done together."""
        total = cls()
        for part in parts:
            total._add(part)
        return total

    def _add(self, other: Statistics) -> None:
        for name in ("iterations", "returned", "perfect", "tested", "predicates", "states", "unwound", "unexplored"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refutations.update(other.refutations)
        self.analyses.update(other.analyses)
        self.eliminated.update(other.eliminated)
        self.choices.extend(other.choices)
        self.frontiers.extend(other.frontiers)
        self.remembered.update(other.remembered)
        self.trace_lengths.extend(other.trace_lengths)
        self.ends.update(other.ends)
        self.log.extend(other.log[: MOST_LOGGED - len(self.log)])
        self.features = self.features or other.features
        self.schedule = self.schedule or other.schedule
        self.took_turns(other.turns.items())
        for purpose, tally in other.purposes.items():
            mine = self.purposes.setdefault(purpose, Tally())
            mine.calls += tally.calls
            mine.seconds += tally.seconds

    def took_turns(self, stages: Iterable[tuple[str, float]]) -> None:
        """Of stages of the same name (with different solvers) the seconds are added."""
        for stage, seconds in stages:
            self.turns[stage] = self.turns.get(stage, 0.0) + seconds

    @contextmanager
    def spending(self, purpose: str) -> Iterator[None]:
        """Counts a call for a purpose, and its time."""
        tally = self.purposes.setdefault(purpose, Tally())
        tally.calls += 1
        start = running_time()
        try:
            yield
        finally:
            tally.seconds += running_time() - start


_ROUND = 0.0005  # seconds of work: one iteration of an engine's loop, where work is counted


class OutOfTime(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class Budget:
    """The time limit of a run, the listener for its progress, and what engines that work beside each other tell: `tell`
    is for what this one has shown, `news` has what others have since it was called last.
    """

    seconds: float | None = None
    watch: Callable[[Progress], None] = lambda progress: None
    started: float = field(default_factory=running_time)
    statistics: Statistics = field(default_factory=Statistics)
    tell: Callable[[Lemma], None] = lambda lemma: None
    news: Callable[[], Sequence[Lemma]] = tuple

    @property
    def left(self) -> float | None:
        """Seconds that remain; None for no limit."""
        return None if self.seconds is None else self.seconds - (running_time() - self.started)

    @property
    def is_used_up(self) -> bool:
        return self.seconds is not None and running_time() - self.started > self.seconds

    def check(self) -> None:
        """Raises OutOfTime when no time is left; engines call it in every iteration of their loops."""
        spend(_ROUND)
        if self.is_used_up:
            raise OutOfTime


class Engine(ABC):
    """A value. Its programs have no calls (except of recursive procedures) and blocks of the size it asks for.

    Subclasses are frozen dataclasses whose fields say how they are written in expressions (`registry`); `refiner`,
    `solver` and `seed` are not part of the expression but set by the stage.
    """

    __slots__ = ()

    word: ClassVar[str]  # its name in expressions

    blocks: BlockSize
    """The maximal number of statements in a block. None: everything between loop heads; 1: no blocks; 0: straight-line
    code of any length; `Cut.PARTS`: what lies between loop heads and the narrow places of loops.
    """

    @abstractmethod
    def run(self, program: Program, budget: Budget) -> EngineAnswer: ...

    @property
    def name(self) -> str:
        """The engine as an expression."""
        return written(self, self.word)

    @property
    def asks_first(self) -> str:
        """The solver that it asks before any other: its library is loaded once, for all processes that are forked."""
        return str(getattr(self, "solver", "z3"))
