"""Schedules learned from records that somebody made up, so that what is best is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.bench.results import RunRecord
from craton.bench.tuning import Known, Tuner, records
from craton.configuration.schedules import Condition, Plan, Schedule
from craton.configuration.stages import DEFAULT, Stage, read_stages, stages_text
from craton.program.features import Features
from support.campaigns import of, run

STAGES = (Stage("horn"), Stage("bounded"), Stage("kinduction"), Stage("bounded(loops)"))
LIMIT = 10.0


def tasks(number: int, features: Features, needs: dict[str, float], prefix: str = "t") -> list[Known]:
    return [Known(f"{prefix}{i}.c", features, needs) for i in range(number)]


ARRAYS = tasks(20, Features(arrays=2, loops=1), {"horn": 6.0}, "arrays")
LOOPS = tasks(20, Features(loops=1), {"bounded(loops)": 6.0, "horn": 30.0}, "loops")


def found(task: Known, by: str, seconds: float | None, verdict: str = "true") -> RunRecord:
    return replace(run(task.task, verdict), by=by, by_seconds=seconds, features=task.features.data())


def test_parts_of_the_time() -> None:
    tuner = Tuner(STAGES, LIMIT)
    (task,) = tasks(1, Features(), {"horn": 2.0, "bounded": 2.4, "unknown": 0.1})
    assert tuner.time_to_solve(task, (1, 1, 1, 1)) == 8.0
    assert tuner.time_to_solve(task, (1, 2, 1, 4)) == pytest.approx(9.6)
    assert tuner.time_to_solve(task, (1, 1, 4, 4)) is None


def test_one_kind_of_task_needs_no_rule() -> None:
    tuner = Tuner(STAGES, LIMIT)
    assert tuner.solved(ARRAYS, tuner.given) == 0
    plan = tuner.learned(ARRAYS)
    assert plan.schedules == ()
    assert tuner.solved_by(ARRAYS, plan) == 20
    assert [stage.share for stage in plan][1:] == [1, 1, 1] and plan[0].share > 1


def test_two_kinds_are_told_apart_by_a_feature() -> None:
    tuner, both = Tuner(STAGES, LIMIT), [*ARRAYS, *LOOPS]
    plan = tuner.learned(both)
    assert [rule.when[0].feature for rule in plan.schedules] == ["arrays"]
    assert tuner.solved_by(both, plan) == 40
    assert len(tuner.on_others(both)) == 40 and tuner.solved(both, tuner.given) == 0
    assert all(share > 0 for rule in plan.schedules for _, share in rule.shares)


def test_a_rule_for_few_tasks_is_not_kept() -> None:
    few = [*ARRAYS[:9], *LOOPS]
    assert Tuner(STAGES, LIMIT).learned(few).schedules == ()
    assert Tuner(STAGES, LIMIT, least_tasks=9).learned(few).schedules != ()


def test_as_many_in_less_time() -> None:
    quick = tasks(10, Features(), {"horn": 1.0})
    tuner = Tuner(STAGES, LIMIT)
    assert tuner.solved(quick, tuner.given) == 10
    assert sum(tuner.times_by(quick, tuner.learned(quick))) < sum(tuner.times_by(quick, Plan(STAGES)))


def test_rules_that_are_kept() -> None:
    rules = (
        Schedule("arrays", (Condition("arrays", ">", 0),), (("bounded", 8.0),), ("bounded",)),
        Schedule("floats", (Condition("floats", ">", 0),), (("bounded", 8.0),)),
    )
    both = [*ARRAYS, *LOOPS]
    tuner = Tuner(STAGES, LIMIT, rules=rules)
    assert tuner.solved_by(both, Plan(STAGES, rules)) == 0
    plan = tuner.learned(both)
    assert [(rule.name, rule.when, rule.first) for rule in plan.schedules] == [
        (rule.name, rule.when, rule.first) for rule in rules
    ]
    assert tuner.solved_by(both, plan) == 40
    arrays, floats = (rule.arranged(plan) for rule in plan.schedules)
    assert {stage.engine: stage.share for stage in floats} == {
        "horn": 1,
        "bounded": 8,
        "kinduction": 1,
        "bounded(loops)": 1,
    }
    assert max(arrays, key=lambda stage: stage.share).engine == "horn"


def test_stages_of_one_name_have_one_share() -> None:
    twins = (Stage("horn"), Stage("bounded"), Stage("horn", solver="bitwuzla"))
    plan = Tuner(twins, LIMIT).learned(tasks(10, Features(), {"horn": 4.0}))
    assert plan[0].share == plan[2].share > plan[1].share


def test_what_records_say() -> None:
    first, second, third = ARRAYS[:3]
    made = of(
        found(first, "horn", 2.0),
        found(second, "", None),
        found(third, "bounded", 0.5, "false(unreach-call)"),
    )
    told = records([made, of(found(first, "horn", 1.5)), of(found(first, "bounded", 3.0))])
    assert [(task.task, dict(task.needs)) for task in told.known] == [
        (f"{first.task} unreach-call", {"horn": 1.5, "bounded": 3.0}),
        (f"{second.task} unreach-call", {}),
        (f"{third.task} unreach-call", {}),
    ]
    assert (told.without_stage, told.without_features, told.wrong) == (1, 0, 1)


def test_a_plan_is_written_as_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "stages.toml"
    for plan in (DEFAULT, Tuner(STAGES, LIMIT).learned([*ARRAYS, *LOOPS]), Plan(STAGES)):
        file.write_text(stages_text(plan), encoding="utf-8")
        assert read_stages(file) == plan
