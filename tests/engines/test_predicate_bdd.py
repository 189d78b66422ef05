"""Decision diagrams against truth tables, and as terms against a solver."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from craton.engines.predicate.bdd import NO, YES, Bdd, Bdds
from craton.engines.predicate.precision import Predicates
from craton.logic import BOOL, FALSE, TRUE, Term, and_, evaluate, iff, ite, not_, or_, var
from craton.smt import make_solver

SIZE = 4
VARIABLES = tuple(var(f"p{i}", BOOL) for i in range(SIZE))
FORMULAS = st.recursive(
    st.sampled_from((*VARIABLES, TRUE, FALSE)),
    lambda inner: st.one_of(
        st.builds(not_, inner),
        st.builds(and_, inner, inner),
        st.builds(or_, inner, inner),
        st.builds(ite, inner, inner, inner),
    ),
    max_leaves=12,
)
Row = tuple[bool, ...]
ROWS: tuple[Row, ...] = tuple(product((False, True), repeat=SIZE))


def table(formula: Term) -> dict[Row, bool]:
    return {row: bool(evaluate(formula, dict(zip(VARIABLES, row, strict=True)))) for row in ROWS}


def diagram(bdds: Bdds, formula: Term) -> Bdd:
    """By Shannon's expansion of its truth table."""
    made = NO
    for row, value in table(formula).items():
        if value:
            made = bdds.disjunction(made, bdds.cube(dict(enumerate(row))))
    return made


def holds(bdds: Bdds, f: Bdd, row: Row) -> bool:
    return bdds.fold(f, False, True, lambda level, low, high: high if row[level] else low)


@given(FORMULAS, FORMULAS, FORMULAS)
def test_operations_are_those_of_truth_tables(f: Term, g: Term, h: Term) -> None:
    bdds = Bdds()
    a, b, c = (diagram(bdds, formula) for formula in (f, g, h))
    for row in ROWS:
        x, y, z = (holds(bdds, part, row) for part in (a, b, c))
        assert x is table(f)[row]
        assert holds(bdds, bdds.conjunction(a, b), row) is (x and y)
        assert holds(bdds, bdds.disjunction(a, b), row) is (x or y)
        assert holds(bdds, bdds.choice(a, b, c), row) is (y if x else z)
    assert bdds.implies(a, b) is all(not table(f)[row] or table(g)[row] for row in ROWS)
    assert (a == b) is (table(f) == table(g))


@given(FORMULAS, st.sets(st.integers(0, SIZE - 1)))
def test_quantification_support_and_forced_literals(f: Term, gone: set[int]) -> None:
    bdds = Bdds()
    truth = table(f)
    a = diagram(bdds, f)
    quantified = bdds.without(a, gone)
    for row in ROWS:
        others = (r for r in ROWS if all(r[i] == row[i] for i in range(SIZE) if i not in gone))
        assert holds(bdds, quantified, row) is any(truth[r] for r in others)
    depends = {i for i in range(SIZE) if any(truth[r] is not truth[(*r[:i], not r[i], *r[i + 1 :])] for r in ROWS)}
    assert bdds.support(a) == depends
    if a != NO:
        values = {i: {r[i] for r in ROWS if truth[r]} for i in range(SIZE)}
        assert dict(bdds.forced(a)) == {i: found == {True} for i, found in values.items() if len(found) == 1}


@given(FORMULAS)
def test_a_diagram_as_a_term_says_the_same(f: Term) -> None:
    bdds = Bdds()
    predicates = Predicates(bdds)
    assert [predicates.level(v) for v in VARIABLES] == list(range(SIZE))
    assert make_solver("bitwuzla").is_valid(iff(predicates.formula(diagram(bdds, f)), f))


def test_a_predicate_and_its_negation_are_one() -> None:
    predicates = Predicates(Bdds())
    p = VARIABLES[0]
    assert predicates.level(not_(p)) == predicates.level(p) == 0
    assert predicates.term(0) is p


def test_deep_diagrams_need_no_recursion() -> None:
    bdds = Bdds()
    depth = 5000
    deep = bdds.cube(dict.fromkeys(range(depth), True))
    assert bdds.conjunction(deep, bdds.literal(depth - 1, False)) == NO
    assert bdds.without(deep, range(depth)) == YES
