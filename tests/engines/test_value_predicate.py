"""Value and predicate analysis in one ([RS] 6): proofs are checked by solvers, counterexamples executed, and each
refutation refines the analysis that it is for.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, EngineAnswer, Safe, Statistics, Unknown, Unsafe
from craton.engines.predicate import Abstracting, Laziness, Sharing
from craton.engines.predicate.bdd import NO
from craton.engines.predicate.domain import PredicateDomain
from craton.engines.predicate.precision import Kind
from craton.engines.value_predicate import ProductStates, ValuePredicateAnalysis
from craton.evidence.checker import find_flaw
from craton.frontends.c import load_c
from craton.logic import INT, and_, eq, int_, lt, or_, var
from craton.program.blocks import CHAINS, BlockSize, encode_blocks
from craton.program.cfa import UNREACH, Location, Procedure, Program
from craton.program.preparation import prepare
from craton.traces.execution import execution

PRELUDE = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
void check(int holds) { if (!holds) reach_error(); }
"""

# [RS] Fig. 1: values can only track the counter of the loop, predicates the flag, too.
FIGURE_1 = """
    int b = __VERIFIER_nondet_int(), i = 0;
    if (b) {
        while (i < 12) i++;
        check(b != 0);
    }"""

SAFE = {
    "figure 1": FIGURE_1,
    "both": """
        int state = 0, x = __VERIFIER_nondet_int(), y = x;
        while (__VERIFIER_nondet_int()) {
            if (state == 0) { x = x ^ 5; state = 1; } else { y = y ^ 5; state = 0; }
        }
        check(state != 0 || x == y);""",
    "interval": """
        int n = __VERIFIER_nondet_int(), lock = 0;
        if (n < 0 || n > 1000) return 0;
        while (n > 0) { check(!lock); lock = 1; n--; lock = 0; }
        check(n == 0);""",
    "no error": "return 0;",
}
UNSAFE = {
    "machine": """
        int state = 0;
        while (__VERIFIER_nondet_int()) { state = state + 1; if (state == 3) state = 0; check(state != 2); }""",
    "input": "int x = __VERIFIER_nondet_int(); if (x > 10) check(x != 77);",
}

# [RS] Table 3, rows 2 to 4, with Newton for interpolation, which is slow in bits.
FIRST_VALUES = "fallback(values, newton(it, sp, lv))"
SELECTING_WITHIN = "fallback(sliced(values), sliced(newton(it, sp, lv)))"
SELECTING_BETWEEN = "sliced(values, newton(it, sp, lv))"
REFINERS = (FIRST_VALUES, SELECTING_WITHIN, SELECTING_BETWEEN, "newton(it, wp, lv)")

PLAIN = ValuePredicateAnalysis(refiner(FIRST_VALUES))
ENGINES = {
    "lazy": PLAIN,
    "as in the paper": replace(PLAIN, blocks=1, refinement=Laziness.RESTART, sharing=Sharing.GLOBAL),
    "blocks": replace(PLAIN, blocks=None, abstraction=Abstracting.CARTESIAN),
}


def loaded(body: str, folder: Path, blocks: BlockSize = CHAINS) -> Program:
    file = folder / "program.c"
    file.write_text(f"{PRELUDE}int main(void) {{ {body} return 0; }}\n")
    return encode_blocks(prepare(load_c([file])).whole, blocks).program


def run(body: str, folder: Path, expression: str, engine: str = "lazy") -> tuple[EngineAnswer, Program, Statistics]:
    chosen = replace(ENGINES[engine], refiner=refiner(expression))
    seen = loaded(body, folder, chosen.blocks)
    budget = Budget(60.0)
    return chosen.run(seen, budget), seen, budget.statistics


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", REFINERS)
@pytest.mark.parametrize("name", SAFE)
def test_safe_programs_get_proofs(name: str, expression: str, engine: str, tmp_path: Path) -> None:
    verdict, seen, _ = run(SAFE[name], tmp_path, expression, engine)
    assert isinstance(verdict, Safe), verdict
    assert find_flaw(seen, verdict.invariants, ("bitwuzla", "cvc5")) is None


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", [*REFINERS, "values"])
@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_programs_get_executions(name: str, expression: str, engine: str, tmp_path: Path) -> None:
    verdict, _, _ = run(UNSAFE[name], tmp_path, expression, engine)
    assert isinstance(verdict, Unsafe), verdict
    assert execution(verdict.trace, verdict.model) is not None


