"""Graph algorithms on hashable nodes: iterative, since programs are deep, and deterministic."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

N = TypeVar("N")


def distances(roots: Iterable[N], neighbours: Callable[[N], Iterable[N]]) -> dict[N, int]:
    """The nodes that can be reached from the roots, nearest first, with the length of a shortest path."""
    found = dict.fromkeys(roots, 0)
    queue = deque(found)
    while queue:
        node = queue.popleft()
        for neighbour in neighbours(node):
            if neighbour not in found:
                found[neighbour] = found[node] + 1
                queue.append(neighbour)
    return found


def reachable(roots: Iterable[N], neighbours: Callable[[N], Iterable[N]]) -> frozenset[N]:
    """The nodes that can be reached from the roots, including the roots."""
    return frozenset(distances(roots, neighbours))


def reverse_postorder(root: N, successors: Callable[[N], Iterable[N]]) -> list[N]:
    """The nodes that can be reached from the root, each before its successors, except for back edges."""
    done: list[N] = []
    seen = {root}
    work = [(root, iter(successors(root)))]
    while work:
        node, following = work[-1]
        for successor in following:
            if successor not in seen:
                seen.add(successor)
                work.append((successor, iter(successors(successor))))
                break
        else:
            done.append(node)
            work.pop()
    return done[::-1]


def components(graph: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """Strongly connected components (Tarjan), each after those it leads to: callees before callers."""
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
