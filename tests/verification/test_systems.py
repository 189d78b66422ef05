"""Systems of Horn clauses: answers come with evidence that others have checked, and agree with counting."""

from __future__ import annotations

import pytest

from craton.evidence.systems import check_derivation, check_model
from craton.horn.reading import parse_system
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.verification.systems import verify_system
from support.clauses import is_satisfiable, random_system
from support.systems import SYSTEMS


@pytest.mark.parametrize("name", SYSTEMS)
def test_answers_are_right_and_have_evidence(name: str) -> None:
    expected, text = SYSTEMS[name]
    system = parse_system(text)
    answer = verify_system(system, seconds=60.0).answer
    if expected == "sat":
        assert isinstance(answer, Satisfiable), answer
        assert not isinstance(check_model(system, answer.model, ("z3",)), str)
    else:
        assert isinstance(answer, Unsatisfiable), answer
        assert check_derivation(system, answer.derivation) == ""
    assert answer.confirmed


@pytest.mark.parametrize("seed", range(500, 530))
def test_answers_agree_with_counting(seed: int) -> None:
    system = random_system(seed)
    answer = verify_system(system, seconds=20.0).answer
    if is_satisfiable(system):
        assert isinstance(answer, Satisfiable), answer
    else:
        assert isinstance(answer, Unsatisfiable), answer
