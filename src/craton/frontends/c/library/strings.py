"""The string functions of C, as loops over bytes."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import resize
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.library.arguments import pointer_lvalue, size_argument
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.records import models
from craton.frontends.c.library.signs import only_sign_matters
from craton.frontends.c.syntax.expressions import direct_callee, strip
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.logic import (
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvneg,
    bvule,
    bvult,
    eq,
    extract,
    ite,
    not_,
    zero_extend,
)
from craton.program.cfa import Location

_ZERO = bv(0, 8)


class _Scan:
    """A loop whose counter starts at 0 and steps by one: `while (guard(i)) i++`. Code may branch out of it."""

    def __init__(self, lower: Lowering) -> None:
        builder = lower.builder
        self.lower = lower
        self.index = builder.temporary(BitVec(lower.context.pointer_width))
        builder.assign(self.index, lower.memory.pointer(0))
        self.head = builder.new()
        builder.names.loop_heads[self.head] = None
        builder.go(self.head)
        builder.here = self.head

    def leave_if(self, condition: Term) -> Location:
        """Branches; goes on where the condition does not hold and returns where it does."""
        builder = self.lower.builder
        out, on = builder.new(), builder.new()
        builder.fork(condition, out, on)
        builder.enter(on)
        return out

    def again(self) -> None:
        builder = self.lower.builder
        builder.assign(self.index, bvadd(self.index, self.lower.memory.pointer(1)))
        builder.go(self.head)


def _literal_length(node: Node) -> int | None:
    inner = strip(node)
    while inner.kind is Kind.CONVERT:
        inner = inner.children[0]
    if inner.kind is Kind.STRING:
        units: list[int] = inner.value
        return units.index(0) if 0 in units else len(units)
    return None


def length(lower: Lowering, text: Lvalue) -> Term:
    scan = _Scan(lower)
    out = scan.leave_if(eq(lower.bulk.byte_at(text, scan.index), _ZERO))
    scan.again()
    lower.builder.enter(out)
    return scan.index


@models("strlen")
def _strlen(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    known = _literal_length(arguments[0])
    if known is not None:
        return bv(known, node.type.size * 8)
    return resize(length(lower, pointer_lvalue(lower, arguments[0])), node.type.size * 8, signed=False)


@models("strnlen")
def _strnlen(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    text = pointer_lvalue(lower, arguments[0])
    limit = lower.builder.save(size_argument(lower, arguments[1]))
    scan = _Scan(lower)
    out = scan.leave_if(not_(bvult(scan.index, limit)))
    end = scan.leave_if(eq(lower.bulk.byte_at(text, scan.index), _ZERO))
    scan.again()
    lower.builder.enter(end)
    lower.builder.go(out)
    lower.builder.enter(out)
    return scan.index


def _copy_text(lower: Lowering, target: Lvalue, source: Lvalue) -> None:
    """With the final zero."""
    scan = _Scan(lower)
    byte = lower.builder.save(lower.bulk.byte_at(source, scan.index))
    lower.bulk.set_byte(target, scan.index, byte)
    out = scan.leave_if(eq(byte, _ZERO))
    scan.again()
    lower.builder.enter(out)


@models("strcpy __builtin___strcpy_chk")
def _strcpy(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    _copy_text(lower, target, source)
    assert target.address is not None
    return target.address


@models("strcat")
def _strcat(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    assert target.address is not None
    end = lower.builder.save(bvadd(target.address, length(lower, target)))
    _copy_text(lower, Lvalue(target.type, None, 0, end, target.place), source)
    return target.address


@models("strncpy")
def _strncpy(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Pads with zeros up to the limit."""
    target, source = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    limit = size_argument(lower, arguments[2])
    builder = lower.builder
    ended = builder.temporary(BitVec(8))
    byte = builder.temporary(BitVec(8))
    builder.assign(ended, _ZERO)
    for index in builder.counted(limit):
        read, skip, write = builder.new(), builder.new(), builder.new()
        builder.fork(eq(ended, _ZERO), read, skip)
        builder.enter(read)
        builder.assign(byte, lower.bulk.byte_at(source, index))
        builder.go(write)
        builder.enter(skip)
        builder.assign(byte, _ZERO)
        builder.go(write)
        builder.enter(write)
        lower.bulk.set_byte(target, index, byte)
        stop, on = builder.new(), builder.new()
        builder.fork(eq(byte, _ZERO), stop, on)
        builder.enter(stop)
        builder.assign(ended, bv(1, 8))
        builder.go(on)
        builder.enter(on)
    assert target.address is not None
    return target.address


