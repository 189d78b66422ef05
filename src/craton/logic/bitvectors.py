"""Constructors of the theory FixedSizeBitVectors, with the overflow predicates and the conversions to and from Int of
SMT-LIB 2.7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from craton.errors import IllSorted
from craton.logic import ops
from craton.logic.core import FLATTEN_BELOW, eq, folded, is_nonzero, ite
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, INT, BitVec
from craton.logic.terms import FALSE, TRUE, Term, bv, ill_sorted, intern

# --- arithmetic and bitwise operations --------------------------------------------------------------------------------


def bvadd(*args: Term) -> Term:
    """Flat; constants are summed into one, which comes last."""
    sort = _one_width(ops.BVADD, args)
    if len(args) == 2 and args[0].op not in _ADDENDS and (args[1].op not in _ADDENDS or is_nonzero(args[1])):
        return intern(ops.BVADD, args, sort)  # the usual case, without lists
    parts, constant = _gather(ops.BVADD, args, 0, int.__add__)
    constant &= (1 << sort.width) - 1
    if constant or not parts:
        parts.append(intern(ops.VALUE, (), sort, constant))
    return parts[0] if len(parts) == 1 else intern(ops.BVADD, tuple(parts), sort)


_ADDENDS = (ops.BVADD, ops.VALUE)
_FACTORS = (ops.BVMUL, ops.VALUE)
_XOR_PARTS = (ops.BVXOR, ops.BVNOT, ops.VALUE)


def bvmul(*args: Term) -> Term:
    """Flat; constants are multiplied into one, which comes first."""
    sort = _one_width(ops.BVMUL, args)
    if len(args) == 2 and args[0].op not in _FACTORS and args[1].op not in _FACTORS:
        return intern(ops.BVMUL, args, sort)
    parts, constant = _gather(ops.BVMUL, args, 1, int.__mul__)
    constant &= (1 << sort.width) - 1
    if constant == 0 or not parts:
        return bv(constant, sort.width)
    if constant != 1:
        parts.insert(0, bv(constant, sort.width))
    return parts[0] if len(parts) == 1 else intern(ops.BVMUL, tuple(parts), sort)


def bvand(*args: Term) -> Term:
    sort = _one_width(ops.BVAND, args)
    ones = (1 << sort.width) - 1
    parts, constant = _gather(ops.BVAND, args, ones, int.__and__)
    parts = list(dict.fromkeys(parts))
    if constant == 0 or _complementary(parts):
        return bv(0, sort.width)
    if constant != ones or not parts:
        parts.append(bv(constant, sort.width))
    return parts[0] if len(parts) == 1 else intern(ops.BVAND, tuple(parts), sort)


def bvor(*args: Term) -> Term:
    sort = _one_width(ops.BVOR, args)
    ones = (1 << sort.width) - 1
    parts, constant = _gather(ops.BVOR, args, 0, int.__or__)
    parts = list(dict.fromkeys(parts))
    if constant == ones or _complementary(parts):
        return bv(ones, sort.width)
    if constant or not parts:
        parts.append(bv(constant, sort.width))
    return parts[0] if len(parts) == 1 else intern(ops.BVOR, tuple(parts), sort)


def bvxor(*args: Term) -> Term:
    """Pairs of equal parts cancel; complements become one constant."""
    sort = _one_width(ops.BVXOR, args)
    if len(args) == 2 and args[0] is not args[1] and args[0].op not in _XOR_PARTS and args[1].op not in _XOR_PARTS:
        return intern(ops.BVXOR, args, sort)
    ones = (1 << sort.width) - 1
    positive = [a.args[0] if a.op is ops.BVNOT else a for a in args]  # before flattening: these may be bvxor again
    gathered, constant = _gather(ops.BVXOR, positive, 0, int.__xor__)
    if sum(a.op is ops.BVNOT for a in args) % 2:
        constant ^= ones
    odd: dict[Term, None] = {}
    for part in gathered:
        if part in odd:
            del odd[part]
        else:
            odd[part] = None
    parts = list(odd)
    if constant == ones and parts:
        return bvnot(parts[0] if len(parts) == 1 else intern(ops.BVXOR, tuple(parts), sort))
    if constant or not parts:
        parts.append(bv(constant, sort.width))
    return parts[0] if len(parts) == 1 else intern(ops.BVXOR, tuple(parts), sort)


def _gather(op: Op, args: Sequence[Term], unit: int, combine: Callable[[int, int], int]) -> tuple[list[Term], int]:
    """The non-constant parts of the flattened operation, and the combined constant."""
    parts: list[Term] = []
    constant = unit
    for arg in args:
        if arg.op is op and len(arg.args) < FLATTEN_BELOW:
            for part in arg.args:
                if part.op is ops.VALUE:
                    constant = combine(constant, part.payload)
                else:
                    parts.append(part)
        elif arg.op is ops.VALUE:
            constant = combine(constant, arg.payload)
        else:
            parts.append(arg)
    return parts, constant


def _complementary(parts: Sequence[Term]) -> bool:
    return any(part.op is ops.BVNOT and part.args[0] in parts for part in parts)


def bvnot(a: Term) -> Term:
    sort = _one_width(ops.BVNOT, (a,))
    if a.op is ops.BVNOT:
        return a.args[0]
    return folded(ops.BVNOT, (a,), sort) or intern(ops.BVNOT, (a,), sort)


def bvneg(a: Term) -> Term:
    sort = _one_width(ops.BVNEG, (a,))
    if a.op is ops.BVNEG:
        return a.args[0]
    return folded(ops.BVNEG, (a,), sort) or intern(ops.BVNEG, (a,), sort)


def bvsub(a: Term, b: Term, *more: Term) -> Term:
    """Left-associative; subtracting a constant adds its negative."""
    sort = _one_width(ops.BVSUB, (a, b))
    if b.op is ops.VALUE:
        result = bvadd(a, bv(-b.payload, sort.width))
    elif a is b:
        result = bv(0, sort.width)
    elif a.op is ops.VALUE and a.payload == 0:
        result = bvneg(b)
    else:
        result = intern(ops.BVSUB, (a, b), sort)
    for c in more:
        result = bvsub(result, c)
    return result


def bvnand(a: Term, b: Term) -> Term:
    return bvnot(bvand(a, b))


def bvnor(a: Term, b: Term) -> Term:
    return bvnot(bvor(a, b))


def bvxnor(a: Term, b: Term, *more: Term) -> Term:
    """Left-associative, as in SMT-LIB."""
    result = bvnot(bvxor(a, b))
    for c in more:
        result = bvnot(bvxor(result, c))
    return result


def bvcomp(a: Term, b: Term) -> Term:
    _one_width("bvcomp", (a, b))
    return ite(eq(a, b), bv(1, 1), bv(0, 1))


def bvudiv(a: Term, b: Term) -> Term:
    """Division by zero gives all ones."""
    sort = _one_width(ops.BVUDIV, (a, b))
    if b.op is ops.VALUE and b.payload == 1:
        return a
    return folded(ops.BVUDIV, (a, b), sort) or intern(ops.BVUDIV, (a, b), sort)


def bvurem(a: Term, b: Term) -> Term:
    """Remainder by zero gives the dividend."""
    sort = _one_width(ops.BVUREM, (a, b))
    if b.op is ops.VALUE:
        if b.payload == 0:
            return a
        if b.payload == 1:
            return bv(0, sort.width)
    return folded(ops.BVUREM, (a, b), sort) or intern(ops.BVUREM, (a, b), sort)


def bvsdiv(a: Term, b: Term) -> Term:
    """Truncates towards zero, as C does."""
    return _binary(ops.BVSDIV, a, b)


def bvsrem(a: Term, b: Term) -> Term:
    """Sign of the dividend, like C's %."""
    return _binary(ops.BVSREM, a, b)


