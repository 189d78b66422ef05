"""Schedules: which is chosen, what it makes of stages, and how mistakes in files are answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.schedules import Condition, Schedule, read_condition, schedule_for
from craton.configuration.stages import DEFAULT, Stage, StagesError, read_stages
from craton.program.features import FEATURES, Features

_TEXT = """
[[stage]]
engine = "horn"
share = 2

[[stage]]
engine = "bounded(loops)"

[[stage]]
engine = "horn"
encoding = "ideal"

[[schedule]]
name = "short"
when = ["rounds <= 10", "floats = 0"]
first = ["bounded(loops)"]
shares = { "bounded(loops)" = 5 }

[[schedule]]
name = "large"
when = ["edges > 1000"]
shares = { "horn (ideal)" = 3, "horn" = 1 }
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "stages.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "features", "holds"),
    [
        ("loops > 0", Features(loops=1), True),
        ("loops>0", Features(), False),
        ("rounds <= 7", Features(rounds=7), True),
        ("rounds < 7", Features(rounds=7), False),
        ("rounds >= 0", Features(rounds=None), False),
        ("bits = 3", Features(bits=3), True),
        ("bits >= 4", Features(bits=3), False),
    ],
)
def test_conditions(text: str, features: Features, holds: bool) -> None:
    condition = read_condition(text)
    assert condition.holds(features) is holds
    assert read_condition(str(condition)) == condition


def test_the_first_that_fits_is_chosen_and_no_stage_is_lost(tmp_path: Path) -> None:
    plan = read_stages(written(tmp_path, _TEXT))
    short, large = plan.schedules
    assert plan.chosen(Features(rounds=3, edges=5000)) is short
    assert plan.chosen(Features(rounds=None, edges=5000)) is large
    assert plan.chosen(Features(rounds=None)) is None
    assert [(stage.name, stage.share) for stage in short.arranged(plan)] == [
        ("bounded(loops)", 5),
        ("horn", 2),
        ("horn (ideal)", 1),
    ]
    assert [stage.share for stage in large.arranged(plan)] == [1, 1, 3]
    assert list(plan) == [Stage("horn", share=2), Stage("bounded(loops)"), Stage("horn", encoding="ideal")]
    assert schedule_for(tuple(plan), Features()) is None


def test_equal_stages_all_stay() -> None:
    twice = (Stage("horn"), Stage("bounded"), Stage("horn"))
    assert Schedule("x", (), (("horn", 4.0),), ("horn",)).arranged(twice) == (
        Stage("horn", share=4.0),
        Stage("horn", share=4.0),
        Stage("bounded"),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("schedule = 3\n[[stage]]\nengine = 'horn'", "schedule is not a table"),
        ("[[schedule]]\nwhen = []", "schedule 1 has no name"),
        ("[[schedule]]\nname = 'x'", "schedule 1 has no when"),
        ("[[schedule]]\nname = 'x'\nwhen = 'loops > 0'", "when must be a list of texts"),
        ("[[schedule]]\nname = 'x'\nwhen = ['loop > 0']", "'loop > 0' is about no feature; known: edges"),
        ("[[schedule]]\nname = 'x'\nwhen = ['many loops']", "compares no feature with a number"),
        ("[[schedule]]\nname = 'x'\nwhen = []\nshares = { horn = 0 }", "shares must be a table of positive numbers"),
        (
            "[[schedule]]\nname = 'x'\nwhen = []\nshares = { hron = 1 }",
            "no stage is called 'hron'; did you mean 'horn'?",
        ),
        ("[[schedule]]\nname = 'x'\nwhen = []\nfirst = ['value']", "no stage is called 'value'"),
        ("[[schedule]]\nname = 'x'\nwhen = []\nfrist = []", "unknown key 'frist'; did you mean first?"),
    ],
)
def test_mistakes_in_a_file(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(StagesError) as caught:
        read_stages(written(tmp_path, text if "[[stage]]" in text else f"[[stage]]\nengine = 'horn'\n{text}"))
    assert problem in str(caught.value)
    assert "stages.toml" in str(caught.value)


def test_schedules_of_the_default_keep_every_stage() -> None:
    for schedule in DEFAULT.schedules:
        arranged = schedule.arranged(DEFAULT)
        assert sorted(stage.name for stage in arranged) == sorted(stage.name for stage in DEFAULT)
        together = sum(stage.share for stage in arranged)
        assert all(stage.share / together > 1 / 80 for stage in arranged), schedule.name
        assert schedule.when and all(isinstance(one, Condition) and one.feature in FEATURES for one in schedule.when)
    chosen = DEFAULT.chosen(Features(loops=1, uncounted=1, rounds=None, inputs=1))
    assert chosen is not None and chosen.name == "loops"
    assert DEFAULT.chosen(Features(edges=10_000, rounds=0, inputs=1)) is None
