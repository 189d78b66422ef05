"""Terms 200,000 deep go through everything, and nobody touches the recursion limit."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator

import pytest

from craton.logic import (
    BOOL,
    INT,
    Array,
    BitVec,
    Term,
    add,
    and_,
    atoms,
    bv,
    bvadd,
    bvmul,
    bvnot,
    const_array,
    eq,
    evaluate,
    expand,
    free_variables,
    infix,
    int_,
    is_quantified,
    ite,
    mul,
    not_,
    ops,
    or_,
    post_order,
    rebuild,
    rename,
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

DEPTH = 200_000
x, y = var("x", INT), var("y", INT)
a, b = var("a", BitVec(32)), var("b", BitVec(32))
p, q = var("p", BOOL), var("q", BOOL)
m = var("m", Array(INT, INT))


def integers() -> Term:
    term = x
    for i in range(DEPTH // 2):
        term = mul(y, add(term, int_(i % 7 + 1)))
    return eq(term, x)


def bit_vectors() -> Term:
    term = a
    for i in range(DEPTH // 2):
        term = bvnot(bvadd(bvmul(term, b), bv(i, 32))) if i % 2 else bvadd(term, a, b)
    return eq(term, b)


def booleans() -> Term:
    term = p
    for i in range(DEPTH // 2):
        term = not_(and_(or_(term, p) if i % 2 else term, q))
    return term


def choices() -> Term:
    term = x
    for i in range(DEPTH):
        term = ite(p if i % 2 else q, y, term) if i % 3 else ite(eq(x, int_(i)), term, y)
    return eq(term, y)


def arrays() -> Term:
    term = m
    for i in range(DEPTH):
        term = store(term, x if i % 2 else y, int_(i))
    return eq(select(term, int_(-1)), x)


KINDS: list[Callable[[], Term]] = [integers, bit_vectors, booleans, choices, arrays]


@pytest.fixture(autouse=True)
def _the_recursion_limit_stays() -> Iterator[None]:
    before = sys.getrecursionlimit()
    assert before <= 1000 or "hypothesis" in sys.modules  # which raises it while it runs a test
    yield
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_walks(kind: Callable[[], Term]) -> None:
    term = kind()
    assert size(term) > DEPTH * 0.7
    assert free_variables(term) <= {x, y, a, b, p, q, m}
    assert not is_quantified(term)
    assert atoms(term)
    assert rebuild(term, term.args) is term
    mapping = {x: add(y, int_(1)), a: bvadd(b, bv(1, 32)), p: not_(q), m: const_array(Array(INT, INT), x)}
    assert not free_variables(substitute(term, {v: t for v, t in mapping.items() if v in free_variables(term)})) & {
        p,
        a,
    }
    assert size(rename(term, lambda name: name + "'")) == size(term)
    assert expand(term, {ops.BVNEGO}) is term


@pytest.mark.parametrize("kind", [bit_vectors, booleans, choices], ids=lambda kind: kind.__name__)
def test_evaluation(kind: Callable[[], Term]) -> None:
    assert evaluate(kind(), {x: 1, y: 2, a: 3, b: 5, p: True, q: False}) in (False, True)


def test_evaluation_of_numbers_that_stay_small() -> None:
    assert evaluate(integers(), {x: 7, y: 0}) is False
    term = x
    for i in range(DEPTH):
        term = add(term, y) if i % 2 else mul(term, int_(-1))
    assert evaluate(term, {x: 1, y: 1}) in (0, 1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_texts(kind: Callable[[], Term]) -> None:
    term = kind()
    linear = 100 * size(term)
    assert len(infix(term)) < linear
    assert len(to_smtlib(term)) < linear
    text = script([term])
    assert len(text) < linear
    assert deepest(text) < 1000


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


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_pickle(kind: Callable[[], Term]) -> None:
    term = kind()
    assert pickle.loads(pickle.dumps(term)) is term


@pytest.mark.parametrize("kind", [integers, bit_vectors, booleans], ids=lambda kind: kind.__name__)
def test_reading(kind: Callable[[], Term]) -> None:
    term = kind()
    assert parse_script(script([term])) == [term]


# Translation only: what a solver does with such a formula is its own affair.


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_translation_to_z3(kind: Callable[[], Term]) -> None:
    term = kind()
    shared = Z3.get()
    assert shared.reader.read(shared.writer.write(term)) is term


@pytest.mark.parametrize("kind", [bit_vectors, booleans], ids=lambda kind: kind.__name__)
def test_translation_to_bitwuzla(kind: Callable[[], Term]) -> None:
    term = kind()
    shared = Bitwuzla.get()
    assert shared.reader.read(shared.writer.write(term)) is term


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_translation_to_cvc5(kind: Callable[[], Term]) -> None:
    term = kind()
    shared = Cvc5.get()
    assert shared.reader.read(shared.writer.write(term)) is term


def test_order_of_nodes() -> None:
    order = list(post_order(booleans()))
    assert order[-1] is booleans()
