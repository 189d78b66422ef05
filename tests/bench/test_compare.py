"""What changed between two campaigns, and whether that is a regression."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from craton.bench.compare import REGRESSIONS, Change, NothingToCompare, as_text, compare
from craton.bench.results import Campaign, RunRecord, score_of, status_of
from support.campaigns import campaign, of, run

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
    assert "only in the second campaign, and not compared: 1 run\n" in as_text(found)


def test_single_configurations_are_compared_whatever_their_names() -> None:
    found = compare(of(run("t", TRUE, config="old")), of(run("t", "unknown", config="new")))
    assert [difference.change for difference in found.differences] == [Change.LOST]
    assert "old → new" in as_text(found)


def test_nothing_in_common() -> None:
    with pytest.raises(NothingToCompare):
        compare(of(run("t", TRUE)), of(run("u", TRUE)))
