"""The mapping back: what the edges and locations of a transformed program were in the original program.

Every pass returns a `Transformed`. Law: a path of the new program, each edge replaced by `edges[edge]` (possibly none),
is a path of the old program, up to statements that the pass found irrelevant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Block


@dataclass(frozen=True)
class Transformed:
    """A program and where its parts come from. Edges and locations missing from the tables are unchanged."""

    program: Program
    edges: Mapping[Edge, tuple[Edge, ...]] = field(default_factory=dict)
    locations: Mapping[Location, Location] = field(default_factory=dict)

    def original_edges(self, edge: Edge) -> tuple[Edge, ...]:
        known = self.edges.get(edge)
        if known is not None:
            return known
        if isinstance(edge.statement, Block):
            return tuple(old for inner in edge.statement.edges for old in self.original_edges(inner))
        return (edge,)

    def original_location(self, location: Location) -> Location:
        return self.locations.get(location, location)

    def then(self, later: Transformed) -> Transformed:
        """This transformation followed by another one, applied to its result."""
        edges: dict[Edge, tuple[Edge, ...]] = dict(self.edges)
        for edge, olds in later.edges.items():
            if len(olds) == 1:  # nearly all
                edges[edge] = self.original_edges(olds[0])
            else:
                edges[edge] = tuple(older for old in olds for older in self.original_edges(old))
        locations = dict(self.locations)
        for location, old in later.locations.items():
            locations[location] = self.original_location(old)
        return Transformed(later.program, edges, locations)


def unchanged(program: Program) -> Transformed:
    return Transformed(program)
