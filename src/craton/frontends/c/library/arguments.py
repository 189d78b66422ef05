"""What handlers do with the arguments of a call, and through them."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import is_signed, resize
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.syntax.expressions import element_type
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import Record, Void
from craton.logic import Term


def size_argument(lower: Lowering, node: Node) -> Term:
    """A size_t argument in the width of addresses."""
    return resize(lower.expressions.scalar(node), lower.context.pointer_width, signed=is_signed(node.type))


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
