"""Stages that take turns."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from craton.configuration.systems import system_engine
from craton.engines.contract import Budget, Engine, EngineAnswer, Progress, Statistics, Unknown
from craton.engines.systems.contract import SystemAnswer, SystemEngine
from craton.frontends.programs import Request
from craton.horn.clauses import System
from craton.horn.reading import parse_system
from craton.horn.results import Satisfiable
from craton.program.cfa import Program
from craton.verdicts import verdict as verdicts
from craton.verdicts.result import Result
from craton.verification import systems
from craton.verification.run import verify
from craton.verification.stages import GivenEngine, Stage
from craton.verification.systems import verify_system

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


@pytest.mark.parametrize("text", [LOOP, ERROR], ids=["proof", "error"])
def test_views_of_large_programs_are_made_by_who_looks_through_them(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the two processes makes its own; what was found there is of the same program here."""
    monkeypatch.setattr("craton.verification.run.LARGE", 0)
    stages = [GivenEngine.of(Endless(), encoding="ideal"), Stage("trace-abstraction", "newton(it, wp, lv)", "int")]
    result = verified(tmp_path, text, stages)
    assert isinstance(result.verdict, verdicts.Proved if text == LOOP else verdicts.Violated), result
    assert result.statistics.purposes["views"].calls


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


# --- systems and recursion --------------------------------------------------------------------------------------------


class EndlessOnSystems(SystemEngine):
    """Works for ever."""

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        while True:
            budget.watch(Progress(1, 0, 0, 0))


def endless_but(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    """Of the engines on systems, only those of these names ever end."""

    def made(stage: Stage) -> SystemEngine | None:
        return system_engine(stage) if stage.engine in words else EndlessOnSystems()

    monkeypatch.setattr(systems, "system_engine", made)


COUNTING = """\
(set-logic HORN)
(declare-fun I (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (I x y))))
(assert (forall ((x Int) (y Int)) (=> (I x y) (I (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (I x y) (> x 5) (< y x)) false)))
"""


def test_none_waits_for_another_on_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    endless_but(monkeypatch, "horn")
    stages = (Stage("value"), Stage("predicate"), Stage("horn"))
    result = verify_system(parse_system(COUNTING), stages, 120.0)
    assert isinstance(result.answer, Satisfiable), result
    assert result.stage == "horn"


def test_linear_systems_are_tried_as_programs_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    endless_but(monkeypatch)
    result = verify_system(parse_system(COUNTING), None, 120.0)
    assert isinstance(result.answer, Satisfiable), result


def test_recursion_is_unrolled_beside_contracts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless_but(monkeypatch)
    text = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int down(int n, int x) { return n <= 0 ? x : down(n - 1, x); }
int main(void) { int x = __VERIFIER_nondet_int(); if (down(3, x) != x) reach_error(); return 0; }
"""
    result = verified(tmp_path, text, [Stage("bounded"), Stage("horn")], seconds=120.0)
    assert isinstance(result.verdict, verdicts.Proved), result
    assert result.verdict.proof.unrolled


def test_recursion_that_is_deeper_than_runs_are_is_unrolled_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless_but(monkeypatch)
    monkeypatch.setattr("craton.verification.run._seen_depth", lambda program: 3)
    monkeypatch.setattr("craton.verification.run.MOST_UNROLLED", 9)
    text = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int moves(int n) { return n == 1 ? 1 : 2 * moves(n - 1) + 1; }
int main(void) { int n = __VERIFIER_nondet_int(); if (1 <= n && n < 9 && moves(n) < n) reach_error(); return 0; }
"""
    result = verified(tmp_path, text, [Stage("bounded"), Stage("horn")], seconds=120.0)
    assert isinstance(result.verdict, verdicts.Proved), result
    assert result.verdict.proof.unrolled == 9
