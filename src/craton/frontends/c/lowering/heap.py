"""Allocation. It is assumed to succeed, as the collections do; memory is never given twice."""

from __future__ import annotations

from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.logic import Term, and_, bvadd, bvand, bvshl, bvsub, bvult, eq, not_, or_, select, store
from craton.program.cfa import FREE


class Heap:
    """Memory that begins to live while the program runs: allocated blocks, and locals with memory of their own."""

    def __init__(self, frame: Frame, safety: Safety) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._safety = safety

    def allocate(self, size: Term, *, counted: bool) -> Term:
        """The address of `size` new bytes; `counted` if they must be freed, else they live on the stack."""
        size = self._builder.save(size)
        if counted:
            self._context.assume("memory allocation does not fail")
        if self._memory.safety:
            return self._next_object(size, counted=counted)
        return self._next_address(size)

    def _next_object(self, size: Term, *, counted: bool) -> Term:
        memory, builder = self._memory, self._builder
        numbers = 1 << (memory.pointer_width - memory.offset_bits)
        if memory.offset_bits < 32:
            most, largest = numbers // 2, 1 << memory.offset_bits
            self._context.assume(f"fewer than {most} objects are allocated, each smaller than {largest} bytes")
        limit = memory.pointer((1 << memory.offset_bits) - 1)
        if not (size.is_value and size.payload < limit.payload):
            builder.assume(bvult(size, limit))
        if counted:
            memory.uses_heap = True
            number, end = memory.heap, memory.stack_begin
        else:
            memory.uses_stack = True
            number, end = memory.stack, memory.pointer(numbers - 1)
        builder.assume(bvult(number, end))
        address = builder.save(bvshl(number, memory.pointer(memory.offset_bits)))
        builder.assign(memory.sizes, store(memory.sizes, number, bvadd(size, memory.pointer(1))))
        builder.assign(number, bvadd(number, memory.pointer(1)))
        if counted:
            builder.assign(memory.live, bvadd(memory.live, memory.pointer(1)))
        return address

    def _next_address(self, size: Term) -> Term:
        memory, builder = self._memory, self._builder
        memory.uses_heap = True
        # Addresses stay below half of what the width can express, so that no address wraps around.
        limit = memory.pointer(1 << (memory.pointer_width - 2))
        if not (size.is_value and size.payload < limit.payload):
            builder.assume(bvult(size, limit))
        builder.assume(bvult(memory.heap, limit))
        address = builder.save(memory.heap)
        if size.is_value:
            step = memory.pointer((size.payload + 31) // 16 * 16)
        else:
            step = bvand(bvadd(size, memory.pointer(31)), memory.pointer(-16))
        builder.assign(memory.heap, bvadd(address, step))
        if memory.keeps_lengths:
            builder.assign(memory.lengths, store(memory.lengths, address, size))
        return address

    def allocated_size(self, address: Term) -> Term:
        """The size of the block that begins there."""
        memory = self._memory
        if memory.safety:
            return bvsub(select(memory.sizes, self._safety.object_number(address)), memory.pointer(1))
        return select(memory.lengths, address)

    def free(self, address: Term) -> None:
        """Ends an object's life; freeing null does nothing."""
        memory, builder = self._memory, self._builder
        if not memory.safety:
            return
        memory.uses_heap = True
        number = self._safety.object_number(address)
        null = eq(address, memory.pointer(0))
        if self._context.specification.free:
            start = eq(bvand(address, memory.pointer((1 << memory.offset_bits) - 1)), memory.pointer(0))
            alive = not_(eq(select(memory.sizes, number), memory.pointer(0)))
            builder.check(or_(null, and_(start, alive, self._safety.is_heap_number(number))), FREE)
        then, after = builder.new(), builder.new()
        builder.fork(null, after, then)
        builder.enter(then)
        builder.assign(memory.sizes, store(memory.sizes, number, memory.pointer(0)))
        builder.assign(memory.live, bvsub(memory.live, memory.pointer(1)))
        builder.go(after)
        builder.enter(after)
