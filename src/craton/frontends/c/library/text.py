"""Reading and printing text: what is read is arbitrary, what is printed into memory is an arbitrary text of a length
that its format allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from craton.frontends.c.automaton.arithmetic import resize
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.library.arguments import (
    pointer_lvalue,
    size_argument,
    unknown_bytes,
    unknown_output,
)
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.contracts import DIRECT
from craton.frontends.c.library.pointers import SCANS
from craton.frontends.c.library.reads import print_arguments, read_text, there
from craton.frontends.c.library.records import models
from craton.frontends.c.syntax.expressions import direct_callee, element_type, literal_text
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.scan_formats import Conversion, Written, conversions, is_written_as
from craton.frontends.c.syntax.types import Pointer
from craton.logic import BitVec, Term, bv, bvadd, bvsle, bvslt, bvsub, bvule, bvult, eq, ite, zero_extend

_CONVERSION = re.compile(r"%([-+ #0]*)([0-9]*)(hh|h|ll|l|z|j|t|)([a-zA-Z%])")
_WIDE_CHARACTERS = re.compile(r"%[^a-zA-Z%]*(?:l[cs]|[CS])")  # those that are none of the locale end in -1
# The most digits of 32 and 64 bits, with the sign.
_DIGITS = {"d": (11, 20), "i": (11, 20), "u": (10, 20), "x": (8, 16), "X": (8, 16), "o": (11, 22)}
_WIDE_EVERYWHERE = ("ll", "j")
_WIDE_AS_POINTERS = ("l", "z", "t")
_FROM_STANDARD_INPUT = frozenset("scanf __isoc99_scanf fscanf __isoc99_fscanf".split())


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long a printed text is; `most` is None where the format does not say."""

    least: int
    most: int | None


def lengths(template: str, pointer_width: int) -> Lengths:
    """What a format of printf allows."""
    least, most, position = 0, 0, 0
    for found in _CONVERSION.finditer(template):
        between = template[position : found.start()]
        if "%" in between:  # a conversion that is not told apart here
            return Lengths(least, None)
        least, most = least + len(between), most + len(between)
        position = found.end()
        flags, width, size, kind = found.groups()
        narrowest = int(width or 0) if kind != "%" else 0
        if kind == "%" or (kind == "c" and not size):
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


def _write_text(lower: Lowering, pointer: Node, length: Lengths) -> Term:
    """An arbitrary text with its final zero; returns its length. A text that is longer than the array it is written to
    is a violation where memory safety is checked, and undefined otherwise.
    """
    builder, memory = lower.builder, lower.memory
    target, inside = pointer_lvalue(lower, pointer), lower.variables.object_behind(pointer)
    more = builder.temporary(target.address.sort)  # type: ignore[union-attr]
    builder.havoc(more)
    room: Term = more
    if length.most is not None:  # exchanged, not assumed, so that every choice is one of a run
        bound = memory.pointer(length.most - length.least)
        room = ite(bvule(more, bound), more, bound)
    count = builder.save(bvadd(memory.pointer(length.least), room))
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
    print_arguments(lower, arguments[1:], 0, as_list=_name(node).startswith("v"))
    template = literal_text(arguments[1])
    length = Lengths(0, None) if template is None else lengths(template, lower.context.pointer_width)
    count = resize(_write_text(lower, arguments[0], length), 32, signed=False)
    if template is None or _WIDE_CHARACTERS.search(template):
        return ite(eq(_choice(lower), bv(1, 1)), bv(-1, 32), count)
    return count


