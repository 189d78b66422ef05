"""Places: classes of memory cells that a pointer may mean, joined by unification (Steensgaard 1996).

A place is an array of equal elements: scalars of one width, or structs of one type whose fields are places of their
own. Using a place in two ways that do not fit (a struct as another struct, a byte of an int, pointer arithmetic out of
a field) collapses it: its fields, and the structs it is a field of, become one place that is accessed byte by byte.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from craton.frontends.c.memory.views import any_clash, is_mixed
from craton.frontends.c.syntax.nodes import Function
from craton.frontends.c.syntax.types import ArrayType, CType, Field, Floating, FunctionType, Integer, Pointer, Record
from craton.program.analysis.union_find import UnionFind


class CallSite:
    """A call through a pointer: what its arguments and its result point to."""

    __slots__ = ("arguments", "linked", "result", "types")

    def __init__(self, arguments: list[Place | None], types: list[CType], result: Place) -> None:
        self.arguments = arguments
        self.types = types
        self.result = result
        self.linked: set[str] = set()


class Place:
    """A class of memory cells; `find` gives the representative that holds the facts."""

    __slots__ = (
        "allocated",
        "arithmetic",
        "array",
        "as_numbers",
        "as_pointers",
        "byte_arithmetic",
        "calls",
        "collapsed",
        "derived",
        "external",
        "fields",
        "functions",
        "into",
        "invented",
        "moved",
        "name",
        "number",
        "parents",
        "pointee",
        "raw",
        "record",
        "records",
        "scalars",
        "scrambled",
        "tail",
        "words",
        "zeroed",
    )

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name
        self.into: Place | None = None
        self.pointee: Place | None = None
        self.words: Place | None = None  # what addresses in its integer members point to, see `Places.words_of`
        self.raw = False  # accessed as numbers or bytes, whatever stands there
        self.derived = False  # numbers were computed from its addresses, other than by small steps
        self.fields: dict[int, Place] = {}
        self.parents: list[tuple[Place, bool]] = []  # the struct's place, and whether the field is an array
        self.record: Record | None = None
        self.scalars: dict[tuple[int, str], None] = {}  # (bytes, class) of the accesses
        self.as_numbers = False  # values of such types are read or written there, members of structs included
        self.as_pointers = False
        self.records: dict[Record, None] = {}  # as which structs it is accessed
        self.collapsed = False
        self.arithmetic = False
        self.array = False  # an array lies there, or a string
        self.moved = False  # pointers to it may point behind an object's end
        self.byte_arithmetic = False
        self.tail = False  # an array without a length at its end is accessed
        self.invented = False  # numbers became pointers to it
        self.scrambled = False  # a library function may have put any bytes there
        self.external = False  # an unknown function may have made it
        self.allocated = False  # malloc gives memory in it
        self.zeroed = False  # calloc does
        self.functions: dict[str, Function] = {}
        self.calls: list[CallSite] = []

    def __repr__(self) -> str:
        return f"<{self.name} {self.number}>"


@dataclass(frozen=True, slots=True)
class Container:
    """Pointers to a place became pointers to structs of which it is the member at an offset: `container_of`."""

    member: Place
    struct: Place
    record: Record
    offset: int


def find(place: Place) -> Place:
    root = place
    while root.into is not None:
        root = root.into
    while place.into is not None:
        place.into, place = root, place.into
    return root


def reached(place: Place, leads: Callable[[Place], Iterable[Place]]) -> list[Place]:
    """The place, and all that one is led to from there."""
    found: dict[Place, None] = {}
    stack = [find(place)]
    while stack:
        part = find(stack.pop())
        if part in found:
            continue
        found[part] = None
        stack.extend(leads(part))
    return list(found)


def parts_of(place: Place) -> list[Place]:
    """The place and those of its fields, and of theirs."""
    return reached(place, lambda part: part.fields.values())


def covered(place: Place) -> list[Place]:
    """The places that hold the scalars of an object: its own, or those of its fields."""
    return [part for part in parts_of(place) if part.scalars or part.collapsed]


def is_allocated(place: Place) -> bool:
    """Whether malloc gives memory in it, or in what it is a part of."""
    return any(whole.allocated for whole in reached(place, lambda part: (parent for parent, _ in part.parents)))


def leaves_members(place: Place) -> bool:
    """Whether who steps along a place's elements may come to other members: those of a struct whose field it is. In a
    struct with nothing but one array there are none.
    """

    def is_alone(parent: Place, array: bool) -> bool:
        whole = find(parent)
        return array and whole.record is not None and len(whole.record.fields) == 1 and not whole.parents

    return any(not is_alone(*parent) for parent in place.parents)


def scalar_class(t: CType) -> str:
    return "float" if isinstance(t, Floating) else "pointer" if isinstance(t, Pointer) else "int"


class Places:
    """All places of a program, and the operations that join them."""

    def __init__(self, *, follow_numbers: bool = False) -> None:
        self.follow_numbers = follow_numbers  # numbers may be addresses
        self.all: list[Place] = []
        self._queue: deque[tuple[Place, Place]] = deque()
        self._to_collapse: deque[Place] = deque()
        self._running = False
        self._frozen = False
        self._copied: set[tuple[int, int, int]] = set()
        self._handed_on: list[tuple[Place, Place]] = []  # where bytes were copied without a type
        self.on_call: list[tuple[CallSite, Function]] = []
        self.escaped: list[Place] = []  # what unknown functions were given
        self._containers: list[Container] = []
        self._parts: dict[Place, frozenset[Place]] = {}  # what `parts_of` says, as long as nothing changes

    def new(self, name: str) -> Place:
        place = Place(len(self.all), name)
        self.all.append(place)
        self._parts.clear()
        return place

    def holds(self, whole: Place, part: Place) -> bool:
        """Whether one is the other, or lies in it."""
        whole = find(whole)
        parts = self._parts.get(whole)
        if parts is None:
            parts = self._parts[whole] = frozenset(parts_of(whole))
        return find(part) in parts

    def roots(self) -> Iterator[Place]:
        return (place for place in self.all if place.into is None)

    def pointee(self, place: Place) -> Place:
        """What the pointers stored in a place point to."""
        place = find(place)
        if place.pointee is None:
            place.pointee = self.new(f"*{place.name}"[:40])
        return find(place.pointee)

    def words_of(self, place: Place) -> Place:
        """What addresses that members of an integer type hold point to. Members of a struct do not overlap, so in a
        struct that collapsed these are others than its pointers, unless somebody looks at raw memory.
        """
        place = find(place)
        if place.raw:
            return self.pointee(place)
        if place.words is None:
            place.words = self.new(f"*{place.name}"[:40])
        return find(place.words)

    def expose(self, place: Place) -> None:
        """Its bytes are accessed as numbers, so that pointers and integers in it may be each other's bytes."""
        place = find(place)
        if not place.raw:
            place.raw = True
            if place.words is not None:
                words, place.words = place.words, None
                self.union(self.pointee(place), words)

    def seen(self, place: Place, t: CType) -> None:
        """A value of this type is read from or written to the place."""
        place = find(place)
        place.as_pointers |= isinstance(t, Pointer)
        place.as_numbers |= isinstance(t, Integer | Floating)

    # --- uses ---------------------------------------------------------------------------------------------------------

    def access(self, place: Place, size: int, kind: str) -> None:
        """A scalar of `size` bytes is read or written."""
        place = find(place)
        if place.collapsed or (size, kind) in place.scalars:
            return
        conflict = place.record is not None or any(other != size for other, _ in place.scalars)
        assert not (self._frozen and conflict), f"{place} is used in a way the analysis did not see"
        place.scalars[size, kind] = None
        if conflict:
            self.collapse(place)

    def field(self, place: Place, record: Record, offset: int, name: str, type_: CType) -> Place:
        """The place of a field; members of a union share the union's place."""
        place = find(place)
        place.records[record] = None
        if record.is_union:
            self.expose(place)
        if place.collapsed or record.is_union:
            return place
        if place.record is None:
            place.record = record
            if place.scalars:
                self.collapse(place)
        elif place.record is not record and not _same_layout(place.record, record):
            self.expose(place)
            self.collapse(place)
        place = find(place)
        if place.collapsed:
            return place
        sub = place.fields.get(offset)
        if sub is None:
            sub = place.fields[offset] = self.new(f"{place.name}.{name}")
            sub.parents.append((place, isinstance(type_, ArrayType)))
        return find(sub)

    def run_along(self, place: Place) -> None:
        """Several elements in a row are accessed from one on, or a pointer to one comes from an index."""
        find(place).arithmetic = True

    def container(self, place: Place, record: Record, member: Field) -> Place:
        """The place of structs whose member a pointer to the place points to, if it is computed back by the member's
        offset. `settle` looks whether that is all that such a pointer may point to.
        """
        struct = self.new(f"{record.tag or 'struct'} of {place.name}"[:40])
        struct.moved = True
        self.union(self.field(struct, record, member.offset, member.name, member.type), place)
        self._containers.append(Container(find(place), find(struct), record, member.offset))
        return find(struct)

    def _settle_containers(self) -> bool:
        """Joins a struct with those that have its member; or with the member itself, as steps by bytes do, where
        pointers to it may point elsewhere than to such a member or an object of its type. Whether there was anything
        to do.
        """
        changed = False
        for each in self._containers:
            member, struct = find(each.member), find(each.struct)
            if member is struct:
                continue
            wholes = [find(parent) for parent, _ in member.parents]
            if not _may_be_member(member) or not all(_is_member_at(member, whole, each) for whole in (struct, *wholes)):
                self.collapse(member)
                self.union(member, struct)
                changed = True
            for whole in wholes:
                if find(whole) is not find(struct):
                    self.union(whole, struct)
                    changed = True
        return changed

    def reach_behind(self, place: Place, record: Record, offset: int) -> None:
        """A member that is an array without a length is accessed: its elements are what lies behind it."""
        if record.is_union or any(member.offset >= offset and member.type.size for member in record.fields):
            self.expose(place)
            self.collapse(place)
        find(place).tail = True

    def collapse(self, place: Place) -> None:
        self._to_collapse.append(place)
        self._run()

    def union(self, a: Place | None, b: Place | None) -> None:
        if a is None or b is None:
            return
        if find(a) is not find(b):
            self._queue.append((a, b))
            self._run()

    def _run(self) -> None:
        if self._running:
            return
        self._running = True
        while self._queue or self._to_collapse:
            if self._queue:
                self._merge(*self._queue.popleft())
            else:
                self._collapse(find(self._to_collapse.popleft()))
        self._running = False

    def _collapse(self, place: Place) -> None:
        if place.collapsed:
            return
        place.collapsed = True
        place.record = None
        self._parts.clear()
        for sub in place.fields.values():
            self._queue.append((place, sub))
        for parent, _ in place.parents:
            self._queue.append((parent, place))
            self._to_collapse.append(parent)
        place.fields = {}

    def _merge(self, a: Place, b: Place) -> None:
        a, b = find(a), find(b)
        if a is b:
            return
        if b.number < a.number:
            a, b = b, a
        b.into = a
        self._parts.clear()
        collapse = a.collapsed != b.collapsed
        if a.record is not None and b.record is not None:
            collapse = collapse or not (a.record is b.record or _same_layout(a.record, b.record))
        a.record = a.record or b.record
        a.scalars |= b.scalars
        if a.scalars and (a.record is not None or len({size for size, _ in a.scalars}) > 1):
            collapse = True
        if a.pointee is not None and b.pointee is not None:
            self._queue.append((a.pointee, b.pointee))
        a.pointee = a.pointee or b.pointee
        self._merge_words(a, b)
        for offset, sub in b.fields.items():
            if offset in a.fields:
                self._queue.append((a.fields[offset], sub))
            else:
                a.fields[offset] = sub
        self._merge_parents(a, b)
        a.arithmetic |= b.arithmetic
        a.array |= b.array
        a.moved |= b.moved
        a.byte_arithmetic |= b.byte_arithmetic
        a.scrambled |= b.scrambled
        a.tail |= b.tail
        a.external |= b.external
        a.invented |= b.invented
        a.derived |= b.derived
        a.allocated |= b.allocated
        a.zeroed |= b.zeroed
        a.functions |= b.functions
        a.calls.extend(b.calls)
        self.link(a)
        if collapse:
            a.collapsed = False
            self._to_collapse.append(a)

    def _merge_parents(self, a: Place, b: Place) -> None:
        """Each once: of what collapsed, hundreds of parents are one place by now."""
        found = dict.fromkeys((find(parent), array) for parent, array in a.parents)
        known = {parent for parent, _ in found}
        for parent, array in b.parents:
            if not array or find(parent) not in known:
                found[find(parent), array] = None
        a.parents = list(found)

    def _merge_words(self, a: Place, b: Place) -> None:
        a.raw |= b.raw
        a.as_numbers |= b.as_numbers
        a.as_pointers |= b.as_pointers
        a.records |= b.records
        words = [place.words for place in (a, b) if place.words is not None]
        if a.raw and words:
            words.append(a.pointee or words[0])
            a.pointee, a.words = words[-1], None
        elif words:
            a.words = words[0]
        self._queue.extend((words[0], other) for other in words[1:])

    def link(self, place: Place) -> None:
        """Pairs each call through this place with each function it may mean, once."""
        for site in place.calls:
            for symbol, function in place.functions.items():
                if symbol not in site.linked:
                    site.linked.add(symbol)
                    self.on_call.append((site, function))

    # --- values of a type ---------------------------------------------------------------------------------------------

    def touch(self, place: Place, t: CType) -> None:
        """Every scalar of an object of that type is accessed."""
        if isinstance(t, ArrayType):
            self.touch(place, t.element)
        elif isinstance(t, Record) and t.is_union:
            self.access(place, t.size, "whole")
        elif isinstance(t, Record):
            for member in t.fields:
                if member.bits == 0:
                    continue
                size = member.unit_size if member.bits else None
                sub = self.field(place, t, member.offset, member.name, member.type)
                if size:
                    self.access(sub, size, "int")
                else:
                    self.touch(sub, member.type)
        elif isinstance(t, Integer | Floating | Pointer):
            self.access(place, t.size, scalar_class(t))

    def copy(self, target: Place, source: Place, t: CType) -> None:
        """An object of type `t` is copied: pointers in it point to the same afterwards."""
        target, source = find(target), find(source)
        if target is source:
            return
        key = (target.number, source.number, id(t))
        if key in self._copied:
            return
        self._copied.add(key)
        if isinstance(t, ArrayType):
            self.copy(target, source, t.element)
        elif isinstance(t, Record) and not t.is_union:
            for member in t.fields:
                if member.bits != 0:
                    self.copy(
                        self.field(target, t, member.offset, member.name, member.type),
                        self.field(source, t, member.offset, member.name, member.type),
                        member.type,
                    )
        elif not isinstance(t, FunctionType | Floating) or self.follow_numbers:
            self.copy_bytes(target, source)

    def copy_bytes(self, target: Place, source: Place) -> None:
        """Whatever stands in one place comes to stand in the other."""
        self.union(self.pointee(target), self.pointee(source))
        if self.follow_numbers:
            self.union(self.words_of(target), self.words_of(source))

    def copy_unseen(self, target: Place, source: Place) -> None:
        """The same where nobody says as what the bytes are copied: `settle` looks at what they are on either side."""
        self.copy_bytes(target, source)
        self._handed_on.append((target, source))

    def _expose_clashes(self) -> bool:
        """Exposes places in which a pointer's bytes are seen as a number's; whether there were any new ones."""
        found = [place for place in self.roots() if not place.raw and _clashes([place])]
        handed_on: UnionFind[Place] = UnionFind()
        for target, source in self._handed_on:
            handed_on.join(find(target), find(source))
        for group in handed_on.groups(dict.fromkeys(find(place) for pair in self._handed_on for place in pair)):
            if _clashes(group):
                found.extend(place for place in group if not place.raw)
        for place in found:
            self.expose(place)
        return bool(found)

    def settle(self) -> None:
        """Collapses what arithmetic made unsafe: steps out of a field, or of an array without a length where something
        lies behind it, steps by bytes over larger elements.
        """
        changed = True
        while changed:
            changed = False
            for place in list(self.roots()):
                if place.collapsed:
                    continue
                out_of_field = place.arithmetic and leaves_members(place)
                larger = place.record is not None or any(size > 1 for size, _ in place.scalars)
                out_of_tail = place.tail and (place.arithmetic or bool(place.parents))
                if out_of_field or out_of_tail or (place.byte_arithmetic and larger):
                    self.collapse(place)
                    changed = True
                elif place.zeroed and place.record is not None:
                    place.zeroed = False
                    self.touch(place, place.record)
                    changed = True
            changed |= self._settle_containers()
            changed |= self._expose_clashes()
        self._frozen = True


