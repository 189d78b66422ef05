"""What unknown functions can reach: variables that other files see, what they were given, and all that lies behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from craton.frontends.c.memory.places import Place, covered, find, reached
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import Variable


@dataclass(frozen=True, eq=False)
class Escapes:
    """The same for all unknown functions, and at all times: what one of them got, any may keep and use later."""

    variables: tuple[Variable, ...]  # outside of memory
    places: tuple[Place, ...]
    functions: tuple[str, ...]  # with a body, that may be called back
    stores_pointers: bool  # so that they may point elsewhere afterwards

    @property
    def reaches_anything(self) -> bool:
        return bool(self.variables or self.places or self.functions)


def _beside(part: Place) -> Iterator[Place]:
    """The parts of a place, and what it is a part of: who has a member finds its struct (`container_of`), and compilers
    take all of an object for known where a part of it is.
    """
    yield from part.fields.values()
    yield from (whole for whole, _ in part.parents)


def escapes(scan: Scan, points_to: PointsTo) -> Escapes:
    """After the points-to analysis has run."""
    shared = [variable for variable in scan.globals if variable.external]
    waiting = [points_to.of_variable(variable) for variable in shared]
    waiting += points_to.places.escaped
    seen: dict[Place, None] = {}
    functions: dict[str, None] = {}
    pointers = False
    while waiting:
        for part in reached(waiting.pop(), _beside):
            if part in seen:
                continue
            seen[part] = None
            functions |= {symbol: None for symbol, function in part.functions.items() if function.body is not None}
            if part.pointee is not None:
                pointers = True
                waiting.append(find(part.pointee))
    return Escapes(
        tuple(variable for variable in shared if not scan.in_memory(variable)),
        tuple(dict.fromkeys(part for place in seen for part in covered(place))),
        tuple(functions),
        pointers,
    )
