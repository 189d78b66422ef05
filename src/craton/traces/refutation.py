"""What a refiner answers: the contract at the heart of Craton.

    Refiner.refute(trace) -> Feasible | Refutation | GaveUp

A refutation is a sequence of assertions A[0] … A[n] for the n steps of a trace ([CN] Def. 3.2): A[0] = true, A[n] =
false, and {A[i]} step[i+1] {A[i+1]} for every i.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from craton.logic import FALSE, TRUE, Model, Term, and_, implies, substitute
from craton.program.transitions import Transition
from craton.smt import Solver
from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Feasible:
    """The trace can be executed: `model` gives values to the indexed variables of its formula."""

    model: Model


@dataclass(frozen=True, slots=True)
class Refutation:
    """{A[i]} step[i] {A[i+1]} for every i; A[0] = true, A[-1] = false."""

    assertions: tuple[Term, ...]
    by: str  # the refiner
    notes: Mapping[str, object] = field(default_factory=dict)  # what is worth showing: the core, live variables


@dataclass(frozen=True, slots=True)
class GaveUp:
    """No answer, and why: time, an incomplete solver, a sequence that lost too much."""

    reason: str


Answer = Feasible | Refutation | GaveUp


class Refiner(Protocol):
    @property
    def name(self) -> str: ...

    def refute(self, trace: Trace) -> Answer: ...


# --- the law ----------------------------------------------------------------------------------------------------------


def hoare_triple(before: Term, step: Transition, after: Term) -> Term:
    """A formula that is valid iff {before} step {after} holds: before ∧ guard ⇒ after[updates]."""
    return implies(and_(before, step.guard), substitute(after, step.updates))


def law_violation(trace: Trace, refutation: Refutation, checker: Solver, time_limit: float | None = None) -> str:
    """What is wrong with a refutation, as `checker` sees it; "" if nothing is."""
    assertions = refutation.assertions
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
