"""C's arithmetic on terms: conversions, operators and bit patterns, without side effects.

Where C leaves a result open, the choice is x86-64's (gcc's, with -fwrapv):

- signed arithmetic wraps around; `INT_MIN / -1` is `INT_MIN`;
- the amount of a shift is taken modulo the width, except that a constant amount that is too large shifts everything
  out;
- a float that does not fit an integer type is converted through the next wider signed type (int, then long long),
  which gives the smallest number of that type where it does not fit either.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from craton.frontends.c.syntax.types import X87, ArrayType, CType, Floating, FunctionType, Integer, Pointer, Void
from craton.logic import (
    RNE,
    RTZ,
    BitVec,
    Float,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvashr,
    bvlshr,
    bvmul,
    bvneg,
    bvnot,
    bvor,
    bvsdiv,
    bvshl,
    bvsle,
    bvslt,
    bvsrem,
    bvsub,
    bvudiv,
    bvule,
    bvult,
    bvurem,
    bvxor,
    concat,
    eq,
    extract,
    fp_add,
    fp_bits,
    fp_div,
    fp_eq,
    fp_from_bits,
    fp_from_fp,
    fp_from_signed,
    fp_from_unsigned,
    fp_is_nan,
    fp_is_zero,
    fp_le,
    fp_lt,
    fp_mul,
    fp_neg,
    fp_round_to_integral,
    fp_sub,
    fp_to_sbv,
    fp_to_ubv,
    fp_value,
    ite,
    not_,
    sign_extend,
    zero_extend,
)


def width_of(term: Term) -> int:
    sort = term.sort
    assert isinstance(sort, BitVec)
    return sort.width


def resize(term: Term, width: int, *, signed: bool) -> Term:
    """The same number in another width, or its low bits."""
    have = width_of(term)
    if have == width:
        return term
    if have > width:
        return extract(width - 1, 0, term)
    return sign_extend(width - have, term) if signed else zero_extend(width - have, term)


def is_signed(t: CType) -> bool:
    return isinstance(t, Integer) and t.signed


def truth(term: Term, t: CType) -> Term:
    """C's `e != 0` as a Bool."""
    if isinstance(t, Floating):
        return not_(fp_is_zero(term))
    return not_(eq(term, bv(0, width_of(term))))


def number(condition: Term, width: int) -> Term:
    """A Bool as C's 1 or 0."""
    return ite(condition, bv(1, width), bv(0, width))


def constant(number_: int | float | Fraction, t: CType) -> Term:
    if isinstance(t, Floating):
        return fp_value(number_ if isinstance(number_, float) else Fraction(number_), t.sort)
    return bv(int(number_), t.size * 8)


def zero(t: CType) -> Term:
    return fp_bits(0, t.sort) if isinstance(t, Floating) else bv(0, t.size * 8)


def convert(term: Term, source: CType, target: CType) -> Term:
    """A scalar as another scalar type."""
    if source is target:
        return term
    if isinstance(target, Integer) and target.boolean:
        if isinstance(source, Integer) and source.boolean:
            return term
        return number(truth(term, source), target.width)
    if isinstance(source, Floating):
        if isinstance(target, Floating):
            return fp_from_fp(target.sort, RNE, term)
        return float_to_integer(term, target)
    if isinstance(target, Floating):
        make = fp_from_signed if is_signed(source) else fp_from_unsigned
        return make(target.sort, RNE, term)
    return resize(term, target.size * 8, signed=is_signed(source))


def adapt(value: Term, source: CType, target: CType) -> Term:
    """Inside initialiser lists and calls without prototype clang may leave a conversion to us."""
    if isinstance(source, ArrayType | FunctionType) or isinstance(target, ArrayType | FunctionType | Void):
        return value
    return convert(value, source, target)


def float_to_integer(term: Term, target: CType) -> Term:
    """Truncation towards zero. Where the value does not fit, with the answer of x86, or of gcc if it is a constant."""
    width = target.size * 8
    sort = term.sort
    assert isinstance(sort, Float)
    if term.is_value:
        return _constant_to_integer(term, target)
    if not is_signed(target) and width >= 64:
        # Above 2^63 gcc subtracts 2^63 first; below zero the signed conversion wraps around.
        top = fp_value(Fraction(1 << (width - 1)), sort)
        big = and_(fp_le(top, term), fp_lt(term, fp_value(Fraction(1 << width), sort)))
        small = _signed_conversion(term, width)
        return ite(big, fp_to_ubv(width, RTZ, term), small)
    wide = max(32 if is_signed(target) or width < 32 else 64, width)
    return resize(_signed_conversion(term, wide), width, signed=True)


def _constant_to_integer(term: Term, target: CType) -> Term:
    """The nearest integer of the type towards zero; of NaN, 0. It is a value, as the operand is one."""
    width, sort = target.size * 8, term.sort
    assert isinstance(sort, Float)
    signed = is_signed(target)
    least, above = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    to_bits = fp_to_sbv if signed else fp_to_ubv
    whole = fp_round_to_integral(RTZ, term)
    return ite(
        fp_is_nan(term),
        bv(0, width),
        ite(
            fp_le(fp_value(Fraction(above), sort), whole),
            bv(above - 1, width),
            ite(fp_lt(whole, fp_value(Fraction(least), sort)), bv(least, width), to_bits(width, RTZ, whole)),
        ),
    )


