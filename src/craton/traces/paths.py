"""Error paths of a program, shortest first, and which of them are infeasible: the input of `craton explain`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from craton.program.analysis.control_flow import back_edge_targets, dangerous_locations
from craton.program.cfa import Edge, Location, Program
from craton.smt import Sat, Undecided, Unsat, make_solver
from craton.traces.trace import Problem, Trace

_MOST_PREFIXES = 200_000
_MOST_JUDGED = 50
_QUERY_SECONDS = 10.0


P = TypeVar("P", bound=Problem)


@dataclass(frozen=True, slots=True)
class Judged(Generic[P]):
    """Error paths, or derivations of false, by the solver's answer. One that it cannot decide is neither feasible nor
    spurious.
    """

    spurious: tuple[P, ...]  # infeasible
    feasible: int
    undecided: tuple[str, ...]  # the solver's reasons


def spurious_paths(program: Program, unroll: int, count: int) -> Judged[Trace]:
    """Up to `count` infeasible error paths, and the answers for the other paths tried on the way."""
    return judged(error_paths(program, unroll), rounds, unroll, count)


def judged(problems: Iterator[P], rounds: Callable[[P], int], unroll: int, count: int) -> Judged[P]:
    """Those that iterate a loop as often as allowed come first: there is most to learn from them."""
    solver = make_solver("z3", time_limit=_QUERY_SECONDS)
    infeasible: list[P] = []
    undecided: list[str] = []
    feasible = 0
    for problem in problems:
        with solver.scope():
            solver.add(*problem.formulas)
            answer = solver.check()
        match answer:
            case Unsat():
                infeasible.append(problem)
            case Sat():
                feasible += 1
            case Undecided(reason):
                undecided.append(reason)
        enough = sum(rounds(one) >= unroll for one in infeasible) >= count
        if enough or len(infeasible) + feasible + len(undecided) >= _MOST_JUDGED:
            break
    infeasible.sort(key=rounds, reverse=True)
    return Judged(tuple(infeasible[:count]), feasible, tuple(undecided))


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
