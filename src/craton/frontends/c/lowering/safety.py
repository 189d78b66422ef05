"""Memory safety: which addresses are valid, and the checks where the property asks for them."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.frame import Frame
from craton.logic import Term, and_, bvadd, bvand, bvlshr, bvsub, bvuge, bvule, bvult, eq, or_, select
from craton.program.cfa import DEREF


class Safety:
    """Questions about addresses, and checks of accesses."""

    def __init__(self, frame: Frame) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._checks = frame.context.specification.deref

    # --- checks -------------------------------------------------------------------------------------------------------

    def check_access(self, lvalue: Lvalue, size: int) -> None:
        """A scalar or a struct of `size` bytes is accessed."""
        if not self._checks or lvalue.address is None or not size:
            return
        base = lvalue.base
        if base is not None and base.size >= size:
            offset = bvsub(lvalue.address, base.address)
            self._builder.check(bvule(offset, self._memory.pointer(base.size - size)), DEREF)
        else:
            self._builder.check(self.is_valid(lvalue.address, self._memory.pointer(size)), DEREF)

    def check_block(self, address: Term, size: Term) -> None:
        """`size` bytes are accessed; none is fine wherever the address points."""
        if self._checks:
            empty = eq(size, self._memory.pointer(0))
            self._builder.check(or_(empty, self.is_valid(address, size)), DEREF)

    # --- addresses ----------------------------------------------------------------------------------------------------

    def is_valid(self, address: Term, size: Term) -> Term:
        """Whether `size` bytes from `address` on lie inside one allocated object."""
        memory = self._memory
        offset = bvand(address, memory.pointer((1 << memory.offset_bits) - 1))
        limit = select(memory.sizes, self.object_number(address))
        bound = memory.pointer(1 << memory.offset_bits)
        fits = bvult(bvadd(offset, size), limit)
        return fits if size.is_value else and_(bvule(size, bound), fits)

    def object_number(self, address: Term) -> Term:
        return bvlshr(address, self._memory.pointer(self._memory.offset_bits))

    def is_heap_number(self, number: Term) -> Term:
        """Whether an object's number is one that `malloc` gives."""
        self._context.globals[self._memory.heap_begin] = None
        return and_(bvuge(number, self._memory.heap_begin), bvult(number, self._memory.stack_begin))
