"""The constructors: they build what was written, terms exist once, and ill-sorted applications are refused."""

from __future__ import annotations

import inspect
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given

import craton.logic as logic
from craton.errors import IllSorted
from craton.logic import (
    BOOL,
    FALSE,
    FLOAT16,
    FLOAT32,
    INT,
    REAL,
    RNE,
    ROUNDING_MODE,
    TRUE,
    Array,
    BitVec,
    Float,
    Function,
    Model,
    Op,
    Sort,
    Term,
    Theory,
    Unspecified,
    abs_,
    add,
    and_,
    apply,
    bv,
    bvadd,
    bvand,
    bvcomp,
    bvmul,
    bvnot,
    bvor,
    bvshl,
    bvsub,
    bvule,
    bvult,
    bvxor,
    concat,
    const_array,
    distinct,
    div,
    divide,
    eq,
    evaluate,
    exists,
    extract,
    forall,
    fp_from_fp,
    fp_min,
    fp_neg,
    implies,
    int_,
    int_to_bv,
    ite,
    le,
    lt,
    mod,
    mul,
    neg,
    not_,
    or_,
    post_order,
    real,
    repeat,
    rotate_left,
    select,
    sign_extend,
    store,
    sub,
    substitute,
    table_size,
    to_int,
    to_real,
    ubv_to_int,
    value,
    var,
    xor,
    zero_extend,
)
from craton.logic.semantics import same
from craton.smt import Undecided, Unsat
from support import examples
from support.oracles import counterexample
from support.terms import EVERYTHING, SHAPES, Maker, Shape, Smart, Universe, decode, terms, twins

# --- the generator ----------------------------------------------------------------------------------------------------

# What is exported and makes terms, but not from terms of given sorts.
_OTHER_MAKERS = set(
    "bool_ bv int_ real value var fp_bits fp_value rounding constant fresh build rebuild expand".split()
)
_OTHER_MAKERS |= {"rename", "substitute"}


def test_the_generator_knows_every_constructor() -> None:
    exported = {name for name in logic.__all__ if inspect.isfunction(getattr(logic, name))}
    makers = {name for name in exported if inspect.signature(getattr(logic, name)).return_annotation == "Term"}
    assert makers - _OTHER_MAKERS == set(SHAPES)


def test_the_generator_makes_every_operation() -> None:
    tapes = random.Random(0)
    found: set[Op] = set()
    used: set[str] = set()
    for _ in range(4000):
        maker = Maker(tapes.randbytes(64), EVERYTHING, Smart())
        term = maker.inner(maker.any_sort(), EVERYTHING.depth)
        found.update(part.op for part in post_order(term))
        used |= maker.used
    assert found == set(Op.table.values())
    assert used == set(SHAPES)


# --- meaning ----------------------------------------------------------------------------------------------------------


@examples(1000)
@given(twins())
def test_construction_preserves_values(twin: tuple[Term, Term, Model]) -> None:
    raw, smart, model = twin
    assert smart.sort is raw.sort
    try:
        expected = evaluate(raw, model, specified_only=True)
    except Unspecified:
        return
    assert same(raw.sort, evaluate(smart, model, specified_only=True), expected), f"{raw} became {smart}"


@examples(200)
@given(twins(universe=Universe(frozenset((Theory.CORE, Theory.BITVECTORS)), widths=(1, 2, 3), widest=4, names=("x",))))
def test_construction_preserves_every_value(twin: tuple[Term, Term, Model]) -> None:
    """With few variables of few bits, all of them."""
    raw, smart, model = twin
    variables = sorted(model.values, key=lambda v: v.serial)
    if sum(bits_of(v) for v in variables) > 8:
        return
    for assignment in assignments(variables):
        assert evaluate(raw, assignment) == evaluate(smart, assignment)


def bits_of(variable: Term) -> int:
    return variable.sort.width if isinstance(variable.sort, BitVec) else 1


def assignments(variables: list[Term]) -> Iterator[dict[Term, Any]]:
    if not variables:
        yield {}
        return
    first, *rest = variables
    domain = (False, True) if first.sort is BOOL else range(1 << bits_of(first))
    for assignment in assignments(rest):
        for element in domain:
            yield {**assignment, first: element}


