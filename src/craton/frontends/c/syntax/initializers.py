"""Initialiser lists: which value goes to which part of an object (C11 6.7.9, with GNU ranges).

clang shows the list as it was written, so the order of subobjects, elided braces and designators are resolved here.
"""

from __future__ import annotations

from dataclasses import dataclass

from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import ArrayType, CType, Field, Record

Step = int | Field  # an array index or a member


@dataclass(frozen=True, slots=True)
class Placed:
    """`value` initialises the part at `path`, of type `type`. The part may be a char array (value: a string)."""

    path: tuple[Step, ...]
    type: CType
    value: Node


def placed(t: CType, value: Node) -> list[Placed]:
    """All parts that are named; what is not named is zero."""
    found = _Items()
    _whole(t, (), value, found)
    return _overridden(found) if found.designated else found


class _Items(list[Placed]):
    """Entries as they were written. Once there was a designator, lists in braces are entries before their parts."""

    designated = False


def _overridden(items: list[Placed]) -> list[Placed]:
    """Without what later entries override (6.7.9 p19), as gcc does it: a list in braces starts its part anew, another
    member of a union ends the one before, and of a struct of which a part is given again nothing is left.
    """
    kept: dict[tuple[Step, ...], Placed] = {}
    below: dict[tuple[Step, ...], dict[tuple[Step, ...], None]] = {}  # by beginnings of paths
    members: dict[tuple[Step, ...], Step] = {}  # of unions

    def drop(beginning: tuple[Step, ...]) -> None:
        for path in below.pop(beginning, {}):
            kept.pop(path, None)

    for item in items:
        drop(item.path)
        for depth, step in enumerate(item.path):
            start = item.path[:depth]
            if start in kept and isinstance(kept[start].type, Record):
                del kept[start]
            if isinstance(step, Field) and step.record.is_union and members.setdefault(start, step) is not step:
                members[start] = step
                drop(start)
        if item.value.kind is Kind.INIT_LIST:
            continue
        kept[item.path] = item
        for depth in range(len(item.path) + 1):
            below.setdefault(item.path[:depth], {})[item.path] = None
    return list(kept.values())


def length_of(t: ArrayType, value: Node) -> int:
    """How many elements an initialiser gives an array of unknown length."""
    if value.kind is Kind.STRING:
        return len(value.value) + 1
    return max(
        (item.path[0] + 1 for item in placed(t, value) if item.path and isinstance(item.path[0], int)), default=0
    )


def _string(t: CType, value: Node) -> Node | None:
    """The string literal that initialises a char array, possibly in braces or parentheses."""
    if not isinstance(t, ArrayType) or isinstance(t.element, ArrayType | Record):
        return None
    while value.kind is Kind.INIT_LIST and len(value.children) == 1:
        value = value.children[0]
    while value.kind is Kind.CONVERT and isinstance(value.type, ArrayType):
        value = value.children[0]
    return value if value.kind is Kind.STRING else None


def _whole(t: CType, path: tuple[Step, ...], value: Node, found: _Items) -> None:
    string = _string(t, value)
    if string is not None:
        found.append(Placed(path, t, string))
    elif value.kind is Kind.INIT_LIST:
        found.designated |= any(item.kind is Kind.DESIGNATED for item in value.children)
        if found.designated:
            found.append(Placed(path, t, value))
        _braced(t, path, value.children, found)
    elif value.kind is Kind.COMPOUND_LITERAL and isinstance(t, ArrayType):
        _whole(t, path, value.children[0], found)
    else:
        found.append(Placed(path, t, value))


def _count(t: CType) -> int | None:
    if isinstance(t, ArrayType):
        return t.count
    assert isinstance(t, Record)
    return 1 if t.is_union else len(t.fields)


def _part(t: CType, index: int) -> tuple[Step, CType]:
    if isinstance(t, ArrayType):
        return index, t.element
    assert isinstance(t, Record)
    member = t.fields[index]
    return member, member.type


def _skip_unnamed(t: CType, index: int) -> int:
    """Unnamed bit-fields take no initialiser."""
    if isinstance(t, Record):
        while index < len(t.fields) and t.fields[index].bits is not None and not t.fields[index].name:
            index += 1
    return index


class _Frame:
    """An aggregate being filled: the next subobject is number `index`."""

    __slots__ = ("index", "path", "single", "type")

    def __init__(self, t: CType, path: tuple[Step, ...]) -> None:
        self.type = t
        self.path = path
        self.index = _skip_unnamed(t, 0)
        self.single = False  # of a union one member only

    @property
    def full(self) -> bool:
        if isinstance(self.type, Record) and self.type.is_union:
            return self.single or not self.type.fields
        count = _count(self.type)
        return count is not None and self.index >= count

    def take(self) -> tuple[tuple[Step, ...], CType]:
        step, t = _part(self.type, self.index)
        self.index = _skip_unnamed(self.type, self.index + 1)
        self.single = True
        return (*self.path, step), t


def _braced(t: CType, path: tuple[Step, ...], items: tuple[Node, ...], found: _Items) -> None:
    if not isinstance(t, ArrayType | Record):
        if items:
            _whole(t, path, items[0], found)
        return
    stack = [_Frame(t, path)]
    for item in items:
        if item.kind is Kind.DESIGNATED:
            del stack[1:]
            _designated(stack, list(item.value), item.children[0], found)
            continue
        while len(stack) > 1 and stack[-1].full:
            stack.pop()
        if stack[-1].full:
            break  # excess elements
        _place_next(stack, item, found)


def _place_next(stack: list[_Frame], item: Node, found: _Items) -> None:
    """Puts an item at the next subobject, going into aggregates whose braces were left out."""
    while True:
        path, t = stack[-1].take()
        aggregate = isinstance(t, ArrayType | Record)
        if not aggregate or item.kind is Kind.INIT_LIST or _string(t, item) is not None or _fits(t, item):
            _whole(t, path, item, found)
            return
        stack.append(_Frame(t, path))
        if stack[-1].full:  # an empty struct takes no value
            stack.pop()
            if stack[-1].full:
                return


def _fits(t: CType, item: Node) -> bool:
    return isinstance(t, Record) and isinstance(item.type, Record)


def _designated(stack: list[_Frame], path: list[object], item: Node, found: _Items) -> None:
    for depth, step in enumerate(path):
        frame = stack[-1]
        last = depth == len(path) - 1
        if isinstance(step, Field):
            frame.index = step.index
            frame.single = False
        else:
            assert isinstance(step, tuple)
            low, high = step
            for index in range(low, high):  # the last one is left for below
                frame.index = index
                where, t = frame.take()
                copy = [_Frame(t, where)] if not last else []
                if last:
                    _whole(t, where, item, found)
                else:
                    _designated(copy, path[depth + 1 :], item, found)
            frame.index = high
        where, t = frame.take()
        if last:
            _whole(t, where, item, found)
        else:
            stack.append(_Frame(t, where))
