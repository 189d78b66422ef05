"""What changed between two campaigns, and whether that is a regression."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from craton.bench.compare import REGRESSIONS, Change, NothingToCompare, as_text, compare
from craton.bench.results import Campaign, RunRecord, score_of, status_of
from craton.cli import main
from support.campaigns import campaign, header, write_campaign


def run(task: str, verdict: str, expected: str | None = "true", cpu: float = 1.0, config: str = "c") -> RunRecord:
    status = status_of(verdict, expected)
    return RunRecord(
        task, "Loops", "unreach-call", expected, config, verdict, status, "", score_of(status),
        cpu, cpu, 1, 0, {}, "", "",
    )  # fmt: skip


def of(*runs: RunRecord) -> Campaign:
    return Campaign(header({name: [] for name in dict.fromkeys(run.config for run in runs)}), runs)


TRUE, FALSE = "true", "false(unreach-call)"
SOME_CHANGES = [
    (run("t", "unknown"), run("t", TRUE), Change.SOLVED),
    (run("t", "TIMEOUT", FALSE), run("t", FALSE, FALSE), Change.SOLVED),
    (run("t", "ERROR", None), run("t", FALSE, None), Change.SOLVED),
    (run("t", TRUE), run("t", "OUT OF MEMORY"), Change.LOST),
    (run("t", FALSE, None), run("t", "unknown", None), Change.LOST),
    (run("t", TRUE), run("t", FALSE), Change.WRONG),
    (run("t", "unknown", FALSE), run("t", TRUE, FALSE), Change.WRONG),
    (run("t", FALSE), run("t", FALSE), Change.STILL_WRONG),
    (run("t", FALSE), run("t", TRUE), Change.MENDED),
    (run("t", FALSE), run("t", "TIMEOUT"), Change.MENDED),
    (run("t", TRUE, None), run("t", FALSE, None), Change.FLIPPED),
    (run("t", FALSE, None), run("t", TRUE, None), Change.FLIPPED),
    (run("t", TRUE, cpu=1), run("t", TRUE, cpu=4), Change.SLOWER),
    (run("t", TRUE, cpu=4), run("t", TRUE, cpu=2), Change.FASTER),
    (run("t", TRUE, cpu=0.1), run("t", TRUE, cpu=0.9), None),  # times are too small to mean anything
    (run("t", TRUE, cpu=10), run("t", TRUE, cpu=19), None),
    (run("t", "unknown"), run("t", "TIMEOUT"), None),
    (run("t", TRUE), run("t", TRUE), None),
    (run("t", TRUE, None), run("t", FALSE, FALSE), None),  # now it is known to be right
]


@pytest.mark.parametrize(("before", "now", "expected"), SOME_CHANGES)
def test_each_change_has_its_name(before: RunRecord, now: RunRecord, expected: Change | None) -> None:
    found = compare(of(before), of(now))
    assert [difference.change for difference in found.differences] == ([] if expected is None else [expected])
    assert bool(found.regressions()) == (expected in REGRESSIONS)
    assert bool(found.regressions(slower_too=True)) == (expected in (*REGRESSIONS, Change.SLOWER))
    flips = {before.verdict.partition("(")[0], now.verdict.partition("(")[0]} == {"true", "false"}
    assert [difference.is_flip for difference in found.differences] == [flips] * len(found.differences)


def test_a_campaign_is_no_regression_of_itself() -> None:
    """Only what is wrong is told again."""
    found = compare(campaign(), campaign())
    assert found.compared == len(campaign().runs)
    assert {difference.change for difference in found.differences} == {Change.STILL_WRONG}
    assert not found.regressions(slower_too=True)


def test_the_other_way_round_everything_is_the_opposite() -> None:
    """An oracle that knows nothing of how changes are found: time runs backwards."""
    before = campaign()
    chance = random.Random(3)
    now = Campaign(before.header, tuple(_changed(record, chance) for record in before.runs))
    there, back = compare(before, now), compare(now, before)
    assert (there.before, there.now) == (back.now, back.before)
    opposite = {
        Change.SOLVED: Change.LOST,
        Change.LOST: Change.SOLVED,
        Change.WRONG: Change.MENDED,
        Change.MENDED: Change.WRONG,
        Change.SLOWER: Change.FASTER,
        Change.FASTER: Change.SLOWER,
    }
    seen = Counter(difference.change for difference in there.differences)
    assert set(opposite) <= set(seen)
    assert Counter({opposite.get(change, change): count for change, count in seen.items()}) == Counter(
        difference.change for difference in back.differences
    )


def _changed(record: RunRecord, chance: random.Random) -> RunRecord:
    verdict = chance.choice([record.verdict] * 4 + ["true", "unknown", "TIMEOUT", FALSE])
    status = status_of(verdict, record.expected)
    cpu = record.cpu * chance.choice([0.3, 1.0, 1.1, 4.0])
    return replace(record, verdict=verdict, status=status, score=score_of(status), cpu=cpu)


def test_only_configurations_of_both_are_compared() -> None:
    before = of(run("t", TRUE, config="a"), run("t", TRUE, config="b"))
    now = of(run("t", TRUE, config="b"), run("t", TRUE, config="c"), run("u", TRUE, config="b"))
    found = compare(before, now)
    assert (found.compared, found.only_before, found.only_now) == (1, 0, 1)
    assert "1 runs are only in the second campaign" in as_text(found)


def test_single_configurations_are_compared_whatever_their_names() -> None:
    found = compare(of(run("t", TRUE, config="old")), of(run("t", "unknown", config="new")))
    assert [difference.change for difference in found.differences] == [Change.LOST]
    assert "old → new" in as_text(found)


def test_nothing_in_common() -> None:
    with pytest.raises(NothingToCompare):
        compare(of(run("t", TRUE)), of(run("u", TRUE)))


# --- the command ------------------------------------------------------------------------------------------------------


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
