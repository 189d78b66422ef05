"""Progress: a refuted trace does not come back, whatever solvers say, in engines whose construction excludes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from craton.configuration.refiners import refiner
from craton.engines import hoare
from craton.engines.contract import Budget, Engine, Safe, Statistics, Unsafe
from craton.engines.hoare import State, Triples
from craton.engines.predicate import PredicateAnalysis
from craton.engines.refinement import NoProgress
from craton.engines.splitting import Splitting
from craton.engines.steps import Step, make_steps
from craton.engines.trace_abstraction import TraceAbstraction
from craton.engines.value import ValueAnalysis
from craton.evidence.checker import find_flaw
from craton.logic import FALSE, INT, TRUE, Term, add, conjuncts, eq, ge, int_, lt, sub, var
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Havoc, Statement
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, Refiner, Refutation
from craton.traces.trace import Trace

X, K, J = (var(name, INT) for name in "xkj")
ERROR = 9


def program(*edges: tuple[int, Statement, int]) -> Program:
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    main = Procedure("main", (), (), Location(0), Location(99), made)
    return Program("main", {"main": main}, (), {Location(ERROR): UNREACH})


# {x = k + j} assume k >= 50 {x - j >= 50}: the step shares no variable with what holds after it.
APART = program(
    (0, Assign(X, add(K, J)), 1),
    (1, Assume(ge(K, int_(50))), 2),
    (2, Assume(lt(sub(X, J), int_(50))), ERROR),
)
SEQUENCE = (TRUE, eq(X, add(K, J)), ge(sub(X, J), int_(50)), FALSE)


@dataclass(frozen=True)
class Says(Refiner):
    """The same of every trace, and counts in how many places that would be a lie."""

    sequence: tuple[Term, ...]
    name: str = "says"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return Refutation(self.sequence, self.name)


def step(statement: Statement) -> Step:
    return make_steps([Edge(Location(0), statement, Location(1))])[0]


def test_what_follows_from_the_state_is_found_though_the_step_does_not_touch_it() -> None:
    triples = Triples("z3", Statistics())
    before, _, after = SEQUENCE[1:]
    found = triples.successors(frozenset((before,)), step(Assume(ge(K, int_(50)))), [before, SEQUENCE[2]])
    assert found == {before, SEQUENCE[2]}
    weaker = ge(X, int_(3))
    assert triples.successors(frozenset((eq(X, int_(5)),)), step(Havoc((J,))), [weaker]) == {weaker}
    assert after is FALSE


def test_what_shares_nothing_with_the_state_is_not_asked_for() -> None:
    statistics = Statistics()
    triples = Triples("z3", statistics)
    assert triples.successors(frozenset((ge(X, int_(3)),)), step(Assign(K, int_(1))), [ge(J, int_(0))]) == frozenset()
    assert "Hoare triples" not in statistics.purposes


@pytest.mark.parametrize("engine", [TraceAbstraction(Says(SEQUENCE)), Splitting(Says(SEQUENCE))], ids=lambda e: e.name)
def test_one_refutation_is_enough(engine: Engine) -> None:
    budget = Budget()
    verdict = engine.run(APART, budget)
    assert isinstance(verdict, Safe)
    assert find_flaw(APART, verdict.invariants, ("cvc5",)) is None
    assert (budget.statistics.iterations, budget.statistics.returned) == (1, 0)


def test_progress_does_not_depend_on_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that decides nothing: the refutation's own triples are known without it."""

    def undecided(self: Triples, state: State, step: Step, questions: Sequence[object]) -> list[Term]:
        return []

    monkeypatch.setattr(hoare.Triples, "_asked", undecided)
    budget = Budget()
    assert isinstance(TraceAbstraction(Says(SEQUENCE)).run(APART, budget), Safe)
    assert budget.statistics.iterations == 1


def test_a_trace_that_comes_back_to_trace_abstraction_is_an_internal_error() -> None:
    """It can only happen with a refiner that breaks its law."""
    with pytest.raises(NoProgress):
        TraceAbstraction(Says((TRUE, TRUE, TRUE, TRUE))).run(APART, Budget())


LOOP = program(
    (0, Assign(X, int_(0)), 1),
    (1, Assign(J, int_(0)), 2),
    (2, Assume(lt(X, int_(4))), 3),
    (3, Assign(X, add(X, int_(1))), 4),
    (4, Assign(J, add(J, int_(1))), 2),
    (2, Assume(ge(X, int_(4))), 5),
    (5, Assume(lt(J, X)), ERROR),
)
ENGINES: list[type[TraceAbstraction] | type[Splitting] | type[PredicateAnalysis]] = [
    TraceAbstraction,
    Splitting,
    PredicateAnalysis,
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", ["newton(it, sp, lv)", "newton(it, wp, lv, late)", "craig(z3)", "newton(sp)"])
def test_no_trace_comes_back(
    engine: type[TraceAbstraction] | type[Splitting] | type[PredicateAnalysis], expression: str
) -> None:
    budget = Budget(60.0)
    verdict = engine(refiner(expression)).run(LOOP, budget)
    assert isinstance(verdict, Safe)
    assert budget.statistics.returned == 0


def test_engines_that_may_lose_what_was_learned_count() -> None:
    """Values cannot say x = k + j, so the trace is asked about again and again, and then it is given up."""
    budget = Budget()
    assert not isinstance(ValueAnalysis(Says(SEQUENCE)).run(APART, budget), Safe | Unsafe)
    assert budget.statistics.returned == budget.statistics.iterations - 1 > 0


def test_conjuncts_of_an_assertion_are_learned_one_by_one() -> None:
    triples = Triples("z3", Statistics())
    taken = step(Assume(ge(K, int_(0))))
    both = conjuncts(SEQUENCE[2]) + conjuncts(ge(J, int_(0)))
    for part in both:
        triples.learn(SEQUENCE[1], taken, part)
    assert triples.successors(frozenset((SEQUENCE[1],)), taken, both) == frozenset(both)
