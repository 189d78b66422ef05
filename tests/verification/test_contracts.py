"""Recursive programs: proofs by contracts, and errors as deep as a derivation says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from craton.cli import main
from craton.frontends.programs import Request, load_program
from craton.horn.procedures import system_of
from craton.program.inlining import Inlining, inline
from craton.program.preparation import prepare
from craton.program.unrolling import unroll_recursion
from craton.verdicts.verdict import Proved, Unknown
from craton.verification.context import Context
from craton.verification.contracts import by_contracts
from craton.verification.outcomes import ErrorWithin
from craton.verification.run import verify, verify_program
from craton.verification.scheduling import Clock
from craton.verification.stage_programs import StagePrograms
from craton.verification.stages import DEFAULT, Stage
from support import FUZZ

PROGRAMS = {
    "mccarthy.bpl": (
        True,
        """procedure M(n: int) returns (r: int)
{ if (n > 100) { r := n - 10; } else { call r := M(n + 11); call r := M(r); } }
procedure main() { var x, y: int; assume x <= 101; call y := M(x); assert y == 91; }
""",
    ),
    "even.bpl": (
        True,
        """procedure even(n: int) returns (r: bool) { if (n == 0) { r := true; } else { call r := odd(n - 1); } }
procedure odd(n: int) returns (r: bool) { if (n == 0) { r := false; } else { call r := even(n - 1); } }
procedure main() { var b: bool; call b := even(6); assert b; }
""",
    ),
    "global.bpl": (
        True,
        """var g: int;
procedure down() modifies g; { if (*) { g := g - 1; call down(); g := g + 1; } }
procedure main() modifies g; { var old_g: int; old_g := g; call down(); assert g == old_g; }
""",
    ),
    "inside.bpl": (
        True,
        """procedure f(n: int) { assert n >= 0; if (n > 0) { call f(n - 1); } }
procedure main() { var x: int; assume x >= 3; call f(x); }
""",
    ),
    "inside_fails.bpl": (
        False,
        """procedure f(n: int) { assert n >= 0; call f(n - 1); }
procedure main() { call f(12); }
""",
    ),
    "result_fails.bpl": (
        False,
        """procedure sum(n: int) returns (r: int) { if (n <= 0) { r := 0; } else { call r := sum(n - 1); r := r + n; } }
procedure main() { var s: int; call s := sum(9); assert s != 45; }
""",
    ),
    "swap.bpl": (
        True,
        """var a: int; var b: int;
procedure swap(n: int) modifies a, b; { var t: int; if (n > 0) { t := a; a := b; b := t; call swap(n - 1); } }
procedure main() modifies a, b; { a := 1; b := 2; call swap(4); assert a + b == 3; }
""",
    ),
    "global_result.bpl": (
        False,
        """var g: int;
procedure f(n: int) returns (r: int) modifies g; { g := 5; if (n > 0) { call g := f(n - 1); } r := g + 1; }
procedure main() modifies g; { call g := f(2); assert g == 5; }
""",
    ),
    "fact.c": (
        True,
        """extern void reach_error(void);
int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int main(void) { if (fact(5) != 120) reach_error(); return 0; }
""",
    ),
    "sum.c": (
        True,
        """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int sum(int n) { if (n <= 0) return 0; return n + sum(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 0 && n <= 1000 && sum(n) < n) reach_error();
  return 0;
}
""",
    ),
    "deep.c": (
        False,
        """extern void reach_error(void);
int id(int n) { return n == 0 ? 0 : 1 + id(n - 1); }
int main(void) { if (id(30) == 30) reach_error(); return 0; }
""",
    ),
}


@pytest.fixture
def program(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / str(request.param)
    path.write_text(PROGRAMS[str(request.param)][1])
    return path


@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
def test_recursive_programs(program: Path) -> None:
    result = verify(Request((str(program),)), DEFAULT, 600.0, cpu=240.0)
    if PROGRAMS[program.name][0]:
        assert result.is_true, result.reason
        assert result.proof is not None
        assert result.proof.contracts or (program.name == "fact.c" and result.proof.unrolled)  # no call too many
    else:
        assert result.is_false, result.reason


@pytest.mark.parametrize("program", ["mccarthy.bpl"], indirect=True)
def test_contracts_are_shown(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(program), "--proof", str(program.with_suffix(".json"))]) == 0
    told = capsys.readouterr().out
    assert "proof: 1 contract, re-checked by" in told
    assert "M ensures: " in told
    assert f"proof written to {program.with_suffix('.json')}" in told


@pytest.mark.parametrize("program", ["global_result.bpl"], indirect=True)
def test_a_global_that_takes_a_result_has_the_result(program: Path) -> None:
    """The clause behind the call assigns results after the callee's changes of globals."""
    whole = inline(load_program(Request((str(program),)))).program
    made = system_of(whole)
    calls = [clause for clause in made.system.clauses if len(clause.body) == 2]
    assert calls
    for clause in calls:
        summary = clause.body[1]
        assert clause.head is not None
        result = summary.arguments[len(summary.arguments) - 2]
        assert result in clause.head.arguments
        assert summary.arguments[-1] not in clause.head.arguments