@pytest.mark.parametrize(("solver", "count", "least"), [("z3", 150, 75), ("cvc5", 100, 30), ("bitwuzla", 100, 20)])
def test_construction_preserves_meaning(solver: str, count: int, least: int) -> None:
    """A solver finds no values for which raw and constructed terms differ – also where the standard leaves results
    open, which must stay open in the same way.
    """
    tally: Counter[str] = Counter()

    @examples(count)
    @given(twins(universe=Universe(widths=(8, 1, 4, 3), widest=10, formats=((2, 3), (3, 4)), depth=3)))
    def check(twin: tuple[Term, Term, Model]) -> None:
        raw, smart, _ = twin
        if raw is smart:
            return
        answer = counterexample(solver, raw, smart, time_limit=0.5)
        if answer is None or isinstance(answer, Undecided):
            tally["undecided"] += 1
            return
        assert isinstance(answer, Unsat), f"{raw} became {smart}"
        tally["agreed"] += 1

    check()
    assert tally["agreed"] >= least, tally


# --- terms exist once -------------------------------------------------------------------------------------------------


@examples(100)
@given(terms())
def test_equal_terms_are_the_same_object(term: Term) -> None:
    before = table_size()
    for part in post_order(term):
        assert substitute(part, {v: v for v in logic.free_variables(part)}) is part
    assert table_size() == before


def test_the_same_tape_gives_the_same_object() -> None:
    tapes = random.Random(1)
    for _ in range(200):
        tape = tapes.randbytes(64)
        assert decode(tape) is decode(tape)


def test_sorts_and_functions_exist_once() -> None:
    assert BitVec(8) is BitVec(8)
    assert Float(5, 11) is FLOAT16
    assert Array(INT, BitVec(8)) is Array(INT, BitVec(8))
    assert Function("f", (INT,), BOOL) is Function("f", (INT,), BOOL)
    assert Function("f", (INT,), BOOL) is not Function("f", (INT,), INT)


def test_variables_differ_by_name_and_by_sort() -> None:
    assert var("x", INT) is var("x", INT)
    assert var("x", INT) is not var("x", REAL)
    assert var("x", INT) != var("y", INT)


def test_values_of_python_types() -> None:
    assert bv(-1, 8) is bv(255, 8) is value(255, BitVec(8))
    assert real("0.25") is real("1/4")
    assert value(True, BOOL) is TRUE
    assert value(1, INT) is int_(1)


# --- simplification ---------------------------------------------------------------------------------------------------

p, q, r = (var(name, BOOL) for name in "pqr")
x, y, z = (var(name, INT) for name in "xyz")
u, v = var("u", REAL), var("v", REAL)
a, b, c = (var(name, BitVec(8)) for name in "abc")
f, g = var("f", FLOAT16), var("g", FLOAT16)
m, n = var("m", Array(INT, INT)), var("n", Array(INT, INT))

