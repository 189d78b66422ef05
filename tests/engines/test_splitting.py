"""Splitting on small programs: proofs are checked by other solvers, counterexamples are executed,
and what slicing believes of cubes is compared with a solver of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, Safe, Unknown, Unsafe
from craton.engines.splitting import Splitting
from craton.engines.splitting.slicing import Slicer, affirms, denies, literals
from craton.engines.steps import make_steps
from craton.evidence.checker import find_flaw
from craton.frontends.boogie import load_boogie
from craton.frontends.c import load_c
from craton.logic import FALSE, TRUE, BitVec, Term, and_, bv, bvadd, bvmul, bvult, eq, not_, or_, var
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.inlining import inline
from craton.program.slicing import slice_for_errors
from craton.program.statements import Assign, Assume, Call, Havoc, Statement
from craton.smt import Unsat, make_solver
from craton.traces.execution import execution
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, Refiner, Refutation
from craton.traces.trace import Trace

PRELUDE = """
extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void check(int holds) { if (!holds) { reach_error(); abort(); } }
"""

SAFE_C = {
    "pairs": """
        unsigned x = 0, y = 0;
        while (__VERIFIER_nondet_int()) { x++; y++; }
        check(x == y);""",
    "bounded": """
        unsigned i = 0;
        while (i < 1000) i++;
        check(i == 1000);""",
    "nested": """
        unsigned n = __VERIFIER_nondet_uint(), inner = 0;
        for (unsigned i = 0; i < n; i++) {
            inner = 7;
            for (unsigned j = 0; j < n; j++) check(inner == 7);
        }""",
    "lock": """
        int held = 0;
        do {
            check(!held);
            held = 1;
            if (__VERIFIER_nondet_int()) { check(held); held = 0; }
        } while (!held);
        check(held);""",
    "array": """
        int a[4];
        for (int i = 0; i < 4; i++) a[i] = i;
        check(a[3] == 3);""",
    "pointer": """
        int x = 1, y = 2;
        int *p = __VERIFIER_nondet_int() ? &x : &y;
        *p = 3;
        check(x == 3 || y == 3);""",
    "odd": """
        unsigned x = 1;
        while (__VERIFIER_nondet_int()) x = x * x + 2 * x;
        check(x & 1);""",
    "lowest bit": """
        unsigned x = __VERIFIER_nondet_uint(), count = 0;
        while (x) { x &= x - 1; if (count < 33) count++; }
        check(!x && count <= 33);""",
    "saturated": """
        unsigned char c = 0;
        while (__VERIFIER_nondet_int()) if (c < 255) c++;
        check(c <= 255 && (unsigned char)(c + 1) == (c == 255 ? 0 : c + 1));""",
    "straight": """
        int x = __VERIFIER_nondet_int();
        if (x > 5) x = 5;
        if (x < -5) x = -5;
        check(x >= -5 && x <= 5);""",
    "no error": "return 0;",
}
UNSAFE_C = {
    "late": """
        unsigned i = 0;
        while (i < 5) i++;
        check(i != 5);""",
    "wraps": """
        unsigned char c = 250;
        while (__VERIFIER_nondet_int()) { c++; check(c != 0); }""",
    "array": """
        int a[3] = {0, 0, 0};
        unsigned i = __VERIFIER_nondet_uint();
        if (i < 3) { a[i] = 1; check(!a[2]); }""",
    "pointer": """
        int x = 1, y = 2;
        int *p = __VERIFIER_nondet_int() ? &x : &y;
        *p = 3;
        check(x == 3);""",
    "nested": """
        unsigned sum = 0;
        for (int i = 0; i < 2; i++) for (int j = 0; j < 1; j++) sum += i ^ j;
        check(sum != 1);""",
    "straight": "check(__VERIFIER_nondet_int() != 77);",
}
SAFE_BOOGIE = {
    "halves": """
        procedure main() {
          var x, y: int;
          x := 0; y := 0;
          while (*) { x := x + 2; y := y + 1; }
          assert x == 2 * y;
        }""",
    "counted down": """
        procedure main() {
          var n, i: int;
          havoc n; assume n >= 0;
          i := n;
          while (i > 0) { i := i - 1; }
          assert i == 0;
        }""",
    "map": """
        procedure main() {
          var m: [int]int; var k: int;
          m[0] := 5; havoc k; assume k != 0;
          while (*) { m[k] := m[k] + 1; }
          assert m[0] == 5;
        }""",
}
UNSAFE_BOOGIE = {
    "third round": """
        procedure main() {
          var x: int;
          x := 0;
          while (*) { x := x + 1; assert x != 3; }
        }""",
    "a gap": """
        procedure main() {
          var x: int;
          havoc x;
          if (x > 0) { x := x - 1; }
          assert x != 10;
        }""",
}

CHECKERS = ("bitwuzla", "cvc5")
REFINERS = ("default", "newton(it, sp, lv)", "newton(it, wp, lv)", "craig(z3)", "newton-or-craig")
SECONDS = 20.0


@pytest.fixture
def c_program(tmp_path: Path) -> Callable[[str], Program]:
    def load(body: str) -> Program:
        file = tmp_path / "program.c"
        file.write_text(f"{PRELUDE}\nint main(void) {{ {body} return 0; }}\n")
        return load_c([file])

    return load


def prepared(program: Program, blocks: int | None = None) -> Program:
    return encode_blocks(slice_for_errors(inline(program).program).program, blocks).program


def assert_safe(program: Program, expression: str = "default") -> None:
    verdict = Splitting(refiner(expression)).run(program, Budget(SECONDS))
    assert isinstance(verdict, Safe), verdict
    assert find_flaw(program, verdict.invariants, CHECKERS) is None


def assert_unsafe(program: Program, expression: str = "default") -> None:
    verdict = Splitting(refiner(expression)).run(program, Budget(SECONDS))
    assert isinstance(verdict, Unsafe), verdict
    assert verdict.trace.locations[0] == program.main.entry
    assert verdict.trace.locations[-1] in program.errors
    assert execution(verdict.trace, verdict.model) is not None


@pytest.mark.parametrize("name", SAFE_C)
def test_safe_c_programs_get_proofs(name: str, c_program: Callable[[str], Program]) -> None:
    assert_safe(prepared(c_program(SAFE_C[name])), "craig(z3)" if name == "bounded" else "default")


@pytest.mark.parametrize("name", UNSAFE_C)
def test_unsafe_c_programs_get_executions(name: str, c_program: Callable[[str], Program]) -> None:
    assert_unsafe(prepared(c_program(UNSAFE_C[name])))


@pytest.mark.parametrize("name", SAFE_BOOGIE)
def test_safe_boogie_programs_get_proofs(name: str) -> None:
    verdict = Splitting(refiner("default")).run(
        made := prepared(load_boogie(SAFE_BOOGIE[name]).program), Budget(SECONDS)
    )
    assert isinstance(verdict, Safe), verdict
    assert find_flaw(made, verdict.invariants, ("cvc5",)) is None


@pytest.mark.parametrize("name", UNSAFE_BOOGIE)
def test_unsafe_boogie_programs_get_executions(name: str) -> None:
    assert_unsafe(prepared(load_boogie(UNSAFE_BOOGIE[name]).program))


@pytest.mark.parametrize("expression", REFINERS)
def test_no_refiner_makes_a_verdict_wrong(expression: str, c_program: Callable[[str], Program]) -> None:
    """What one refiner cannot prove in a short time is unknown, and a proof is a proof whoever found its assertions."""
    for name in ("pairs", "lock", "odd", "pointer", "straight"):
        program = prepared(c_program(SAFE_C[name]))
        verdict = Splitting(refiner(expression)).run(program, Budget(3.0))
        assert not isinstance(verdict, Unsafe), name
        if isinstance(verdict, Safe):
            assert find_flaw(program, verdict.invariants, CHECKERS) is None, name
    for name in ("late", "pointer", "straight"):
        assert_unsafe(prepared(c_program(UNSAFE_C[name])), expression)


@pytest.mark.parametrize("name", ["lock", "straight", "pointer"])
def test_blocks_of_any_size_are_understood(name: str, c_program: Callable[[str], Program]) -> None:
    for blocks in (1, 3):
        assert_safe(prepared(c_program(SAFE_C[name]), blocks))


def test_other_solvers_can_slice(c_program: Callable[[str], Program]) -> None:
    program = prepared(c_program(SAFE_C["bounded"]))
    verdict = Splitting(refiner("craig(z3)"), solver="bitwuzla").run(program, Budget(SECONDS))
    assert isinstance(verdict, Safe), verdict
    assert find_flaw(program, verdict.invariants, ("cvc5", "z3")) is None


def test_a_solver_that_does_not_know_a_theory_leaves_the_edges() -> None:
    """bitwuzla has no integers: it can slice nothing, but what the refiner has shown is enough to find the error."""
    program = prepared(load_boogie(UNSAFE_BOOGIE["third round"]).program)
    verdict = Splitting(refiner("craig(z3)"), solver="bitwuzla").run(program, Budget(SECONDS))
    assert isinstance(verdict, Unsafe), verdict


def test_the_same_run_twice(c_program: Callable[[str], Program]) -> None:
    for name in ("nested", "lock", "odd"):
        program = prepared(c_program(SAFE_C[name]))
        budgets = Budget(SECONDS), Budget(SECONDS)
        first, second = (Splitting(refiner("default")).run(program, budget) for budget in budgets)
        assert isinstance(first, Safe) and first == second
        assert budgets[0].statistics.iterations == budgets[1].statistics.iterations > 0
        assert budgets[0].statistics.trace_lengths == budgets[1].statistics.trace_lengths


def test_a_run_leaves_its_figures(c_program: Callable[[str], Program]) -> None:
    budget = Budget(SECONDS)
    Splitting(refiner("default")).run(prepared(c_program(SAFE_C["lock"])), budget)
    statistics = budget.statistics
    assert statistics.iterations == len(statistics.trace_lengths) == sum(statistics.refutations.values()) > 0
    assert statistics.predicates > 0
    assert {"refinement", "splitting", "slicing"} <= statistics.purposes.keys()


# --- programs by hand -------------------------------------------------------------------------------------------------

X, Y = (var(name, BitVec(8)) for name in "xy")
ERROR = 9


def word(number: int) -> Term:
    return bv(number, 8)


def program(*edges: tuple[int, Statement, int]) -> Program:
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    main = Procedure("main", (), (), Location(0), Location(99), made)
    return Program("main", {"main": main}, (), {Location(ERROR): UNREACH})


def test_the_entry_may_be_a_loop_head() -> None:
    """Control comes back to where it began with arbitrary values, so nothing but true is invariant there."""
    safe = program(
        (0, Assign(X, word(1)), 1), (1, Assume(not_(eq(X, word(1)))), ERROR), (1, Assign(X, bvadd(X, word(1))), 0)
    )
    assert_safe(safe)
    verdict = Splitting(refiner("craig(z3)")).run(safe, Budget())
    assert isinstance(verdict, Safe) and verdict.invariants[Location(0)] is TRUE
    assert_unsafe(program((0, Assign(X, bvadd(X, word(1))), 0), (0, Assume(eq(X, word(7))), ERROR)))


def test_what_cannot_fail_any_more_stays_in_the_proof() -> None:
    """Location 5 leads to no error, but control gets there, and from there to 6."""
    made = program(
        (0, Assign(X, word(0)), 1),
        (1, Assign(X, bvadd(X, word(2))), 1),
        (1, Assume(eq(X, word(3))), ERROR),
        (1, Assume(eq(X, word(4))), 5),
        (5, Assign(Y, X), 6),
        (6, Assign(Y, bvadd(Y, word(1))), 6),
    )
    assert_safe(made, "craig(z3)")  # that x is even is in its interpolants


def test_errors_end_the_program() -> None:
    """What would follow an error is never reached when the error is not."""
    made = program((0, Assign(X, word(0)), 1), (1, Assume(eq(X, word(1))), ERROR), (ERROR, Havoc((X,)), 1))
    assert_safe(made)


def test_an_error_at_once() -> None:
    assert_unsafe(program((0, Assume(TRUE), ERROR)))
    assert_safe(program((0, Assume(FALSE), ERROR)))


def test_an_empty_budget_is_unknown() -> None:
    verdict = Splitting(refiner("craig(z3)")).run(program((0, Assume(TRUE), ERROR)), Budget(seconds=-1))
    assert verdict == Unknown("out of time after 0 iterations")


def test_calls_are_named() -> None:
    verdict = Splitting(refiner("craig(z3)")).run(program((0, Call("again", (), ()), ERROR)), Budget())
    assert verdict == Unknown("the call of again has not been inlined")


@dataclass(frozen=True)
class Says(Refiner):
    """A refiner that breaks its law: it says the same thing of every position."""

    assertion: Term
    name: str = "says"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return Refutation((self.assertion,) * (len(trace) + 1), self.name)


@pytest.mark.parametrize("assertion", [TRUE, eq(X, word(3))])
def test_assertions_that_split_nothing_end_the_run(assertion: Term) -> None:
    made = program((0, Havoc((X,)), 1), (1, Assign(X, bvadd(X, word(1))), 2), (2, Assume(bvult(X, word(9))), ERROR))
    verdict = Splitting(Says(assertion)).run(made, Budget(SECONDS))
    assert verdict == Unknown("no node of an error trace of 3 steps can be split any more")


# --- cubes ------------------------------------------------------------------------------------------------------------

SMALL, ZERO, SAME = bvult(X, word(5)), eq(X, word(0)), eq(X, Y)


def test_cubes_speak_of_conjunctions() -> None:
    assert literals(TRUE) == frozenset()
    assert literals(and_(SMALL, not_(or_(ZERO, SAME)))) == {SMALL, not_(ZERO), not_(SAME)}
    both = and_(SMALL, SAME)
    assert affirms(literals(both), both) and affirms(literals(both), TRUE) and not affirms(literals(SMALL), both)
    assert denies(frozenset((not_(SAME),)), both) and denies(literals(not_(both)), both)
    assert denies(frozenset(), FALSE) and not denies(literals(SMALL), both)


def test_slicing_agrees_with_another_solver() -> None:
    """All pairs of small cubes over several statements; asked twice, the second time answered from conflicts."""
    atoms = (SMALL, ZERO, SAME, eq(Y, word(3)))
    cubes = [frozenset((a, b)) for i, a in enumerate(atoms) for b in (*atoms[i + 1 :], *map(not_, atoms[i + 1 :]))]
    cubes += [frozenset((not_(a),)) for a in atoms]
    statements: list[Statement] = [
        Assign(X, bvadd(X, word(1))),
        Assign(Y, bvmul(X, word(2))),
        Assume(bvult(Y, X)),
        Havoc((X,)),
        Assign(X, Y),
    ]
    slicer, judge = Slicer("z3", Budget()), make_solver("bitwuzla")
    for statement in statements:
        (step,) = make_steps([Edge(Location(0), statement, Location(1))])
        for before in cubes:
            for after in cubes:
                possible = judge.check(*before, step.update.guard, *(step.before(literal) for literal in after))
                feasible = not isinstance(possible, Unsat)
                assert slicer.is_feasible(before, step, after) == feasible
                if not feasible:
                    assert slicer.is_known_infeasible(before, step, after)
                else:
                    assert not slicer.is_known_infeasible(before, step, after)
