"""Stages that take turns."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from craton.engines.contract import Budget, Engine, EngineAnswer, Progress, Statistics, Unknown
from craton.frontends.programs import Request
from craton.program.cfa import Program
from craton.verdicts import verdict as verdicts
from craton.verdicts.result import Result
from craton.verification.run import verify
from craton.verification.stages import GivenEngine, Stage

LOOP = """\
extern void reach_error(void);
int main(void) { int x = 0; while (x < 100) x++; if (x != 100) reach_error(); return 0; }
"""
ERROR = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x == 123456) reach_error(); return 0; }
"""


@dataclass(frozen=True)
class Endless(Engine):
    """Works for ever, and says so now and then."""

    word: ClassVar[str] = "endless"
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        number = 0
        while True:
            number += 1
            budget.statistics.iterations += 1
            budget.watch(Progress(number, 0, 0, 0))


@dataclass(frozen=True)
class Dying(Engine):
    word: ClassVar[str] = "dying"
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        os.kill(os.getpid(), signal.SIGKILL)
        return Unknown("never said")


@dataclass(frozen=True)
class Helpless(Engine):
    reason: str
    word: ClassVar[str] = "helpless"
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        budget.statistics.iterations += 1
        return Unknown(self.reason)


def verified(folder: Path, text: str, stages: Sequence[Stage], seconds: float = 60.0, jobs: int = 1) -> Result:
    (folder / "p.c").write_text(text)
    return verify(Request((str(folder / "p.c"),)), stages, seconds, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_none_waits_for_another(tmp_path: Path, jobs: int) -> None:
    stages = [GivenEngine.of(Endless()), GivenEngine.of(Dying()), GivenEngine.of(Endless()), Stage("horn")]
    result = verified(tmp_path, LOOP, stages, jobs=jobs)
    assert isinstance(result.verdict, verdicts.Proved), result
    assert result.stage == "horn"


def test_errors_are_found_and_run(tmp_path: Path) -> None:
    result = verified(tmp_path, ERROR, [GivenEngine.of(Endless()), Stage("bounded")])
    assert isinstance(result.verdict, verdicts.Violated), result
    assert [read.value for read in result.verdict.replay.inputs] == [123456]


def test_reasons_are_told_once(tmp_path: Path) -> None:
    helpless = [GivenEngine.of(Helpless("too hard")), GivenEngine.of(Helpless("too hard")), GivenEngine.of(Dying())]
    result = verified(tmp_path, LOOP, helpless)
    assert isinstance(result.verdict, verdicts.Unknown)
    assert result.verdict.reason.count("too hard") == 1
    assert "SIGKILL" in result.verdict.reason
    assert result.statistics.iterations == 2  # of all of them


def test_the_time_is_over(tmp_path: Path) -> None:
    result = verified(tmp_path, LOOP, [GivenEngine.of(Endless()), GivenEngine.of(Endless())], seconds=2.0)
    assert isinstance(result.verdict, verdicts.Unknown)
    assert "out of time" in result.verdict.reason
    assert result.statistics.iterations > 0  # as far as they were told


def test_progress_says_who(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(LOOP)
    seen: set[str] = set()

    def watch(progress: Progress, statistics: Statistics) -> None:
        seen.add(progress.by)

    verify(Request((str(tmp_path / "p.c"),)), [GivenEngine.of(Endless()), Stage("horn")], 60.0, watch)
    assert "endless" in seen