SIMPLER: list[tuple[str, Term, Term]] = [
    ("double negation", not_(not_(p)), p),
    ("not ≤ is >", not_(le(x, y)), lt(y, x)),
    ("units", and_(p, TRUE, q), and_(p, q)),
    ("no conjuncts", and_(), TRUE),
    ("no disjuncts", or_(), FALSE),
    ("zero", and_(p, FALSE, q), FALSE),
    ("repetition", or_(p, q, p), or_(p, q)),
    ("contradiction", and_(p, q, not_(p)), FALSE),
    ("contradiction of orders", and_(le(x, y), lt(y, x)), FALSE),
    ("excluded middle", or_(lt(x, y), p, le(y, x)), TRUE),
    ("absorption", and_(p, or_(p, q)), p),
    ("flattening", and_(p, and_(q, r)), and_(p, q, r)),
    ("xor of itself", xor(p, p), FALSE),
    ("xor of a negation", xor(not_(p), q), not_(xor(p, q))),
    ("implication of false", implies(p, FALSE), not_(p)),
    ("equality with true", eq(p, TRUE), p),
    ("equality is symmetric", eq(y, x), eq(x, y)),
    ("equality of constants", eq(int_(1), int_(2)), FALSE),
    ("a choice of constants", eq(ite(p, int_(1), int_(0)), int_(1)), p),
    ("another choice of constants", eq(ite(p, int_(1), int_(0)), int_(0)), not_(p)),
    ("no choice of constants", eq(ite(p, int_(1), int_(0)), int_(2)), FALSE),
    ("distinct of two", distinct(x, y), not_(eq(x, y))),
    ("distinct of equals", distinct(x, y, x), FALSE),
    ("ite of equals", ite(p, x, x), x),
    ("ite asked twice", ite(p, ite(p, x, y), z), ite(p, x, z)),
    ("ite of a negation", ite(not_(p), x, y), ite(p, y, x)),
    ("ite of truth", ite(p, TRUE, q), or_(p, q)),
    ("quantifier over nothing", forall([x], p), p),
    ("quantifiers of one kind", exists([x], exists([y], lt(x, y))), exists([x, y], lt(x, y))),
    ("sum of constants", add(int_(1), x, int_(2)), add(x, int_(3))),
    ("subtracting a constant", sub(x, int_(1)), add(x, int_(-1))),
    ("subtracting itself", sub(x, x), int_(0)),
    ("product with zero", mul(x, int_(0)), int_(0)),
    ("product with minus one", mul(int_(-1), x), neg(x)),
    ("division by a constant", divide(u, real(4)), mul(real("1/4"), u)),
    ("folding division", div(int_(-7), int_(2)), int_(-4)),
    ("folding modulo", mod(int_(-7), int_(-2)), int_(1)),
    ("modulo one", mod(x, int_(-1)), int_(0)),
    ("floor of an integer", to_int(to_real(x)), x),
    ("absolute value", abs_(int_(-3)), int_(3)),
    ("bit-vector sum", bvadd(bv(255, 8), a, bv(1, 8)), a),
    ("bit-vector product", bvmul(bv(16, 8), a, bv(16, 8)), bv(0, 8)),
    ("bit-vector difference", bvsub(a, bv(1, 8)), bvadd(a, bv(-1, 8))),
    ("complements", bvand(a, bvnot(a)), bv(0, 8)),
    ("all ones", bvor(a, bv(255, 8)), bv(255, 8)),
    ("xor cancels", bvxor(a, b, a), b),
    ("xor with ones", bvxor(a, bv(255, 8)), bvnot(a)),
    ("xor of complements", bvxor(bvnot(bvxor(a, b)), c), bvnot(bvxor(a, b, c))),
    ("nothing is below zero", bvult(a, bv(0, 8)), FALSE),
    ("zero is the least", bvule(bv(0, 8), a), TRUE),
    ("shift too far", bvshl(a, bv(8, 8)), bv(0, 8)),
    ("bvcomp asked", eq(bvcomp(a, b), bv(1, 1)), eq(a, b)),
    ("slices joined", concat(extract(7, 4, a), extract(3, 0, a)), a),
    ("slice of a slice", extract(1, 0, extract(5, 2, a)), extract(3, 2, a)),
    ("slice of a concatenation", extract(7, 0, concat(a, b)), b),
    ("slice of zeros", extract(15, 8, zero_extend(8, a)), bv(0, 8)),
    ("extended twice", sign_extend(8, sign_extend(8, a)), sign_extend(16, a)),
    ("sign of zeros", sign_extend(8, zero_extend(8, a)), zero_extend(16, a)),
    ("once repeated", repeat(1, a), a),
    ("turned around", rotate_left(16, a), a),
    ("there and back", int_to_bv(8, ubv_to_int(a)), a),
    ("float negated twice", fp_neg(fp_neg(f)), f),
    ("least of one", fp_min(f, f), f),
    ("same format", fp_from_fp(FLOAT16, RNE, f), f),
    ("read what was written", select(store(m, x, y), x), y),
    ("read past a write", select(store(m, int_(1), y), int_(2)), select(m, int_(2))),
    ("read a constant array", select(const_array(Array(INT, INT), x), y), x),
    ("write twice", store(store(m, x, y), x, z), store(m, x, z)),
    ("write back", store(m, x, select(m, x)), m),
]


@pytest.mark.parametrize(("got", "expected"), [s[1:] for s in SIMPLER], ids=[s[0] for s in SIMPLER])
def test_simplification(got: Term, expected: Term) -> None:
    assert got is expected


