"""Fail closed: what is not modelled must be excluded by a proof, and a counterexample may not pass it."""

from __future__ import annotations

import pytest

from craton.configuration.stages import Stage
from craton.logic import BitVec, Term, bv, bvult, eq, not_, var
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program, Property, Unmodelled
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedUnmodelled
from craton.program.origin import SourceRange
from craton.program.statements import Assign, Assume, Havoc, Input, Statement
from craton.verdicts.verdict import Proved, Unknown, Violated
from craton.verification.run import verify_program

X = var("x", BitVec(8))
ERROR, GAP = 8, 9
ASM = Unmodelled("unmodelled", "inline assembly", where=SourceRange("p.c", 3, 5, 3, 9))
READ = Havoc((X,), Input("x", "x"))
STAGES = [
    Stage("bounded"),
    Stage("trace-abstraction", "newton(it, sp, lv)"),
    Stage("predicate"),
    Stage("splitting", encoding="int"),
]


def program(*edges: tuple[int, Statement, int]) -> Program:
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    errors: dict[Location, Property] = {Location(ERROR): UNREACH, Location(GAP): ASM}
    main = Procedure("main", (), (), Location(0), Location(99), made, (X,))
    return Program("main", {"main": main}, (), errors)


def below(number: int) -> Term:
    return bvult(X, bv(number, 8))


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_gap_that_cannot_be_reached_is_no_gap(stage: Stage) -> None:
    safe = program((0, Assign(X, bv(3, 8)), 1), (1, Assume(below(3)), GAP), (1, Assume(eq(X, bv(4, 8))), ERROR))
    assert isinstance(verify_program(safe, (stage,), 30.0).verdict, Proved)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_gap_that_can_be_reached_is_named(stage: Stage) -> None:
    for behind in ((), ((GAP, Assume(below(200)), ERROR),)):  # what lies behind a gap nobody knows
        gap = program((0, READ, 1), (1, Assume(below(3)), GAP), *behind)
        verdict = verify_program(gap, (stage,), 30.0).verdict
        assert isinstance(verdict, Unknown)
        assert verdict.construct == ASM
        assert verdict.reason == "p.c:3:5: inline assembly is not modelled"


def test_stages_that_take_turns_name_it_and_find_errors_beside_it() -> None:
    gap = ((0, READ, 1), (1, Assume(below(3)), GAP))
    assert verify_program(program(*gap), STAGES, 30.0).verdict == Unknown(ASM.sentence, construct=ASM)
    beside = ((1, Assume(not_(below(250))), 2), (2, READ, ERROR))
    assert isinstance(verify_program(program(*gap, *beside), STAGES, 30.0).verdict, Violated)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_an_error_beside_a_gap_is_found(stage: Stage) -> None:
    both = program((0, READ, 1), (1, Assume(below(3)), GAP), (1, Assume(not_(below(250))), 2), (2, READ, ERROR))
    verdict = verify_program(both, (stage,), 30.0).verdict
    assert isinstance(verdict, Violated)
    assert verdict.property == UNREACH


def test_a_run_stops_at_a_gap() -> None:
    gap = program((0, READ, 1), (1, Assume(below(3)), GAP), (1, Assume(not_(below(3))), ERROR))
    outcome = Interpreter(gap).run([2]).outcome
    assert isinstance(outcome, ReachedUnmodelled)
    assert str(outcome) == "p.c:3:5: inline assembly is not modelled"
