"""Views of whole programs, generated and written by hand: step by step beside the bits, and the verdicts of solvers."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest

from cfuzz.features import FIRST
from cfuzz.generate import generate
from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, Safe
from craton.engines.trace_abstraction import TraceAbstraction
from craton.frontends.c import COptions, load_c
from craton.logic import FALSE, TRUE, and_, implies, substitute
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.inlining import inline
from craton.program.slicing import slice_for_errors
from craton.program.transitions import transition
from craton.smt import make_solver
from craton.smt.contract import Sat, Unsat
from craton.traces.paths import error_paths
from craton.traces.trace import Trace
from craton.views import integer_view
from craton.views.terms import Floats
from support import FUZZ
from support.patience import Group, record
from views.lockstep import Lockstep

HANDWRITTEN = {
    "wrap": """
        unsigned x = __VERIFIER_nondet_uint(), y = x + 1; int s = 2147483647; s = s + 1;
        if (y < x && x != 4294967295u) reach_error();
        if (s > 0) reach_error();
        unsigned char c = x; c += 200; if (c > 255) reach_error();
        short t = (short)(x * 3u); if ((int)t - t != 0) reach_error();""",
    "divisions": """
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        if (b != 0 && !(b == -1 && a < -2147483647)) { int q = a / b, r = a % b; if (q * b + r != a) reach_error();
        unsigned u = a, v = b; if (u / v * v + u % v != u) reach_error(); }""",
    "bits": """
        unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(); int n = y & 31, s = x;
        unsigned m = (x & 0xF0F0u) | 3, o = x | y, e = x ^ y, h = x << n, l = x >> n; int g = s >> n;
        if ((m & 12) != 0) reach_error(); if (o < x) reach_error(); if (e == 0 && x != y) reach_error();
        if (l > x) reach_error(); if (s < 0 && g >= 0) reach_error(); if (~x + x + 1 != 0) reach_error();""",
    "arrays": """
        int a[8]; char text[4] = "abc"; int sum = 0; unsigned i;
        for (i = 0; i < 8; i++) a[i] = (int)i - 4;
        for (i = 0; i < 8; i++) sum += a[i];
        int *p = a + 3; *p = -7; if (a[3] != -7 || sum != -4 || text[1] != 'b') reach_error();""",
    "floats": """
        int n = __VERIFIER_nondet_int(); float f = n; double d = f / 3.0, z = d * 3.0 - f; int back = 0;
        if (d > -1e6 && d < 1e6) back = (int)d; f = f + 1.0f; if (z > 1.0 || f != f) reach_error();
        if (back > 1000000) reach_error();""",
}


def program_of(text: str, folder: Path, model: str = "ILP32") -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return inline(load_c([path], options=COptions(model))).program


def handwritten(name: str, folder: Path) -> Program:
    head = """extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
    extern void reach_error(void);"""
    return program_of(f"{head} int main(void) {{ {HANDWRITTEN[name]} return 0; }}", folder)


@pytest.mark.parametrize("floats", ["exact", "real"])
@pytest.mark.parametrize("name", HANDWRITTEN)
def test_runs_of_the_program_are_runs_of_the_view(name: str, floats: Floats, tmp_path: Path) -> None:
    program = handwritten(name, tmp_path)
    view = integer_view(program, floats)
    for seed in range(20):
        assert Lockstep(program, view, Random(seed)).run(120).problems == []


@pytest.mark.parametrize("floats", ["exact", "real"])
@pytest.mark.parametrize("seed", range(max(8, FUZZ)))
def test_runs_of_generated_programs(seed: int, floats: Floats, tmp_path: Path) -> None:
    program = program_of(
        generate(seed, size=4, features=replace(FIRST, recursion=False, floats=bool(seed % 2))), tmp_path
    )
    if len(program.procedures) > 1:
        pytest.skip("recursive")
    for run in range(2):
        lockstep = Lockstep(program, integer_view(program, floats), Random(run)).run(150)
        assert lockstep.problems == []
        assert lockstep.exact > 0


# --- traces and proofs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("floats", ["exact", "real"])
@pytest.mark.parametrize("name", HANDWRITTEN)
def test_traces_feasible_in_bits_are_feasible_in_the_view(name: str, floats: Floats, tmp_path: Path) -> None:
    """And, along exact edges, the other way round."""
    program = slice_for_errors(handwritten(name, tmp_path)).program
    view = integer_view(program, floats)
    for trace in islice(error_paths(view.program, 1), 6):
        old = tuple(o for edge in trace.edges for o in view.transformed.original_edges(edge))
        assert all(a.target == b.source for a, b in pairwise(old))
        in_bits, in_view = feasible(Trace(old), "bitwuzla"), feasible(trace, "cvc5")
        assert not (in_bits is True and in_view is False), f"lost: {[str(e) for e in old]}"
        if view.is_exact(trace.edges):
            assert not (in_bits is False and in_view is True), f"gained: {[str(e) for e in old]}"


def feasible(trace: Trace, solver: str) -> bool | None:
    with make_solver(solver, time_limit=2.0) as s:
        s.add(*trace.formula.by_step)
        answer = s.check()
    record(Group.VIEWS, f"{solver} on {[str(edge) for edge in trace.edges]}", answer)
    return True if isinstance(answer, Sat) else False if isinstance(answer, Unsat) else None


SAFE = {
    "counting": "unsigned n = __VERIFIER_nondet_uint(), i = 0; while (i < n) i++; if (i != n) reach_error();",
    "signed": """int n = __VERIFIER_nondet_int(), i = 0, j = 0; if (n < 0) return 0;
        while (i < n) { i++; j++; } if (j != n) reach_error();""",
    "even": """unsigned char c = 0; while (__VERIFIER_nondet_int()) c += 2; if (c % 2) reach_error();""",
    "masks": """unsigned x = __VERIFIER_nondet_uint(), y = 0; while (__VERIFIER_nondet_int()) y = (y + x) & 15;
        if (y > 15) reach_error();""",
    "open": """unsigned x = __VERIFIER_nondet_uint(), y = 0; while (__VERIFIER_nondet_int()) y = (y ^ x) & x;
        if (y > x) reach_error();""",
}


@pytest.mark.parametrize("expression", [f"newton(core=half, minimise=1, wp, lv{late})" for late in ("", ", late")])
@pytest.mark.parametrize("name", SAFE)
def test_proofs_of_the_view_are_proofs_in_bits(name: str, expression: str, tmp_path: Path) -> None:
    """An engine's invariants over integers, translated, are inductive in the bit-precise program."""
    head = """extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
    extern void reach_error(void);"""
    program = slice_for_errors(program_of(f"{head} int main(void) {{ {SAFE[name]} return 0; }}", tmp_path)).program
    view = integer_view(program)
    engine = TraceAbstraction(refiner(expression))
    verdict = engine.run(encode_blocks(view.program).program, Budget(30.0))
    assert isinstance(verdict, Safe), verdict
    blocks = encode_blocks(program).program.main
    proof = {
        location: view.to_bits(verdict.invariants[location]) if location in verdict.invariants else FALSE
        for location in blocks.locations
    }
    assert proof[blocks.entry] is TRUE
    assert all(proof[location] is FALSE for location in program.errors if location in proof)
    for edge in blocks.edges:
        step = transition(edge.statement)
        after = substitute(proof[edge.target], dict(step.updates))
        with make_solver("bitwuzla", time_limit=20.0) as solver:
            assert solver.is_valid(implies(and_(proof[edge.source], step.guard), after)) is True, edge