@pytest.mark.parametrize(
    "term",
    [
        eq(f, g),
        logic.fp_eq(f, f),  # NaN
        not_(logic.fp_lt(f, g)),  # not the same as ≥
        div(x, int_(0)),
        mod(int_(1), int_(0)),
        divide(real(1), real(0)),
        select(store(m, x, y), z),
        select(store(m, x, y), int_(1)),
    ],
    ids=str,
)
def test_not_simplified(term: Term) -> None:
    assert not term.is_value
    assert term.args


# --- ill-sorted applications ------------------------------------------------------------------------------------------

_SAMPLES: list[Sort] = [BOOL, INT, REAL, BitVec(8), BitVec(9), FLOAT16, FLOAT32, ROUNDING_MODE, Array(INT, INT)]
_RESULTS: dict[str, Sort] = {"add": INT, "sub": INT, "mul": INT, "neg": INT, "ite": INT, "select": INT, "apply": INT}
# What a constructor calls itself in messages where that is not its name with a dot.
_SAID = {
    "ge": "<=", "gt": "<", "le": "<=", "lt": "<", "add": "+", "sub": "-", "mul": "*", "divide": "/", "implies": "=>",
    "eq": "=", "const_array": "const", "divisible": "mod", "bvnand": "bvand", "bvnor": "bvor", "bvxnor": "bvxor",
    "bvugt": "bvult", "bvuge": "bvule", "bvsgt": "bvslt", "bvsge": "bvsle", "fp_le": "fp.leq", "fp_ge": "fp.leq",
    "fp_gt": "fp.lt", "fp_round_to_integral": "fp.roundToIntegral", "fp_from_bits": "to_fp", "fp_from_fp": "to_fp",
    "fp_from_real": "to_fp", "fp_from_signed": "to_fp", "fp_from_unsigned": "to_fp_unsigned",
    "fp_is_normal": "fp.isNormal", "fp_is_subnormal": "fp.isSubnormal", "fp_is_zero": "fp.isZero",
    "fp_is_infinite": "fp.isInfinite", "fp_is_nan": "fp.isNaN", "fp_is_negative": "fp.isNegative",
    "fp_is_positive": "fp.isPositive", "apply": "f",
}  # fmt: skip


def _result_sort(shape: Shape) -> Sort:
    from support import terms as t

    groups: list[tuple[list[Shape], Sort]] = [
        (t.BOOLS, BOOL),
        (t.QUANTIFIED, BOOL),
        (t.NUMBERS, INT),
        (t.INTS, INT),
        (t.REALS, REAL),
        (t.BITS, BitVec(8)),
        (t.ONE_BIT, BitVec(1)),
        (t.FLOATING, FLOAT16),
        (t.ARRAYS, Array(INT, INT)),
        (t.ANY, INT),
    ]
    return next(sort for group, sort in groups if any(shape.name == s.name for s in group))


def _ill_sorted() -> Iterator[tuple[str, tuple[Any, ...], list[Term]]]:
    """Every constructor with one argument of a well-sorted application exchanged for one of every wrong sort."""
    for name, shape in SHAPES.items():
        maker = Maker(b"\x00" * 3 + b"\x60", Universe(widths=(8,), formats=((5, 11),)), Smart())
        prefix, sorts = shape.plan(maker, _result_sort(shape)) or ((), ())
        good = [var(f"a{i}", sort) for i, sort in enumerate(sorts)]
        getattr(logic, name)(*prefix, *good)
        for i, sort in enumerate(sorts):
            for wrong in _SAMPLES:
                if wrong is sort or (len(sorts) == 1 and _also_fits(name, wrong)):
                    continue
                yield name, prefix, [*good[:i], var("wrong", wrong), *good[i + 1 :]]


def _also_fits(name: str, sort: Sort) -> bool:
    """Constructors of one argument that take it in several sorts."""
    bits = isinstance(sort, BitVec)
    if name == "neg":
        return sort in (INT, REAL)
    if name in ("bvnot", "bvneg", "bvnego", "ubv_to_int", "sbv_to_int", "repeat", "rotate_left", "rotate_right"):
        return bits
    if name in ("zero_extend", "sign_extend", "extract", "concat"):
        return bits
    return name.startswith("fp_") and name != "fp_from_bits" and isinstance(sort, Float)


