"""What the analyses before lowering have found out about a program's memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from craton.frontends.c.memory.addresses import Addresses
from craton.frontends.c.memory.library_calls import Effects
from craton.frontends.c.memory.lifetimes import Lifetime, lifetimes
from craton.frontends.c.memory.places import Place, covered, find, parts_of
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import Variable
from craton.program.analysis.graphs import components, reachable
from craton.program.specification import Specification


@dataclass(frozen=True, eq=False)
class Facts:
    """What is reachable, where pointers point, and how functions and objects are used."""

    scan: Scan
    points_to: PointsTo
    specification: Specification  # whose entry is a symbol
    calls: dict[str, list[str]]  # who may call whom, through pointers too
    recursive: set[str]  # functions that may call themselves
    occupants: dict[Place, int]  # how many objects may lie in a place
    local_places: set[Place]  # places that hold locals
    lifetimes: dict[Variable, Lifetime]  # of large uninitialised locals
    addresses: Addresses

    @cached_property
    def holders(self) -> dict[Place, list[Variable | None]]:
        """Variables that may hold pointers to a place; None is what has no name."""
        return _pointer_holders(self.scan, self.points_to)

    def may_run_inside(self, symbol: str, caller: str) -> bool:
        """Whether a function may run while `caller` does: it is the same, or is called from there."""
        return symbol in self._callees(caller)

    @cached_property
    def _reached(self) -> dict[str, frozenset[str]]:
        return {}

    def _callees(self, caller: str) -> frozenset[str]:
        found = self._reached.get(caller)
        if found is None:
            found = self._reached[caller] = reachable([caller], lambda symbol: self.calls.get(symbol, ()))
        return found

    @cached_property
    def constants(self) -> dict[Place, list[Variable]]:
        """The static objects that are `const`, by the places of their parts, if such may be written."""
        found: dict[Place, list[Variable]] = {}
        for variable in self.scan.globals if self.scan.drops_const else ():
            if variable.constant and self.scan.in_memory(variable):
                for part in parts_of(self.points_to.of_variable(variable)):
                    found.setdefault(part, []).append(variable)
        return found

    def sole_regions(self, place: Place) -> list[Place] | None:
        """The places of an object's parts, if no other object lies in any of them."""
        return _sole_regions(self.occupants, place)


def facts(scan: Scan, points_to: PointsTo, effects: Effects, specification: Specification, pointer_size: int) -> Facts:
    """All of it; `points_to` has run."""
    graph = _call_graph(scan, points_to)
    recursive = _recursive(graph)
    occupants, local_places = _occupancy(scan, points_to, recursive)
    lives = lifetimes(scan, points_to, lambda place: _sole_regions(occupants, place) is not None)
    addresses = Addresses(points_to, effects, pointer_size)
    return Facts(scan, points_to, specification, graph, recursive, occupants, local_places, lives, addresses)


def _sole_regions(occupants: dict[Place, int], place: Place) -> list[Place] | None:
    parts = covered(place)
    return parts if all(occupants.get(part, 2) == 1 for part in parts) else None


def _call_graph(found: Scan, points_to: PointsTo) -> dict[str, list[str]]:
    """Who may call whom, through pointers too."""
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
    return graph


def _recursive(graph: dict[str, list[str]]) -> set[str]:
    """Functions that may call themselves."""
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
    # Also string literals: an array that begins as anything must not take those with it that its pointers may mean.
    shared = [place for place in points_to.places.roots() if place.allocated or place.external]
    for place in (*points_to.unnamed(), *shared):
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
            for held in (part.pointee, part.words):
                if held is not None:
                    found.setdefault(find(held), []).append(holder)
    return found
