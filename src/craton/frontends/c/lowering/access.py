"""Loading from and storing to variables and memory, whole structs and bit-fields included."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.c.automaton.arithmetic import from_bits, resize
from craton.frontends.c.automaton.lvalue import Lvalue, Plain, Value
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.cells import Cells, to_bits
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.memory.places import find
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Field,
    Floating,
    Integer,
    Record,
    leaves,
    padding,
    unit_type,
)
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import BitVec, Term, bv, bvadd, bvule, concat, eq, extract, ite
from craton.program.cfa import VOLATILE_READ


class Access:
    """Loads and stores, and the parts of what stands in memory."""

    def __init__(self, frame: Frame, cells: Cells, safety: Safety) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._cells = cells
        self._safety = safety

    # --- parts of l-values --------------------------------------------------------------------------------------------

    def member(self, base: Lvalue, member: Field) -> Lvalue:
        t: CType = member.type
        field = None
        if member.bits is not None:
            t, field = unit_type(member.unit_size), member
        if base.plain is not None:
            return Lvalue(t, base.plain, base.offset + member.offset, field=field)
        assert base.address is not None and base.place is not None
        place = self._context.points_to.places.field(base.place, member.record, member.offset, member.name, member.type)
        address = bvadd(base.address, self._memory.pointer(member.offset))
        return replace(base, type=t, address=address, place=place, field=field)

    def element(self, base: Lvalue, element: CType, offset: Term) -> Lvalue:
        """The part of an array in memory that begins `offset` bytes after its start."""
        assert base.address is not None
        return replace(base, type=element, address=bvadd(base.address, offset), field=None)

    # --- loads --------------------------------------------------------------------------------------------------------

    def load(self, lvalue: Lvalue) -> Value:
        value = self._stored(lvalue)
        return self._seen(lvalue, value) if lvalue.volatile else value

    def _seen(self, lvalue: Lvalue, stored: Value) -> Value:
        """What a volatile read gives: anything, as others may have written; the stored value first of all. Tasks of a
        collection have no others.
        """
        numbers = isinstance(lvalue.type, Integer | Floating) and lvalue.field is None and isinstance(stored, Term)
        if self._context.unknown_functions is UnknownFunctions.PURE or not numbers:
            self._context.assume("what is volatile is changed by the program only")
            return stored
        assert isinstance(stored, Term)
        changed, other = self._builder.temporary(BitVec(1)), self._builder.temporary(stored.sort)
        self._builder.havoc(changed, other)
        if isinstance(lvalue.type, Integer) and lvalue.type.boolean:
            self._builder.assume(bvule(other, bv(1, 8)))
        self._context.approximated[VOLATILE_READ] = None
        return self._builder.save(ite(eq(changed, bv(0, 1)), stored, other))

    def _stored(self, lvalue: Lvalue) -> Value:
        t = lvalue.type
        if isinstance(t, Record) and not (t.is_union and lvalue.plain is not None):
            return self._load_record(lvalue, t)
        if isinstance(t, ArrayType):
            assert lvalue.address is not None
            return lvalue.address
        if lvalue.plain is not None:
            term = self._load_plain(lvalue.plain, lvalue.offset, t)
        else:
            self._safety.check_access(lvalue, t.size)
            term = self._cells.load(lvalue, t)
        if lvalue.field is not None:
            return self._bits_of_unit(term, lvalue.field)
        return (term,) if isinstance(t, Record) else term

    def _bits_of_unit(self, unit: Term, field: Field) -> Term:
        """A bit-field's value in its declared type."""
        assert field.bits is not None
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
        raise Unsupported("access to a variable in another layout", self._builder.origin)

    def _load_record(self, lvalue: Lvalue, record: Record) -> tuple[Term, ...]:
        if lvalue.plain is not None:
            return tuple(
                self._load_plain(lvalue.plain, lvalue.offset + leaf.offset, leaf.type) for leaf in leaves(record)
            )
        self._safety.check_access(lvalue, record.size)
        return tuple(self._cells.load(part, part.type) for part in self.leaf_lvalues(lvalue, record))

    def leaf_lvalues(self, lvalue: Lvalue, t: CType) -> list[Lvalue]:
        """The leaves of an object in memory, in the order of `ctype.leaves`, each with its place."""
        if isinstance(t, ArrayType):
            found: list[Lvalue] = []
            for i in range(t.count or 0):
                offset = self._memory.pointer(i * t.element.size)
                found.extend(self.leaf_lvalues(self.element(lvalue, t.element, offset), t.element))
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
                    found.extend(self.leaf_lvalues(part, member.type))
            return found
        return [lvalue]

    def all_lvalues(self, lvalue: Lvalue, t: CType) -> list[Lvalue]:
        """The leaves of an object in memory and what lies between them."""
        return [*self.leaf_lvalues(lvalue, t), *self.padding_lvalues(lvalue, t)]

    def padding_lvalues(self, lvalue: Lvalue, t: CType) -> list[Lvalue]:
        """The bytes of an object in memory that no leaf has, where memory is looked at byte by byte."""
        if lvalue.place is None or not find(lvalue.place).collapsed:
            return []
        char = self._context.char_type
        return [self.element(lvalue, char, self._memory.pointer(offset)) for offset in padding(t)]

    def forget_padding(self, lvalue: Lvalue, t: CType) -> None:
        """What lies between the leaves of an object in memory becomes arbitrary."""
        parts = self.padding_lvalues(lvalue, t)
        for part, byte in zip(parts, self._arbitrary_bytes(len(parts)), strict=True):
            self._cells.store(part, part.type, byte)

    def _arbitrary_bytes(self, count: int) -> list[Term]:
        if not count:
            return []
        unknown = self._builder.temporary(BitVec(8 * count))
        self._builder.havoc(unknown)
        return [extract(8 * i + 7, 8 * i, unknown) for i in range(count)]

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
            self.store_plain(lvalue.plain, lvalue.offset, t, value)
        else:
            self._safety.check_access(lvalue, t.size)
            self._safety.check_write(lvalue)
            self._cells.store(lvalue, t, value)

    def _store_bits(self, lvalue: Lvalue, field: Field, value: Term) -> None:
        """Read the unit, replace the field's bits, write the unit."""
        assert field.bits is not None
        unit = lvalue.type
        if lvalue.plain is not None:
            old = self._load_plain(lvalue.plain, lvalue.offset, unit)
        else:
            self._safety.check_access(lvalue, unit.size)
            self._safety.check_write(lvalue)
            old = self._cells.load(lvalue, unit)
        width = unit.size * 8
        pieces = []
        if field.shift + field.bits < width:
            pieces.append(extract(width - 1, field.shift + field.bits, old))
        pieces.append(extract(field.bits - 1, 0, value))
        if field.shift:
            pieces.append(extract(field.shift - 1, 0, old))
        new = concat(*pieces) if len(pieces) > 1 else pieces[0]
        if lvalue.plain is not None:
            self.store_plain(lvalue.plain, lvalue.offset, unit, new)
        else:
            self._cells.store(lvalue, unit, new)

    def store_plain(self, plain: Plain, offset: int, t: CType, value: Term) -> None:
        """Stores a scalar, or the bytes of a union, in the part of a variable that holds these bytes."""
        for part in plain:
            if part.offset <= offset and offset + t.size <= part.offset + part.type.size:
                if part.offset == offset and part.type.size == t.size and not isinstance(part.type, Record):
                    if isinstance(part.type, Floating) == isinstance(t, Floating):
                        self._builder.assign(part.term, value)
                        return
                bits = value if isinstance(t, Record) else to_bits(self._builder, value, t)
                low = 8 * (offset - part.offset)
                high = low + 8 * t.size
                pieces = []
                if high < 8 * part.type.size:
                    pieces.append(extract(8 * part.type.size - 1, high, part.term))
                pieces.append(bits)
                if low:
                    pieces.append(extract(low - 1, 0, part.term))
                self._builder.assign(part.term, concat(*pieces) if len(pieces) > 1 else pieces[0])
                return
        raise Unsupported("access to a variable in another layout", self._builder.origin)

    def _store_record(self, lvalue: Lvalue, record: Record, values: tuple[Term, ...]) -> None:
        """Stores all leaves. What lies between them is copied by compilers, too, or is not: it may be anything."""
        # Parts of the value may be read from what the first stores change.
        if len(values) > 1:
            values = tuple(self._builder.save(v) if not v.is_variable else v for v in values)
            written = {part.term for part in lvalue.plain or ()}
            if any(v in written for v in values):
                values = tuple(self._builder.save(v) for v in values)
        if lvalue.plain is not None:
            for leaf, value in zip(leaves(record), values, strict=True):
                self.store_plain(lvalue.plain, lvalue.offset + leaf.offset, leaf.type, value)
            self._forget_plain_padding(lvalue.plain, lvalue.offset, record)
            return
        self._safety.check_access(lvalue, record.size)
        self._safety.check_write(lvalue)
        for part, value in zip(self.leaf_lvalues(lvalue, record), values, strict=True):
            self._cells.store(part, part.type, value)
        self.forget_padding(lvalue, record)

    def _forget_plain_padding(self, plain: Plain, start: int, record: Record) -> None:
        """The same of a struct that is a part of a union, which has bytes for what lies between leaves."""
        unions = [part for part in plain if isinstance(part.type, Record)]
        held = [
            offset
            for offset in (padding(record) if unions else ())
            if any(part.offset <= start + offset < part.offset + part.type.size for part in unions)
        ]
        for offset, byte in zip(held, self._arbitrary_bytes(len(held)), strict=True):
            self.store_plain(plain, start + offset, self._context.char_type, byte)