def _well_sorted_after_all(name: str, args: list[Term]) -> bool:
    """Places whose sort others do not determine."""
    sorts = [arg.sort for arg in args]
    if name == "concat":
        return all(isinstance(s, BitVec) for s in sorts)
    if name in ("fp_to_ubv", "fp_to_sbv", "fp_from_fp"):
        return sorts[0] is ROUNDING_MODE and isinstance(sorts[1], Float)
    if name in ("fp_from_signed", "fp_from_unsigned"):
        return sorts[0] is ROUNDING_MODE and isinstance(sorts[1], BitVec)
    if name == "fp":
        return sorts[0] is BitVec(1) and all(isinstance(s, BitVec) for s in sorts)
    if name in ("fp_sqrt", "fp_round_to_integral"):
        return sorts[0] is ROUNDING_MODE and isinstance(sorts[1], Float)
    return False


ILL_SORTED = [case for case in _ill_sorted() if not _well_sorted_after_all(case[0], case[2])]


def test_ill_sorted_applications_are_refused() -> None:
    assert {name for name, _, _ in ILL_SORTED} == set(SHAPES)
    for name, prefix, args in ILL_SORTED:
        with pytest.raises(IllSorted) as raised:
            getattr(logic, name)(*prefix, *args)
        message = str(raised.value)
        said = _SAID.get(name, name.rstrip("_").replace("fp_", "fp."))
        assert said in message, f"{name}: {message}"
        wrong = next(arg.sort for arg in args if arg.name == "wrong")
        assert str(wrong) in message, f"{name}: {message}"


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: concat(), "concat expects bit-vectors; got nothing"),
    (lambda: add(), "+ expects Ints only or Reals only; got nothing"),
    (lambda: bvadd(), "bvadd expects bit-vectors of one width; got nothing"),
    (lambda: distinct(x), "distinct expects at least two arguments of one sort; got x of sort Int"),
    (lambda: le(x, u), "<= expects Ints only or Reals only; got x of sort Int, u of sort Real"),
    (lambda: and_(p, x), "and expects Bools; got p of sort Bool, x of sort Int"),
    (lambda: extract(8, 0, a), "extract needs 0 <= low <= high < 8; got high 8, low 0"),
    (lambda: extract(0, 1, a), "extract needs 0 <= low <= high < 8; got high 0, low 1"),
    (lambda: zero_extend(-1, a), "zero_extend by -1: a bit-vector cannot be extended by fewer than 0 bits"),
    (lambda: repeat(0, a), "repeat needs at least one copy, not 0"),
    (lambda: BitVec(0), "a bit-vector needs at least one bit, not 0"),
    (lambda: Float(1, 5), "a float needs at least 2 exponent and 2 significand bits, not 1, 5"),
    (lambda: Function("f", (), INT), "function f has no parameters: use a variable instead"),
    (lambda: value(1, Array(INT, INT)), "there are no constants of sort (Array Int Int) (use const_array and store)"),
    (lambda: forall([int_(1)], p), "forall expects variables and a Bool body; got 1 of sort Int, p of sort Bool"),
    (lambda: exists([x], x), "exists expects variables and a Bool body; got x of sort Int, x of sort Int"),
    (lambda: substitute(x, {x: u}), "cannot substitute u of sort Real for x of sort Int"),
    (lambda: substitute(x, {int_(1): x}), "cannot substitute x of sort Int for 1 of sort Int"),
    (lambda: fp_min(x, x), "fp.min expects floats of one format; got x of sort Int, x of sort Int"),
    (lambda: fp_from_fp(FLOAT16, x, f), "to_fp.float expects a rounding mode first; got x of sort Int"),
    (
        lambda: apply(Function("h", (INT, BOOL), INT), x),
        "h expects arguments of sorts Int Bool; got x of sort Int",
    ),
    (
        lambda: eq(x, y, u),
        "= expects arguments of one sort; got y of sort Int, u of sort Real",
    ),
]


@pytest.mark.parametrize(("build", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_messages(build: Callable[[], object], message: str) -> None:
    with pytest.raises(IllSorted, match=re.escape(message)):
        build()


def test_messages_do_not_quote_large_terms() -> None:
    large = x
    for i in range(50):
        large = mul(add(large, int_(i + 1)), y)
    with pytest.raises(IllSorted) as raised:
        and_(p, large)
    assert len(str(raised.value)) < 200
    assert "(* …) of sort Int" in str(raised.value)
