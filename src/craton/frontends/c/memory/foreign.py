"""Memory that the program did not make: behind what `main` is called with, behind variables that are defined elsewhere,
and behind every pointer that lies in such memory.

It does not begin as zeros, and no object of the program is alone in it, though pointers to it and to an object of the
program may be one place to the analysis: `first(argv[1])` and `first(buffer)` are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from craton.frontends.c.memory.places import Place, find, parts_of, reached
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import Variable
from craton.frontends.c.syntax.types import Floating, Integer


def mark_foreign(
    scan: Scan, places: Iterable[Place], of_variable: Callable[[Variable], Place], handed_on: Container[Place]
) -> None:
    """Marks it as `external`. Places of functions are none of memory. Numbers that are handed on may become pointers:
    what they point to then is given.
    """
    holders = [v for function in scan.called_by_system for v in function.parameters]
    holders += [v for v in scan.globals if not v.defined and v.initializer is None]
    found = [held for v in holders for held in _held(of_variable(v)) if held in handed_on or not _is_number(scan, v)]
    found += [place for place in places if place.external]
    for place in _reached(found):
        place.external |= not place.functions


def is_foreign(place: Place) -> bool:
    """Whether it is such memory, or a part of it."""
    return any(whole.external for whole in reached(place, lambda part: (parent for parent, _ in part.parents)))


def _reached(places: list[Place]) -> Iterable[Place]:
    """The places, and those that one comes to through the pointers that lie there."""
    seen: dict[Place, None] = {}
    while places:
        place = find(places.pop())
        if place not in seen:
            seen[place] = None
            places += _held(place)
    return seen


def _is_number(scan: Scan, variable: Variable) -> bool:
    """Whether it holds a number, of which nobody takes single bytes. If nobody hands it on either, it stays one."""
    return isinstance(variable.type, Integer | Floating) and not scan.in_memory(variable)


def _held(holder: Place) -> Iterator[Place]:
    """What pointers that lie in a place point to, and numbers and bytes there that become pointers."""
    for part in parts_of(holder):
        yield from (find(told) for told in (part.pointee, part.words) if told is not None)
