"""Linear systems as programs: errors are derivations, invariants are models."""

from __future__ import annotations

import pytest

from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Safe, Unsafe
from craton.engines.trace_abstraction import TraceAbstraction
from craton.horn.preprocessing import preprocessed
from craton.horn.programs import program_of
from craton.horn.reading import parse_system
from craton.program.blocks import encode_blocks
from craton.smt import make_solver
from craton.traces.cores import Granularity
from craton.traces.newton import Direction, Newton
from craton.verification.systems import verify_system
from support.clauses import is_satisfiable, random_system
from support.systems import SYSTEMS


@pytest.mark.parametrize("seed", range(40))
def test_programs_have_the_answer_of_their_systems(seed: int) -> None:
    system = random_system(seed, most_atoms=1)
    made = program_of(system)
    engine = TraceAbstraction(refiner=Newton(Granularity.CONJUNCT, Direction.SP, live=True))
    answer = engine.run(encode_blocks(made.program, engine.blocks).program, Budget(30.0))
    if is_satisfiable(system):
        assert isinstance(answer, Safe)
        judge = make_solver("bitwuzla")
        for condition in made.model(answer.invariants).conditions(system):
            assert judge.is_valid(condition) is True
    else:
        assert isinstance(answer, Unsafe)


@pytest.mark.parametrize("engine", ["trace-abstraction", "predicate", "splitting", "bounded", "horn(unguided)"])
def test_every_engine_of_programs_runs_on_linear_systems(engine: str) -> None:
    system = parse_system(SYSTEMS["counting too far"][1])
    assert preprocessed(system).system.is_linear
    result = verify_system(system, (Stage(engine=engine, refine="newton(it, sp, lv)"),), seconds=60.0)
    assert type(result.answer).__name__ == "Unsatisfiable"


def test_a_system_that_is_not_linear_has_no_program() -> None:
    system = parse_system(SYSTEMS["McCarthy 91"][1])
    result = verify_system(system, (Stage(engine="splitting"),), seconds=60.0)
    assert "this system is not linear" in getattr(result.answer, "reason", "")