@models("snprintf vsnprintf")
def _print_limited(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """The text is arbitrary, and so is its length."""
    limit = lower.builder.save(size_argument(lower, arguments[1]))
    print_arguments(lower, arguments[2:], 0, as_list=_name(node).startswith("v"))
    target = unknown_bytes(lower, arguments[0], limit)
    if limit.is_value and limit.payload:
        _end_somewhere(lower, target, limit)
    return lower.unknowns.arbitrary(node.type)


def _end_somewhere(lower: Lowering, text: Lvalue, limit: Term) -> None:
    """One of so many bytes is the end of a text."""
    end = lower.builder.temporary(limit.sort)
    lower.builder.havoc(end)
    lower.builder.assume(bvult(end, limit))
    lower.bulk.set_byte(text, end, resize(lower.memory.pointer(0), 8, signed=False))


def _found_or_null(lower: Lowering, target: Term) -> Value:
    found = lower.unknowns.arbitrary(lower.context.char_type)
    assert isinstance(found, Term)
    return ite(eq(found, resize(lower.memory.pointer(0), 8, signed=False)), lower.memory.pointer(0), target)


@models("gets")
def _read_unlimited(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target = lower.builder.save(lower.expressions.scalar(arguments[0]))
    _write_text(lower, arguments[0], Lengths(0, None))
    return _found_or_null(lower, target)


@models(" ".join(SCANS))
def _scan_input(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """What is read is arbitrary: so many arguments are written as the result says, in their order, and each as the
    format says.
    """
    first = SCANS[_name(node)]
    _read_source(lower, _name(node), arguments[:first])
    template = literal_text(arguments[first - 1])
    found = None if template is None else conversions(template, lower.context.pointer_width // 8)
    pointers = arguments[first:]
    if template is None or found is None or len(found) > len(pointers):
        lower.builder.unmodelled(f"{_name(node)} with a format that is not understood")
        return lower.unknowns.arbitrary(node.type)
    builder, width = lower.builder, node.type.size * 8
    result = _item_count(lower, sum(each.written is not Written.COUNT for each in found), width)
    told = _name(node) in _FROM_STANDARD_INPUT and all(each.source for each in found)
    counted = 0
    for conversion, argument in zip(found, pointers, strict=False):
        write, on = builder.new(), builder.new()
        if conversion.written is Written.COUNT:
            builder.fork(eq(_choice(lower), bv(1, 1)), write, on)
        else:
            builder.fork(bvslt(bv(counted, width), result), write, on)
            counted += 1
        builder.enter(write)
        _write_converted(lower, argument, conversion, conversion.source if told else "")
        builder.go(on)
        builder.enter(on)
    for argument in pointers[len(found) :]:
        lower.expressions.effect(argument)
    return result


def _item_count(lower: Lowering, most: int, width: int) -> Term:
    """What scanf returns: at most so many, or -1. Small, and not assumed to be in range, so that drawn runs go on."""
    builder = lower.builder
    result = builder.temporary(BitVec(width))
    bits = (most + 1).bit_length()
    chosen = builder.temporary(BitVec(bits))
    builder.havoc(chosen)
    count = bvsub(zero_extend(width - bits, chosen), bv(1, width))
    builder.assign(result, ite(bvsle(count, bv(most, width)), count, bv(-1, width)))
    return result


def _choice(lower: Lowering) -> Term:
    chosen = lower.builder.temporary(BitVec(1))
    lower.builder.havoc(chosen)
    return chosen


def _write_converted(lower: Lowering, pointer: Node, conversion: Conversion, source: str) -> None:
    """What a conversion leaves behind its pointer."""
    if not isinstance(pointer.type, Pointer):
        lower.builder.unmodelled(f"a conversion of scanf that writes through a {pointer.type}")
    elif conversion.written is Written.TEXT:
        _write_text(lower, pointer, Lengths(0, conversion.size))
    elif is_written_as(conversion, element_type(pointer)):
        unknown_output(lower, pointer, source)
    else:
        assert conversion.size is not None
        unknown_bytes(lower, pointer, lower.memory.pointer(conversion.size))


def _read_source(lower: Lowering, name: str, arguments: tuple[Node, ...]) -> None:
    """The text that is scanned, or the file that is there."""
    for number, argument in enumerate(arguments):
        if number == 0 and name.endswith("sscanf"):
            read_text(lower, argument)
        elif number == 0 and name.endswith("fscanf"):
            there(lower, argument)
        else:
            lower.expressions.effect(argument)


def _name(call: Node) -> str:
    function = direct_callee(call)
    assert function is not None
    return function.name.removeprefix(DIRECT).removeprefix("__builtin_")
