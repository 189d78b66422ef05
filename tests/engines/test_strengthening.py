"""Programs with their facts: what engines say of them is said of the programs themselves."""

from __future__ import annotations

import pytest

from craton.configuration.refiners import refiner
from craton.configuration.stages import Stage
from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown, Unsafe
from craton.engines.strengthening import strengthened, with_facts
from craton.engines.trace_abstraction import TraceAbstraction
from craton.evidence.checker import Confirmed, check_proof
from craton.facts import facts
from craton.logic import and_, satisfies
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.preparation import prepare
from craton.verification import verify
from support.programs import BY_NAME, EXAMPLES, Example
from support.sampling import has_turn

SOME = [example for example in EXAMPLES if example.theme != "floats" and has_turn(8, "strengthening", example)]


def blocks_of(example: Example, size: int | None) -> Program:
    return encode_blocks(prepare(example.program).small.program, size).program


@pytest.mark.parametrize("size", [None, 0])
@pytest.mark.parametrize("example", SOME, ids=str)
def test_answers_are_about_the_program_itself(example: Example, size: int | None) -> None:
    program = blocks_of(example, size)
    engine = TraceAbstraction(refiner("newton(it, sp, lv)"), blocks=size, facts=True)
    answer = engine.run(program, Budget(3.0))
    if isinstance(answer, Unsafe):
        assert not example.safe
        assert set(answer.trace.edges) <= set(program.main.edges)
        assert satisfies(answer.model, and_(*answer.trace.formula.by_step))
    elif isinstance(answer, Safe):
        assert example.safe
        assert isinstance(check_proof(program, answer.invariants, ("z3", "bitwuzla"), 60.0), Confirmed)


def test_what_facts_exclude_is_not_looked_at() -> None:
    def never(program: Program) -> EngineAnswer:
        raise AssertionError("there is no error left")

    program = blocks_of(BY_NAME["loops/reset.c"], None)
    assert isinstance(with_facts(program, Budget(20.0), never), Safe)


def test_the_facts_are_part_of_the_proof() -> None:
    """An engine that shows nothing but `true` has shown nothing: what it did not show is not made up."""
    program = blocks_of(BY_NAME["loops/together.c"], None)
    stronger, back = strengthened(program, facts(program))
    assert set(back.values()) <= set(program.main.edges)
    assert stronger.errors == program.errors
    answer = with_facts(program, Budget(20.0), lambda seen: Unknown("no idea"))
    assert answer == Unknown("no idea")


@pytest.mark.parametrize("engine", ["horn(facts)", "trace-abstraction(facts)"])
def test_bounds_in_bits(engine: str) -> None:
    result = verify(BY_NAME["loops/clock.c"].request, [Stage(engine, "newton(it, sp, lv)")], 60)
    assert result.is_true, result.reason
