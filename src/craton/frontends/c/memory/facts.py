"""What the analyses before lowering have found out about a program's memory."""

from __future__ import annotations

from dataclasses import dataclass

from craton.frontends.c.memory.addresses import Addresses
from craton.frontends.c.memory.library_calls import Effects
from craton.frontends.c.memory.lifetimes import Lifetime, lifetimes
from craton.frontends.c.memory.places import Place, covered, find, parts_of
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import Variable
from craton.program.analysis.graphs import components
from craton.program.specification import Specification


@dataclass(frozen=True, eq=False)
class Facts:
    """What is reachable, where pointers point, and how functions and objects are used."""

    scan: Scan
    points_to: PointsTo
    specification: Specification  # whose entry is a symbol
    recursive: set[str]  # functions that may call themselves
    occupants: dict[Place, int]  # how many objects may lie in a place
    local_places: set[Place]  # places that hold locals
    lifetimes: dict[Variable, Lifetime]  # of large uninitialised locals
    # Variables that may hold pointers to a place, where memory safety is checked; None is what has no name.
    holders: dict[Place, list[Variable | None]]

    addresses: Addresses

    def sole_regions(self, place: Place) -> list[Place] | None:
        """The places of an object's parts, if no other object lies in any of them."""
        return _sole_regions(self.occupants, place)


def facts(scan: Scan, points_to: PointsTo, effects: Effects, specification: Specification, pointer_size: int) -> Facts:
    """All of it; `points_to` has run."""
    recursive = _recursive(scan, points_to)
    occupants, local_places = _occupancy(scan, points_to, recursive)
    lives = lifetimes(scan, points_to, lambda place: _sole_regions(occupants, place) is not None)
    holders = _pointer_holders(scan, points_to) if specification.memory else {}
    addresses = Addresses(points_to, effects, pointer_size)
    return Facts(scan, points_to, specification, recursive, occupants, local_places, lives, holders, addresses)


def _sole_regions(occupants: dict[Place, int], place: Place) -> list[Place] | None:
    parts = covered(place)
    return parts if all(occupants.get(part, 2) == 1 for part in parts) else None


def _recursive(found: Scan, points_to: PointsTo) -> set[str]:
    """Functions that may call themselves, through pointers too."""
    pointed: dict[str, None] = {}
    for place in points_to.places.roots():
        if find(place).calls:
            pointed.update(dict.fromkeys(find(place).functions))
    graph = {}
    for symbol in found.functions:
        callees = dict(found.calls.get(symbol, {}))
        if symbol in found.indirect:
            callees |= pointed
        graph[symbol] = list(callees)
    return {symbol for group in components(graph) for symbol in group if len(group) > 1 or symbol in graph[symbol]}


def _occupancy(scan: Scan, points_to: PointsTo, recursive: set[str]) -> tuple[dict[Place, int], set[Place]]:
    """How many objects may lie in each place, and which places hold locals."""
    occupants: dict[Place, int] = {}
    local_places: set[Place] = set()
    objects = list(scan.globals)
    for symbol, variables in scan.locals.items():
        for variable in variables:
            if scan.in_memory(variable):
                objects.append(variable)
                parts = covered(points_to.of_variable(variable))
                local_places.update(parts)
                if symbol in recursive:
                    for part in parts:
                        occupants[part] = 2
    for variable in scan.globals:
        if not variable.defined:  # arbitrary, so its memory does not start as zeros either
            local_places.update(covered(points_to.of_variable(variable)))
    for variable in objects:
        for part in covered(points_to.of_variable(variable)):
            occupants[part] = occupants.get(part, 0) + 1
    for place in points_to.places.roots():
        if place.allocated or place.external:
            for part in covered(place):
                occupants[part] = 2
    return occupants, local_places


def _pointer_holders(scan: Scan, points_to: PointsTo) -> dict[Place, list[Variable | None]]:
    """Which variables may hold pointers to a place; None for allocated memory and what unknown functions made."""
    found: dict[Place, list[Variable | None]] = {}
    variables = [*scan.globals, *(v for group in scan.locals.values() for v in group)]
    sources: list[tuple[Variable | None, Place]] = [(v, points_to.of_variable(v)) for v in variables]
    sources += [(None, place) for place in list(points_to.places.roots()) if place.allocated or place.external]
    for holder, place in sources:
        for part in parts_of(place):
            if part.pointee is not None:
                found.setdefault(find(part.pointee), []).append(holder)
    return found
