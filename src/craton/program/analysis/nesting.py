"""How the loops of a procedure are nested, and an order in which each is finished before what comes behind it.

A loop is a strongly connected part of the graph; its head is where it is entered first. Without the edges to the head,
the parts of the rest are the loops inside (Bourdoncle's weak topological order).
"""

from __future__ import annotations

from dataclasses import dataclass

from craton.program.analysis.graphs import components
from craton.program.cfa import Location, Procedure


@dataclass(frozen=True, slots=True)
class Nest:
    """The loops around a location, outermost first, by their heads; a head is in its own loop. `order` has the position
    of each of these loops in the one around it, and in the end that of the location in the innermost.
    """

    loops: tuple[Location, ...]
    order: tuple[int, ...]


def nests(procedure: Procedure) -> dict[Location, Nest]:
    """Law: an edge that is not to the head of a loop around its source leads to a location that comes later, in the
    first position in which their orders differ.
    """
    locations = dict.fromkeys((procedure.entry, *procedure.locations))
    found: dict[Location, Nest] = {}
    waiting = [(Nest((), ()), {x: [edge.target for edge in procedure.outgoing(x)] for x in locations})]
    while waiting:
        around, graph = waiting.pop()
        for position, part in enumerate(reversed(components(graph))):
            order, head = (*around.order, position), part[0]
            if len(part) == 1 and head not in graph[head]:
                found[head] = Nest(around.loops, order)
            else:
                inside = dict.fromkeys(part)
                within = {x: [y for y in graph[x] if y in inside and y != head] for x in inside}
                waiting.append((Nest((*around.loops, head), order), within))
    return found
