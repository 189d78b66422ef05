"""Models that keep what is needed: still models, and without what nobody needs."""

from __future__ import annotations

from craton.engines.contract import Budget
from craton.engines.systems.contract import Solved
from craton.engines.systems.lean import lean
from craton.engines.systems.spacer import Spacer
from craton.horn.models import Model
from craton.horn.preprocessing import preprocessed
from craton.horn.reading import parse_system
from craton.logic import TRUE, and_, conjuncts, eq, int_, le, mul
from craton.smt import make_solver
from support.clauses import is_satisfiable, random_system
from support.systems import SYSTEMS


def test_what_is_left_is_a_model() -> None:
    judge = make_solver("bitwuzla")
    for seed in range(600, 640):
        system = preprocessed(random_system(seed)).system
        if not is_satisfiable(system):
            continue
        answer = Spacer().run(system, Budget(20.0))
        assert isinstance(answer, Solved)
        smaller, by = lean(system, answer.model, "z3", Budget(20.0))
        assert "z3" in by
        assert all(judge.is_valid(condition) for condition in smaller.conditions(system))
        for predicate, meaning in smaller.meanings.items():
            assert set(conjuncts(meaning)) <= {TRUE, *conjuncts(answer.model.meanings[predicate])}


def test_what_nobody_needs_is_gone() -> None:
    system = parse_system(SYSTEMS["counting"][1])
    (p,) = system.predicates
    x, y = p.parameters
    wanted = eq(y, mul(int_(2), x))
    model = Model({p: and_(le(int_(0), x), wanted, le(x, int_(100)))})
    smaller, by = lean(system, model, "z3", Budget(20.0))
    assert smaller.meanings == {p: wanted}
    assert by == ("z3",)
