"""What handlers do with the arguments of a call, and through them."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import is_signed, resize, width_of
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.syntax.expressions import element_type
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import Record, Void
from craton.logic import FALSE, TRUE, Term, bv, bvule, bvurem, eq, ops, or_


def size_argument(lower: Lowering, node: Node) -> Term:
    """A size_t argument in the width of addresses."""
    return resize(lower.expressions.scalar(node), lower.context.pointer_width, signed=is_signed(node.type))


def is_whole(size: Term, unit: int, *, signed: bool = True) -> Term:
    """Whether a size is a multiple of `unit`, or too large for memory; of a product with a multiple it is, if that does
    not wrap around. With `signed`, what is below zero counts as too large.
    """
    if size.is_value:
        return TRUE if size.payload % unit == 0 else FALSE
    if unit & (unit - 1) == 0:  # by `is_multiple`, however it has wrapped around
        return TRUE
    if size.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND):
        return is_whole(size.args[0], unit, signed=size.op is ops.SIGN_EXTEND)
    width = width_of(size)
    if size.op is ops.BVMUL and len(size.args) == 2:
        number, other = sorted(size.args, key=lambda arg: not arg.is_value)
        if number.is_value and number.payload and number.payload % unit == 0:
            most = bv(((1 << width) - 1) // number.payload, width)
            least = bv((1 << width) - (1 << (width - 1)) // number.payload, width)
            return or_(bvule(other, most), bvule(least, other)) if signed else bvule(other, most)
    return eq(bvurem(size, bv(unit, width)), bv(0, width))


def pointer_lvalue(lower: Lowering, node: Node) -> Lvalue:
    """What a pointer argument points to, element by element."""
    address = lower.builder.save(lower.expressions.scalar(node))
    place = lower.context.points_to.pointed(node)
    return Lvalue(element_type(node), None, 0, address, place)


def unknown_bytes(lower: Lowering, pointer: Node, count: Term) -> Lvalue:
    """An unknown function wrote so many bytes there: where they begin."""
    target = pointer_lvalue(lower, pointer)
    character = lower.context.char_type
    for offset in lower.builder.counted(count):
        value = lower.unknowns.arbitrary(character)
        assert isinstance(value, Term)
        lower.bulk.set_byte(target, offset, value)
    return target


def unknown_output(lower: Lowering, pointer: Node, source: str = "") -> None:
    """An unknown function wrote something there; an input of that name, if it has one."""
    t = element_type(pointer)
    target = pointer_lvalue(lower, pointer)
    if isinstance(t, Record | Void) or not t.size:
        lower.builder.unmodelled(f"an input function that writes through a pointer to {t}")
        return
    value = lower.unknowns.input(source, t) if source else lower.unknowns.arbitrary(t)
    lower.access.store(Lvalue(t, None, 0, target.address, target.place), value)
