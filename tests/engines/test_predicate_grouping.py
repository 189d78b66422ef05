"""Predicates that have to do with each other along a step: the law of `group`, on random symbols."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from craton.engines.predicate.grouping import Group, group, symbols
from craton.logic import INT, Function, Term, apply, eq, var
from support import examples

VARIABLES = [var(f"v{number}", INT) for number in range(6)]
_symbols = st.frozensets(st.sampled_from(VARIABLES), min_size=1, max_size=3)
_nothing: frozenset[int] = frozenset()


@examples(200)
@given(st.lists(_symbols, max_size=3), st.lists(_symbols, max_size=5), st.frozensets(st.integers(0, 4)))
def test_the_law(guards: list[frozenset[Term]], spoken_of: list[frozenset[Term]], staying: frozenset[int]) -> None:
    predicates = [Group(frozenset((number,)), frozenset((number,)), found) for number, found in enumerate(spoken_of)]
    found = group(guards, predicates, staying)
    asked = _nothing.union(*(part.after for part in found.groups))
    assert asked.isdisjoint(found.kept)
    assert asked | found.kept == set(range(len(spoken_of)))
    with_something = [part for part in found.groups if part.after]
    for one, other in combinations(with_something, 2):
        assert one.symbols.isdisjoint(other.symbols)
    for number in found.kept:
        assert number in staying
        assert all(spoken_of[number].isdisjoint(guard) for guard in guards)
        assert all(spoken_of[number].isdisjoint(spoken_of[other]) for other in asked)
    said = frozenset[Term | Function]().union(*(part.symbols for part in found.groups))
    assert all(guard <= said for guard in guards), "no part of the guard is forgotten"


def test_functions_are_symbols_too() -> None:
    f = Function("f", (INT,), INT)
    x, y = VARIABLES[:2]
    assert symbols(eq(apply(f, x), y)) == {f, x, y}
