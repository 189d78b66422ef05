"""Names in invariants mean what they mean at that place of the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.cli import main

TWICE = """\
extern void reach_error(void);
static unsigned up(unsigned n) {
  unsigned i = 0;
  while (i < n)
    i++;
  return i;
}
int main(void) {
  unsigned i = up(70000);
  if (up(80000) > 80000 || i > 70000)
    reach_error();
}
"""


def test_each_copy_of_a_function_speaks_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "twice.c"
    file.write_text(TWICE)
    assert main(["verify", str(file), "--engine", "horn"]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if f"{file}:4:" in line]
    assert any(" i <= 70000" in line for line in said) and any(" i <= 80000" in line for line in said), said
    assert not any("up" in line.rpartition(f"{file}:4:")[2] for line in said)


ONCE = """\
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned down(unsigned n) {
  while (n > 7)
    n--;
  return n;
}
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (down(n) > n)
    reach_error();
}
"""


@pytest.mark.parametrize("more", ["", "  down(3);\n"])
def test_what_a_function_was_called_with(more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable of the caller is told as the parameter before the call, unless there are several calls."""
    file = tmp_path / "once.c"
    file.write_text(ONCE[:-2] + more + "}\n")
    assert main(["verify", str(file), "--engine", "kinduction"]) == 0
    said = next(line for line in capsys.readouterr().out.splitlines() if f"{file}:4:" in line)
    assert ("\\at(n, Pre) >= n" in said) == (not more) and ("main::n >= n" in said) == bool(more), said
