"""Engines on systems of Horn clauses agree with counting, with every kind of abstraction and refiner."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget
from craton.engines.predicate.abstraction import Abstracting
from craton.engines.systems.abstraction import ClauseAbstraction
from craton.engines.systems.bounded import BoundedDerivations
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.engines.systems.explicit import Explicit
from craton.engines.systems.predicate import PredicateAbstraction
from craton.engines.systems.spacer import Spacer
from craton.evidence.systems import check_derivation
from craton.horn.clauses import System
from craton.horn.derivations import Derivation
from craton.horn.grounding import grounded
from craton.horn.preprocessing import preprocessed
from craton.horn.reading import parse_system
from craton.logic import Term
from craton.smt import make_solver
from support.clauses import is_satisfiable, random_system
from support.systems import SYSTEMS

NEWTON = "newton(core=half, minimise=1, sp, lv)"
ENGINES: dict[str, SystemEngine] = {
    "spacer": Spacer(),
    "unguided spacer": Spacer(guided=False),
    "cartesian, newton sp": PredicateAbstraction(refiner(NEWTON), Abstracting.CARTESIAN),
    "boolean, newton sp": PredicateAbstraction(refiner(NEWTON), Abstracting.BOOLEAN),
    "cartesian, newton wp": PredicateAbstraction(refiner("newton(it, wp, lv)"), Abstracting.CARTESIAN),
    "cartesian, craig": PredicateAbstraction(refiner("fallback(craig(z3), newton(sp))"), Abstracting.CARTESIAN),
    "explicit": Explicit(),
    "boolean, lattice": PredicateAbstraction(refiner(f"lattice({NEWTON})"), Abstracting.BOOLEAN),
}


@pytest.mark.parametrize("name", ENGINES)
def test_engines_agree_with_counting(name: str) -> None:
    judge = make_solver("bitwuzla")
    for seed in range(700, 720):
        found = preprocessed(random_system(seed))
        answer = ENGINES[name].run(found.system, Budget(30.0))
        if is_satisfiable(found.original):
            assert isinstance(answer, Solved), (seed, answer)
            assert all(judge.is_valid(condition) for condition in answer.model.conditions(found.system))
        else:
            assert isinstance(answer, Contradicted), (seed, answer)
            derivation = grounded(found, answer.inferences)
            assert isinstance(derivation, Derivation)
            assert check_derivation(found.original, derivation) == ""


@pytest.mark.parametrize("name", [name for name in ENGINES if "newton wp" not in name])
@pytest.mark.parametrize("system", ["McCarthy 91", "Fibonacci is not always small", "even and odd", "counting too far"])
def test_engines_on_systems_people_write(name: str, system: str) -> None:
    expected, text = SYSTEMS[system]
    answer = ENGINES[name].run(preprocessed(parse_system(text)).system, Budget(60.0))
    if name == "explicit" and expected == "sat":
        assert "too many facts" in getattr(answer, "reason", "") or "more than" in getattr(answer, "reason", "")
    elif "craig" not in name or system != "McCarthy 91":  # interpolants may count for ever
        assert isinstance(answer, Solved if expected == "sat" else Contradicted), answer


@dataclass(frozen=True, slots=True)
class _Undecided(SystemEngine):
    """Predicate abstraction whose solver decides nothing: all it knows is what refutations say."""

    inner: PredicateAbstraction

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ClauseAbstraction, "_follows", _known_to_follow)
            patch.setattr(ClauseAbstraction, "_contradicts", _known_to_contradict)
            return self.inner.run(system, budget)


def _known_to_follow(self: ClauseAbstraction, premise: frozenset[Term], goal: Term) -> bool:
    return goal in self._derived and self._derived[goal].answer(premise) is True


def _known_to_contradict(self: ClauseAbstraction, premise: frozenset[Term]) -> bool:
    return self._contradictory.answer(premise) is True


@pytest.mark.parametrize("refining", ["newton(it, sp, lv)", "newton(it, wp, lv)", "craig(z3)", "lattice(craig(z3))"])
def test_a_refuted_derivation_never_comes_back(refining: str) -> None:
    """Even if the solver of the abstraction decides nothing at all: else this raises NoProgress."""
    engine = _Undecided(PredicateAbstraction(refiner(refining), Abstracting.CARTESIAN))
    for seed in range(700, 712):
        system = preprocessed(random_system(seed)).system
        engine.run(system, Budget(1.0))


def test_bounded_derivations_agree_with_counting() -> None:
    found_some = 0
    for seed in range(700, 740):
        found = preprocessed(random_system(seed))
        answer = BoundedDerivations(12).run(found.system, Budget(30.0))
        assert not isinstance(answer, Solved)
        if isinstance(answer, Contradicted):
            found_some += 1
            derivation = grounded(found, answer.inferences)
            assert isinstance(derivation, Derivation)
            assert check_derivation(found.original, derivation) == ""
        elif not is_satisfiable(found.original):
            assert "up to height 12" in answer.reason
    assert found_some > 5


@pytest.mark.parametrize("system", [name for name, (expected, _) in SYSTEMS.items() if expected == "unsat"])
def test_bounded_derivations_of_systems_people_write(system: str) -> None:
    found = preprocessed(parse_system(SYSTEMS[system][1]))
    answer = BoundedDerivations().run(found.system, Budget(60.0))
    assert isinstance(answer, Contradicted), answer
    derivation = grounded(found, answer.inferences)
    assert isinstance(derivation, Derivation)
    assert check_derivation(found.original, derivation) == ""


def test_the_height_of_derivations_is_bounded() -> None:
    system = preprocessed(parse_system(SYSTEMS["counting too far"][1])).system
    assert "up to height 3" in getattr(BoundedDerivations(3).run(system, Budget(30.0)), "reason", "")
    system = preprocessed(parse_system(SYSTEMS["McCarthy 91"][1])).system
    assert "no derivation" in getattr(BoundedDerivations(3).run(system, Budget(30.0)), "reason", "")


def test_the_time_is_kept() -> None:
    system = preprocessed(parse_system(SYSTEMS["McCarthy 91"][1])).system
    answer = ENGINES["cartesian, newton sp"].run(system, Budget(0.0))
    assert "out of time" in getattr(answer, "reason", "")
