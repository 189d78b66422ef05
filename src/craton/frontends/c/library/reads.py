"""What library functions read through their arguments: a question of memory safety alone, so nothing is done where that
is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from craton.frontends.c.library.arguments import pointer_lvalue, size_argument
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.memory.places import find
from craton.frontends.c.syntax.expressions import literal_text
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import ArrayType, Pointer
from craton.logic import TRUE, BitVec, bv, bvadd, bvult, eq, not_
from craton.program.cfa import DEREF, Touched

_SHORT = 16  # bytes of texts that need no loop


def there(lower: Lowering, pointer: Node) -> None:
    """It is not null; nobody looks into it."""
    if lower.context.specification.deref:
        address = lower.builder.save(lower.expressions.scalar(pointer))
        lower.builder.check(not_(eq(address, lower.memory.pointer(0))), DEREF, Touched(address))


def read_block(lower: Lowering, pointer: Node, size: Node) -> None:
    """So many bytes are read."""
    if lower.context.specification.deref:
        address = lower.builder.save(lower.expressions.scalar(pointer))
        lower.safety.check_block(address, lower.builder.save(size_argument(lower, size)))


def read_text(lower: Lowering, pointer: Node, limit: int | None = None, *, nullable: bool = False) -> None:
    """A text is read up to its end, or so many of its characters."""
    if not lower.context.specification.deref or literal_text(pointer) is not None:
        lower.expressions.effect(pointer)
        return
    builder, memory = lower.builder, lower.memory
    text = pointer_lvalue(lower, pointer)
    assert text.address is not None and text.place is not None
    place = find(text.place)
    begin, after = builder.new(), builder.new()
    builder.fork(not_(eq(text.address, memory.pointer(0))) if nullable else TRUE, begin, after)
    builder.enter(begin)
    if not place.collapsed and any(size != 1 for size, _ in place.scalars):
        builder.unmodelled("text in memory of numbers")
    elif place.collapsed or place.scalars:
        long = builder.new()
        builder.fork(lower.bulk.ends_within(text, _SHORT), after, long)
        builder.enter(long)
        index = builder.temporary(BitVec(lower.context.pointer_width))
        builder.assign(index, memory.pointer(0))
        head = builder.new()
        builder.names.loop_heads[head] = None
        builder.go(head)
        builder.here = head
        if limit is not None:
            inside = builder.new()
            builder.fork(bvult(index, memory.pointer(limit)), inside, after)
            builder.enter(inside)
        again = builder.new()
        builder.fork(eq(lower.bulk.byte_at(text, index), bv(0, 8)), after, again)
        builder.enter(again)
        builder.assign(index, bvadd(index, memory.pointer(1)))
        builder.go(head)
    else:
        lower.safety.check_block(text.address, memory.pointer(1))
        builder.go(after)
    builder.enter(after)


_CONVERSION = re.compile(r"%[-+ #0']*(\*|[0-9]*)(?:\.(\*|[0-9]*))?(?:hh|h|ll|l|L|q|z|j|t|)([a-zA-Z%])")


def print_arguments(lower: Lowering, arguments: tuple[Node, ...], format_at: int, *, as_list: bool = False) -> None:
    """What printf and its family get is evaluated, and texts are read; a format that lets them write through a pointer
    is not modelled. What a list of arguments (`as_list`) holds is not looked at.
    """
    for argument in arguments[:format_at]:
        lower.expressions.effect(argument)
    template, printed = literal_text(arguments[format_at]), arguments[format_at + 1 :]
    conversions = [] if template is None else list(_arguments_of(template))
    lower.expressions.effect(arguments[format_at])
    for number, argument in enumerate(printed):
        kind, limit = conversions[number] if number < len(conversions) and not as_list else ("", None)
        if kind == "s" and limit == "*" and lower.context.specification.deref:
            lower.builder.unmodelled("printf with %.*s")
        if kind == "s" and limit != "*" and isinstance(argument.type, Pointer | ArrayType):
            read_text(lower, argument, None if limit is None else int(limit or 0), nullable=True)
        else:
            lower.expressions.effect(argument)
    if any(kind == "n" for kind, _ in conversions):
        lower.builder.unmodelled("printf with %n")
    elif template is None:
        lower.context.assume("formats that are no literals do not have %n")
        if lower.context.specification.deref:
            lower.context.assume("what is printed with formats that are no literals is readable")
    if as_list and lower.context.specification.deref:
        lower.context.assume("what is printed from lists of arguments is readable")


def _arguments_of(template: str) -> Iterator[tuple[str, str | None]]:
    """For each argument of a format what it is converted to, and how many of its characters at most."""
    for found in _CONVERSION.finditer(template):
        width, precision, kind = found.groups()
        if kind == "%":
            continue
        yield from [("*", None)] * [width, precision].count("*")
        yield kind, precision
