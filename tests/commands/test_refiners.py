"""`craton refiners`: every refiner and preset, as text and as data."""

from __future__ import annotations

import json

import pytest

from support.commands import command


def test_every_refiner_and_preset_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("refiners") == 0
    shown = capsys.readouterr().out
    assert command("refiners", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert {"newton", "craig", "fallback", "until-perfect"} <= told["refiners"].keys()
    assert "default" in told["presets"]
    for name, entry in told["refiners"].items():
        assert name in shown and entry["summary"] in shown and entry["usage"] in shown
    for name, expression in told["presets"].items():
        assert name in shown and expression in shown
