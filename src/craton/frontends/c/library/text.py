"""Reading and printing text: what is read is arbitrary, what is printed into memory is an arbitrary text of a length
that its format allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from craton.frontends.c.automaton.arithmetic import resize
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.arguments import pointer_lvalue, size_argument, unknown_bytes, unknown_output
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.pointers import SCANS
from craton.frontends.c.library.records import models
from craton.frontends.c.syntax.expressions import direct_callee, element_type
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import Integer, Pointer
from craton.logic import Term, bvadd, bvmul, bvule, bvult, eq, ite

_CONVERSION = re.compile(r"%([-+ #0]*)([0-9]*)(hh|h|ll|l|z|j|t|)([a-zA-Z%])")
# The most digits of 32 and 64 bits, with the sign.
_DIGITS = {"d": (11, 20), "i": (11, 20), "u": (10, 20), "x": (8, 16), "X": (8, 16), "o": (11, 22)}
_WIDE_EVERYWHERE = ("ll", "j")
_WIDE_AS_POINTERS = ("l", "z", "t")


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long a printed text is; `most` is None where the format does not say."""

    least: int
    most: int | None


def lengths(template: str, pointer_width: int) -> Lengths:
    """What a format of printf allows."""
    least, most, position = 0, 0, 0
    for found in _CONVERSION.finditer(template):
        least, most = least + found.start() - position, most + found.start() - position
        position = found.end()
        flags, width, size, kind = found.groups()
        narrowest = int(width or 0)
        if kind == "%" or kind == "c":
            widest = 1
        elif kind in _DIGITS and size in (*_WIDE_EVERYWHERE, *_WIDE_AS_POINTERS, "", "h", "hh"):
            wide = size in _WIDE_EVERYWHERE or (size in _WIDE_AS_POINTERS and pointer_width == 64)
            widest = _DIGITS[kind][wide] + (2 if flags else 0)
        else:
            return Lengths(least, None)
        least += max(narrowest, 1)
        most += max(narrowest, widest)
    rest = template[position:]
    if "%" in rest:
        return Lengths(least, None)
    return Lengths(least + len(rest), most + len(rest))


def _template(node: Node) -> str | None:
    """The text of a format that is a literal."""
    while node.kind is Kind.CONVERT:
        node = node.children[0]
    if node.kind is not Kind.STRING:
        return None
    units: list[int] = node.value
    return bytes(unit & 255 for unit in units).split(b"\0")[0].decode("latin-1")


def _write_text(lower: Lowering, pointer: Node, length: Lengths) -> Term:
    """An arbitrary text with its final zero; returns its length. A text that is longer than the array it is written to
    is a violation where memory safety is checked, and undefined otherwise.
    """
    builder, memory = lower.builder, lower.memory
    target, inside = pointer_lvalue(lower, pointer), lower.variables.object_behind(pointer)
    more = builder.temporary(target.address.sort)  # type: ignore[union-attr]
    builder.havoc(more)
    if length.most is not None:
        builder.assume(bvule(more, memory.pointer(length.most - length.least)))
    count = builder.save(bvadd(memory.pointer(length.least), more))
    if inside is not None and not lower.context.specification.deref:
        builder.assume(bvult(count, memory.pointer(inside.size)))
    for offset in builder.counted(count):
        value = lower.unknowns.arbitrary(lower.context.char_type)
        assert isinstance(value, Term)
        lower.bulk.set_byte(target, offset, value)
    lower.bulk.set_byte(target, count, resize(memory.pointer(0), 8, signed=False))
    return count


@models("sprintf vsprintf")
def _print_unlimited(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    for argument in arguments[1:]:
        lower.expressions.effect(argument)
    template = _template(arguments[1])
    length = Lengths(0, None) if template is None else lengths(template, lower.context.pointer_width)
    return resize(_write_text(lower, arguments[0], length), 32, signed=False)


@models("snprintf vsnprintf")
def _print_limited(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """The text is arbitrary, and so is its length."""
    limit = lower.builder.save(size_argument(lower, arguments[1]))
    for argument in arguments[2:]:
        lower.expressions.effect(argument)
    unknown_bytes(lower, arguments[0], limit)
    return lower.unknowns.arbitrary(node.type)


def _found_or_null(lower: Lowering, target: Term) -> Value:
    found = lower.unknowns.arbitrary(lower.context.char_type)
    assert isinstance(found, Term)
    return ite(eq(found, resize(lower.memory.pointer(0), 8, signed=False)), lower.memory.pointer(0), target)


@models("gets")
def _read_unlimited(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target = lower.builder.save(lower.expressions.scalar(arguments[0]))
    _write_text(lower, arguments[0], Lengths(0, None))
    return _found_or_null(lower, target)


@models("fgets")
def _read_line(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    limit = lower.builder.save(size_argument(lower, arguments[1]))
    lower.expressions.effect(arguments[2])
    target = lower.builder.save(lower.expressions.scalar(arguments[0]))
    unknown_bytes(lower, arguments[0], limit)
    return _found_or_null(lower, target)


@models("read fread recv")
def _read_bytes(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """read(file, buffer, size), recv alike; fread(buffer, size, count, file)."""
    buffer = next(a for a in arguments if isinstance(a.type, Pointer))
    sizes = [a for a in arguments[1:] if isinstance(a.type, Integer)]
    size = size_argument(lower, sizes[0])
    if buffer is arguments[0] and len(sizes) > 1:
        size = bvmul(size, size_argument(lower, sizes[1]))
    unknown_bytes(lower, buffer, lower.builder.save(size))
    return lower.unknowns.arbitrary(node.type)


@models(" ".join(SCANS))
def _scan_input(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """What is read is arbitrary: a text where characters are pointed to and the format may ask for one."""
    first = SCANS[_name(node)]
    for argument in arguments[:first]:
        lower.expressions.effect(argument)
    template = _template(arguments[first - 1])
    has_text = template is None or "s" in template or "[" in template
    for argument in arguments[first:]:
        if not isinstance(argument.type, Pointer):
            lower.expressions.effect(argument)
        elif has_text and element_type(argument).size == 1:
            _write_text(lower, argument, Lengths(0, None))
        else:
            unknown_output(lower, argument)
    return lower.unknowns.arbitrary(node.type)


def _name(call: Node) -> str:
    function = direct_callee(call)
    assert function is not None
    return function.name.removeprefix("__builtin_")
