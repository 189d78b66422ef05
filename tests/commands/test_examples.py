"""The programs of examples/c end as the README says."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "c"


def test_a_failing_example_shows_the_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLES / "fees.c")]) == 1
    told = capsys.readouterr().out
    assert "16: assert(balance >= 0);" in told
    assert "(input)" in told and "more rounds" in told


@pytest.mark.parametrize(
    ("name", "options"), [("pairs", ()), ("fill", ("--engine", "conjectures", "--arrays", "cells"))]
)
def test_examples_that_are_proved(name: str, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLES / f"{name}.c"), *options]) == 0
    assert "re-checked by" in capsys.readouterr().out
