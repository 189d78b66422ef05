"""`craton engines`: every engine, as text and as data, and what is tried without one."""

from __future__ import annotations

import json

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
