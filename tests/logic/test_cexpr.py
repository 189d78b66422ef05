"""C expressions: how they read, what is refused, and gcc against `evaluate` on random terms and values."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from craton.errors import NotExpressible
from craton.logic.arithmetic import le
from craton.logic.arrays import select
from craton.logic.bitvectors import (
    bvadd,
    bvand,
    bvashr,
    bvlshr,
    bvmul,
    bvneg,
    bvnego,
    bvnot,
    bvor,
    bvsaddo,
    bvsdiv,
    bvsdivo,
    bvshl,
    bvsle,
    bvslt,
    bvsmod,
    bvsmulo,
    bvsrem,
    bvssubo,
    bvsub,
    bvuaddo,
    bvudiv,
    bvule,
    bvult,
    bvumulo,
    bvurem,
    bvusubo,
    bvxor,
    concat,
    extract,
    repeat,
    rotate_left,
    rotate_right,
    sign_extend,
    ubv_to_int,
    zero_extend,
)
from craton.logic.cexpr import to_c
from craton.logic.core import and_, apply, distinct, eq, forall, implies, ite, not_, or_, xor
from craton.logic.evaluation import evaluate
from craton.logic.floats import (
    fp_abs,
    fp_add,
    fp_div,
    fp_eq,
    fp_fma,
    fp_from_bits,
    fp_from_fp,
    fp_from_signed,
    fp_from_unsigned,
    fp_is_infinite,
    fp_is_nan,
    fp_is_negative,
    fp_is_normal,
    fp_is_positive,
    fp_is_subnormal,
    fp_is_zero,
    fp_le,
    fp_lt,
    fp_max,
    fp_min,
    fp_mul,
    fp_neg,
    fp_rem,
    fp_round_to_integral,
    fp_sqrt,
    fp_sub,
    fp_to_sbv,
    fp_to_ubv,
    fp_value,
)
from craton.logic.ieee import canonical
from craton.logic.semantics import Value
from craton.logic.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, INT, ROUNDING_MODE, Array, BitVec, Float, Function, Sort
from craton.logic.terms import RNA, RNE, RTN, RTP, RTZ, TRUE, Term, bv, format_of, int_, real, value, var
from craton.logic.walk import ordered_variables, size

COMPILER = shutil.which("gcc") or shutil.which("cc")

x, y, u, v = (var(name, BitVec(32)) for name in ("x", "y", "u", "v"))
c, d, sc = (var(name, BitVec(8)) for name in ("c", "d", "sc"))
us = var("us", BitVec(16))
ll = var("ll", BitVec(64))
p, q, r = (var(name, BOOL) for name in ("p", "q", "r"))
f, g = var("f", FLOAT32), var("g", FLOAT32)
e = var("e", FLOAT64)


def declared_signed(variable: Term) -> bool:
    return variable in (x, y, sc, ll)


def n(number: int, width: int = 32) -> Term:
    return bv(number, width)


def f32(number: float) -> Term:
    return fp_value(number, FLOAT32)


# --- how it reads -----------------------------------------------------------------------------------------------------

READABLE: list[tuple[Term, str]] = [
    # the declared type gives the reading
    (bvsle(x, n(5)), "x <= 5"),
    (bvslt(n(0), x), "x > 0"),
    (bvsle(n(-3), x), "x >= -3"),
    (eq(x, n(5)), "x == 5"),
    (not_(eq(x, n(-5))), "x != -5"),
    (bvult(u, n(10)), "u < 10U"),
    (bvult(n(10), u), "u > 10U"),
    (bvult(x, n(10)), "(unsigned int)x < 10U"),
    (bvslt(u, v), "(int)u < (int)v"),
    (eq(x, u), "x == (int)u"),
    (bvslt(ll, n(1 << 40, 64)), "ll < 1099511627776LL"),
    (eq(x, n(-(1 << 31))), "x == -2147483647 - 1"),
    (eq(c, n(255, 8)), "c == 255"),
    (eq(sc, n(255, 8)), "sc == -1"),
    # arithmetic wraps in unsigned types, unless it cannot overflow
    (bvsle(bvadd(x, n(1)), n(5)), "(int)((unsigned int)x + 1U) <= 5"),
    (bvsle(bvsub(x, n(1)), n(5)), "(int)((unsigned int)x - 1U) <= 5"),
    (bvult(bvadd(u, n(1)), v), "u + 1U < v"),
    (bvslt(zero_extend(24, c), n(10)), "c < 10"),
    (bvslt(bvadd(zero_extend(24, c), sign_extend(24, sc)), n(-3)), "c + sc < -3"),
    (bvadd(c, d), "(unsigned char)(c + d)"),
    (bvmul(us, us), "(unsigned short)((unsigned int)us * us)"),
    (eq(bvand(x, n(1)), n(0)), "(x & 1) == 0"),
    (bvneg(x), "-(unsigned int)x"),
    (repeat(4, c), "c * 16843009U"),
    # division and shifts
    (bvudiv(u, n(10)), "u / 10U"),
    (bvudiv(u, v), "v == 0U ? 4294967295U : u / v"),
    (bvsle(bvsdiv(x, n(3)), n(4)), "x / 3 <= 4"),
    (bvslt(bvsrem(x, y), n(4)), "(y == 0 ? x : y == -1 ? 0 : x % y) < 4"),
    (bvshl(u, n(3)), "u << 3"),
    (bvshl(u, v), "v < 32U ? u << v : 0U"),
    (bvshl(u, bvand(v, n(31))), "u << (v & 31U)"),
    (bvslt(bvashr(x, n(3)), n(4)), "(x >> 3) < 4"),
    # cutting and joining
    (extract(7, 0, x), "(unsigned char)x"),
    (extract(15, 8, x), "(unsigned char)(x >> 8)"),
    (eq(extract(4, 0, x), n(7, 5)), "(x & 0x1f) == 7"),
    (concat(c, d), "(unsigned short)((c << 8) | d)"),
    (bvslt(sign_extend(24, bvudiv(c, n(0, 8))), x), "x > -1"),  # was 255
    # overflow
    (bvsaddo(x, y), "(long long)x + y < -2147483647 - 1 || (long long)x + y > 2147483647"),
    (bvsmulo(ll, ll), "__builtin_mul_overflow_p(ll, ll, (long long)0)"),
    (bvumulo(u, v), "(unsigned long long)u * v > 4294967295U"),
    (bvumulo(n(-15347, 16), us), "50189LL * us > 65535"),  # was read as signed
    (bvnego(x), "x == -2147483647 - 1"),
    # Bools
    (and_(p, or_(q, r)), "p && (q || r)"),
    (or_(p, and_(q, r)), "p || (q && r)"),
    (implies(p, bvult(u, n(3))), "!p || u < 3U"),
    (implies(bvult(u, n(3)), p), "u >= 3U || p"),
    (xor(p, bvult(u, n(3))), "p != (u < 3U)"),
    (not_(and_(p, q)), "!(p && q)"),
    (ite(p, q, r), "p ? q : r"),
    (bvsle(ite(p, x, n(0)), y), "(p ? x : 0) <= y"),
    (TRUE, "1"),
    # floats
    (fp_add(RNE, f, fp_mul(RNE, g, f)), "f + g * f"),
    (fp_lt(f, f32(3.0)), "f < 0x1.8p+1f"),
    (fp_lt(f32(-3.0), f), "f > -0x1.8p+1f"),
    (not_(fp_lt(f, g)), "!(f < g)"),
    (not_(fp_eq(f, g)), "f != g"),
    (eq(f, f32(1.0)), "f == 0x1p+0f"),
    (eq(f, f32(0.0)), "f == 0.0f && __builtin_signbit(f) == 0"),
    (eq(f, f32(float("nan"))), "__builtin_isnan(f)"),
    (distinct(f32(1.0), f, f32(2.0)), "f != 0x1p+0f && 0x1p+1f != 0x1p+0f && f != 0x1p+1f"),
    (fp_sub(RNE, f, f32(float("-inf"))), "f - -__builtin_inff()"),
    (fp_neg(fp_add(RNE, f, g)), "-(f + g)"),
    (fp_sub(RNE, f32(0.0), f), "0.0f - f"),
    # gcc 12 mistakes 0.0f - fabsf(f) for -fabsf(f)
    (fp_sub(RNE, f32(0.0), fp_abs(f)), "__builtin_fabsf(f) == 0.0f ? 0.0f : -__builtin_fabsf(f)"),
    (fp_add(RNE, fp_neg(fp_abs(f)), f32(0.0)), "-__builtin_fabsf(f) == 0.0f ? 0.0f : -__builtin_fabsf(f)"),
    (fp_from_fp(FLOAT32, RNE, e), "(float)e"),
    (fp_from_signed(FLOAT64, RTZ, x), "(double)x"),
    (
        bvslt(fp_to_sbv(32, RTZ, e), n(3)),
        "((e > -0x1.00000002p+31 && e < 0x1p+31) ? (int)e : 0) < 3",
    ),
]


@pytest.mark.parametrize(("term", "text"), READABLE, ids=[text for _, text in READABLE])
def test_reads_well(term: Term, text: str) -> None:
    assert to_c(term, declared_signed) == text


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (bvslt(x, y), "(int)x < (int)y"),
        (bvult(x, y), "(unsigned int)x < (unsigned int)y"),
        (extract(7, 0, x), "(unsigned char)x"),
        (x, "(unsigned int)x"),
    ],
)
def test_casts_where_the_declaration_is_unknown(term: Term, text: str) -> None:
    assert to_c(term) == text


# --- what is refused --------------------------------------------------------------------------------------------------

i = var("i", INT)
a = var("a", Array(BitVec(32), BitVec(8)))
h = var("h", FLOAT16)
half_of = Function("half_of", (BitVec(32),), BitVec(32))

REFUSED: list[tuple[Term, str]] = [
    (i, "the variable i .* no type for Int"),
    (le(i, int_(3)), "the operation <= .* unbounded"),
    (eq(ubv_to_int(x), i), "unbounded"),
    (real("1/3"), "a constant of sort Real"),
    (forall([x], bvslt(x, y)), "the operation forall .* instantiate"),
    (select(a, x), "the operation select .* arrays"),
    (apply(half_of, x), "the operation apply .* uninterpreted"),
    (concat(ll, x), "the operation concat .* 96 bits"),
    (var("w", BitVec(5)), "the variable w .* 5 bits"),
    (var("main::x", BitVec(32)), "no C identifier"),
    (var("register", BOOL), "no C identifier"),
    (fp_add(RTZ, f, g), "the operation fp.add .* not RTZ"),
    (fp_add(var("rm", ROUNDING_MODE), f, g), "the variable rm .* substitute"),
    (fp_from_signed(FLOAT32, RTP, x), "to_fp.signed .* not RTP"),
    (fp_min(f, g), "fp.min .* zeros"),
    (fp_from_bits(FLOAT32, u), "to_fp.bits .* memory"),
    (h, "the variable h .* not"),
    (RNE, "rounding modes"),
]


@pytest.mark.parametrize(("term", "reason"), REFUSED, ids=[str(t) for t, _ in REFUSED])
def test_refuses(term: Term, reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        to_c(term, declared_signed)


def test_shared_terms_are_refused_before_they_are_written() -> None:
    term = x
    for step in range(200):
        term = bvmul(bvxor(term, n(step)), bvor(term, n(1)))
    with pytest.raises(NotExpressible, match="10000 nodes as a tree"):
        to_c(term, declared_signed)


def test_guards_that_repeat_their_operands_are_refused_when_long() -> None:
    term = x
    for _ in range(60):
        term = bvsdiv(y, term)
    with pytest.raises(NotExpressible, match="characters"):
        to_c(term, declared_signed)


def test_deep_terms_are_written() -> None:
    term = u
    for step in range(3000):
        term = bvadd(bvnot(term), n(step))
    assert to_c(term, declared_signed).startswith("~(")


# --- the oracle: gcc --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A term with trials, each a value per variable; `signed` are the variables that the program declares so."""

    term: Term
    trials: list[dict[Term, Value]]
    signed: frozenset[Term]
    knows_declarations: bool = True

    @property
    def text(self) -> str:
        return to_c(self.term, (lambda variable: variable in self.signed) if self.knows_declarations else None)

    def function(self, number: int) -> str:
        """Prints the value, given the bits of the variables; for a bit-vector as well whether the type is unsigned."""
        variables = self.trials[0]
        parameters = ", ".join(f"unsigned long long {variable.name}_bits" for variable in variables)
        declarations = "".join(map(self._declaration, variables))
        text, sort = self.text, self.term.sort
        if isinstance(sort, Float):
            integer = "unsigned int" if sort is FLOAT32 else "unsigned long long"
            floating = "float" if sort is FLOAT32 else "double"
            show = f"union {{ {floating} f; {integer} i; }} result; result.f = {text}; SHOW(result.i, 1);"
        elif isinstance(sort, BitVec):
            show = f"SHOW({text}, (__typeof__({text}))-1 > 0);"
        else:
            show = f"SHOW({text}, 1);"
        return f"static void f{number}({parameters or 'void'}) {{ {declarations}{show} }}\n"

    def calls(self, number: int) -> str:
        bits = (", ".join(f"{int(value)}ULL" for value in values.values()) for values in self.trials)
        return "".join(f"  f{number}({arguments});\n" for arguments in bits)

    def _declaration(self, variable: Term) -> str:
        sort, name = variable.sort, variable.name
        if sort is BOOL:
            return f"_Bool {name} = {name}_bits; "
        if isinstance(sort, Float):
            integer, floating = ("int", "float") if sort is FLOAT32 else ("long long", "double")
            union = f"union {{ unsigned {integer} i; {floating} f; }} {name}_union = {{ {name}_bits }}; "
            return f"{union}{floating} {name} = {name}_union.f; "
        assert isinstance(sort, BitVec)
        integer = {8: "char", 16: "short", 32: "int", 64: "long long"}[sort.width]
        return f"{'signed' if variable in self.signed else 'unsigned'} {integer} {name} = {name}_bits; "

    def disagreement(self, values: dict[Term, Value], shown: str) -> str | None:
        number, is_well_typed = map(int, shown.split())
        if isinstance(self.term.sort, Float):
            number = canonical(format_of(self.term.sort), number)
        expected = int(evaluate(self.term, values))
        if number == expected and is_well_typed == 1:
            return None
        return f"{self.term}\n  {self.text}\n  {values}: C {shown}, expected {expected}"


