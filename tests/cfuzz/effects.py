"""Expressions with their effects: the reason why no generated program depends on an unspecified evaluation order.

An object is named by its *root*: `l:` a local whose address is never taken, `m:` any other variable, `*` whatever a
pointer or a called function may reach (every `m:`), `in` the input stream. Two operands that C leaves unsequenced
may stand together if neither writes what the other reads or writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from cfuzz.ctype import KINDS, Int, Scalar, Type

Roots = frozenset[str]
NOTHING: Roots = frozenset()
REACHABLE = "*"
INPUT = "in"


@dataclass(frozen=True, slots=True)
class Effects:
    """What an expression reads and writes. `settled`: its writes are complete before its value is used."""

    reads: Roots = NOTHING
    writes: Roots = NOTHING
    settled: bool = True

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.reads | other.reads, self.writes | other.writes, self.settled and other.settled)

    @property
    def pure(self) -> bool:
        return not self.writes


PURE = Effects()


def overlap(a: Roots, b: Roots) -> bool:
    """Whether an object may be in both."""
    if a & b:
        return True
    return (REACHABLE in a and any(r.startswith("m:") for r in b)) or (
        REACHABLE in b and any(r.startswith("m:") for r in a)
    )


def conflict(a: Effects, b: Effects) -> bool:
    """Whether the order of evaluating the two could be observed (or undefined)."""
    return overlap(a.writes, b.reads | b.writes) or overlap(b.writes, a.reads)


def union(effects: Iterable[Effects]) -> Effects:
    """The effects of all, in whatever order."""
    total = PURE
    for effect in effects:
        total = total | effect
    return total


@dataclass(frozen=True, slots=True)
class Expr:
    """C text with its type and effects; `bits` marks the direct value of a bit-field, whose type is its own."""

    text: str
    type: Type
    effects: Effects = PURE
    bits: int | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Place:
    """An expression that denotes an object, rooted at `root`.

    `reads` is what finding the object reads. A pointer stored there points to objects of a scope at most `holds` deep;
    one may store there only addresses of objects at most `accepts` deep. `depth` is the object's own scope.
    """

    text: str
    type: Type
    root: str
    reads: Roots = NOTHING
    writable: bool = True
    addressable: bool = True
    bits: int | None = None
    depth: int = 0
    holds: int = 0
    accepts: int = 0

    def value(self) -> Expr:
        """The place, read. Compilers disagree on the type of a bit-field wider than int, so that is cast at once."""
        read = Expr(self.text, self.type, Effects(self.reads | {self.root}), self.bits)
        wide = (
            self.bits is not None and isinstance(self.type, Int) and (self.bits >= 32 or KINDS[self.type.kind].rank > 3)
        )
        return plain(read) if wide else read

    @property
    def address_effects(self) -> Effects:
        return Effects(self.reads)

    def descend(self, text: str, t: Type, **changes: object) -> Place:
        """A part of this object."""
        return replace(self, text=text, type=t, **changes)  # type: ignore[arg-type]


def plain(e: Expr) -> Expr:
    """The value with a type that no compiler disputes: a bit-field is first cast to its declared type."""
    if e.bits is None:
        return e
    assert isinstance(e.type, Int)
    return Expr(f"({e.type.spelling}){e.text}", e.type, e.effects)


def cast(t: Scalar, e: Expr) -> Expr:
    return Expr(f"({t.spelling})({e.text})", t, e.effects)
