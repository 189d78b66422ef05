"""Predicate analysis on small programs, with every value of every option. The judges are others: safe answers are
proofs that another solver accepts, the models of unsafe ones satisfy their traces.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown, Unsafe
from craton.engines.predicate import Abstracting, Kind, Laziness, PredicateAnalysis, Search, Sharing
from craton.frontends.boogie import load_boogie
from craton.frontends.c import load_c
from craton.logic import FALSE, TRUE, BitVec, Term, and_, bv, bvadd, bvult, eq, not_, satisfies, var
from craton.program.blocks import BlockSize, encode_blocks
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.inlining import inline
from craton.program.statements import Assign, Assume
from craton.program.transitions import transition
from craton.smt import make_solver
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, GaveUp, Refiner, Refutation, hoare_triple
from craton.traces.trace import Trace

C_HEAD = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
"""

SAFE_C = {
    "lock": """
        int main(void) {
            int lock = 0, old, new = __VERIFIER_nondet_int();
            do {
                if (lock != 0) reach_error();
                lock = 1; old = new;
                if (__VERIFIER_nondet_int()) { lock = 0; new++; }
            } while (new != old);
            if (lock == 0) reach_error();
            return 0;
        }""",
    "states": """
        static int next(int s) { return s == 1 ? 2 : s == 2 ? 3 : 1; }
        int main(void) {
            int state = 1, seen = 0;
            while (__VERIFIER_nondet_int()) {
                if (state == 3) seen = 1;
                state = next(state);
                if (state < 1 || state > 3) reach_error();
                if (state == 2 && seen == 2) reach_error();
            }
            return 0;
        }""",
    "bounded": """
        int main(void) {
            unsigned x = 0;
            while (x < 1000) x++;
            if (x > 1000) reach_error();
            return 0;
        }""",
    "parity": """
        int main(void) {
            unsigned x = 0;
            while (__VERIFIER_nondet_int()) x += 2;
            if (x & 1) reach_error();
            return 0;
        }""",
    "array": """
        int main(void) {
            int a[4]; unsigned i = __VERIFIER_nondet_uint();
            if (i >= 4) return 0;
            a[i] = 7;
            while (__VERIFIER_nondet_int()) if (a[i] != 7) reach_error();
            return 0;
        }""",
    "unreachable": "int main(void) { int x = 1; if (x == 2) reach_error(); return 0; }",
    "no error": "int main(void) { return 0; }",
}
UNSAFE_C = {
    "off by one": """
        int main(void) {
            int n = __VERIFIER_nondet_int(), i = 0;
            if (n < 1 || n > 3) return 0;
            while (i <= n) i++;
            if (i != n) reach_error();
            return 0;
        }""",
    "third round": """
        int main(void) {
            int x = 0;
            while (__VERIFIER_nondet_int()) { x++; if (x == 3) reach_error(); }
            return 0;
        }""",
    "overflow": """
        int main(void) {
            unsigned x = __VERIFIER_nondet_uint();
            if (x + 1 == 0) reach_error();
            return 0;
        }""",
}
SAFE_BOOGIE = """
procedure main() {
    var x, y : int;
    var a : [int]int;
    x := 0; y := 0; a[0] := 5;
    while (*) { x := x + 1; y := y + 1; a[x] := 6; }
    assert x == y;
    assert a[0] == 5 || x < 0;
}
"""
UNSAFE_BOOGIE = "procedure main() { var x : int; x := 0; while (x < 2) { x := x + 1; } assert x == 3; }"

REFINER = "fallback(craig(z3), newton(it, sp, lv))"  # no preset: those change
OPTIONS: dict[str, PredicateAnalysis] = {}
BASE = PredicateAnalysis(
    refiner(REFINER), "z3", None, Abstracting.BOOLEAN, Sharing.LOCATION, Laziness.LAZY, Kind.ATOMS, Search.BFS
)
for abstraction, kind in itertools.product(Abstracting, Kind):
    OPTIONS[f"{abstraction.value} {kind.value}"] = replace(BASE, abstraction=abstraction, predicates=kind)
