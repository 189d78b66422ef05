"""Functions on integers: absolute values, bits, arithmetic that tells whether it overflowed."""

from __future__ import annotations

from collections.abc import Callable

from craton.frontends.c.automaton.arithmetic import is_signed, number, resize, width_of
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.library.arguments import pointer_lvalue
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.records import Handler, builtins, models
from craton.frontends.c.syntax.expressions import element_type
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import Integer, Pointer
from craton.logic import (
    FALSE,
    Term,
    bv,
    bvadd,
    bvmul,
    bvneg,
    bvnego,
    bvslt,
    bvsub,
    bvxor,
    concat,
    eq,
    extract,
    ite,
    not_,
    sign_extend,
    zero_extend,
)
from craton.program.cfa import OVERFLOW


@models("abs labs llabs imaxabs")
def _abs(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.builder.save(lower.expressions.scalar(arguments[0]))
    if lower.context.specification.overflow:
        lower.builder.check(not_(bvnego(value)), OVERFLOW)
    return ite(bvslt(value, bv(0, width_of(value))), bvneg(value), value)


@builtins("bswap16 bswap32 bswap64 bswap128")
def _bswap(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    width = node.type.size * 8
    value = resize(value, width, signed=False)
    return concat(*(extract(8 * i + 7, 8 * i, value) for i in range(width // 8)))


@builtins("popcount popcountl popcountll")
def _popcount(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    bits = [zero_extend(31, extract(i, i, value)) for i in range(width_of(value))]
    return bvadd(*bits)


@builtins("parity parityl parityll")
def _parity(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    return zero_extend(31, bvxor(*(extract(i, i, value) for i in range(width_of(value)))))


@builtins("ctz ctzl ctzll")
def _ctz(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    return _unless_zero(lower, node, value, _first_bit(value, range(width_of(value)), lambda i: i))


@builtins("clz clzl clzll")
def _clz(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    width = width_of(value)
    return _unless_zero(lower, node, value, _first_bit(value, range(width - 1, -1, -1), lambda i: width - 1 - i))


def _unless_zero(lower: Lowering, node: Node, value: Term, result: Term) -> Value:
    """Of zero the result is undefined: compilers go on with anything."""
    is_zero = eq(value, bv(0, width_of(value)))
    if is_zero is FALSE:
        return result
    other = lower.unknowns.arbitrary(node.type)
    assert isinstance(other, Term)
    lower.context.approximated["bits of zero"] = None
    return ite(is_zero, other, result)


@builtins("clrsb clrsbl clrsbll")
def _clrsb(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """How many bits behind the sign are like it."""
    value = lower.expressions.scalar(arguments[0])
    width = width_of(value)
    sign = sign_extend(width - 1, extract(width - 1, width - 1, value))
    others = lower.builder.save(bvxor(value, sign))
    found = _first_bit(others, range(width - 1, -1, -1), lambda i: width - 2 - i)
    return ite(eq(others, bv(0, width)), bv(width - 1, 32), found)


@models("ffs ffsl ffsll")
def _ffs(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    width = width_of(value)
    return ite(eq(value, bv(0, width)), bv(0, 32), _first_bit(value, range(width), lambda i: i + 1))


def _first_bit(value: Term, order: range, result: Callable[[int], int]) -> Term:
    term = bv(0, 32)
    for i in reversed(order):
        term = ite(eq(extract(i, i, value), bv(1, 1)), bv(result(i), 32), term)
    return term


def _exact(lower: Lowering, op: str, arguments: tuple[Node, ...], t: Integer) -> tuple[Term, Term]:
    """The result of an operation on integers, wide enough, and the same cut to type `t`."""
    a, b = lower.expressions.scalar(arguments[0]), lower.expressions.scalar(arguments[1])
    wide = 2 * max(width_of(a), width_of(b), t.width) + 2
    x = resize(a, wide, signed=is_signed(arguments[0].type))
    y = resize(b, wide, signed=is_signed(arguments[1].type))
    exact = bvadd(x, y) if op == "add" else bvsub(x, y) if op == "sub" else bvmul(x, y)
    return exact, extract(t.width - 1, 0, exact)


def _is_lost(exact: Term, result: Term, t: Integer) -> Term:
    extend = sign_extend if t.signed else zero_extend
    return not_(eq(extend(width_of(exact) - t.width, result), exact))


def _overflow_handler(op: str) -> Handler:
    """`__builtin_add_overflow(a, b, &r)`: the exact result, cut to *r, and whether it was cut."""

    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        target = pointer_lvalue(lower, arguments[2])
        pointer, behind = arguments[2].type, element_type(arguments[2])
        assert isinstance(pointer, Pointer)
        t = pointer.target  # as it was cast to
        assert isinstance(t, Integer)
        if not isinstance(behind, Integer) or behind.size != t.size:
            raise lower.unsupported("a result that is written into an object of another size", node)
        exact, cut = _exact(lower, op, arguments, t)
        result = lower.builder.save(cut)
        lost = lower.builder.save(number(_is_lost(exact, result, t), node.type.size * 8))
        lower.access.store(Lvalue(t, None, 0, target.address, target.place), result)
        return lost

    return handler


for _op in ("add", "sub", "mul"):
    _names = [f"{prefix}{_op}_overflow" for prefix in ("", "s", "sl", "sll", "u", "ul", "ull")]
    _names += [f"{sign}{_op}{length}_overflow" for sign in "su" for length in ("", "l", "ll")]
    builtins(" ".join(_names))(_overflow_handler(_op))
