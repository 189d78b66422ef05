"""Programs with calls as systems: with contexts, and with relations for calls that return, they mean the same."""

from __future__ import annotations

import pytest

from craton.frontends.boogie import load_boogie
from craton.horn.procedures import system_of
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.program.inlining import inline
from craton.program.slicing import remove_dead_code
from craton.verification.systems import verify_system

SUM = """
procedure sum(n: int) returns (r: int) {
  var s: int;
  if (n <= 0) { r := 0; } else { call s := sum(n - 1); r := s + n; }
}
procedure main() { var x: int; var y: int; call y := sum(x); assert %s; }
"""
INSIDE = """
procedure down(n: int) { assert %s; if (n > 0) { call down(n - 1); } }
procedure main() { call down(3); }
"""
PROGRAMS = {
    "a sum is no less than its argument": (SUM % "y >= x", True),
    "a sum may be three": (SUM % "y != 3", False),
    "an assertion in a callee": (INSIDE % "n >= 0 && n <= 3", True),
    "an assertion that a caller breaks": (INSIDE % "n != 1", False),
    "an assertion that no caller breaks": (INSIDE % "n != 4", True),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_relations_mean_the_same(name: str) -> None:
    text, holds = PROGRAMS[name]
    made = system_of(remove_dead_code(inline(load_boogie(text).program).program).program)
    relational = made.relational()
    assert len(relational.origins) == len(relational.system.clauses)
    for system in (made.system, relational.system):
        assert isinstance(verify_system(system, seconds=60.0).answer, Satisfiable if holds else Unsatisfiable)
