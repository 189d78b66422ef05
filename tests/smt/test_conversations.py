"""Every preset has a conversation on record: what we ask, and what the solver replied.

Those of SMTInterpol 2.5-1388, Princess 2026-05-20 and Yices 2.6.5 were recorded (CRATON_RECORD=1 records them again,
where the solvers are installed). Those of MathSAT and OpenSMT are written after their documentation: the programs could
not be had.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from craton.logic import (
    FALSE,
    INT,
    TRUE,
    Array,
    Term,
    add,
    and_,
    eq,
    exists,
    gt,
    int_,
    is_quantified,
    lt,
    not_,
    satisfies,
    select,
    store,
    var,
)
from craton.smt.contract import Capability, Sat, Unsat
from craton.smt.interpolation import law_violation
from craton.smt.process.interpolation import interpolants
from craton.smt.process.presets import PRESETS, Preset
from craton.smt.process.solver import ProcessSolver
from craton.smt.registry import make_solver
from support import conversations

FOLDER = Path(__file__).parent / "data" / "conversations"
RECORDING = bool(os.environ.get("CRATON_RECORD"))
X, Y, Z = var("x", INT), var("y", INT), var("z", INT)
H, J, K, V = (var(name, INT) for name in "hjkv")
A, B = var("a", Array(INT, INT)), var("b", Array(INT, INT))

COUNTING = (eq(X, int_(0)), eq(Y, add(X, int_(3))), eq(Z, add(Y, int_(3))), lt(Z, int_(6)))
DIFFERENT = (
    eq(A, store(B, H, V)),
    and_(not_(eq(select(A, J), select(B, J))), not_(eq(select(A, K), select(B, K))), not_(eq(J, K))),
)


def model(preset: Preset) -> None:
    with ProcessSolver(preset, time_limit=60) as solver:
        formulas = (gt(X, int_(3)), lt(Y, X))
        solver.add(*formulas)
        answer = solver.check()
        assert isinstance(answer, Sat), answer
        assert satisfies(answer.model, and_(*formulas))


def core(preset: Preset) -> None:
    with ProcessSolver(preset, time_limit=60) as solver:
        solver.add(gt(X, int_(3)), name="first")
        solver.add(lt(Y, int_(5)), name="second")
        solver.add(lt(X, int_(2)), name="third")
        answer = solver.check()
        assert isinstance(answer, Unsat), answer
        assert {"first", "third"} <= set(answer.core.names)


def sequence(preset: Preset) -> None:
    check_interpolants(preset, COUNTING)


def difference(preset: Preset) -> None:
    """`(@diff a b)` in the interpolant."""
    (found,) = check_interpolants(preset, DIFFERENT)
    assert is_quantified(found)


def elimination(preset: Preset) -> None:
    with ProcessSolver(preset, time_limit=60) as solver:
        assert isinstance(solver, ProcessSolver)
        found = solver.simplified(exists([Y], and_(lt(X, Y), lt(Y, Z))), 60)
        assert make_solver("z3").is_valid(eq(found, gt(Z, add(X, int_(1)))))
        assert not is_quantified(found)


def check_interpolants(preset: Preset, formulas: tuple[Term, ...]) -> tuple[Term, ...]:
    found = interpolants(preset, formulas, 60)
    assert isinstance(found, tuple), found
    for checker in ("z3", "cvc5"):
        with make_solver(checker, time_limit=60) as other:
            assert law_violation(formulas, (TRUE, *found, FALSE), other) == ""
    return found


TALKS: dict[str, Callable[[Preset], None]] = {
    "model": model,
    "core": core,
    "sequence": sequence,
    "difference": difference,
    "elimination": elimination,
}
NEEDS = {
    "model": Capability.MODELS,
    "core": Capability.CORES,
    "sequence": Capability.INTERPOLANTS,
    "elimination": Capability.ELIMINATION,
}
ON_RECORD = sorted(path.stem for path in FOLDER.glob("*.talk"))


def with_program(preset: Preset, *words: str) -> Preset:
    """The preset, with a program that records or plays a conversation."""
    mode, file, *more = words
    return replace(
        preset,
        program=sys.executable,
        arguments=("-I", "-S", conversations.__file__, mode, file, *more),
        java=None,
    )


def test_every_preset_has_all_that_it_can_on_record() -> None:
    wanted = {
        f"{name}-{talk}" for name, preset in PRESETS.items() for talk, need in NEEDS.items() if need in preset.can
    }
    assert set(ON_RECORD) == wanted | {"smtinterpol-difference"}


@pytest.mark.parametrize("name", ON_RECORD)
def test_the_conversation_is_understood(name: str) -> None:
    solver, talk = name.split("-")
    TALKS[talk](with_program(PRESETS[solver], "play", str(FOLDER / f"{name}.talk")))


@pytest.mark.skipif(not RECORDING, reason="CRATON_RECORD is not set")
@pytest.mark.parametrize("solver", PRESETS)
def test_record(solver: str) -> None:
    preset = PRESETS[solver]
    command = preset.find()
    if command is None:
        pytest.skip(preset.how_to_get)
    for talk, perform in TALKS.items():
        if NEEDS.get(talk, Capability.INTERPOLANTS) in preset.can and (talk != "difference" or solver == "smtinterpol"):
            file = FOLDER / f"{solver}-{talk}.talk"
            file.write_text(f"# recorded from {solver} {preset.version()}\n")
            perform(with_program(preset, "record", str(file), *command))
