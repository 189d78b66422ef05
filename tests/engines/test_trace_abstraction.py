"""Trace abstraction on small programs: safe answers are proofs that another solver accepts, unsafe ones have models."""

from __future__ import annotations

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, Safe, Unknown, Unsafe
from craton.engines.trace_abstraction import TraceAbstraction
from craton.logic import FALSE, BitVec, Term, and_, bv, bvadd, bvult, eq, not_, satisfies, var
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Statement
from craton.program.transitions import transition
from craton.smt import make_solver
from craton.traces.refutation import hoare_triple

X, Y, K = (var(name, BitVec(32)) for name in "xyk")
ERROR = 9


def word(number: int) -> Term:
    return bv(number, 32)


def plus(variable: Term, number: int) -> Statement:
    return Assign(variable, bvadd(variable, word(number)))


def program(*edges: tuple[int, Statement, int]) -> Program:
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    main = Procedure("main", (), (), Location(0), Location(99), made)
    return Program("main", {"main": main}, (), {Location(ERROR): UNREACH})


PAIRS = program(
    (0, Assign(X, word(0)), 1),
    (1, Assign(Y, word(0)), 2),
    (2, plus(X, 1), 3),
    (3, plus(Y, 1), 2),
    (2, Assume(not_(eq(X, Y))), ERROR),
)
BOUNDED = program(
    (0, Assign(X, word(0)), 1),
    (1, Assume(bvult(X, word(100))), 2),
    (2, plus(X, 1), 1),
    (1, Assume(not_(bvult(X, word(100)))), 3),
    (3, Assume(not_(eq(X, word(100)))), ERROR),
)
REACHED = program(
    (0, Assign(X, word(0)), 1),
    (1, Assume(bvult(X, word(5))), 2),
    (2, plus(X, 1), 1),
    (1, Assume(not_(bvult(X, word(5)))), 3),
    (3, Assume(eq(X, word(5))), ERROR),
)


@pytest.mark.parametrize("made", [PAIRS, BOUNDED], ids=["pairs", "bounded"])
@pytest.mark.parametrize("expression", ["craig(z3)", "default"])
def test_safe_programs_get_inductive_proofs(made: Program, expression: str) -> None:
    verdict = TraceAbstraction(refiner(expression)).run(made, Budget())
    assert isinstance(verdict, Safe)
    checker = make_solver("bitwuzla")
    assert checker.is_valid(verdict.invariants[made.main.entry])
    for edge in made.main.edges:
        before = verdict.invariants.get(edge.source, FALSE)
        after = FALSE if edge.target in made.errors else verdict.invariants.get(edge.target, FALSE)
        assert checker.is_valid(hoare_triple(before, transition(edge.statement), after)), str(edge)


@pytest.mark.parametrize("expression", ["newton(it, sp, lv)", "newton(it, wp)", "craig(z3)"])
def test_unsafe_programs_get_a_trace_with_a_model(expression: str) -> None:
    verdict = TraceAbstraction(refiner(expression)).run(REACHED, Budget())
    assert isinstance(verdict, Unsafe)
    assert verdict.trace.locations[-1] == Location(ERROR)
    assert satisfies(verdict.model, and_(*verdict.trace.formula.by_step))


def test_an_empty_budget_is_unknown() -> None:
    verdict = TraceAbstraction(refiner("craig(z3)")).run(PAIRS, Budget(seconds=-1))
    assert verdict == Unknown("out of time after 0 iterations")
