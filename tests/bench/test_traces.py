"""Recorded traces: what is recorded is infeasible, of the right lengths, and refiners are asked about all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import traces
from craton.smt import Unsat, make_solver

PROGRAM = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, y = 0;
  for (int i = 0; i < 15; i++) {
    if (__VERIFIER_nondet_int()) x++; else y++;
  }
  if (x + y != 15) reach_error();
  return 0;
}
"""


def test_recording_and_measuring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sum.c").write_text(PROGRAM)
    out = tmp_path / "recorded"
    assert traces.main(["record", str(out), str(tmp_path / "sum.c"), "--seconds", "10", "--most", "2"]) == 0
    found = traces.recording(out)
    assert found
    for one in found:
        assert traces.SHORTEST <= len(one.trace) <= traces.LONGEST
        assert isinstance(make_solver("z3").check(*one.trace.formula.by_step), Unsat)
    capsys.readouterr()
    assert traces.main([str(out), "--every", "2", "newton(it, sp, lv)"]) == 0
    assert "100 %" in capsys.readouterr().out


def test_some_are_chosen_evenly() -> None:
    assert traces._spread(range(11), 3) == [0, 5, 10]
    assert traces._spread([1, 2], 3) == [1, 2]
