"""Many elements at once: filling, copying and comparing memory, as one nested store where the size is a small constant
and as a loop otherwise.
"""

from __future__ import annotations

from craton.frontends.c.lowering.access import Lvalue
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.syntax.types import ArrayType, CType, Record, count_leaves
from craton.logic import Float, Term, bv, bvadd, bvsub, bvult, fp_bits, free_variables, select, store

# Up to so many stores become one term; above, a loop.
UNROLL = 128


class Bulk(Expressions):
    """Operations on stretches of memory."""

    unroll = UNROLL

    def fill(self, target: Lvalue, t: CType, size: Term, byte: int) -> None:
        """`size` bytes of `byte` in elements of type `t`."""
        while isinstance(t, ArrayType):
            t = t.element
        unit = t.size or 1
        leaves_each = max(count_leaves(t), 1)
        if size.is_value and size.payload // unit * leaves_each <= self.unroll:
            arrays: dict[Term, Term] = {}
            for i in range(size.payload // unit):
                part = self.element(target, t, self.memory.pointer(i * unit))
                for leaf in self._leaf_lvalues(part, t):
                    self._collect(arrays, leaf, leaf.type, byte)
            for array, new in arrays.items():
                self.builder.assign(array, new)
            return
        assert target.address is not None
        base = self.builder.save(target.address)
        stable = Lvalue(target.type, None, 0, base, target.place, None, target.base)
        for offset in self.builder.counted(size, unit):
            part = self.element(stable, t, offset)
            arrays = {}
            for leaf in self._leaf_lvalues(part, t):
                self._collect(arrays, leaf, leaf.type, byte)
            for array, new in arrays.items():
                self.builder.assign(array, new)

    def _collect(self, arrays: dict[Term, Term], leaf: Lvalue, t: CType, byte: int) -> None:
        """Adds the stores that set one leaf to a repeated byte."""
        assert leaf.place is not None and leaf.address is not None
        region = self.memory.region(leaf.place)
        new = arrays.get(region.array, region.array)
        pattern = int.from_bytes(bytes([byte & 255]) * max(t.size, 1), "little")
        if isinstance(region.element, Float):
            new = store(new, leaf.address, fp_bits(pattern, region.element))
        elif region.size == t.size:
            new = store(new, leaf.address, bv(pattern, 8 * t.size))
        else:
            for i in range(t.size):
                new = store(new, bvadd(leaf.address, self.memory.pointer(i)), bv(byte, 8))
        arrays[region.array] = new

    def fill_variable(self, target: Lvalue, size: Term, byte: Term) -> None:
        """`size` bytes of a byte that is not constant, in a region of bytes."""
        assert target.address is not None
        base = self.builder.save(target.address)
        byte = self.builder.save(byte)
        for offset in self.builder.counted(size):
            part = Lvalue(self.context.char_type, None, 0, bvadd(base, offset), target.place)
            self.store_memory(part, self.context.char_type, byte)

    def forget_leaves(self, target: Lvalue, t: CType) -> None:
        """Arbitrary values for every leaf at once: those of a fresh array at the same addresses."""
        arrays: dict[Term, Term] = {}
        sources: dict[Term, Term] = {}
        for leaf in self._leaf_lvalues(target, t):
            assert leaf.place is not None and leaf.address is not None
            region = self.memory.region(leaf.place)
            if region.array not in sources:
                sources[region.array] = self.builder.temporary(region.array.sort)
                arrays[region.array] = region.array
            for i in range(0, leaf.type.size, region.size):
                address = bvadd(leaf.address, self.memory.pointer(i))
                value = select(sources[region.array], address)
                arrays[region.array] = store(arrays[region.array], address, value)
        self.builder.havoc(*sources.values())
        for array, new in arrays.items():
            self.builder.assign(array, new)

    def forget_elements(self, target: Lvalue, t: CType) -> None:
        """The same in a loop over the elements of a large array, or of the arrays in a large struct."""
        if isinstance(t, ArrayType) and count_leaves(t) > self.unroll:
            for offset in self.builder.counted(self.memory.pointer(t.size), t.element.size):
                self.forget_elements(self.element(target, t.element, offset), t.element)
        elif isinstance(t, Record) and not t.is_union and count_leaves(t) > self.unroll:
            for member in t.fields:
                if member.bits != 0:
                    part = self.member(target, member)
                    self.forget_elements(part, part.type)
        else:
            self.forget_leaves(target, t)

    def copy_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        """`size` bytes in elements of type `t`, as memmove copies them."""
        unit = t.size
        each = max(count_leaves(t), 1)
        assert target.address is not None and source.address is not None
        to, origin = self.builder.save(target.address), self.builder.save(source.address)
        target = Lvalue(t, None, 0, to, target.place, None, target.base)
        source = Lvalue(t, None, 0, origin, source.place, None, source.base)
        if size.is_value and size.payload // unit * each <= self.unroll:
            # Everything is read from the old arrays, so that overlapping does not matter.
            arrays: dict[Term, Term] = {}
            later: list[tuple[Lvalue, Term]] = []
            pairs: list[tuple[Lvalue, Lvalue]] = []
            for i in range(size.payload // unit):
                offset = self.memory.pointer(i * unit)
                parts = self._leaf_lvalues(self.element(target, t, offset), t)
                pairs.extend(zip(parts, self._leaf_lvalues(self.element(source, t, offset), t), strict=True))
            for part, value in pairs:
                self._collect_copy(arrays, later, part, value)
            if any(
                other is not array and other in free_variables(new) for array, new in arrays.items() for other in arrays
            ):
                arrays.clear()
                later = [(part, self.load_memory(value, value.type)) for part, value in pairs]
            saved = [(part, self.builder.save(term)) for part, term in later]
            for array, new in arrays.items():
                self.builder.assign(array, new)
            for part, term in saved:
                self.store_memory(part, part.type, term)
            return
        for offset in self.builder.counted(size, unit):
            self._copy_one(target, source, t, offset)

    def move_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        """The same where target and source may overlap: backwards if the target lies behind the source."""
        if size.is_value and size.payload // t.size * max(count_leaves(t), 1) <= self.unroll:
            self.copy_elements(target, source, t, size)
            return
        builder = self.builder
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
            self._copy_one(target, source, t, bvsub(bvsub(size, self.memory.pointer(t.size)), offset))
        builder.go(after)
        builder.enter(after)

    def _copy_one(self, target: Lvalue, source: Lvalue, t: CType, offset: Term) -> None:
        part, value = self.element(target, t, offset), self.element(source, t, offset)
        for to, origin in zip(self._leaf_lvalues(part, t), self._leaf_lvalues(value, t), strict=True):
            self.store_memory(to, to.type, self.load_memory(origin, origin.type))

    def _collect_copy(
        self, arrays: dict[Term, Term], later: list[tuple[Lvalue, Term]], part: Lvalue, value: Lvalue
    ) -> None:
        assert part.place is not None and part.address is not None
        assert value.place is not None and value.address is not None
        to, origin = self.memory.region(part.place), self.memory.region(value.place)
        t = part.type
        if to.array.sort is not origin.array.sort or to.size not in (1, t.size):
            later.append((part, self.load_memory(value, value.type)))
            return
        new = arrays.get(to.array, to.array)
        for i in range(0, t.size, to.size):
            step = self.memory.pointer(i)
            new = store(new, bvadd(part.address, step), select(origin.array, bvadd(value.address, step)))
        arrays[to.array] = new

    def byte_at(self, lvalue: Lvalue, offset: Term) -> Term:
        """A byte of a region of bytes or chars."""
        assert lvalue.address is not None
        part = Lvalue(self.context.char_type, None, 0, bvadd(lvalue.address, offset), lvalue.place, None, lvalue.base)
        self.check_access(part, 1)
        return self.load_memory(part, self.context.char_type)

    def set_byte(self, lvalue: Lvalue, offset: Term, value: Term) -> None:
        assert lvalue.address is not None
        part = Lvalue(self.context.char_type, None, 0, bvadd(lvalue.address, offset), lvalue.place, None, lvalue.base)
        self.check_access(part, 1)
        self.store_memory(part, self.context.char_type, value)
