"""Turns by counted work: the same run twice has the same winner and the same counters."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from craton.engines.contract import Statistics
from craton.frontends.programs import Request
from craton.horn.reading import parse_system
from craton.processes.limits import Limits
from craton.processes.running_time import Ledger, asked, counts_work, running_time, spend, working
from craton.verdicts.result import Result
from craton.verification.isolation import NotDone, Report, within
from craton.verification.run import verify
from craton.verification.stages import Stage
from craton.verification.systems import verify_system
from support.systems import SYSTEMS

STAGES = (
    Stage("bounded"),
    Stage("trace-abstraction", "newton(it, sp, lv)"),
    Stage("kinduction(plain)", share=2.0),
    Stage("predicate", "newton(it, wp, lv)"),
    Stage("testing"),
)
# Too hard for the time that it gets: everybody works until the end.
HARD = """\
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = 0, n = 0;
  while (n < x) { n++; y += n; }
  if (2 * y != n * (n + 1)) reach_error();
  return 0;
}
"""
EASY = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0, y = 0;
  while (__VERIFIER_nondet_int() && x < 5) { x++; y += 2; }
  if (y != 2 * x) reach_error();
  return 0;
}
"""


def counters(statistics: Statistics) -> dict[str, Any]:
    """Whatever is counted, and not measured."""
    names = ("iterations", "returned", "refutations", "trace_lengths", "predicates", "states")
    calls = {purpose: tally.calls for purpose, tally in statistics.purposes.items()}
    return {name: getattr(statistics, name) for name in names} | {"calls": calls}


@pytest.mark.parametrize("text", [HARD, EASY], ids=["hard", "easy"])
def test_the_same_run_twice(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.c").write_text(text)

    def run() -> Result:
        return verify(Request((str(tmp_path / "p.c"),)), STAGES, 0.6, jobs=2, deterministic=True)

    first, second = run(), run()
    assert str(first.verdict) == str(second.verdict)
    assert first.stage == second.stage
    assert counters(first.statistics) == counters(second.statistics)
    assert first.statistics.purposes["unrolling"].calls
    assert first.is_true is (text == EASY)
    assert not counts_work()


def test_systems_too() -> None:
    system = parse_system(SYSTEMS["bits that wrap"][1])
    runs = [verify_system(system, None, 20.0, deterministic=True) for _ in range(2)]
    assert len({(type(run.answer), run.stage) for run in runs}) == 1
    assert counters(runs[0].statistics) == counters(runs[1].statistics)


def test_where_work_is_counted_nobody_is_cut_by_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("craton.verification.isolation.GRACE", 0.02)

    def slow(report: Report) -> str:
        time.sleep(0.2)
        return "done"

    with working(Ledger()):
        assert within(0.0, slow) == "done"
    assert isinstance(within(0.0, slow), NotDone)


def test_wall_time_is_for_what_hangs() -> None:
    limits = Limits(10.0, 5.0, 100)
    outside = limits.of_counted_work
    assert outside.wall is not None and outside.wall > 10 * 10.0
    assert (outside.cpu, outside.memory) == (5.0, 100)
    assert Limits().of_counted_work == Limits()


def test_work_is_what_the_clock_counts() -> None:
    with working(Ledger()):
        before = running_time()
        spend(0.25)
        assert running_time() - before == 0.25
    spend(1000.0)  # nobody counts


def test_who_has_no_answer_in_one_turn_is_asked_again_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, limits = Ledger(), list[float | None]()
    ledger.allow(1.0)
    monkeypatch.setattr("craton.processes.running_time.time.sleep", lambda seconds: ledger.allow(2 * ledger.used))

    def solver(limit: float | None) -> str:
        limits.append(limit)
        return "answer" if limit is not None and limit >= 3.0 else ""

    with working(ledger):
        assert asked(solver, 100.0, bool) == "answer"
        assert limits == [1.0, 1.0, 2.0, 4.0]
        limits.clear()
        assert asked(solver, 0.5, bool) == ""
        assert limits == [0.5]
