"""Terms that go through their parts, SMT-LIB text or pickle come back as the same object."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from craton.errors import NotExpressible
from craton.logic import (
    BOOL,
    FLOAT16,
    INT,
    REAL,
    Array,
    BitVec,
    Function,
    Sort,
    Symbols,
    Term,
    add,
    and_,
    apply,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvnot,
    bvor,
    bvxor,
    concat,
    const_array,
    distinct,
    eq,
    exists,
    extract,
    forall,
    fp_value,
    functions,
    infix,
    int_,
    ite,
    le,
    lt,
    mul,
    not_,
    or_,
    post_order,
    real,
    rebuild,
    script,
    select,
    store,
    to_smtlib,
    value,
    var,
)
from craton.smt import parse_formula, parse_script, parse_term
from support import examples
from support.terms import EVERYTHING, decode, terms

# Names that need bars, that SMT-LIB or z3 use themselves, or that rendering uses for shared parts.
STRANGE = (
    "x y", "select", "$1", "if", "implies", "iff", "rem", "bv", "=", "x~2", "let", "assert", "", "é∀", "1x", "k!0",
    "$$", "and", "true", "Int",
    "bvredor", "fp.numeral", "x;y", "#x1", "the-term", "const", "a'b", ":key", "bv2int", "NaN",
)  # fmt: skip


def assert_comes_back(term: Term) -> None:
    symbols = Symbols()
    text = to_smtlib(term, symbols=symbols)
    parsed = parse_term(text, term.sort, symbols=symbols)
    assert parsed is term, f"{text} was read as {parsed}"


@examples(600)
@given(terms())
def test_rebuilding_is_identity(term: Term) -> None:
    for part in post_order(term):
        assert rebuild(part, part.args) is part


@examples(400)
@given(terms())
def test_smtlib_is_identity(term: Term) -> None:
    assert_comes_back(term)


@examples(150)
@given(terms(universe=replace(EVERYTHING, names=STRANGE)))
def test_smtlib_is_identity_whatever_the_names(term: Term) -> None:
    assert_comes_back(term)


@examples(150)
@given(terms(BOOL, replace(EVERYTHING, names=(*"abcdehijklmnopqrstuvwxyz", "x y"))))
def test_scripts_are_identity(formula: Term) -> None:
    symbols = [part for part in post_order(formula) if part.is_variable] + list(functions(formula))
    if len({s.name for s in symbols}) < len(symbols):
        return  # some are called otherwise in the text
    assert parse_script(script([formula, ("named", formula)])) == [formula, formula]


@examples(300)
@given(terms())
def test_pickle_is_identity(term: Term) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(term, protocol)) is term


@examples(50)
@given(terms())
def test_copies_are_the_term_itself(term: Term) -> None:
    assert copy.copy(term) is term
    assert copy.deepcopy([term])[0] is term


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("sort", [BOOL, INT, BitVec(8), Array(INT, BOOL)], ids=str)
def test_variables_of_any_name(name: str, sort: Sort) -> None:
    variable = var(name, sort)
    choice = var("another", BOOL)
    assert_comes_back(ite(choice, variable, var("other", sort)))
    assert_comes_back(eq(apply(Function(name, (sort, INT), BOOL), variable, int_(-3)), choice))


@pytest.mark.parametrize("name", STRANGE)
def test_bound_variables_of_any_name(name: str) -> None:
    x, y = var(name, INT), var(name, BitVec(8))
    assert_comes_back(forall([x], exists([y], or_(le(x, int_(0)), eq(y, var("free", BitVec(8)))))))


@pytest.mark.parametrize("name", ["a|b", "a\\b"])
def test_names_that_smtlib_cannot_write(name: str) -> None:
    with pytest.raises(NotExpressible, match="SMT-LIB has no symbol"):
        to_smtlib(var(name, INT))


def test_one_name_at_many_sorts() -> None:
    sorts = [BOOL, INT, REAL, BitVec(8), BitVec(9), FLOAT16, Array(INT, INT)]
    same = [eq(var("x", s), var("y", s)) for s in sorts]
    assert_comes_back(and_(*same))
    assert_comes_back(exists([var("x", s) for s in sorts], and_(*same)))
    assert_comes_back(and_(var("x", BOOL), forall([var("x", INT)], le(var("x", INT), var("y", INT)))))
    # A function and a variable of one name.
    assert_comes_back(eq(apply(Function("x", (INT,), INT), var("x", INT)), apply(Function("x", (REAL,), INT), real(1))))


def test_shadowed_variables() -> None:
    x, y = var("x", INT), var("y", INT)
    inner = exists([x], lt(x, y))
    assert_comes_back(and_(lt(int_(3), x), inner))
    assert_comes_back(forall([x], or_(lt(x, y), exists([x], and_(lt(y, x), le(x, y))))))
    assert_comes_back(forall([y], or_(inner, exists([y], and_(inner, eq(x, y))))))
    assert_comes_back(forall([x], or_(exists([y], eq(x, y)), eq(x, y))))


def test_parts_shared_between_inside_and_outside_of_a_quantifier() -> None:
    x, y = var("x", INT), var("y", INT)
    long = eq(mul(add(x, y), add(x, int_(12345)), add(y, int_(54321))), int_(1000000))
    text = to_smtlib(and_(long, exists([x], or_(long, lt(x, y)))))
    assert text.count("1000000") == 2  # it means something else inside
    assert_comes_back(and_(long, exists([x], or_(long, lt(x, y)))))
    outer = eq(mul(y, add(y, int_(12345)), add(y, int_(54321))), int_(1000000))
    text = to_smtlib(and_(or_(outer, eq(x, y)), exists([x], or_(outer, lt(x, y)))))
    assert text.count("1000000") == 1
    assert_comes_back(and_(or_(outer, eq(x, y)), exists([x], or_(outer, lt(x, y)))))


def test_named_assertions() -> None:
    x, y = var("x", INT), var("y", INT)
    text = script(
        [("low", le(int_(0), x)), lt(x, y), ("x", eq(x, y))], comment="two\nlines", options=["(set-info :a b)"]
    )
    assert text.startswith("; two\n; lines\n(set-info :a b)\n(set-logic ALL)\n")
    assert text.endswith("(check-sat)\n")
    assert ":named low" in text


# --- regressions ------------------------------------------------------------------------------------------------------

a, b, c = (var(name, BitVec(12)) for name in "abc")
PARTS = [var(f"part{i}", BitVec(4)) for i in range(100)]
WIDE = concat(*PARTS[:3])
INTS = [var(f"int{i}", INT) for i in range(100)]
BOOLS = [var(f"bool{i}", BOOL) for i in range(100)]


def _writes(count: int) -> Term:
    array = var("array", Array(INT, INT))
    for i in range(count):
        array = store(array, int_(i), var("element", INT))
    return array


@pytest.mark.parametrize(
    "make",
    [
        lambda: bvxor(bvnot(bvxor(a, b)), c),  # the complement of a bvxor is flattened like one
        lambda: bvxor(bvnot(bvxor(a, b)), bvnot(bvxor(b, c))),
        lambda: concat(a, extract(11, 6, WIDE), extract(5, 0, WIDE), b),  # joined slices give a concatenation again
        lambda: concat(extract(11, 6, WIDE), extract(5, 0, WIDE)),
        lambda: select(_writes(300), int_(-1)),  # longer than a read looks
        lambda: select(_writes(300), int_(0)),
        lambda: select(_writes(255), int_(-1)),
        *(lambda op=op: op(*PARTS) for op in (bvadd, bvmul, bvand, bvor, bvxor, concat)),
        *(lambda op=op: op(op(*PARTS), PARTS[0]) for op in (bvadd, bvmul, bvand, bvor, bvxor, concat)),
        *(lambda op=op: op(*INTS) for op in (add, mul, distinct)),
        *(lambda op=op: op(*BOOLS) for op in (and_, or_)),
        *(lambda op=op: op(op(*BOOLS), op(*BOOLS[:70]), not_(BOOLS[0])) for op in (and_, or_)),
        lambda: const_array(Array(INT, Array(BOOL, REAL)), const_array(Array(BOOL, REAL), real("-1/3"))),
        lambda: eq(fp_value(float("nan"), FLOAT16), var("f", FLOAT16)),
        *(  # variables called like constants
            lambda name=name, number=number: ite(var("p", BOOL), var(name, FLOAT16), fp_value(float(number), FLOAT16))
            for name, number in (("NaN", "nan"), ("+oo", "inf"), ("-oo", "-inf"), ("+zero", "0"), ("-zero", "-0"))
        ),
        lambda: mul(real("-1/3"), var("r", REAL)),
        lambda: value(-(10**50), INT),
    ],
)
def test_regressions(make: Callable[[], Term]) -> None:
    term = make()
    assert rebuild(term, term.args) is term
    assert pickle.loads(pickle.dumps(term)) is term
    assert_comes_back(term)


# --- other processes --------------------------------------------------------------------------------------------------

_PRINT = """
import pickle, sys
from craton.logic import infix, script, to_smtlib
for term in pickle.load(sys.stdin.buffer):
    print(infix(term), to_smtlib(term), sep="\\n")
    print(script([term]) if str(term.sort) == "Bool" else "")
"""


def test_a_fresh_process_prints_unpickled_terms_alike() -> None:
    tapes = random.Random(0)
    some = []
    for i in range(200):
        # Names of their own: the order of declarations and equations depends on what was made before.
        universe = replace(EVERYTHING, names=(f"p{i}", f"q{i}", f"r{i}"))
        some.append(decode(tapes.randbytes(64), BOOL if i % 2 else None, universe))
    here = "".join(f"{infix(t)}\n{to_smtlib(t)}\n{script([t]) if t.sort is BOOL else ''}\n" for t in some)
    there = subprocess.run([sys.executable, "-c", _PRINT], input=pickle.dumps(some), capture_output=True, check=True)
    assert there.stdout.decode() == here


def test_parsing_over_given_variables() -> None:
    x, f = var("x", INT), Function("f", (INT,), BOOL)
    assert parse_formula("(and (< x 3) (f x))", [x, f]) is and_(lt(x, int_(3)), apply(f, x))
    assert parse_term("(+ x 1)", INT, [x]) is add(x, int_(1))
    assert parse_term("#b101", BitVec(3)) is bv(5, 3)