_NARROW_DIVISIONS = {
    ops.BVUDIV: ((ops.ZERO_EXTEND, bvudiv),),
    ops.BVUREM: ((ops.ZERO_EXTEND, bvurem),),
    ops.BVSDIV: ((ops.SIGN_EXTEND, bvsdiv), (ops.ZERO_EXTEND, bvudiv)),
    ops.BVSREM: ((ops.SIGN_EXTEND, bvsrem), (ops.ZERO_EXTEND, bvurem)),
}


def bvsmod(a: Term, b: Term) -> Term:
    """Sign of the divisor."""
    return _binary(ops.BVSMOD, a, b)


def bvshl(a: Term, b: Term) -> Term:
    return _shift(ops.BVSHL, a, b)


def bvlshr(a: Term, b: Term) -> Term:
    return _shift(ops.BVLSHR, a, b)


def bvashr(a: Term, b: Term) -> Term:
    return _shift(ops.BVASHR, a, b)


def _shift(op: Op, a: Term, b: Term) -> Term:
    sort = _one_width(op, (a, b))
    if b.op is ops.VALUE:
        if b.payload == 0:
            return a
        if b.payload >= sort.width and op is not ops.BVASHR:
            return bv(0, sort.width)
    if a.op is ops.VALUE and a.payload == 0:
        return a
    return folded(op, (a, b), sort) or intern(op, (a, b), sort)


