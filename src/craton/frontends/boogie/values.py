"""Values of Boogie types as tuples of terms, and what expressions do with them whatever their encoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.frontends.boogie.types import BOOLEAN, Map, RecordType, Type, leaf_names, leaves
from craton.logic import Array, Term, and_, const_array, eq, ite, select, store, var


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a type by its leaves (see `types`)."""

    type: Type
    leaves: tuple[Term, ...]

    @property
    def term(self) -> Term:
        """The only leaf of a value that is no record."""
        assert len(self.leaves) == 1, f"a value of type {self.type} is no single term"
        return self.leaves[0]


def variable(name: str, type_: Type) -> Value:
    """A variable of any type: one term per leaf."""
    pairs = zip(leaf_names(type_), leaves(type_), strict=True)
    return Value(type_, tuple(var(name + suffix, sort) for suffix, sort in pairs))


def truth(formula: Term) -> Value:
    return Value(BOOLEAN, (formula,))


def equal(a: Value, b: Value) -> Term:
    return and_(*(eq(x, y) for x, y in zip(a.leaves, b.leaves, strict=True)))


def choice(condition: Term, then: Value, otherwise: Value) -> Value:
    pairs = zip(then.leaves, otherwise.leaves, strict=True)
    return Value(then.type, tuple(ite(condition, x, y) for x, y in pairs))


def element(map_: Value, indices: Sequence[Value]) -> Value:
    """`map[indices]`."""
    assert isinstance(map_.type, Map)
    found = []
    for array in map_.leaves:
        for index in _flat(indices):
            array = select(array, index)
        found.append(array)
    return Value(map_.type.result, tuple(found))


def updated(map_: Value, indices: Sequence[Value], new: Value) -> Value:
    """`map[indices := new]`."""
    flat = _flat(indices)
    return Value(map_.type, tuple(_store(a, flat, e) for a, e in zip(map_.leaves, new.leaves, strict=True)))


def _flat(indices: Sequence[Value]) -> list[Term]:
    return [leaf for index in indices for leaf in index.leaves]


def _store(array: Term, indices: Sequence[Term], new: Term) -> Term:
    if not indices:
        return new
    index, *rest = indices
    return store(array, index, _store(select(array, index), rest, new) if rest else new)


def constant_map(type_: Map, content: Value) -> Value:
    """The map that holds one value everywhere."""
    return Value(type_, tuple(_constant(s, e) for s, e in zip(leaves(type_), content.leaves, strict=True)))


def _constant(sort: object, content: Term) -> Term:
    if sort is content.sort:
        return content
    assert isinstance(sort, Array)
    return const_array(sort, _constant(sort.element, content))


def field(record: Value, name: str) -> Value | None:
    """`record!name`; None if there is no such field."""
    place = _place(record, name)
    return None if place is None else Value(place[0], record.leaves[place[1] : place[2]])


def with_field(record: Value, name: str, new: Value) -> Value:
    place = _place(record, name)
    assert place is not None
    _, begin, end = place
    return Value(record.type, (*record.leaves[:begin], *new.leaves, *record.leaves[end:]))


def _place(record: Value, name: str) -> tuple[Type, int, int] | None:
    if not isinstance(record.type, RecordType):
        return None
    begin = 0
    for known, type_ in record.type.fields:
        end = begin + len(leaves(type_))
        if known == name:
            return type_, begin, end
        begin = end
    return None
