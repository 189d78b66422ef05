"""Loop invariants that a program brings along: tried, used where they help, and never believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.verification.run import verify
from support.patience import Group, record

HINTED = """
procedure main() {
    var x: int, y: int, n: int;
    x := 0; y := 0;
    while (x < n)
        invariant %s;
    { x := x + 1; y := y + 2; }
    assert y == 2 * x;
}
"""


@pytest.mark.parametrize(
    ("hint", "iterations", "seconds"),
    [("y == 2 * x", 0, 20.0), ("x >= 0", None, 2.0)],
    ids=["the invariant", "one that does not help"],
)
def test_a_hint_saves_iterations(tmp_path: Path, hint: str, iterations: int | None, seconds: float) -> None:
    file = tmp_path / "hinted.bpl"
    file.write_text(HINTED % hint)
    result = verify(Request((str(file),)), [Stage("trace-abstraction", "newton(it, sp, lv)")], seconds)
    record(Group.VERDICTS, f"the hint {hint}", result.reason)
    assert str(result.verdict) in (("true",) if iterations == 0 else ("true", "unknown"))
    if iterations is not None:
        assert result.statistics.iterations == iterations


def test_a_wrong_hint_is_an_error_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "hinted.bpl"
    file.write_text(HINTED % "x == 0")
    result = verify(Request((str(file),)), [Stage("bounded")], 20)
    assert result.is_false