# --- random recursive programs ----------------------------------------------------------------------------------------


class Dice:
    """Random Boogie programs of mutually recursive procedures with a global variable."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def term(self, names: list[str]) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.4:
            return rng.choice(names)
        if kind < 0.6:
            return str(rng.randint(-2, 3))
        return f"({rng.choice(names)} {rng.choice('+-')} {rng.choice([*names, '1', '2'])})"

    def condition(self, names: list[str]) -> str:
        rng = self.rng
        return f"{rng.choice(names)} {rng.choice(['<', '<=', '==', '!='])} {rng.choice([*names, '0', '1', '2', '3'])}"

    def body(self, names: list[str], count: int, depth: int = 0) -> str:
        return " ".join(self.statement(names, depth) for _ in range(count))

    def statement(self, names: list[str], depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            return f"{rng.choice(names)} := {self.term(names)};"
        if kind < 0.6:
            return f"call {rng.choice(names)} := {rng.choice('fg')}({self.term(names)}, {self.term(names)});"
        if kind < 0.85 and depth < 2:
            test = self.condition(names) if rng.random() < 0.8 else "*"
            then, other = (self.body(names, rng.randint(0, 2), depth + 1) for _ in range(2))
            return f"if ({test}) {{ {then} }} else {{ {other} }}"
        if kind < 0.93:
            return f"assert {self.condition(names)} || {self.condition(names)};"
        return f"havoc {rng.choice(names)};"

    def procedure(self, name: str) -> str:
        names = ["u", "r", "l"]
        inside = self.body(names, self.rng.randint(1, 3))
        return (
            f"procedure {name}(p: int, q: int) returns (r: int) modifies u; {{ var l: int; l := q; r := p;"
            f" if (p > 0) {{ {inside} call r := {self.rng.choice('fg')}(p - 1, l); }} }}\n"
        )

    def program(self) -> str:
        names = ["u", "a", "b"]
        start = f"a := {self.rng.randint(0, 3)}; b := 1; u := 0;"
        rest = f"{self.body(names, 3)} assert {self.condition(names)};"
        main = f"procedure main() modifies u; {{ var a, b: int; {start} {rest} }}"
        return "var u: int;\n" + self.procedure("f") + self.procedure("g") + main


@pytest.mark.parametrize("seed", range(8 * max(1, FUZZ)))
def test_contracts_agree_with_unrolled_programs(seed: int, tmp_path: Path) -> None:
    """What contracts prove has no error up to a depth; what they refute has one at the depth they say."""
    path = tmp_path / "random.bpl"
    path.write_text(Dice(seed).program())
    program = load_program(Request((str(path),)))
    programs = StagePrograms(prepare(program, inlining=Inlining.PAYING))
    answer, _ = by_contracts(programs, Context(Clock.lasting(30.0), None), None)
    if isinstance(answer, Unknown):
        return
    depth = min(8, max(1, answer.depth)) if isinstance(answer, ErrorWithin) else 3
    found = verify_program(unroll_recursion(program, depth), (Stage(engine="bounded(depth=40)"),), 30.0)
    assert not (isinstance(answer, Proved) and found.is_false)
    assert not (isinstance(answer, ErrorWithin) and found.is_true)


# --- what users see ---------------------------------------------------------------------------------------------------

_GUARDED = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int low;
unsigned char fill(int n) {
  int i;
  if (n <= 0) return 7;
  for (i = 0; i < n; i++) low = i;
  return fill(n - 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  low = 0;
  if (n > 10) return 0;
  if (fill(n) != 7 || low < 0) reach_error();
  return 0;
}
"""


def test_contracts_and_invariants_are_told_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, witness = tmp_path / "guarded.c", tmp_path / "witness.yml"
    path.write_text(_GUARDED)
    assert main(["verify", str(path), "--engine", "horn", "--witness", str(witness)]) == 0  # without quantifiers
    told = capsys.readouterr().out
    assert "1 contract and 1 loop invariant, re-checked by" in told
    assert "fill requires: " in told and "fill ensures: " in told
    assert "\\result == 7" in told or "\\result == (unsigned char)7" in told
    assert "low >= 0" in told and "::" not in told and "at entry" not in told
    assert "loop_invariant" in witness.read_text() and "function: fill" in witness.read_text()