PROGRAM = """\
#include <stdio.h>
#define SHOW(value, well_typed) printf("%llu %d\\n", (unsigned long long)(value), well_typed)
"""
FLAGS = ("-std=gnu11", "-ffp-contract=off")
SANITIZER = "-fsanitize=undefined,float-cast-overflow"


def disagreements(cases: list[Case], directory: Path, *flags: str) -> list[str]:
    """What gcc computes differently, refuses or finds undefined."""
    assert COMPILER is not None
    source, binary = directory / "cases.c", directory / "cases"
    functions = "".join(case.function(number) for number, case in enumerate(cases))
    calls = "".join(case.calls(number) for number, case in enumerate(cases))
    source.write_text(f"{PROGRAM}{functions}int main(void) {{\n{calls}  return 0;\n}}\n")
    command = [COMPILER, *(flags or ("-w", "-O0")), *FLAGS, *sanitizer(), str(source), "-o", str(binary), "-lm"]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode or compiled.stderr:
        return [compiled.stderr]
    ran = subprocess.run([binary], capture_output=True, text=True, check=False)
    found = [ran.stderr] if ran.stderr else []
    lines = ran.stdout.splitlines()
    trials = [(case, values) for case in cases for values in case.trials]
    if len(lines) != len(trials):
        return [*found, f"{len(lines)} results for {len(trials)} trials"]
    compared = (case.disagreement(values, shown) for (case, values), shown in zip(trials, lines, strict=True))
    return [*found, *filter(None, compared)]


