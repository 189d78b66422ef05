"""Substitution, free variables and the other walks, against evaluation and against slower definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.logic import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    BitVec,
    Function,
    Model,
    Op,
    Term,
    Theory,
    Unspecified,
    add,
    and_,
    apply,
    atoms,
    bv,
    bvadd,
    conjuncts,
    disjuncts,
    distinct,
    eq,
    evaluate,
    exists,
    expand,
    fold,
    forall,
    free_variables,
    fresh,
    functions,
    implies,
    int_,
    is_quantified,
    ite,
    le,
    lt,
    mul,
    not_,
    ops,
    or_,
    ordered_variables,
    post_order,
    rename,
    size,
    substitute,
    var,
    xor,
)
from craton.logic.definitions import DEFINITIONS
from craton.logic.semantics import same
from support import examples
from support.terms import EVERYTHING, Universe, decode, decode_model, some_value, tapes, terms, twins
from support.terms import Tape as Choices

# Few names of few sorts, so that substitution meets bound variables and capture.
CROWDED = Universe(
    frozenset((Theory.CORE, Theory.BITVECTORS, Theory.QUANTIFIERS, Theory.ARRAYS, Theory.UF)),
    widths=(2, 3, 1),
    widest=3,
)

x, y, z = (var(name, INT) for name in "xyz")
p, q, r = (var(name, BOOL) for name in "pqr")
f = Function("f", (INT,), INT)


# --- substitution -----------------------------------------------------------------------------------------------------


def substitutions(universe: Universe) -> st.SearchStrategy[tuple[Term, dict[Term, Term], Model]]:
    """A term, what is put for some of its variables, and a model."""

    def decoded(data: tuple[bytes, bytes, bytes]) -> tuple[Term, dict[Term, Term], Model]:
        term = decode(data[0], None, universe)
        choices = Choices(data[2])
        mapping = {}
        for variable in ordered_variables(term):
            if choices.byte() < 200:
                small = replace(universe, depth=2).without(Theory.QUANTIFIERS)
                mapping[variable] = decode(bytes(choices.byte() for _ in range(24)), variable.sort, small)
        return term, mapping, decode_model(data[1], term, *mapping.values())

    return st.tuples(tapes(), tapes(32), tapes(64)).map(decoded)


@examples(500)
@given(st.sampled_from([CROWDED, EVERYTHING]).flatmap(substitutions))
def test_substitution_is_evaluation_under_another_model(case: tuple[Term, dict[Term, Term], Model]) -> None:
    term, mapping, model = case
    updated = {**model.values, **{v: evaluate(t, model) for v, t in mapping.items()}}
    try:
        expected = evaluate(term, Model(updated, model.functions), specified_only=True)
    except Unspecified:
        return
    assert same(term.sort, evaluate(substitute(term, mapping), model), expected)


@examples(300)
@given(st.sampled_from([CROWDED, EVERYTHING]).flatmap(substitutions))
def test_substitution_leaves_no_other_variables(case: tuple[Term, dict[Term, Term], Model]) -> None:
    term, mapping, _ = case
    kept = free_variables(term) - mapping.keys()
    brought = frozenset[Term]().union(*(free_variables(t) for t in mapping.values()))
    assert free_variables(substitute(term, mapping)) <= kept | brought


def test_substitution_is_simultaneous() -> None:
    assert substitute(lt(x, y), {x: y, y: x}) is lt(y, x)


def test_substitution_renames_bound_variables_that_would_capture() -> None:
    term = exists([y], lt(x, y))
    assert substitute(term, {x: y}) is exists([var("y!0", INT)], lt(y, var("y!0", INT)))
    assert substitute(term, {x: add(x, y)}) is exists([var("y!0", INT)], lt(add(x, y), var("y!0", INT)))
    both = exists([y, var("y!0", INT)], and_(lt(x, y), lt(x, var("y!0", INT))))
    fresh_one = var("y!1", INT)
    assert substitute(both, {x: y}) is exists(
        [fresh_one, var("y!0", INT)], and_(lt(y, fresh_one), lt(y, var("y!0", INT)))
    )


def test_substitution_leaves_bound_variables_alone() -> None:
    term = exists([y], lt(x, y))
    assert substitute(term, {y: int_(1)}) is term
    assert substitute(and_(lt(y, z), term), {y: x}) is and_(lt(x, z), term)
    nested = forall([x], or_(lt(x, y), exists([y], and_(lt(x, y), p))))
    assert substitute(nested, {y: z, p: q}) is forall([x], or_(lt(x, z), exists([y], and_(lt(x, y), q))))


def test_substitution_in_the_same_part_inside_and_outside_of_a_quantifier() -> None:
    part = lt(add(x, y), int_(5))
    term = and_(part, exists([x], and_(part, lt(z, x))))
    got = substitute(term, {x: int_(1), y: int_(2)})
    assert got is exists([x], and_(lt(add(x, int_(2)), int_(5)), lt(z, x)))


@examples(200)
@given(terms(universe=CROWDED))
def test_renaming_there_and_back(term: Term) -> None:
    there = rename(term, lambda name: f"{name}'")
    assert {v.name for v in free_variables(there)} == {f"{v.name}'" for v in free_variables(term)}
    if not is_quantified(term):  # bound variables may have been renamed
        assert size(there) == size(term)
    model = decode_model(b"\x77" * 64, term)
    primed = Model({var(f"{v.name}'", v.sort): x for v, x in model.values.items()}, model.functions)
    assert same(term.sort, evaluate(there, primed), evaluate(term, model))


def test_fresh_names() -> None:
    assert fresh("x", INT, [y]) is x
    assert fresh("x", INT, [x, var("x!0", REAL)]) is var("x!1", INT)


# --- variables, functions, sizes --------------------------------------------------------------------------------------


def free_by_definition(term: Term) -> set[Term]:
    if term.is_variable:
        return {term}
    found = set[Term]().union(*map(free_by_definition, term.args))
    return found - set(term.payload) if term.op in (ops.FORALL, ops.EXISTS) else found


def parts_by_definition(term: Term) -> set[Term]:
    return {term}.union(*map(parts_by_definition, term.args))


@examples(250)
@given(st.sampled_from([CROWDED, EVERYTHING]).flatmap(lambda universe: twins(universe=universe)))
def test_walks_against_definitions(twin: tuple[Term, Term, Model]) -> None:
    for term in twin[:2]:
        parts = parts_by_definition(term)
        assert free_variables(term) == free_by_definition(term)
        assert size(term) == len(parts)
        assert set(post_order(term)) == parts
        assert set(functions(term)) == {part.payload for part in parts if part.op is ops.APPLY}
        assert is_quantified(term) == any(part.op in (ops.FORALL, ops.EXISTS) for part in parts)


@examples(100)
@given(terms())
def test_post_order(term: Term) -> None:
    order = list(post_order(term, *term.args))
    position = {part: i for i, part in enumerate(order)}
    assert len(position) == len(order)
    assert all(position[a] < position[part] for part in order for a in part.args)


def test_values_depend_on_free_variables_only() -> None:
    assert free_variables(exists([x], lt(x, y))) == {y}
    assert free_variables(and_(lt(x, y), exists([x], lt(x, y)))) == {x, y}
    assert free_variables(int_(3)) == frozenset()


def test_variables_are_ordered_by_creation() -> None:
    first, second = var("walk b", INT), var("walk a", INT)
    assert ordered_variables(lt(second, first), eq(first, x)) == tuple(
        sorted((x, first, second), key=lambda v: v.serial)
    )
    assert ordered_variables() == ()


def test_functions_in_order() -> None:
    g = Function("g", (INT,), INT)
    assert functions(lt(apply(g, apply(f, x)), apply(g, y))) == (f, g)


def test_size_counts_shared_parts_once() -> None:
    term = x
    for _ in range(100):
        term = mul(add(term, int_(1)), add(term, int_(2)))
    assert size(term) == 303
    assert size(term, limit=10) == 11
    assert size(x) == 1


def test_fold_keeps_its_memo() -> None:
    memo: dict[Term, int] = {}
    depth: Callable[[Term, list[int]], int] = lambda node, args: 1 + max(args, default=0)  # noqa: E731
    assert fold(add(x, mul(y, z)), depth, memo) == 3
    assert memo[mul(y, z)] == 2
    memo[mul(y, z)] = 10
    assert fold(lt(mul(y, z), x), depth, memo) == 11


# --- Boolean structure ------------------------------------------------------------------------------------------------


def test_atoms_in_order_of_occurrence() -> None:
    quantified = exists([z], lt(z, x))
    formula = implies(and_(lt(x, y), p), or_(not_(eq(x, y)), ite(q, r, p), xor(p, quantified), eq(p, q), TRUE))
    assert atoms(implies(and_(lt(x, y), p), or_(not_(eq(x, y)), ite(q, r, p)))) == (lt(x, y), p, eq(x, y), q, r)
    assert set(atoms(formula)) == {lt(x, y), p, eq(x, y), q, r, quantified} or formula is TRUE
    assert atoms(TRUE) == ()
    assert atoms(not_(distinct(x, y, z))) == (distinct(x, y, z),)
    assert atoms(eq(ite(p, x, y), z)) == (eq(ite(p, x, y), z),)  # p decides a number, not a truth value


_CONNECTIVES = {ops.NOT, ops.AND, ops.OR, ops.XOR, ops.IMPLIES}


@examples(300)
@given(terms(BOOL, EVERYTHING))
def test_atoms_decide_the_formula(formula: Term) -> None:
    found = atoms(formula)
    assert all(a.sort is BOOL and a.op not in _CONNECTIVES and not a.is_value for a in found)
    assert len(set(found)) == len(found)
    # Exchanged for variables, they leave a formula over these variables alone.
    stand_ins = {a: var(f"atom{i}", BOOL) for i, a in enumerate(found)}
    assert free_variables(abstracted(formula, stand_ins)) <= set(stand_ins.values())


def abstracted(formula: Term, stand_ins: dict[Term, Term]) -> Term:
    from craton.logic import rebuild

    if formula in stand_ins:
        return stand_ins[formula]
    return rebuild(formula, [abstracted(a, stand_ins) for a in formula.args]) if formula.args else formula


def test_conjuncts_and_disjuncts() -> None:
    assert conjuncts(and_(p, and_(q, r))) == (p, q, r)
    assert conjuncts(p) == (p,)
    assert conjuncts(TRUE) == ()
    assert conjuncts(FALSE) == (FALSE,)
    assert disjuncts(or_(p, q)) == (p, q)
    assert disjuncts(FALSE) == ()
    assert disjuncts(and_(p, q)) == (and_(p, q),)
    many = [var(f"conjunct{i}", BOOL) for i in range(300)]
    grown = TRUE
    for conjunct in many:
        grown = and_(grown, conjunct)
    assert conjuncts(grown) == tuple(many)
    assert conjuncts(and_(*many)) == tuple(many)
    assert conjuncts(and_(and_(*many), and_(*many[:100]))) == tuple(many)


@examples(200)
@given(terms(BOOL, CROWDED))
def test_parts_put_together_are_the_formula(formula: Term) -> None:
    assert and_(*conjuncts(formula)) is formula
    assert or_(*disjuncts(formula)) is formula


# --- definitions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", sorted(DEFINITIONS, key=str), ids=str)
def test_definitions_preserve_values(op: Op) -> None:
    import craton.logic as logic
    from support.terms import SHAPES, Maker, Smart

    shape = SHAPES[op.name]

    @examples(40)
    @given(tapes(48))
    def check(data: bytes) -> None:
        maker = Maker(data, replace(EVERYTHING, widths=(8, 1, 7, 32, 2), widest=40), Smart())
        sort = BitVec(1 + maker.tape.pick(40)) if op is ops.INT_TO_BV else BOOL
        prefix, sorts = shape.plan(maker, sort) or ((), ())
        variables = [var(f"v{i}", s) for i, s in enumerate(sorts)]
        term: Term = getattr(logic, shape.name)(*prefix, *variables)
        model: dict[Term, Any] = {v: some_value(maker.tape, v.sort) for v in variables}
        defined = expand(term, {op, ops.UBV_TO_INT} if op is ops.SBV_TO_INT else {op})
        assert op not in {part.op for part in post_order(defined)}
        assert evaluate(defined, model) == evaluate(term, model)

    check()


@examples(200)
@given(twins())
def test_expansion_preserves_values(twin: tuple[Term, Term, Model]) -> None:
    _, term, model = twin
    expanded = expand(term, DEFINITIONS.keys())
    try:
        expected = evaluate(term, model, specified_only=True)
    except Unspecified:
        return
    assert same(term.sort, evaluate(expanded, model), expected)
    assert not {part.op for part in post_order(expanded)} & DEFINITIONS.keys()


def test_expansion_of_nothing() -> None:
    term = le(x, y)
    assert expand(term, frozenset()) is term
    assert expand(bvadd(var("a", BitVec(8)), bv(1, 8)), DEFINITIONS.keys()) is bvadd(var("a", BitVec(8)), bv(1, 8))
