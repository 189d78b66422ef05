"""Views: as what types the same bytes are looked at, and whether that shows a pointer's bytes as a number's.

Members of a struct do not overlap, so what its pointers and what its numbers point to is kept apart even in a place
that has collapsed (`Places.words_of`). That ends where two types are laid over each other that clash.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from craton.frontends.c.syntax.types import ArrayType, CType, Floating, Integer, Pointer, Record

_MOST_SPANS = 512


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes that are pointers, or bytes that are numbers."""

    start: int
    end: int
    pointers: bool

    def moved(self, by: int) -> Span:
        return Span(self.start + by, self.end + by, self.pointers)


def clash(a: CType, b: CType) -> bool:
    """Whether arrays of these types, laid over each other, have a pointer where the other has a number. A struct fits
    to its own parts.
    """
    if a is b or _has_part(a, b) or _has_part(b, a):
        return False
    length = max(a.size, b.size)
    first, second = _tiled(a, length), _tiled(b, length)
    if first is None or second is None:
        return True
    return any(x.pointers != y.pointers and x.start < y.end and y.start < x.end for x in first for y in second)


def any_clash(types: Iterable[CType]) -> bool:
    return any(clash(a, b) for a, b in combinations(types, 2))


def is_mixed(t: CType) -> bool:
    """Whether it has pointers and numbers."""
    spans = _spans(t)
    return spans is None or len({span.pointers for span in spans}) > 1


def is_generic(t: CType) -> bool:
    """A type by which bytes are handed on, and that says nothing about them."""
    return t.size <= 1


def _tiled(t: CType, length: int) -> list[Span] | None:
    spans = _spans(t)
    if spans is None or t.size == 0 or len(spans) * (length // t.size) > _MOST_SPANS:
        return None if spans is None or len({span.pointers for span in spans}) > 1 else _stretched(spans, length)
    return [span.moved(at) for at in range(0, length, t.size) for span in spans]


def _stretched(spans: tuple[Span, ...], length: int) -> list[Span]:
    return [Span(0, length, spans[0].pointers)] if spans else []


@cache
def _spans(t: CType) -> tuple[Span, ...] | None:
    """None: too many."""
    match t:
        case Pointer():
            return (Span(0, t.size, True),)
        case Integer() | Floating():
            return (Span(0, t.size, False),)
        case ArrayType():
            tiled = _tiled(t.element, t.size)
            return None if tiled is None else tuple(tiled)
        case Record():
            found: list[Span] = []
            for member in t.fields:
                spans = _spans(member.type)
                if spans is None or len(found) > _MOST_SPANS:
                    return None
                if member.bits is None:
                    found.extend(span.moved(member.offset) for span in spans)
                elif member.bits:
                    found.append(Span(member.unit_offset, member.unit_offset + member.unit_size, False))
            return tuple(found)
    return ()


@cache
def _has_part(whole: CType, part: CType) -> bool:
    """Whether a struct or array contains a struct of another type, at any depth."""
    if not isinstance(part, Record):
        return False
    match whole:
        case ArrayType():
            return whole.element is part or _has_part(whole.element, part)
        case Record():
            return any(member.type is part or _has_part(member.type, part) for member in whole.fields)
    return False