def _binary(op: Op, a: Term, b: Term) -> Term:
    sort = _one_width(op, (a, b))
    return folded(op, (a, b), sort) or intern(op, (a, b), sort)


# --- comparisons ------------------------------------------------------------------------------------------------------


def bvult(a: Term, b: Term) -> Term:
    _one_width(ops.BVULT, (a, b))
    if a is b or (b.op is ops.VALUE and b.payload == 0):
        return FALSE
    return folded(ops.BVULT, (a, b), BOOL) or intern(ops.BVULT, (a, b), BOOL)


def bvule(a: Term, b: Term) -> Term:
    _one_width(ops.BVULE, (a, b))
    if a is b or (a.op is ops.VALUE and a.payload == 0):
        return TRUE
    return folded(ops.BVULE, (a, b), BOOL) or intern(ops.BVULE, (a, b), BOOL)


def bvslt(a: Term, b: Term) -> Term:
    _one_width(ops.BVSLT, (a, b))
    if a is b:
        return FALSE
    return folded(ops.BVSLT, (a, b), BOOL) or intern(ops.BVSLT, (a, b), BOOL)


def bvsle(a: Term, b: Term) -> Term:
    _one_width(ops.BVSLE, (a, b))
    if a is b:
        return TRUE
    return folded(ops.BVSLE, (a, b), BOOL) or intern(ops.BVSLE, (a, b), BOOL)


def bvugt(a: Term, b: Term) -> Term:
    return bvult(b, a)


def bvuge(a: Term, b: Term) -> Term:
    return bvule(b, a)


def bvsgt(a: Term, b: Term) -> Term:
    return bvslt(b, a)


def bvsge(a: Term, b: Term) -> Term:
    return bvsle(b, a)


# --- overflow predicates ----------------------------------------------------------------------------------------------


def bvnego(a: Term) -> Term:
    _one_width(ops.BVNEGO, (a,))
    return folded(ops.BVNEGO, (a,), BOOL) or intern(ops.BVNEGO, (a,), BOOL)


def bvuaddo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVUADDO, a, b)


def bvsaddo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVSADDO, a, b)


def bvumulo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVUMULO, a, b)


def bvsmulo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVSMULO, a, b)


def bvusubo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVUSUBO, a, b)


def bvssubo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVSSUBO, a, b)


def bvsdivo(a: Term, b: Term) -> Term:
    return _overflow(ops.BVSDIVO, a, b)


