"""L-values: loading from and storing to variables and memory."""

from __future__ import annotations

from dataclasses import dataclass

from craton.frontends.c.automaton.arithmetic import from_bits, memory_bits, resize
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context, Plain
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.memory.layout import Object
from craton.frontends.c.memory.places import Place
from craton.frontends.c.syntax.nodes import Function, Node
from craton.frontends.c.syntax.types import ArrayType, CType, Field, Floating, Integer, Record, leaves, unit_type
from craton.logic import (
    BitVec,
    Float,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvlshr,
    bvsub,
    bvule,
    bvult,
    concat,
    eq,
    extract,
    fp_from_bits,
    select,
    store,
)
from craton.program.cfa import DEREF
from craton.program.origin import SourceRange
from craton.program.statements import BitsOf, Havoc

Value = Term | tuple[Term, ...]  # a scalar, or the leaves of a struct


@dataclass(frozen=True, slots=True)
class Lvalue:
    """Where a value of type `type` stands: inside plain variables, or in memory. `field` is set for a bit-field, whose
    unit of storage `type` then is.
    """

    type: CType
    plain: Plain | None = None
    offset: int = 0
    address: Term | None = None
    place: Place | None = None
    field: Field | None = None
    base: Object | None = None  # the object it is inside of, if no pointer was followed


