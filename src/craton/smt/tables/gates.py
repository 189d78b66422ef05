"""Operations on bit-vectors as gates. A bit is a number that has its value in each of the rows; a bit-vector is a tuple
of bits, the lowest first, and a Bool has one.

Law: in each row the result is what `logic/semantics` says of that row's values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import pairwise

from craton.logic import ops
from craton.logic.ops import Op

Bits = tuple[int, ...]


class Gates:
    """`every` has a one for each row."""

    def __init__(self, rows: int) -> None:
        self.every = (1 << rows) - 1
        n_ary = {ops.BVAND: self._and, ops.BVOR: self._or, ops.BVXOR: self._xor, ops.BVADD: self._sum}
        n_ary |= {ops.AND: self._and, ops.OR: self._or, ops.XOR: self._xor, ops.BVMUL: self._product}
        self._folded: Mapping[Op, Callable[[Bits, Bits], Bits]] = n_ary
        self._binary: Mapping[Op, Callable[[Bits, Bits], Bits]] = {
            ops.IMPLIES: lambda a, b: self._or(self._not(a), b),
            ops.BVSUB: self._difference,
            ops.BVUDIV: lambda a, b: self._divided(a, b)[0],
            ops.BVUREM: lambda a, b: self._divided(a, b)[1],
            ops.BVSDIV: self._signed_quotient,
            ops.BVSREM: self._signed_remainder,
            ops.BVSMOD: self._signed_modulo,
            ops.BVSHL: lambda a, b: self._shifted(a[::-1], b, 0)[::-1],
            ops.BVLSHR: lambda a, b: self._shifted(a, b, 0),
            ops.BVASHR: lambda a, b: self._shifted(a, b, a[-1]),
            ops.BVULT: lambda a, b: (self._less(a, b),),
            ops.BVULE: lambda a, b: self._not((self._less(b, a),)),
            ops.BVSLT: lambda a, b: (self._less(self._turned(a), self._turned(b)),),
            ops.BVSLE: lambda a, b: self._not((self._less(self._turned(b), self._turned(a)),)),
        }

    def knows(self, op: Op) -> bool:
        return op in self._folded or op in self._binary or op in _OTHERS

    def constant(self, number: int, width: int) -> Bits:
        return tuple(self.every if number >> place & 1 else 0 for place in range(width))

    def computed(self, op: Op, payload: tuple[int, ...], args: Sequence[Bits]) -> Bits:
        if op in self._folded:
            return reduce(self._folded[op], args)
        if op in self._binary:
            return self._binary[op](*args)
        first = args[0]
        if op is ops.NOT or op is ops.BVNOT:
            return self._not(first)
        if op is ops.BVNEG:
            return self._negated(first)
        if op is ops.EQ:
            return reduce(self._and, [(self._equal(a, b),) for a, b in pairwise(args)])
        if op is ops.DISTINCT:
            return reduce(self._and, [self._not((self._equal(a, b),)) for n, a in enumerate(args) for b in args[:n]])
        if op is ops.ITE:
            return self._chosen(first[0], args[1], args[2])
        if op is ops.CONCAT:
            return tuple(bit for part in reversed(args) for bit in part)
        if op is ops.EXTRACT:
            return first[payload[1] : payload[0] + 1]
        if op is ops.ZERO_EXTEND:
            return first + (0,) * payload[0]
        assert op is ops.SIGN_EXTEND
        return first + (first[-1],) * payload[0]

    # --- logic --------------------------------------------------------------------------------------------------------

    def _not(self, a: Bits) -> Bits:
        return tuple(x ^ self.every for x in a)

    def _and(self, a: Bits, b: Bits) -> Bits:
        return tuple(x & y for x, y in zip(a, b, strict=True))

    def _or(self, a: Bits, b: Bits) -> Bits:
        return tuple(x | y for x, y in zip(a, b, strict=True))

    def _xor(self, a: Bits, b: Bits) -> Bits:
        return tuple(x ^ y for x, y in zip(a, b, strict=True))

    def _chosen(self, condition: int, then: Bits, otherwise: Bits) -> Bits:
        return tuple(y ^ (condition & (x ^ y)) for x, y in zip(then, otherwise, strict=True))

    def _equal(self, a: Bits, b: Bits) -> int:
        differ = 0
        for x, y in zip(a, b, strict=True):
            differ |= x ^ y
        return differ ^ self.every

    def _less(self, a: Bits, b: Bits) -> int:
        less = 0
        for x, y in zip(a, b, strict=True):
            less ^= (x ^ y) & (less ^ y)  # where they differ, the higher bit decides
        return less

    def _turned(self, a: Bits) -> Bits:
        """Numbers with a sign, in the order of numbers without."""
        return (*a[:-1], a[-1] ^ self.every)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def _sum(self, a: Bits, b: Bits, carry: int = 0) -> Bits:
        result = []
        for x, y in zip(a, b, strict=True):
            either = x ^ y
            result.append(either ^ carry)
            carry = (x & y) | (carry & either)
        return tuple(result)

    def _difference(self, a: Bits, b: Bits) -> Bits:
        return self._sum(a, self._not(b), self.every)

    def _negated(self, a: Bits) -> Bits:
        return self._difference((0,) * len(a), a)

    def _product(self, a: Bits, b: Bits) -> Bits:
        width, result = len(a), (0,) * len(a)
        if sum(map(bool, a)) < sum(map(bool, b)):
            a, b = b, a
        for place, bit in enumerate(b):
            if bit:
                row = tuple(x & bit for x in a[: width - place])
                result = result[:place] + self._sum(result[place:], row)
        return result

    def _divided(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """Bit by bit, as on paper. By zero: the quotient is all ones, the remainder is a."""
        divisor, rest = (*b, 0), (0,) * (len(a) + 1)
        quotient: list[int] = []
        for bit in reversed(a):
            rest = (bit, *rest[:-1])
            fits = self._less(rest, divisor) ^ self.every
            quotient.append(fits)
            if fits:
                rest = self._chosen(fits, self._difference(rest, divisor), rest)
        return tuple(reversed(quotient)), rest[:-1]

    def _size(self, a: Bits) -> Bits:
        return self._chosen(a[-1], self._negated(a), a)

    def _signed_quotient(self, a: Bits, b: Bits) -> Bits:
        quotient, _ = self._divided(self._size(a), self._size(b))
        return self._chosen(a[-1] ^ b[-1], self._negated(quotient), quotient)

    def _signed_remainder(self, a: Bits, b: Bits) -> Bits:
        _, rest = self._divided(self._size(a), self._size(b))
        return self._chosen(a[-1], self._negated(rest), rest)

    def _signed_modulo(self, a: Bits, b: Bits) -> Bits:
        """The remainder, plus b if it is not zero and their signs differ."""
        rest = self._signed_remainder(a, b)
        differs = (a[-1] ^ b[-1]) & (self._equal(rest, (0,) * len(a)) ^ self.every)
        return self._chosen(differs, self._sum(rest, b), rest)

    def _shifted(self, a: Bits, b: Bits, fill: int) -> Bits:
        """To lower places, by b; what comes in from above is `fill`."""
        width, beyond = len(a), 0
        for place, bit in enumerate(b):
            by = 1 << place
            if by >= width:
                beyond |= bit
            elif bit:
                a = self._chosen(bit, a[by:] + (fill,) * by, a)
        return self._chosen(beyond, (fill,) * width, a) if beyond else a


_OTHERS = frozenset(
    (ops.NOT, ops.BVNOT, ops.BVNEG, ops.EQ, ops.DISTINCT, ops.ITE, ops.CONCAT, ops.EXTRACT, ops.ZERO_EXTEND)
) | {ops.SIGN_EXTEND}
