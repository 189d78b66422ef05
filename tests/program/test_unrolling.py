"""Recursion up to a bound: as the program within the bound, cut off below it. The interpreter runs both."""

from __future__ import annotations

import pytest

from craton.frontends.boogie import load_boogie
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Blocked, Exited, ReachedError
from craton.program.inlining import inline
from craton.program.statements import Call
from craton.program.unrolling import unroll_recursion
from support.programs import BY_NAME


def loaded(name: str) -> Program:
    return BY_NAME[name].program


COUNTING = """
var deepest: int;
procedure down(n: int) returns (r: int) modifies deepest; {
  var mine: int;
  mine := n;
  deepest := deepest + 1;
  if (n > 0) {
    call r := down(n - 1);
    r := r + mine;
  } else { r := 0; }
  assert deepest != 4;
}
procedure main() returns (r: int) modifies deepest; {
  deepest := 0;
  call r := down(%d);
}
"""


def counting(n: int) -> Program:
    return load_boogie(COUNTING % n).program


@pytest.mark.parametrize(
    ("name", "recursive"),
    [
        ("functions/larger.c", ()),
        ("functions/factorial.c", ("factorial",)),
        ("functions/each_other.c", ("even", "odd")),
        ("boogie/recursive.bpl", ("sum",)),
    ],
)
def test_recursive_procedures_are_those_that_come_to_call_themselves(name: str, recursive: tuple[str, ...]) -> None:
    assert sorted(recursive_procedures(loaded(name))) == sorted(recursive)


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("name", ["functions/factorial.c", "functions/fibonacci.c", "functions/each_other.c"])
def test_nothing_is_recursive_afterwards(name: str, depth: int) -> None:
    unrolled = unroll_recursion(loaded(name), depth)
    assert recursive_procedures(unrolled) == ()
    assert not any(isinstance(edge.statement, Call) for edge in inline(unrolled).program.main.edges)


def test_locations_are_not_shared() -> None:
    unrolled = unroll_recursion(loaded("functions/each_other.c"), 4)
    everywhere = [location for procedure in unrolled.procedures.values() for location in procedure.locations]
    assert len(everywhere) == len(set(everywhere))


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_within_the_bound_runs_are_the_same_and_below_it_they_stop(depth: int, n: int) -> None:
    """`down(n)` has n + 1 calls open; each has its own variables, which the sum shows."""
    outcome = Interpreter(unroll_recursion(counting(n), depth)).run().outcome
    if n + 1 <= depth:
        assert outcome == Interpreter(counting(n)).run().outcome == Exited((n * (n + 1) // 2,))
    else:
        assert isinstance(outcome, Blocked)


@pytest.mark.parametrize("depth", range(1, 7))
def test_errors_inside_are_errors_at_every_depth(depth: int) -> None:
    """The fourth call fails, if the bound lets it be made and the deeper ones return."""
    outcome = Interpreter(unroll_recursion(counting(3), depth)).run().outcome
    assert isinstance(outcome, ReachedError if depth >= 4 else Blocked)


@pytest.mark.parametrize("depth", [2, 4, 7])
@pytest.mark.parametrize("name", ["functions/factorial.c", "functions/each_other.c", "boogie/recursive.bpl"])
def test_an_error_of_the_bounded_program_is_one_of_the_program(name: str, depth: int) -> None:
    whole, bounded = Interpreter(loaded(name)), Interpreter(unroll_recursion(loaded(name), depth))
    for n in range(-2, 8):
        expected, found = whole.run([n]).outcome, bounded.run([n]).outcome
        if isinstance(found, Blocked) and not isinstance(expected, Blocked):
            continue  # cut off
        assert type(found) is type(expected)
        if isinstance(found, Exited):
            assert found == expected


def test_an_entry_that_calls_itself_is_unrolled_too() -> None:
    text = """
    var n: int;
    procedure main() modifies n; {
      n := n + 1;
      assume n <= 3;
      assert n != 3;
      call main();
    }
    """
    program = load_boogie(text).program
    assert "main" in recursive_procedures(program)
    assert isinstance(Interpreter(unroll_recursion(program, 2)).run().outcome, Blocked)
    assert isinstance(Interpreter(unroll_recursion(program, 3)).run().outcome, ReachedError)
