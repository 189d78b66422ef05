"""How terms read, and that they read alike in every run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from craton.logic import (
    BOOL,
    FLOAT16,
    FLOAT32,
    INT,
    REAL,
    RNE,
    RTZ,
    Array,
    BitVec,
    Function,
    Term,
    add,
    and_,
    apply,
    bv,
    bvadd,
    bvand,
    bvashr,
    bvlshr,
    bvmul,
    bvneg,
    bvnot,
    bvor,
    bvshl,
    bvslt,
    bvudiv,
    bvult,
    bvxor,
    concat,
    const_array,
    distinct,
    div,
    divide,
    eq,
    exists,
    extract,
    forall,
    fp_add,
    fp_eq,
    fp_from_signed,
    fp_is_nan,
    fp_mul,
    fp_neg,
    fp_to_sbv,
    fp_value,
    ge,
    implies,
    infix,
    int_,
    ite,
    le,
    lt,
    mod,
    mul,
    neg,
    not_,
    or_,
    real,
    repeat,
    script,
    select,
    sign_extend,
    store,
    sub,
    to_smtlib,
    var,
    xor,
)

# Names of their own: which side of an equation comes first depends on which was made first.
x, y, z = (var(f"{name}_", INT) for name in "xyz")
r, s = var("r_", REAL), var("s_", REAL)
p, q, t = (var(f"{name}_", BOOL) for name in "pqt")
a, b = var("a_", BitVec(8)), var("b_", BitVec(8))
f, g = var("f_", FLOAT16), var("g_", FLOAT16)
m = var("m_", Array(INT, INT))
h = Function("h_", (INT, BOOL), INT)

READS: list[tuple[Term, str]] = [
    (and_(le(add(x, int_(1)), y), not_(eq(x, y))), "x + 1 ≤ y ∧ x ≠ y"),
    (or_(and_(p, q), not_(t)), "p ∧ q ∨ ¬t"),
    (and_(or_(p, q), t), "(p ∨ q) ∧ t"),
    (not_(and_(p, q)), "¬(p ∧ q)"),
    (implies(p, implies(q, t)), "p → q → t"),
    (implies(implies(p, q), t), "(p → q) → t"),
    (xor(p, q), "p ⊕ q"),
    (eq(p, lt(x, y)), "p = (x < y)"),
    (not_(eq(p, q)), "p ≠ q"),
    (add(x, int_(-1)), "x - 1"),
    (add(x, neg(y)), "x - y"),
    (sub(x, add(y, z)), "x - (y + z)"),
    (sub(sub(x, y), z), "x - y - z"),
    (mul(int_(2), add(x, y)), "2 * (x + y)"),
    (add(mul(int_(2), x), y), "2 * x + y"),
    (mul(int_(-2), x), "-2 * x"),
    (neg(mul(x, y)), "-(x * y)"),
    (div(x, mod(y, z)), "x div (y mod z)"),
    (ge(x, int_(0)), "x ≥ 0"),
    (lt(int_(0), x), "x > 0"),
    (divide(r, s), "r / s"),
    (mul(real("1/3"), r), "1/3 * r"),
    (bvult(a, b), "a <u b"),
    (bvslt(a, bv(-1, 8)), "a < -1"),
    (bvadd(a, bv(-1, 8)), "a - 1"),
    (bvadd(a, bvneg(b)), "a - b"),
    (bvor(bvand(a, b), bvxor(a, b)), "a & b | a ^ b"),
    (bvand(bvor(a, b), a), "(a | b) & a"),
    (bvshl(bvadd(a, b), a), "a + b << a"),
    (bvlshr(bvashr(a, b), b), "a >> b >>u b"),
    (bvmul(bvudiv(a, b), bvnot(a)), "a /u b * ~a"),
    (concat(a, b), "a ∘ b"),
    (extract(3, 0, a), "a[3:0]"),
    (extract(3, 0, bvadd(a, b)), "(a + b)[3:0]"),
    (sign_extend(8, a), "sign_extend[8](a)"),
    (repeat(2, a), "repeat[2](a)"),
    (fp_add(RNE, f, fp_mul(RNE, f, g)), "f + f * g"),
    (fp_add(RTZ, f, g), "fp.add(RTZ, f, g)"),
    (fp_eq(f, fp_value(-0.5, FLOAT16)), "f == -0.5"),
    (fp_neg(f), "-f"),
    (fp_is_nan(f), "fp.isNaN(f)"),
    (fp_to_sbv(8, RTZ, f), "fp.to_sbv[8](RTZ, f)"),
    (fp_from_signed(FLOAT32, RNE, a), "float32(RNE, a)"),
    (eq(f, fp_value(float("nan"), FLOAT16)), "f = nan"),
    (select(store(m, x, y), z), "m[x := y][z]"),
    (const_array(Array(INT, INT), int_(0)), "const(0)"),
    (apply(h, add(x, y), p), "h(x + y, p)"),
    (ite(lt(x, y), x, y), "(x < y ? x : y)"),
    (distinct(x, y, z), "distinct(x, y, z)"),
    (exists([x], lt(x, y)), "∃x. x < y"),
    (forall([x, y], or_(lt(x, y), p)), "∀x, y. x < y ∨ p"),
    (and_(forall([x], lt(x, y)), p), "(∀x. x < y) ∧ p"),
    (not_(exists([x], eq(x, y))), "¬(∃x. x = y)"),
]


@pytest.mark.parametrize(("term", "text"), READS, ids=[text for _, text in READS])
def test_infix(term: Term, text: str) -> None:
    assert infix(term).replace("_", "") == text.replace("_", "")
    assert str(term) == infix(term)
    assert repr(term) == f"<{infix(term)}>"


def test_parts_that_occur_twice_are_named() -> None:
    part = mul(add(x, int_(12345678)), add(y, int_(12345678)), add(z, int_(12345678)))
    assert infix(or_(lt(part, x), lt(part, y))) == (
        "$1 < x_ ∨ $1 < y_  where $1 = (x_ + 12345678) * (y_ + 12345678) * (z_ + 12345678)"
    )
    dollar = var("$1", INT)
    assert infix(or_(lt(part, dollar), lt(part, y))).startswith("$$1 < $1 ∨ $$1 < y_  where $$1 = ")


def test_parts_that_mention_bound_variables_are_named_inside() -> None:
    part = mul(add(x, int_(12345678)), add(y, int_(12345678)), add(z, int_(12345678)))
    text = infix(and_(p, exists([x], or_(lt(part, x), lt(part, y)))))
    assert text == ("p_ ∧ (∃x_. $1 < x_ ∨ $1 < y_  where $1 = (x_ + 12345678) * (y_ + 12345678) * (z_ + 12345678))")


def test_text_grows_with_the_graph_not_with_the_tree() -> None:
    term = x
    for _ in range(200):
        term = mul(add(term, y), add(term, z))
    assert len(infix(term)) < 20_000
    assert len(to_smtlib(term)) < 20_000


def test_smtlib() -> None:
    assert to_smtlib(and_(le(x, int_(-1)), p)) == "(and (<= x_ (- 1)) p_)"
    assert to_smtlib(bvadd(a, bv(10, 8))) == "(bvadd a_ #x0a)"
    assert to_smtlib(real("-1/3")) == "(- (/ 1.0 3.0))"
    assert to_smtlib(fp_value(1.0, FLOAT16)) == "(fp #b0 #b01111 #b0000000000)"
    assert to_smtlib(var("a b", INT)) == "|a b|"
    assert to_smtlib(var("select", INT)) == "select~2"
    assert to_smtlib(exists([x], lt(x, y))) == "(exists ((x_ Int)) (< x_ y_))"
    assert to_smtlib(const_array(Array(INT, INT), x)) == "((as const (Array Int Int)) x_)"


def test_script() -> None:
    u, v = var("u_", INT), var("v_", INT)
    assert script([lt(u, v), ("second", eq(apply(h, v, p), u))]) == (
        "(set-logic ALL)\n"
        "(declare-fun p_ () Bool)\n"
        "(declare-fun u_ () Int)\n"
        "(declare-fun v_ () Int)\n"
        "(declare-fun h_ (Int Bool) Int)\n"
        "(assert (< u_ v_))\n"
        "(assert (! (= (h_ v_ p_) u_) :named second))\n"
        "(check-sat)\n"
    )


_CONSTRUCTION = """
import random
from support.terms import decode
from craton.logic import BOOL, infix, script, substitute, rename
tapes = random.Random(7)
for _ in range(100):
    term = decode(tapes.randbytes(64), BOOL)
    print(script([term, rename(term, lambda name: name + "'")]), infix(term))
"""


def test_runs_with_different_hash_seeds_print_alike() -> None:
    texts = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run([sys.executable, "-c", _CONSTRUCTION], env=environment, capture_output=True, check=True)
        texts.append(run.stdout.decode())
    assert len(texts[0]) > 10_000
    assert texts[0] == texts[1]
