"""What bounds call contradictory has no model: compared with all values of few bits."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.evidence.state_bounds import BOUNDS, bounds_contradict
from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvneg,
    bvsdiv,
    bvsle,
    bvslt,
    bvsrem,
    bvsub,
    bvudiv,
    bvule,
    bvult,
    bvurem,
    eq,
    evaluate,
    extract,
    ite,
    not_,
    or_,
    sign_extend,
    var,
    zero_extend,
)
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Block
from support import examples

WIDTH = 4
X, Y = var("x", BitVec(WIDTH)), var("y", BitVec(WIDTH))
BINARY = (bvadd, bvsub, bvmul, bvand, bvsdiv, bvsrem, bvudiv, bvurem)

numbers = st.integers(0, 15).map(lambda value: bv(value, WIDTH))
leaves = st.one_of(st.sampled_from((X, Y)), numbers)
atoms_of = (bvsle, bvslt, bvule, bvult, eq)


def wider(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    binary = st.builds(lambda make, a, b: make(a, b), st.sampled_from(BINARY), terms, terms)
    narrowed = st.builds(
        lambda extend, a, b: extract(WIDTH - 1, 0, bvadd(extend(2, a), extend(2, b))),
        st.sampled_from((sign_extend, zero_extend)),
        terms,
        terms,
    )
    chosen = st.builds(lambda a, b, c, d: ite(bvslt(a, b), c, d), terms, terms, terms, terms)
    return st.one_of(binary, binary, st.builds(bvneg, terms), narrowed, chosen)


terms = st.recursive(leaves, wider, max_leaves=4)
atoms = st.builds(lambda make, a, b: make(a, b), st.sampled_from(atoms_of), terms, terms)
formulas = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(not_, inner), st.builds(and_, inner, inner), st.builds(or_, inner, inner), st.builds(eq, inner, inner)
    ),
    max_leaves=4,
)
bounded = st.builds(
    lambda x, a, b: and_(bvsle(a, x), bvsle(x, b)), st.sampled_from((X, Y)), numbers, numbers
)  # what states say


def has_model(formula: Term) -> bool:
    return any(evaluate(formula, {X: x, Y: y}) for x, y in product(range(1 << WIDTH), repeat=2))


def test_what_is_contradictory_has_no_model() -> None:
    shown = 0

    @examples(400)
    @given(st.lists(st.one_of(bounded, formulas), min_size=1, max_size=4))
    def check(parts: list[Term]) -> None:
        nonlocal shown
        if bounds_contradict(parts):
            shown += not and_(*parts).is_value
            assert not has_model(and_(*parts))

    check()
    assert shown >= 20


def test_remainders_of_what_is_between_bounds() -> None:
    a = var("a", BitVec(32))
    state = and_(bvsle(bv(-90, 32), a), bvsle(a, bv(12, 32)))
    after = bvsub(bvsrem(a, bv(25, 32)), bv(8, 32))
    assert bounds_contradict((state, not_(bvsle(after, bv(37, 32)))))
    assert not bounds_contradict((state, not_(bvsle(after, bv(3, 32)))))
    below, above = (bvsle(after, bv(-20, 32)), bvsle(bv(-19, 32), after))
    within = or_(and_(below, bvsle(bv(-32, 32), after)), and_(above, bvsle(after, bv(16, 32))))
    assert bounds_contradict((state, not_(within))), "in one of two intervals that are next to each other"


def test_a_proof_that_rests_on_bounds_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """One way through the block leads out of the states, and only bounds that states say of `a` exclude it. Where two
    opinions are asked for, bounds are not even looked at.
    """
    entry, head, near, far, behind = map(Location, range(5))
    number, a = var("number", BitVec(8)), var("a", BitVec(32))
    small, bound = and_(bvsle(bv(0, 32), a), bvsle(a, bv(9, 32))), bvsle(a, bv(20, 32))
    way = (
        Edge(head, Assume(bound), near),
        Edge(head, Assume(not_(bound)), far),
        Edge(near, Assign(number, bvadd(number, bv(1, 8))), behind),
        Edge(far, Assign(number, bv(200, 8)), behind),
    )
    edges = (Edge(entry, Assume(and_(eq(number, bv(0, 8)), small)), head), Edge(head, Block(way), behind))
    main = Procedure("main", (), (), entry, behind, edges, (number, a))
    states = [eq(number, bv(i, 8)) for i in range(8)]
    proof = {
        entry: TRUE,
        head: or_(*(and_(state, small) for state in states)),
        behind: or_(*states, eq(number, bv(8, 8))),
    }
    annotation = Annotation(Program("main", {"main": main}, (), {}), proof)
    found = check_annotation(annotation, ("z3", "cvc5"), 60.0)
    assert isinstance(found, Confirmed) and BOUNDS in found.by
    for module in ("checker", "state_ways"):
        monkeypatch.setattr(f"craton.evidence.{module}.bounds_contradict", None)
    found = check_annotation(annotation, ("z3", "cvc5"), 60.0, opinions=2)
    assert isinstance(found, Confirmed) and set(found.by) == {"z3", "cvc5"}


def test_truth_values() -> None:
    assert bounds_contradict((FALSE,)) and not bounds_contradict((TRUE,))
