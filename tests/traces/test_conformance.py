"""Every refiner × every capable solver × the catalogue: an answer is `GaveUp` or obeys the law.

Solvers judge that had no part in the answer. The whole product takes half an hour of processor time; an ordinary run
takes every variant with its usual settings over the whole catalogue, and a fixed sample of the rest. CRATON_FUZZ=1 runs
all of it. Floors notice a refiner that silently gives up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest

from craton.configuration.refiners import PRESETS, refiner
from craton.errors import MissingCapability
from craton.logic import and_, satisfies
from craton.smt import make_solver
from craton.traces.cores import Granularity
from craton.traces.craig import Craig
from craton.traces.levels import Level
from craton.traces.newton import Direction, Newton, Quantifiers
from craton.traces.refutation import Feasible, GaveUp, Refiner
from support import FUZZ
from support.executor import Replay
from support.judge import Tally
from support.newtons import IT_SP_LV
from support.patience import Group, record
from support.sampling import has_turn, sample
from support.traces import FEASIBLE, INFEASIBLE, Example

EXAMPLES = tuple(INFEASIBLE.values())
WITH_BLOCKS = tuple(example for example in EXAMPLES if example.has_blocks)
SOLVERS = ("z3", "bitwuzla", "cvc5")
TIME_LIMIT = 3.0

VARIANTS = [
    Newton(core, direction, live, time_limit=TIME_LIMIT)
    for direction, core, live in product(Direction, (None, *Granularity), (False, True))
]
SETTINGS = [s for s in product(SOLVERS, Quantifiers, (False, True)) if s != ("z3", Quantifiers.LIGHT, False)]

_ONE_IN = 1 if FUZZ else 29
_FLOATS_ONE_IN = 1 if FUZZ else 6  # z3 is slow with floats


def configured(variant: Newton, solver: str, quantifiers: Quantifiers, drop: bool) -> Newton:
    return replace(variant, quantifiers=quantifiers, drop=drop, solver=solver, time_limit=TIME_LIMIT)


def understands(solver: str, example: Example) -> bool:
    """All parts of the trace: a conjunction may be plainly false."""
    try:
        for part in example.trace.formula.parts:
            make_solver(solver).fragment.require(solver, part.formula, set())
    except MissingCapability:
        return False
    return True


def run(refiner: Refiner, solver: str, examples: Iterable[Example], tally: Tally) -> None:
    for example in examples:
        answer = refiner.refute(example.trace)
        tally.judge(f"{refiner.name} on {example}", example.trace, answer, solver)


def conclude(tally: Tally, least: float) -> None:
    """No wrong answer, at least this share answered in time, and most of that confirmed by solvers without a part."""
    assert not tally.wrong, "\n".join(tally.wrong)
    answered, given_up = tally.counts["answered"], tally.counts["gave up"]
    assert answered >= max(1, least * (answered + given_up)), tally.counts
    assert tally.counts["own word only"] + tally.counts["undecided"] <= 4 + 0.2 * answered, tally.counts


# --- infeasible traces ------------------------------------------------------------------------------------------------


def test_the_catalogue_is_large_enough() -> None:
    assert len(EXAMPLES) >= 60
    assert len(FEASIBLE) >= 10
    assert len(WITH_BLOCKS) >= 10
    assert sum(example.theory == "c" for example in EXAMPLES) >= 10


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_newton(variant: Newton) -> None:
    tally = Tally()
    run(variant, "z3", [e for e in EXAMPLES if e.theory != "float" or has_turn(_FLOATS_ONE_IN, variant.name, e)], tally)
    conclude(tally, least=0.97)


@pytest.mark.parametrize(
    ("solver", "quantifiers", "drop"),
    SETTINGS,
    ids=[f"{solver}, {quantifiers.value}, {'drop' if drop else 'keep'}" for solver, quantifiers, drop in SETTINGS],
)
def test_newton_by_settings(solver: str, quantifiers: Quantifiers, drop: bool) -> None:
    tally = Tally()
    understood = [example for example in EXAMPLES if understands(solver, example)]
    for variant in VARIANTS:
        newton = configured(variant, solver, quantifiers, drop)
        run(newton, solver, [e for e in understood if has_turn(_ONE_IN, newton.name, e)], tally)
    conclude(tally, least=0.4 if drop else 0.9)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_newton_at_edge_level(variant: Newton) -> None:
    tally = Tally()
    run(replace(variant, level=Level.EDGE), "z3", WITH_BLOCKS, tally)
    conclude(tally, least=0.9)


@pytest.mark.parametrize("core", [None, *Granularity], ids=["whole", "statements", "conjuncts", "halves"])
@pytest.mark.parametrize(("solver", "least"), [("z3", 0.75), ("bitwuzla", 0.55), ("cvc5", 0.6)])
def test_craig(solver: str, least: float, core: Granularity | None) -> None:
    """z3 interpolates few floats, bitwuzla none; cvc5 searches, and takes its time."""
    tally = Tally()
    understood = [example for example in EXAMPLES if understands(solver, example)]
    craig = Craig(solver, core, TIME_LIMIT)
    run(craig, solver, sample(understood, 1 if FUZZ else 2 if solver == "bitwuzla" else 7, craig.name), tally)
    conclude(tally, least)


@pytest.mark.parametrize("core", [None, *Granularity], ids=["whole", "statements", "conjuncts", "halves"])
def test_craig_by_farkas(core: Granularity | None) -> None:
    """Half of the catalogue is linear, in numbers or in bits; all solvers judge that had no part in the core."""
    tally = Tally()
    run(Craig("farkas", core, TIME_LIMIT), "z3", [example for example in EXAMPLES if example.theory != "float"], tally)
    conclude(tally, least=0.5)
    numbers = [example for example in EXAMPLES if example.theory in ("int", "real", "bool")]
    tally = Tally()
    run(Craig("farkas", core, TIME_LIMIT), "z3", numbers, tally)
    conclude(tally, least=0.9)


@pytest.mark.parametrize(
    "expression",
    [
        *PRESETS,
        "fallback(craig(bitwuzla), newton(it, wp, lv, solver=cvc5))",
        "until-perfect(craig(cvc5, time=1), newton(sp), newton(it, sp, level=edge))",
        "memo(race(newton(it, sp, lv), newton(it, wp, lv)))",
        "lean(newton(it, sp, lv))",
        "simplified(newton(sp))",
        "simplified(craig(z3), solver=cvc5)",
        "newton(it, sp, lv, der=false)",
        "newton(it, wp, lv, upd=false, extra=false, by=cvc5)",
        "lean(newton(wp))",
        "lean(craig(z3, it, time=2))",
        "fallback(lean(craig(farkas, it)), sliced(craig(farkas, it), craig(z3, time=2)), newton(it, sp, lv))",
        "race(lean(newton(sp)), craig(bitwuzla, it), time=20)",
        "fallback(newton(it, sp, drop, quantifiers=none), memo(newton(wp, lv)))",
        "sliced(newton(it, sp, lv))",
        "sliced(newton(it, wp, lv, solver=cvc5), craig(z3, time=2), long, level=edge, solver=cvc5)",
        "lattice(newton(it, sp, lv))",
        "lean(lattice(craig(z3, time=2), time=0.5))",
        "sliced(lattice(newton(it, wp, lv)), narrow)",
        "lean(sliced(memo(newton(sp, lv)), deep, bad, random=1))",
    ],
)
def test_compositions(expression: str) -> None:
    """A composition may use every solver, so all of them judge it. Some have no answer to floats of 16 bits."""
    tally = Tally()
    run(refiner(expression), "", sample(EXAMPLES, 1 if FUZZ else 11, expression), tally)
    conclude(tally, least=0.85)


def test_what_a_solver_does_not_understand_is_given_up() -> None:
    tally = Tally()
    others = tuple(example for example in EXAMPLES if not understands("bitwuzla", example))
    assert others
    for variant in VARIANTS:
        run(configured(variant, "bitwuzla", Quantifiers.LIGHT, False), "bitwuzla", others[:3], tally)
    assert tally.counts["answered"] == 0
    assert not tally.wrong


# --- feasible traces --------------------------------------------------------------------------------------------------

_FINDERS: list[tuple[str, Refiner]] = [
    *((solver, Newton(core=core, live=True, solver=solver)) for solver, core in product(SOLVERS, (None, *Granularity))),
    *((solver, Craig(solver, time_limit=5.0)) for solver in SOLVERS),
    ("z3", Craig("farkas", Granularity.CONJUNCT, time_limit=5.0)),
    ("z3", replace(IT_SP_LV, level=Level.EDGE)),
    ("z3", refiner("default")),
    ("z3", refiner("race(newton(it, sp), newton(wp))")),
    ("z3", refiner("sliced(newton(it, wp), wide, shallow, level=edge)")),
]


@pytest.mark.parametrize(("solver", "finder"), _FINDERS, ids=[finder.name for _, finder in _FINDERS])
def test_feasible(solver: str, finder: Refiner) -> None:
    found = 0
    for example in FEASIBLE.values():
        answer = finder.refute(example.trace)
        late = record(Group.REFUTATIONS, f"{finder.name} on {example}", answer)
        if isinstance(answer, Feasible):
            found += 1
            assert satisfies(answer.model, and_(*example.trace.formula.by_step)), f"no model of {example}"
            assert Replay(example.trace, answer.model).problem() == "", example
        elif understands(solver, example) and (solver, example.theory) != ("bitwuzla", "float"):
            # bitwuzla has models of floats, but no interpolants
            assert isinstance(answer, GaveUp) and late, f"{example}: {answer}"
    assert found >= 1
