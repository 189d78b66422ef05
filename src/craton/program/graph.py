"""Graph algorithms on control-flow automata, iterative and deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.origin import SourceRange
from craton.program.statements import Call

N = TypeVar("N")


def reachable_edges(entry: Location, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """The edges on paths from the entry, in their old order."""
    outgoing: dict[Location, list[Edge]] = {}
    for edge in edges:
        outgoing.setdefault(edge.source, []).append(edge)
    seen = {entry}
    stack = [entry]
    while stack:
        for edge in outgoing.get(stack.pop(), ()):
            if edge.target not in seen:
                seen.add(edge.target)
                stack.append(edge.target)
    return tuple(edge for edge in edges if edge.source in seen)


def dangerous_locations(program: Program) -> frozenset[Location]:
    """Those of the entry procedure from which control may come to an error."""
    seen = set(program.errors)
    stack = list(program.errors)
    while stack:
        for edge in program.main.incoming(stack.pop()):
            if edge.source not in seen:
                seen.add(edge.source)
                stack.append(edge.source)
    return frozenset(seen)


def components(graph: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """Strongly connected components (Tarjan), callees before callers."""
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    on_stack: dict[N, None] = {}
    found: list[list[N]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph.get(root, ())))]
        index[root] = low[root] = len(index)
        on_stack[root] = None
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    on_stack[successor] = None
                    work.append((successor, iter(graph.get(successor, ()))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    group: list[N] = []
                    while True:
                        member, _ = on_stack.popitem()
                        group.append(member)
                        if member == node:
                            break
                    found.append(group[::-1])
    return found


def recursive_procedures(program: Program) -> tuple[str, ...]:
    """Those that can come to call themselves, in the program's order."""
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
    """Where the back edges of a depth-first search from the entry lead: every cycle passes one of them."""
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


def reverse_postorder(procedure: Procedure) -> list[Location]:
    """Every location before its successors, but for back edges."""
    done: list[Location] = []
    seen = {procedure.entry}
    work = [(procedure.entry, iter(procedure.outgoing(procedure.entry)))]
    while work:
        location, edges = work[-1]
        for edge in edges:
            if edge.target not in seen:
                seen.add(edge.target)
                work.append((edge.target, iter(procedure.outgoing(edge.target))))
                break
        else:
            done.append(location)
            work.pop()
    return done[::-1]


def goto_loop_heads(program: Program) -> dict[Location, SourceRange | None]:
    """Heads of all loops, also of those that goto makes; known heads are preferred by the caller."""
    found: dict[Location, SourceRange | None] = {}
    for procedure in program.procedures.values():
        for location in back_edge_targets(procedure):
            edges = procedure.outgoing(location)
            found[location] = edges[0].origin if edges else None
    return found
