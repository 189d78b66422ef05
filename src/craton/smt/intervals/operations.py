"""Results of operations on floats, from bounds. Law: the result of members is a member of the result.

Every rounded operation is monotone in each argument as long as the arguments keep their class (zero, finite, infinite)
and sign: the exact result is, and so is rounding. And whether it is NaN depends on classes and signs alone. So
arguments are cut into pieces of one class and sign, and the extremes are among the results of the pieces' bounds, which
`logic.semantics` computes exactly. A rounding mode that is not known is each of the five.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from craton.facts.operations import truth
from craton.facts.ranges import Range, constant, made, top
from craton.facts.states import result
from craton.logic import BOOL, ROUNDING_MODE, BitVec, Float, Sort, Term, ops
from craton.logic.ieee import RoundingMode, Unspecified, is_nan
from craton.logic.semantics import compute, to_signed, wrap
from craton.logic.terms import format_of
from craton.smt.intervals.spans import (
    Span,
    all_floats,
    common,
    hull,
    none_but_nan,
    one,
    outermost,
    pattern,
    pieces,
    rank,
)
from craton.smt.intervals.spans import span as made_span

Known = Range | Span

MONOTONE = frozenset(
    (ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV, ops.FP_FMA, ops.FP_SQRT, ops.FP_ROUND, ops.FP_FROM_FP)
)
FROM_INTEGERS = frozenset((ops.FP_FROM_SIGNED, ops.FP_FROM_UNSIGNED))
TO_INTEGERS = frozenset((ops.FP_TO_SBV, ops.FP_TO_UBV))
COMPARISONS = frozenset((ops.FP_LT, ops.FP_LE, ops.FP_EQ, ops.EQ))


def anything(sort: Sort) -> Known | None:
    """None if values of that sort are not followed."""
    if isinstance(sort, BitVec):
        return top(sort.width)
    if sort is BOOL:
        return top(1)
    return all_floats(sort) if isinstance(sort, Float) else None


def literal(node: Term) -> Known:
    if isinstance(node.sort, Float):
        return one(node.sort, node.payload)
    return constant(int(node.payload), node.sort.width if isinstance(node.sort, BitVec) else 1)


def computed(node: Term, args: Sequence[Known | None]) -> Known | None:
    """What is known of an operation's result; None if that is nothing."""
    spans = [arg for arg in args if isinstance(arg, Span)]
    if spans:
        return _of_floats(node, spans)
    ranges = [arg for arg in args if isinstance(arg, Range)]
    if isinstance(node.sort, Float):
        return _into_floats(node, ranges)
    return result(node, ranges) if ranges and len(ranges) == len(args) else None


def _of_floats(node: Term, args: Sequence[Span]) -> Known | None:
    op = node.op
    if op in MONOTONE and isinstance(node.sort, Float):
        return _monotone(node, node.sort, args)
    if op in (ops.FP_NEG, ops.FP_ABS):
        return opposite(args[0]) if op is ops.FP_NEG else _absolute(args[0])
    if op in (ops.FP_MIN, ops.FP_MAX):
        return _chosen(op is ops.FP_MIN, *args)
    if op in TO_INTEGERS:
        return _to_integers(node, args[0])
    if op in COMPARISONS and len(args) == 2:
        return truth(_compared(op, *args))
    return truth(_classified(op, args[0])) if node.sort is BOOL and len(args) == 1 else None


def modes(node: Term) -> Sequence[RoundingMode]:
    first = node.args[0]
    if first.op is ops.VALUE and first.sort is ROUNDING_MODE:
        return (first.payload,)
    return tuple(RoundingMode)


def _monotone(node: Term, sort: Float, args: Sequence[Span]) -> Span:
    sorts = [arg.sort for arg in node.args]
    form = format_of(sort)
    ranks: list[int] = []
    nan = any(arg.nan for arg in args)
    for mode in modes(node):
        for corner in _corners(node, args):
            values = [pattern(format_of(arg.sort), number) for arg, number in zip(args, corner, strict=True)]
            bits = compute(node.op, sorts, node.payload, [mode, *values])
            if is_nan(form, bits):
                nan = True
            else:
                ranks.append(rank(form, bits))
    return Span(sort, min(ranks), max(ranks), nan) if ranks else none_but_nan(sort)


def _corners(node: Term, args: Sequence[Span]) -> Iterator[tuple[int, ...]]:
    """The ends of pieces, in all combinations; where both arguments are one term, both have one value: x - x, x / x,
    x + x and x * x are monotone in x, as long as it keeps its class and sign.
    """
    if len(args) == 2 and node.args[1] is node.args[2]:
        for piece in pieces(args[0]):
            yield from ((end, end) for end in set(piece))
    else:
        for parts in product(*map(pieces, args)):
            yield from product(*(set(part) for part in parts))


def opposite(a: Span) -> Span:
    return Span(a.sort, -a.high - 1, -a.low - 1, a.nan) if a.has_numbers else a


def _absolute(a: Span) -> Span:
    if a.low >= 0 or not a.has_numbers:
        return a
    return opposite(a) if a.high < 0 else Span(a.sort, 0, max(a.high, -a.low - 1), a.nan)


