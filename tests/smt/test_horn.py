"""Horn clauses: solutions satisfy every clause, and where there is none, none is told."""

from __future__ import annotations

import pytest

from craton.logic import (
    BOOL,
    INT,
    Function,
    Term,
    add,
    and_,
    apply,
    div,
    eq,
    ge,
    implies,
    int_,
    le,
    lt,
    mod,
    not_,
    ops,
    post_order,
    substitute,
    var,
)
from craton.smt import Undecided, make_solver
from craton.smt.z3 import horn
from craton.smt.z3.horn import NoSolution, Predicate, Solution, failure, objection, solve, without_division

X, Y = var("x", INT), var("y", INT)
P = Predicate(Function("P", (INT, INT), BOOL), (X, Y))
Q = Predicate(Function("Q", (INT, INT), BOOL), (X, Y))


def of(predicate: Predicate, *arguments: Term) -> Term:
    return apply(predicate.function, *arguments)


def clauses(bound: int) -> list[Term]:
    """x = y = 0; while (x < 5) { x++; y++; } then y reaches no more than the bound."""
    return [
        implies(and_(eq(X, int_(0)), eq(Y, int_(0))), of(P, X, Y)),
        implies(and_(of(P, X, Y), lt(X, int_(5))), of(P, add(X, int_(1)), add(Y, int_(1)))),
        implies(and_(of(P, X, Y), ge(X, int_(5))), of(Q, X, Y)),
        implies(and_(of(Q, X, Y), not_(le(Y, int_(bound)))), failure()),
    ]


def told(clause: Term, found: Solution) -> Term:
    """The clause with the solution in the place of the unknowns."""
    if clause is failure():
        return not_(eq(int_(0), int_(0)))
    for predicate, meaning in found.meanings.items():
        if clause.op is ops.APPLY and clause.payload == predicate.function:
            return substitute(meaning, dict(zip(predicate.arguments, clause.args, strict=True)))
    if clause.op in (ops.IMPLIES, ops.AND):
        made = [told(part, found) for part in clause.args]
        return implies(*made) if clause.op is ops.IMPLIES else and_(*made)
    return clause


@pytest.mark.parametrize("guided", [False, True])
def test_a_solution_satisfies_every_clause(guided: bool) -> None:
    found = solve((P, Q), clauses(5), 60.0, guided=guided)
    assert isinstance(found, Solution)
    assert set(found.meanings) == {P, Q}
    for clause in clauses(5):
        assert make_solver("cvc5").is_valid(told(clause, found)) is True, clause


@pytest.mark.parametrize("guided", [False, True])
def test_where_failure_can_be_derived_there_is_none(guided: bool) -> None:
    assert isinstance(solve((P, Q), clauses(4), 60.0, guided=guided), NoSolution)


def test_quotients_become_variables_that_the_clause_defines() -> None:
    clause = implies(and_(of(P, X, Y), eq(mod(X, int_(3)), int_(1))), of(Q, div(X, int_(3)), Y))
    made = without_division(clause)
    assert not {part.op for part in post_order(made)} & {ops.DIV, ops.MOD}
    found = Solution({P: ge(X, int_(0)), Q: ge(X, int_(0))})
    assert make_solver("z3").is_valid(told(made, found)) is True
    wrong = Solution({P: ge(X, int_(0)), Q: ge(X, int_(1))})
    assert make_solver("z3").is_valid(told(made, wrong)) is False, "x may be 1, and its third 0"


def test_a_wrong_solution_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    right = solve([P, Q], clauses(5), 20.0)
    assert isinstance(right, Solution) and objection(right, clauses(5), 20.0) == ""
    wrong = Solution({P: le(X, int_(3)), Q: right.meanings[Q]})
    assert "does not satisfy clause 2" in objection(wrong, clauses(5), 20.0)
    monkeypatch.setattr(horn, "_spacer", lambda *_, **__: wrong)
    found = solve([P, Q], clauses(5), 20.0)
    assert isinstance(found, Undecided) and "its solution of the Horn clauses is wrong" in found.reason
