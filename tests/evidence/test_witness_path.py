"""The way of a run as waypoints: what a compiled program says about its branchings is what the witness says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.evidence.witness.make import witness_of
from craton.evidence.witness.model import WaypointKind
from craton.evidence.witness.path import MOST_WAYPOINTS, segments_of
from craton.evidence.witness.source import Source
from craton.frontends.programs import Request, load_program
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.preparation import prepare
from craton.validation import validate_witness
from craton.verdicts.counterexample import ReadValue, Replay
from craton.verdicts.result import Result
from craton.verdicts.verdict import violated

# Conditions stand in brackets: for us they are parentheses, for the compiler they report what they are.
WAYS = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int g;
int even(int a) {
  while <a > 1>
    a -= 2;
  if <!a>
    return 1;
  return 0;
}
int step(void) { g++; return g; }
int main(void) {
  int x = __VERIFIER_nondet_int(), y = 0;
  if <!(x > 3) || !step()>
    y = 1;
  if <x && step() && !y>
    y = 2; else
  if <x > 100>
    y = 3;
  do
    y++;
  while <y < 5 && step()>;
  do { y++; } while <!(y > 7)>;
  for (int i = 0; [i < 3]; i++)
    if <i % 2>
      continue;
  if <even(x) + even(y)>
    g = 7;
  for (;;) {
    if <__VERIFIER_nondet_int()>
      break;
  }
  switch (y) { case 1: break; default:
    if <y>
      y = 0;
  }
  if <g == 7 || !(y != 0)>
    reach_error();
  return 0;
}
"""
LOGGED = """
extern int printf(const char *, ...); extern void exit(int);
static int values[] = {%s}; static int used;
int __VERIFIER_nondet_int(void) { return used < 8 ? values[used++] : 0; }
void reach_error(void) { exit(42); }
static int logged(int line, int value) { if (line > 0) printf("%%d %%d\\n", line, value); return value; }
#line 1
"""


def _conditions(text: str, begin: str, end: str) -> str:
    """With what stands for the brackets of conditions."""
    lines = []
    for line in text.splitlines():
        for keyword in ("if <", "while <"):
            if keyword in line:
                head, _, rest = line.partition(keyword)
                condition, _, tail = rest.rpartition(">")
                line = f"{head}{keyword[:-1]}{begin}{condition}{end}{tail}"
        lines.append(line.replace("[i < 3]", f"{begin}i < 3{end}"))
    return "\n".join(lines) + "\n"


def _failing(program: Program, values: list[int]) -> Replay:
    run = Interpreter(program).run(values, only_inputs=True)
    assert isinstance(run.outcome, ReachedError)
    inputs = tuple(ReadValue(*read, sort) for read, sort in zip(run.inputs, run.sorts, strict=True))
    return Replay(run.outcome.location, inputs, ())


@pytest.mark.skipif(not oracle.compilers(), reason="no C compiler")
@pytest.mark.parametrize("values", [[0, 1], [5, 0, 1], [2, 0, 0, 1], [101, 1], [-4, 3]], ids=str)
def test_branchings_are_what_a_compiled_program_reports(values: list[int], tmp_path: Path) -> None:
    file = tmp_path / "ways.c"
    file.write_text(_conditions(WAYS, "(", ")"), encoding="utf-8")
    logged = tmp_path / "logged.c"
    text = LOGGED % ", ".join(map(str, values)) + _conditions(WAYS, "(logged(__LINE__, !!(", ")))")
    logged.write_text(text.replace("extern int __VERIFIER_nondet_int(void); extern void reach_error(void);", ""))
    binary = tmp_path / "logged"
    subprocess.run([oracle.default_compiler(), "-w", "-o", str(binary), str(logged)], check=True)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 42
    expected = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    program = load_program(Request((str(file),)))
    texts = {str(file): Source(file)}
    for whole in (program, prepare(program).whole):
        segments = segments_of(whole, _failing(whole, values), texts)
        told = [s.follow for s in segments if s.follow.kind is WaypointKind.BRANCHING]
        assert [(w.place.line, int(w.constraint == "true")) for w in told] == expected
        for waypoint in told:
            source, column = texts[str(file)], waypoint.place.column
            assert column is not None
            offset = source.offset(waypoint.place.line, column)
            assert offset is not None
            assert source.word_at(offset) in ("if", "while", "for")
        returned = [s.follow for s in segments if s.follow.kind is WaypointKind.FUNCTION_RETURN]
        assert [w.constraint for w in returned] == [f"\\result == {value}" for value in values]
        line = _conditions(WAYS, "(", ")").splitlines().index("    reach_error();") + 1
        assert (segments[-1].follow.place.line, segments[-1].follow.place.column) == (line, 5)


LONG = """
extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0;
  while (i < n) i++;
  if (i == 30000) reach_error();
  return 0;
}
"""


def test_of_long_runs_the_values_remain(tmp_path: Path) -> None:
    file = tmp_path / "long.c"
    file.write_text(LONG, encoding="utf-8")
    request = Request((str(file),))
    program = load_program(request)
    replay = _failing(program, [30000])
    witness = witness_of(request, program, Result(violated(replay, program)))
    segments = segments_of(program, replay, {str(file): Source(file)})
    assert [s.follow.constraint for s in segments] == ["\\result == 30000", None]
    assert len(segments) <= MOST_WAYPOINTS + 1
    assert str(validate_witness(request, witness, 60.0, confirm=False).result.verdict) == "false(unreach-call)"
