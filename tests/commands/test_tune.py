"""`craton tune`: a file of stages from campaigns, what is told about it, and what is wrong with campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.bench.results import Campaign, RunRecord
from craton.configuration.schedules import Plan
from craton.configuration.stages import DEFAULT, Stage, read_stages, stages_text
from craton.program.features import Features
from support.campaigns import campaign, header, of, run, write_campaign
from support.commands import command

STAGES = (Stage("horn"), Stage("bounded"), Stage("kinduction"), Stage("bounded(loops)"))


def found(kind: str, number: int, features: Features, by: str, seconds: float | None) -> list[RunRecord]:
    runs = (run(f"{kind}{i}.c", "true") for i in range(number))
    return [replace(one, by=by, by_seconds=seconds, features=features.data()) for one in runs]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [
        *found("arrays", 20, Features(arrays=2, loops=1), "horn", 6.0),
        *found("loops", 20, Features(loops=1), "bounded(loops)", 6.0),
        *found("beside", 2, Features(edges=9), "testing", None),
        *found("floats", 12, Features(floats=3), "value with craig(z3)", 1.0),
    ]
    configs = {"c": [], "value": ["--engine", "value", "--refine", "craig(z3)"], "gone": ["--no-such-option"]}
    results = write_campaign(Campaign(header(configs), tuple(runs)), tmp_path / "campaign")
    given, out = tmp_path / "given.toml", tmp_path / "stages.toml"
    given.write_text(stages_text(Plan(STAGES)), encoding="utf-8")
    assert command("tune", results, "--stages", given, "--seconds", 10, "--out", out) == 0
    told = capsys.readouterr().out
    assert "54 tasks, 10 s; 52 solved by a stage" in told and "rule: " in told and f"written: {out}" in told
    assert "left out: 2 solved runs in which no stage's turns found it" in told
    plan = read_stages(out)
    assert [stage.name for stage in plan] == [*(stage.name for stage in STAGES), "value with craig(z3)"]
    assert plan.schedules
    assert command("tune", results, "--stages", given) == 0
    assert "# 54 tasks, 60 s" in capsys.readouterr().out
    assert command("tune", results, "--keep-rules", "--seconds", 10, "--out", out) == 0
    told = capsys.readouterr().out
    kept = [(rule.name, rule.when, rule.first) for rule in read_stages(out).schedules]
    assert kept == [(rule.name, rule.when, rule.first) for rule in DEFAULT.schedules]
    assert "rule: short runs (for 54 tasks): " in told and "rule: floats (for 0 tasks): " in told


def test_campaigns_that_say_too_little(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("tune", write_campaign(campaign(), tmp_path / "old")) == 2
    assert "no features of programs: run them again" in capsys.readouterr().err
    without = of(*found("t", 1, Features(), "", None))
    assert command("tune", write_campaign(without, tmp_path / "without")) == 2
    assert "no run says which stage" in capsys.readouterr().err
    assert command("tune", tmp_path / "none") == 2
    assert "no such file" in capsys.readouterr().err
