"""Which blocks are allocated, where memory safety is checked. Two ways to know it.

- *Counted*: blocks are numbered and no number is given twice, as long as there are others, so it is enough to know how
  many there are. Addresses are constants in programs without loops, which suits lists and trees.
- *Remembered*, as [CN] Sect. 7 has it: an array says of each address whether a block begins there, and allocation is
  `havoc p; assume ¬valid[p]`. What a loop allocates and frees again leaves no trace in it, so an assertion about one
  round is one about all.

Both are right: which one is used is a question of strength (`remembers`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.memory.layout import Memory
from craton.frontends.c.memory.places import find, is_allocated
from craton.frontends.c.memory.points_to import PointsTo
from craton.logic import Array, Term, and_, bv, bvadd, bvshl, bvsub, bvult, const_array, eq, ite, not_, select, store
from craton.program.specification import Specification
from craton.program.statements import Fresh, Havoc


class Allocated(Protocol):
    """The blocks that `malloc` gave and nobody freed."""

    def give(self, size: Term) -> Term:
        """The address of a block of that size, which is allocated from now on."""
        ...

    def take(self, address: Term) -> None:
        """The block that begins there is allocated no more."""
        ...

    def is_block(self, pointer: Term) -> Term:
        """Whether a pointer, if it points to the beginning of an object, points to such a block."""
        ...

    def are_those_of(self, pointers: Iterable[Term]) -> Term:
        """Whether there are no other blocks than those that the pointers point into."""
        ...


def allocated(frame: Frame, safety: Safety) -> Allocated:
    return Remembered(frame, safety) if frame.memory.remembers else Counted(frame, safety)


def remembers(specification: Specification, points_to: PointsTo) -> bool:
    """Whether blocks are remembered by their addresses: where only leaks are looked for, and no pointer to allocated
    memory is held in memory. Of lists and trees more can be proved when addresses are constants.
    """
    if specification.deref or specification.free or not (specification.memtrack or specification.memcleanup):
        return False
    held = (place.pointee for place in points_to.occupied())
    return not any(is_allocated(find(pointee)) for pointee in held if pointee is not None)


class Counted:
    """How many blocks there are."""

    def __init__(self, frame: Frame, safety: Safety) -> None:
        self._builder = frame.builder
        self._memory = frame.memory
        self._safety = safety

    def give(self, size: Term) -> Term:
        memory, builder = self._memory, self._builder
        memory.uses_heap = True
        if memory.gives_again:
            address = self._next_or_again(size)
        else:
            address = self._safety.next_object(memory.heap, memory.stack_begin, size)
        builder.assign(memory.live, bvadd(memory.live, memory.pointer(1)))
        return address

    def _next_or_again(self, size: Term) -> Term:
        """The next number, or any that belongs to no block, if all have been given: what a loop allocates and frees may
        be more than there are numbers. As many blocks as that at the same time are not considered.
        """
        memory, builder = self._memory, self._builder
        address = builder.temporary(memory.heap.sort)
        next_one, again, given = builder.new(), builder.new(), builder.new()
        builder.fork(bvult(memory.heap, memory.stack_begin), next_one, again)
        builder.enter(next_one)
        builder.assign(address, self._safety.next_object(memory.heap, memory.stack_begin, size))
        builder.go(given)
        builder.enter(again)
        number = _any_address(address, memory, builder, self._safety)
        builder.assume(eq(select(memory.sizes, number), memory.pointer(0)))
        self._safety.begin_object(number, size)
        builder.meet(given)
        return address

    def take(self, address: Term) -> None:
        self._memory.uses_heap = True
        self._builder.assign(self._memory.live, bvsub(self._memory.live, self._memory.pointer(1)))

    def is_block(self, pointer: Term) -> Term:
        number = self._safety.object_number(pointer)
        alive = not_(eq(select(self._memory.sizes, number), self._memory.pointer(0)))
        return and_(self._safety.is_heap_number(number), alive)

    def are_those_of(self, pointers: Iterable[Term]) -> Term:
        """As many as there are different ones among those that the pointers point into."""
        memory = self._memory
        total = memory.pointer(0)
        counted: list[tuple[Term, Term]] = []  # a block's number, and whether it is one
        for pointer in pointers:
            number, is_block = self._safety.object_number(pointer), self.is_block(pointer)
            new = and_(is_block, *(not_(and_(known, eq(number, other))) for other, known in counted))
            total = bvadd(total, ite(new, memory.pointer(1), memory.pointer(0)))
            counted.append((number, is_block))
        return eq(memory.live, total)


class Remembered:
    """Where blocks begin."""

    def __init__(self, frame: Frame, safety: Safety) -> None:
        self._builder = frame.builder
        self._memory = frame.memory
        self._safety = safety

    def give(self, size: Term) -> Term:
        """Any address where no block begins. It may be that of a block that was freed; a run that takes another one
        sees what a stale pointer is used for.
        """
        memory, builder = self._memory, self._builder
        address = builder.temporary(memory.heap.sort)
        number = _any_address(address, memory, builder, self._safety)
        builder.assume(eq(select(memory.blocks, address), bv(0, 1)))
        builder.assign(memory.blocks, store(memory.blocks, address, bv(1, 1)))
        self._safety.begin_object(number, size)
        return address

    def take(self, address: Term) -> None:
        self._builder.assign(self._memory.blocks, store(self._memory.blocks, address, bv(0, 1)))

    def is_block(self, pointer: Term) -> Term:
        return eq(select(self._memory.blocks, self._safety.start_of(pointer)), bv(1, 1))

    def are_those_of(self, pointers: Iterable[Term]) -> Term:
        expected = no_blocks(self._memory)
        for pointer in pointers:
            start = self._safety.start_of(pointer)
            expected = store(expected, start, ite(self.is_block(pointer), bv(1, 1), select(expected, start)))
        return eq(self._memory.blocks, expected)


def _any_address(address: Term, memory: Memory, builder: Builder, safety: Safety) -> Term:
    """Lets the variable hold an address at which a block may begin; the block's number."""
    first = bvshl(memory.heap_begin, memory.pointer(memory.offset_bits))
    builder.emit(Havoc((address,), Fresh(first, 1 << memory.offset_bits)))
    number = safety.object_number(address)
    builder.assume(safety.is_heap_number(number))
    builder.assume(eq(safety.start_of(address), address))
    return number


def no_blocks(memory: Memory) -> Term:
    """What the array of blocks is where there are none."""
    sort = memory.blocks.sort
    assert isinstance(sort, Array)
    return const_array(sort, bv(0, 1))
