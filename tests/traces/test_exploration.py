"""Exploration of lattices of templates ([EI] VI) against trying every set, and within its time."""

from __future__ import annotations

from itertools import chain, combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.logic import (
    INT,
    BitVec,
    Sort,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    bvsub,
    bvule,
    eq,
    int_,
    le,
    mul,
    not_,
    or_,
    sub,
    var,
)
from craton.logic.sorts import BOOL
from craton.smt import Sat, make_solver
from craton.traces.exploration import (
    Frontier,
    Template,
    Templates,
    closure,
    cost,
    determined,
    explored,
    generating,
    simplest,
    successors,
)
from support import examples


def templates_over(names: str, sort: Sort = INT, location: str = "loop") -> Templates:
    """Every variable, and sums and differences."""
    variables = [var(name, sort) for name in names]
    found = [Template(location, v, 16 if v.name == "i" else 4) for v in variables]
    plus, minus = (add, sub) if sort is INT else (bvadd, bvsub)
    for x, y in combinations(variables, 2):
        found.append(Template(location, minus(x, y), 2))
        found.append(Template(location, plus(x, y), 2))
    return tuple(found)


def with_feasible(templates: Templates, least: list[frozenset[Template]]) -> tuple[dict[Template, list[Term]], Term]:
    """Equations, as switches, and a formula that contradicts a set of them iff it determines one of some sets."""
    switches = {t: var(f"keeps {number}", BOOL) for number, t in enumerate(templates)}
    subsets = chain.from_iterable(combinations(templates, n) for n in range(len(templates) + 1))
    enough = [chosen for chosen in subsets if any(m <= closure(chosen, templates) for m in least)]
    return {t: [s] for t, s in switches.items()}, and_(*(not_(and_(*(switches[t] for t in c))) for c in enough))


def formulas_over(x: Term, y: Term) -> Templates:
    """x ≤ y, which x and y determine (of numbers also x − y), and x = y, which x − y does."""
    order = le(x, y) if x.sort is INT else bvule(x, y)
    return tuple(Template("loop", formula, 3) for formula in (order, eq(x, y)))


@given(st.data())
@examples(40)
def test_the_frontier_of_random_lattices(data: st.DataObject) -> None:
    sort = data.draw(st.sampled_from([INT, BitVec(8)]))
    more = [templates_over("y", sort, "other"), formulas_over(var("i", sort), var("x", sort)), ()]
    templates = templates_over("ix", sort) + data.draw(st.sampled_from(more))
    sets = st.sets(st.sampled_from(templates), min_size=1, max_size=3).map(lambda s: closure(s, templates))
    least = data.draw(st.lists(sets, min_size=1, max_size=3))
    kept, formula = with_feasible(templates, least)
    solver = make_solver("z3")
    solver.add(formula)
    found = explored(kept, solver, None)
    assert isinstance(found, Frontier)
    assert found.complete
    expected = {m for m in least if not any(other < m for other in least)}
    assert {closure(element, templates) for element in found.elements} == expected
    assert [cost(element) for element in found.elements] == sorted(map(cost, found.elements))


def test_nothing_is_feasible() -> None:
    templates = templates_over("ix")
    solver = make_solver("z3")
    assert isinstance(explored({t: [var(f"keeps {n}", BOOL)] for n, t in enumerate(templates)}, solver, None), Sat)


def test_elements_are_written_by_their_simplest_members() -> None:
    templates = templates_over("ij")
    i, j, difference, total = templates
    assert set(simplest(closure((difference, total), templates))) == {i, j}
    assert simplest(closure((difference,), templates)) == (difference,)
    assert set(simplest((difference, total))) == {difference, total}


@given(st.data())
@examples(60)
def test_closures_have_what_is_determined(data: st.DataObject) -> None:
    """Echelon forms against solving the equations for each template."""
    sort = data.draw(st.sampled_from([INT, BitVec(8)]))
    templates = (*templates_over("ixyz", sort), *formulas_over(var("i", sort), var("x", sort)))
    times = mul if sort is INT else bvmul
    number = int_ if sort is INT else (lambda n: bv(n, 8))
    scaled = [Template("loop", times(number(n), t.term), 1) for t in templates[:8] for n in (2, 3, 6)]
    chosen = data.draw(st.lists(st.sampled_from([*templates, *scaled]), max_size=5))
    assert closure(chosen, templates) == {t for t in templates if determined(t, chosen)}


def test_formulas_are_determined_by_terms() -> None:
    i, x, difference, total = templates = templates_over("ix")
    order, equal = formulas_over(i.term, x.term)
    both = (*templates, order, equal)
    assert closure((difference,), both) == {difference, order, equal}
    assert closure((total, order), both) == {total, order}
    assert closure((i, x), both) == frozenset(both) and set(simplest(both)) == {i, x}
    assert simplest((order, difference)) == (difference,) and set(simplest((order, total))) == {order, total}
    assert set(successors(frozenset((difference, order, equal)))) == {frozenset((order, equal))}
    assert set(successors(frozenset((order, equal)))) == {frozenset((order,)), frozenset((equal,))}
    b, c = var("b", BitVec(8)), var("c", BitVec(8))
    order, equal = formulas_over(b, c)
    assert not determined(order, (Template("loop", bvsub(b, c), 1),))  # an order of bits is no matter of differences
    assert determined(order, (Template("loop", b, 1), Template("loop", c, 1)))
    assert not determined(order, (Template("loop", b, 1), Template("other", c, 1)))


@pytest.mark.parametrize("sort", [INT, BitVec(8)], ids=str)
def test_closed_sets(sort: Sort) -> None:
    templates = templates_over("ix", sort)
    i, x, difference, total = templates
    assert closure((i, x), templates) == frozenset(templates)
    assert closure((difference, total), templates) == frozenset(templates if sort is INT else (difference, total))
    assert generating(frozenset((i,)), [x, total]) == [x, total]
    assert generating(frozenset((i,)), [x]) is None
    assert not determined(i, (x,))


def test_successors_are_not_all_made_at_once() -> None:
    """Of 100 templates with ten dimensions there are as many as sets of nine of them."""
    templates = templates_over("abcdefghkl")
    some = set(islice(successors(frozenset(templates)), 5))
    assert len(some) == 5 and all(found < frozenset(templates) for found in some)


def test_successors_determine_one_dimension_less() -> None:
    templates = templates_over("ix")
    found = set(successors(frozenset(templates)))
    assert found == {frozenset((t,)) for t in templates}


def test_a_lattice_that_is_too_large_is_explored_in_part() -> None:
    """100 templates: 2^100 sets. What was found by then is feasible, and the frontier says that it is not all."""
    templates = templates_over("abcdefghkl")
    solver = make_solver("z3")
    switches = {t: var(f"keeps {number}", BOOL) for number, t in enumerate(templates)}
    pairs = combinations([t for t in templates if len(t.variables) == 1], 2)
    solver.add(and_(*(or_(not_(switches[x]), not_(switches[y])) for x, y in pairs)))
    found = explored({t: [switches[t]] for t in templates}, solver, 0.3)
    assert isinstance(found, Frontier)
    assert found.elements
    assert not found.complete
