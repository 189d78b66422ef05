"""Runs of the automaton on inputs from seeds."""

from __future__ import annotations

from craton.logic import BitVec, Term, bv, bvadd, bvult, eq, not_, var
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.statements import Assign, Assume, Havoc, Input
from craton.testing.interpreted import failing_run
from support.automata import automaton

U: Term = var("u", BitVec(8))
BYTE = Input("__VERIFIER_nondet_uchar", "unsigned char")


def test_the_first_run_is_on_zeros() -> None:
    program = automaton((0, Havoc((U,), BYTE), 1), (1, Assume(eq(U, bv(0, 8))), 2), errors=[2])
    run = failing_run(program, 60.0)
    assert run is not None
    assert run.inputs == ((BYTE, 0),)


def test_the_inputs_that_are_told_lead_to_the_error() -> None:
    large = bvult(bv(99, 8), U)
    program = automaton((0, Havoc((U,), BYTE), 1), (1, Assume(large), 2), (1, Assume(not_(large)), 3), errors=[2])
    run = failing_run(program, 60.0)
    assert run is not None and isinstance(run.outcome, ReachedError)
    again = Interpreter(program).run([value for _, value in run.inputs])
    assert again.outcome == run.outcome
    assert failing_run(program, 60.0) == run, "seeds repeat"


def test_without_inputs_one_run_is_enough() -> None:
    program = automaton((0, Assign(U, bv(3, 8)), 1), (1, Assume(eq(U, bv(4, 8))), 2), errors=[2])
    assert failing_run(program, None) is None


def test_what_the_program_leaves_open_is_drawn_in_some_runs_if_wanted() -> None:
    program = automaton((0, Havoc((U,)), 1), (1, Assume(not_(eq(U, bv(0, 8)))), 2), errors=[2])
    assert failing_run(program, 60.0) is None
    run = failing_run(program, 60.0, opened=True)
    assert run is not None and not run.only_inputs
    assert [edge.source.id for edge in run.edges] == [0, 1]


def test_no_time_no_run() -> None:
    program = automaton((0, Havoc((U,), BYTE), 1), (1, Assign(U, bvadd(U, bv(1, 8))), 2), errors=[2])
    assert failing_run(program, -1.0) is None