def _signed_conversion(term: Term, width: int) -> Term:
    sort = term.sort
    assert isinstance(sort, Float)
    above = fp_value(Fraction(1 << (width - 1)), sort)
    lowest = Fraction(-(1 << (width - 1)))
    if sort.significand_bits > width - 1:  # -2^(w-1) - 0.5 exists and truncates to the lowest number
        fits = and_(fp_lt(fp_value(lowest - 1, sort), term), fp_lt(term, above))
    else:
        fits = and_(fp_le(fp_value(lowest, sort), term), fp_lt(term, above))
    return ite(fits, fp_to_sbv(width, RTZ, term), bv(1 << (width - 1), width))


# --- bit patterns -----------------------------------------------------------------------------------------------------


def from_bits(bits: Term, t: CType) -> Term:
    """The scalar whose representation in memory is `bits` (of its whole size)."""
    if not isinstance(t, Floating):
        return bits
    return fp_from_bits(t.sort, float_bits(bits, t.sort))


def float_bits(bits: Term, sort: Float) -> Term:
    """The IEEE pattern in a memory representation: x87 has an explicit integer bit, and padding."""
    if sort is X87:
        return concat(extract(79, 64, bits), extract(62, 0, bits))
    return resize(bits, sort.width, signed=False)


def memory_bits(pattern: Term, sort: Float) -> Term:
    """The memory representation of an IEEE pattern without padding, the inverse of `float_bits`."""
    if sort is X87:
        exponent = extract(77, 63, pattern)
        integer = ite(eq(exponent, bv(0, 15)), bv(0, 1), bv(1, 1))
        return concat(extract(78, 63, pattern), integer, extract(62, 0, pattern))
    return pattern


# --- operators --------------------------------------------------------------------------------------------------------


def compare(op: str, a: Term, b: Term, t: CType) -> Term:
    """A comparison of two operands of type `t` as a Bool."""
    if isinstance(t, Floating):
        if op in ("==", "!="):
            equal = fp_eq(a, b)
            return equal if op == "==" else not_(equal)
        if op == "<":
            return fp_lt(a, b)
        if op == "<=":
            return fp_le(a, b)
        return fp_lt(b, a) if op == ">" else fp_le(b, a)
    if op == "==":
        return eq(a, b)
    if op == "!=":
        return not_(eq(a, b))
    less, at_most = (bvslt, bvsle) if is_signed(t) else (bvult, bvule)
    if op == "<":
        return less(a, b)
    if op == "<=":
        return at_most(a, b)
    return less(b, a) if op == ">" else at_most(b, a)


_FLOAT: dict[str, Callable[[Term, Term, Term], Term]] = {"+": fp_add, "-": fp_sub, "*": fp_mul, "/": fp_div}
_INTEGER: dict[str, Callable[..., Term]] = {"+": bvadd, "-": bvsub, "*": bvmul, "&": bvand, "|": bvor, "^": bvxor}


def arithmetic(op: str, a: Term, b: Term, t: CType) -> Term:
    """`a op b` for operands of the common type `t`; for shifts, `b` is what `shift_amount` gives."""
    if isinstance(t, Floating):
        return _FLOAT[op](RNE, a, b)
    plain = _INTEGER.get(op)
    if plain is not None:
        return plain(a, b)
    signed = is_signed(t)
    if op == "/":
        return bvsdiv(a, b) if signed else bvudiv(a, b)
    if op == "%":
        return bvsrem(a, b) if signed else bvurem(a, b)
    if op == "<<":
        return bvshl(a, b)
    assert op == ">>", op
    return bvashr(a, b) if signed else bvlshr(a, b)


def shift_amount(amount: Term, amount_type: CType, width: int) -> Term:
    """The amount in the width of the shifted operand, as x86 takes it."""
    if amount.is_value:
        value = amount.payload
        return bv(value if value < width else width, width)
    return bvand(resize(amount, width, signed=False), bv(width - 1, width))


def negate(a: Term, t: CType) -> Term:
    return fp_neg(a) if isinstance(t, Floating) else bvneg(a)


def complement(a: Term) -> Term:
    return bvnot(a)


def promoted(t: CType, int_type: Integer) -> CType:
    """The integer promotions."""
    if isinstance(t, Integer) and (t.boolean or t.size < int_type.size):
        return int_type
    return t


def common(a: CType, b: CType, int_type: Integer) -> CType:
    """The usual arithmetic conversions."""
    if isinstance(a, Floating) or isinstance(b, Floating):
        if isinstance(a, Floating) and isinstance(b, Floating):
            return a if a.sort.significand_bits >= b.sort.significand_bits else b
        return a if isinstance(a, Floating) else b
    a, b = promoted(a, int_type), promoted(b, int_type)
    if isinstance(a, Pointer) or isinstance(b, Pointer) or a is b:
        return a if not isinstance(b, Pointer) else b
    assert isinstance(a, Integer) and isinstance(b, Integer)
    if a.size != b.size:
        return a if a.size > b.size else b
    if a.signed == b.signed:
        return a if a.rank >= b.rank else b
    unsigned, signed = (a, b) if not a.signed else (b, a)
    if unsigned.rank >= signed.rank:
        return unsigned
    # e.g. long and unsigned int of one size: unsigned long
    return Integer(signed.size, signed.align, False, f"unsigned {signed.name}", False, signed.rank)
