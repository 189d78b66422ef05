"""What lies in memory, as the source text names it: objects with their addresses and shapes, so that an address can be
told as `&q.items[3]` and what is stored there as the value of a member.

Front ends fill it in; nothing but what people read is made of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from craton.logic import Term
from craton.program.origin import SourceRange


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or a pointer. `pointee` is the type that a pointer points to."""

    type: str
    size: int
    signed: bool = False
    pointee: str = ""


@dataclass(frozen=True, slots=True)
class Elements:
    """An array."""

    element: Shape
    count: int

    @property
    def size(self) -> int:
        return self.element.size * self.count


@dataclass(frozen=True, slots=True)
class Members:
    """A struct or union: names, offsets and shapes of its members, those without a name or with bits left out."""

    type: str
    size: int
    members: tuple[tuple[str, int, Shape], ...]


Shape = Scalar | Elements | Members

MEMORY = "mem "  # how names of memories begin: arrays from addresses to what lies there
ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_LONGEST = 40  # characters of a string literal


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar inside of an object: how C names it, where it is, what it is."""

    path: str
    offset: int
    scalar: Scalar


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A variable or a string literal in memory. The address is None if it differs from life to life: a variable of the
    program holds it then (`Symbol.object`).
    """

    name: str
    size: int
    shape: Shape | None
    address: int | None = None
    text: bytes | None = None  # of a string literal
    declared: SourceRange | None = None  # where a local begins without a value
    hidden: bool = False  # of a library, whose text nobody sees

    def contains(self, address: int) -> bool:
        return self.address is not None and self.address <= address < self.address + max(1, self.size)


@dataclass(frozen=True, slots=True)
class Storage:
    """Everything that has an address, and the shapes of types that pointers point to."""

    objects: tuple[StoredObject, ...] = ()
    shapes: Mapping[str, Shape] = field(default_factory=dict)  # by the names of types
    enumerations: Mapping[str, Mapping[int, str]] = field(default_factory=dict)  # names of constants, by type
    heap: Term | None = None  # where the next allocated block begins, where objects lie one behind the other
    offset_bits: int = 0  # of an address, where the others are an object's number; 0 otherwise
    sizes: Term | None = None  # 1 + the size of each object that lives, by its number
    blocks: range = range(0)  # the numbers that allocated blocks may have

    def at(self, address: int) -> StoredObject | None:
        return next((known for known in self.objects if known.contains(address)), None)


NOTHING_STORED = Storage()


def cell_at(shape: Shape, offset: int) -> Cell | None:
    """The scalar that holds the byte at an offset; of a union the first member that has one there."""
    path, begin = "", 0
    while not isinstance(shape, Scalar):
        if isinstance(shape, Elements):
            if not shape.element.size or not 0 <= offset < shape.size:
                return None
            index, offset = divmod(offset, shape.element.size)
            path, begin, shape = f"{path}[{index}]", begin + index * shape.element.size, shape.element
            continue
        for name, at, inner in shape.members:
            if at <= offset < at + inner.size:
                path, begin, offset, shape = f"{path}.{name}", begin + at, offset - at, inner
                break
        else:
            return None
    return Cell(path, begin, shape) if 0 <= offset < shape.size else None


def indexed(shape: Shape, offset: int, stride: int) -> Iterator[tuple[str, str, Scalar]]:
    """Cells at `offset` plus multiples of `stride`: the text before and behind the index, and the scalar; the array is
    the one whose elements have that size, and the offset is that of its first element.
    """
    path = ""
    while True:
        if isinstance(shape, Elements):
            if shape.element.size == stride and 0 <= offset < stride:
                cell = cell_at(shape.element, offset)
                if cell is not None and cell.offset == offset:
                    yield path, cell.path, cell.scalar
                return
            if not shape.element.size or not 0 <= offset < shape.size:
                return
            index, offset = divmod(offset, shape.element.size)
            path, shape = f"{path}[{index}]", shape.element
        elif isinstance(shape, Members):
            found = next(((n, at, s) for n, at, s in shape.members if at <= offset < at + s.size), None)
            if found is None:
                return
            path, offset, shape = f"{path}.{found[0]}", offset - found[1], found[2]
        else:
            return


def literal(text: bytes) -> str:
    """A string literal, without the zero at its end."""
    shown = text.rstrip(b"\0")
    cut = "…" if len(shown) > _LONGEST else ""
    inside = "".join(
        ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in shown[:_LONGEST]
    )
    return f'"{inside}{cut}"'


def pointing(known: StoredObject, offset: int, pointee: str) -> str:
    """An address in a named object; `pointee` is the type that is meant there."""
    if known.text is not None:
        return literal(known.text) + (f" + {offset}" if offset else "")
    if isinstance(known.shape, Elements):
        if offset == 0:
            return known.name
        if offset == known.size and known.shape.element.size:
            return f"&{known.name}[{known.shape.count}]"
    cell = None if known.shape is None else cell_at(known.shape, offset)
    if offset == 0 and not (isinstance(known.shape, Members) and cell is not None and cell.scalar.type == pointee):
        return f"&{known.name}"
    if cell is None or cell.offset != offset:
        return f"(char *)&{known.name} + {offset}"
    return f"&{known.name}{cell.path}"
