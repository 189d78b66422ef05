"""`craton explain`: its exit codes. What it shows is tested in `tests/report`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import command
from support.programs import BY_NAME

TOGETHER = BY_NAME["loops/together.c"].path


def test_a_path_is_explained_by_each_refiner(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("explain", TOGETHER, "--json", "--refine", "newton(it, sp)", "--refine", "newton(it, wp)") == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert [column["refiner"] for column in told["refiners"]] == ["newton(it,sp)", "newton(it,wp)"]


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((tmp_path / "none.c",), (TOGETHER, "--refine", "newtown")):
        assert command("explain", *words) == 2
        assert capsys.readouterr().err.startswith("craton: ")
