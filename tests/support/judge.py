"""Second opinions on refutations: solvers that had no part in making them check the law, triple by triple."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from craton.errors import MissingCapability
from craton.logic import Term
from craton.smt import Capability, Solver, make_solver
from craton.smt.contract import Answer, Fragment, Undecided
from craton.traces.refutation import Answer as Answered
from craton.traces.refutation import GaveUp, Refutation, law_violation
from craton.traces.trace import Trace

SOLVERS = ("bitwuzla", "cvc5", "z3")


class Judge(Solver):
    """A panel of solvers as one: the first that decides a question answers it."""

    name = "judge"
    can: frozenset[Capability] = frozenset()
    fragment = Fragment(frozenset())

    def __init__(self, members: tuple[str, ...], time_limit: float = 4.0) -> None:
        super().__init__(time_limit=time_limit)
        self.members = members

    def is_valid(self, formula: Term, time_limit: float | None = None) -> bool | None:
        for name in self.members:
            verdict = _verdict(name, formula, time_limit or self.time_limit)
            if verdict is not None:
                return verdict
        return None

    def _assert(self, formula: Term, name: str | None) -> None:
        raise AssertionError("a judge holds no assertions")

    def _push(self) -> None:
        raise AssertionError("a judge holds no assertions")

    def _pop(self) -> None:
        raise AssertionError("a judge holds no assertions")

    def _check(self, assumptions: object, limit: float | None) -> Answer:
        return Undecided("a judge answers `is_valid` only")


# Refiners agree more often than not, so most questions come again.
_SOLVERS: dict[str, Solver] = {}
_VERDICTS: dict[tuple[str, Term], bool | None] = {}


def _verdict(name: str, formula: Term, time_limit: float | None) -> bool | None:
    """None if the solver is undecided or does not take the formula."""
    if (name, formula) not in _VERDICTS:
        solver = _SOLVERS.get(name)
        if solver is None:
            solver = _SOLVERS[name] = make_solver(name)
        try:
            _VERDICTS[name, formula] = solver.is_valid(formula, time_limit)
        except MissingCapability:
            _VERDICTS[name, formula] = None
    return _VERDICTS[name, formula]


def judge_of(solver: str) -> Judge:
    """Who judges the work of a solver: the others, z3 last, since elimination asks it whatever the solver is."""
    return Judge(tuple(s for s in SOLVERS if s != solver))


def out_of_time(answer: GaveUp) -> bool:
    """Whether it is the machine that was too slow; what a test says of a refiner must not depend on that."""
    return any(word in answer.reason for word in ("timeout", "canceled", "in time", "resourceout"))


@dataclass
class Tally:
    """How often a refiner answered, gave up, or ran out of time.

    Some answers have triples that only the refiner's own solver confirms, or nobody: quantified ones mostly.
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def judge(self, what: str, trace: Trace, answer: Answered, solver: str) -> None:
        if isinstance(answer, GaveUp):
            self.counts["out of time" if out_of_time(answer) else "gave up"] += 1
            return
        if not isinstance(answer, Refutation):
            self.wrong.append(f"{what}: finds the trace feasible")
            return
        self.counts["answered"] += 1
        problem = law_violation(trace, answer, judge_of(solver))
        if "is undecided" in problem:
            problem = law_violation(trace, answer, Judge(SOLVERS))
            self.counts["undecided" if "is undecided" in problem else "own word only"] += 1
        if problem and "is undecided" not in problem:
            self.wrong.append(f"{what}: {problem}")
