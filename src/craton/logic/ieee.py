"""Exact IEEE-754 arithmetic on bit patterns, with the semantics of the SMT-LIB theory FloatingPoint, for any format.

A value is an int holding the pattern of ``Format.width`` bits; every NaN is the canonical one (sign 0, exponent ones,
significand field 100..0). Each operation computes the exact real result as an integer times a power of two and rounds
it once, in ``round_exact``; where the standard leaves a result open, ``Unspecified`` is raised.
"""

from __future__ import annotations

import enum
import math
import struct
from dataclasses import dataclass, field
from fractions import Fraction

__all__ = [
    "Format",
    "RoundingMode",
    "Unspecified",
    "absolute",
    "add",
    "canonical",
    "convert",
    "divide",
    "equal",
    "from_fraction",
    "from_python",
    "from_signed",
    "from_unsigned",
    "fused_multiply_add",
    "is_infinite",
    "is_nan",
    "is_negative",
    "is_normal",
    "is_positive",
    "is_subnormal",
    "is_zero",
    "less",
    "less_equal",
    "make",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "remainder",
    "round_exact",
    "round_to_integral",
    "square_root",
    "subtract",
    "to_fraction",
    "to_python",
    "to_signed",
    "to_unsigned",
]


class RoundingMode(enum.Enum):
    """A rounding mode; its value is the SMT-LIB short name."""

    RNE = "RNE"
    RNA = "RNA"
    RTP = "RTP"
    RTN = "RTN"
    RTZ = "RTZ"


class Unspecified(Exception):
    """The standard leaves this value open (e.g. fp.to_ubv out of range)."""


