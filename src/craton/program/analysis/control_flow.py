"""Control flow: what is reachable, how far away errors are, where loops begin, which procedures are recursive."""

from __future__ import annotations

from collections.abc import Sequence

from craton.program.analysis.graphs import components, distances
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.origin import SourceRange
from craton.program.statements import Call


def reachable_edges(entry: Location, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """The edges on paths from the entry, in their old order."""
    targets: dict[Location, list[Location]] = {}
    for edge in edges:
        targets.setdefault(edge.source, []).append(edge.target)
    seen, waiting = {entry}, [entry]
    while waiting:  # written out, since passes ask again and again
        for target in targets.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return tuple(edge for edge in edges if edge.source in seen)


def error_distances(program: Program) -> dict[Location, int]:
    """For the locations of the entry procedure from which an error may be reached: the minimal number of steps to one.

    Nothing follows an error, so its distance is 0 even if edges leave it.
    """
    return distances(program.errors, program.main.predecessors)


def dangerous_locations(program: Program) -> frozenset[Location]:
    """The locations of the entry procedure from which an error may be reached."""
    return frozenset(error_distances(program))


def recursive_procedures(program: Program) -> tuple[str, ...]:
    """The procedures that may call themselves, directly or indirectly, in the program's order."""
    graph = {
        name: [e.statement.procedure for e in procedure.edges if isinstance(e.statement, Call)]
        for name, procedure in program.procedures.items()
    }
    found: set[str] = set()
    for group in components(graph):
        if len(group) > 1 or group[0] in graph.get(group[0], ()):
            found.update(group)
    return tuple(name for name in program.procedures if name in found)


def back_edge_targets(procedure: Procedure) -> list[Location]:
    """The targets of the back edges of a depth-first search from the entry: every cycle contains one of them."""
    state: dict[Location, int] = {procedure.entry: 1}  # 1 on the path, 2 done
    work = [(procedure.entry, iter(procedure.outgoing(procedure.entry)))]
    found: dict[Location, None] = {}
    while work:
        location, edges = work[-1]
        for edge in edges:
            target = state.get(edge.target)
            if target is None:
                state[edge.target] = 1
                work.append((edge.target, iter(procedure.outgoing(edge.target))))
                break
            if target == 1:
                found[edge.target] = None
        else:
            state[location] = 2
            work.pop()
    return list(found)


def goto_loop_heads(program: Program) -> dict[Location, SourceRange | None]:
    """Heads of all loops, including goto loops; known heads take precedence in the caller."""
    found: dict[Location, SourceRange | None] = {}
    for procedure in program.procedures.values():
        for location in back_edge_targets(procedure):
            edges = procedure.outgoing(location)
            found[location] = edges[0].origin if edges else None
    return found
