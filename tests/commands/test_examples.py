"""The programs of examples/c end as the README says."""

from __future__ import annotations

import re
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
    ("name", "engine", "told"),
    [
        (
            "machine",
            "bounded",
            ('assertion "drinks + refunds <= coins" fails', "state = SERVING", "event = CANCEL (input)"),
        ),
        ("parser", "bounded", ("fails at", "= '", "parse(text = text, value = &value)")),
    ],
)
def test_failing_examples(name: str, engine: str, told: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLES / f"{name}.c"), "--engine", engine]) == 1
    text = capsys.readouterr().out
    assert all(one in text for one in told)


def test_an_invariant_of_memory_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    witness = tmp_path / "witness.yml"
    assert main(["verify", str(EXAMPLES / "queue.c"), "--engine", "horn", "--witness", str(witness)]) == 0
    for text in (capsys.readouterr().out, witness.read_text()):
        assert re.search(r"q\.head (<= 7|< 8)U?", text) and re.search(r"q\.count <= 8U?", text)


@pytest.mark.parametrize(
    ("name", "options"),
    [("pairs", ()), ("list", ("--engine", "bounded")), ("fill", ("--engine", "conjectures", "--arrays", "cells"))],
)
def test_examples_that_are_proved(name: str, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLES / f"{name}.c"), *options]) == 0
    assert "re-checked by" in capsys.readouterr().out