def _may_be_member(place: Place) -> bool:
    """Whether a place is neither of elements of arrays nor of blocks of their own, nor of anything from outside."""
    if place.array or place.tail or any(array for _, array in place.parents):
        return False
    return not (place.allocated or place.zeroed or place.external or place.invented or place.scrambled)


def _is_member_at(member: Place, whole: Place, where: Container) -> bool:
    """Whether a place is this member of structs of this type, and nothing else of them."""
    if whole.record is None or not _same_layout(whole.record, where.record):
        return False
    return [offset for offset, part in whole.fields.items() if find(part) is member] == [where.offset]


def _clashes(places: Sequence[Place]) -> bool:
    """Whether the same bytes may lie in these places, here as a pointer and there as a number."""
    if not any(place.as_pointers for place in places) or not any(place.as_numbers for place in places):
        return False
    pure = any(place.as_numbers and not place.as_pointers for place in places)
    records = {record: None for place in places for record in place.records}
    return pure or not any(map(is_mixed, records)) or any_clash(records)


def _same_layout(a: Record, b: Record) -> bool:
    """Whether two struct types of different files or scopes are the same in memory."""
    if a is b:
        return True
    if a.size != b.size or a.is_union != b.is_union or len(a.fields) != len(b.fields) or a.tag != b.tag:
        return False
    return all(
        x.name == y.name and x.bit_offset == y.bit_offset and x.bits == y.bits and x.type.size == y.type.size
        for x, y in zip(a.fields, b.fields, strict=True)
    )
