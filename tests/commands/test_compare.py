"""`craton compare`: what changed, and whether it is a regression, by the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from craton.cli import main
from support.campaigns import campaign, of, run, write_campaign

TRUE = "true"


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    before = of(run("a", TRUE, cpu=1), run("b", TRUE), run("c", "unknown"))
    now = of(run("a", TRUE, cpu=9), run("b", "TIMEOUT"), run("c", TRUE))
    return str(write_campaign(before, tmp_path / "1")), str(write_campaign(now, tmp_path / "2" / "deep"))


def test_the_exit_code_says_whether_there_is_a_regression(
    two: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    before, now = two
    assert main(["compare", before, now]) == 1
    out = capsys.readouterr().out
    assert "solved before, not now (1):\n  b (unreach-call), c: true → TIMEOUT" in out
    assert "slower (1):\n  a (unreach-call), c: 1.00 s → 9.00 s (× 9.00)" in out
    assert out.endswith("REGRESSION: 1 of 3 runs\n")
    assert main(["compare", before, before]) == 0
    assert capsys.readouterr().out.endswith("no regression\n")


def test_slower_is_a_regression_on_demand(tmp_path: Path) -> None:
    before = str(write_campaign(of(run("a", TRUE, cpu=1)), tmp_path / "1"))
    now = str(write_campaign(of(run("a", TRUE, cpu=9)), tmp_path / "2"))
    assert main(["compare", before, now]) == 0
    assert main(["compare", before, now, "--slower-is-regression"]) == 1
    assert main(["compare", before, now, "--slower-is-regression", "--factor", "10"]) == 0
    assert main(["compare", before, now, "--slower-is-regression", "--least", "10"]) == 0


def test_json(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *two, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["compared"] == 3
    assert told["regressions"] == 1
    assert [found["task"] for found in told["changes"]["lost"]] == ["b"]
    assert [found["now"]["verdict"] for found in told["changes"]["solved"]] == ["true"]


def test_two_configurations_of_one_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(write_campaign(campaign(), tmp_path / "out"))
    main(["compare", out, out, "--configs", "craig", "SP", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["compared"] == len(campaign().runs) // 4
    assert main(["compare", out, out, "--configs", "craig", "none"]) == 2
    assert "has no configuration 'none'; it has craig, IT-SP-LV" in capsys.readouterr().err


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "results.jsonl").write_text("what is this\n")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "results.jsonl"):
        assert main(["compare", str(path), str(path)]) == 2
        told = capsys.readouterr()
        assert told.out == "" and told.err.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["compare", "a", "b", "--factor", "1"])
