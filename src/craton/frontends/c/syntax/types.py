"""C types with their layout, as clang computes it for the target.

Types are compared by identity: the reader makes one object per type of a translation unit. Qualifiers are dropped,
enumerations are their underlying integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from craton.logic import FLOAT16, FLOAT32, FLOAT64, FLOAT128, BitVec, Float, Sort

# x87 extended precision as an IEEE format: its explicit integer bit is the hidden bit of Float(15, 64).
X87 = Float(15, 64)


class CType:
    """Base of all types."""

    __slots__ = ()
    size: int  # in bytes; 0 where C has none
    align: int


@dataclass(eq=False, slots=True)
class Void(CType):
    size: int = 1  # GNU: arithmetic on void* counts bytes
    align: int = 1

    def __str__(self) -> str:
        return "void"


@dataclass(eq=False, slots=True)
class Integer(CType):
    size: int
    align: int
    signed: bool
    name: str
    boolean: bool = False
    rank: int = 0
    constants: tuple[tuple[int, str], ...] = ()  # of an enumeration, with their names

    @property
    def width(self) -> int:
        return self.size * 8

    def __str__(self) -> str:
        return self.name


@dataclass(eq=False, slots=True)
class Floating(CType):
    size: int
    align: int
    name: str
    sort: Float

    def __str__(self) -> str:
        return self.name


@dataclass(eq=False, slots=True)
class Pointer(CType):
    size: int
    align: int
    target: CType

    def __str__(self) -> str:
        return f"{self.target} *"


@dataclass(eq=False, slots=True)
class ArrayType(CType):
    """`count` is None for a flexible or incomplete array, and for one of variable length."""

    element: CType
    count: int | None
    variable: bool = False  # its length is computed when the declaration is reached

    @property
    def size(self) -> int:  # type: ignore[override]
        return self.element.size * (self.count or 0)

    @property
    def align(self) -> int:  # type: ignore[override]
        return self.element.align

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.count is None else self.count}]"


def has_variable_length(t: CType) -> bool:
    """Whether it is an array whose length is computed when its declaration is reached, or one of those."""
    while isinstance(t, ArrayType):
        if t.variable:
            return True
        t = t.element
    return False


@dataclass(eq=False, slots=True)
class Field:
    """A member. `offset` is that of its first byte; a bit-field also has the position of its bits in `unit`."""

    name: str
    type: CType
    bit_offset: int
    bits: int | None
    record: Record
    index: int
    unit_offset: int = 0  # the bytes that hold this and neighbouring bit-fields
    unit_size: int = 0
    touched: range = range(0)  # the bytes that compilers may access with this bit-field

    @property
    def offset(self) -> int:
        return self.unit_offset if self.bits is not None else self.bit_offset // 8

    @property
    def shift(self) -> int:
        """Where a bit-field's bits begin inside its unit."""
        return self.bit_offset - 8 * self.unit_offset


@dataclass(eq=False, slots=True)
class Record(CType):
    """A struct or union; without fields while it is incomplete. One without a tag has the name of its typedef."""

    tag: str
    is_union: bool
    size: int = 0
    align: int = 1
    fields: list[Field] = field(default_factory=list)
    complete: bool = False
    by_typedef: bool = False

    def __str__(self) -> str:
        return self.tag if self.by_typedef else f"{'union' if self.is_union else 'struct'} {self.tag}"


@dataclass(eq=False, slots=True)
class FunctionType(CType):
    result: CType
    parameters: tuple[CType, ...]
    variadic: bool
    prototyped: bool
    size: int = 1
    align: int = 1

    def __str__(self) -> str:
        return f"{self.result} ({', '.join(map(str, self.parameters))}{', ...' if self.variadic else ''})"


def is_scalar(t: CType) -> bool:
    return isinstance(t, Integer | Floating | Pointer)


def sort_of(t: CType) -> Sort:
    """The sort of a scalar's values."""
    if isinstance(t, Floating):
        return t.sort
    return BitVec(t.size * 8)


def is_signed(t: CType) -> bool:
    return isinstance(t, Integer) and t.signed


FLOAT_SORTS = {21: FLOAT32, 22: FLOAT64, 23: X87, 30: FLOAT128, 31: FLOAT16, 32: FLOAT16}


def place_bit_fields(record: Record) -> None:
    """Neighbouring bit-fields share the bytes they touch: a maximal run of such bytes is one unit of storage."""
    run: list[Field] = []
    start = end = 0

    def close() -> None:
        for member in run:
            member.unit_offset, member.unit_size = start, end - start

    for member in sorted((f for f in record.fields if f.bits), key=lambda f: (f.bit_offset, f.index)):
        assert member.bits is not None
        first = member.bit_offset // 8
        last = (member.bit_offset + member.bits - 1) // 8 + 1
        if run and first < end:
            end = max(end, last)
        else:
            close()
            run, start, end = [], first, last
        run.append(member)
    close()
    for together in _memory_locations(record):
        touched = _touched(together, record)
        for member in together:
            member.touched = touched


