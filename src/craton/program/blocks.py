"""Large-block encoding (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, FMCAD 2009).

Kept locations: entry and exit, loop heads, error locations, and the ends of edges that are calls or returns. All paths
between two of them that do not pass a third become one edge with a `Block`. `transitions.transition` gives the formula
of a block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum

from craton.program.analysis.control_flow import back_edge_targets
from craton.program.analysis.graphs import reverse_postorder
from craton.program.analysis.nesting import nests
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.parts import narrow_places
from craton.program.statements import Block, Call, Return
from craton.program.transformation import Transformed, unchanged

OFTEN = 12  # branches in a loop: with as many, the ways through several rounds are too many to be followed in one step
CHAINS = 0  # block size for straight-line code of any length


class Cut(Enum):
    """Where blocks end besides at the heads of loops, however long they are; certificates have the values."""

    PARTS = "parts"  # at the narrow places of loops
    CASES = "cases"  # wherever ways part or meet, if a loop branches often, as around a large `switch`


BlockSize = int | Cut | None  # the most statements on a path through a block, or `CHAINS`; None: as long as loops allow


def encode_blocks(program: Program, longest: BlockSize = None) -> Transformed:
    """The program over large blocks. No path through a block has more than `longest` statements (`CHAINS`: no block has
    more than one path; `Cut.PARTS`: none goes through a narrow place of a loop; `Cut.CASES`: as with `CHAINS` in a
    procedure with a loop that branches often, as with None in others).

    A block of one edge stays that edge.
    """
    if longest == 1:
        return unchanged(program)
    procedures = {name: _encoded(procedure, program, longest) for name, procedure in program.procedures.items()}
    return Transformed(program.restricted_to(procedures))


def cut_points(procedure: Procedure, program: Program) -> set[Location]:
    """The locations that are kept."""
    stay = {procedure.entry, procedure.exit, *back_edge_targets(procedure)}
    for location in procedure.locations:
        if location in program.errors or location in program.loop_heads or not procedure.outgoing(location):
            stay.add(location)
    for edge in procedure.edges:
        if isinstance(edge.statement, Call | Return):
            stay.update((edge.source, edge.target))
    return stay


def _encoded(procedure: Procedure, program: Program, longest: BlockSize) -> Procedure:
    stay = cut_points(procedure, program)
    if longest == CHAINS or (longest is Cut.CASES and _branches_often(procedure)):
        stay |= {x for x in procedure.locations if _is_fork(x, procedure)}
    elif longest is Cut.PARTS:
        stay |= narrow_places(procedure, program)
    elif isinstance(longest, int):
        stay |= _further_cuts(procedure, stay, longest)
    edges: list[Edge] = []
    for location in procedure.locations:
        if location in stay:
            edges.extend(_blocks_from(procedure, location, stay))
    return procedure.with_edges(tuple(edges))


def _is_fork(location: Location, procedure: Procedure) -> bool:
    """Whether ways part or meet there."""
    return len(procedure.outgoing(location)) > 1 or len(procedure.incoming(location)) > 1


def _branches_often(procedure: Procedure) -> bool:
    """Whether a loop does; loops inside of it are loops of their own."""
    branches: Counter[Location] = Counter()
    for location, nest in nests(procedure).items():
        if nest.loops:
            branches[nest.loops[-1]] += len(procedure.outgoing(location)) > 1
    return max(branches.values(), default=0) >= OFTEN


def _further_cuts(procedure: Procedure, stay: set[Location], longest: int) -> set[Location]:
    """Further locations to keep, so that no path between two kept ones is longer than `longest`."""
    cuts: set[Location] = set()
    for start in sorted(stay):
        depth = {start: 0}
        for location in _topological(procedure, start, stay):
            if location not in depth:
                continue
            if depth[location] >= longest or location in cuts:
                cuts.add(location)
                depth[location] = 0
            for edge in procedure.outgoing(location):
                if edge.target not in stay:
                    depth[edge.target] = max(depth.get(edge.target, 0), depth[location] + 1)
    return cuts


def _blocks_from(procedure: Procedure, start: Location, stay: set[Location]) -> list[Edge]:
    order = _topological(procedure, start, stay)
    inner: dict[Location, list[Edge]] = {}
    ends: dict[Location, None] = {}
    for location in order:
        for edge in procedure.outgoing(location):
            inner.setdefault(edge.target, []).append(edge)
            if edge.target in stay:
                ends[edge.target] = None
    position = {location: i for i, location in enumerate(order)}
    numbers = {edge: i for i, edge in enumerate(edge for location in order for edge in procedure.outgoing(location))}
    found: list[Edge] = []
    for end in ends:
        needed: dict[Edge, None] = {}
        stack = list(inner[end])
        seen: set[Location] = set()
        while stack:
            edge = stack.pop()
            needed[edge] = None
            source = edge.source
            if source != start and source not in seen:
                seen.add(source)
                stack.extend(inner[source])
        # The last edge must lead into the block's end, so that `Block.end` is right.
        parts = sorted(needed, key=lambda e: (position[e.source], e.target == end, numbers[e]))
        if parts[-1].target != end:
            last = next(i for i in reversed(range(len(parts))) if parts[i].target == end)
            parts.append(parts.pop(last))
        if len(parts) == 1:
            found.append(parts[0])
        else:
            found.append(Edge(start, Block(tuple(parts), tuple(numbers[e] for e in parts)), end, parts[0].origin))
    return found


def _topological(procedure: Procedure, start: Location, stay: set[Location]) -> list[Location]:
    """The start and the locations inside its blocks, in topological order."""

    def inside(location: Location) -> Iterator[Location]:
        return (target for target in procedure.successors(location) if target not in stay)

    return reverse_postorder(start, inside)
