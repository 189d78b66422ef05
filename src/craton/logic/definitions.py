"""Operations defined by other operations, for solvers that lack them."""

from __future__ import annotations

from collections.abc import Callable, Set

from craton.logic import ops
from craton.logic.arithmetic import add, ge, mod
from craton.logic.bitvectors import (
    bvadd,
    bvmul,
    bvsub,
    bvult,
    concat,
    extract,
    sign_extend,
    ubv_to_int,
    zero_extend,
)
from craton.logic.build import rebuild
from craton.logic.core import and_, eq, ite, not_
from craton.logic.ops import Op
from craton.logic.sorts import BitVec
from craton.logic.terms import Term, bv, int_
from craton.logic.walk import fold


def expand(term: Term, missing: Set[Op]) -> Term:
    """An equivalent term without the `missing` operations.

    Operations without a definition stay, and the solver refuses them.
    """
    if not missing:
        return term

    def visit(node: Term, args: list[Term]) -> Term:
        definition = DEFINITIONS.get(node.op) if node.op in missing else None
        if node.op is ops.SBV_TO_INT and ops.UBV_TO_INT in missing:  # it is defined by the other one
            definition = _signed_bits_to_int
        if definition is not None:
            return definition(*(node.payload or ()), *args)
        return rebuild(node, args) if args else node

    return fold(term, visit)


def _width(a: Term) -> int:
    assert isinstance(a.sort, BitVec)
    return a.sort.width


def _signed_overflow(operation: Callable[..., Term], extra: Callable[[int], int]) -> Callable[[Term, Term], Term]:
    """The result in more bits differs from the wrapped result."""

    def definition(a: Term, b: Term) -> Term:
        width = _width(a)
        by = extra(width)
        exact = operation(sign_extend(by, a), sign_extend(by, b))
        return not_(eq(exact, sign_extend(by, extract(width - 1, 0, exact))))

    return definition


def _unsigned_overflow(operation: Callable[..., Term], extra: Callable[[int], int]) -> Callable[[Term, Term], Term]:
    """A bit above the width is set."""

    def definition(a: Term, b: Term) -> Term:
        width = _width(a)
        by = extra(width)
        exact = operation(zero_extend(by, a), zero_extend(by, b))
        return not_(eq(extract(width + by - 1, width, exact), bv(0, by)))

    return definition


def _smallest(a: Term) -> Term:
    return bv(1 << (_width(a) - 1), _width(a))


def _signed_to_int(a: Term) -> Term:
    negative = eq(extract(_width(a) - 1, _width(a) - 1, a), bv(1, 1))
    return ite(negative, add(ubv_to_int(a), int_(-(1 << _width(a)))), ubv_to_int(a))


def _bits_to_int(a: Term) -> Term:
    """Bit by bit, for solvers without any conversion."""
    return add(*(ite(eq(extract(i, i, a), bv(1, 1)), int_(1 << i), int_(0)) for i in range(_width(a))))


def _signed_bits_to_int(a: Term) -> Term:
    negative = eq(extract(_width(a) - 1, _width(a) - 1, a), bv(1, 1))
    return add(_bits_to_int(a), ite(negative, int_(-(1 << _width(a))), int_(0)))


def _int_to_bits(width: int, a: Term) -> Term:
    bits = [ite(ge(mod(a, int_(2 << i)), int_(1 << i)), bv(1, 1), bv(0, 1)) for i in range(width)]
    return concat(*reversed(bits))


DEFINITIONS: dict[Op, Callable[..., Term]] = {
    ops.BVNEGO: lambda a: eq(a, _smallest(a)),
    ops.BVUADDO: _unsigned_overflow(bvadd, lambda width: 1),
    ops.BVSADDO: _signed_overflow(bvadd, lambda width: 1),
    ops.BVUMULO: _unsigned_overflow(bvmul, lambda width: width),
    ops.BVSMULO: _signed_overflow(bvmul, lambda width: width),
    ops.BVUSUBO: bvult,
    ops.BVSSUBO: _signed_overflow(bvsub, lambda width: 1),
    ops.BVSDIVO: lambda a, b: and_(eq(a, _smallest(a)), eq(b, bv(-1, _width(b)))),
    ops.SBV_TO_INT: _signed_to_int,
    ops.UBV_TO_INT: _bits_to_int,
    ops.INT_TO_BV: _int_to_bits,
}