def _overflow(op: Op, a: Term, b: Term) -> Term:
    _one_width(op, (a, b))
    return folded(op, (a, b), BOOL) or intern(op, (a, b), BOOL)


# --- cutting and joining ----------------------------------------------------------------------------------------------


def concat(*args: Term) -> Term:
    """The first argument becomes the most significant part.

    Flat; neighbouring constants and neighbouring slices are joined.
    """
    for arg in args:
        _width(ops.CONCAT, arg)
    if not args:
        raise ill_sorted(ops.CONCAT, "bit-vectors", args)
    parts: list[Term] = []
    ahead = list(reversed(args))
    while ahead:
        part = ahead.pop()
        if part.op is ops.CONCAT and len(part.args) < FLATTEN_BELOW:
            ahead.extend(reversed(part.args))
            continue
        joined = _joined(parts[-1], part) if parts else None
        if joined is None:
            parts.append(part)
        else:  # two slices may give back the concatenation they were cut from
            parts.pop()
            ahead.append(joined)
    if len(parts) == 1:
        return parts[0]
    return intern(ops.CONCAT, tuple(parts), BitVec(sum(_width(ops.CONCAT, p) for p in parts)))


def _joined(high: Term, low: Term) -> Term | None:
    if high.op is ops.VALUE and low.op is ops.VALUE:
        width = _width(ops.CONCAT, low)
        return bv(high.payload << width | low.payload, width + _width(ops.CONCAT, high))
    if high.op is ops.EXTRACT and low.op is ops.EXTRACT and high.args[0] is low.args[0]:
        if high.payload[1] == low.payload[0] + 1:
            return extract(high.payload[0], low.payload[1], high.args[0])
    return None


def extract(high: int, low: int, a: Term) -> Term:
    """Bits `high` down to `low`, both included."""
    width = _width(ops.EXTRACT, a)
    if not 0 <= low <= high < width:
        raise IllSorted(f"extract needs 0 <= low <= high < {width}; got high {high}, low {low}")
    while True:
        if low == 0 and high == width - 1:
            return a
        if a.op is ops.EXTRACT:
            offset = a.payload[1]
            high, low, a = high + offset, low + offset, a.args[0]
        elif a.op in (ops.ZERO_EXTEND, ops.SIGN_EXTEND) and high < _width(ops.EXTRACT, a.args[0]):
            a = a.args[0]
        elif a.op is ops.CONCAT:
            inside = _part_holding(a, high, low)
            if inside is None:
                break
            a, offset = inside
            high, low = high - offset, low - offset
        else:
            break
        width = _width(ops.EXTRACT, a)
    sort = BitVec(high - low + 1)
    if a.op is ops.ZERO_EXTEND and low >= _width(ops.EXTRACT, a.args[0]):
        return bv(0, sort.width)
    narrow = _divided_narrowly(a, sort.width) if low == 0 and a.op in _NARROW_DIVISIONS else None
    if narrow is not None:
        return narrow
    return folded(ops.EXTRACT, (a,), sort, (high, low)) or intern(ops.EXTRACT, (a,), sort, (high, low))


def _divided_narrowly(a: Term, width: int) -> Term | None:
    """The low bits of a quotient or remainder of extended numbers, which are those of the numbers themselves, also of
    the least number divided by -1, and of divisions by zero: solvers are slow with wide ones, and C divides no chars.
    """
    for extension, divide in _NARROW_DIVISIONS[a.op]:
        parts = [_narrowed(part, extension, width) for part in a.args]
        if parts[0] is not None and parts[1] is not None:
            return divide(parts[0], parts[1])
    return None


def _narrowed(a: Term, extension: Op, width: int) -> Term | None:
    """The number of so many bits that was extended; None if it is none."""
    extended = sign_extend if extension is ops.SIGN_EXTEND else zero_extend
    if a.op is ops.VALUE:
        low = bv(a.payload, width)
        return low if extended(_width(ops.EXTRACT, a) - width, low) is a else None
    if a.op is not extension:
        return None
    by = width - _width(ops.EXTRACT, a.args[0])
    return None if by < 0 else extended(by, a.args[0])


