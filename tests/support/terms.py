"""Random well-sorted terms, values and models, for tests of everything that takes a term.

A term is decoded from a tape of random bytes: one draw of hypothesis a term, so it is fast, and it shrinks, since small
bytes are simple choices and a tape that has run out gives zeros. Decoding never looks at a term, only at sorts, so one
tape gives the same tree twice: through the constructors (`Smart`) and node by node without any simplification (`Raw`).

    @given(terms(BOOL))                      # a term of one sort
    @given(instances(universe=BITVECTORS))   # a term of any sort of that universe, with a model of it
    @given(twins())                          # (raw term, constructed term, model)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

import craton.logic as logic
from craton.logic import (
    BOOL,
    INT,
    REAL,
    ROUNDING_MODE,
    Array,
    ArrayValue,
    BitVec,
    Float,
    Function,
    FunctionTable,
    Model,
    Op,
    RoundingMode,
    Sort,
    Term,
    Theory,
    Value,
    free_variables,
    functions,
    ops,
    value,
    var,
)
from craton.logic.ieee import canonical
from craton.logic.terms import find, format_of, intern

T = TypeVar("T")


class Tape:
    """Random bytes read as choices; the simplest choice is 0."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        at = self.at
        self.at = at + 1
        return self.data[at] if at < len(self.data) else 0

    def pick(self, count: int) -> int:
        """A number below `count` (of at most 256)."""
        return self.byte() * count >> 8

    def choose(self, options: Sequence[T]) -> T:
        return options[self.pick(len(options))]

    def bits(self, width: int) -> int:
        number = 0
        for _ in range((width + 7) // 8):
            number = number << 8 | self.byte()
        return number & ((1 << width) - 1)


# --- universes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Universe:
    """Which sorts and operations occur."""

    theories: frozenset[Theory] = frozenset(Theory)
    formats: tuple[tuple[int, int], ...] = ((5, 11), (8, 24), (11, 53), (5, 11), (3, 5), (2, 3))
    widths: tuple[int, ...] = (8, 1, 32, 64, 7, 2, 3)
    widest: int = 70
    names: tuple[str, ...] = ("x", "y", "z")
    depth: int = 4

    def has(self, theory: Theory) -> bool:
        return theory in self.theories

    def without(self, *theories: Theory) -> Universe:
        return replace(self, theories=self.theories.difference(theories))


EVERYTHING = Universe()
# What every solver that knows floats is trusted with.
IEEE = replace(EVERYTHING, formats=((5, 11), (8, 24), (5, 11), (11, 53)))
# bitwuzla's fragment.
FINITE = IEEE.without(Theory.ARITHMETIC, Theory.CONVERSIONS, Theory.FLOATS_REALS)
BITVECTORS = Universe(frozenset((Theory.CORE, Theory.BITVECTORS)))
ARITHMETIC = Universe(frozenset((Theory.CORE, Theory.ARITHMETIC)))
FLOATS = replace(IEEE, theories=frozenset((Theory.CORE, Theory.BITVECTORS, Theory.FLOATS)))


# --- values -----------------------------------------------------------------------------------------------------------

_INTEGERS = (0, 1, -1, 2, -2, 3, 7, -7, 10, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63, -(2**63), 2**64)
_RATIONALS = ("0", "1", "-1", "1/2", "-1/2", "3/2", "5/2", "-5/2", "1/3", "-7/3", "65504", "65520", "1/10", "1e-8")


def some_value(tape: Tape, sort: Sort) -> Value:
    """A value, more often than not at an edge of its sort."""
    if sort is BOOL:
        return tape.byte() >= 128
    if sort is INT:
        return tape.choose(_INTEGERS) if tape.byte() < 160 else tape.bits(16) - 2**15
    if sort is REAL:
        if tape.byte() < 160:
            return Fraction(tape.choose(_RATIONALS))
        return Fraction(tape.bits(16) - 2**15, 1 + tape.bits(tape.choose((1, 4, 8))))
    if sort is ROUNDING_MODE:
        return tape.choose(tuple(RoundingMode))
    if isinstance(sort, BitVec):
        width = sort.width
        if tape.byte() >= 160:
            return tape.bits(width)
        top = 1 << (width - 1)
        return tape.choose((0, 1, 2 * top - 1, top, top - 1, 2, width, width - 1, top + 1)) & (2 * top - 1)
    if isinstance(sort, Float):
        return _some_float(tape, sort)
    assert isinstance(sort, Array)
    default = some_value(tape, sort.element)
    count = tape.pick(4)
    return ArrayValue(default, {some_value(tape, sort.index): some_value(tape, sort.element) for _ in range(count)})


@cache
def _edges(sort: Float) -> tuple[int, ...]:
    form = format_of(sort)
    one = form.bias << (sort.significand_bits - 1)
    magnitudes = [0, one, form.infinity, form.nan, 1, form.largest, form.smallest_normal, form.smallest_normal - 1]
    magnitudes += [one + 1, one - 1, one + form.hidden_bit, one - form.hidden_bit, one + form.hidden_bit // 2, 2, 3]
    for power in (7, 8, 31, 32, 63, 64):  # the borders of conversions to bit-vectors
        if power <= form.emax:
            border = one + power * form.hidden_bit
            magnitudes += [border, border - 1]
    patterns = [m for m in magnitudes if 0 <= m <= form.nan]
    return tuple(canonical(form, bits) for m in patterns for bits in (m, m | form.sign_mask))


def _some_float(tape: Tape, sort: Float) -> int:
    if tape.byte() < 160:
        return tape.choose(_edges(sort))
    return canonical(format_of(sort), tape.bits(sort.width))


def model_of(tape: Tape, *roots: Term) -> Model:
    """Values for the free variables and functions of terms."""
    variables = sorted({v for root in roots for v in free_variables(root)}, key=lambda v: (v.name, str(v.sort)))
    tables = {}
    for function in sorted(functions(*roots), key=repr):
        default = some_value(tape, function.result)
        keys = [tuple(some_value(tape, s) for s in function.params) for _ in range(tape.pick(4))]
        tables[function] = FunctionTable(default, {key: some_value(tape, function.result) for key in keys})
    return Model({v: some_value(tape, v.sort) for v in variables}, tables)


# --- two ways to make a node ------------------------------------------------------------------------------------------


class Smart:
    """Through the constructors."""

    def make(self, shape: Shape, prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
        return getattr(logic, shape.name)(*prefix, *args)  # type: ignore[no-any-return]


class Raw:
    """Node by node, as written."""

    def make(self, shape: Shape, prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
        return shape.raw(shape.ops, prefix, args, sort)


def node(op: Op, args: tuple[Term, ...], sort: Sort, payload: Any = None) -> Term:
    """An unsimplified node. Of two mirrored equalities only one exists, which the constructors rely on."""
    if op in (ops.EQ, ops.XOR):
        mirrored = find(op, args[::-1], sort)
        if mirrored is not None:
            return mirrored
    return intern(op, args, sort, payload)


RawMaker = Callable[[tuple[Op, ...], tuple[Any, ...], tuple[Term, ...], Sort], Term]


def _plain(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return node(made[0], args, sort)


def _indexed(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return node(made[0], args, sort, prefix)


def _into_float(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    assert isinstance(sort, Float)
    return node(made[0], args, sort, (sort.exponent_bits, sort.significand_bits))


def _left(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return reduce(lambda a, b: node(made[0], (a, b), sort), args)


def _right(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return reduce(lambda b, a: node(made[0], (a, b), sort), args[::-1])


def _chain(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    links = tuple(node(made[0], pair, BOOL) for pair in pairwise(args))
    return links[0] if len(links) == 1 else node(ops.AND, links, BOOL)


def _backwards(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return _chain(made, prefix, args[::-1], sort)


def _bv_complement(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    """bvnand, bvnor and, left-associative, bvxnor."""
    return reduce(lambda a, b: node(ops.BVNOT, (node(made[0], (a, b), sort),), sort), args)


def _bvcomp(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return node(ops.ITE, (node(ops.EQ, args, BOOL), value(1, sort), value(0, sort)), sort)


def _divisible(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    remainder = node(ops.MOD, (args[0], value(prefix[0], INT)), INT)
    return node(ops.EQ, (remainder, value(0, INT)), BOOL)


def _fp(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    assert isinstance(sort, Float)
    bits = node(ops.CONCAT, args, BitVec(sort.width))
    return node(ops.FP_FROM_BITS, (bits,), sort, (sort.exponent_bits, sort.significand_bits))


def _apply(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return node(ops.APPLY, args, sort, prefix[0])


def _quantifier(made: tuple[Op, ...], prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    return node(made[0], args, BOOL, prefix[0])


# --- the constructors, by the sort they give --------------------------------------------------------------------------

Plan = tuple[tuple[Any, ...], Sequence[Sort]]


class Shape(NamedTuple):
    """One constructor: the first of its parameters that are not terms, and the sorts of those that are."""

    name: str
    theory: Theory
    plan: Callable[[Maker, Any], Plan | None]  # for a sort of the result; None if there is none
    raw: RawMaker = _plain
    ops: tuple[Op, ...] = ()


def _of(*sorts: Sort) -> Callable[[Maker, Sort], Plan]:
    return lambda maker, sort: ((), sorts)


def _same(least: int, most: int | None = None) -> Callable[[Maker, Sort], Plan]:
    """Arguments of the sort of the result."""
    return lambda maker, sort: ((), (sort,) * maker.between(least, most or least))


def _pair_of(kind: str, least: int = 2, most: int = 2) -> Callable[[Maker, Sort], Plan]:
    """Arguments of one sort of a kind."""
    return lambda maker, sort: ((), (maker.sort_of(kind),) * maker.between(least, most))


def _rounded(count: int) -> Callable[[Maker, Sort], Plan]:
    return lambda maker, sort: ((), (ROUNDING_MODE, *(sort,) * count))


def _extend(maker: Maker, sort: BitVec) -> Plan:
    by = maker.between(0, min(sort.width - 1, 40))
    return (by,), (BitVec(sort.width - by),)


def _extract(maker: Maker, sort: BitVec) -> Plan:
    low, above = maker.between(0, 9), maker.between(0, 9)
    return (low + sort.width - 1, low), (BitVec(low + sort.width + above),)


def _repeat(maker: Maker, sort: BitVec) -> Plan:
    times = maker.tape.choose([n for n in range(1, sort.width + 1) if sort.width % n == 0][:6])
    return (times,), (BitVec(sort.width // times),)


def _concat(maker: Maker, sort: BitVec) -> Plan | None:
    widths, left = [], sort.width
    for _ in range(maker.between(1, 3)):
        if left > 1:
            widths.append(1 + maker.tape.pick(min(left - 1, 256)))
            left -= widths[-1]
    return ((), [BitVec(w) for w in (*widths, left)]) if widths else None


def _fp_fields(maker: Maker, sort: Float) -> Plan:
    return (), (BitVec(1), BitVec(sort.exponent_bits), BitVec(sort.significand_bits - 1))


def _from_array(maker: Maker, sort: Sort) -> Plan | None:
    if _nesting(sort) > 1:
        return None
    index = maker.index_sort()
    return (), (Array(index, sort), index)


def _application(maker: Maker, sort: Sort) -> Plan | None:
    if isinstance(sort, Array):
        return None
    params = tuple(maker.scalar_sort() for _ in range(maker.between(1, 2)))
    return (Function(maker.tape.choose(("f", "g")), params, sort),), params


def _nesting(sort: Sort) -> int:
    return 1 + max(_nesting(sort.index), _nesting(sort.element)) if isinstance(sort, Array) else 0


def _shapes(theory: Theory, text: str, plan: Any, raw: RawMaker = _plain, op_names: str = "") -> list[Shape]:
    """One shape for each name; the operations have the same names unless given."""
    names = text.split()
    found = [ops_by_name[name] for name in op_names.split()] or [ops_by_name[n.replace("fp_", "fp.")] for n in names]
    return [Shape(name, theory, plan, raw, (op,)) for name, op in zip(names, found, strict=True)]


ops_by_name = Op.table
_C, _A, _B, _F = Theory.CORE, Theory.ARITHMETIC, Theory.BITVECTORS, Theory.FLOATS
_X, _R = Theory.CONVERSIONS, Theory.FLOATS_REALS

ANY = [
    *_shapes(_C, "ite", lambda maker, sort: ((), (BOOL, sort, sort))),
    *_shapes(Theory.ARRAYS, "select", _from_array),
    *_shapes(Theory.UF, "apply", _application, _apply),
]
BOOLS = [
    *_shapes(_C, "not_", _of(BOOL), op_names="not"),
    *_shapes(_C, "and_ or_", _same(2, 4), op_names="and or"),
    *_shapes(_C, "xor", _same(2, 3), _left),
    *_shapes(_C, "implies", _same(2, 3), _right, "=>"),
    *_shapes(_C, "iff", _of(BOOL, BOOL), op_names="="),
    *_shapes(_C, "eq", _pair_of("any", 2, 3), _chain, "="),
    *_shapes(_C, "distinct", _pair_of("any", 2, 4), op_names="distinct"),
    *_shapes(_A, "le lt", _pair_of("number", 2, 3), _chain, "<= <"),
    *_shapes(_A, "ge gt", _pair_of("number", 2, 3), _backwards, "<= <"),
    *_shapes(_A, "is_int", _of(REAL)),
    *_shapes(_A, "divisible", lambda maker, sort: ((maker.between(1, 9),), (INT,)), _divisible, "mod"),
    *_shapes(_B, "bvult bvule bvslt bvsle", _pair_of("bits")),
    *_shapes(_B, "bvugt bvuge bvsgt bvsge", _pair_of("bits"), _backwards, "bvult bvule bvslt bvsle"),
    *_shapes(_B, "bvnego", _pair_of("bits", 1, 1)),
    *_shapes(_B, "bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo", _pair_of("bits")),
    *_shapes(_F, "fp_le fp_lt fp_eq", _pair_of("float"), op_names="fp.leq fp.lt fp.eq"),
    *_shapes(_F, "fp_ge fp_gt", _pair_of("float"), _backwards, "fp.leq fp.lt"),
    *_shapes(
        _F,
        "fp_is_normal fp_is_subnormal fp_is_zero fp_is_infinite fp_is_nan fp_is_negative fp_is_positive",
        _pair_of("float", 1, 1),
        op_names="fp.isNormal fp.isSubnormal fp.isZero fp.isInfinite fp.isNaN fp.isNegative fp.isPositive",
    ),
]
QUANTIFIED = _shapes(Theory.QUANTIFIERS, "forall exists", lambda maker, sort: ((maker.bound(),), (BOOL,)), _quantifier)
NUMBERS = [
    *_shapes(_A, "neg", _same(1)),
    *_shapes(_A, "add mul", _same(2, 4), op_names="+ *"),
    *_shapes(_A, "sub", _same(2, 3), _left, "-"),
]
INTS = [
    *_shapes(_A, "div", _same(2, 3), _left),
    *_shapes(_A, "mod", _same(2)),
    *_shapes(_A, "abs_", _same(1), op_names="abs"),
    *_shapes(_A, "to_int", _of(REAL)),
    *_shapes(_X, "ubv_to_int sbv_to_int", _pair_of("bits", 1, 1)),
]
REALS = [
    *_shapes(_A, "divide", _same(2, 3), _left, "/"),
    *_shapes(_A, "to_real", _of(INT)),
    *_shapes(_R, "fp_to_real", _pair_of("float", 1, 1), op_names="fp.to_real"),
]
BITS = [
    *_shapes(_B, "bvnot bvneg", _same(1)),
    *_shapes(_B, "bvand bvor bvxor bvadd bvmul", _same(2, 4)),
    *_shapes(_B, "bvsub", _same(2, 3), _left),
    *_shapes(_B, "bvnand bvnor", _same(2), _bv_complement, "bvand bvor"),
    *_shapes(_B, "bvxnor", _same(2, 3), _bv_complement, "bvxor"),
    *_shapes(_B, "bvudiv bvurem bvsdiv bvsrem bvsmod bvshl bvlshr bvashr", _same(2)),
    *_shapes(_B, "concat", _concat),
    *_shapes(_B, "extract", _extract, _indexed),
    *_shapes(_B, "zero_extend sign_extend", _extend, _indexed),
    *_shapes(_B, "repeat", _repeat, _indexed),
    *_shapes(
        _B, "rotate_left rotate_right", lambda maker, sort: ((maker.between(0, sort.width - 1),), (sort,)), _indexed
    ),
    *_shapes(_X, "int_to_bv", lambda maker, sort: ((sort.width,), (INT,)), _indexed),
    *_shapes(
        _F,
        "fp_to_ubv fp_to_sbv",
        lambda maker, sort: ((sort.width,), (ROUNDING_MODE, maker.sort_of("float"))),
        _indexed,
        "fp.to_ubv fp.to_sbv",
    ),
]
ONE_BIT = _shapes(_B, "bvcomp", _pair_of("bits"), _bvcomp, "=")
FLOATING = [
    *_shapes(_F, "fp_abs fp_neg", _same(1)),
    *_shapes(_F, "fp_rem fp_min fp_max", _same(2)),
    *_shapes(_F, "fp_add fp_sub fp_mul fp_div", _rounded(2)),
    *_shapes(_F, "fp_fma", _rounded(3)),
    *_shapes(_F, "fp_sqrt fp_round_to_integral", _rounded(1), op_names="fp.sqrt fp.roundToIntegral"),
    *_shapes(_F, "fp", _fp_fields, _fp, "to_fp.bits"),
    *_shapes(_F, "fp_from_bits", lambda maker, sort: ((sort,), (BitVec(sort.width),)), _into_float, "to_fp.bits"),
    *_shapes(
        _F,
        "fp_from_fp",
        lambda maker, sort: ((sort,), (ROUNDING_MODE, maker.sort_of("float"))),
        _into_float,
        "to_fp.float",
    ),
    *_shapes(
        _F,
        "fp_from_signed fp_from_unsigned",
        lambda maker, sort: ((sort,), (ROUNDING_MODE, maker.sort_of("bits"))),
        _into_float,
        "to_fp.signed to_fp_unsigned",
    ),
    *_shapes(_R, "fp_from_real", lambda maker, sort: ((sort,), (ROUNDING_MODE, REAL)), _into_float, "to_fp.real"),
]
ARRAYS = [
    *_shapes(Theory.ARRAYS, "store", lambda maker, sort: ((), (sort, sort.index, sort.element))),
    *_shapes(Theory.ARRAYS, "const_array", lambda maker, sort: ((sort,), (sort.element,)), op_names="const"),
]
SHAPES = {
    shape.name: shape
    for group in (ANY, BOOLS, QUANTIFIED, NUMBERS, INTS, REALS, BITS, ONE_BIT, FLOATING, ARRAYS)
    for shape in group
}


@cache
def _shapes_for(sort: Sort, universe: Universe) -> list[Shape]:
    found = list(ANY)
    if sort is BOOL:
        found += [*BOOLS, *QUANTIFIED, *QUANTIFIED]
    elif sort is INT:
        found += NUMBERS * 2 + INTS
    elif sort is REAL:
        found += NUMBERS * 2 + REALS
    elif isinstance(sort, BitVec):
        found += BITS + (ONE_BIT * 3 if sort.width == 1 else [])
    elif isinstance(sort, Float):
        found += FLOATING
    elif isinstance(sort, Array):
        found += ARRAYS * 3
    return [shape for shape in found if universe.has(shape.theory)]


# --- decoding ---------------------------------------------------------------------------------------------------------

_MOST_QUANTIFIERS = 2  # evaluation writes them out


class Maker:
    """Decodes one tape."""

    def __init__(self, data: bytes, universe: Universe, style: Smart | Raw) -> None:
        self.tape = Tape(data)
        self.universe = universe
        self.style = style
        self.pool: dict[Sort, list[Term]] = {}
        self.quantifiers = 0
        self.used: set[str] = set()

    def between(self, least: int, most: int) -> int:
        return least + self.tape.pick(most - least + 1)

    # --- sorts ---

    def sort_of(self, kind: str) -> Sort:
        if kind == "bits":
            return self.bit_vector()
        if kind == "float":
            return Float(*self.tape.choose(self.universe.formats))
        if kind == "number":
            return self.tape.choose((INT, REAL))
        return self.any_sort()

    def bit_vector(self) -> BitVec:
        if self.tape.byte() < 216:
            return BitVec(self.tape.choose(self.universe.widths))
        return BitVec(1 + self.tape.pick(self.universe.widest))

    def scalar_sort(self) -> Sort:
        return self._scalar(_kinds(self.universe))

    def any_sort(self) -> Sort:
        if self.universe.has(Theory.ARRAYS) and self.tape.byte() >= 224:
            return self.array_sort()
        return self.scalar_sort()

    def array_sort(self) -> Array:
        element = self.array_sort() if self.tape.byte() >= 224 else self.scalar_sort()
        return Array(self.index_sort(), element)

    def index_sort(self) -> Sort:
        return self._scalar([k for k in _kinds(self.universe) if k != "real"])

    def _scalar(self, kinds: Sequence[str]) -> Sort:
        kind = self.tape.choose(kinds)
        if kind == "bits":
            return self.bit_vector()
        if kind == "float":
            return self.sort_of("float")
        return {"bool": BOOL, "int": INT, "real": REAL, "mode": ROUNDING_MODE}[kind]

    def bound(self) -> tuple[Term, ...]:
        """Variables that a quantifier binds: few enough values to write out."""
        finite: list[Sort] = [BOOL]
        if self.universe.has(Theory.BITVECTORS):
            finite += [BitVec(1), BitVec(2), BitVec(3)]
        if self.universe.has(Theory.FLOATS):
            finite.append(ROUNDING_MODE)
        found = [
            var(self.tape.choose(self.universe.names), self.tape.choose(finite)) for _ in range(self.between(1, 2))
        ]
        return tuple(dict.fromkeys(found))

    # --- terms ---

    def term(self, sort: Sort, depth: int) -> Term:
        choice = self.tape.byte()
        if depth <= 0 or choice < 40:
            made = self.leaf(sort)
        elif choice < 80:
            pool = self.pool.get(sort)
            return self.tape.choose(pool) if pool else self.leaf(sort)
        else:
            made = self.inner(sort, depth)
        self.pool.setdefault(sort, []).append(made)
        return made

    def leaf(self, sort: Sort) -> Term:
        if self.tape.byte() >= 128 and not isinstance(sort, Array):
            return value(some_value(self.tape, sort), sort)
        return var(self.tape.choose(self.universe.names), sort)

    def inner(self, sort: Sort, depth: int) -> Term:
        shapes = _shapes_for(sort, self.universe)
        shape = self.tape.choose(shapes) if shapes else None
        if shape is not None and shape.theory is Theory.QUANTIFIERS:
            self.quantifiers += 1
            if self.quantifiers > _MOST_QUANTIFIERS:
                shape = None
        plan = shape.plan(self, sort) if shape is not None else None
        if shape is None or plan is None:
            return self.leaf(sort)
        prefix, sorts = plan
        if shape.theory is Theory.QUANTIFIERS:
            args: tuple[Term, ...] = (self.body(prefix[0], depth),)
        else:
            args = tuple(self.term(s, depth - 1) for s in sorts)
        return self.make(shape, prefix, args, sort)

    def make(self, shape: Shape, prefix: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
        self.used.add(shape.name)
        return self.style.make(shape, prefix, args, sort)

    def body(self, bound: Sequence[Term], depth: int) -> Term:
        """A formula in which the bound variables (may) occur."""
        parts = [self.term(BOOL, depth - 1)]
        for v in bound:
            if v.sort is BOOL:
                parts.append(v)
                continue
            comparisons = ["eq", "bvult", "bvsle"] if isinstance(v.sort, BitVec) else ["eq"]
            other = self.term(v.sort, depth - 2)
            parts.append(self.make(SHAPES[self.tape.choose(comparisons)], (), (v, other), BOOL))
        return self.make(SHAPES[self.tape.choose(("and_", "or_", "xor", "implies"))], (), tuple(parts), BOOL)


@cache
def _kinds(universe: Universe) -> list[str]:
    kinds = ["bool"]
    if universe.has(Theory.BITVECTORS):
        kinds += ["bits", "bits", "bits"]
    if universe.has(Theory.ARITHMETIC):
        kinds += ["int", "int", "real"]
    if universe.has(Theory.FLOATS):
        kinds += ["float", "float", "mode"]
    return kinds


def decode(
    data: bytes, sort: Sort | None = None, universe: Universe = EVERYTHING, style: Smart | Raw | None = None
) -> Term:
    """The term on a tape; of a sort chosen by the tape if None is asked for."""
    return _decoded(data, sort, universe, style or Smart())[0]


def _decoded(data: bytes, sort: Sort | None, universe: Universe, style: Smart | Raw) -> tuple[Term, Maker]:
    maker = Maker(data, universe, style)
    sort = sort or maker.any_sort()
    # The root is always an operation; what it is made of may be less.
    return maker.inner(sort, universe.depth), maker


def decode_model(data: bytes, *roots: Term) -> Model:
    return model_of(Tape(data), *roots)


# --- strategies -------------------------------------------------------------------------------------------------------


def tapes(length: int = 48) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=length, max_size=2 * length)


def values(sort: Sort) -> st.SearchStrategy[Value]:
    return tapes(16).map(lambda data: some_value(Tape(data), sort))


def sorts(universe: Universe = EVERYTHING) -> st.SearchStrategy[Sort]:
    return tapes(8).map(lambda data: Maker(data, universe, Smart()).any_sort())


def terms(sort: Sort | None = None, universe: Universe = EVERYTHING) -> st.SearchStrategy[Term]:
    """Constructed terms of a sort, or of any sort of the universe."""
    return tapes().map(lambda data: decode(data, sort, universe))


def raw_terms(sort: Sort | None = None, universe: Universe = EVERYTHING) -> st.SearchStrategy[Term]:
    """Terms that no constructor has simplified."""
    return tapes().map(lambda data: decode(data, sort, universe, Raw()))


def models(*roots: Term) -> st.SearchStrategy[Model]:
    """Models of the free variables and functions of given terms."""
    return tapes(32).map(lambda data: decode_model(data, *roots))


def instances(sort: Sort | None = None, universe: Universe = EVERYTHING) -> st.SearchStrategy[tuple[Term, Model]]:
    """A constructed term with a model of its variables and functions."""

    def decoded(data: tuple[bytes, bytes]) -> tuple[Term, Model]:
        term = decode(data[0], sort, universe)
        return term, decode_model(data[1], term)

    return st.tuples(tapes(), tapes(32)).map(decoded)


def twins(sort: Sort | None = None, universe: Universe = EVERYTHING) -> st.SearchStrategy[tuple[Term, Term, Model]]:
    """The same tree unsimplified and constructed, with a model of both."""

    def decoded(data: tuple[bytes, bytes]) -> tuple[Term, Term, Model]:
        raw, smart = decode(data[0], sort, universe, Raw()), decode(data[0], sort, universe, Smart())
        return raw, smart, decode_model(data[1], raw, smart)

    return st.tuples(tapes(), tapes(32)).map(decoded)
