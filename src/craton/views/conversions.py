"""Facts about conversions between integers and IEEE floats, a combination that solvers hardly support."""

from __future__ import annotations

from fractions import Fraction

from craton.logic import (
    RTN,
    RTP,
    Float,
    Term,
    and_,
    fp_bits,
    fp_is_nan,
    fp_le,
    fp_value,
    implies,
    int_,
    le,
    not_,
)
from craton.logic.ieee import RoundingMode, from_fraction
from craton.logic.terms import format_of
from craton.views.bits import Bits


def float_of(number: int, mode: Term, sort: Float) -> Term:
    """The float that an integer is rounded to."""
    rounding: RoundingMode = mode.payload
    return fp_bits(from_fraction(format_of(sort), rounding, Fraction(number)), sort)


def float_near(chosen: Term, number: Bits, sort: Float) -> Term:
    """Rounding is monotone, so the integer's bounds give bounds for the float; and zero stays zero."""
    zero = fp_value(0.0, sort)
    return and_(
        not_(fp_is_nan(chosen)),
        fp_le(float_of(number.low, RTN, sort), chosen),
        fp_le(chosen, float_of(number.high, RTP, sort)),
        implies(le(int_(0), number.term), fp_le(zero, chosen)),
        implies(le(number.term, int_(0)), fp_le(chosen, zero)),
    )


def integer_near(chosen: Term, x: Term, low: int, high: int) -> Term:
    """The integer has the sign of the float it was converted from, if that was in range."""
    sort = x.sort
    assert isinstance(sort, Float)
    zero = fp_value(0.0, sort)
    least, most = float_of(low, RTP, sort), float_of(high, RTN, sort)
    fits = and_(fp_le(least, x), fp_le(x, most))
    return implies(
        fits,
        and_(
            implies(fp_le(zero, x), le(int_(0), chosen)),
            implies(fp_le(x, zero), le(chosen, int_(0))),
        ),
    )
