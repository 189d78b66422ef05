"""States told apart: programs whose errors depend on them, and runs of random programs as the oracle."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from craton.program.analysis.blind_reachability import fails_blindly
from craton.program.analysis.blind_search import Unknowns, Wild
from craton.program.analysis.blind_states import reaches, told_apart_to_exclude
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from support.c_texts import loaded

HEAD = """
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
static int held = 0; static int state = 0; static int memory[4];
static void lock(void) { if (held) reach_error(); held = 1; }
static void unlock(void) { if (!held) reach_error(); held = 0; }
static int try(void) { if (__VERIFIER_nondet_int()) return 0; lock(); return 1; }
"""


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { while (__VERIFIER_nondet_int()) { lock(); unlock(); } }",
        "int main(void) { while (__VERIFIER_nondet_int()) { if (try()) unlock(); } }",
        "static void work(int n) { if (memory[n & 3]) { unlock(); lock(); } }"
        "int main(void) { lock(); work(1); work(2); unlock(); return 0; }",
        "static void down(int n) { if (n) { unlock(); lock(); down(n - 1); } }"
        "int main(void) { lock(); down(__VERIFIER_nondet_int()); unlock(); return 0; }",
        "int main(void) { int mine = 0; while (__VERIFIER_nondet_int()) {"
        " if (!mine && try()) mine = 1; if (mine && memory[1]) { unlock(); mine = 0; } } }",
        "static void go(int n) { if (n == 2 && state == 0) reach_error(); }"
        "int main(void) { go(1); state = 1; go(2); state = 0; go(1); return 0; }",
        "int main(void) { while (1) switch (state) {"
        " case 0: lock(); state = 1; break; case 1: unlock(); state = 2; break; case 2: state = 0; break;"
        " default: reach_error(); } }",
    ],
)
def test_states_that_do_not_lie_in_memory_are_told_apart(text: str, tmp_path: Path) -> None:
    program = loaded(HEAD + text, tmp_path)
    assert not reaches(program, program.errors)


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { lock(); if (__VERIFIER_nondet_int()) unlock(); lock(); return 0; }",
        "int main(void) { if (try()) { unlock(); } else unlock(); return 0; }",
        "static void down(int n) { if (n) { unlock(); down(n - 1); } }"
        "int main(void) { lock(); down(__VERIFIER_nondet_int()); return 0; }",
        "int main(void) { memory[0] = 1; if (memory[0] == 2) lock(); unlock(); return 0; }",
        "int main(void) { int i; for (i = 0; i < 100; i++) memory[i & 3] = i; if (i == 100) unlock(); return 0; }",
        "int main(void) { state = __VERIFIER_nondet_int(); if (state == 7) unlock(); return 0; }",
    ],
)
def test_errors_that_there_are_are_reached(text: str, tmp_path: Path) -> None:
    program = loaded(HEAD + text, tmp_path)
    assert reaches(program, program.errors)


def test_behind_a_gap_anybody_may_be_called(tmp_path: Path) -> None:
    program = loaded(
        HEAD + "static void open(void) { state = 1; } static void shut(void) { state = 0; }"
        "int main(void) { lock(); if (memory[0]) { open(); shut(); } unlock(); if (state) reach_error(); return 0; }",
        tmp_path,
    )
    assert not reaches(program, program.errors)
    gap = next(edge.source for edge in program.main.edges if "lock" in str(edge.statement))
    for names, fails in ((("open",), True), (("shut",), False), (("shut", "open"), True), ((), False)):
        unknowns = Unknowns({gap}, {gap: Wild(names)})
        assert reaches(program, program.errors, unknowns) is fails
        assert not reaches(program, program.errors, Unknowns((), unknowns.wild))  # memory is known there


def _statement(draw: random.Random, depth: int, callees: list[str]) -> str:
    shared = f"g{draw.randrange(3)}"
    condition = draw.choice(
        [f"g{draw.randrange(3)} == {draw.randrange(3)}", "!g0", "x", "x == 1", "a == 2", "cells[x & 3]", "nondet()"]
    )
    plain = ["set", "set", "local", "cell", "step", "check", "check", "call", "call", "call"]
    match draw.choice([*plain, "branch", "loop", "return"] if depth else plain):
        case "set":
            return f"{shared} = {draw.choice(['0', '1', '2', 'x', 'a', 'cells[1]', 'g0'])};"
        case "local":
            return f"x = {draw.choice(['0', '1', 'nondet()', shared, 'a', 'x + 1'])};"
        case "cell":
            return f"cells[{draw.randrange(4)}] = {draw.choice(['1', 'x', shared])};"
        case "step":
            return f"{shared}{draw.choice(['++', '--'])};"
        case "check":
            return f"if ({draw.choice([condition, '1'])} && {shared} == {draw.randrange(3)}) reach_error();"
        case "call" if callees:
            return f"{draw.choice(['x = ', shared + ' = ', ''])}{draw.choice(callees)}({draw.choice(['x', '1', '2'])});"
        case "branch":
            then, other = (_block(draw, depth - 1, callees) for _ in range(2))
            return f"if ({condition}) {then} else {other}"
        case "loop":
            return f"while ({condition}) {{ if (nondet()) break; {_block(draw, depth - 1, callees)} }}"
        case "return":
            return f"if ({condition}) return {draw.choice(['0', '1', 'x'])};"
    return ";"


def _block(draw: random.Random, depth: int, callees: list[str]) -> str:
    return "{ " + " ".join(_statement(draw, depth, callees) for _ in range(draw.randint(2, 6))) + " }"


def _program(seed: int) -> str:
    draw = random.Random(seed)
    text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n"
    text += "static int nondet(void) { return __VERIFIER_nondet_int(); }\nstatic int g0, g1, g2, cells[4];\n"
    names = [f"f{i}" for i in range(3)]
    text += "".join(f"static int {name}(int a);\n" for name in names)
    for i, name in enumerate(names):
        callees = names if draw.random() < 0.2 else names[:i]
        text += f"static int {name}(int a) {{ int x = 0; {_block(draw, 2, callees)} return x; }}\n"
    return text + f"int main(void) {{ int x = 0, a = 1; {_block(draw, 3, names)} return 0; }}\n"


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_what_runs_reach_is_reached(first: int, tmp_path: Path) -> None:
    """Of ten programs each; some of them fail, and of some that have errors it is shown that they do not."""
    failing = refuted = 0
    for seed in range(first, first + 10):
        text = _program(seed)
        program = loaded(text, tmp_path)
        fails, reached = _fails(program), reaches(program, program.errors)
        assert reached or not fails, text
        assert fails_blindly(program) or not fails, text
        with_all = told_apart_to_exclude(program, program.errors, Unknowns(), frozenset(program.globals))
        assert with_all is None or not fails, text
        failing += fails
        refuted += bool(program.errors) and not reached
    assert failing and refuted


def _fails(program: Program) -> bool:
    interpreter = Interpreter(program)
    runs = (interpreter.run(seed=inputs, only_inputs=True, step_limit=2_000) for inputs in range(25))
    return any(isinstance(run.outcome, ReachedError) for run in runs)
