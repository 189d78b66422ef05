"""Allocation. It is assumed to succeed where it can, as the collections do; memory is never given twice."""

from __future__ import annotations

from collections.abc import Callable

from craton.frontends.c.lowering.allocated import Allocated
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.logic import (
    FALSE,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvor,
    bvsub,
    bvuge,
    bvule,
    bvult,
    bvumulo,
    eq,
    not_,
    or_,
    select,
    store,
)
from craton.program.cfa import FREE, Touched

_LAST_PAGES = 8192  # at the end of the address space


class Heap:
    """Memory that begins to live while the program runs: allocated blocks, and locals with memory of their own."""

    def __init__(self, frame: Frame, safety: Safety, allocated: Allocated) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._safety = safety
        self._allocated = allocated

    def allocate(self, size: Term, *, counted: bool) -> Term:
        """The address of `size` new bytes; `counted` if they must be freed, else they live on the stack."""
        size = self._builder.save(size)
        if counted:
            self._context.assume("memory allocation does not fail")
            self._given()
        if self._memory.safety:
            return self._next_object(size, counted=counted)
        if counted and not (size.is_value and size.payload < self._half):
            return self._unless(bvuge(size, self._memory.pointer(self._half)), lambda: self._next_address(size))
        return self._next_address(size)

    @property
    def _half(self) -> int:
        """Half of what addresses can express: no block is as large, and `malloc` says so."""
        return 1 << (self._memory.pointer_width - 1)

    def _unless(self, fails: Term, allocate: Callable[[], Term]) -> Term:
        """Null where an allocation fails for sure."""
        builder, memory = self._builder, self._memory
        result = builder.temporary(memory.heap.sort)
        null, fine, after = builder.new(), builder.new(), builder.new()
        builder.fork(fails, null, fine)
        builder.enter(null)
        builder.assign(result, memory.pointer(0))
        builder.go(after)
        builder.enter(fine)
        builder.assign(result, allocate())
        builder.go(after)
        builder.enter(after)
        return result

    def allocate_many(self, count: Term, each: Term, fill: Callable[[Term, Term], None]) -> Term:
        """`calloc`: null where the product is no size; `fill` gets the address and the size of the block."""

        def allocate() -> Term:
            size = self._builder.save(bvmul(count, each))
            address = self.allocate(size, counted=True)
            fill(address, size)
            return address

        overflows = bvumulo(count, each)
        if overflows is FALSE:
            return allocate()
        if self._memory.safety:
            self._builder.assume(not_(overflows))  # allocation does not fail
            return allocate()
        return self._unless(overflows, allocate)

    def _next_object(self, size: Term, *, counted: bool) -> Term:
        memory, builder = self._memory, self._builder
        numbers = 1 << (memory.pointer_width - memory.offset_bits)
        when = " at a time" if counted and (memory.remembers or memory.gives_again) else ""
        self._context.assume(
            f"fewer than {numbers // 2} objects are allocated{when}, each smaller than {memory.most} bytes"
        )
        if size.is_value and size.payload >= memory.most:
            builder.unmodelled(f"an allocation of {size.payload} bytes where memory safety is checked")
        elif not size.is_value:
            builder.assume(bvult(size, memory.pointer(memory.most)))
        if counted:
            return self._allocated.give(size)
        memory.uses_stack = True
        return self._safety.next_object(memory.stack, memory.pointer(numbers - 1), size)

    def _next_address(self, size: Term) -> Term:
        memory, builder = self._memory, self._builder
        memory.uses_heap = True
        self._assume_room(size)
        address = builder.save(memory.heap)
        if size.is_value:
            step = memory.pointer((size.payload + 31) // 16 * 16)
        else:
            step = bvand(bvadd(size, memory.pointer(31)), memory.pointer(-16))
        builder.assign(memory.heap, bvadd(address, step))
        if memory.keeps_lengths:
            builder.assign(memory.lengths, store(memory.lengths, address, size))
        return address

    def _assume_room(self, size: Term) -> None:
        """No address wraps around: allocation does not fail, so there is room in the address space."""
        memory, builder = self._memory, self._builder
        if memory.pointer_width == 64:  # sizes are below 2^63
            builder.assume(bvult(memory.heap, memory.pointer(1 << 62)))
            return
        end = (1 << memory.pointer_width) - _LAST_PAGES
        if size.is_value:
            builder.assume(bvult(memory.heap, memory.pointer(max(end - size.payload, 0))))
        else:
            builder.assume(bvult(memory.heap, memory.pointer(end)))
            builder.assume(bvule(size, bvsub(memory.pointer(end), memory.heap)))

    def allocated_size(self, address: Term) -> Term:
        """The size of the block that begins there."""
        memory = self._memory
        if memory.safety:
            return bvsub(select(memory.sizes, self._safety.object_number(address)), memory.pointer(1))
        return select(memory.lengths, address)

    def may_give_again(self) -> None:
        """From now on memory may lie where other memory has lain."""
        if self._memory.some_freed in self._memory.events:
            self._builder.assign(self._memory.some_freed, bv(1, 1))

    def _given(self) -> None:
        """A block that is given now may lie where one has lain that was freed before."""
        memory = self._memory
        if memory.knows_reuse:
            self._builder.assign(memory.given_again, bvor(memory.given_again, memory.some_freed))

    def free(self, address: Term) -> None:
        """Ends an object's life; freeing null does nothing."""
        memory, builder = self._memory, self._builder
        if not memory.safety:
            if memory.keeps_freed:
                builder.assign(memory.freed, store(memory.freed, address, bv(1, 1)))
                self.may_give_again()
            return
        number = self._safety.object_number(address)
        null = eq(address, memory.pointer(0))
        if self._context.specification.free:
            start = eq(bvand(address, memory.pointer((1 << memory.offset_bits) - 1)), memory.pointer(0))
            builder.check(or_(null, and_(start, self._allocated.is_block(address))), FREE, Touched(address))
        then, after = builder.new(), builder.new()
        builder.fork(null, after, then)
        builder.enter(then)
        builder.assign(memory.sizes, store(memory.sizes, number, memory.pointer(0)))
        self._allocated.take(address)
        self.may_give_again()
        builder.go(after)
        builder.enter(after)
