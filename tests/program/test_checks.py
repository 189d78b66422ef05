"""Checks have names, which their copies keep; a program may be asked about some of them only."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.c import load_c
from craton.frontends.programs import Request, load_program
from craton.program.checks import checks, only_checks
from craton.program.inlining import inline
from craton.program.named_properties import named_checks
from craton.program.specification import DEFAULT, Specification, parse_specification, property_text

PROGRAM = """\
extern void reach_error(void);
int twice(int x) {
  if (x == 3) reach_error();
  return x + x;
}
int main(void) {
  int a = twice(1) / 2;
  if (a) reach_error();
  return twice(a);
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "twice.c"
    path.write_text(PROGRAM)
    return path


def test_names_places_and_copies(file: Path) -> None:
    program = load_c([file], Specification(error_functions=("reach_error",), overflow=True, division=True))
    found = {one.check: one.where.line for one in checks(program) if one.where is not None}
    assert found == {"twice.reach.1": 3, "twice.overflow.1": 4, "main.overflow.1": 7, "main.reach.1": 8} | {
        name: line for name, line in found.items() if "division" in name
    }
    inlined = inline(program).program
    assert [one.check for one in checks(inlined)] == [one.check for one in checks(program)]
    assert sum(one.check == "twice.reach.1" for one in inlined.errors.values()) == 2


def test_others_are_left_out_and_runs_end_there(file: Path) -> None:
    program = load_c([file])
    some = only_checks(program, ["main.reach.1"])
    assert [one.check for one in some.errors.values()] == ["main.reach.1"]
    assert [one.check for one in some.left_out.values()] == ["twice.reach.1"]
    assert checks(some) == checks(program)
    assert load_program(Request((str(file),), checks=("main.reach.1",))).errors == some.errors


def test_properties_by_name() -> None:
    found = named_checks("reach,no-overflow, overflow")
    assert found is not None and [one.formula for one in found] == ["reach", "overflow"]
    assert found[0].specification == DEFAULT
    everything = named_checks("all")
    assert everything is not None
    assert [one.formula for one in everything] == ["reach", "memsafety", "overflow", "div-by-zero"]
    assert named_checks("overflow.prp") is None
    (of_a_verdict,) = named_checks("valid-deref") or ()
    assert of_a_verdict.specification == Specification(deref=True)
    for one in everything[1:]:  # as a file would say it
        assert (
            one.specification is not None and parse_specification(property_text(one.specification)) == one.specification
        )
