"""memset, memcpy, memmove."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.library.arguments import is_whole, pointer_lvalue, size_argument
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.records import models
from craton.frontends.c.syntax.expressions import copied_type, element_type, is_multiple
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import CType, Void
from craton.logic import FALSE, Term, extract, not_
from craton.program.cfa import Reach


@models("memset __memset __builtin___memset_chk")
def _memset(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target = pointer_lvalue(lower, arguments[0])
    byte = lower.expressions.scalar(arguments[1])
    t = element_type(arguments[0])
    typed = bool(t.size) and not isinstance(t, Void) and is_multiple(arguments[2], t.size)
    if not typed:
        t = lower.context.char_type
    size = _size_of_elements(lower, arguments[2], t)
    assert target.address is not None
    lower.safety.check_block(target.address, size)
    lower.safety.check_write(target)
    if byte.is_value:
        lower.bulk.fill(target, t, size, byte.payload & 255)
    elif t.size == 1 or not typed:
        lower.bulk.fill_variable(target, size, extract(7, 0, byte))
    else:
        raise lower.unsupported("memset with a byte that is not constant over larger elements", node)
    return target.address


@models("memcpy __memcpy __builtin___memcpy_chk")
def _memcpy(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source, t, size = _copy_arguments(lower, arguments)
    lower.bulk.copy_elements(target, source, t, size)
    assert target.address is not None
    return target.address


@models("memmove __builtin___memmove_chk")
def _memmove(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source, t, size = _copy_arguments(lower, arguments)
    lower.bulk.move_elements(target, source, t, size)
    assert target.address is not None
    return target.address


def _copy_arguments(lower: Lowering, arguments: tuple[Node, ...]) -> tuple[Lvalue, Lvalue, CType, Term]:
    target, source = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    t = copied_type(arguments) or lower.context.char_type
    size = _size_of_elements(lower, arguments[2], t)
    for side in (target, source):
        assert side.address is not None
        lower.safety.check_block(side.address, size)
    lower.safety.check_write(target)
    return target, source, t, size


def _size_of_elements(lower: Lowering, node: Node, t: CType) -> Term:
    """A number of bytes that are elements of a type; what cuts one of them in two is not modelled."""
    size = size_argument(lower, node)
    cut = not_(is_whole(size, t.size))
    if cut is not FALSE:
        lower.builder.unmodelled_if(cut, f"a size that is no multiple of that of {t}", reach=Reach.ANYTHING)
    return lower.builder.save(size)
