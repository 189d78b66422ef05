"""Error paths of a program, shortest first, and which of them are infeasible: the input of `craton explain`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from craton.program.analysis.control_flow import back_edge_targets, dangerous_locations
from craton.program.cfa import Edge, Location, Program
from craton.smt import Sat, Undecided, Unsat, make_solver
from craton.traces.trace import Trace

_MOST_PREFIXES = 200_000
_MOST_JUDGED = 50
_QUERY_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class JudgedPaths:
    """Error paths of a program by the solver's answer. A path it cannot decide is neither feasible nor spurious."""

    spurious: tuple[Trace, ...]  # infeasible
    feasible: int
    undecided: tuple[str, ...]  # the solver's reasons


def spurious_paths(program: Program, unroll: int, count: int) -> JudgedPaths:
    """Up to `count` infeasible error paths, and the answers for the other paths tried on the way. Paths that iterate a
    loop as often as allowed come first: there is most to learn from them.
    """
    solver = make_solver("z3", time_limit=_QUERY_SECONDS)
    infeasible: list[Trace] = []
    undecided: list[str] = []
    feasible = 0
    for trace in error_paths(program, unroll):
        with solver.scope():
            solver.add(*trace.formula.by_step)
            answer = solver.check()
        match answer:
            case Unsat():
                infeasible.append(trace)
            case Sat():
                feasible += 1
            case Undecided(reason):
                undecided.append(reason)
        enough = sum(rounds(t) >= unroll for t in infeasible) >= count
        if enough or len(infeasible) + feasible + len(undecided) >= _MOST_JUDGED:
            break
    infeasible.sort(key=rounds, reverse=True)
    return JudgedPaths(tuple(infeasible[:count]), feasible, tuple(undecided))


def error_paths(program: Program, unroll: int) -> Iterator[Trace]:
    """Paths of the entry procedure from its start to an error location that visit no loop head more than `unroll` + 1
    times.

    The search is by length and stops after a large number of prefixes, since their number grows exponentially.
    """
    main = program.main
    heads = frozenset(back_edge_targets(main)) | frozenset(program.loop_heads)
    can_fail = dangerous_locations(program)
    queue: deque[tuple[Location, _Path | None]] = deque([(main.entry, None)])
    for _ in range(_MOST_PREFIXES):
        if not queue:
            return
        location, path = queue.popleft()
        if location in program.errors:
            yield Trace(_edges(path), main.edges)
            continue
        for edge in main.outgoing(location):
            target = edge.target
            if target in can_fail and (target not in heads or _visits(path, target) <= unroll):
                queue.append((target, (edge, path)))


# A path as a linked list, latest edge first, so that paths share their prefixes.
_Path = tuple[Edge, "_Path | None"]


def _edges(path: _Path | None) -> tuple[Edge, ...]:
    found = []
    while path is not None:
        edge, path = path
        found.append(edge)
    return tuple(reversed(found))


def _visits(path: _Path | None, location: Location) -> int:
    count = 0
    while path is not None:
        edge, path = path
        count += edge.target == location
    return count


def rounds(trace: Trace) -> int:
    """How often the trace returns to the location that it visits most often."""
    visits: dict[Location, int] = {}
    for location in trace.locations:
        visits[location] = visits.get(location, 0) + 1
    return max(visits.values()) - 1
