"""The traces of the catalogue as text; `support.traces` says how to read it. Titles are `theory: name`."""

from __future__ import annotations

INFEASIBLE_TEXTS: dict[str, tuple[str, str]] = {
    # --- the papers ---
    "array: leak check, [CN] Figure 2": (
        "a b: Int => Bool, x p: Int",
        """
        b := a
        x := 0
        1 times {
            havoc p
            (not (select a p))
            a := (store a p true)
            x := (+ x 1)
            a := (store a p false)
        }
        (not (= a b))
        """,
    ),
    "array: leak check, two rounds": (
        "a b: Int => Bool, x p: Int",
        """
        b := a
        x := 0
        2 times {
            havoc p
            (not (select a p))
            a := (store a p true)
            x := (+ x 1)
            a := (store a p false)
        }
        (not (= a b))
        """,
    ),
    "int: k is dead, [CN] Figure 3": (
        "k y: Int",
        """
        k := 0
        (>= y k)
        1 times {
            k := 1
            y := (+ y k)
        }
        (< y 0)
        """,
    ),
    "int: loop not entered, [NR] Table 3.1": (
        "x y: Int",
        """
        x := 0
        y := 1
        (not (< x 1))
        (not (= x 1))
        """,
    ),
    "int: loop entered once, [NR] Table 3.2": (
        "x y: Int",
        """
        x := 0
        y := 1
        1 times {
            (< x 1)
            x := (+ x 1)
        }
        (not (< x 1))
        (not (= x 1))
        """,
    ),
    "int: the example of [EI], two rounds": (
        "x y i j: Int",
        """
        i := 0
        j := 0
        x := 0
        y := 0
        2 times {
            x := (+ x 1)
            y := (+ y 1)
            i := (+ i 1)
            (>= x i)
        }
        (< x (+ i j))
        """,
    ),
    # --- integers, straight ---
    "int: contradictory assumptions": (
        "x y: Int",
        """
        (> x 0)
        y := 7
        (< x 0)
        """,
    ),
    "int: a contradiction in one step": (
        "x: Int",
        """
        x := 3
        (and (> x 3) (< x 5))
        """,
    ),
    "int: false at once": (
        "x: Int",
        """
        x := 1
        false
        x := 2
        (= x 2)
        """,
    ),
    "int: one statement": ("x: Int", "(and (< x 0) (> x 0))"),
    "int: the last value counts": (
        "x: Int",
        """
        x := 5
        x := 6
        x := 7
        (= x 6)
        """,
    ),
    "int: dead assignments around the core": (
        "x y z dead: Int",
        """
        dead := 1
        y := (* 2 x)
        dead := (+ y 17)
        z := (+ y 1)
        dead := (- dead z)
        (= z (* 2 x))
        dead := 0
        """,
    ),
    "int: a small core among much else": (
        "a b c d e f: Int",
        """
        a := 1
        b := (+ a 1)
        c := (+ b d)
        (> c e)
        havoc f
        (= f (+ c e))
        e := (- e 1)
        (< a 0)
        d := (+ c b)
        (> d 5)
        f := 0
        """,
    ),
    "int: swap by sums": (
        "x y a b: Int",
        """
        a := x
        b := y
        x := (+ x y)
        y := (- x y)
        x := (- x y)
        (or (not (= x b)) (not (= y a)))
        """,
    ),
    "int: maximum by cases": (
        "x y m: Int",
        """
        m := x
        (> y m)
        m := y
        (or (< m x) (< m y))
        """,
    ),
    "int: absolute value by ite": (
        "x y: Int",
        """
        y := (ite (< x 0) (- x) x)
        (< y 0)
        """,
    ),
    "int: remainder after division": (
        "n q r: Int",
        """
        (>= n 0)
        q := (div n 4)
        r := (mod n 4)
        (not (= n (+ (* 4 q) r)))
        """,
    ),
    "int: parity": (
        "x y: Int",
        """
        y := (+ x x)
        (= (mod y 2) 1)
        """,
    ),
    "int: chain of inequalities": (
        "a b c d: Int",
        """
        (< a b)
        (< b c)
        (< c d)
        (<= d (+ a 2))
        """,
    ),
    "int: a product that cannot be": (
        "x y: Int",
        """
        (= x 3)
        y := (* x x)
        (> y 9)
        """,
    ),
    # --- integers, loops ---
    "int: counter pair, one round": (
        "i j n: Int",
        """
        i := 0
        j := 0
        1 times {
            (< i n)
            i := (+ i 1)
            j := (+ j 1)
        }
        (>= i n)
        (not (= i j))
        """,
    ),
    "int: counter pair, three rounds": (
        "i j n: Int",
        """
        i := 0
        j := 0
        3 times {
            (< i n)
            i := (+ i 1)
            j := (+ j 1)
        }
        (>= i n)
        (not (= i j))
        """,
    ),
    "int: counter pair, five rounds": (
        "i j n: Int",
        """
        i := 0
        j := 0
        5 times {
            (< i n)
            i := (+ i 1)
            j := (+ j 1)
        }
        (>= i n)
        (not (= i j))
        """,
    ),
    "int: up and down": (
        "x y n: Int",
        """
        x := n
        y := 0
        3 times {
            (> x 0)
            x := (- x 1)
            y := (+ y 1)
        }
        (<= x 0)
        (not (= (+ x y) n))
        """,
    ),
    "int: sum of the first numbers, four rounds": (
        "s i: Int",
        """
        s := 0
        i := 0
        4 times {
            (< i 4)
            i := (+ i 1)
            s := (+ s i)
        }
        (>= i 4)
        (not (= s 10))
        """,
    ),
    "int: bounded loop left too early": (
        "i: Int",
        """
        i := 0
        2 times {
            (< i 10)
            i := (+ i 1)
        }
        (>= i 10)
        """,
    ),
    "int: bounded loop, wrong end": (
        "i: Int",
        """
        i := 0
        2 times {
            (< i 2)
            i := (+ i 1)
        }
        (>= i 2)
        (not (= i 2))
        """,
    ),
    "int: loop entered once too often": (
        "i: Int",
        """
        i := 0
        3 times {
            (< i 2)
            i := (+ i 1)
        }
        """,
    ),
    "int: nested loops": (
        "i j s: Int",
        """
        i := 0
        s := 0
        2 times {
            (< i 2)
            j := 0
            2 times {
                (< j 2)
                s := (+ s 1)
                j := (+ j 1)
            }
            (>= j 2)
            i := (+ i 1)
        }
        (>= i 2)
        (< s 0)
        """,
    ),
    "int: input in a loop, two rounds": (
        "x s: Int",
        """
        s := 0
        2 times {
            havoc x
            (> x 0)
            s := (+ s x)
        }
        (< s 0)
        """,
    ),
    "int: two ways through a loop": (
        "c x y: Int",
        """
        x := 0
        y := 0
        loop {
            havoc c
            (> c 0)
            x := (+ x 1)
            y := (+ y 1)
        } again {
            havoc c
            (not (> c 0))
            x := (- x 1)
            y := (- y 1)
        } again {
            havoc c
            (> c 0)
            x := (+ x 1)
            y := (+ y 1)
        }
        (not (= x y))
        """,
    ),
    "int: lock and unlock": (
        "locked got new: Int",
        """
        locked := 0
        loop {
            (= locked 0)
            locked := 1
            got := new
            havoc new
            (not (= new got))
            locked := 0
        } again {
            (= locked 0)
            locked := 1
            got := new
            (= new got)
        }
        (= locked 0)
        """,
    ),
    "int: flag remembers": (
        "flag x: Int",
        """
        flag := 0
        x := 0
        2 times {
            havoc x
            (> x 100)
            flag := 1
        }
        (= flag 0)
        """,
    ),
    "int: doubling stays even": (
        "x y: Int",
        """
        x := 2
        3 times {
            x := (* 2 x)
            y := (+ x 1)
        }
        (= x 7)
        """,
    ),
    # --- reals ---
    "real: halves add up": (
        "x y: Real",
        """
        y := (/ x 2.0)
        y := (+ y y)
        (not (= x y))
        """,
    ),
    "real: Zeno never arrives": (
        "x: Real",
        """
        x := 1.0
        3 times {
            x := (/ x 2.0)
        }
        (<= x 0.0)
        """,
    ),
    "real: mean lies between": (
        "x y m: Real",
        """
        (< x y)
        m := (/ (+ x y) 2.0)
        (or (<= m x) (>= m y))
        """,
    ),
    # --- booleans ---
    "bool: toggled twice": (
        "p q: Bool",
        """
        q := p
        2 times {
            p := (not p)
        }
        (not (= p q))
        """,
    ),
    "bool: exclusive states": (
        "p q r: Bool",
        """
        p := true
        q := false
        2 times {
            r := p
            p := q
            q := r
        }
        (and p q)
        """,
    ),
    "bool: implication chain": (
        "p q r: Bool",
        """
        (=> p q)
        (=> q r)
        p := (and p true)
        (and p (not r))
        """,
    ),
    # --- bit-vectors ---
    "bits: xor swap": (
        "x y a b: B8",
        """
        a := x
        b := y
        x := (bvxor x y)
        y := (bvxor x y)
        x := (bvxor x y)
        (not (and (= x b) (= y a)))
        """,
    ),
    "bits: overflow wraps": (
        "x: B8",
        """
        x := #xff
        x := (bvadd x #x01)
        (not (= x #x00))
        """,
    ),
    "bits: unsigned counter pair, two rounds": (
        "i j n: B8",
        """
        i := #x00
        j := #x00
        2 times {
            (bvult i n)
            i := (bvadd i #x01)
            j := (bvadd j #x01)
        }
        (bvuge i n)
        (not (= i j))
        """,
    ),
    "bits: signed loop, four rounds": (
        "i s: B32",
        """
        i := #x00000000
        s := #x00000000
        4 times {
            (bvslt i #x0000000a)
            i := (bvadd i #x00000001)
            s := (bvadd s #x00000002)
        }
        (not (= s (bvmul #x00000002 i)))
        """,
    ),
    "bits: mask keeps the low half": (
        "x y: B8",
        """
        y := (bvand x #x0f)
        (bvugt y #x0f)
        """,
    ),
    "bits: lowest bit cleared": (
        "x y: B8",
        """
        y := (bvand x (bvsub x #x01))
        (not (= x #x00))
        (bvuge y x)
        """,
    ),
    "bits: power of two": (
        "x y: B8",
        """
        x := #x01
        3 times {
            x := (bvshl x #x01)
        }
        y := (bvand x (bvsub x #x01))
        (not (= y #x00))
        """,
    ),
    "bits: shift right and back": (
        "x y: B8",
        """
        (= (bvand x #x03) #x00)
        y := (bvlshr x #x02)
        y := (bvshl y #x02)
        (not (= x y))
        """,
    ),
    "bits: sign by arithmetic shift": (
        "x s: B8",
        """
        s := (bvashr x #x07)
        (bvslt x #x00)
        (not (= s #xff))
        """,
    ),
    "bits: halves put together": (
        "x: B8, high low: B4, y: B8",
        """
        high := ((_ extract 7 4) x)
        low := ((_ extract 3 0) x)
        y := (concat high low)
        (not (= x y))
        """,
    ),
    "bits: widening keeps the sign": (
        "x: B8, y: B16",
        """
        (bvslt x #x00)
        y := ((_ sign_extend 8) x)
        (bvsge y #x0000)
        """,
    ),
    "bits: parity by folding": (
        "x y z: B4",
        """
        y := (bvxor x (bvlshr x #x2))
        y := (bvxor y (bvlshr y #x1))
        z := (bvand y #x1)
        (= x #x7)
        (not (= z #x1))
        """,
    ),
    "bits: remainder is smaller": (
        "x m r: B8",
        """
        (not (= m #x00))
        r := (bvurem x m)
        (bvuge r m)
        """,
    ),
    "bits: input in a loop": (
        "x s: B8",
        """
        s := #x00
        2 times {
            havoc x
            x := (bvand x #x0f)
            s := (bvor s x)
        }
        (bvugt s #x0f)
        """,
    ),
    # --- floats ---
    "float: NaN equals nothing": (
        "x y: F32",
        """
        (fp.isNaN x)
        y := (fp.add RNE x (f32 1.0))
        (fp.eq y y)
        """,
    ),
    "float: absorption": (
        "x y: F16",
        """
        x := (f16 2048.0)
        y := (fp.add RNE x (f16 1.0))
        (not (= x y))
        """,
    ),
    "float: comparison chain": (
        "x y z: F32",
        """
        (fp.lt x y)
        (fp.lt y z)
        (fp.leq z x)
        """,
    ),
    "float: three tenths": (
        "x y: F32",
        """
        x := (fp.add RNE (f32 0.1) (f32 0.2))
        y := (fp.mul RNE (f32 3.0) (f32 0.1))
        (fp.isNaN x)
        """,
    ),
    "float: accumulation, three rounds": (
        "x: F16",
        """
        x := (f16 0.0)
        3 times {
            (fp.lt x (f16 1.0))
            x := (fp.add RNE x (f16 0.5))
        }
        """,
    ),
    "float: doubling is exact": (
        "x y: F16",
        """
        (fp.leq (f16 1.0) x)
        (fp.leq x (f16 2.0))
        y := (fp.add RNE x x)
        (not (fp.eq y (fp.mul RNE (f16 2.0) x)))
        """,
    ),
    "float: negated twice": (
        "x y: F64",
        """
        y := (fp.neg x)
        y := (fp.neg y)
        (not (= x y))
        """,
    ),
    "float: an interval with an input": (
        "x y: F16",
        """
        havoc x
        (fp.leq (f16 0.0) x)
        (fp.leq x (f16 1.0))
        y := (fp.add RNE x (f16 1.0))
        (fp.lt y (f16 1.0))
        """,
    ),
    "float: irrelevant floats around integers": (
        "x: F32, i: Int",
        """
        x := (f32 0.5)
        i := 0
        2 times {
            x := (fp.mul RNE x x)
            i := (+ i 1)
        }
        (< i 0)
        """,
    ),
    # --- arrays ---
    "array: write and read": (
        "a: Int => Int, i: Int",
        """
        a := (store a i 5)
        (not (= (select a i) 5))
        """,
    ),
    "array: two places": (
        "a: Int => Int, i j: Int",
        """
        a := (store a i 1)
        a := (store a j 2)
        (not (= i j))
        (not (= (select a i) 1))
        """,
    ),
    "array: filled in a loop, three rounds": (
        "a: Int => Int, i: Int",
        """
        i := 0
        3 times {
            (< i 3)
            a := (store a i 0)
            i := (+ i 1)
        }
        (>= i 3)
        (not (= (select a 1) 0))
        """,
    ),
    "array: filled and read at an unknown place": (
        "a: Int => Int, i k: Int",
        """
        i := 0
        2 times {
            a := (store a i 7)
            i := (+ i 1)
        }
        (and (<= 0 k) (< k i))
        (not (= (select a k) 7))
        """,
    ),
    "array: swap of elements": (
        "a b: Int => Int, i j t: Int",
        """
        b := a
        t := (select a i)
        a := (store a i (select a j))
        a := (store a j t)
        (not (and (= (select a i) (select b j)) (= (select a j) (select b i))))
        """,
    ),
    "array: copy element by element": (
        "a b: Int => Int, i: Int",
        """
        i := 0
        2 times {
            b := (store b i (select a i))
            i := (+ i 1)
        }
        (not (= (select a 1) (select b 1)))
        """,
    ),
    "array: overwritten after havoc": (
        "a: Int => Int, i: Int",
        """
        a := (store a 0 1)
        havoc a
        a := (store a 0 2)
        (= (select a 0) 1)
        """,
    ),
    "memory: two pointers": (
        "m: B8 => B8, p q: B8",
        """
        (not (= p q))
        m := (store m p #x01)
        m := (store m q #x02)
        (not (= (select m p) #x01))
        """,
    ),
    "memory: pointer through memory": (
        "m: B8 => B8, p q: B8",
        """
        m := (store m p q)
        m := (store m (select m p) #x2a)
        (not (= p q))
        (not (= (select m q) #x2a))
        """,
    ),
    "memory: list of two": (
        "next: Int => Int, head n c: Int",
        """
        head := 0
        2 times {
            havoc n
            (> n head)
            next := (store next n head)
            head := n
        }
        c := (select next head)
        (>= c head)
        """,
    ),
    "memory: allocation by a counter": (
        "m: B8 => B8, top p q: B8",
        """
        top := #x10
        p := top
        top := (bvadd top #x04)
        q := top
        top := (bvadd top #x04)
        m := (store m p #x01)
        m := (store m q #x02)
        (= (select m p) (select m q))
        """,
    ),
    # --- mixed ---
    "mixed: bits as a number": (
        "x: B8, n: Int",
        """
        n := (ubv_to_int x)
        (> n 255)
        """,
    ),
    "mixed: array of bits with an integer counter": (
        "a: Int => B8, i: Int, s: B8",
        """
        i := 0
        s := #x00
        2 times {
            a := (store a i s)
            s := (bvadd s #x01)
            i := (+ i 1)
        }
        (not (= (select a 1) #x01))
        """,
    ),
    "mixed: a flag guards a division": (
        "safe: Bool, x y: Int",
        """
        safe := (not (= y 0))
        safe
        x := (* 0 y)
        (and safe (= y 0))
        """,
    ),
    # --- blocks ---
    "block: straight": (
        "x y: Int",
        """
        block {
            x := 1
            y := (+ x 1)
            x := (+ y 1)
        }
        (not (= x 3))
        """,
    ),
    "block: one that holds the contradiction": (
        "x y: Int",
        """
        y := 0
        block {
            x := 1
            (< x 0)
            y := 5
        }
        (= y 5)
        """,
    ),
    "block: swap at once": (
        "x y a b t: Int",
        """
        a := x
        b := y
        block {
            t := x
            x := y
            y := t
        }
        (not (and (= x b) (= y a)))
        """,
    ),
    "block: loop body as one": (
        "i j n: Int",
        """
        block {
            i := 0
            j := 0
        }
        3 times {
            block {
                (< i n)
                i := (+ i 1)
                j := (+ j 1)
            }
        }
        (not (= i j))
        """,
    ),
    "block: diamond": (
        "x y: Int",
        """
        block {
            either {
                (< x 0)
                y := (- x)
            } or {
                (>= x 0)
                y := x
            }
        }
        (< y 0)
        """,
    ),
    "block: free choice": (
        "x: Int",
        """
        x := 0
        2 times {
            block {
                either {
                    x := (+ x 1)
                } or {
                    x := (+ x 2)
                }
            }
        }
        (> x 4)
        """,
    ),
    "block: two diamonds in a row": (
        "x y s: Int",
        """
        block {
            s := 0
            either {
                (< x 0)
            } or {
                (>= x 0)
                s := (+ s 1)
            }
            either {
                (< y 0)
            } or {
                (>= y 0)
                s := (+ s 1)
            }
        }
        (> s 2)
        """,
    ),
    "block: an input used twice": (
        "x y: Int",
        """
        block {
            havoc x
            y := (+ x 1)
        }
        (<= y x)
        """,
    ),
    "block: nested branches of bits": (
        "x y: B8",
        """
        block {
            either {
                (bvult x #x10)
                either {
                    y := x
                } or {
                    y := #x0f
                }
            } or {
                (bvuge x #x10)
                y := #x00
            }
        }
        (bvuge y #x10)
        """,
    ),
    "block: branches that write an array": (
        "a: Int => Int, i v: Int",
        """
        block {
            either {
                (> v 0)
                a := (store a i v)
            } or {
                (<= v 0)
                a := (store a i 1)
            }
        }
        (<= (select a i) 0)
        """,
    ),
    "block: input constrained in one branch": (
        "x y: Int",
        """
        y := 1
        block {
            either {
                havoc x
                (> x y)
            } or {
                x := (+ y 1)
            }
        }
        (<= x 1)
        """,
    ),
}