@cache
def sanitizer() -> tuple[str, ...]:
    """The flag for finding undefined behaviour, if the compiler has the library for it."""
    assert COMPILER is not None
    command = [COMPILER, SANITIZER, "-x", "c", "-", "-o", "/dev/null"]
    trial = subprocess.run(command, input="int main(void) { return 0; }", capture_output=True, text=True, check=False)
    return () if trial.returncode else (SANITIZER,)


class Generator:
    """Random well-sorted terms over variables C can declare, and values at the edges of their ranges."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def case(self) -> Case:
        choose = self.random
        sort = choose.choice([BOOL, BOOL, self.width(), self.width(), FLOAT32, FLOAT64])
        while True:
            term = self.term(sort, choose.randint(1, 6))
            if not term.is_value and size(term) < 60:
                variables = ordered_variables(term)
                signed = frozenset(w for w in variables if choose.random() < 0.5)
                case = Case(term, self.trials(term), signed, choose.random() < 0.8)
                if len(case.text) < 20_000:
                    return case

    def trials(self, term: Term) -> list[dict[Term, Value]]:
        return [{variable: self.value(variable.sort) for variable in ordered_variables(term)} for _ in range(5)]

    def width(self) -> BitVec:
        choose = self.random
        return BitVec(choose.choice([8, 16, 32, 64, choose.randint(1, 64)]))

    def value(self, sort: Sort) -> Value:
        choose = self.random
        if sort is BOOL:
            return choose.random() < 0.5
        if isinstance(sort, BitVec):
            near = choose.choice(
                [0, 1 << (sort.width - 1), (1 << choose.randint(0, sort.width)), choose.getrandbits(64)]
            )
            return (near + choose.choice([0, 0, 1, -1, 2, -2, choose.randint(-40, 40)])) % (1 << sort.width)
        assert isinstance(sort, Float)
        if choose.random() < 0.5:
            number = choose.choice(
                [0.0, -0.0, 1.0, 0.5, 1.5, 2.5, 3.0, float("inf"), float("nan"), 2.0**31, 2.0**63, 127.5]
            )
            return fp_value(number * choose.choice([1, -1]), sort).payload
        bits = choose.getrandbits(sort.width)
        if choose.random() < 0.5:
            number = choose.uniform(-1, 1) * 2.0 ** choose.randint(-3, 65)
            (bits,) = struct.unpack(
                "<I" if sort is FLOAT32 else "<Q", struct.pack("<f" if sort is FLOAT32 else "<d", number)
            )
        return canonical(format_of(sort), bits)

    def term(self, sort: Sort, depth: int) -> Term:
        choose = self.random
        if depth <= 0 or choose.random() < 0.08:
            return self.leaf(sort)
        if choose.random() < 0.08:
            return ite(self.term(BOOL, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1))
        if sort is BOOL:
            return self.boolean(depth - 1)
        if isinstance(sort, BitVec):
            return self.vector(sort, depth - 1)
        assert isinstance(sort, Float)
        return self.float(sort, depth - 1)

    def leaf(self, sort: Sort) -> Term:
        choose = self.random
        if choose.random() < 0.25:
            return value(self.value(sort), sort)
        if isinstance(sort, BitVec) and sort.width not in (8, 16, 32, 64):
            wider = BitVec(choose.choice([bits for bits in (8, 16, 32, 64) if bits > sort.width]))
            low = choose.choice([0, choose.randint(0, wider.width - sort.width)])
            return extract(low + sort.width - 1, low, self.leaf(wider))
        name = f"{'bvf'[isinstance(sort, BitVec) + 2 * isinstance(sort, Float)]}{getattr(sort, 'width', '')}"
        return var(f"{name}_{choose.randint(0, 2)}", sort)

    def boolean(self, depth: int) -> Term:
        choose = self.random
        kind = choose.random()
        if kind < 0.25:
            connective = choose.choice(CONNECTIVES)(self.term(BOOL, depth), self.term(BOOL, depth))
            return not_(connective) if choose.random() < 0.5 else connective
        if kind < 0.75:
            sort = self.width()
            a, b = self.term(sort, depth), self.term(sort, depth)
            if choose.random() < 0.1:
                return choose.choice([bvnego(a), distinct(a, b, self.term(sort, depth))])
            comparison = choose.choice(COMPARISONS)
            return comparison(a, b)
        fsort = choose.choice([FLOAT32, FLOAT64])
        a, b = self.term(fsort, depth), self.term(fsort, depth)
        if choose.random() < 0.5:
            return choose.choice([eq, fp_eq, fp_lt, fp_le])(a, b)
        if choose.random() < 0.1:
            return distinct(a, b, self.term(fsort, depth))
        return choose.choice(CLASSIFICATIONS)(a)

    def vector(self, sort: BitVec, depth: int) -> Term:
        choose, width = self.random, sort.width
        kind = choose.random()
        if kind < 0.4:
            return choose.choice(VECTOR_OPERATIONS)(self.term(sort, depth), self.term(sort, depth))
        if kind < 0.5:
            return choose.choice(SHIFTS)(
                self.term(sort, depth), choose.choice([self.term(sort, depth), n(choose.randint(0, width), width)])
            )
        if kind < 0.6:
            return choose.choice([bvneg, bvnot])(self.term(sort, depth))
        if kind < 0.65:
            rotate = choose.choice([rotate_left, rotate_right])
            return rotate(choose.randint(0, 2 * width), self.term(sort, depth))
        if kind < 0.75 and width > 1:
            inner = choose.choice([bits for bits in (1, 8, 16, 32, choose.randint(1, width - 1)) if bits < width])
            extend = choose.choice([zero_extend, sign_extend])
            return extend(width - inner, self.term(BitVec(inner), depth))
        if kind < 0.83 and width > 1:
            times = choose.choice([k for k in range(2, width + 1) if width % k == 0])
            if choose.random() < 0.3:
                return repeat(times, self.term(BitVec(width // times), depth))
            cut = choose.randint(1, width - 1)
            return concat(self.term(BitVec(cut), depth), self.term(BitVec(width - cut), depth))
        if kind < 0.93 and width < 64:
            wider = choose.choice([bits for bits in (8, 16, 32, 64, choose.randint(width + 1, 64)) if bits > width])
            low = choose.choice([0, wider - width, choose.randint(0, wider - width)])
            return extract(low + width - 1, low, self.term(BitVec(wider), depth))
        convert = choose.choice([fp_to_sbv, fp_to_ubv])
        mode = choose.choice([RTZ, RTZ, RNE, RNA, RTP, RTN])
        return convert(width, mode, self.term(choose.choice([FLOAT32, FLOAT64]), depth))

    def float(self, sort: Float, depth: int) -> Term:
        choose = self.random
        kind = choose.random()
        if kind < 0.4:
            return choose.choice([fp_add, fp_sub, fp_mul, fp_div])(RNE, self.term(sort, depth), self.term(sort, depth))
        if kind < 0.6:
            a = self.term(sort, depth)
            return choose.choice([fp_neg(a), fp_abs(a), fp_sqrt(RNE, a)])
        if kind < 0.7:
            mode = choose.choice([RNE, RNA, RTP, RTN, RTZ])
            return fp_round_to_integral(mode, self.term(sort, depth))
        if kind < 0.75:
            return fp_rem(self.term(sort, depth), self.term(sort, depth))
        if kind < 0.8:
            return fp_fma(RNE, self.term(sort, depth), self.term(sort, depth), self.term(sort, depth))
        if kind < 0.84:
            extreme = choose.choice([fp_min, fp_max])
            return extreme(self.term(sort, depth), fp_value(choose.choice([1.0, -2.5, float("nan")]), sort))
        if kind < 0.9:
            return fp_from_fp(sort, RNE, self.term(FLOAT64 if sort is FLOAT32 else FLOAT32, depth))
        return choose.choice([fp_from_signed, fp_from_unsigned])(sort, RNE, self.term(self.width(), depth))


VECTOR_OPERATIONS: list[Callable[[Term, Term], Term]] = [
    *(bvadd, bvsub, bvmul, bvand, bvor, bvxor),
    *(bvudiv, bvurem, bvsdiv, bvsrem, bvsmod),
]
CONNECTIVES: list[Callable[[Term, Term], Term]] = [and_, or_, xor, implies, eq]
SHIFTS: list[Callable[[Term, Term], Term]] = [bvshl, bvlshr, bvashr]
COMPARISONS: list[Callable[[Term, Term], Term]] = [
    *(eq, bvult, bvule, bvslt, bvsle),
    *(bvuaddo, bvsaddo, bvumulo, bvsmulo, bvusubo, bvssubo, bvsdivo),
]
CLASSIFICATIONS: list[Callable[[Term], Term]] = [
    *(fp_is_nan, fp_is_infinite, fp_is_zero, fp_is_normal, fp_is_subnormal),
    *(fp_is_negative, fp_is_positive),
]

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@needs_compiler
@settings(max_examples=2, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
def test_agrees_with_gcc(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    generator = Generator(seed)
    cases = [generator.case() for _ in range(120)]
    assert disagreements(cases, tmp_path_factory.mktemp("cexpr")) == []


@needs_compiler
def test_signs_of_zeros(tmp_path: Path) -> None:
    """gcc folds sums with zeros wrongly unless they are written with care."""
    zeros = [fp_value(0.0, FLOAT64), fp_value(-0.0, FLOAT64)]
    parts = [e, fp_abs(e), fp_neg(fp_abs(e)), fp_neg(e), fp_from_unsigned(FLOAT64, RNE, u), fp_mul(RNE, e, e)]
    parts += [fp_neg(fp_from_unsigned(FLOAT64, RNE, u)), fp_sqrt(RNE, e), fp_neg(fp_sqrt(RNE, fp_abs(e)))]
    sums = [make(RNE, *pair) for make in (fp_add, fp_sub) for a in parts for z in zeros for pair in ((a, z), (z, a))]
    sums += [fp_neg(term) for term in sums]
    cases = [Case(term, [{e: 0, u: 0}, {e: 1 << 63, u: 0}], frozenset()) for term in sums]
    assert disagreements(cases, tmp_path) == []


@needs_compiler
def test_readable_ones_compile_without_warnings_and_agree(tmp_path: Path) -> None:
    generator = Generator(1)
    signed = frozenset(filter(declared_signed, (x, y, u, v, c, d, sc, us, ll)))
    cases = [Case(term, generator.trials(term), signed) for term, _ in READABLE]
    assert disagreements(cases, tmp_path, "-Wall", "-Wno-unused-variable", "-O0") == []


class _Undefined(Case):
    """INT_MAX + 1, as a wrong translation could write it."""

    @property
    def text(self) -> str:
        return "(unsigned int)(x + 1)"


@needs_compiler
def test_the_oracle_finds_undefined_behaviour(tmp_path: Path) -> None:
    if not sanitizer():
        pytest.skip(f"the compiler has no {SANITIZER}")
    case = _Undefined(bvadd(x, n(1)), [{x: 0x7FFFFFFF}], frozenset((x,)))
    (found,) = disagreements([case], tmp_path)
    assert "signed integer overflow" in found


@needs_compiler
def test_edges_of_every_operation(tmp_path: Path) -> None:
    """What random values rarely hit: the least number by -1, division by zero, shifts by the width and more."""
    cases: list[Case] = []
    for width in (1, 5, 8, 16, 32, 33, 64):
        variables = [var(name, BitVec(next(bits for bits in (8, 16, 32, 64) if bits >= width))) for name in "st"]
        operands = [extract(width - 1, 0, variable) for variable in variables]
        least = 1 << (width - 1)
        numbers = (
            (least, -1),
            (least, 0),
            (0, 0),
            (least - 1, 0),
            (-1, 0),
            (least, least),
            (-5, 3),
            (5, -3),
            (-1, width),
        )
        trials = [{w: k % (1 << width) for w, k in zip(variables, pair, strict=True)} for pair in numbers]
        for operation in (*VECTOR_OPERATIONS, *SHIFTS, *COMPARISONS):
            term = operation(*operands)
            if not term.is_value:
                cases += [Case(term, trials, frozenset(signed)) for signed in (variables, ())]
    assert disagreements(cases, tmp_path) == []
