"""The level at which a trace is refuted ([NR] 4.1): its own steps (BLOCK), or the statements inside its blocks (EDGE).

A block with several paths has no single sequence of statements, so it stays one step.
"""

from __future__ import annotations

import enum
from dataclasses import replace
from itertools import pairwise

from craton.program.cfa import Edge
from craton.program.statements import Block
from craton.program.transitions import is_linear
from craton.traces.memory import RunMemory
from craton.traces.refutation import Answer, Feasible, Refiner, Refutation
from craton.traces.trace import Trace


class Level(enum.Enum):
    EDGE = "edge"  # [NR] 4.1.1
    BLOCK = "block"  # [NR] 4.1.2


def at_edge_level(refiner: Refiner, trace: Trace, memory: RunMemory, by: str) -> Answer:
    """Refutes the trace statement by statement and keeps the assertions at the ends of the trace's own steps."""
    edges, ends = unfolded(trace)
    if len(edges) == len(trace):
        answer = refiner.refute(trace, memory)
        return replace(answer, by=by) if isinstance(answer, Refutation) else answer
    answer = refiner.refute(Trace(edges, trace.program), memory)
    if isinstance(answer, Feasible):
        # The model uses the indices of the unfolded trace; the trace itself needs a model of its own.
        return refiner.refute(trace, memory)
    if isinstance(answer, Refutation):
        return _at_ends(answer, ends, by)
    return answer


def _at_ends(fine: Refutation, ends: tuple[int, ...], by: str) -> Refutation:
    """A refutation of the unfolded trace as one of the trace itself; whether it is perfect is no longer known."""
    positions = (0, *ends)
    core = live = None
    if fine.core is not None:
        core = frozenset(i for i, (a, b) in enumerate(pairwise(positions)) if not fine.core.isdisjoint(range(a, b)))
    if fine.live is not None:
        live = tuple(fine.live[i] for i in positions)
    assertions = tuple(fine.assertions[i] for i in positions)
    return replace(fine, assertions=assertions, by=by, core=core, live=live, perfect=None)


def unfolded(trace: Trace) -> tuple[tuple[Edge, ...], tuple[int, ...]]:
    """The statements of the trace, and for each of its own steps the number of statements up to its end."""
    edges: list[Edge] = []
    ends: list[int] = []
    for edge in trace.edges:
        inside = edge.statement
        edges += inside.edges if isinstance(inside, Block) and is_linear(inside) else (edge,)
        ends.append(len(edges))
    return tuple(edges), tuple(ends)
