"""What a refiner answers: the contract at the heart of Craton.

    Refiner.refute(trace) -> Feasible | Refutation | GaveUp

A refutation is a sequence of assertions A[0] … A[n] for the n steps of a trace ([CN] Def. 3.2): A[0] = true, A[n] =
false, and {A[i]} step[i+1] {A[i+1]} for every i.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

from craton.logic import FALSE, TRUE, Model, Term, and_, implies, substitute
from craton.program.transitions import Transition
from craton.registry import written
from craton.smt import Solver
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Feasible:
    """The trace can be executed: `model` gives values to the indexed variables of its formula."""

    model: Model


class Quality(enum.IntEnum):
    """How much of the path program of a trace a sequence proves (`traces.perfect`)."""

    TRACE = 0  # the one trace only
    INDUCTIVE = 1  # every run of the path program that at some point satisfies an assertion inside a loop
    PROVING = 2  # all runs, by all the assertions of each location together
    PERFECT = 3  # all runs, by one assertion of each location: a loop invariant for each loop ([CN] 7.1)


class Analysis(enum.Enum):
    """Which of two analyses in one can follow a refutation: the one that is to be refined ([RS] 6)."""

    PREDICATE = "predicate"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Refutation:
    """{A[i]} step[i] {A[i+1]} for every i; A[0] = true, A[-1] = false ([CN] Def. 3.2)."""

    assertions: tuple[Term, ...]
    by: str  # the refiner
    core: frozenset[int] | None = None  # the steps of the core, if only a core was refuted
    live: tuple[frozenset[Term], ...] | None = None  # the live variables at each position, if computed
    quality: Quality | None = None  # how much of its path program it proves, if tested
    eliminated: Mapping[str, int] = field(default_factory=dict)  # number of variables per elimination method
    selection: Selection | None = None
    abstraction: Abstraction | None = None
    unchecked: int | None = None  # number of triples that no solver decided, if they were checked
    analysis: Analysis = Analysis.PREDICATE  # VALUE: the constants that the assertions mention suffice
    along: Along | None = None  # the path that was refuted, if it is only one of those through the trace's blocks
    others: tuple[Refutation, ...] = ()  # of other paths through them

    @property
    def perfect(self) -> bool | None:
        """Whether it is perfect; None if not tested."""
        return None if self.quality is None else self.quality is Quality.PERFECT

    def _repr_html_(self) -> str:
        from craton.markup import element, shown, table

        rows = ((str(i), element("span", str(a), kind="formula")) for i, a in enumerate(self.assertions))
        return shown(table(("after step", self.by), rows))

    def refuted(self, trace: Trace) -> tuple[Trace, tuple[Term, ...]]:
        """What was refuted, and by which assertions: the trace itself, or one path through its blocks."""
        return (trace, self.assertions) if self.along is None else (self.along.path, self.along.assertions)

    def with_assertions(self, assertions: tuple[Term, ...]) -> Refutation:
        """Other assertions for what was refuted."""
        if self.along is None:
            return replace(self, assertions=assertions)
        ends = tuple(assertions[i] for i in (0, *self.along.ends))
        return replace(self, assertions=ends, along=replace(self.along, assertions=assertions))


@dataclass(frozen=True, slots=True)
class Along:
    """A path through the blocks of a trace ([NR] 4.1.1). The law holds for the path and its assertions."""

    path: Trace
    assertions: tuple[Term, ...]
    ends: tuple[int, ...]  # for each step of the trace, its end on the path


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of the infeasible sliced prefixes of a trace was selected ([RS] Alg. 2)."""

    prefix: int  # its length
    choices: int  # how many refinements there were to choose from


@dataclass(frozen=True, slots=True)
class Remembered:
    """A template, and the place where it is remembered, in words."""

    place: str
    term: Term


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a lattice of templates, by its simplest members, and its cost ([EI] VI-C)."""

    members: tuple[Remembered, ...]
    cost: int

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(member.term for member in self.members)

    def __str__(self) -> str:
        """`{x - i, j}`; of several places `{line 3: x - i, j; line 9: k}`."""
        by_place: dict[str, list[str]] = {}
        for member in self.members:
            by_place.setdefault(member.place, []).append(str(member.term))
        if len(by_place) < 2:
            return "{" + ", ".join(text for texts in by_place.values() for text in texts) + "}"
        return "{" + "; ".join(f"{place}: {', '.join(texts)}" for place, texts in by_place.items()) + "}"


@dataclass(frozen=True, slots=True)
class Abstraction:
    """How a trace was abstracted before it was refuted: the frontier, cheapest first, and which of it ([EI] VI)."""

    elements: tuple[Element, ...]
    chosen: Element
    base: int  # how many templates there were; their sets are the lattice
    complete: bool  # whether the frontier has no more elements; otherwise there was no time to find them

    @property
    def templates(self) -> tuple[Term, ...]:
        return self.chosen.terms

    @property
    def sets(self) -> tuple[tuple[Term, ...], ...]:
        return tuple(element.terms for element in self.elements)

    @property
    def frontier(self) -> int:
        """How many sets of templates there were to choose from."""
        return len(self.elements)

    def renamed(self, names: Mapping[Term, Term]) -> Abstraction:
        """In other words for the variables."""

        def told(element: Element) -> Element:
            members = (replace(member, term=substitute(member.term, names)) for member in element.members)
            return replace(element, members=tuple(members))

        return replace(self, elements=tuple(map(told, self.elements)), chosen=told(self.chosen))


@dataclass(frozen=True, slots=True)
class GaveUp:
    """No answer, and why: time, an incomplete solver, a sequence that lost too much."""

    reason: str


Answer = Feasible | Refutation | GaveUp


USUAL_ALLOWANCE = 60.0  # seconds


class Refiner(ABC):
    """A value that refutes traces. Subclasses are frozen dataclasses whose fields say how they are written in
    expressions (`registry`); what they remember during a run is in the memory that the run passes to them.
    """

    __slots__ = ()

    word: ClassVar[str]  # its name in expressions

    @abstractmethod
    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer: ...

    @property
    def name(self) -> str:
        """The refiner as an expression."""
        return written(self, self.word)

    @property
    def allowance(self) -> float:
        """How many seconds it takes at most, by its own limits; a default if it has none."""
        return getattr(self, "time_limit", None) or USUAL_ALLOWANCE


# --- the law ----------------------------------------------------------------------------------------------------------


def hoare_triple(before: Term, step: Transition, after: Term) -> Term:
    """A formula that is valid iff {before} step {after} holds: before ∧ guard ⇒ after[updates]."""
    return implies(and_(before, step.guard), substitute(after, step.updates))


def law_violation(trace: Trace, refutation: Refutation, checker: Solver, time_limit: float | None = None) -> str:
    """What `checker` finds wrong with a refutation ([CN] Def. 3.2); "" if nothing. If only one path through blocks was
    refuted, the law is that path's.
    """
    trace, assertions = refutation.refuted(trace)
    if len(assertions) != len(trace) + 1:
        return f"{len(assertions)} assertions for {len(trace)} steps"
    if assertions[0] is not TRUE or assertions[-1] is not FALSE:
        return "the sequence does not run from true to false"
    for i, (step, (before, after)) in enumerate(zip(trace.steps, pairwise(assertions), strict=True)):
        valid = checker.is_valid(hoare_triple(before, step, after), time_limit)
        if valid is not True:
            problem = "does not hold" if valid is False else "is undecided"
            return f"step {i + 1} {problem}: {{{before}}} {trace.edges[i].statement} {{{after}}}"
    return ""