def _chosen(least: bool, a: Span, b: Span) -> Span:
    """fp.min and fp.max: the number, if one is NaN; of two zeros, either."""
    if not least:
        return opposite(_chosen(True, opposite(a), opposite(b)))
    if not a.has_numbers or not b.has_numbers:
        return hull(a, b) if a.nan and b.nan else (b if a.nan else a)
    low, high = min(a.low, b.low), min(a.high, b.high)
    if all(x.low <= 0 and x.high >= -1 for x in (a, b)):
        low, high = min(low, -1), max(high, 0)
    if a.nan:
        high = max(high, b.high)
    if b.nan:
        high = max(high, a.high)
    return Span(a.sort, low, high, a.nan and b.nan)


# --- conversions ------------------------------------------------------------------------------------------------------


def _into_floats(node: Term, args: Sequence[Range]) -> Span | None:
    sort = node.sort
    if len(args) != 1 or not isinstance(sort, Float):
        return None
    if node.op is ops.FP_FROM_BITS:
        return _from_bits(sort, args[0])
    if node.op not in FROM_INTEGERS:
        return None
    a = args[0]
    bounds = (a.least, a.most) if node.op is ops.FP_FROM_SIGNED else (a.low, a.high)
    sorts, form = [arg.sort for arg in node.args], format_of(sort)
    found = [
        rank(form, compute(node.op, sorts, node.payload, [mode, wrap(a.width, bound)]))
        for mode in modes(node)
        for bound in bounds
    ]
    return Span(sort, min(found), max(found), False)


def _from_bits(sort: Float, bits: Range) -> Span | None:
    """Patterns of positive floats are their ranks; those of negative ones come in the opposite order."""
    form = format_of(sort)
    found: Span | None = None
    for low, high, negative in _signs(form.sign_mask, bits):
        numbers = made_span(sort, low, min(high, form.infinity), high > form.infinity)
        if numbers is not None:
            numbers = opposite(numbers) if negative else numbers
            found = numbers if found is None else hull(found, numbers)
    return found


def _signs(sign: int, bits: Range) -> Iterator[tuple[int, int, bool]]:
    """Intervals of magnitudes, and whether they are those of negative floats."""
    if bits.low < sign:
        yield bits.low, min(bits.high, sign - 1), False
    if bits.high >= sign:
        yield max(bits.low, sign) - sign, bits.high - sign, True


def patterns(a: Span) -> Range | None:
    """The bit-vectors whose floats are members; None if that says nothing."""
    form = format_of(a.sort)
    if a.nan or (a.low < 0 <= a.high):
        return None
    bounds = pattern(form, a.low), pattern(form, a.high)
    return made(form.width, (min(bounds), max(bounds)))


def _to_integers(node: Term, a: Span) -> Range | None:
    """Whole numbers, if all members are in range: outside of it, and of NaN, the result is any."""
    if a.nan:
        return None
    sorts, form, width = [arg.sort for arg in node.args], format_of(a.sort), node.payload[0]
    try:
        found = [
            compute(node.op, sorts, node.payload, [mode, pattern(form, bound)])
            for mode in modes(node)
            for bound in (a.low, a.high)
        ]
    except Unspecified:
        return None
    if node.op is ops.FP_TO_UBV:
        return made(width, (min(found), max(found)))
    signed = [to_signed(width, bits) for bits in found]
    return made(width, None, (min(signed), max(signed)))


# --- comparisons ------------------------------------------------------------------------------------------------------


def number(ranked: int) -> int:
    """Ranks as numbers are compared: zero is zero, of whichever sign."""
    return ranked + 1 if ranked < 0 else ranked


def _compared(op: object, a: Span, b: Span) -> bool | None:
    if op is ops.EQ:
        if common(a, b) is None:
            return False
        return True if a.constant is not None and a.constant == b.constant else None
    if not (a.has_numbers and b.has_numbers):
        return False
    low, high, least, most = number(a.low), number(a.high), number(b.low), number(b.high)
    if op is ops.FP_EQ:
        never, always = high < least or most < low, low == high == least == most
    elif op is ops.FP_LT:
        never, always = low >= most, high < least
    else:
        never, always = low > most, high <= least
    return False if never else True if always and not (a.nan or b.nan) else None


def _classified(op: object, a: Span) -> bool | None:
    if op is ops.FP_IS_NAN:
        return None if a.nan and a.has_numbers else a.nan
    inside = _class(op, a.sort)
    if inside is None:
        return None
    parts = [common(a, Span(a.sort, low, high, False)) for low, high in inside]
    if all(part is None for part in parts):
        return False
    return True if not a.nan and any(part == a for part in parts) else None


def _class(op: object, sort: Float) -> tuple[tuple[int, int], ...] | None:
    """The ranks of a class of floats."""
    low, high = outermost(sort)
    normal = format_of(sort).hidden_bit
    classes: dict[object, tuple[tuple[int, int], ...]] = {
        ops.FP_IS_ZERO: ((-1, 0),),
        ops.FP_IS_INFINITE: ((low, low), (high, high)),
        ops.FP_IS_NEGATIVE: ((low, -1),),
        ops.FP_IS_POSITIVE: ((0, high),),
        ops.FP_IS_NORMAL: ((low + 1, -normal - 1), (normal, high - 1)),
        ops.FP_IS_SUBNORMAL: ((-normal, -2), (1, normal - 1)),
    }
    return classes.get(op)
