"""Allocation. It is assumed to succeed, as the collections do; memory is never given twice."""

from __future__ import annotations

from craton.frontends.c.bulk import Bulk
from craton.logic import Term, and_, bvadd, bvand, bvshl, bvsub, bvuge, bvult, eq, not_, or_, select, store
from craton.program.cfa import DEREF, FREE


class Heap(Bulk):
    """malloc and free."""

    def allocate(self, size: Term, *, counted: bool) -> Term:
        """The address of `size` new bytes; `counted` if they must be freed."""
        memory, builder = self.memory, self.builder
        memory.uses_heap = True
        width = memory.pointer_width
        size = builder.save(size)
        if counted:
            self.context.assume("memory allocation does not fail")
        if memory.safety and memory.offset_bits < 32:
            most, largest = 1 << (width - memory.offset_bits), 1 << memory.offset_bits
            self.context.assume(f"fewer than {most} objects are allocated, each smaller than {largest} bytes")
        if memory.safety:
            limit = memory.pointer((1 << memory.offset_bits) - 1)
            if not (size.is_value and size.payload < limit.payload):
                builder.assume(bvult(size, limit))
            builder.assume(bvult(memory.heap, memory.pointer((1 << (width - memory.offset_bits)) - 1)))
            address = builder.save(bvshl(memory.heap, memory.pointer(memory.offset_bits)))
            builder.assign(memory.sizes, store(memory.sizes, memory.heap, bvadd(size, memory.pointer(1))))
            builder.assign(memory.heap, bvadd(memory.heap, memory.pointer(1)))
            if counted:
                builder.assign(memory.live, bvadd(memory.live, memory.pointer(1)))
            return address
        # Addresses stay below half of what the width can express, so that no address wraps around.
        limit = memory.pointer(1 << (width - 2))
        if not (size.is_value and size.payload < limit.payload):
            builder.assume(bvult(size, limit))
        builder.assume(bvult(memory.heap, limit))
        address = builder.save(memory.heap)
        if size.is_value:
            step = memory.pointer((size.payload + 31) // 16 * 16)
        else:
            step = bvand(bvadd(size, memory.pointer(31)), memory.pointer(-16))
        builder.assign(memory.heap, bvadd(address, step))
        return address

    def free(self, address: Term) -> None:
        """Ends an object's life; freeing null does nothing."""
        memory, builder = self.memory, self.builder
        if not memory.safety:
            return
        memory.uses_heap = True
        number = self.object_number(address)
        null = eq(address, memory.pointer(0))
        if self.context.specification.free:
            start = eq(bvand(address, memory.pointer((1 << memory.offset_bits) - 1)), memory.pointer(0))
            alive = not_(eq(select(memory.sizes, number), memory.pointer(0)))
            builder.check(or_(null, and_(start, alive, bvuge(number, self.heap_begin()))), FREE)
        then, after = builder.new(), builder.new()
        builder.fork(null, after, then)
        builder.enter(then)
        builder.assign(memory.sizes, store(memory.sizes, number, memory.pointer(0)))
        builder.assign(memory.live, bvsub(memory.live, memory.pointer(1)))
        builder.go(after)
        builder.enter(after)

    def heap_begin(self) -> Term:
        """The number of the first allocated object; a variable, because it is known only when all code is lowered."""
        from craton.logic import BitVec, var

        term = var("heap begin", BitVec(self.memory.pointer_width))
        self.context.globals[term] = None
        return term

    def at_exit(self) -> None:
        """`exit` is called."""
        raise NotImplementedError

    def check_block(self, address: Term, size: Term) -> None:
        """`size` bytes are accessed; none is fine wherever the address points."""
        if self.context.specification.deref:
            empty = eq(size, self.memory.pointer(0))
            self.builder.check(or_(empty, self.is_valid(address, size)), DEREF)
