"""Small systems have the answer of their originals, and models and derivations find their way back."""

from __future__ import annotations

from itertools import pairwise

import pytest

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.models import Model, definitions
from craton.horn.preprocessing import Preprocessed, preprocessed
from craton.horn.reading import parse_system
from craton.horn.spacer import solved
from craton.logic import INT, TRUE, add, and_, eq, exists, implies, int_, lt, not_, var
from craton.smt import Solver, make_solver
from support.clauses import is_satisfiable, random_system

SEEDS = range(120)
MOST_COUNTED = 6  # variables of a clause; all their values are tried
X, Y = var("x", INT), var("y", INT)


@pytest.fixture(scope="module")
def judge() -> Solver:
    return make_solver("cvc5", time_limit=10.0)


def resolved(found: Preprocessed, number: int) -> Clause:
    """The clause that a resolution stands for, made anew from clauses of the original."""
    heads: list[Atom | None] = []
    small = found.system.clauses[number]
    parts = []
    for i, one in enumerate(found.resolutions[number].instances):
        clause = found.original.clauses[one.clause].renamed(f"#{i}")
        parts.append(clause.constraint)
        for atom, premise in zip(clause.body, one.premises, strict=True):
            source = small.body[~premise] if premise < 0 else heads[premise]
            assert source is not None and source.predicate.name == atom.predicate.name
            places = found.filtered.places[source.predicate] if premise < 0 else range(len(atom.arguments))
            parts += [eq(atom.arguments[place], t) for place, t in zip(places, source.arguments, strict=True)]
        heads.append(clause.head)
    return Clause(heads[-1], small.body, and_(*parts))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_small_system_has_the_answer_of_the_original(seed: int) -> None:
    system = random_system(seed)
    small = preprocessed(system).system
    if all(len(clause.variables) <= MOST_COUNTED for clause in small.clauses):
        assert is_satisfiable(small) == is_satisfiable(system)


@pytest.mark.parametrize("seed", range(0, 120, 3))
def test_models_come_back(seed: int, judge: Solver) -> None:
    system = random_system(seed)
    found = preprocessed(system)
    small = solved(found.system.clauses, 10.0)
    if isinstance(small, Model):
        assert is_satisfiable(system)
        for condition in found.model(small).conditions(system):
            assert judge.is_valid(condition) is True


@pytest.mark.parametrize("seed", range(0, 120, 7))
def test_clauses_are_resolutions_of_the_original(seed: int) -> None:
    """Whatever the small clause derives, its resolution derives from the same atoms."""
    found = preprocessed(random_system(seed))
    judge = make_solver("z3")
    for number, small in enumerate(found.system.clauses):
        made = resolved(found, number)
        derives = made.constraint
        if small.head is not None:
            assert made.head is not None
            places = found.filtered.places[small.head.predicate]
            kept = (made.head.arguments[place] for place in places)
            derives = and_(derives, *map(eq, kept, small.head.arguments))
        others = [v for v in made.variables if v not in small.variables]
        assert judge.is_valid(implies(small.constraint, exists(others, derives) if others else derives))


def chain() -> System:
    """p0 → p1 → … → p600: all but the first clause is a copy of the last."""
    predicates = [Predicate(f"p{i}", (INT, INT)) for i in range(600)]
    clauses = [Clause(predicates[0](X, Y), (), and_(eq(X, int_(0)), eq(Y, int_(0))))]
    for before, after in pairwise(predicates):
        clauses.append(Clause(after(add(X, int_(1)), Y), (before(X, Y),), lt(Y, add(X, int_(1)))))
    clauses.append(Clause(None, (predicates[-1](X, Y),), not_(eq(X, int_(599)))))
    return System(tuple(clauses))


def test_long_chains_become_one_clause() -> None:
    found = preprocessed(chain())
    assert found.system.clauses == ()
    model = found.model(Model({}))
    judge = make_solver("z3")
    assert all(judge.is_valid(condition) for condition in model.conditions(found.original))


def test_predicates_outside_of_the_cone_are_dropped() -> None:
    p, q, r = (Predicate(name, (INT,)) for name in "pqr")
    system = System(
        (
            Clause(p(X), (), eq(X, int_(0))),
            Clause(p(add(X, int_(1))), (p(X),), TRUE),
            Clause(q(X), (p(X),), TRUE),  # no query follows from q
            Clause(p(X), (r(X),), TRUE),  # r cannot be derived
            Clause(None, (p(X),), lt(X, int_(0))),
        )
    )
    found = preprocessed(system)
    assert {x.name for x in found.system.predicates} == {"p"}
    small = solved(found.system.clauses, 10.0)
    assert isinstance(small, Model)
    model = found.model(small)
    assert model.meanings[q] is TRUE
    assert all(make_solver("cvc5").is_valid(condition) for condition in model.conditions(system))


def test_a_model_is_text_that_solvers_read() -> None:
    text = "(declare-fun |a b| (Int) Bool)(assert (forall ((x Int)) (=> (> x 3) (|a b| x))))(assert (not (|a b| 2)))"
    system = parse_system(text)
    found = preprocessed(system, inline=False)
    small = solved(found.system.clauses, 10.0)
    assert isinstance(small, Model)
    written = definitions(found.model(small), system.predicates)
    again = parse_system(written + "(assert (forall ((x Int)) (=> (> x 3) (|a b| x))))(assert (not (|a b| 2)))")
    assert all(make_solver("cvc5").is_valid(not_(clause.constraint)) for clause in again.clauses)
