"""Value analysis on small programs: proofs are checked by solvers, which it does not ask, counterexamples executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown, Unsafe
from craton.engines.reachability.precision import Sharing
from craton.engines.value import Refining, ValueAnalysis
from craton.engines.value.domain import ValueStates
from craton.evidence.checker import find_flaw
from craton.frontends.c import load_c
from craton.logic import INT, TRUE, and_, eq, int_, or_, var
from craton.program.blocks import CHAINS, encode_blocks
from craton.program.cfa import Program
from craton.program.preparation import prepare
from craton.traces.execution import execution
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, Refiner, Refutation
from craton.traces.trace import Trace
from craton.traces.values import Values

PRELUDE = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
void check(int holds) { if (!holds) reach_error(); }
"""

SAFE = {
    "lock": """
        int lock = 0, state = 0;
        while (__VERIFIER_nondet_int()) {
            if (state == 0) { check(!lock); lock = 1; state = 1; }
            else if (state == 1) state = 2;
            else { check(lock); lock = 0; state = 0; }
        }
        check(state != 0 || !lock);""",
    "counted": """
        int i = 0, sum = 0, n = __VERIFIER_nondet_int() ? 10 : 10;
        while (i < n) { sum = sum + i; i = i + 1; }
        check(sum == 45);""",
    "flag": """
        int flag = 0, other = __VERIFIER_nondet_int();
        while (other > 0) { if (other == 77) flag = flag; other--; }
        check(flag == 0);""",
    "floats": """
        float x = 0.5f;
        while (__VERIFIER_nondet_int()) { if (x > 100.0f) x = 0.5f; x = x * 2.0f; }
        check(x < 300.0f);""",
    "no error": "return 0;",
}
UNSAFE = {
    "machine": """
        int state = 0;
        while (__VERIFIER_nondet_int()) { state = state + 1; if (state == 3) state = 0; check(state != 2); }""",
    "input": "check(__VERIFIER_nondet_int() != 77);",
    "counted": """
        int i = 0;
        while (i < 10) i++;
        check(i != 10);""",
}
BEYOND = """
    int x = __VERIFIER_nondet_int(), y = x;
    while (__VERIFIER_nondet_int()) { x++; y++; }
    check(x == y);"""

REFINERS = ("fallback(values, newton(it, sp, lv))", "newton(it, wp, lv)", "sliced(values, newton(it, sp, lv))")
ENGINES = {
    "chains": (CHAINS, Sharing.LOCATION, Refining.RESTART),
    "statements": (1, Sharing.GLOBAL, Refining.RESTART),
    "blocks": (None, Sharing.LOCATION, Refining.RESTART),
    "chains, lazily": (CHAINS, Sharing.LOCATION, Refining.LAZY),
    "statements, lazily": (1, Sharing.GLOBAL, Refining.LAZY),
}


def loaded(body: str, folder: Path) -> Program:
    file = folder / "program.c"
    file.write_text(f"{PRELUDE}int main(void) {{ {body} return 0; }}\n")
    return prepare(load_c([file])).whole


def run(program: Program, expression: str, engine: str = "chains") -> tuple[EngineAnswer, Program]:
    blocks, sharing, refinement = ENGINES[engine]
    seen = encode_blocks(program, blocks).program
    return ValueAnalysis(refiner(expression), blocks, sharing, refinement).run(seen, Budget(60.0)), seen


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", REFINERS)
@pytest.mark.parametrize("name", SAFE)
def test_safe_programs_get_proofs(name: str, expression: str, engine: str, tmp_path: Path) -> None:
    verdict, seen = run(loaded(SAFE[name], tmp_path), expression, engine)
    assert isinstance(verdict, Safe), verdict
    assert find_flaw(seen, verdict.invariants, ("bitwuzla", "z3")) is None


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", REFINERS)
@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_programs_get_executions(name: str, expression: str, engine: str, tmp_path: Path) -> None:
    verdict, _ = run(loaded(UNSAFE[name], tmp_path), expression, engine)
    assert isinstance(verdict, Unsafe), verdict
    assert execution(verdict.trace, verdict.model) is not None


@pytest.mark.parametrize("expression", REFINERS)
def test_what_values_cannot_say_is_unknown(expression: str, tmp_path: Path) -> None:
    verdict, _ = run(loaded(BEYOND, tmp_path), expression)
    assert isinstance(verdict, Unknown)
    assert "values cannot follow" in verdict.reason


@pytest.mark.parametrize("name", UNSAFE)
def test_values_alone_find_errors(name: str, tmp_path: Path) -> None:
    """[RS] 7: what values do not contradict, and a solver finds feasible, is FALSE."""
    verdict, _ = run(loaded(UNSAFE[name], tmp_path), "values")
    assert isinstance(verdict, Unsafe), verdict
    assert execution(verdict.trace, verdict.model) is not None


