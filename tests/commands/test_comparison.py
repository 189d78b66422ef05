"""Comparisons are honest: a refiner that is chosen is the one that answers, and what is missing is told at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from craton.configuration.engines import refines
from craton.errors import CratonError
from craton.smt.process.presets import PRESETS
from craton.verification.stages import Stage, chosen_stages
from support.commands import command

PAIRS = Path(__file__).parents[2] / "examples" / "c" / "pairs.c"


def test_a_refiner_without_an_engine_leaves_out_what_does_not_refine() -> None:
    stages = chosen_stages(refine="newton(it, sp)")
    assert stages and all(refines(stage.engine) and stage.refine == "newton(it, sp)" for stage in stages)
    assert len(set(stages)) == len(stages)
    with pytest.raises(CratonError, match="none of the stages refines"):
        chosen_stages(refine="newton(sp)", usual=(Stage("horn"),))


def test_a_refiner_without_a_use_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", PAIRS, "--engine", "bounded(depth=2)", "--refine", "newton(sp)") == 3
    assert "--refine has no effect: bounded(depth=2) does not refine" in capsys.readouterr().out


def test_it_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", PAIRS, "--refine", "newton(it, wp, lv)", "--json", "--time-limit", "60") == 0
    told = json.loads(capsys.readouterr().out)
    assert "newton" in told["found_by"]
    (said,) = (one for one in told["warnings"] if "only the ways that refine are used (" in one)
    assert "trace-abstraction" in said and "horn" not in said


@pytest.mark.parametrize("expression", ["craig({})", "fallback(newton(sp), craig({}))", "newton(sp, solver={})"])
def test_a_solver_that_is_not_here_is_told_at_once(expression: str, capsys: pytest.CaptureFixture[str]) -> None:
    missing = next((name for name, preset in PRESETS.items() if preset.find() is None), None)
    if missing is None:
        pytest.skip("all solvers are installed")
    words = ("verify", PAIRS, "--engine", "trace-abstraction", "--refine", expression.format(missing))
    assert command(*words) == 2
    assert f"{missing} is not installed: " in capsys.readouterr().err
