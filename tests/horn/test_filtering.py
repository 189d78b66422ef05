"""Arguments that nobody looks at: they go, and models and derivations come back with them."""

from __future__ import annotations

from craton.evidence.systems import check_derivation, check_model
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.filtering import filtered
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.logic import INT, TRUE, add, eq, int_, lt, var
from craton.verification.systems import verify_system

X, Y, Z, N = (var(name, INT) for name in "xyzn")
P = Predicate("p", (INT, INT, INT, INT))


def system(bound: int) -> System:
    """x counts up to n; y is handed on, z depends on y: both are never looked at."""
    return System(
        (
            Clause(P(int_(0), Y, Z, N), (), TRUE),
            Clause(P(add(X, int_(1)), Y, add(Y, Z), N), (P(X, Y, Z, N),), lt(X, N)),
            Clause(None, (P(X, Y, Z, N),), eq(X, int_(bound))),
        )
    )


def test_arguments_that_are_handed_on_only_are_dropped() -> None:
    found = filtered(system(5))
    (small,) = found.system.predicates
    assert found.places[small] == (0, 3)
    assert found.originals[small] == P


def test_an_argument_is_looked_at_by_a_join_and_by_a_constant() -> None:
    q = Predicate("q", (INT, INT))
    joined = System((Clause(q(X, Y), (), TRUE), Clause(None, (q(X, Y), q(Y, Z)), TRUE)))
    (small,) = filtered(joined).system.predicates
    assert filtered(joined).places[small] == (0, 1)
    fixed = System((Clause(q(X, Y), (), TRUE), Clause(None, (q(X, int_(3)),), TRUE)))
    (small,) = filtered(fixed).system.predicates
    assert filtered(fixed).places[small] == (1,)
    twice = System((Clause(q(X, Y), (), TRUE), Clause(None, (q(X, X),), TRUE)))
    (small,) = filtered(twice).system.predicates
    assert filtered(twice).places[small] == (0, 1)


def test_evidence_is_about_all_arguments() -> None:
    reached = verify_system(system(5), seconds=30.0).answer
    assert isinstance(reached, Unsatisfiable)
    assert check_derivation(system(5), reached.derivation) == ""
    safe = verify_system(system(-1), seconds=30.0).answer
    assert isinstance(safe, Satisfiable)
    assert not hasattr(check_model(system(-1), safe.model, ("z3",)), "problem")
