"""Second opinions on refutations: solvers that had no part in making them check the law, triple by triple."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from craton.errors import MissingCapability
from craton.logic import Term, not_
from craton.smt import Capability, Solver, make_solver
from craton.smt.contract import Answer, Fragment, Undecided, Unsat
from craton.traces.refutation import Answer as Answered
from craton.traces.refutation import GaveUp, Refutation, law_violation
from craton.traces.trace import Trace
from support.patience import Group, record

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
        reasons = []
        for name in self.members:
            verdict = _verdict(name, formula, time_limit or self.time_limit)
            if isinstance(verdict, bool):
                _count(self.members, formula, "")
                return verdict
            reasons.append(verdict)
        _count(self.members, formula, "; ".join(reasons))
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
_VERDICTS: dict[tuple[str, Term], bool | str] = {}
_COUNTED: set[tuple[tuple[str, ...], Term]] = set()


def _verdict(name: str, formula: Term, time_limit: float | None) -> bool | str:
    """Whether the formula is valid, or why that is not known: the solver is undecided, or does not take it."""
    if (name, formula) not in _VERDICTS:
        solver = _SOLVERS.get(name)
        if solver is None:
            solver = _SOLVERS[name] = make_solver(name)
        try:
            answer = solver.check(not_(formula), time_limit=time_limit)
            _VERDICTS[name, formula] = answer.reason if isinstance(answer, Undecided) else isinstance(answer, Unsat)
        except MissingCapability as refusal:
            _VERDICTS[name, formula] = str(refusal)
    return _VERDICTS[name, formula]


def _count(members: tuple[str, ...], formula: Term, reason: str) -> None:
    """A question counts once."""
    if (members, formula) not in _COUNTED:
        _COUNTED.add((members, formula))
        record(Group.JUDGEMENTS, formula, reason)


def judge_of(solver: str) -> Judge:
    """Who judges the work of a solver: the others, z3 last, since elimination asks it whatever the solver is."""
    return Judge(tuple(s for s in SOLVERS if s != solver))


@dataclass
class Tally:
    """How often a refiner answered, gave up, or ran out of time.

    Some answers have triples that only the refiner's own solver confirms, or nobody: quantified ones mostly.
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def judge(self, what: str, trace: Trace, answer: Answered, solver: str) -> None:
        late = record(Group.REFUTATIONS, what, answer)
        if isinstance(answer, GaveUp):
            self.counts["out of time" if late else "gave up"] += 1
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