def test_selection_between_the_analyses_does_not_unroll_the_loop(tmp_path: Path) -> None:
    """[RS] 1 and 6: who always asks values first tracks the counter, and with it every round of the loop."""
    verdicts = {}
    for expression in (FIRST_VALUES, SELECTING_WITHIN, SELECTING_BETWEEN):
        verdict, _, statistics = run(FIGURE_1, tmp_path, expression, "as in the paper")
        assert isinstance(verdict, Safe)
        verdicts[expression] = statistics
    assert verdicts[FIRST_VALUES].states > 36 < verdicts[SELECTING_WITHIN].states
    assert verdicts[SELECTING_BETWEEN].states < 18
    assert verdicts[FIRST_VALUES].analyses["value"] and verdicts[SELECTING_WITHIN].analyses["value"]
    assert verdicts[SELECTING_BETWEEN].analyses == {"predicate": 1}


def test_both_analyses_take_part_in_a_proof(tmp_path: Path) -> None:
    _, _, statistics = run(SAFE["both"], tmp_path, SELECTING_BETWEEN)
    assert statistics.analyses["value"] and statistics.analyses["predicate"]


@pytest.mark.parametrize("seed", range(1, 4))
def test_whatever_chance_selects_is_a_proof(seed: int, tmp_path: Path) -> None:
    verdict, seen, _ = run(SAFE["both"], tmp_path, f"sliced(values, newton(it, sp, lv), random={seed})")
    assert isinstance(verdict, Safe) and find_flaw(seen, verdict.invariants, ("bitwuzla", "cvc5")) is None


def test_what_values_cannot_follow_is_for_predicates(tmp_path: Path) -> None:
    """Inside of a block that branches values are lost; the same assertions are predicates there."""
    body = "int x = 0; if (__VERIFIER_nondet_int()) x = 1; else x = 1; while (__VERIFIER_nondet_int()); check(x == 1);"
    refiner_ = "sliced(values, newton(it, sp, lv), short, level=edge)"
    verdict, seen, _ = run(body, tmp_path, refiner_, "blocks")
    assert isinstance(verdict, Safe), verdict
    assert find_flaw(seen, verdict.invariants, ("bitwuzla", "cvc5")) is None


def test_out_of_time_is_unknown(tmp_path: Path) -> None:
    verdict = PLAIN.run(loaded(FIGURE_1, tmp_path), Budget(0.0))
    assert isinstance(verdict, Unknown) and "out of time" in verdict.reason


def test_states_cover_each_other() -> None:
    x, y = var("x", INT), var("y", INT)
    one, two = {x: int_(1)}, {x: int_(2)}
    main = Procedure("main", (), (), Location(0), Location(1), ())
    program = Program("main", {"main": main}, (), {Location(1): UNREACH})
    domain = PredicateDomain("z3", Abstracting.BOOLEAN, Sharing.GLOBAL, Kind.ATOMS, program, Budget())
    small = domain.bdds.variable(domain.predicates.level(lt(y, int_(9))))
    large, any_ = domain.bdds.negation(small), domain.start[0]
    states = ProductStates(domain)
    assert states.formula() is or_()
    states.add((one, small))
    assert states.covers((one, small)) and not states.covers((one, large)) and not states.covers((two, small))
    assert not states.is_redundant((one, small))
    states.add(({}, large))
    assert states.covers((one, any_)), "by both together"
    assert states.covers((two, large)) and not states.covers((two, any_))
    assert states.formula() is or_(and_(eq(x, int_(1)), lt(y, int_(9))), domain.predicates.formula(large))
    states.add(({}, small))
    assert states.is_redundant((one, small)) and not states.is_redundant(({}, small))
    states.remove(({}, large))
    assert not states.covers((one, large)) and states.covers((one, NO))
