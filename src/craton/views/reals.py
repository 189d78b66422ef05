"""Floats as real numbers: the `--floats real` view of arithmetic.

A float x is a pair of a Real and a Bool (`Pair`): NaN is (0, true), an infinity is the number ±2^(emax+1), to which
rounding overflows, and every finite x is its value. So comparisons are exact: with NaN they are false because of the
Bool, and infinities compare as large numbers. That a comparison with a *possible* NaN may go either way is therefore
the program's own uncertainty, not one that the view adds. Only the sign of zero is lost.

Rounded results are fresh numbers r with |r - exact| ≤ u·|exact| + tiny, where u is half a unit in the last place and
`tiny` half the smallest subnormal number. This holds for every finite result of rounding to nearest, and results that
are too large are infinities, so the view covers everything the program can do; but a counterexample through a rounded
result needs a check in bits. Results of infinities, and of operations without a useful bound (`fma`, `rem`), are
arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from craton.logic import (
    BOOL,
    FALSE,
    INT,
    REAL,
    RNA,
    RNE,
    RTN,
    RTP,
    RTZ,
    TRUE,
    Float,
    Sort,
    Term,
    add,
    and_,
    divide,
    eq,
    ge,
    gt,
    implies,
    int_,
    ite,
    le,
    lt,
    mul,
    neg,
    not_,
    or_,
    real,
    sub,
    to_int,
    to_real,
)
from craton.logic.ieee import is_infinite, is_nan, is_negative, to_fraction
from craton.logic.terms import format_of
from craton.views.values import Pair

ZERO = real(0)


def infinity(sort: Float) -> Fraction:
    return Fraction(2) ** (format_of(sort).emax + 1)


def _precision(sort: Float) -> Fraction:
    """Half a unit in the last place of 1."""
    return Fraction(1, 1 << sort.significand_bits)


def _smallest_normal(sort: Float) -> Fraction:
    return Fraction(2) ** (1 - format_of(sort).emax)


def _tiny(sort: Float) -> Fraction:
    """Half the smallest subnormal number."""
    return _smallest_normal(sort) * _precision(sort)


def _overflow(sort: Float) -> Fraction:
    """The smallest number that rounding to nearest turns into an infinity."""
    return infinity(sort) * (1 - _precision(sort) / 2)


@dataclass
class Rounding:
    """Fresh variables for rounded results, and what is known about them."""

    fresh: Callable[[Sort], Term]
    variables: list[Term] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)

    def unknown(self, sort: Sort) -> Term:
        chosen = self.fresh(sort)
        self.variables.append(chosen)
        return chosen

    def arbitrary(self, sort: Float) -> Pair:
        result = Pair(self.unknown(REAL), self.unknown(BOOL))
        self.facts.append(well_formed(result, sort))
        return result

    def rounded(self, exact: Term, sort: Float, mode: Term) -> Term:
        """The number that rounding a real number gives."""
        r = self.unknown(REAL)
        top, u, tiny = infinity(sort), _precision(sort), real(_tiny(sort))
        self.facts.append(and_(le(real(-top), r), le(r, real(top))))
        if mode not in (RNE, RNA):
            u, tiny = 2 * u, real(2 * _tiny(sort))
        larger, smaller = mul(real(1 + u), exact), mul(real(1 - u), exact)
        positive = and_(le(ZERO, r), le(sub(smaller, tiny), r), le(r, add(larger, tiny)))
        negative = and_(le(r, ZERO), le(sub(larger, tiny), r), le(r, add(smaller, tiny)))
        limit = _overflow(sort)
        if mode in (RNE, RNA):
            far = ite(lt(ZERO, exact), eq(r, real(top)), eq(r, real(-top)))
        else:  # the largest finite number or an infinity
            limit = infinity(sort) * (1 - _precision(sort) * 2)
            far = ite(lt(ZERO, exact), ge(r, real(limit)), le(r, real(-limit)))
        near = and_(lt(real(-limit), exact), lt(exact, real(limit)))
        self.facts.append(ite(near, ite(le(ZERO, exact), positive, negative), far))
        return r


def well_formed(pair: Pair, sort: Float) -> Term:
    """What holds for every float."""
    top = infinity(sort)
    return and_(le(real(-top), pair.number), le(pair.number, real(top)), implies(pair.nan, eq(pair.number, ZERO)))


def constant(bits: int, sort: Float) -> Pair:
    form = format_of(sort)
    if is_nan(form, bits):
        return Pair(ZERO, TRUE)
    if is_infinite(form, bits):
        return Pair(real(-infinity(sort) if is_negative(form, bits) else infinity(sort)), FALSE)
    return Pair(real(to_fraction(form, bits)), FALSE)


def infinite(a: Pair, sort: Float) -> Term:
    top = infinity(sort)
    return or_(eq(a.number, real(top)), eq(a.number, real(-top)))


def finite(a: Pair, sort: Float) -> Term:
    top = infinity(sort)
    return and_(not_(a.nan), lt(real(-top), a.number), lt(a.number, real(top)))


# --- arithmetic -------------------------------------------------------------------------------------------------------


def negative(a: Pair) -> Pair:
    return Pair(neg(a.number), a.nan)


def absolute(a: Pair) -> Pair:
    return Pair(ite(lt(a.number, ZERO), neg(a.number), a.number), a.nan)


def binary(operation: Callable[[Term, Term], Term], mode: Term, a: Pair, b: Pair, sort: Float, out: Rounding) -> Pair:
    """Sum, difference or product: exact on finite numbers, then rounded."""
    both = and_(finite(a, sort), finite(b, sort))
    return _guarded(both, operation(a.number, b.number), or_(a.nan, b.nan), mode, sort, out)


def quotient(mode: Term, a: Pair, b: Pair, sort: Float, out: Rounding) -> Pair:
    both = and_(finite(a, sort), finite(b, sort), not_(eq(b.number, ZERO)))
    return _guarded(both, divide(a.number, b.number), or_(a.nan, b.nan), mode, sort, out)


def _guarded(usual: Term, exact: Term, nan: Term, mode: Term, sort: Float, out: Rounding) -> Pair:
    """The rounded number in the usual case; NaN if `nan` holds; otherwise anything."""
    special = out.arbitrary(sort)
    r = out.rounded(ite(usual, exact, ZERO), sort, mode)
    number = ite(usual, r, ite(nan, ZERO, special.number))
    return Pair(number, and_(not_(usual), or_(nan, special.nan)))


def square_root(a: Pair, sort: Float, out: Rounding) -> Pair:
    result = out.arbitrary(sort)
    bad = or_(a.nan, lt(a.number, ZERO))
    out.facts.append(eq(result.nan, bad))
    out.facts.append(le(ZERO, result.number))
    # A root lies between its argument and one.
    one = real(1)
    up, down = le(one, a.number), and_(le(ZERO, a.number), lt(a.number, one), not_(bad))
    out.facts.append(implies(up, and_(le(one, result.number), le(result.number, a.number))))
    out.facts.append(implies(down, and_(le(a.number, result.number), le(result.number, one))))
    return result


def integral(mode: Term, a: Pair, out: Rounding) -> Pair:
    """Rounded to an integer. Infinities are integers and stay."""
    if mode is RTN:
        return Pair(_floor(a.number), a.nan)
    if mode is RTP:
        return Pair(neg(_floor(neg(a.number))), a.nan)
    if mode is RTZ:
        return Pair(to_real(truncated(a.number)), a.nan)
    nearest = out.unknown(INT)
    half = real("1/2")
    low, high = sub(a.number, half), add(a.number, half)
    if mode not in (RNE, RNA):
        low, high = sub(a.number, real(1)), add(a.number, real(1))
    out.facts.append(and_(le(low, to_real(nearest)), le(to_real(nearest), high)))
    return Pair(to_real(nearest), a.nan)


def _floor(a: Term) -> Term:
    return to_real(to_int(a))


def truncated(a: Term) -> Term:
    """Towards zero, as an Int."""
    return ite(le(ZERO, a), to_int(a), neg(to_int(neg(a))))


def smaller(a: Pair, b: Pair) -> Pair:
    return _either(le(a.number, b.number), a, b)


def larger(a: Pair, b: Pair) -> Pair:
    return _either(le(b.number, a.number), a, b)


def _either(first: Term, a: Pair, b: Pair) -> Pair:
    """If one argument is NaN, the result is the other one."""
    chosen = ite(a.nan, b.number, ite(b.nan, a.number, ite(first, a.number, b.number)))
    return Pair(chosen, and_(a.nan, b.nan))


# --- comparisons ------------------------------------------------------------------------------------------------------


def compared(operation: Callable[[Term, Term], Term], a: Pair, b: Pair) -> Term:
    return and_(not_(a.nan), not_(b.nan), operation(a.number, b.number))


def identical(a: Pair, b: Pair, out: Rounding) -> Term:
    """SMT-LIB's `=`, which distinguishes the zeros, unlike the view."""
    zeros = and_(eq(a.number, ZERO), eq(b.number, ZERO), not_(a.nan), not_(b.nan))
    same = and_(eq(a.nan, b.nan), eq(a.number, b.number))
    if any(x.number.is_value and x.number.payload != 0 for x in (a, b)) or TRUE in (a.nan, b.nan):
        return same
    return ite(zeros, out.unknown(BOOL), same)


