"""Persistent maps say what dictionaries say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from craton.logic import BitVec, Term, bv, var
from craton.program.persistent_map import EMPTY, PersistentMap, common, value_of, with_value, without_value

VARIABLES = [var(f"fact {i}", BitVec(8)) for i in range(40)]
VALUES = [bv(i, 8) for i in range(3)]
Steps = list[tuple[Term, Term | None]]
changes = st.lists(st.tuples(st.sampled_from(VARIABLES), st.sampled_from([None, *VALUES])), max_size=60)


def changed(facts: PersistentMap, plain: dict[Term, Term], steps: Steps) -> tuple[PersistentMap, dict[Term, Term]]:
    plain = dict(plain)
    for variable, value in steps:
        if value is None:
            facts = without_value(facts, variable)
            plain.pop(variable, None)
        else:
            facts = with_value(facts, variable, value)
            plain[variable] = value
    return facts, plain


def contents(facts: PersistentMap) -> dict[Term, Term]:
    found = ((variable, value_of(facts, variable)) for variable in VARIABLES)
    return {variable: value for variable, value in found if value is not None}


@given(changes, changes, changes)
def test_maps_and_their_common_part(start: Steps, left: Steps, right: Steps) -> None:
    base, plain = changed(EMPTY, {}, start)
    assert contents(base) == plain
    a, plain_a = changed(base, plain, left)
    b, plain_b = changed(base, plain, right)
    both = common(a, b)
    assert contents(both) == {v: t for v, t in plain_a.items() if plain_b.get(v) is t}
    assert (both is a) == (contents(both) == plain_a), "the same map if nothing was lost, so that a fixpoint is seen"
    assert contents(a) == plain_a and contents(b) == plain_b and contents(base) == plain, "nothing changes in place"


@given(changes)
def test_writing_what_is_known_changes_nothing(steps: Steps) -> None:
    facts, plain = changed(EMPTY, {}, steps)
    for variable, value in plain.items():
        assert with_value(facts, variable, value) is facts