class Access:
    """Loads and stores of the function being lowered."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        self.context = context
        self.function = function
        self.builder = builder
        self.memory = context.memory

    def range(self, node: Node) -> SourceRange | None:
        if node.range is None:
            return None
        return self.context.program.units[self.function.unit].source_range(node.range)

    def unsupported(self, construct: str, node: Node) -> Unsupported:
        return Unsupported(construct, self.range(node) or self.builder.origin)

    # --- parts of l-values --------------------------------------------------------------------------------------------

    def member(self, base: Lvalue, member: Field) -> Lvalue:
        t: CType = member.type
        field = None
        if member.bits is not None:
            t, field = unit_type(member.unit_size), member
        if base.plain is not None:
            return Lvalue(t, base.plain, base.offset + member.offset, field=field)
        assert base.address is not None and base.place is not None
        place = self.context.points_to.places.field(base.place, member.record, member.offset, member.name, member.type)
        address = bvadd(base.address, self.memory.pointer(member.offset))
        return Lvalue(t, None, 0, address, place, field, base.base)

    def element(self, base: Lvalue, element: CType, offset: Term) -> Lvalue:
        """The part of an array in memory that begins `offset` bytes after its start."""
        assert base.address is not None
        return Lvalue(element, None, 0, bvadd(base.address, offset), base.place, None, base.base)

    # --- loads --------------------------------------------------------------------------------------------------------

    def load(self, lvalue: Lvalue) -> Value:
        t = lvalue.type
        if isinstance(t, Record) and not (t.is_union and lvalue.plain is not None):
            return self._load_record(lvalue, t)
        if isinstance(t, ArrayType):
            assert lvalue.address is not None
            return lvalue.address
        if lvalue.plain is not None:
            term = self._load_plain(lvalue.plain, lvalue.offset, t)
        else:
            self.check_access(lvalue, t.size)
            term = self.load_memory(lvalue, t)
        if lvalue.field is not None:
            return self._bits_of_unit(term, lvalue.field)
        return (term,) if isinstance(t, Record) else term

    def _bits_of_unit(self, unit: Term, field: Field) -> Term:
        """A bit-field's value in its declared type."""
        assert field.bits is not None
        if self.context.int_type.width < field.bits < 8 * field.type.size:  # C leaves their type open
            self.context.assume("bit-fields wider than int have their declared type in expressions, as clang has it")
        bits = extract(field.shift + field.bits - 1, field.shift, unit)
        signed = isinstance(field.type, Integer) and field.type.signed
        return resize(bits, field.type.size * 8, signed=signed)

    def _load_plain(self, plain: Plain, offset: int, t: CType) -> Term:
        for part in plain:
            if part.offset <= offset and offset + t.size <= part.offset + part.type.size:
                if part.offset == offset and part.type.size == t.size and not isinstance(part.type, Record):
                    if isinstance(part.type, Floating) == isinstance(t, Floating):
                        return part.term
                low = 8 * (offset - part.offset)
                bits = extract(low + 8 * t.size - 1, low, part.term)
                return bits if isinstance(t, Record) else from_bits(bits, t)
        raise Unsupported("access to a variable in another layout", self.builder.origin)

    def _load_record(self, lvalue: Lvalue, record: Record) -> tuple[Term, ...]:
        if lvalue.plain is not None:
            return tuple(
                self._load_plain(lvalue.plain, lvalue.offset + leaf.offset, leaf.type) for leaf in leaves(record)
            )
        self.check_access(lvalue, record.size)
        return tuple(self.load_memory(part, part.type) for part in self._leaf_lvalues(lvalue, record))

    def _leaf_lvalues(self, lvalue: Lvalue, t: CType) -> list[Lvalue]:
        """The leaves of an object in memory, in the order of `ctype.leaves`, each with its place."""
        if isinstance(t, ArrayType):
            found: list[Lvalue] = []
            for i in range(t.count or 0):
                offset = self.memory.pointer(i * t.element.size)
                found.extend(self._leaf_lvalues(self.element(lvalue, t.element, offset), t.element))
            return found
        if isinstance(t, Record) and not t.is_union:
            found = []
            units: set[int] = set()
            for member in t.fields:
                if member.bits is not None:
                    if member.bits and member.unit_offset not in units:
                        units.add(member.unit_offset)
                        found.append(self.member(lvalue, member))
                else:
                    part = self.member(lvalue, member)
                    found.extend(self._leaf_lvalues(part, member.type))
            return found
        return [lvalue]

    def load_memory(self, lvalue: Lvalue, t: CType) -> Term:
        """A scalar, or the bytes of a union, from memory."""
        assert lvalue.address is not None and lvalue.place is not None
        region = self.memory.region(lvalue.place)
        address = lvalue.address
        if isinstance(region.element, Float):
            return select(region.array, address)
        if region.size == t.size:
            bits = select(region.array, address)
        else:
            assert region.size == 1, (region, t)
            parts = [select(region.array, bvadd(address, self.memory.pointer(i))) for i in reversed(range(t.size))]
            bits = concat(*parts) if len(parts) > 1 else parts[0]
        return bits if isinstance(t, Record) else from_bits(bits, t)

    # --- stores -------------------------------------------------------------------------------------------------------

    def store(self, lvalue: Lvalue, value: Value) -> None:
        t = lvalue.type
        if isinstance(t, Record) and not (t.is_union and lvalue.plain is not None):
            assert isinstance(value, tuple)
            self._store_record(lvalue, t, value)
            return
        if isinstance(value, tuple):
            assert len(value) == 1
            value = value[0]
        if lvalue.field is not None:
            self._store_bits(lvalue, lvalue.field, value)
        elif lvalue.plain is not None:
            self._store_plain(lvalue.plain, lvalue.offset, t, value)
        else:
            self.check_access(lvalue, t.size)
            self.store_memory(lvalue, t, value)

    def _store_bits(self, lvalue: Lvalue, field: Field, value: Term) -> None:
        """Read the unit, replace the field's bits, write the unit."""
        assert field.bits is not None
        unit = lvalue.type
        if lvalue.plain is not None:
            old = self._load_plain(lvalue.plain, lvalue.offset, unit)
        else:
            self.check_access(lvalue, unit.size)
            old = self.load_memory(lvalue, unit)
        width = unit.size * 8
        pieces = []
        if field.shift + field.bits < width:
            pieces.append(extract(width - 1, field.shift + field.bits, old))
        pieces.append(extract(field.bits - 1, 0, value))
        if field.shift:
            pieces.append(extract(field.shift - 1, 0, old))
        new = concat(*pieces) if len(pieces) > 1 else pieces[0]
        if lvalue.plain is not None:
            self._store_plain(lvalue.plain, lvalue.offset, unit, new)
        else:
            self.store_memory(lvalue, unit, new)

    def _store_plain(self, plain: Plain, offset: int, t: CType, value: Term) -> None:
        for part in plain:
            if part.offset <= offset and offset + t.size <= part.offset + part.type.size:
                if part.offset == offset and part.type.size == t.size and not isinstance(part.type, Record):
                    if isinstance(part.type, Floating) == isinstance(t, Floating):
                        self.builder.assign(part.term, value)
                        return
                bits = value if isinstance(t, Record) else self.to_bits(value, t)
                low = 8 * (offset - part.offset)
                high = low + 8 * t.size
                pieces = []
                if high < 8 * part.type.size:
                    pieces.append(extract(8 * part.type.size - 1, high, part.term))
                pieces.append(bits)
                if low:
                    pieces.append(extract(low - 1, 0, part.term))
                self.builder.assign(part.term, concat(*pieces) if len(pieces) > 1 else pieces[0])
                return
        raise Unsupported("access to a variable in another layout", self.builder.origin)

    def _store_record(self, lvalue: Lvalue, record: Record, values: tuple[Term, ...]) -> None:
        # Parts of the value may be read from what the first stores change.
        if len(values) > 1:
            values = tuple(self.builder.save(v) if not v.is_variable else v for v in values)
            written = {part.term for part in lvalue.plain or ()}
            if any(v in written for v in values):
                values = tuple(self.builder.save(v) for v in values)
        if lvalue.plain is not None:
            for leaf, value in zip(leaves(record), values, strict=True):
                self._store_plain(lvalue.plain, lvalue.offset + leaf.offset, leaf.type, value)
            return
        self.check_access(lvalue, record.size)
        for part, value in zip(self._leaf_lvalues(lvalue, record), values, strict=True):
            self.store_memory(part, part.type, value)

    def store_memory(self, lvalue: Lvalue, t: CType, value: Term) -> None:
        assert lvalue.address is not None and lvalue.place is not None
        region = self.memory.region(lvalue.place)
        address = lvalue.address
        array = region.array
        if isinstance(region.element, Float):
            self.builder.assign(array, store(array, address, value))
            return
        bits = value if isinstance(t, Record) else self.to_bits(value, t)
        if region.size == t.size:
            self.builder.assign(array, store(array, address, bits))
            return
        assert region.size == 1, (region, t)
        new = array
        for i in range(t.size):
            new = store(new, bvadd(address, self.memory.pointer(i)), extract(8 * i + 7, 8 * i, bits))
        self.builder.assign(array, new)

    def to_bits(self, value: Term, t: CType) -> Term:
        """The representation of a scalar. A float's is a fresh variable with `to_fp(bits) = value`."""
        if not isinstance(t, Floating):
            return value
        if value.is_value:
            return memory_bits(bv(value.payload, t.sort.width), t.sort, t.size)
        known = _pattern(value)
        if known is not None:
            return memory_bits(known, t.sort, t.size)
        value = self.builder.save(value)
        pattern = self.builder.temporary(BitVec(t.sort.width))
        self.builder.emit(Havoc((pattern,), BitsOf(value)))
        self.builder.assume(eq(fp_from_bits(t.sort, pattern), value))
        return memory_bits(pattern, t.sort, t.size)

    # --- memory safety ------------------------------------------------------------------------------------------------

    def check_access(self, lvalue: Lvalue, size: int) -> None:
        if self.context.specification.deref and lvalue.address is not None and size:
            if lvalue.base is not None:
                base = lvalue.base
                offset = bvsub(lvalue.address, base.address)
                if base.size >= size:
                    self.builder.check(bvule(offset, self.memory.pointer(base.size - size)), DEREF)
                else:
                    self.builder.check(self.is_valid(lvalue.address, self.memory.pointer(size)), DEREF)
            else:
                self.builder.check(self.is_valid(lvalue.address, self.memory.pointer(size)), DEREF)

    def is_valid(self, address: Term, size: Term) -> Term:
        """Whether `size` bytes from `address` on lie inside one allocated object."""
        memory = self.memory
        offset = bvand(address, memory.pointer((1 << memory.offset_bits) - 1))
        limit = select(memory.sizes, self.object_number(address))
        bound = memory.pointer(1 << memory.offset_bits)
        fits = bvult(bvadd(offset, size), limit)
        return fits if size.is_value else and_(bvule(size, bound), fits)

    def object_number(self, address: Term) -> Term:
        return bvlshr(address, self.memory.pointer(self.memory.offset_bits))


def _pattern(value: Term) -> Term | None:
    """The bits a float was made from, where one can see them (NaNs would lose their payload otherwise)."""
    from craton.logic import ops

    if value.op is ops.FP_FROM_BITS:
        return value.args[0]
    return None