OPTIONS |= {sharing.value: replace(BASE, sharing=sharing) for sharing in Sharing}
OPTIONS |= {refinement.value: replace(BASE, refinement=refinement) for refinement in Laziness}
OPTIONS |= {search.value: replace(BASE, search=search) for search in Search}
OPTIONS |= {
    "default": PredicateAnalysis(BASE.refiner),
    "straight": replace(BASE, blocks=1, abstraction=Abstracting.MIXED),
}
OPTIONS |= {"sbe": replace(BASE, blocks=1), "bitwuzla": replace(BASE, solver="bitwuzla")}
OPTIONS |= {"all other": PredicateAnalysis(
    BASE.refiner, "z3", 1, Abstracting.CARTESIAN, Sharing.GLOBAL, Laziness.RESTART, Kind.WHOLE, Search.DFS
)}  # fmt: skip


def c_program(text: str, tmp_path: Path, blocks: BlockSize = None) -> Program:
    file = tmp_path / "program.c"
    file.write_text(C_HEAD + text)
    program = inline(load_c([file])).program
    return encode_blocks(program, blocks).program


def boogie_program(text: str, tmp_path: Path) -> Program:
    file = tmp_path / "program.bpl"
    file.write_text(text)
    return encode_blocks(inline(load_boogie(file).program).program).program


def run(engine: PredicateAnalysis, program: Program) -> EngineAnswer:
    """With a new refiner: those that remember traces do so for one program."""
    return replace(engine, refiner=refiner(REFINER)).run(program, Budget(seconds=60))


def assert_proof(verdict: EngineAnswer, program: Program, checker: str = "cvc5") -> None:
    assert isinstance(verdict, Safe), verdict
    solver = make_solver(checker)
    assert solver.is_valid(verdict.invariants[program.main.entry])
    assert not verdict.invariants.keys() & program.errors.keys()
    for edge in program.main.edges:
        before = verdict.invariants.get(edge.source, FALSE)
        after = verdict.invariants.get(edge.target, FALSE)
        assert solver.is_valid(hoare_triple(before, transition(edge.statement), after)), str(edge)


def assert_counterexample(verdict: EngineAnswer, program: Program) -> None:
    assert isinstance(verdict, Unsafe), verdict
    assert verdict.trace.locations[0] == program.main.entry
    assert verdict.trace.locations[-1] in program.errors
    assert all(edge in program.main.edges for edge in verdict.trace.edges)
    assert satisfies(verdict.model, and_(*verdict.trace.formula.by_step))


@pytest.mark.parametrize("name", SAFE_C)
def test_safe_c_programs_get_inductive_invariants(name: str, tmp_path: Path) -> None:
    program = c_program(SAFE_C[name], tmp_path)
    assert_proof(run(BASE, program), program, "bitwuzla")


@pytest.mark.parametrize("name", UNSAFE_C)
def test_unsafe_c_programs_get_traces_with_models(name: str, tmp_path: Path) -> None:
    program = c_program(UNSAFE_C[name], tmp_path)
    assert_counterexample(run(BASE, program), program)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_on_programs_of_both_kinds(option: str, tmp_path: Path) -> None:
    engine = OPTIONS[option]
    for name in ("lock", "states"):
        program = c_program(SAFE_C[name], tmp_path, engine.blocks)
        assert_proof(run(engine, program), program, "bitwuzla")
    program = c_program(UNSAFE_C["third round"], tmp_path, engine.blocks)
    assert_counterexample(run(engine, program), program)


@pytest.mark.parametrize("option", [name for name, engine in OPTIONS.items() if engine.solver == "z3"])
def test_every_option_on_boogie_programs(option: str, tmp_path: Path) -> None:
    program = boogie_program(SAFE_BOOGIE, tmp_path)
    assert_proof(run(OPTIONS[option], program), program)
    program = boogie_program(UNSAFE_BOOGIE, tmp_path)
    assert_counterexample(run(OPTIONS[option], program), program)


