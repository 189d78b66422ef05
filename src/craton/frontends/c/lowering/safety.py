"""Memory safety: which addresses are valid, and the checks where the property asks for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.memory.layout import Object
from craton.frontends.c.memory.places import find, leaves_members
from craton.frontends.c.syntax.nodes import Storage, Variable
from craton.frontends.c.syntax.types import Field
from craton.logic import (
    FALSE,
    TRUE,
    Term,
    and_,
    bvadd,
    bvand,
    bvlshr,
    bvshl,
    bvsub,
    bvuge,
    bvule,
    bvult,
    eq,
    not_,
    or_,
    select,
    store,
)
from craton.program.cfa import DEREF, Reach, Touched

_BESIDE = "an access beside an array to other members"
_UNWRITTEN = "string literals are not written"
_STAY = "accesses stay in their objects (--property memsafety proves it)"


class Safety:
    """Questions about addresses, and checks of accesses. `object_of` is told by who knows variables."""

    object_of: Callable[[Variable], Object]

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._checks = frame.context.specification.deref

    # --- checks -------------------------------------------------------------------------------------------------------

    def check_access(self, lvalue: Lvalue, size: int) -> None:
        """A scalar or a struct of `size` bytes is accessed."""
        if lvalue.address is None or not size:
            return
        if lvalue.field is not None and self._checks:
            lvalue, size = self._with_neighbours(lvalue, lvalue.address, lvalue.field)
        assert lvalue.address is not None
        base, touched = lvalue.base, Touched(lvalue.address, self._memory.pointer(size))
        if not self._checks:
            offset = None if base is None else bvsub(lvalue.address, base.address)
            if base is None or offset is None or not (offset.is_value and offset.payload + size <= base.size):
                self._context.assume(_STAY)
            return
        if lvalue.inside is not TRUE and lvalue.place is not None and leaves_members(find(lvalue.place)):
            self._builder.unmodelled_if(not_(lvalue.inside), _BESIDE, reach=Reach.ANYTHING)
        if base is not None and base.size >= size:
            offset = bvsub(lvalue.address, base.address)
            self._builder.check(bvule(offset, self._memory.pointer(base.size - size)), DEREF, touched)
        else:
            valid = self.is_valid(lvalue.address, self._memory.pointer(size))
            if lvalue.origin is not None:
                valid = and_(valid, self.belong_together(lvalue.address, lvalue.origin))
            self._builder.check(valid, DEREF, touched)

    def _with_neighbours(self, lvalue: Lvalue, address: Term, member: Field) -> tuple[Lvalue, int]:
        """What compilers access with a bit-field, and its size."""
        before = self._memory.pointer(member.unit_offset - member.touched.start)
        return replace(lvalue, address=bvsub(address, before)), len(member.touched)

    def check_write(self, lvalue: Lvalue) -> None:
        """String literals are not written; all of them are known where memory safety is checked. What happens if other
        constant objects are is not modelled: C leaves it open.
        """
        self._check_constants(lvalue)
        if lvalue.address is None or lvalue.place is None:
            return
        if not self._checks:
            if lvalue.base is None and self._context.facts.addresses.are_literals(lvalue.place, lvalue.place):
                self._context.assume(_UNWRITTEN)
            return
        if lvalue.base is not None and lvalue.base.variable is not None:
            return
        kept = [known for known in self._context.strings.values() if find(known.place) is find(lvalue.place)]
        size = self._memory.pointer
        written = or_(*(bvult(bvsub(lvalue.address, known.address), size(known.size)) for known in kept))
        if written is not FALSE:
            self._builder.check(not_(written), DEREF, Touched(lvalue.address))

    def _check_constants(self, lvalue: Lvalue) -> None:
        if lvalue.address is None or lvalue.place is None:
            return
        if lvalue.base is not None and lvalue.base.variable is not None and not lvalue.base.variable.constant:
            return
        known = [self.object_of(variable) for variable in self._context.facts.constants.get(find(lvalue.place), ())]
        size = self._memory.pointer
        written = or_(*(bvult(bvsub(lvalue.address, each.address), size(each.size)) for each in known))
        if written is not FALSE and self._frame.owns is not Storage.GLOBAL:
            self._builder.unmodelled_if(written, "a write to a constant object", reach=Reach.MEMORY)

    def check_nearness(self, moved: Term, pointer: Term, offset: Term) -> None:
        """A pointer that is moved into another object's part of the addresses is not modelled."""
        if self.may_stray(offset):
            builder = self._builder
            near, far = builder.new(), builder.new()
            builder.fork(self.belong_together(moved, pointer), near, far)
            builder.enter(far)
            builder.unmodelled("a pointer that is moved far out of its object")
            builder.enter(near)

    def check_block(self, address: Term, size: Term) -> None:
        """`size` bytes are accessed; none is fine wherever the address points."""
        if self._checks:
            empty = eq(size, self._memory.pointer(0))
            self._builder.check(or_(empty, self.is_valid(address, size)), DEREF, Touched(address, size))
        else:
            self._context.assume(_STAY)

    # --- addresses ----------------------------------------------------------------------------------------------------

    def is_valid(self, address: Term, size: Term) -> Term:
        """Whether `size` bytes from `address` on lie inside one allocated object."""
        memory = self._memory
        offset = bvand(address, memory.pointer((1 << memory.offset_bits) - 1))
        limit = select(memory.sizes, self.object_number(address))
        bound = memory.pointer(1 << memory.offset_bits)
        fits = bvult(bvadd(offset, size), limit)
        return fits if size.is_value else and_(bvule(size, bound), fits)

    def belong_together(self, address: Term, other: Term) -> Term:
        """Whether two addresses are near the same object: each object owns half of the offsets, and as many before it.
        An access that strays farther must not be taken for one to the object that it hits.
        """
        half = self._memory.pointer(self._memory.most)
        return eq(self.object_number(bvadd(address, half)), self.object_number(bvadd(other, half)))

    def may_stray(self, offset: Term) -> bool:
        """Whether an offset in bytes may be one into another object."""
        if not self._memory.safety:
            return False
        if offset.is_value:
            width, most = self._memory.pointer_width, self._memory.most
            return bool(most <= offset.payload < (1 << width) - most)
        return True

    def object_number(self, address: Term) -> Term:
        return bvlshr(address, self._memory.pointer(self._memory.offset_bits))

    def start_of(self, address: Term) -> Term:
        """Where the object that an address belongs to begins."""
        return bvand(address, self._memory.pointer(-1 << self._memory.offset_bits))

    def next_object(self, number: Term, end: Term, size: Term) -> Term:
        """The address of the object with that number, if it is below the end; the number is the next one then."""
        self._builder.assume(bvult(number, end))
        address = self._builder.save(bvshl(number, self._memory.pointer(self._memory.offset_bits)))
        self.begin_object(number, size)
        self._builder.assign(number, bvadd(number, self._memory.pointer(1)))
        return address

    def begin_object(self, number: Term, size: Term) -> None:
        sizes = self._memory.sizes
        self._builder.assign(sizes, store(sizes, number, bvadd(size, self._memory.pointer(1))))

    def is_heap_number(self, number: Term) -> Term:
        """Whether an object's number is one that `malloc` gives."""
        self._context.globals[self._memory.heap_begin] = None
        return and_(bvuge(number, self._memory.heap_begin), bvult(number, self._memory.stack_begin))