@models("strncat")
def _strncat(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    limit = lower.builder.save(size_argument(lower, arguments[2]))
    assert target.address is not None
    end = lower.builder.save(bvadd(target.address, length(lower, target)))
    tail = Lvalue(target.type, None, 0, end, target.place)
    scan = _Scan(lower)
    full = scan.leave_if(not_(bvult(scan.index, limit)))
    byte = lower.builder.save(lower.bulk.byte_at(source, scan.index))
    done = scan.leave_if(eq(byte, _ZERO))
    lower.bulk.set_byte(tail, scan.index, byte)
    scan.again()
    lower.builder.enter(done)
    lower.builder.go(full)
    lower.builder.enter(full)
    lower.bulk.set_byte(tail, scan.index, _ZERO)
    return target.address


def _compare(lower: Lowering, node: Node, arguments: tuple[Node, ...], limit: Term | None, text: bool) -> Value:
    """Some number whose sign is that of the difference of the first bytes that differ: C promises no more."""
    if not only_sign_matters(lower.function, node):
        callee = direct_callee(node)
        lower.context.approximated["a comparison of texts" if callee is None else callee.name] = None
    a, b = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    builder = lower.builder
    if limit is not None and not text and lower.context.specification.deref:
        for operand in (a, b):  # as a whole: C says that both have so many bytes
            assert operand.address is not None
            lower.safety.check_block(operand.address, limit)
    result = builder.temporary(BitVec(32))
    builder.assign(result, bv(0, 32))
    scan = _Scan(lower)
    outs = []
    if limit is not None:
        outs.append(scan.leave_if(not_(bvult(scan.index, limit))))
    x = builder.save(lower.bulk.byte_at(a, scan.index))
    y = builder.save(lower.bulk.byte_at(b, scan.index))
    differ = scan.leave_if(not_(eq(x, y)))
    if text:
        outs.append(scan.leave_if(eq(x, _ZERO)))
    scan.again()
    builder.enter(differ)
    distance = builder.temporary(BitVec(31))
    builder.havoc(distance)
    above = zero_extend(1, ite(eq(distance, bv(0, 31)), bv(1, 31), distance))
    builder.assign(result, ite(bvult(x, y), bvneg(above), above))
    builder.meet(*outs)
    return result


@models("strcmp")
def _strcmp(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return _compare(lower, node, arguments, None, True)


@models("strncmp")
def _strncmp(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return _compare(lower, node, arguments, lower.builder.save(size_argument(lower, arguments[2])), True)


@models("memcmp bcmp")
def _memcmp(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return _compare(lower, node, arguments, lower.builder.save(size_argument(lower, arguments[2])), False)


def _find(lower: Lowering, node: Node, arguments: tuple[Node, ...], limit: Term | None) -> Value:
    text = pointer_lvalue(lower, arguments[0])
    wanted = lower.builder.save(extract(7, 0, lower.expressions.scalar(arguments[1])))
    builder = lower.builder
    result = builder.temporary(BitVec(lower.context.pointer_width))
    builder.assign(result, lower.memory.pointer(0))
    scan = _Scan(lower)
    outs = []
    if limit is not None:
        outs.append(scan.leave_if(not_(bvult(scan.index, limit))))
    byte = builder.save(lower.bulk.byte_at(text, scan.index))
    found = scan.leave_if(eq(byte, wanted))
    if limit is None:
        outs.append(scan.leave_if(eq(byte, _ZERO)))
    scan.again()
    builder.enter(found)
    assert text.address is not None
    builder.assign(result, bvadd(text.address, scan.index))
    builder.meet(*outs)
    return result


@models("strchr index")
def _strchr(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return _find(lower, node, arguments, None)


@models("memchr")
def _memchr(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return _find(lower, node, arguments, lower.builder.save(size_argument(lower, arguments[2])))


@models("strrchr rindex")
def _strrchr(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    text = pointer_lvalue(lower, arguments[0])
    wanted = lower.builder.save(extract(7, 0, lower.expressions.scalar(arguments[1])))
    builder = lower.builder
    result = builder.temporary(BitVec(lower.context.pointer_width))
    builder.assign(result, lower.memory.pointer(0))
    scan = _Scan(lower)
    byte = builder.save(lower.bulk.byte_at(text, scan.index))
    hit, on = builder.new(), builder.new()
    builder.fork(eq(byte, wanted), hit, on)
    builder.enter(hit)
    assert text.address is not None
    builder.assign(result, bvadd(text.address, scan.index))
    builder.go(on)
    builder.enter(on)
    out = scan.leave_if(eq(byte, _ZERO))
    scan.again()
    builder.enter(out)
    return result


@models("strdup")
def _strdup(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    text = pointer_lvalue(lower, arguments[0])
    count = length(lower, text)
    new = lower.heap.allocate(bvadd(count, lower.memory.pointer(1)), counted=True)
    place = lower.context.points_to.pointed(node)
    _copy_text(lower, Lvalue(text.type, None, 0, new, place), text)
    return new


@models("isdigit")
def _isdigit(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """In the C locale. Of a digit it is 1 where gcc computes it, 2048 where glibc does, as a macro or a function."""
    value = lower.expressions.scalar(arguments[0])
    by_table = lower.builder.temporary(BitVec(1))
    lower.builder.havoc(by_table)
    yes = ite(eq(by_table, bv(1, 1)), bv(2048, 32), bv(1, 32))
    return ite(and_(bvule(bv(ord("0"), 32), value), bvule(value, bv(ord("9"), 32))), yes, bv(0, 32))
