"""Small systems of Horn clauses as scripts, with their answers."""

from __future__ import annotations

SYSTEMS: dict[str, tuple[str, str]] = {
    "counting": (
        "sat",
        """(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 100)) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (= y (* 2 x)))))
(check-sat)
""",
    ),
    "counting too far": (
        "unsat",
        """(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))
(assert (not (p 5)))
""",
    ),
    "McCarthy 91": (
        "sat",
        """(set-logic HORN)
(declare-fun mc (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 100) (mc n (- n 10)))))
(assert (forall ((n Int) (r Int) (s Int)) (=> (and (<= n 100) (mc (+ n 11) r) (mc r s)) (mc n s))))
(assert (forall ((n Int) (r Int)) (=> (and (<= n 101) (mc n r)) (= r 91))))
""",
    ),
    "Fibonacci is not always small": (
        "unsat",
        """(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (fib 0 0))
(assert (fib 1 1))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (fib n a) (fib (+ n 1) b)) (fib (+ n 2) (+ a b)))))
(assert (forall ((n Int) (a Int)) (=> (fib n a) (< a 8))))
""",
    ),
    "even and odd": (
        "sat",
        """(set-logic HORN)
(declare-fun even (Int) Bool)
(declare-fun odd (Int) Bool)
(assert (even 0))
(assert (forall ((x Int)) (=> (even x) (odd (+ x 1)))))
(assert (forall ((x Int)) (=> (odd x) (even (+ x 1)))))
(assert (forall ((x Int)) (=> (even x) (>= x 0))))
""",
    ),
    "bits": (
        "sat",
        """(set-logic HORN)
(declare-fun p ((_ BitVec 8)) Bool)
(assert (forall ((x (_ BitVec 8))) (=> (= x #x00) (p x))))
(assert (forall ((x (_ BitVec 8))) (=> (p x) (p (bvadd x #x02)))))
(assert (forall ((x (_ BitVec 8))) (not (and (p x) (= x #x07)))))
""",
    ),
    "bits that wrap": (
        "unsat",
        """(set-logic HORN)
(declare-fun p ((_ BitVec 8)) Bool)
(assert (p #xfe))
(assert (forall ((x (_ BitVec 8))) (=> (p x) (p (bvadd x #x01)))))
(assert (forall ((x (_ BitVec 8))) (=> (p x) (bvuge x #x80))))
""",
    ),
    "no query": ("sat", "(declare-fun p (Int) Bool)(assert (p 1))"),
    "a contradiction": ("unsat", "(declare-fun p () Bool)(assert p)(assert (not p))"),
    "a false constraint": ("unsat", "(set-logic HORN)(assert (forall ((x Int)) (< x 10)))"),
    "rules": (
        "unsat",
        """(declare-rel reach (Int Bool))
(declare-rel goal ())
(declare-var x Int)
(declare-var b Bool)
(rule (=> (= x 3) (reach x true)))
(rule (=> (and (reach x b) b) (reach (- x 1) (> x 1))))
(rule (=> (and (reach x b) (not b)) goal))
(query goal)
""",
    ),
    "reals": (
        "sat",
        """(set-logic HORN)
(declare-fun p (Real) Bool)
(assert (p 1.0))
(assert (forall ((x Real)) (=> (p x) (p (/ x 2.0)))))
(assert (forall ((x Real)) (=> (p x) (> x 0.0))))
""",
    ),
    "arrays": (
        "sat",
        """(set-logic HORN)
(declare-fun p ((Array Int Int) Int) Bool)
(assert (forall ((a (Array Int Int))) (=> (= (select a 0) 1) (p a 1))))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (< i 10)) (p (store a i 0) (+ i 1)))))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (p a i) (= (select a 0) 1))))
""",
    ),
}