FEASIBLE_TEXTS: dict[str, tuple[str, str]] = {
    "int: counter pair with an error": (
        "i j n: Int",
        """
        i := 0
        j := 0
        2 times {
            (< i n)
            i := (+ i 1)
            j := (+ j 2)
        }
        (>= i n)
        (not (= i j))
        """,
    ),
    "int: an input that fits": (
        "x y: Int",
        """
        havoc x
        (> x 10)
        y := (* 3 x)
        (< y 40)
        """,
    ),
    "int: nothing is said": ("x: Int", "havoc x"),
    "int: sums of inputs": (
        "x s: Int",
        """
        s := 0
        3 times {
            havoc x
            (> x 0)
            s := (+ s x)
        }
        (= s 11)
        """,
    ),
    "real: between two numbers": (
        "x y: Real",
        """
        (< x y)
        y := (/ (+ x y) 2.0)
        (= y 0.25)
        """,
    ),
    "bool: a toggle": (
        "p q: Bool",
        """
        q := p
        p := (not p)
        (xor p q)
        """,
    ),
    "bits: overflow": (
        "x y: B8",
        """
        y := (bvadd x #x01)
        (bvult y x)
        """,
    ),
    "bits: signed minimum": (
        "x y: B32",
        """
        y := (bvneg x)
        (= x y)
        (not (= x #x00000000))
        """,
    ),
    "float: addition loses the small": (
        "x y: F16",
        """
        (fp.lt (f16 0.0) y)
        (fp.lt (f16 1.0) x)
        (fp.eq (fp.add RNE x y) x)
        (not (fp.isInfinite x))
        """,
    ),
    "float: not a number": (
        "x y: F32",
        """
        y := (fp.sub RNE x x)
        (not (fp.eq y (f32 0.0)))
        """,
    ),
    "array: the same place": (
        "a: Int => Int, i j: Int",
        """
        a := (store a i 1)
        a := (store a j 2)
        (not (= (select a i) 1))
        """,
    ),
    "memory: a pointer to itself": (
        "m: B8 => B8, p: B8",
        """
        havoc p
        m := (store m p p)
        (= (select m (select m p)) p)
        (bvugt p #x10)
        """,
    ),
    "block: a straight one": (
        "x y: Int",
        """
        block {
            x := (+ y 1)
            y := (+ x 1)
        }
        (= y 5)
        """,
    ),
    "block: the second branch": (
        "x y: Int",
        """
        block {
            either {
                (< x 0)
                y := 1
            } or {
                (>= x 0)
                havoc y
                (> y 10)
            }
        }
        (> y 5)
        (< y 20)
        """,
    ),
    "block: a free choice of bits": (
        "x y: B8",
        """
        x := #x00
        3 times {
            block {
                either {
                    x := (bvadd x #x03)
                } or {
                    x := (bvor x #x10)
                }
            }
        }
        (= x #x16)
        """,
    ),
}
