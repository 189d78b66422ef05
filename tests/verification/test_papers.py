"""The papers' example programs, whole: proved by the refiners that the papers prove them by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from craton.cli import main

# [NR] Fig. 3.1
THESIS = """
int main(void) {
  int x = 0;
  int y = 1;
  while (x < 1) { x = x + 1; }
  if (x != 1) goto ERROR;
  return 0;
ERROR:
  return -1;
}
"""
# [CN] Fig. 3
DEAD = """
procedure main() {
  var k, y: int;
  k := 0;
  assume y >= k;
  while (*) { k := 1; y := y + k; }
  assert y >= 0;
}
"""


@pytest.mark.parametrize("level", ["edge", "block"])
def test_the_program_of_the_thesis(level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two infeasible traces are enough: the red one and the blue one of [NR] Fig. 3.2."""
    refiner = f"newton(it, sp, lv, level={level}, extra=false, time=none)"
    told = verified(THESIS, "thesis.c", ["--engine", "predicate(sbe)", "--refine", refiner], tmp_path, capsys)
    assert told["verdict"] == "true" and told["statistics"]["iterations"] <= 2


@pytest.mark.parametrize("variant", ["sp, lv", "it, sp, lv"])
def test_the_program_of_figure_3(variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With live variables one round of the loop shows the invariant y ≥ 0."""
    options = ["--engine", "trace-abstraction(sbe)", "--refine", f"newton({variant}, extra=false)"]
    told = verified(DEAD, "figure3.bpl", options, tmp_path, capsys)
    assert told["verdict"] == "true" and told["statistics"]["iterations"] <= 3


def verified(
    text: str, name: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    file = tmp_path / name
    file.write_text(text)
    assert main(["verify", str(file), *options, "--passes", "none", "--cpu-limit", "60", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