@pytest.mark.parametrize("name", [*SAFE, *UNSAFE])
def test_without_refinement(name: str, tmp_path: Path) -> None:
    """All values from the start: loops are unrolled as far as values are known."""
    program = encode_blocks(loaded({**SAFE, **UNSAFE}[name], tmp_path), CHAINS).program
    budget = Budget(10.0)
    verdict = ValueAnalysis(Useless(), refinement=Refining.EAGER).run(program, budget)
    assert budget.statistics.iterations == 0
    if isinstance(verdict, Safe):
        assert name in SAFE
        assert find_flaw(program, verdict.invariants, ("bitwuzla", "z3")) is None
    elif isinstance(verdict, Unsafe):
        assert name in UNSAFE
        assert execution(verdict.trace, verdict.model) is not None


def test_without_refinement_something_is_decided(tmp_path: Path) -> None:
    verdicts = []
    for bodies in (SAFE, UNSAFE):
        for body in bodies.values():
            program = encode_blocks(loaded(body, tmp_path), CHAINS).program
            verdicts.append(type(ValueAnalysis(Useless(), refinement=Refining.EAGER).run(program, Budget(10.0))))
    assert Safe in verdicts and Unsafe in verdicts


def test_out_of_time_is_unknown(tmp_path: Path) -> None:
    program = encode_blocks(loaded(SAFE["counted"], tmp_path), CHAINS).program
    verdict = ValueAnalysis(refiner("newton")).run(program, Budget(0.0))
    assert isinstance(verdict, Unknown)
    assert "out of time" in verdict.reason


class Useless(Refiner):
    """Refutes without saying why."""

    name = "useless"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return Refutation((*[TRUE] * len(trace), TRUE), self.name)


def test_a_refiner_that_says_nothing_does_not_make_it_go_round(tmp_path: Path) -> None:
    program = encode_blocks(loaded(SAFE["lock"], tmp_path), CHAINS).program
    verdict = ValueAnalysis(Useless()).run(program, Budget(60.0))
    assert isinstance(verdict, Unknown)


def test_only_what_is_asked_for_is_tracked(tmp_path: Path) -> None:
    """The counter of the loop has no part in the proof, and its values make no states."""
    program = encode_blocks(loaded(SAFE["flag"], tmp_path), CHAINS).program
    budget = Budget(60.0)
    verdict = ValueAnalysis(refiner("fallback(values, newton)")).run(program, budget)
    assert isinstance(verdict, Safe)
    assert budget.statistics.states < 20


def covered(states: ValueStates, known: Values) -> bool:
    """Whether the state is covered; otherwise it is added."""
    found = states.covers(known)
    if not found:
        states.add(known)
    return found


def test_states_cover_each_other() -> None:
    x, y = var("x", INT), var("y", INT)
    one, two = int_(1), int_(2)
    states = ValueStates()
    assert not covered(states, {x: one, y: one})
    assert covered(states, {x: one, y: one})
    assert not covered(states, {x: one, y: two})
    assert not covered(states, {x: two})
    assert covered(states, {x: two, y: one})
    assert states.formula() is or_(and_(eq(x, one), eq(y, one)), and_(eq(x, one), eq(y, two)), eq(x, two))
    assert not states.is_redundant({x: two})
    assert not covered(states, {})
    assert covered(states, {y: two})
    assert states.is_redundant({x: two})
    states.remove({})
    assert not covered(states, {y: two})


# Two loops one behind the other: what the second one needs is not known when the first one is unwound.
BEHIND = """
    int i = 0, lock = 0;
    while (i < 30) i++;
    while (__VERIFIER_nondet_int()) { check(!lock); lock = 1; check(i == 30); lock = 0; }"""


@pytest.mark.parametrize("sharing", Sharing)
def test_lazily_less_is_unwound(sharing: Sharing, tmp_path: Path) -> None:
    """[RS] 5: below the pivot the graph is unwound again, all else stays; [RS] 7: starting again unwinds everything."""
    program = encode_blocks(loaded(BEHIND, tmp_path), CHAINS).program
    unwound = {}
    for refinement in (Refining.LAZY, Refining.RESTART):
        budget = Budget(60.0)
        verdict = ValueAnalysis(refiner("values"), sharing=sharing, refinement=refinement).run(program, budget)
        assert isinstance(verdict, Safe), verdict
        assert find_flaw(program, verdict.invariants, ("bitwuzla", "z3")) is None
        unwound[refinement] = budget.statistics.unwound
    assert unwound[Refining.LAZY] < unwound[Refining.RESTART]
