"""Terms as C expressions, for verification witnesses: `x <= 5 && u < 10U`.

The expression is GNU C (two's complement, wrapping conversions, arithmetic `>>` of negative numbers, `__builtin_`
functions) in which no operation has undefined behaviour, and its value is the one `evaluate` gives. Where SMT-LIB
leaves a value open (`fp.to_sbv` out of range), it is `evaluate`'s default. Floats are exact if C computes in the
operands' own format, rounds to nearest and does not contract (`-ffp-contract=off`, not x87).

Reading order: `pieces` (how C is spelled), `integers` (what C computes, and when that is exact), the theories
`bitvectors` and `floats`, `refusals` (what C cannot express) and `writing`, which contains `to_c`.
"""

from craton.logic.cexpr.writing import to_c

__all__ = ["to_c"]