def _memory_locations(record: Record) -> Iterator[list[Field]]:
    """The bit-fields that stand side by side in the text: in C11's words they are one memory location."""
    run: list[Field] = []
    for member in record.fields:
        if run and (record.is_union or not member.bits):
            yield run
            run = []
        if member.bits:
            run.append(member)
    if run:
        yield run


def _touched(together: Sequence[Field], record: Record) -> range:
    """All of a memory location: one machine word, if there is one that reaches into no other member."""
    start = min(member.unit_offset for member in together)
    end = max(member.unit_offset + member.unit_size for member in together)
    behind = [member.offset for member in record.fields if not member.bits and member.offset >= end]
    word = 1 << (end - start - 1).bit_length()
    return range(start, start + word if word <= 8 and start + word <= min(behind, default=record.size) else end)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar, a unit of bit-fields or a whole union inside an object: the parts a struct value is made of."""

    offset: int
    type: CType  # Integer, Floating, Pointer, or Record for a union
    name: str


def leaves(t: CType, offset: int = 0, name: str = "") -> list[Leaf]:
    """The leaves of a type in order of their offsets; array elements one by one."""
    if isinstance(t, ArrayType):
        found: list[Leaf] = []
        for i in range(t.count or 0):
            found.extend(leaves(t.element, offset + i * t.element.size, f"{name}[{i}]"))
        return found
    if isinstance(t, Record) and not t.is_union:
        found = []
        units: set[int] = set()
        for member in t.fields:
            if member.bits is not None:
                if member.bits and member.unit_offset not in units:
                    units.add(member.unit_offset)
                    label = f"{name}.{member.name or member.unit_offset}"
                    found.append(Leaf(offset + member.unit_offset, unit_type(member.unit_size), label))
            else:
                label = f"{name}.{member.name}" if member.name else f"{name}.#{member.index}"
                found.extend(leaves(member.type, offset + member.offset, label))
        return found
    return [Leaf(offset, t, name)]


def padding(t: CType) -> list[int]:
    """The offsets of the bytes of a type that none of its leaves has."""
    held = {leaf.offset + i for leaf in leaves(t) for i in range(leaf.type.size)}
    return [offset for offset in range(t.size) if offset not in held]


def count_leaves(t: CType) -> int:
    if isinstance(t, ArrayType):
        return (t.count or 0) * count_leaves(t.element)
    if isinstance(t, Record) and not t.is_union:
        return sum(count_leaves(f.type) for f in t.fields)
    return 1


_units: dict[int, Integer] = {}


def unit_type(size: int) -> Integer:
    """The type of the bytes of a run of bit-fields."""
    if size not in _units:
        _units[size] = Integer(size, 1, False, f"bits[{size}]")
    return _units[size]


def are_compatible(a: CType, b: CType) -> bool:
    """Whether declarations of these types in two translation units may mean the same thing. More than C's rules allow
    (C11 6.2.7): pointers are the same whatever they point to, and so are integers of the same size.
    """
    match a, b:
        case FunctionType(), FunctionType():
            if not are_compatible(a.result, b.result):
                return False
            if not (a.prototyped and b.prototyped):
                return not (a.variadic or b.variadic)
            same = a.variadic is b.variadic and len(a.parameters) == len(b.parameters)
            return same and all(map(are_compatible, a.parameters, b.parameters))
        case ArrayType(), ArrayType():
            return (a.count is None or b.count is None or a.count == b.count) and are_compatible(a.element, b.element)
        case Record(), Record():
            if not (a.complete and b.complete):
                return a.is_union is b.is_union
            same = a.size == b.size and a.is_union is b.is_union and len(a.fields) == len(b.fields)
            return same and all(map(_are_same_members, a.fields, b.fields))
        case Integer(), Integer():
            return a.size == b.size and a.boolean is b.boolean
        case _:
            return type(a) is type(b) and a.size == b.size


def is_callable_as(function: FunctionType, t: FunctionType, count: int) -> bool:
    """Whether a function of one type does what a caller expects that takes it for one of another, with so many
    arguments: what passes through registers and memory is the same.
    """
    if function.variadic is not t.variadic and t.prototyped:
        return False
    if not isinstance(t.result, Void) and not are_compatible(function.result, t.result):
        return False
    if function.variadic:
        return count >= len(function.parameters)
    if not function.prototyped:
        return True
    same = len(function.parameters) == count
    return same and (not t.prototyped or all(map(are_compatible, function.parameters, t.parameters)))


def _are_same_members(a: Field, b: Field) -> bool:
    return a.bit_offset == b.bit_offset and a.bits == b.bits and are_compatible(a.type, b.type)