def is_normal(a: Pair, sort: Float) -> Term:
    least = real(_smallest_normal(sort))
    return and_(finite(a, sort), or_(le(least, a.number), le(a.number, neg(least))))


def is_subnormal(a: Pair, sort: Float) -> Term:
    least = real(_smallest_normal(sort))
    return and_(not_(a.nan), not_(eq(a.number, ZERO)), lt(neg(least), a.number), lt(a.number, least))


def has_sign(a: Pair, below: bool, out: Rounding) -> Term:
    """Zero may have any sign."""
    strictly = lt(a.number, ZERO) if below else gt(a.number, ZERO)
    at_zero = eq(a.number, ZERO)
    return and_(not_(a.nan), ite(at_zero, out.unknown(BOOL), strictly))


# --- conversions ------------------------------------------------------------------------------------------------------


def converted(mode: Term, a: Pair, source: Float, target: Float, out: Rounding) -> Pair:
    if target.exponent_bits >= source.exponent_bits and target.significand_bits >= source.significand_bits:
        old, new = infinity(source), infinity(target)
        if old == new:
            return a
        number = ite(eq(a.number, real(old)), real(new), ite(eq(a.number, real(-old)), real(-new), a.number))
        return Pair(number, a.nan)
    if infinity(source) < _overflow(target):
        return out.arbitrary(target)  # fewer digits but more exponents: no C type is like this
    if mode not in (RNE, RNA):  # a directed mode keeps infinities, but rounds large numbers to the largest
        infinite_ = infinite(a, source)
        r = out.rounded(ite(infinite_, ZERO, a.number), target, mode)
        top = real(infinity(target))
        number = ite(infinite_, ite(lt(ZERO, a.number), top, neg(top)), r)
        return Pair(ite(a.nan, ZERO, number), a.nan)
    return Pair(ite(a.nan, ZERO, out.rounded(a.number, target, mode)), a.nan)


def from_integer(mode: Term, a: Term, low: int, high: int, sort: Float, out: Rounding) -> Pair:
    limit = 1 << sort.significand_bits
    if -limit <= low and high <= limit and max(-low, high) < _overflow(sort):
        return Pair(to_real(a), FALSE)
    return Pair(out.rounded(to_real(a), sort, mode), FALSE)


def to_integer(mode: Term, a: Pair, low: int, high: int, sort: Float, out: Rounding) -> Term:
    """An Int in low … high; arbitrary if the number does not fit, as in bits."""
    result = out.unknown(INT)
    out.facts.append(and_(le(int_(low), result), le(result, int_(high))))
    if mode is RTZ:
        fits = and_(finite(a, sort), lt(real(low - 1), a.number), lt(a.number, real(high + 1)))
        return ite(fits, truncated(a.number), result)
    fits = and_(finite(a, sort), le(real(low), a.number), le(a.number, real(high)))
    number = to_real(result)
    near = and_(le(sub(a.number, real(1)), number), le(number, add(a.number, real(1))))
    out.facts.append(implies(fits, near))
    return result
