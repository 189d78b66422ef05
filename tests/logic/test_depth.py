"""Terms 200,000 deep go through everything, and nobody touches the recursion limit."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from craton.logic import (
    BOOL,
    INT,
    Array,
    BitVec,
    Term,
    add,
    and_,
    bvadd,
    bvnot,
    eq,
    evaluate,
    free_variables,
    infix,
    int_,
    mul,
    not_,
    or_,
    script,
    select,
    size,
    store,
    substitute,
    to_smtlib,
    var,
)
from craton.smt import parse_script
from craton.smt.bitwuzla.solver import Shared as Bitwuzla
from craton.smt.cvc5.solver import Shared as Cvc5
from craton.smt.z3.solver import Shared as Z3

pytestmark = pytest.mark.large

DEPTH = 200_000
x, y = var("x", INT), var("y", INT)
a, b = var("a", BitVec(32)), var("b", BitVec(32))
p, q = var("p", BOOL), var("q", BOOL)
m = var("m", Array(INT, INT))


@cache
def deep(kind: str) -> Term:
    """A formula that nests DEPTH operations (half of it for arrays, whose operations are larger)."""
    term: Term
    if kind == "Int":
        term = x
        for i in range(DEPTH // 2):
            term = mul(y, add(term, int_(i % 7 + 1)))
        return eq(term, x)
    if kind == "BitVec":
        term = a
        for _ in range(DEPTH // 2):
            term = bvnot(bvadd(term, b))
        return eq(term, b)
    if kind == "Bool":
        term = p
        for i in range(DEPTH // 2):
            term = not_(and_(term, q)) if i % 2 else not_(or_(term, q))
        return term
    term = m
    for i in range(DEPTH // 2):
        term = store(term, y if i % 2 else x, int_(i))
    return eq(select(term, int_(-1)), x)


every_kind = pytest.mark.parametrize("kind", ["Int", "BitVec", "Bool"])


@pytest.fixture(autouse=True)
def _the_recursion_limit_stays() -> Iterator[None]:
    before = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == before
    assert before < DEPTH


@pytest.mark.parametrize("kind", ["Int", "BitVec", "Bool", "Array"])
def test_walks(kind: str) -> None:
    term = deep(kind)
    assert size(term) >= DEPTH
    primed = {v: var(f"{v.name}'", v.sort) for v in free_variables(term)}
    assert free_variables(substitute(term, primed)) == set(primed.values())


@every_kind
def test_evaluation(kind: str) -> None:
    # y is 0, so that the numbers stay small.
    assert evaluate(deep(kind), {x: 1, y: 0, a: 3, b: 5, p: True, q: False}) in (False, True)


# One walk writes all kinds: what differs is the syntax, and names for shared parts in scripts.
@pytest.mark.parametrize(
    ("kind", "write"),
    [("Int", infix), ("Bool", to_smtlib), *((kind, lambda term: script([term])) for kind in ("Int", "BitVec", "Bool"))],
    ids=["infix", "smtlib", "script, Int", "script, BitVec", "script, Bool"],
)
def test_texts(kind: str, write: Callable[[Term], str]) -> None:
    text = write(deep(kind))
    assert len(text) < 100 * DEPTH
    if text.endswith("(check-sat)\n"):
        assert deepest(text) < 2000


def deepest(text: str) -> int:
    """How deep parentheses nest."""
    depth = most = 0
    for character in text:
        if character == "(":
            depth += 1
            most = max(most, depth)
        elif character == ")":
            depth -= 1
    return most


def test_pickle() -> None:
    assert pickle.loads(pickle.dumps(deep("BitVec"))) is deep("BitVec")


def test_reading() -> None:
    assert parse_script(script([deep("BitVec")])) == [deep("BitVec")]


# Translation only: what a solver does with such a formula is its own affair.


@pytest.mark.parametrize("kind", ["Int", "BitVec", "Bool", "Array"])
def test_translation_to_z3(kind: str) -> None:
    shared = Z3.get()
    node = shared.writer.write(deep(kind))
    if kind == "Bool":
        assert shared.reader.read(node) is deep(kind)


@pytest.mark.parametrize("kind", ["BitVec", "Bool"])
def test_translation_to_bitwuzla(kind: str) -> None:
    shared = Bitwuzla.get()
    node = shared.writer.write(deep(kind))
    if kind == "Bool":
        assert shared.reader.read(node) is deep(kind)


@every_kind
def test_translation_to_cvc5(kind: str) -> None:
    shared = Cvc5.get()
    node = shared.writer.write(deep(kind))
    if kind == "Bool":
        assert shared.reader.read(node) is deep(kind)