@dataclass(frozen=True, slots=True)
class Format:
    """The format (_ FloatingPoint exponent_bits significand_bits); the derived constants are computed once."""

    exponent_bits: int
    significand_bits: int  # hidden bit included
    width: int = field(init=False, repr=False, compare=False)
    bias: int = field(init=False, repr=False, compare=False)
    emin: int = field(init=False, repr=False, compare=False)  # exponent of the smallest normal number
    emax: int = field(init=False, repr=False, compare=False)  # exponent of the largest finite number
    quantum: int = field(init=False, repr=False, compare=False)  # the smallest subnormal is 2**quantum
    sign_mask: int = field(init=False, repr=False, compare=False)
    magnitude_mask: int = field(init=False, repr=False, compare=False)
    hidden_bit: int = field(init=False, repr=False, compare=False)  # also the pattern of the smallest normal number
    infinity: int = field(init=False, repr=False, compare=False)
    nan: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        eb, sb = self.exponent_bits, self.significand_bits
        if eb < 2 or sb < 2:
            raise ValueError(f"no floating-point format has {eb} exponent and {sb} significand bits")
        bias = (1 << (eb - 1)) - 1
        infinity = ((1 << eb) - 1) << (sb - 1)
        derived = {
            "width": eb + sb,
            "bias": bias,
            "emin": 1 - bias,
            "emax": bias,
            "quantum": 2 - bias - sb,
            "sign_mask": 1 << (eb + sb - 1),
            "magnitude_mask": (1 << (eb + sb - 1)) - 1,
            "hidden_bit": 1 << (sb - 1),
            "infinity": infinity,
            "nan": infinity | 1 << (sb - 2),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def zero(self) -> int:
        return 0

    @property
    def negative_zero(self) -> int:
        return self.sign_mask

    @property
    def negative_infinity(self) -> int:
        return self.sign_mask | self.infinity

    @property
    def largest(self) -> int:
        """The largest finite number."""
        return self.infinity - 1

    @property
    def smallest_normal(self) -> int:
        return self.hidden_bit

    @property
    def smallest_subnormal(self) -> int:
        return 1


# --- patterns and classification ---


def canonical(f: Format, bits: int) -> int:
    """The pattern itself, or the canonical NaN for any NaN."""
    return f.nan if is_nan(f, bits) else bits


def make(f: Format, sign_bit: int, exponent_field: int, significand_field: int) -> int:
    """The value of (fp sign exponent significand)."""
    return canonical(f, (sign_bit << f.exponent_bits | exponent_field) << (f.significand_bits - 1) | significand_field)


def is_nan(f: Format, a: int) -> bool:
    return a & f.magnitude_mask > f.infinity


def is_infinite(f: Format, a: int) -> bool:
    return a & f.magnitude_mask == f.infinity


def is_zero(f: Format, a: int) -> bool:
    return a & f.magnitude_mask == 0


def is_normal(f: Format, a: int) -> bool:
    return f.hidden_bit <= a & f.magnitude_mask < f.infinity


def is_subnormal(f: Format, a: int) -> bool:
    return 0 < a & f.magnitude_mask < f.hidden_bit


def is_negative(f: Format, a: int) -> bool:
    """True for -0, false for NaN."""
    return _sign(f, a) and not is_nan(f, a)


def is_positive(f: Format, a: int) -> bool:
    """True for +0, false for NaN."""
    return not _sign(f, a) and not is_nan(f, a)


# --- arithmetic ---


def round_exact(f: Format, rm: RoundingMode, negative: bool, significand: int, exponent: int) -> int:
    """The rounding of significand * 2**exponent, negated if ``negative``; a zero result has the sign given."""
    if significand < 0:
        raise ValueError("the sign is passed apart from the significand")
    # The weight of the last place kept: its lower bound is all that gradual underflow needs.
    quantum = max(exponent + significand.bit_length() - f.significand_bits, f.quantum)
    if quantum > f.emax and significand:  # surely too large; do not build the huge pattern
        magnitude = f.infinity
    else:
        kept = _round_shift(rm, negative, significand, quantum - exponent)
        # A carry out of the significand lands in the exponent field, as does the hidden bit of a normal number.
        magnitude = ((quantum - f.quantum) << (f.significand_bits - 1)) + kept if kept else 0
    if magnitude >= f.infinity:
        magnitude = f.infinity if _overflows_to_infinity(rm, negative) else f.largest
    return magnitude | f.sign_mask if negative else magnitude


def absolute(f: Format, a: int) -> int:
    return f.nan if is_nan(f, a) else a & f.magnitude_mask


def negate(f: Format, a: int) -> int:
    return f.nan if is_nan(f, a) else a ^ f.sign_mask


def add(f: Format, rm: RoundingMode, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    if is_infinite(f, a):
        return f.nan if is_infinite(f, b) and a != b else a
    if is_infinite(f, b):
        return b
    return _round_sum(f, rm, _unpack(f, a), _unpack(f, b))


def subtract(f: Format, rm: RoundingMode, a: int, b: int) -> int:
    return add(f, rm, a, negate(f, b))


def multiply(f: Format, rm: RoundingMode, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    negative = _sign(f, a) != _sign(f, b)
    if is_infinite(f, a) or is_infinite(f, b):
        return f.nan if is_zero(f, a) or is_zero(f, b) else _infinity(f, negative)
    _, p, x = _unpack(f, a)
    _, q, y = _unpack(f, b)
    return round_exact(f, rm, negative, p * q, x + y)


def divide(f: Format, rm: RoundingMode, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    negative = _sign(f, a) != _sign(f, b)
    if is_infinite(f, a):
        return f.nan if is_infinite(f, b) else _infinity(f, negative)
    if is_infinite(f, b):
        return _zero(f, negative)
    if is_zero(f, b):
        return f.nan if is_zero(f, a) else _infinity(f, negative)
    _, p, x = _unpack(f, a)
    _, q, y = _unpack(f, b)
    return _round_quotient(f, rm, negative, p, q, x - y)


def fused_multiply_add(f: Format, rm: RoundingMode, a: int, b: int, c: int) -> int:
    """a * b + c, rounded once."""
    if is_nan(f, a) or is_nan(f, b) or is_nan(f, c):
        return f.nan
    negative = _sign(f, a) != _sign(f, b)
    if is_infinite(f, a) or is_infinite(f, b):
        if is_zero(f, a) or is_zero(f, b):
            return f.nan
        product = _infinity(f, negative)
        return f.nan if is_infinite(f, c) and c != product else product
    if is_infinite(f, c):
        return c
    _, p, x = _unpack(f, a)
    _, q, y = _unpack(f, b)
    return _round_sum(f, rm, (negative, p * q, x + y), _unpack(f, c))


def square_root(f: Format, rm: RoundingMode, a: int) -> int:
    if is_nan(f, a) or is_zero(f, a):
        return canonical(f, a)
    if _sign(f, a):
        return f.nan
    if is_infinite(f, a):
        return a
    _, significand, exponent = _unpack(f, a)
    # Enough bits that the root has more than are kept, and an even exponent.
    shift = max(0, 2 * (f.significand_bits + 2) - significand.bit_length())
    shift += (exponent - shift) & 1
    square = significand << shift
    root = math.isqrt(square)
    return round_exact(f, rm, False, _with_sticky(root, root * root != square), (exponent - shift) // 2 - 1)


def remainder(f: Format, a: int, b: int) -> int:
    """fp.rem: a - b * n, where n is the integer nearest to a / b, ties to even; always exact."""
    if is_nan(f, a) or is_nan(f, b) or is_infinite(f, a) or is_zero(f, b):
        return f.nan
    if is_infinite(f, b) or is_zero(f, a):
        return a
    negative, p, x = _unpack(f, a)
    _, q, y = _unpack(f, b)
    if x < y:
        if y - x > f.significand_bits + 1:  # |a| < |b| / 2, so n is 0
            return a
        q <<= y - x
        y = x
    # Modulo 2q rather than q, to learn whether the quotient is odd without computing it.
    rest = p * pow(2, x - y, 2 * q) % (2 * q)
    odd = rest >= q
    if odd:
        rest -= q
    if 2 * rest > q or (2 * rest == q and odd):
        rest = q - rest
        negative = not negative
    return round_exact(f, RoundingMode.RTZ, negative, rest, y)


def round_to_integral(f: Format, rm: RoundingMode, a: int) -> int:
    if is_nan(f, a):
        return f.nan
    if is_infinite(f, a):
        return a
    negative, significand, exponent = _unpack(f, a)
    if exponent >= 0:
        return a
    # Rounded again since in a format like (2, 3) the integer may overflow; otherwise this is exact.
    return round_exact(f, rm, negative, _round_shift(rm, negative, significand, -exponent), 0)


def minimum(f: Format, a: int, b: int) -> int:
    """fp.min; Unspecified for zeros of opposite signs."""
    return _choose(f, a, b, less(f, a, b))


def maximum(f: Format, a: int, b: int) -> int:
    """fp.max; Unspecified for zeros of opposite signs."""
    return _choose(f, a, b, less(f, b, a))


# --- comparison ---


def equal(f: Format, a: int, b: int) -> bool:
    """fp.eq: -0 equals +0, NaN equals nothing."""
    return not is_nan(f, a) and not is_nan(f, b) and _rank(f, a) == _rank(f, b)


def less(f: Format, a: int, b: int) -> bool:
    return not is_nan(f, a) and not is_nan(f, b) and _rank(f, a) < _rank(f, b)


def less_equal(f: Format, a: int, b: int) -> bool:
    return not is_nan(f, a) and not is_nan(f, b) and _rank(f, a) <= _rank(f, b)


# --- conversion ---


def to_fraction(f: Format, bits: int) -> Fraction:
    """The real value; Unspecified for NaN and the infinities."""
    negative, significand, exponent = _unpack_finite(f, bits)
    if negative:
        significand = -significand
    return Fraction(significand << exponent) if exponent >= 0 else Fraction(significand, 1 << -exponent)


def from_fraction(f: Format, rm: RoundingMode, value: Fraction) -> int:
    """The real number rounded; zero gives +0."""
    return _round_quotient(f, rm, value < 0, abs(value.numerator), value.denominator, 0)


def convert(source_format: Format, target_format: Format, rm: RoundingMode, bits: int) -> int:
    """to_fp from one format to another."""
    if is_nan(source_format, bits):
        return target_format.nan
    if is_infinite(source_format, bits):
        return _infinity(target_format, _sign(source_format, bits))
    return round_exact(target_format, rm, *_unpack(source_format, bits))


def from_signed(f: Format, rm: RoundingMode, value: int) -> int:
    """to_fp of a bit vector already read as a signed integer; zero gives +0."""
    return round_exact(f, rm, value < 0, abs(value), 0)


def from_unsigned(f: Format, rm: RoundingMode, value: int) -> int:
    """to_fp_unsigned of a bit vector already read as an unsigned integer; zero gives +0."""
    return round_exact(f, rm, False, value, 0)


def to_unsigned(f: Format, rm: RoundingMode, width: int, bits: int) -> int:
    """fp.to_ubv: rounded to an integer first, then Unspecified if that is out of range."""
    return _to_integer(f, rm, bits, 0, (1 << width) - 1)


def to_signed(f: Format, rm: RoundingMode, width: int, bits: int) -> int:
    """fp.to_sbv: as ``to_unsigned``; the result is the two's complement pattern, so in range(2**width)."""
    half = 1 << (width - 1)
    return _to_integer(f, rm, bits, -half, half - 1) % (2 * half)


def from_python(f: Format, value: float) -> int:
    """The float rounded to nearest even."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return convert(_DOUBLE, f, RoundingMode.RNE, bits)


def to_python(f: Format, bits: int) -> float:
    """The nearest float: exact unless the format is wider than double in range or precision."""
    value: float
    (value,) = struct.unpack("<d", struct.pack("<Q", convert(f, _DOUBLE, RoundingMode.RNE, bits)))
    return value


# --- helpers ---

_DOUBLE = Format(11, 53)

_Finite = tuple[bool, int, int]


def _sign(f: Format, a: int) -> bool:
    return a & f.sign_mask != 0


def _zero(f: Format, negative: bool) -> int:
    return f.sign_mask if negative else 0


def _infinity(f: Format, negative: bool) -> int:
    return f.negative_infinity if negative else f.infinity


def _rank(f: Format, a: int) -> int:
    """An integer with the same order as the value; not for NaN."""
    magnitude = a & f.magnitude_mask
    return -magnitude if a & f.sign_mask else magnitude


def _choose(f: Format, a: int, b: int, first: bool) -> int:
    """Shared by minimum and maximum; ``first`` says that a is strictly the wanted one."""
    if is_nan(f, a):
        return canonical(f, b)
    if is_nan(f, b):
        return a
    if a != b and is_zero(f, a) and is_zero(f, b):
        raise Unspecified("minimum or maximum of zeros of opposite signs")
    return a if first else b


def _unpack(f: Format, a: int) -> _Finite:
    """Sign, significand and exponent of a finite value, which is significand * 2**exponent up to its sign."""
    magnitude = a & f.magnitude_mask
    biased = magnitude >> (f.significand_bits - 1)
    negative = a & f.sign_mask != 0
    if biased == 0:
        return negative, magnitude, f.quantum
    return negative, magnitude & (f.hidden_bit - 1) | f.hidden_bit, f.quantum + biased - 1


def _unpack_finite(f: Format, a: int) -> _Finite:
    if a & f.magnitude_mask >= f.infinity:
        raise Unspecified("NaN or infinity has no real value")
    return _unpack(f, a)


def _with_sticky(significand: int, inexact: bool) -> int:
    """Appends a sticky bit for all bits that follow; sound if it is rounded off and is not the first such bit."""
    return significand << 1 | inexact


def _overflows_to_infinity(rm: RoundingMode, negative: bool) -> bool:
    if rm is RoundingMode.RNE or rm is RoundingMode.RNA:
        return True
    return rm is (RoundingMode.RTN if negative else RoundingMode.RTP)


def _round_shift(rm: RoundingMode, negative: bool, significand: int, places: int) -> int:
    """significand / 2**places as an integer, rounded as for a number of that sign."""
    if places <= 0:
        return significand << -places
    # All numbers below a quarter round alike, so a long shift needs no mask of that length.
    places = min(places, significand.bit_length() + 2)
    kept = significand >> places
    twice_rest = (significand - (kept << places)) << 1
    one = 1 << places
    if twice_rest == 0:
        up = False
    elif rm is RoundingMode.RNE:
        up = twice_rest > one or (twice_rest == one and kept & 1 == 1)
    elif rm is RoundingMode.RNA:
        up = twice_rest >= one
    else:
        up = rm is (RoundingMode.RTN if negative else RoundingMode.RTP)
    return kept + up


def _round_quotient(f: Format, rm: RoundingMode, negative: bool, p: int, q: int, exponent: int) -> int:
    """The rounding of p / q * 2**exponent; q is not zero."""
    shift = max(0, f.significand_bits + 3 - p.bit_length() + q.bit_length())
    quotient, rest = divmod(p << shift, q)
    return round_exact(f, rm, negative, _with_sticky(quotient, rest != 0), exponent - shift - 1)


def _round_sum(f: Format, rm: RoundingMode, a: _Finite, b: _Finite) -> int:
    """The rounding of a + b, with the standard's sign of an exact zero."""
    (a_negative, p, x), (b_negative, q, y) = a, b
    if p == 0 and q == 0 and a_negative == b_negative:
        return _zero(f, a_negative)
    if p == 0:
        total, exponent = (-q if b_negative else q), y
    elif q == 0:
        total, exponent = (-p if a_negative else p), x
    else:
        if x < y:
            (a_negative, p, x), (b_negative, q, y) = b, a
        guard = x - f.significand_bits - 4
        if y + q.bit_length() <= guard:
            # b is too small to reach any rounding boundary from a; so any small nonzero number can replace it,
            # which avoids a shift as long as the range of exponents.
            q, y = 1, guard
        total = (-p if a_negative else p) << (x - y)
        total += -q if b_negative else q
        exponent = y
    if total == 0:
        return _zero(f, rm is RoundingMode.RTN)
    return round_exact(f, rm, total < 0, abs(total), exponent)


def _to_integer(f: Format, rm: RoundingMode, bits: int, low: int, high: int) -> int:
    negative, significand, exponent = _unpack_finite(f, bits)
    if significand and exponent > (high - low).bit_length():  # surely out of range; do not build the huge integer
        raise Unspecified("out of range of the bit vector")
    magnitude = _round_shift(rm, negative, significand, -exponent)
    value = -magnitude if negative else magnitude
    if not low <= value <= high:
        raise Unspecified("out of range of the bit vector")
    return value
