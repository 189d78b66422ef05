"""Linear formulas over the real value of one float, as comparisons of the float."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from craton.errors import NotExpressible
from craton.logic import TRUE, Float, Term, fp_bits, fp_eq, fp_is_nan, fp_le, fp_lt, ite, not_, ops
from craton.logic.ieee import RoundingMode, from_fraction
from craton.logic.ops import Op
from craton.logic.terms import format_of
from craton.views.reals import infinity


@dataclass(frozen=True, slots=True)
class Scaled:
    """factor · x + offset for the real value of a float x; a constant if there is no float."""

    factor: Fraction
    float: Term | None
    offset: Fraction


def not_in_bits(what: str) -> NotExpressible:
    return NotExpressible(f"{what} of the view has no counterpart in bits")


def scaled(node: Term, args: Sequence[object]) -> Scaled:
    """Sums and multiples with at most one float variable."""
    parts = [a for a in args if isinstance(a, Scaled)]
    if len(parts) == len(args):
        if node.op is ops.NEG:
            return _times(Fraction(-1), parts[0])
        if node.op is ops.ADD:
            result = parts[0]
            for part in parts[1:]:
                result = _plus(result, part)
            return result
        if node.op is ops.SUB:
            return _plus(parts[0], _times(Fraction(-1), parts[1]))
        if node.op is ops.MUL and sum(p.float is not None for p in parts) <= 1:
            factor = Fraction(1)
            rest = Scaled(Fraction(0), None, Fraction(1))
            for part in parts:
                if part.float is None:
                    factor *= part.offset
                else:
                    rest = part
            return _times(factor, rest)
    raise not_in_bits(str(node))


def _times(factor: Fraction, a: Scaled) -> Scaled:
    return Scaled(factor * a.factor, a.float if factor else None, factor * a.offset)


def _plus(a: Scaled, c: Scaled) -> Scaled:
    if a.float is None or c.float is None or a.float is c.float:
        factor = a.factor + c.factor
        return Scaled(factor, (a.float or c.float) if factor else None, a.offset + c.offset)
    raise not_in_bits(f"a sum of {a.float} and {c.float}")


def floats_compared(op: Op, a: Scaled, c: Scaled) -> Term:
    """Two floats with the same factor, or one float with a constant."""
    if a.float is not None and c.float is not None and a.float is not c.float:
        if a.factor != c.factor or a.offset != c.offset or a.float.sort is not c.float.sort:
            raise not_in_bits(f"a comparison of {a.float} and {c.float}")
        x, y = (a.float, c.float) if a.factor > 0 else (c.float, a.float)
        return _pair_compared(op, x, y)
    difference = _plus(a, _times(Fraction(-1), c))  # compared with zero
    subject = difference.float
    if subject is None:
        number = difference.offset
        holds = {ops.EQ: number == 0, ops.LE: number <= 0, ops.LT: number < 0}[op]
        return TRUE if holds else not_(TRUE)
    limit = -difference.offset / difference.factor
    return _against(op, subject, limit, above=difference.factor < 0)


def _pair_compared(op: Op, x: Term, y: Term) -> Term:
    """NaN counts as zero in the view."""
    sort = x.sort
    assert isinstance(sort, Float)
    compare = {ops.EQ: fp_eq, ops.LE: fp_le, ops.LT: fp_lt}[op]
    zero = fp_bits(0, sort)
    return compare(ite(fp_is_nan(x), zero, x), ite(fp_is_nan(y), zero, y))


def _against(op: Op, x: Term, limit: Fraction, *, above: bool) -> Term:
    """x = limit, x ≤ limit, x < limit or, with `above`, x ≥ limit, x > limit; the limit need not be a float."""
    sort = x.sort
    assert isinstance(sort, Float)
    x = ite(fp_is_nan(x), fp_bits(0, sort), x)
    top = infinity(sort)
    if abs(limit) > top:
        return not_(TRUE) if op is ops.EQ or (limit > 0) == above else TRUE
    down = _float(limit, RoundingMode.RTN, sort)
    up = _float(limit, RoundingMode.RTP, sort)
    if op is ops.EQ:
        return fp_eq(x, down) if down is up else not_(TRUE)
    # Between two floats, ≤ and < are the same.
    if above:
        return fp_lt(down, x) if down is not up or op is ops.LT else fp_le(up, x)
    return fp_lt(x, up) if down is not up or op is ops.LT else fp_le(x, down)


def _float(number: Fraction, mode: RoundingMode, sort: Float) -> Term:
    if abs(number) == infinity(sort):  # represents an infinity in the view
        form = format_of(sort)
        return fp_bits(form.infinity | (form.sign_mask if number < 0 else 0), sort)
    return fp_bits(from_fraction(format_of(sort), mode, number), sort)
