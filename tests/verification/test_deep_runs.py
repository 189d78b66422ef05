"""Counterexamples through recursion, however deep: runs are executed with their calls, not unrolled."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from craton.frontends.programs import Request, load_program
from craton.horn.procedures import system_of
from craton.horn.results import Unsatisfiable
from craton.processes.compilers import compilers
from craton.program.activations import path_without_calls
from craton.program.blocks import encode_blocks
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.preparation import prepare
from craton.program.statements import Call, Return
from craton.traces.judgement import judged
from craton.traces.trace import Trace
from craton.verdicts.counterexample import Reached
from craton.verdicts.verdict import Violated
from craton.verification.confirmation import replayed
from craton.verification.context import Context
from craton.verification.derived_runs import run_of
from craton.verification.run import verify
from craton.verification.scheduling import Clock
from craton.verification.stages import DEFAULT, Stage
from craton.verification.systems import verify_system

_C = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
"""
FAILING = {
    "id.c": "int id(int x) { if (x == 0) return 0; return id(x - 1) + 1; }\n"
    "int main(void) { if (id(100) == 100) reach_error(); return 0; }",
    "deep.c": "int id(int x) { if (x == 0) return 0; return id(x - 1) + 1; }\n"
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5000) return 0;"
    " if (id(n) == 2000) reach_error(); return 0; }",
    "sum.c": "int sum(int n) { return n <= 0 ? 0 : n + sum(n - 1); }\n"
    "int main(void) { if (sum(25) == 325) reach_error(); return 0; }",
    "fibo.c": "int fibo(int n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2); }\n"
    "int main(void) { if (fibo(15) == 610) reach_error(); return 0; }",
    "ackermann.c": "int ack(int m, int n) { if (m == 0) return n + 1;"
    " return n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }\n"
    "int main(void) { if (ack(2, 2) == 7) reach_error(); return 0; }",
    "fact.c": "unsigned fact(unsigned n) { return n == 0 ? 1 : n * fact(n - 1); }\n"
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n >= 20) return 0;"
    " if (fact(n) == 3628800) reach_error(); return 0; }",
    "reading.c": "int total;\nvoid eat(int n) { int x = __VERIFIER_nondet_int(); if (x > 0) total++;"
    " if (n > 0) eat(n - 1); else if (total > 40) reach_error(); }\nint main(void) { eat(60); return 0; }",
    "open.c": "int f(int n) { int x; if (n == 0) return x == 7; return f(n - 1); }\n"
    "int main(void) { if (f(2)) reach_error(); return 0; }",
    "mutual.c": "int odd(int n);\nint even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
    "int odd(int n) { return n == 0 ? 0 : even(n - 1); }\nint main(void) { if (even(300)) reach_error(); return 0; }",
    "pointer.c": "int f(int (*g)(void *, int), int n) { return n == 0 ? 0 : 1 + g((void *)g, n - 1); }\n"
    "int h(void *g, int n) { return f((int (*)(void *, int))g, n); }\n"
    "int main(void) { if (f(h, 40) == 40) reach_error(); return 0; }",
    "deep.bpl": "procedure id(n: int) returns (r: int)\n"
    "{ if (n <= 0) { r := 0; } else { call r := id(n - 1); r := r + 1; } }\n"
    "procedure main() { var s: int; call s := id(600); assert s != 600; }",
}


def written(name: str, folder: Path) -> Request:
    path = folder / name
    path.write_text((_C if name.endswith(".c") else "") + FAILING[name] + "\n")
    return Request((str(path),))


@pytest.mark.parametrize("name", FAILING)
def test_errors_through_recursion(name: str, tmp_path: Path) -> None:
    result = verify(written(name, tmp_path), DEFAULT, 600.0, cpu=240.0)
    assert isinstance(result.verdict, Violated), result.reason
    if name.endswith(".c"):
        assert isinstance(result.verdict.compiled, Reached)


def test_infinite_recursion_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "forever.c"
    path.write_text(_C + "int f(unsigned n) { return f(n + 1); }\nint main(void) { f(0); reach_error(); return 0; }\n")
    assert verify(Request((str(path),)), DEFAULT, 600.0, cpu=240.0).is_true


@pytest.mark.parametrize("name", ["sum.c", "fibo.c", "open.c"])
def test_a_run_without_calls_is_one_of_the_formula(name: str, tmp_path: Path) -> None:
    """Each activation has variables of its own: the path of a run, as one without calls, is feasible."""
    program = load_program(written(name, tmp_path))
    run = Interpreter(program, record=True).run(seed=None if name != "open.c" else 0)
    path = path_without_calls(program, run.edges)
    assert any(isinstance(edge.statement, Call) for edge in run.edges)
    assert not any(isinstance(edge.statement, Call) for edge in path)
    assert all(not isinstance(edge.statement, Return) for edge in path[:-1])
    assert all(one.target == two.source for one, two in pairwise(path))
    if isinstance(run.outcome, ReachedError):
        assert path[-1].target == run.outcome.location
        assert judged(Trace(path), {}, ()).impossible is None


OPEN_VALUES = """var g: int;
procedure down(n: int) modifies g;
{ var x, y: int; havoc x;
  if (n > 0 && x == 3 * n) { g := g + y; call down(n - 1); } else { assert g != 40 || x != 17; } }
procedure main() modifies g; { g := 0; call down(5); }
"""


def test_a_derivation_is_a_run(tmp_path: Path) -> None:
    """What was chosen on the way, and what locals held at their entry, is what the run chooses."""
    path = tmp_path / "open.bpl"
    path.write_text(OPEN_VALUES)
    program = load_program(Request((str(path),)))
    prepared = prepare(program)
    blocks = encode_blocks(prepared.small.program)
    made = system_of(blocks.program)
    answer = verify_system(made.system, seconds=60.0).answer
    assert isinstance(answer, Unsatisfiable)
    run = run_of(made, answer.derivation)
    assert run is not None
    context = Context(Clock.lasting(60.0), None)
    verdict = replayed(context, prepared.whole, run, prepared.small.then(blocks))
    assert isinstance(verdict, Violated)
    assert verdict.replay.background is not None
    assert not any(isinstance(edge.statement, Call) for edge in verdict.replay.edges)


@pytest.mark.skipif(not compilers(), reason="there is no C compiler")
def test_long_runs_to_what_stands_in_new_memory_are_found_by_testing(tmp_path: Path) -> None:
    """The last of many nodes has no successor that anybody has set."""
    source = tmp_path / "list.c"
    source.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void *malloc(__SIZE_TYPE__);\n"
        "struct node { struct node *next; };\n"
        "int main(void) { struct node *first = malloc(8), *last = first; int n = 0;\n"
        "  while (n < 12 && __VERIFIER_nondet_int()) { n++; last = last->next = malloc(8); }\n"
        "  if (n < 12) return 0;\n"
        "  for (last = first; last->next; last = last->next);\n"
        "  return 0; }\n"
    )
    specification = tmp_path / "p.prp"
    specification.write_text("CHECK( init(main()), LTL(G valid-deref) )\n")
    request = Request((str(source),), str(specification), data_model="LP64")
    verdict = verify(request, [Stage("testing")], 60.0).verdict
    assert isinstance(verdict, Violated), verdict
    assert len(verdict.replay.inputs) == 12
