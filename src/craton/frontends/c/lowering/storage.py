"""What lies in memory, in the words of the text: for those who read counterexamples and invariants."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.c.automaton.context import Context
from craton.frontends.c.memory.layout import Object
from craton.frontends.c.syntax import nodes
from craton.frontends.c.syntax.types import ArrayType, CType, Field, Floating, Integer, Pointer, Record
from craton.program.origin import SourceRange
from craton.program.storage import Elements, Members, Scalar, Shape, Storage, StoredObject

_MOST_MEMBERS = 200


def storage(context: Context) -> Storage:
    """All objects of a program that is lowered, and the functions whose addresses are taken."""
    memory, shapes = context.memory, _Shapes()
    functions = (StoredObject(name, 1, None, address.payload) for name, address in memory.functions.items())
    objects = (*(stored(known, shapes, at=known.address.payload) for known in memory.objects), *functions)
    for t in context.noted:
        if isinstance(t, Pointer):
            shapes.note(t.target)
    integers = [t for t in (*context.noted, *shapes.integers) if isinstance(t, Integer)]
    enumerations = {t.name: dict(t.constants) for t in integers if t.constants}
    heap = memory.heap if memory.uses_heap and not memory.safety else None
    told = Storage(objects, shapes.known, enumerations, heap)
    if not memory.safety:
        return told
    blocks = range(memory.heap_start(), 1 << (memory.pointer_width - memory.offset_bits - 1))
    return replace(told, offset_bits=memory.offset_bits, sizes=memory.sizes, blocks=blocks)


def stored(known: Object, shapes: _Shapes | None = None, at: int | None = None) -> StoredObject:
    shape = (shapes or _Shapes()).of(known.type)
    hidden = known.variable is not None and known.variable.range is None
    return StoredObject(known.name, known.size, shape, at, known.initial, _begins_open(known.variable), hidden)


def _begins_open(variable: nodes.Variable | None) -> SourceRange | None:
    """The declaration of a local that has no value at first."""
    if variable is None or variable.storage is not nodes.Storage.LOCAL or variable.initializer is not None:
        return None
    return variable.range


class _Shapes:
    """Shapes of types; pointers name what they point to, so that none is infinite."""

    def __init__(self) -> None:
        self.known: dict[str, Shape] = {}
        self.integers: dict[Integer, None] = {}

    def note(self, t: CType) -> None:
        """Makes the shape of a type known by its name, and those that it points to."""
        waiting = [t]
        while waiting:
            t = waiting.pop()
            if str(t) not in self.known and isinstance(t, Record | Integer | Floating | Pointer | ArrayType):
                shape = self.of(t)
                if shape is not None:
                    self.known[str(t)] = shape
                    waiting += [member.type.target for member in _fields(t) if isinstance(member.type, Pointer)]
                    waiting += [t.target] if isinstance(t, Pointer) else []

    def of(self, t: CType) -> Shape | None:
        if isinstance(t, ArrayType):
            element = self.of(t.element)
            return None if element is None else Elements(element, t.count or 0)
        if isinstance(t, Record):
            members = [
                (member.name, member.offset, shape)
                for member in _fields(t)
                if member.name and member.bits is None and (shape := self.of(member.type)) is not None
            ]
            return Members(str(t), t.size, tuple(members))
        if isinstance(t, Integer):
            self.integers[t] = None
            return Scalar(t.name, t.size, t.signed)
        if isinstance(t, Pointer):
            return Scalar(str(t), t.size, False, str(t.target))
        return Scalar(str(t), t.size) if isinstance(t, Floating) else None


def _fields(t: CType) -> list[Field]:
    return t.fields[:_MOST_MEMBERS] if isinstance(t, Record) else []
