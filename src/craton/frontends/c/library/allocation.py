"""malloc and its relatives."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.library.arguments import size_argument
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.records import models
from craton.frontends.c.memory.layout import FLOAT_TYPES
from craton.frontends.c.memory.places import Place, find
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import CType, Record, unit_type
from craton.logic import Term, and_, bvult, eq, ite, not_, or_


@models("malloc valloc kmalloc")
def _malloc(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    size = size_argument(lower, arguments[0])
    for argument in arguments[1:]:
        lower.expressions.effect(argument)
    return lower.heap.allocate(size, counted=True)


@models("alloca __builtin_alloca_with_align")
def _alloca(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    specification = lower.context.specification
    if (
        specification.deref and lower.function.name != specification.entry
    ):  # its end is the function's, which is not kept
        lower.builder.unmodelled("memory from alloca in a function that returns, where memory safety is checked,")
    if lower.function.name != specification.entry:
        lower.heap.may_give_again()
    return lower.heap.allocate(size_argument(lower, arguments[0]), counted=False)


@models("memalign aligned_alloc")
def _aligned_alloc(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.expressions.effect(arguments[0])
    return lower.heap.allocate(size_argument(lower, arguments[1]), counted=True)


@models("calloc")
def _calloc(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    count, each = (size_argument(lower, argument) for argument in arguments)
    count, each = lower.builder.save(count), lower.builder.save(each)
    place = lower.context.points_to.pointed(node)
    return lower.heap.allocate_many(count, each, lambda address, size: _zero_place(lower, place, address, size))


def _zero_place(lower: Lowering, place: Place, address: Term, size: Term) -> None:
    """Zero in every array that holds a part of the place: fields as their struct lays them out."""
    element = _element_of(lower, place)
    if isinstance(element, Record):
        lower.context.points_to.places.touch(place, element)
    if element is not None:
        lower.bulk.fill(Lvalue(element, None, 0, address, place), element, size, 0)


def _scalar_like(size: int, kind: str, lower: Lowering) -> CType:
    if kind == "float" and size in FLOAT_TYPES:
        return FLOAT_TYPES[size]
    return unit_type(size)


@models("realloc")
def _realloc(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """New memory, with the contents of the old up to the smaller size; behind it new memory is arbitrary. As glibc has
    it, a size of 0 frees what there is; where there is no memory, the old stays.
    """
    old = lower.builder.save(lower.expressions.scalar(arguments[0]))
    size = lower.builder.save(size_argument(lower, arguments[1]))
    builder, zero = lower.builder, lower.memory.pointer(0)
    result = builder.temporary(zero.sort)
    only_free, other, after = builder.new(), builder.new(), builder.new()
    builder.fork(and_(eq(size, zero), not_(eq(old, zero))), only_free, other)
    builder.enter(only_free)
    lower.heap.free(old)
    builder.assign(result, zero)
    builder.go(after)
    builder.enter(other)
    _resize(lower, result, old, size, lower.context.points_to.pointed(arguments[0]))
    builder.go(after)
    builder.enter(after)
    return result


def _resize(lower: Lowering, result: Term, old: Term, size: Term, place: Place) -> None:
    builder, zero = lower.builder, lower.memory.pointer(0)
    before = builder.save(lower.heap.allocated_size(old))
    new = builder.save(lower.heap.allocate(size, counted=True))
    builder.assign(result, new)
    copy, after = builder.new(), builder.new()
    builder.fork(or_(eq(old, zero), eq(new, zero)), after, copy)
    builder.enter(copy)
    element = _element_of(lower, place)
    if element is not None:
        target, source = (Lvalue(element, None, 0, address, place) for address in (new, old))
        lower.bulk.copy_elements(target, source, element, builder.save(ite(bvult(before, size), before, size)))
    lower.heap.free(old)
    builder.go(after)
    builder.enter(after)


def _element_of(lower: Lowering, place: Place) -> CType | None:
    """What memory of a place consists of; None if nobody looks at it."""
    place = find(place)
    if place.collapsed:
        return lower.context.char_type
    if place.record is not None:
        return place.record
    if place.scalars:
        (unit, kind), *_ = place.scalars
        return _scalar_like(unit, kind, lower)
    return None


@models("free kfree cfree")
def _free(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.heap.free(lower.builder.save(lower.expressions.scalar(arguments[0])))
    return ()