def _part_holding(a: Term, high: int, low: int) -> tuple[Term, int] | None:
    """The argument of a concatenation that contains all these bits, and where it starts."""
    offset = 0
    for part in reversed(a.args):
        width = _width(ops.CONCAT, part)
        if offset <= low and high < offset + width:
            return part, offset
        offset += width
    return None


def zero_extend(by: int, a: Term) -> Term:
    if by > 0 and a.op is ops.ZERO_EXTEND:
        return zero_extend(by + a.payload[0], a.args[0])
    return _extend(ops.ZERO_EXTEND, by, a)


def sign_extend(by: int, a: Term) -> Term:
    if by > 0 and a.op is ops.SIGN_EXTEND:
        return sign_extend(by + a.payload[0], a.args[0])
    if by > 0 and a.op is ops.ZERO_EXTEND:  # the sign bit is zero
        return zero_extend(by, a)
    return _extend(ops.SIGN_EXTEND, by, a)


def _extend(op: Op, by: int, a: Term) -> Term:
    width = _width(op, a)
    if by < 0:
        raise IllSorted(f"{op.name} by {by}: a bit-vector cannot be extended by fewer than 0 bits")
    if by == 0:
        return a
    sort = BitVec(width + by)
    return folded(op, (a,), sort, (by,)) or intern(op, (a,), sort, (by,))


def repeat(times: int, a: Term) -> Term:
    width = _width(ops.REPEAT, a)
    if times < 1:
        raise IllSorted(f"repeat needs at least one copy, not {times}")
    if times == 1:
        return a
    sort = BitVec(width * times)
    return folded(ops.REPEAT, (a,), sort, (times,)) or intern(ops.REPEAT, (a,), sort, (times,))


def rotate_left(by: int, a: Term) -> Term:
    return _rotate(ops.ROTATE_LEFT, by, a)


def rotate_right(by: int, a: Term) -> Term:
    return _rotate(ops.ROTATE_RIGHT, by, a)


def _rotate(op: Op, by: int, a: Term) -> Term:
    by %= _width(op, a)
    if by == 0:
        return a
    return folded(op, (a,), a.sort, (by,)) or intern(op, (a,), a.sort, (by,))


# --- conversions ------------------------------------------------------------------------------------------------------


def ubv_to_int(a: Term) -> Term:
    _width(ops.UBV_TO_INT, a)
    return folded(ops.UBV_TO_INT, (a,), INT) or intern(ops.UBV_TO_INT, (a,), INT)


def sbv_to_int(a: Term) -> Term:
    _width(ops.SBV_TO_INT, a)
    return folded(ops.SBV_TO_INT, (a,), INT) or intern(ops.SBV_TO_INT, (a,), INT)


def int_to_bv(width: int, a: Term) -> Term:
    """Modulo 2^width."""
    if a.sort is not INT:
        raise ill_sorted(ops.INT_TO_BV, "an Int", (a,))
    sort = BitVec(width)
    if a.op in (ops.UBV_TO_INT, ops.SBV_TO_INT) and a.args[0].sort is sort:
        return a.args[0]
    return folded(ops.INT_TO_BV, (a,), sort, (width,)) or intern(ops.INT_TO_BV, (a,), sort, (width,))


# --- sort checks ------------------------------------------------------------------------------------------------------


def _one_width(op: Op | str, args: Sequence[Term]) -> BitVec:
    sort = args[0].sort if args else None
    if isinstance(sort, BitVec):
        for arg in args:
            if arg.sort is not sort:
                break
        else:
            return sort
    raise ill_sorted(op, "bit-vectors of one width", args)


def _width(op: Op, a: Term) -> int:
    if not isinstance(a.sort, BitVec):
        raise ill_sorted(op, "a bit-vector", (a,))
    return a.sort.width
