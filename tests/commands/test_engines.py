"""`craton engines`: every engine, as text and as data, and what is tried without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from craton.configuration.stages import DEFAULT
from support.commands import command


def test_every_engine_and_stage_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("engines") == 0
    shown = capsys.readouterr().out
    assert command("engines", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert {"trace-abstraction", "predicate", "splitting", "value", "bounded", "horn"} <= told["engines"].keys()
    for name, entry in told["engines"].items():
        assert name in shown and entry["summary"] in shown and entry["usage"] in shown
    assert [stage["name"] for stage in told["default"]] == [stage.name for stage in DEFAULT]
    assert [stage["share"] for stage in told["default"]] == [stage.share for stage in DEFAULT]
    assert all(stage.name in shown for stage in DEFAULT)


def test_schedules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("engines") == 0
    shown = capsys.readouterr().out
    assert command("engines", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in told["schedules"]] == [schedule.name for schedule in DEFAULT.schedules]
    for one in told["schedules"]:
        assert f"{one['name']}, if {' and '.join(one['when'])}:" in shown


def test_the_schedule_of_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, stages = tmp_path / "program.c", tmp_path / "stages.toml"
    program.write_text(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);"
        "int main(void) { int i = 0; while (i < 9) i += __VERIFIER_nondet_int() ? 1 : 2; if (i > 10) reach_error(); }",
        encoding="utf-8",
    )
    stages.write_text(
        "[[stage]]\nengine = 'horn'\n[[stage]]\nengine = 'bounded'\n"
        "[[schedule]]\nname = 'loops'\nwhen = ['loops = 1']\nfirst = ['bounded']\nshares = { bounded = 3 }\n",
        encoding="utf-8",
    )
    assert command("engines", "--for", program, "--stages", stages, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schedule"] == "loops" and told["features"]["loops"] == 1
    assert [(stage["name"], stage["share"]) for stage in told["stages"]] == [("bounded", 3), ("horn", 1)]
    assert command("engines", "--for", program, "--stages", stages) == 0
    shown = capsys.readouterr().out
    assert "schedule: loops" in shown and "75 % of the time" in shown
