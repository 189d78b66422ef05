"""Assertions in the domain's words; when one fails it shows a counter-model.

Each asks a solver that the caller may choose, best one that had no part in making the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from craton.errors import MissingCapability
from craton.logic import Model, Term, and_, constant, iff, implies, not_, ordered_variables, satisfies
from craton.smt.contract import Answer, Sat, Solver, Undecided, Unsat
from craton.smt.registry import LIBRARIES, make_solver
from support.patience import Group, record

TIME_LIMIT = 60.0  # against hanging
OPINION_LIMIT = 0.5  # where "undecided" is an answer


def another_solver(name: str, formulas: Sequence[Term], time_limit: float = TIME_LIMIT) -> Solver:
    """A solver with these formulas asserted that is not the named one, and that understands them."""
    for other in ("cvc5", "z3", "bitwuzla"):
        if other != name and LIBRARIES[other].version() is not None:
            solver = make_solver(other, time_limit=time_limit)
            try:
                solver.add(*formulas)
            except MissingCapability:
                continue
            return solver
    pytest.skip(f"no solver besides {name} understands these formulas")


def ask(*formulas: Term, by: str = "z3") -> Answer:
    """Are the formulas satisfiable together?"""
    solver = make_solver(by, time_limit=TIME_LIMIT)
    solver.add(*formulas)
    answer = solver.check()
    if isinstance(answer, Sat):
        _ = answer.model  # read before the solver goes away
    return answer


def assert_sat(*formulas: Term, by: str = "z3") -> Model:
    """Satisfiable, by a model that our own evaluation confirms."""
    answer = ask(*formulas, by=by)
    assert isinstance(answer, Sat), f"{by} says {answer}, not Sat, of\n{_listed(formulas)}"
    assert satisfies(answer.model, and_(*formulas)), f"the model of {by} is none of\n{_listed(formulas)}"
    return answer.model


def assert_unsat(*formulas: Term, by: str = "z3") -> None:
    answer = ask(*formulas, by=by)
    if isinstance(answer, Sat):
        pytest.fail(f"{by} finds a model of\n{_listed(formulas)}\nnamely\n{described(answer.model, formulas)}")
    assert isinstance(answer, Unsat), f"{by} is undecided ({_reason(answer)}) about\n{_listed(formulas)}"


def assert_implies(stronger: Term, weaker: Term, by: str = "z3") -> None:
    _no_counterexample(f"{stronger}\ndoes not imply\n{weaker}", and_(stronger, not_(weaker)), by)


def assert_equivalent(f: Term, g: Term, by: str = "z3") -> None:
    _no_counterexample(f"{f}\nis not equivalent to\n{g}", not_(iff(f, g)), by)


def assert_valid(formula: Term, by: str = "z3") -> None:
    _no_counterexample(f"{formula}\nis not valid", not_(formula), by)


def _no_counterexample(claim: str, counterexample: Term, by: str) -> None:
    answer = ask(counterexample, by=by)
    if isinstance(answer, Sat):
        pytest.fail(f"{claim}\nby {by}, since\n{described(answer.model, [counterexample])}")
    assert isinstance(answer, Unsat), f"{by} cannot tell ({_reason(answer)}) whether\n{claim}"


def is_equivalent(f: Term, g: Term, *checkers: str) -> bool | None:
    """By the first checker that decides; None if none does."""
    return _first_opinion(not_(iff(f, g)), checkers or ("z3", "cvc5"))


def is_implied(stronger: Term, weaker: Term, *checkers: str) -> bool | None:
    return _first_opinion(not_(implies(stronger, weaker)), checkers or ("z3", "cvc5"))


def _first_opinion(counterexample: Term, checkers: Sequence[str]) -> bool | None:
    reasons = []
    for name in checkers:
        try:
            answer = make_solver(name, time_limit=OPINION_LIMIT).check(counterexample)
        except MissingCapability:
            continue
        if not isinstance(answer, Undecided):
            record(Group.EQUIVALENCES, counterexample)
            return isinstance(answer, Unsat)
        reasons.append(answer.reason)
    record(Group.EQUIVALENCES, counterexample, "; ".join(reasons))
    return None


def described(model: Model, formulas: Sequence[Term]) -> str:
    """The values of the formulas' variables, one a line."""
    lines = [f"  {v} = {constant(model[v], v.sort)}" for v in ordered_variables(*formulas)]
    lines += [f"  {f.name} = {table}" for f, table in model.functions.items()]
    return "\n".join(lines) or "  (no variables)"


def _listed(formulas: Sequence[Term]) -> str:
    return "\n".join(f"  {formula}" for formula in formulas)


def _reason(answer: Answer) -> str:
    return answer.reason if isinstance(answer, Undecided) else repr(answer)
