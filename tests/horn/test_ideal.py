"""Systems of bit-vectors as systems of integers that never overflow: what comes back is checked in bits."""

from __future__ import annotations

import pytest

from craton.configuration.stages import Stage
from craton.horn.ideal import ideal_system
from craton.horn.reading import parse_system
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.logic import INT
from craton.verification.systems import verify_system
from support.clauses import is_satisfiable, random_system
from support.systems import SYSTEMS

IDEAL = (Stage(engine="horn", encoding="ideal"),)

LOCKSTEP = """
(declare-fun p ((_ BitVec 32) (_ BitVec 32) (_ BitVec 32)) Bool)
(assert (forall ((n (_ BitVec 32))) (p n n n)))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)) (n (_ BitVec 32)))
  (=> (p x y n) (p (bvadd x n) (bvadd y n) n))))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)) (n (_ BitVec 32))) (=> (p x y n) (= x y))))
"""


def test_the_view_is_over_integers() -> None:
    view = ideal_system(parse_system(LOCKSTEP))
    assert view is not None
    assert {sort for predicate in view.system.predicates for sort in predicate.sorts} == {INT}


def test_there_is_no_view_of_integers() -> None:
    assert ideal_system(parse_system(SYSTEMS["counting"][1])) is None


def test_what_holds_however_numbers_wrap_is_found() -> None:
    """In integers x = y is two bounds; in bits the equation is what is left of them."""
    answer = verify_system(parse_system(LOCKSTEP), IDEAL, 60.0).answer
    assert isinstance(answer, Satisfiable), answer


def test_numbers_that_wrap_are_not_overlooked() -> None:
    answer = verify_system(parse_system(SYSTEMS["bits that wrap"][1]), IDEAL, 30.0).answer
    assert not isinstance(answer, Satisfiable)


@pytest.mark.parametrize("seed", range(40, 60))
def test_answers_of_the_view_are_right(seed: int) -> None:
    system = random_system(seed)
    answer = verify_system(system, IDEAL, 15.0).answer
    if isinstance(answer, Satisfiable):
        assert is_satisfiable(system)
    if isinstance(answer, Unsatisfiable):
        assert not is_satisfiable(system)