@pytest.mark.parametrize("option", OPTIONS)
def test_two_runs_are_the_same(option: str, tmp_path: Path) -> None:
    engine = OPTIONS[option]
    program = c_program(SAFE_C["lock"], tmp_path, engine.blocks)
    outcomes = []
    for _ in range(2):
        budget = Budget()
        verdict = replace(engine, refiner=refiner(REFINER)).run(program, budget)
        assert isinstance(verdict, Safe)
        statistics = budget.statistics
        figures = (statistics.iterations, statistics.predicates, statistics.states, statistics.trace_lengths)
        outcomes.append((dict(verdict.invariants), figures))
    assert outcomes[0] == outcomes[1]


# --- what lies on the way ---------------------------------------------------------------------------------------------

X, Y = var("x", BitVec(8)), var("y", BitVec(8))
ERROR = Location(9)


def small_program(*edges: tuple[int, Assign | Assume, int]) -> Program:
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    main = Procedure("main", (), (), Location(0), Location(99), made)
    return Program("main", {"main": main}, (), {ERROR: UNREACH})


COUNTING = small_program(
    (0, Assign(X, bv(0, 8)), 1),
    (1, Assume(bvult(X, bv(10, 8))), 2),
    (2, Assign(X, bvadd(X, bv(1, 8))), 1),
    (1, Assume(not_(bvult(X, bv(11, 8)))), 9),
)


class Saying(Refiner):
    """A refiner that always says the same of a location, and counts the questions."""

    name = "saying"

    def __init__(self, said: Mapping[Location, Term]) -> None:
        self.said = said
        self.asked = 0

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        self.asked += 1
        if not self.said:
            return GaveUp("nothing to say")
        inner = [self.said[location] for location in trace.locations[1:-1]]
        return Refutation((TRUE, *inner, FALSE), by=self.name)


def test_a_refiner_that_gives_up_is_the_reason() -> None:
    verdict = PredicateAnalysis(Saying({})).run(COUNTING, Budget())
    assert verdict == Unknown("no refutation of an error trace of 2 steps: nothing to say")


@pytest.mark.parametrize("refinement", Laziness)
def test_refutations_that_refute_nothing_come_to_an_end(refinement: Laziness) -> None:
    useless = Saying(dict.fromkeys(COUNTING.main.locations, bvult(Y, bv(3, 8))))
    verdict = PredicateAnalysis(useless, refinement=refinement).run(COUNTING, Budget(seconds=60))
    assert isinstance(verdict, Unknown)
    assert "cannot follow" in verdict.reason
    assert 1 < useless.asked < 10


def test_good_assertions_are_enough() -> None:
    good = Saying({Location(1): bvult(X, bv(11, 8)), Location(2): bvult(X, bv(10, 8))})
    budget = Budget()
    assert_proof(PredicateAnalysis(good).run(COUNTING, budget), COUNTING)
    assert good.asked == budget.statistics.iterations
    assert budget.statistics.purposes["abstraction"].calls > 0


def test_an_empty_budget_is_unknown() -> None:
    verdict = PredicateAnalysis(Saying({})).run(COUNTING, Budget(seconds=-1))
    assert verdict == Unknown("out of time after 0 iterations")


def test_locations_without_a_way_to_an_error_are_unconstrained() -> None:
    program = small_program(
        (0, Assume(eq(X, bv(0, 8))), 1),
        (1, Assume(eq(X, bv(1, 8))), 9),
        (0, Assign(Y, bv(0, 8)), 3),
        (3, Assign(Y, X), 3),
    )
    verdict = PredicateAnalysis(refiner("craig(z3)")).run(program, Budget())
    assert_proof(verdict, program)
    assert isinstance(verdict, Safe)
    assert verdict.invariants[Location(3)] is TRUE
