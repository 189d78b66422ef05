"""Many elements at once: filling, copying and forgetting memory, as one nested store where the size is a small constant
and as a loop otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.cells import Cells
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.syntax.types import ArrayType, CType, Record, count_leaves
from craton.logic import Float, Term, and_, bv, bvadd, bvsub, bvult, eq, fp_bits, free_variables, or_, select, store

Parts = Callable[[Lvalue, CType], list[Lvalue]]


def _element(t: CType) -> CType:
    while isinstance(t, ArrayType):
        t = t.element
    return t


class Bulk:
    """Operations on stretches of memory."""

    def __init__(self, frame: Frame, cells: Cells, safety: Safety, access: Access) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._cells = cells
        self._safety = safety
        self._access = access

    def fill(self, target: Lvalue, t: CType, size: Term, byte: int) -> None:
        """`size` bytes of `byte`, in elements of type `t`."""
        for part, offsets in self._elements(target, t, size):
            self._fill_at(part, _element(t), offsets, byte, self._access.all_lvalues)

    def clear(self, target: Lvalue, t: CType, size: Term) -> None:
        """Elements of type `t` that are zero. What lies between their leaves is arbitrary."""
        for part, offsets in self._elements(target, t, size):
            self._fill_at(part, _element(t), offsets, 0, self._access.leaf_lvalues)
            for offset in offsets:
                self._access.forget_padding(self._access.element(part, _element(t), offset), _element(t))

    def _elements(self, target: Lvalue, t: CType, size: Term) -> Iterator[tuple[Lvalue, list[Term]]]:
        """Where elements lie: all of them at once if they are few, otherwise one by one, in the body of a loop."""
        t = _element(t)
        unit = t.size or 1
        leaves_each = max(count_leaves(t), 1)
        if size.is_value and size.payload // unit * leaves_each <= self._cells.unroll:
            yield target, [self._memory.pointer(i * unit) for i in range(size.payload // unit)]
            return
        assert target.address is not None
        base = self._builder.save(target.address)
        stable = Lvalue(target.type, None, 0, base, target.place, None, target.base)
        for offset in self._builder.counted(size, unit):
            yield stable, [offset]

    def _fill_at(self, target: Lvalue, t: CType, offsets: list[Term], byte: int, parts: Parts) -> None:
        """Parts of elements at some offsets, with one assignment for each array."""
        arrays: dict[Term, Term] = {}
        for offset in offsets:
            for part in parts(self._access.element(target, t, offset), t):
                self._collect(arrays, part, part.type, byte)
        for array, new in arrays.items():
            self._builder.assign(array, new)

    def _collect(self, arrays: dict[Term, Term], leaf: Lvalue, t: CType, byte: int) -> None:
        """Adds the stores that set one leaf to a repeated byte."""
        assert leaf.place is not None and leaf.address is not None
        region = self._memory.region(leaf.place)
        new = arrays.get(region.array, region.array)
        pattern = int.from_bytes(bytes([byte & 255]) * max(t.size, 1), "little")
        if isinstance(region.element, Float):
            new = store(new, leaf.address, fp_bits(pattern, region.element))
        elif region.size == t.size:
            new = store(new, leaf.address, bv(pattern, 8 * t.size))
        else:
            for i in range(t.size):
                new = store(new, bvadd(leaf.address, self._memory.pointer(i)), bv(byte, 8))
        arrays[region.array] = new

    def fill_variable(self, target: Lvalue, size: Term, byte: Term) -> None:
        """`size` bytes of a byte that is not constant, in a region of bytes."""
        assert target.address is not None
        base = self._builder.save(target.address)
        byte = self._builder.save(byte)
        for offset in self._builder.counted(size):
            part = Lvalue(self._context.char_type, None, 0, bvadd(base, offset), target.place)
            self._cells.store(part, self._context.char_type, byte)

    def forget_leaves(self, target: Lvalue, t: CType) -> None:
        """Arbitrary values for every leaf at once: those of a fresh array at the same addresses."""
        arrays: dict[Term, Term] = {}
        sources: dict[Term, Term] = {}
        for leaf in self._access.all_lvalues(target, t):
            assert leaf.place is not None and leaf.address is not None
            region = self._memory.region(leaf.place)
            if region.array not in sources:
                sources[region.array] = self._builder.temporary(region.array.sort)
                arrays[region.array] = region.array
            for i in range(0, leaf.type.size, region.size):
                address = bvadd(leaf.address, self._memory.pointer(i))
                value = select(sources[region.array], address)
                arrays[region.array] = store(arrays[region.array], address, value)
        self._builder.havoc(*sources.values())
        for array, new in arrays.items():
            self._builder.assign(array, new)

    def forget_elements(self, target: Lvalue, t: CType) -> None:
        """The same in a loop over the elements of a large array, or of the arrays in a large struct."""
        if isinstance(t, ArrayType) and count_leaves(t) > self._cells.unroll:
            for offset in self._builder.counted(self._memory.pointer(t.size), t.element.size):
                self.forget_elements(self._access.element(target, t.element, offset), t.element)
        elif isinstance(t, Record) and not t.is_union and count_leaves(t) > self._cells.unroll:
            for member in t.fields:
                if member.bits != 0:
                    part = self._access.member(target, member)
                    self.forget_elements(part, part.type)
        else:
            self.forget_leaves(target, t)

    def copy_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        """`size` bytes in elements of type `t`, as memmove copies them."""
        unit = t.size
        each = max(count_leaves(t), 1)
        assert target.address is not None and source.address is not None
        to, origin = self._builder.save(target.address), self._builder.save(source.address)
        target = Lvalue(t, None, 0, to, target.place, None, target.base)
        source = Lvalue(t, None, 0, origin, source.place, None, source.base)
        if size.is_value and size.payload // unit * each <= self._cells.unroll:
            self._copy_at_once(target, source, t, size.payload // unit)
            return
        for offset in self._builder.counted(size, unit):
            self._copy_one(target, source, t, offset)

    def _copy_at_once(self, target: Lvalue, source: Lvalue, t: CType, count: int) -> None:
        """Everything is read from the old arrays, so that overlapping does not matter."""
        arrays: dict[Term, Term] = {}
        later: list[tuple[Lvalue, Term]] = []
        pairs: list[tuple[Lvalue, Lvalue]] = []
        for i in range(count):
            pairs.extend(self._pairs(target, source, t, self._memory.pointer(i * t.size)))
        for part, value in pairs:
            self._collect_copy(arrays, later, part, value)
        if any(
            other is not array and other in free_variables(new) for array, new in arrays.items() for other in arrays
        ):
            arrays.clear()
            later = [(part, self._cells.load(value, value.type)) for part, value in pairs]
        saved = [(part, self._builder.save(term)) for part, term in later]
        for array, new in arrays.items():
            self._builder.assign(array, new)
        for part, term in saved:
            self._cells.store(part, part.type, term)
        for i in range(count):
            self._forget_padding(target, source, t, self._memory.pointer(i * t.size))

    def _forget_padding(self, target: Lvalue, source: Lvalue, t: CType, offset: Term) -> None:
        """Of an element that was copied from where nobody looks at bytes, what lies between leaves is arbitrary."""
        if not self._access.padding_lvalues(source, t):
            self._access.forget_padding(self._access.element(target, t, offset), t)

    def _pairs(self, target: Lvalue, source: Lvalue, t: CType, offset: Term) -> Iterator[tuple[Lvalue, Lvalue]]:
        """The leaves of one element, and where they are copied from; and what lies between them, if both have it."""
        part, value = self._access.element(target, t, offset), self._access.element(source, t, offset)
        yield from zip(self._access.leaf_lvalues(part, t), self._access.leaf_lvalues(value, t), strict=True)
        yield from zip(self._access.padding_lvalues(part, t), self._access.padding_lvalues(value, t), strict=False)

    def move_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        """The same where target and source may overlap: backwards if the target lies behind the source."""
        if size.is_value and size.payload // t.size * max(count_leaves(t), 1) <= self._cells.unroll:
            self.copy_elements(target, source, t, size)
            return
        builder = self._builder
        assert target.address is not None and source.address is not None
        to, origin = builder.save(target.address), builder.save(source.address)
        target = Lvalue(t, None, 0, to, target.place, None, target.base)
        source = Lvalue(t, None, 0, origin, source.place, None, source.base)
        size = builder.save(size)
        back, forth, after = builder.new(), builder.new(), builder.new()
        builder.fork(bvult(origin, to), back, forth)
        builder.enter(forth)
        for offset in builder.counted(size, t.size):
            self._copy_one(target, source, t, offset)
        builder.go(after)
        builder.enter(back)
        for offset in builder.counted(size, t.size):
            self._copy_one(target, source, t, bvsub(bvsub(size, self._memory.pointer(t.size)), offset))
        builder.go(after)
        builder.enter(after)

    def _copy_one(self, target: Lvalue, source: Lvalue, t: CType, offset: Term) -> None:
        for to, origin in self._pairs(target, source, t, offset):
            self._cells.store(to, to.type, self._cells.load(origin, origin.type))
        self._forget_padding(target, source, t, offset)

    def _collect_copy(
        self, arrays: dict[Term, Term], later: list[tuple[Lvalue, Term]], part: Lvalue, value: Lvalue
    ) -> None:
        assert part.place is not None and part.address is not None
        assert value.place is not None and value.address is not None
        to, origin = self._memory.region(part.place), self._memory.region(value.place)
        t = part.type
        if to.array.sort is not origin.array.sort or to.size not in (1, t.size):
            later.append((part, self._cells.load(value, value.type)))
            return
        new = arrays.get(to.array, to.array)
        for i in range(0, t.size, to.size):
            step = self._memory.pointer(i)
            new = store(new, bvadd(part.address, step), select(origin.array, bvadd(value.address, step)))
        arrays[to.array] = new

    def byte_at(self, lvalue: Lvalue, offset: Term) -> Term:
        """A byte of a region of bytes or chars."""
        assert lvalue.address is not None
        part = Lvalue(self._context.char_type, None, 0, bvadd(lvalue.address, offset), lvalue.place, None, lvalue.base)
        self._safety.check_access(part, 1)
        return self._cells.load(part, self._context.char_type)

    def ends_within(self, text: Lvalue, count: int) -> Term:
        """Whether a text ends within so many readable bytes, without a loop."""
        assert text.address is not None
        ways = []
        for offset in range(count):
            at = bvadd(text.address, self._memory.pointer(offset))
            part = Lvalue(self._context.char_type, None, 0, at, text.place, None, text.base)
            readable = self._safety.is_valid(text.address, self._memory.pointer(offset + 1))
            ways.append(and_(readable, eq(self._cells.load(part, self._context.char_type), bv(0, 8))))
        return or_(*ways)

    def set_byte(self, lvalue: Lvalue, offset: Term, value: Term) -> None:
        assert lvalue.address is not None
        part = Lvalue(self._context.char_type, None, 0, bvadd(lvalue.address, offset), lvalue.place, None, lvalue.base)
        self._safety.check_access(part, 1)
        self._safety.check_write(part)
        self._cells.store(part, self._context.char_type, value)
