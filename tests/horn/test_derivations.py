"""Derivations: what is one, and what only looks like one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from craton.evidence.systems import check_derivation
from craton.horn.derivations import Derivation, Fact, Step, derivation_flaw
from craton.horn.grounding import Inference, grounded
from craton.horn.preprocessing import preprocessed
from craton.horn.reading import parse_system
from craton.horn.spacer import Facts, solved
from craton.logic import INT, var
from support.clauses import is_satisfiable, random_system
from support.systems import SYSTEMS

SYSTEM = parse_system(SYSTEMS["Fibonacci is not always small"][1])
N, A, B = (var(name, INT) for name in "nab")
FIB = SYSTEM.predicates[0]


def fib(n: int, value: int) -> Fact:
    return Fact(FIB, (n, value))


def fibonacci(upto: int) -> Derivation:
    steps = [Step(0, {}, (), fib(0, 0)), Step(1, {}, (), fib(1, 1))]
    a, b = 0, 1
    for n in range(upto - 1):
        steps.append(Step(2, {N: n, A: a, B: b}, (n, n + 1), fib(n + 2, a + b)))
        a, b = b, a + b
    return Derivation((*steps, Step(3, {N: upto, A: b}, (upto,), None)))


def test_a_derivation_is_a_graph() -> None:
    assert derivation_flaw(SYSTEM, fibonacci(6)) == ""
    assert check_derivation(SYSTEM, fibonacci(6)) == ""
    assert check_derivation(SYSTEM, fibonacci(300)) == ""
    assert "its constraint is false" in derivation_flaw(SYSTEM, fibonacci(5))


def changed(number: int, change: Callable[[Step], Step]) -> Derivation:
    steps = list(fibonacci(6).steps)
    steps[number] = change(steps[number])
    return Derivation(tuple(steps))


FLAWS = {
    "another fact": (changed(3, lambda s: replace(s, derived=fib(3, 3))), "it does not derive"),
    "a value less": (changed(3, lambda s: replace(s, values={N: 1, A: 1})), "the variable b has no value"),
    "another value": (changed(3, lambda s: replace(s, values={N: 1, A: 2, B: 1})), "its premise"),
    "a later premise": (changed(3, lambda s: replace(s, premises=(1, 5))), "a premise is no earlier step"),
    "itself": (changed(3, lambda s: replace(s, premises=(1, 3))), "a premise is no earlier step"),
    "a negative premise": (changed(3, lambda s: replace(s, premises=(1, -1))), "a premise is no earlier step"),
    "a premise less": (changed(3, lambda s: replace(s, premises=(1,))), "1 premises for a body of 2"),
    "no such clause": (changed(3, lambda s: replace(s, clause=9)), "there is no clause 9"),
    "a negative clause": (changed(3, lambda s: replace(s, clause=-1)), "there is no clause -1"),
    "false in between": (changed(3, lambda s: replace(s, derived=None)), "it does not derive"),
    "nothing at the end": (Derivation(fibonacci(6).steps[:-1]), "the last step does not derive false"),
    "nothing at all": (Derivation(()), "the last step does not derive false"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_flaws_are_found(flaw: str) -> None:
    derivation, problem = FLAWS[flaw]
    assert problem in derivation_flaw(SYSTEM, derivation)


@pytest.mark.parametrize("seed", range(40))
def test_derivations_come_back_to_the_original(seed: int) -> None:
    system = random_system(seed)
    found = preprocessed(system)
    facts = solved(found.system.clauses, 10.0, derive=True)
    assert isinstance(facts, Facts) == (not is_satisfiable(system))
    if isinstance(facts, Facts):
        derivation = grounded(found, tuple(map(Inference, facts.facts, facts.premises)))
        assert isinstance(derivation, Derivation), derivation
        assert check_derivation(system, derivation) == ""
