"""Replays: the inputs of a counterexample lead the whole program to the error, and those of a wrong one do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.engines.bounded import Bounded
from craton.engines.contract import Budget, Unsafe
from craton.evidence.replay import replay
from craton.frontends.boogie import load_boogie
from craton.frontends.programs import Request, load_program
from craton.logic import Float
from craton.logic.ieee import to_python
from craton.logic.terms import format_of
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.preparation import Prepared, prepare
from craton.program.transformation import Transformed
from craton.traces.execution import Execution, execution
from craton.verdicts.counterexample import Replay
from support.programs import BY_NAME

NEAR = (
    "loops/apart.c",
    "loops/bound_missed.c",
    "arrays/same_place.c",
    "pointers/to_function.c",
    "floats/whole_wrong.c",
    "bits/cut_off.c",
    "control/lock_twice.c",
    "control/falling_wrong.c",
    "overflow/square.c",
    "memory/outside.c",
)


def found(program: Program) -> tuple[Prepared, Execution, Transformed]:
    """A counterexample of the bounded engine, and the way back from what the engine saw."""
    prepared = prepare(program)
    blocks = encode_blocks(prepared.small.program)
    verdict = Bounded().run(blocks.program, Budget(30.0))
    assert isinstance(verdict, Unsafe)
    run = execution(verdict.trace, verdict.model)
    assert run is not None
    return prepared, run, prepared.small.then(blocks)


def replayed(program: Program) -> Replay | None:
    prepared, run, back = found(program)
    return replay(prepared.whole, run, back)


@pytest.mark.parametrize("name", NEAR)
def test_the_inputs_lead_the_interpreter_to_the_same_error(name: str) -> None:
    program = BY_NAME[name].program
    again = replayed(program)
    assert again is not None
    inputs = [
        to_python(format_of(read.sort), read.value) if isinstance(read.sort, Float) else read.value
        for read in again.inputs
    ]
    outcome = Interpreter(program).run(inputs).outcome
    assert isinstance(outcome, ReachedError)
    assert f"false({outcome.violated})" == BY_NAME[name].expected


@pytest.mark.parametrize("name", ["bits/cut_off.c", "control/falling_wrong.c", "memory/outside.c"])
def test_other_values_do_not_reach_the_error(name: str) -> None:
    prepared, run, back = found(BY_NAME[name].program)
    steps = tuple(replace(step, chosen=dict.fromkeys(step.chosen, 1)) for step in run.steps)
    assert replay(prepared.whole, replace(run, steps=steps), back) is None


WAYS = """
procedure main() {
  var x: int;
  x := 0;
  while (*) {
    if (*) { x := x + 3; } else { x := x + 5; }
  }
  assert x != 11;
}
"""
FREE = """
procedure main() {
  goto a, b;
a: goto a, b;
b: assert false;
}
"""
IRRELEVANT = """
procedure main(c: bool) {
  var x, junk, i: int;
  x := 0;
  i := 0;
  while (i < 3) {
    if (c) { junk := 1; } else { junk := 2; junk := junk + i; }
    if (*) { x := x + 1; }
    i := i + 1;
  }
  assert x != 2;
}
"""
AXIOM = """
function f(x: int) returns (int);
axiom f(3) == 7;
procedure main(a: int) {
  assume f(a) == 7 && a > 3;
  assert f(a + 1) == 7;
}
"""


@pytest.mark.parametrize("text", [WAYS, FREE, IRRELEVANT, AXIOM], ids=["ways", "free", "irrelevant", "axiom"])
def test_where_the_program_leaves_a_choice_the_trace_is_followed(text: str) -> None:
    program = load_boogie(text).program
    again = replayed(program)
    assert again is not None
    assert again.location in program.errors
    assert again.edges[-1].target == again.location


def test_a_choice_that_is_not_followed_ends_soon() -> None:
    """Without the trace's edges the first way is taken again and again, until the run is given up."""
    prepared, run, back = found(load_boogie(FREE).program)
    assert replay(prepared.whole, replace(run, steps=()), back) is None


def test_code_that_does_not_matter_is_run_too(tmp_path: Path) -> None:
    """The engine never saw the loop's work; the run does it, and the inputs read there are told."""
    text = """
    extern int __VERIFIER_nondet_int(void);
    extern void reach_error(void);
    int main(void) {
      int junk = 0, i, x;
      for (i = 0; i < 3; i++) {
        if (__VERIFIER_nondet_int() > 5) junk += i;
        else junk -= i;
      }
      x = __VERIFIER_nondet_int();
      if (x == 77) reach_error();
      return junk;
    }
    """
    file = tmp_path / "junk.c"
    file.write_text(text)
    again = replayed(load_program(Request((str(file),))))
    assert again is not None
    assert [read.value for read in again.inputs][3:] == [77]
    assert len(again.inputs) == 4
