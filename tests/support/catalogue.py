"""The one catalogue of example problems: what solvers, interpolation, cores and elimination are tried on.

A problem is text: declarations such as `x y: Int, a: Int => Bool, f: Int -> Int` and one SMT-LIB formula a line. Sorts
are written Bool, Int, Real, RM, B8 (a bit-vector of 8 bits), F32 (a float of 32 bits), `index => element` (an array)
and `param param -> result` (a function). `(f16 0.1)`, `(f32 0.1)` and `(f64 0.1)` are float constants, rounded to
nearest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from craton.logic import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    REAL,
    ROUNDING_MODE,
    Array,
    BitVec,
    Function,
    Sort,
    Symbols,
    Term,
    var,
)
from craton.smt.reading import declared, parse_script

# --- reading problems -------------------------------------------------------------------------------------------------

_SORTS: dict[str, Sort] = {
    "Bool": BOOL,
    "Int": INT,
    "Real": REAL,
    "RM": ROUNDING_MODE,
    "F16": FLOAT16,
    "F32": FLOAT32,
    "F64": FLOAT64,
}
_FLOAT_CONSTANTS = """
(define-fun f16 ((r Real)) (_ FloatingPoint 5 11) ((_ to_fp 5 11) RNE r))
(define-fun f32 ((r Real)) (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE r))
(define-fun f64 ((r Real)) (_ FloatingPoint 11 53) ((_ to_fp 11 53) RNE r))
"""


def sort_named(text: str) -> Sort:
    index, arrow, element = text.partition("=>")
    if arrow:
        return Array(sort_named(index.strip()), sort_named(element.strip()))
    return _SORTS[text] if text in _SORTS else BitVec(int(text.removeprefix("B")))


def symbols_of(declarations: str) -> dict[str, Term | Function]:
    """The variables and functions of `x y: Int, f: Int -> Int`, by name."""
    found: dict[str, Term | Function] = {}
    for declaration in filter(None, (part.strip() for part in declarations.split(","))):
        names, _, sort = (part.strip() for part in declaration.partition(":"))
        params, arrow, result = (part.strip() for part in sort.partition("->"))
        for name in names.split():
            if arrow:
                found[name] = Function(name, tuple(map(sort_named, params.split())), sort_named(result))
            else:
                found[name] = var(name, sort_named(sort))
    return found


@cache
def read(declarations: str, text: str) -> tuple[Term, ...]:
    """The formulas of a text, one a line."""
    symbols = Symbols()
    for item in symbols_of(declarations).values():
        symbols.of(item)
    lines = [line.strip() for line in text.strip().splitlines()]
    script = [*declared(symbols), _FLOAT_CONSTANTS, *(f"(assert {line})" for line in lines)]
    formulas = parse_script("\n".join(script), symbols.meaning)
    assert len(formulas) == len(lines), f"{len(lines)} lines, {len(formulas)} formulas: {text}"
    return tuple(formulas)


# --- the problems -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sequence:
    """F[1] … F[n]: the formulas along a trace."""

    name: str
    theory: str
    declarations: str
    text: str

    @cached_property
    def formulas(self) -> tuple[Term, ...]:
        return read(self.declarations, self.text)

    def __str__(self) -> str:
        return f"{self.theory}: {self.name}"


@dataclass(frozen=True)
class Cores:
    """Formulas with all their minimal cores, as positions."""

    name: str
    declarations: str
    text: str
    minimal: frozenset[tuple[int, ...]]

    @cached_property
    def formulas(self) -> tuple[Term, ...]:
        return read(self.declarations, self.text)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Elimination:
    """∃ bound. body, with the methods each of which gets rid of all quantifiers by itself."""

    name: str
    theory: str
    solved_by: tuple[str, ...]
    declarations: str
    bound_names: str
    text: str

    @cached_property
    def body(self) -> Term:
        (body,) = read(self.declarations, self.text)
        return body

    @cached_property
    def bound(self) -> tuple[Term, ...]:
        symbols = symbols_of(self.declarations)
        found = tuple(symbols[name] for name in self.bound_names.split())
        return tuple(v for v in found if isinstance(v, Term))

    def __str__(self) -> str:
        return f"{self.theory}: {self.name}"


def steps(first: str, step: str, last: str, times: int) -> str:
    """A loop unrolled: `@` is the number of the iteration and `^` the next one; in `last`, `@` is the last."""
    middle = [step.replace("@", str(i)).replace("^", str(i + 1)) for i in range(times)]
    return "\n".join([first, *middle, last.replace("@", str(times))])


def numbered(stems: str, times: int) -> str:
    """`x0 x1 x2 y0 y1 y2` from `x y` and 2."""
    return " ".join(f"{stem}{i}" for stem in stems.split() for i in range(times + 1))


def _sequences(*problems: tuple[str, ...]) -> tuple[Sequence, ...]:
    """From name, theory, declarations, and the formulas one by one (or lines of them)."""
    return tuple(
        Sequence(name, theory, declarations, "\n".join(formulas)) for name, theory, declarations, *formulas in problems
    )


UNSATISFIABLE = _sequences(
    # --- Int ---
    ("two bounds", "Int", "x: Int", "(< x 3)", "(> x 5)"),
    ("chain of orders", "Int", "a b c d: Int", "(< a b)", "(< b c)", "(< c d)", "(< d a)"),
    (
        "x = y = 0; (x++; y++)²; x ≠ y",
        "Int",
        f"{numbered('x y', 2)}: Int",
        steps("(and (= x0 0) (= y0 0))", "(and (= x^ (+ x@ 1)) (= y^ (+ y@ 1)))", "(not (= x@ y@))", 2),
    ),
    (
        "x = y = 0; (x++; y++)⁸; x ≠ y",
        "Int",
        f"{numbered('x y', 8)}: Int",
        steps("(and (= x0 0) (= y0 0))", "(and (= x^ (+ x@ 1)) (= y^ (+ y@ 1)))", "(not (= x@ y@))", 8),
    ),
    (
        "statement by statement",
        "Int",
        "x0 y0 x1 y1 x2 y2: Int",
        "(= x0 0)",
        "(= y0 0)",
        "(= x1 (+ x0 1))",
        "(= y1 (+ y0 1))",
        "(= x2 (+ x1 1))",
        "(= y2 (+ y1 1))",
        "(not (= x2 y2))",
    ),
    (
        "odd sums are not even",
        "Int",
        "x y z: Int",
        "(= y (* 2 x))",
        "(= y (+ (* 2 z) 1))",
    ),
    (
        "swap without temporary",
        "Int",
        "a b a1 b1 a2: Int",
        "(= a1 (+ a b))",
        "(= b1 (- a1 b))",
        "(= a2 (- a1 b1))",
        "(not (and (= a2 b) (= b1 a)))",
    ),
    ("division and remainder", "Int", "x q r: Int", "(= q (div x 3))", "(= r (mod x 3))", "(not (= x (+ (* 3 q) r)))"),
    ("remainder stays small", "Int", "x r: Int", "(= r (mod x 4))", "(>= r 4)"),
    ("absolute value", "Int", "x y: Int", "(= y (abs x))", "(< y 0)"),
    ("maximum by cases", "Int", "a b m: Int", "(= m (ite (< a b) b a))", "(or (< m a) (< m b))"),
    (
        "sum to five",
        "Int",
        f"{numbered('i s', 5)}: Int",
        steps("(and (= i0 0) (= s0 0))", "(and (= i^ (+ i@ 1)) (= s^ (+ s@ i^)))", "(not (= s@ 15))", 5),
    ),
    (
        "disjunctions along the way",
        "Int",
        "x y z: Int",
        "(or (= x 1) (= x 2))",
        "(or (= y (+ x 1)) (= y (+ x 2)))",
        "(= z (* 2 y))",
        "(> z 8)",
    ),
    ("square is not negative", "Int", "x y: Int", "(= y (* x x))", "(< y 0)"),
    ("a formula twice", "Int", "x y: Int", "(= x 1)", "(= y x)", "(= x 1)", "(> y 1)"),
    ("the contradiction twice", "Int", "x: Int", "(> x 1)", "(> x 1)", "(< x 1)", "(< x 1)"),
    ("true inside", "Int", "x y: Int", "true", "(= x 1)", "true", "(= y x)", "true", "(= y 2)", "true"),
    ("nothing shared at the first cut", "Int", "x y: Int", "(= x 1)", "(= y 1)", "(= y 2)"),
    ("nothing shared at all", "Int", "x y z: Int", "(and (> x 1) (< x 1))", "(= y 2)", "(= z 3)"),
    ("contradiction in the last part", "Int", "x y: Int", "(= x 1)", "(= y 2)", "(and (> y 2) (< y 3))"),
    ("false in the middle", "Int", "x: Int", "(= x 1)", "false", "(= x 2)"),
    ("false at the beginning", "Int", "x: Int", "false", "(= x 1)"),
    ("a single formula", "Int", "x: Int", "(and (< x 0) (> x 0))"),
    ("a single false", "Bool", "p: Bool", "false"),
    # --- Real ---
    ("density has ends", "Real", "x y: Real", "(< x y)", "(< y x)"),
    ("halves", "Real", "x y z: Real", "(= y (/ x 2.0))", "(= z (+ y y))", "(not (= z x))"),
    (
        "zeno does not arrive",
        "Real",
        f"{numbered('x', 5)}: Real",
        steps("(= x0 1.0)", "(= x^ (/ x@ 2.0))", "(<= x@ 0.0)", 5),
    ),
    ("linear system", "Real", "x y z: Real", "(<= (+ x y) 1.0)", "(<= (- x y) 1.0)", "(= z (* 2.0 x))", "(> z 2.0)"),
    ("floor", "Real", "x: Real, n: Int", "(= n (to_int x))", "(< x (to_real n))"),
    ("integers among reals", "Mixed", "x: Real, n: Int", "(= x (to_real n))", "(and (< 0.0 x) (< x 1.0))"),
    ("strict triangle", "Real", "a b c: Real", "(> a (+ b c))", "(> b (+ a c))", "(> c 0.0)"),
    # --- BitVec ---
    (
        "x = y = 0; (x++; y++)³; x ≠ y over 32 bits",
        "BitVec",
        f"{numbered('x y', 3)}: B32",
        steps(
            "(and (= x0 #x00000000) (= y0 #x00000000))",
            "(and (= x^ (bvadd x@ #x00000001)) (= y^ (bvadd y@ #x00000001)))",
            "(not (= x@ y@))",
            3,
        ),
    ),
    (
        "x = y = 0; (x++; y++)¹⁰; x ≠ y over 32 bits",
        "BitVec",
        f"{numbered('x y', 10)}: B32",
        steps(
            "(and (= x0 #x00000000) (= y0 #x00000000))",
            "(and (= x^ (bvadd x@ #x00000001)) (= y^ (bvadd y@ #x00000001)))",
            "(not (= x@ y@))",
            10,
        ),
    ),
    ("overflow wraps", "BitVec", "x y: B8", "(= x #xff)", "(= y (bvadd x #x01))", "(not (= y #x00))"),
    ("signed overflow wraps", "BitVec", "x y: B32", "(= x #x7fffffff)", "(= y (bvadd x #x00000001))", "(bvsgt y x)"),
    ("no overflow, no wrap", "BitVec", "x y: B16", "(bvult x #x00ff)", "(= y (bvadd x #x0001))", "(bvult y x)"),
    (
        "swap by xor",
        "BitVec",
        "a b a1 b1 a2: B32",
        "(= a1 (bvxor a b))",
        "(= b1 (bvxor a1 b))",
        "(= a2 (bvxor a1 b1))",
        "(not (and (= a2 b) (= b1 a)))",
    ),
    ("lowest bit of a square", "BitVec", "x y: B8", "(= y (bvmul x x))", "(= ((_ extract 1 0) y) #b10)"),
    (
        "power of two",
        "BitVec",
        "x y: B16",
        "(= y (bvand x (bvsub x #x0001)))",
        "(= y #x0000)",
        "(and (= ((_ extract 0 0) x) #b1) (= ((_ extract 5 5) x) #b1))",
    ),
    (
        "negation by complement",
        "BitVec",
        "x y z: B32",
        "(= y (bvnot x))",
        "(= z (bvadd y #x00000001))",
        "(not (= z (bvneg x)))",
    ),
    (
        "shift and back",
        "BitVec",
        "x y z: B8",
        "(bvult x #x10)",
        "(= y (bvshl x #x04))",
        "(= z (bvlshr y #x04))",
        "(not (= z x))",
    ),
    ("sign extension", "BitVec", "x: B8, y: B16", "(= y ((_ sign_extend 8) x))", "(bvslt x #x00)", "(bvult y #xff80)"),
    (
        "halves of a word",
        "BitVec",
        "h l: B8, w: B16",
        "(= w (concat h l))",
        "(= h #x12)",
        "(not (= (bvlshr w #x0008) #x0012))",
    ),
    ("division by zero is all ones", "BitVec", "x y z: B8", "(= y #x00)", "(= z (bvudiv x y))", "(not (= z #xff))"),
    ("remainder below divisor", "BitVec", "x y r: B4", "(not (= y #x0))", "(= r (bvurem x y))", "(bvuge r y)"),
    ("one bit", "BitVec", "x y z: B1", "(= x #b1)", "(= y (bvadd x #b1))", "(= z (bvadd y #b1))", "(not (= x z))"),
    (
        "rotation in full",
        "BitVec",
        "x y z: B8",
        "(= y ((_ rotate_left 3) x))",
        "(= z ((_ rotate_left 5) y))",
        "(not (= z x))",
    ),
    ("three of one bit", "BitVec", "x y z: B1", "(not (= x y))", "(not (= y z))", "(not (= z x))"),
    (
        "wide words",
        "BitVec",
        "x y: B128",
        "(= ((_ extract 127 64) x) ((_ extract 63 0) y))",
        "(= x y)",
        "(= ((_ extract 63 0) x) #x0000000000000000)",
        "(not (= x (_ bv0 128)))",
    ),
    (
        "a formula twice, over bits",
        "BitVec",
        "x y: B8",
        "(= x #x01)",
        "(= y x)",
        "(= x #x01)",
        "true",
        "(bvugt y #x01)",
    ),
    (
        "nothing shared, over bits",
        "BitVec",
        "x y z: B8",
        "(= x #x01)",
        "(and (bvult y #x03) (bvugt y #x05))",
        "(= z #x01)",
    ),
    ("false in the middle, over bits", "BitVec", "x: B8", "(= x #x01)", "false", "(= x #x02)"),
    ("a single formula over bits", "BitVec", "x: B8", "(and (bvult x #x04) (bvugt x #x04))"),
    # --- Float ---
    ("NaN is not itself", "Float", "x y: F32", "(fp.isNaN x)", "(= y x)", "(fp.eq x y)"),
    ("absorption", "Float", "x y: F32", "(= x (f32 16777216.0))", "(= y (fp.add RNE x (f32 1.0)))", "(fp.gt y x)"),
    (
        "a tenth thrice",
        "Float",
        "x y: F64",
        "(= x (f64 0.1))",
        "(= y (fp.add RNE x (fp.add RNE x x)))",
        "(fp.eq y (f64 0.3))",
    ),
    (
        "infinity minus infinity",
        "Float",
        "x y: F16",
        "(fp.isInfinite x)",
        "(= y (fp.sub RNE x x))",
        "(not (fp.isNaN y))",
    ),
    (
        "rounding up and down",
        "Float",
        "x y d: F16",
        "(= d (fp.div RTN (f16 1.0) (f16 3.0)))",
        "(= x (fp.div RTP (f16 1.0) (f16 3.0)))",
        "(fp.leq x d)",
    ),
    ("zeros are equal", "Float", "x y: F16", "(fp.isZero x)", "(= y (fp.neg x))", "(not (fp.eq x y))"),
    (
        "between bounds",
        "Float",
        "x y: F16",
        "(and (fp.leq (f16 0.0) x) (fp.leq x (f16 1.0)))",
        "(= y (fp.add RNE x (f16 1.0)))",
        "(fp.gt y (f16 2.0))",
    ),
    (
        "a square root squared",
        "Float",
        "x y: F16",
        "(= x (f16 3.0))",
        "(= y (fp.sqrt RNE x))",
        "(fp.eq (fp.mul RNE y y) x)",
    ),
    ("order without NaN", "Float", "x y z: F32", "(fp.lt x y)", "(fp.lt y z)", "(fp.leq z x)"),
    ("truncation", "Float", "x: F32, n: B8", "(= x (f32 2.75))", "(= n ((_ fp.to_sbv 8) RTZ x))", "(not (= n #x02))"),
    (
        "rounding mode unknown",
        "Float",
        "m: RM, x: F16",
        "(= x (fp.add m (f16 1.0) (f16 0.0001)))",
        "(fp.lt x (f16 1.0))",
    ),
    (
        "one of five rounding modes",
        "Float",
        "m: RM",
        "(not (= m RNE))",
        "(not (= m RNA))",
        "(not (= m RTP))",
        "(not (= m RTN))",
        "(not (= m RTZ))",
    ),
    # --- Array ---
    ("read what was written", "Array", "a b: Int => Int, i x: Int", "(= b (store a i x))", "(not (= (select b i) x))"),
    (
        "read elsewhere",
        "Array",
        "a b: Int => Int, i j: Int",
        "(= b (store a i 7))",
        "(not (= i j))",
        "(not (= (select a j) (select b j)))",
    ),
    (
        "leak check, one allocation",
        "Array",
        "a0 a1 a2 b: Int => Bool, p x0 x1: Int",
        "(= b a0)",
        "(= x0 0)",
        "(not (select a0 p))",
        "(= a1 (store a0 p true))",
        "(= x1 (+ x0 1))",
        "(= a2 (store a1 p false))",
        "(not (= a2 b))",
    ),
    (
        "leak check, two allocations",
        "Array",
        "a0 a1 a2 a3 a4 b: Int => Bool, p q: Int",
        "(= b a0)",
        "(not (select a0 p))",
        "(= a1 (store a0 p true))",
        "(= a2 (store a1 p false))",
        "(not (select a2 q))",
        "(= a3 (store a2 q true))",
        "(= a4 (store a3 q false))",
        "(not (= a4 b))",
    ),
    (
        "fill and read",
        "Array",
        f"{numbered('a', 4)}: Int => Int, {numbered('i', 4)} k: Int",
        steps("(= i0 0)", "(and (= a^ (store a@ i@ 5)) (= i^ (+ i@ 1)))", "(and (= k 2) (not (= (select a@ k) 5)))", 4),
    ),
    (
        "extensionality",
        "Array",
        "a b c: Int => Int, i: Int",
        "(= b (store a i (select a i)))",
        "(= c b)",
        "(not (= a c))",
    ),
    (
        "writes commute",
        "Array",
        "a b c: Int => Int, i j: Int",
        "(not (= i j))",
        "(= b (store (store a i 1) j 2))",
        "(= c (store (store a j 2) i 1))",
        "(not (= b c))",
    ),
    (
        "bytes of memory",
        "Array",
        "m m1 m2: B32 => B8, p: B32",
        "(= m1 (store m p #x2a))",
        "(= m2 (store m1 (bvadd p #x00000001) #x00))",
        "(not (= (select m2 p) #x2a))",
    ),
    (
        "swap in an array",
        "Array",
        "a b c: B8 => B8, i j: B8",
        "(= b (store a i (select a j)))",
        "(= c (store b j (select a i)))",
        "(not (= (select c i) (select a j)))",
    ),
    (
        "extensionality over bits",
        "Array",
        "a b: B2 => B4, i: B2",
        "(= b (store a i #x3))",
        "(= (select a i) #x3)",
        "(not (= a b))",
    ),
    (
        "constant array",
        "Array",
        "a b: Int => Int, i: Int",
        "(= a ((as const (Array Int Int)) 0))",
        "(= b (store a 3 1))",
        "(and (not (= i 3)) (= (select b i) 1))",
    ),
    (
        "matrix",
        "Array",
        "m n: Int => Int => Int, i j: Int",
        "(= n (store m i (store (select m i) j 1)))",
        "(not (= (select (select n i) j) 1))",
    ),
    (
        "indices from two cells",
        "Array",
        "a: Bool => Int, p q r: Bool",
        "(< (select a p) (select a q))",
        "(< (select a q) (select a r))",
        "(< (select a r) (select a p))",
    ),
    # --- UF ---
    ("congruence", "UF", "x y: Int, f: Int -> Int", "(= x y)", "(not (= (f x) (f y)))"),
    (
        "three and five steps",
        "UF",
        "x: Int, f: Int -> Int",
        "(= (f (f (f x))) x)",
        "(= (f (f (f (f (f x))))) x)",
        "(not (= (f x) x))",
    ),
    (
        "function and sums",
        "UF",
        "x y z: Int, f: Int -> Int",
        "(= y (+ x 1))",
        "(= (f y) 3)",
        "(= z (- y 1))",
        "(not (= (f (+ z 1)) 3))",
    ),
    ("predicate", "UF", "x y: B8, P: B8 -> Bool", "(P x)", "(= y (bvadd x #x01))", "(not (P (bvsub y #x01)))"),
    ("two places", "UF", "a b c: B4, g: B4 B4 -> B4", "(= (g a b) c)", "(= a b)", "(not (= (g b a) c))"),
    ("function used on one side only", "UF", "x y: Int, f: Int -> Int", "(and (= (f x) y) (= (f x) 1))", "(= y 2)"),
    # --- Bool ---
    ("resolution", "Bool", "p q r: Bool", "(or p q)", "(or (not p) r)", "(or (not q) r)", "(not r)"),
    ("parity", "Bool", "p q r: Bool", "(xor p q)", "(xor q r)", "(xor r p)"),
    (
        "pigeons",
        "Bool",
        "p1 p2 q1 q2 r1 r2: Bool",
        "(and (or p1 p2) (or q1 q2) (or r1 r2))",
        "(not (and p1 q1))",
        "(not (and p1 r1))",
        "(not (and q1 r1))",
        "(not (and p2 q2))",
        "(not (and p2 r2))",
        "(not (and q2 r2))",
    ),
    ("if and only if", "Bool", "p q r: Bool", "(= p q)", "(= q r)", "(and p (not r))"),
    # --- Mixed ---
    ("flag guards a counter", "Mixed", "p: Bool, x y: Int", "(= p (> x 0))", "(= y (ite p x 1))", "(<= y 0)"),
    ("bytes as numbers", "Mixed", "b: B8, n: Int", "(= n (bv2nat b))", "(> n 255)"),
    (
        "array of counters",
        "Mixed",
        "a b: Int => Int, i: Int, x: Real",
        "(= (select a i) 1)",
        "(= b (store a i (+ (select a i) 1)))",
        "(= x (to_real (select b i)))",
        "(< x 2.0)",
    ),
    (
        "floats in memory",
        "Mixed",
        "m n: B8 => F16, p: B8, x: F16",
        "(= n (store m p (f16 1.5)))",
        "(= x (select n p))",
        "(fp.lt x (f16 1.0))",
    ),
    ("bits of a float", "Mixed", "b: B16, x: F16", "(= x ((_ to_fp 5 11) b))", "(= b #x3c00)", "(not (= x (f16 1.0)))"),
    (
        "quantified part",
        "Mixed",
        "x y: Int",
        "(forall ((z Int)) (=> (> z x) (> z y)))",
        "(< x y)",
        "(= y (+ x 1))",
        "(> x y)",
    ),
)

SATISFIABLE = _sequences(
    ("one value left", "Int", "x: Int", "(< 2 x)", "(< x 4)"),
    ("loop may leave", "Int", "x y: Int", "(= x 0)", "(= y (+ x 1))", "(> y x)"),
    ("halves of one", "Real", "x y: Real", "(= (+ x y) 1.0)", "(= x y)"),
    ("division by zero is free", "Int", "x y: Int", "(= y 0)", "(= (div x y) 7)", "(= (mod x y) 9)"),
    ("real division by zero is free", "Real", "x: Real", "(= (/ x 0.0) 2.5)", "(= x 1.0)"),
    (
        "overflow happens",
        "BitVec",
        "x y: B32",
        "(bvsgt x #x00000000)",
        "(bvslt (bvadd x #x00000001) #x00000000)",
        "(= x y)",
    ),
    ("wide word", "BitVec", "x: B200", "(bvugt x (bvshl (_ bv1 200) (_ bv150 200)))"),
    ("NaN is there", "Float", "x: F32", "(not (fp.eq x x))"),
    (
        "rounding decides",
        "Float",
        "m: RM, x: F16",
        "(= x (fp.div m (f16 1.0) (f16 3.0)))",
        "(not (= x (fp.div RNE (f16 1.0) (f16 3.0))))",
    ),
    ("negative zero", "Float", "x: F64", "(fp.isZero x)", "(fp.isNegative x)"),
    ("two cells differ", "Array", "a: Int => Int, i j: Int", "(not (= (select a i) (select a j)))", "(= i (+ j 1))"),
    ("arrays differ somewhere", "Array", "a b: B8 => B8", "(not (= a b))", "(= (select a #x00) (select b #x00))"),
    ("arrays indexed by truth", "Array", "a: Bool => Int, p: Bool", "(= (select a p) 1)", "(= (select a (not p)) 2)"),
    (
        "array of arrays",
        "Array",
        "m: Int => Int => Int",
        "(= (select (select m 1) 2) 3)",
        "(= (select (select m 2) 1) 4)",
    ),
    ("not injective", "UF", "x y: Int, f: Int -> Int", "(= (f x) (f y))", "(not (= x y))"),
    ("function of two", "UF", "x y: B4, g: B4 B4 -> Bool", "(g x y)", "(not (g y x))"),
    ("free choice", "Bool", "p q: Bool", "(xor p q)"),
    (
        "everything",
        "Mixed",
        "p: Bool, x: Int, r: Real, b: B8",
        "(=> p (> x 3))",
        "(= r (/ (to_real x) 2.0))",
        "(and p (= b #x80))",
    ),
)

# --- cores ------------------------------------------------------------------------------------------------------------


def _cores(name: str, declarations: str, text: str, *minimal: tuple[int, ...]) -> Cores:
    return Cores(name, declarations, text, frozenset(minimal))


CORES = (
    _cores("two of three", "x y: Int", "(> x 1)\n(= y 5)\n(< x 1)", (0, 2)),
    _cores("either of two", "x: Int", "(> x 5)\n(> x 6)\n(< x 2)", (0, 2), (1, 2)),
    _cores("repeated", "x: Int", "(> x 5)\n(> x 5)\n(< x 2)\n(< x 2)", (0, 2), (0, 3), (1, 2), (1, 3)),
    _cores("one alone", "x y: Int", "(= y 1)\n(and (< x 0) (> x 0))\n(= y 2)", (1,), (0, 2)),
    _cores("literally false", "x: Int", "(= x 1)\nfalse\n(= x 2)", (1,), (0, 2)),
    _cores("true is never needed", "x: Int", "true\n(= x 1)\ntrue\n(= x 2)", (1, 3)),
    _cores("all needed", "a b c: Int", "(< a b)\n(< b c)\n(< c a)", (0, 1, 2)),
    _cores("parity", "p q r: Bool", "(xor p q)\n(xor q r)\n(xor r p)\np", (0, 1, 2)),
    _cores("bits", "x y z: B8", "(bvult x y)\n(= z #x00)\n(bvult y x)\n(= z #x01)", (0, 2), (1, 3)),
    _cores("two thirds", "x y: Real", "(= (* 3.0 x) 2.0)\n(= y x)\n(= y 1.0)\n(> y 0.0)", (0, 1, 2)),
    _cores("write and read", "a b: Int => Int, i: Int", "(= i 3)\n(= b (store a i 1))\n(= (select b 3) 2)", (0, 1, 2)),
    _cores("floats", "x y: F32", "(fp.isNaN x)\n(fp.lt x y)\n(fp.isNaN y)", (0, 1), (1, 2)),
    _cores("functions", "x y: Int, f: Int -> Int", "(= (f x) 1)\n(= x y)\n(= (f y) 2)\n(= x 7)", (0, 1, 2)),
)

# Of each equality only half is needed: positions after splitting the formulas, and the one minimal core.
HALVES = (
    _cores("upper half", "x: Int", "(= x 3)\n(> x 5)", (0, 2)),
    _cores("lower half", "x: Int", "(= x 3)\n(< x 1)", (1, 2)),
    _cores("both halves", "x: Int", "(= x 3)\n(not (= x 3))", (0, 1, 2)),
    _cores("chain", "x y: Real", "(= x 1.0)\n(= y (+ x 1.0))\n(> y 3.0)", (0, 2, 4)),
    _cores("conjunction", "x y: Int", "(and (= x 1) (= y 2))\n(< y 0)", (3, 4)),
)


# --- elimination ------------------------------------------------------------------------------------------------------


def _eliminations(*problems: tuple[str, str, str, str, str, str]) -> tuple[Elimination, ...]:
    return tuple(Elimination(name, theory, tuple(by.split()), *rest) for name, theory, by, *rest in problems)


ELIMINATIONS = _eliminations(
    ("a definition", "Int", "DER LIGHT FULL", "x y: Int", "x", "(and (= x (+ y 1)) (> x 5))"),
    ("solved for x", "Int", "DER LIGHT FULL", "x y z: Int", "x", "(and (= (+ x y) z) (> x 5))"),
    ("solved under a minus", "Int", "DER LIGHT FULL", "x y z: Int", "x", "(and (= (- y x) z) (< x z))"),
    (
        "chain of definitions",
        "Int",
        "DER LIGHT FULL",
        "x y z w: Int",
        "x y z",
        "(and (= x (+ y 1)) (= y (+ z 1)) (= z w) (> x 5))",
    ),
    ("cyclic definitions", "Int", "DER FULL", "x y z: Int", "x y", "(and (= x (+ y 1)) (= y (- x 1)) (= z x))"),
    ("definition of itself", "Int", "FULL", "x y: Int", "x", "(and (= x (- y x)) (> x 0))"),
    ("bounds", "Int", "FULL", "x y z: Int", "x", "(and (< y x) (< x z))"),
    ("evenness", "Int", "FULL", "x y: Int", "x", "(= y (* 2 x))"),
    ("only an upper bound", "Int", "FULL", "x y: Int", "x", "(and (< x y) (> y 0))"),
    ("unconnected bounds", "Int", "UPD FULL", "x y: Int", "x", "(and (> x 3) (< x 7) (> y 0))"),
    ("unconnected nonsense", "Int", "FULL", "x y: Int", "x", "(and (> x 3) (< x 2) (> y 0))"),
    ("two unconnected", "Int", "UPD FULL", "x y z: Int", "x y", "(and (> x 3) (> y x) (> z 0))"),
    ("connected by a third", "Int", "FULL", "x y z: Int", "x y", "(and (> x 3) (> y x) (> z y))"),
    ("absent variable", "Int", "DER UPD LIGHT FULL", "x y: Int", "x", "(> y 0)"),
    ("in a disjunction", "Int", "FULL", "x y: Int", "x", "(or (= x y) (> x (+ y 3)))"),
    ("disjunction inside", "Int", "DER FULL", "x y z: Int", "x", "(and (= x y) (or (> x 3) (= z x)))"),
    ("not a definition", "Int", "FULL", "x y: Int", "x", "(and (not (= x y)) (> x 0))"),
    ("two variables, one definition", "Int", "FULL", "x y z: Int", "x y", "(and (= x (+ y 1)) (< y z) (> x 0))"),
    ("conditional value", "Int", "DER FULL", "x y p: Int", "x", "(and (= x (ite (> p 0) y 0)) (> x 3))"),
    ("remainder", "Int", "DER FULL", "x y: Int", "x", "(and (= x (mod y 3)) (> x 1))"),
    ("half a number", "Real", "DER LIGHT FULL", "x y: Real", "x", "(and (= (* 2.0 x) y) (> x 1.0))"),
    ("dense order", "Real", "FULL", "x y z: Real", "x", "(and (< y x) (< x z))"),
    ("sum of two", "Real", "FULL", "x y z: Real", "x y", "(and (= (+ x y) z) (> x 0.0) (> y 0.0))"),
    ("over bits", "BitVec", "DER LIGHT FULL", "x y: B8", "x", "(and (= x (bvadd y #x01)) (bvugt x #x05))"),
    ("solved over bits", "BitVec", "DER FULL", "x y z: B8", "x", "(and (= (bvadd x y) z) (bvult x y))"),
    ("xor undone", "BitVec", "DER", "x y z: B8", "x", "(and (= (bvxor x y) z) (bvult x z))"),
    ("odd factor", "BitVec", "DER FULL", "x y: B8", "x", "(and (= (bvmul #x03 x) y) (bvult x #x10))"),
    ("complement and negation", "BitVec", "DER FULL", "x y: B8", "x", "(and (= (bvnot (bvneg x)) y) (bvult x y))"),
    ("zero extension", "BitVec", "DER FULL", "x: B4, y: B8", "x", "(and (= ((_ zero_extend 4) x) y) (bvult x #x9))"),
    ("sign extension", "BitVec", "DER FULL", "x: B4, y: B8", "x", "(and (= ((_ sign_extend 4) x) y) (bvult x #x9))"),
    ("concatenation", "BitVec", "DER FULL", "x y: B4, w: B8", "x", "(and (= (concat x y) w) (bvult x y))"),
    ("middle of three", "BitVec", "DER FULL", "x y z: B2, w: B6", "y", "(and (= (concat x y z) w) (bvult y x))"),
    ("even factor", "BitVec", "FULL", "x y: B4", "x", "(= (bvmul #x2 x) y)"),
    ("unsigned bounds", "BitVec", "FULL", "x y z: B4", "x", "(and (bvult y x) (bvult x z))"),
    ("a literal", "Bool", "DER LIGHT FULL", "p q r: Bool", "p", "(and p (or (not p) q) (or p r))"),
    ("a negated literal", "Bool", "DER LIGHT FULL", "p q: Bool", "p", "(and (not p) (or p q))"),
    ("equivalence", "Bool", "DER LIGHT FULL", "p q r: Bool", "p", "(and (= p (and q r)) (or p q))"),
    ("exclusive or", "Bool", "FULL", "p q r: Bool", "p", "(and (xor p q) (or p r))"),
    ("resolvent", "Bool", "FULL", "p q r: Bool", "p", "(and (or p q) (or (not p) r))"),
    ("a float defined", "Float", "DER LIGHT", "x y: F16", "x", "(and (= x (fp.neg y)) (fp.lt x (f16 1.0)))"),
    ("equal floats are not the same", "Float", "", "x y: F16", "x", "(and (fp.eq x y) (fp.isNegative x))"),
    ("an unconnected float", "Float", "UPD", "x y: F16", "x", "(and (fp.isNaN x) (fp.isZero y))"),
    (
        "array defined",
        "Array",
        "DER LIGHT",
        "a b: Int => Int, i: Int",
        "a",
        "(and (= a (store b i 1)) (> (select a 0) 0))",
    ),
    (
        "array written",
        "Array",
        "",
        "a b: Int => Int, i j: Int",
        "a",
        "(and (= b (store a i 1)) (> (select a j) 0) (not (= i j)))",
    ),
    (
        "array written, old element unseen",
        "Array",
        "DER",
        "a b: Int => Int, i: Int",
        "a",
        "(and (= b (store a i 1)) (> (select b 0) 0))",
    ),
    (
        "array written twice",
        "Array",
        "",
        "a c b: Int => Int, i j: Int",
        "a c",
        "(and (= c (store a i 1)) (= b (store c j 2)) (not (= i j)))",
    ),
    (
        "array and old element",
        "Array",
        "DER",
        "a b: Int => Int, i x: Int",
        "a",
        "(and (= b (store a i 1)) (= (select a i) x))",
    ),
    (
        "leak check, allocation",
        "Array",
        "DER",
        "a b c: Int => Bool, p: Int",
        "a",
        "(and (= b a) (not (select a p)) (= c (store a p true)))",
    ),
    (
        "array over bits",
        "Array",
        "DER LIGHT",
        "a b: B4 => B4, i: B4",
        "a",
        "(and (= a (store b i #x1)) (= (select a #x0) #x3))",
    ),
    ("unconnected array", "Array", "UPD", "a: Int => Int, y: Int", "a", "(and (= (select a 0) 1) (> y 0))"),
    ("a function's value", "UF", "DER LIGHT", "x y: Int, f: Int -> Int", "x", "(and (= x (f y)) (> x 3))"),
    ("a function's argument", "UF", "", "x y: Int, f: Int -> Int", "x", "(and (= (f x) 3) (> y 0))"),
    ("functions connect", "UF", "", "x y: Int, f: Int -> Int", "x", "(and (not (= (f x) (f 0))) (= (f 0) y))"),
)
