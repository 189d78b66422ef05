"""Where a value stands: inside plain variables, or in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from craton.frontends.c.memory.layout import Object
from craton.frontends.c.memory.places import Place
from craton.frontends.c.syntax.types import CType, Field, Record, sort_of
from craton.logic import TRUE, BitVec, Sort, Term

Value = Term | tuple[Term, ...]  # a scalar, or the leaves of a struct; `()` for void


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a variable that is not in memory: a scalar, a unit of bit-fields, or the bytes of a union."""

    offset: int
    type: CType
    term: Term


Plain = tuple[Part, ...]


def part_sort(t: CType) -> Sort:
    return BitVec(8 * t.size) if isinstance(t, Record) else sort_of(t)


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
    volatile: bool = False  # whether others may change it
    origin: Term | None = None  # the pointer it was indexed from, if that may lead into another object
    inside: Term = TRUE  # whether its indices are such that it is inside of the members it seems to be a part of

    def at(self, address: Term) -> Lvalue:
        """The same in memory at another address."""
        return replace(self, address=address)
